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


@pytest.mark.parametrize("act", [lambda _, masks: masks.argmin(axis=1), lambda _, masks: [1]])
def test_actions_that_are_not_legal(act):
    batch = GameBatch("finkel:2", 5)
    batch.begin(1)
    with pytest.raises(InputError, match="one legal action in each of 5 decisions"):
        batch.chosen_by(AgentPolicy(batch.rules, act))
