"""Rules of thumb: orders of priorities, and the best order that is found.

An order is judged by games against a common opponent that no order beats by far, since players
reach positions by their own moves: the loss of an order in the table's positions says little
about its loss in its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.moves import TurnBatch
from ur_solver.players.policies import PRIORITIES, Policy, Priorities, TablePolicy
from ur_solver.rules import RuleSet
from ur_solver.study.estimates import IntervalEstimate, mean_of
from ur_solver.study.match import play

MOST_PRIORITIES = 3
"""The most priorities: three lines to remember."""

_LEAST_GAIN = 0.01
"""The least gain of a further priority."""

_MORE = 4
"""A chosen order plays this many times the games of a tried one."""


@dataclass(frozen=True)
class Choices:
    """Choices of games, with the values of their options to the side that chooses.

    Attributes
    ----------
    turns : TurnBatch
    worth : float64, shape (options,)
    """

    turns: TurnBatch
    worth: npt.NDArray[np.float64]

    def loss(self, policy: Policy) -> IntervalEstimate:
        """The loss of a policy at a choice."""
        starts = self.turns.starts[:-1]
        best = np.maximum.reduceat(self.worth, starts)
        mean = np.add.reduceat(self.worth * policy.weights(self.turns), starts)
        return mean_of(best - mean)


def choices_of(notes: dict[str, npt.NDArray[Any]], policy: TablePolicy) -> Choices | None:
    """The choices that `Snapshots` noted; None if no game had any."""
    there = notes["has_choice"]
    if not there.any():
        return None
    turns = policy.generator.successors(
        notes["choice_row"][there], notes["choice_throw"][there], notes["choice_may"][there]
    )
    return Choices(turns, policy.option_values(turns))


def share_of_wins(
    rules: RuleSet, own: Policy, other: Policy, games: int, seed: int
) -> IntervalEstimate:
    """The share that a policy wins against another, half of the games as the first player."""
    half = max(2, games // 2)
    as_light = mean_of(play(rules, own, other, half, seed=seed).results)
    as_dark = mean_of(1 - play(rules, other, own, half, seed=seed + 1).results)
    value = (as_light.value + as_dark.value) / 2
    # half-widths of two independent intervals (Newcombe)
    below = math.hypot(as_light.value - as_light.low, as_dark.value - as_dark.low) / 2
    above = math.hypot(as_light.high - as_light.value, as_dark.high - as_dark.value) / 2
    return IntervalEstimate(value, value - below, value + above)


def best_order(
    rules: RuleSet, opponent: Policy, games: int, seed: int
) -> list[tuple[tuple[str, ...], IntervalEstimate]]:
    """The order of priorities that wins most against an opponent, found one by one.

    Parameters
    ----------
    rules : RuleSet
    opponent : Policy
    games : int
        Of each order that is tried; all with the same throws at first.
    seed : int

    Returns
    -------
    list
        The best priority, the best order with one more before it, behind it or, later, between
        two, and so on, with the share of games that each wins; as long as a further one wins a
        point more. The shares are those of games that no order was chosen by.
    """
    found: list[tuple[str, ...]] = []
    before = -math.inf
    order: tuple[str, ...] = ()
    while len(order) < MOST_PRIORITIES:
        candidates = [
            (*order[:k], name, *order[k:])
            for name in PRIORITIES
            if name not in order
            for k in range(len(order) + 1)
        ]
        shares = [
            share_of_wins(rules, Priorities(candidate), opponent, games, seed).value
            for candidate in candidates
        ]
        at = max(range(len(shares)), key=shares.__getitem__)
        if shares[at] < before + _LEAST_GAIN:
            break
        order, before = candidates[at], shares[at]
        found.append(order)
    return [
        (each, share_of_wins(rules, Priorities(each), opponent, _MORE * games, seed + 2))
        for each in found
    ]
