"""Agents as policies: they see and do what they would in the environments."""

from __future__ import annotations

import numpy as np
import pytest

from ur_solver.envs import AgentPolicy, GameBatch
from ur_solver.errors import InputError
from ur_solver.rules import named_rules


@pytest.mark.parametrize("word", ["finkel:2", "casual-roll-again:2", "birds:2", "ben:2"])
def test_an_agent_sees_and_does_what_it_would_in_games(word):
    batch = GameBatch(word, 200, agent="both")
    batch.begin(4)
    rng = np.random.default_rng(1)
    seen = []

    def act(observations, masks):
        seen.extend(zip(observations.tolist(), masks.tolist(), strict=True))
        return masks.argmax(axis=1)

    policy = AgentPolicy(named_rules(word), act)
    for _ in range(4):
        seen.clear()
        assert (batch.chosen_by(policy) == batch.masks.argmax(axis=1)).all()
        there = zip(batch.observations.tolist(), batch.masks.tolist(), strict=True)
        assert sorted(seen) == sorted(there)
        batch.step(np.where(batch.masks, rng.random(batch.masks.shape), 0).argmax(axis=1))


@pytest.mark.parametrize(
    ("act", "fault"),
    [
        (lambda _, masks: masks.argmin(axis=1), r"took action \d+, which is not legal there"),
        (lambda _, masks: masks.argmax(axis=1) - masks.shape[1], r"took action -\d+, which"),
        (lambda _, masks: np.full(len(masks), 99), "took action 99, which"),
        (lambda _, masks: [1], r"gave an array of shape \(1,\) for 5 decisions"),
    ],
)
def test_actions_that_are_not_legal(act, fault):
    batch = GameBatch("finkel:2", 5)
    batch.begin(1)
    with pytest.raises(InputError, match=fault):
        batch.chosen_by(AgentPolicy(batch.rules, act))
