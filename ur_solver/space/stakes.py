"""The state space with stakes: positions times the fines paid so far.

The number of fines is unlimited, so a table keeps the levels 0 to `StakesSpace.reach` and
extrapolates the rest linearly. With ``W(s)`` the chance of winning without stakes,

    V(s, f) = V(s, reach) + fine * (f - reach) * W(s)        for f > reach            (1)

which makes the last level an equation on its own (a move onto a rosette costs ``fine`` and
brings ``fine * W`` back) and each level below it an equation in the level above.

The error of (1) is bounded. Let both sides play, from level `reach` on, the moves that
(1) makes the best; call that play S. If one side keeps to S at every level, whatever the
other does, it gets the least over the other's plays T of

    (pot now) * w(S, T) + (the fines that T brings, counted into the pot and out of pocket)

where w is its chance of winning. Every T adds w(S, T) >= w(S) to that with each further
fine in the pot, w(S) being the least chance of winning that S leaves; so does the least of
them. So an equation like (1), in which the side that keeps to S gets no more than
``fine * w(S)`` out of each further fine, bounds from below what S, and so what the position,
is worth at level `reach`; the bound from above is the other side's. Four numbers a position
carry this: `LEAST_CHANCE` and `MOST_CHANCE`, the chances of winning where the side to throw,
and where the other, keeps to S and the other does its worst; `LEAST` and `MOST`, the bounds.
The values of each level below follow from the level above, so none of their errors exceeds
the largest of the last level's (`cut_error`).

If the moves of S are also those that win most often, all four bounds are tight and the cut
is exact.

A *rank* is that of the position without its fines, times the number of values that every
position has (`StakesSpace.values_per_position`), plus the number of the value. Values are in
units of `unit`, the pot with one fine more than the last level has.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.rules import LIGHT, Position, RuleSet
from ur_solver.space.base import Blocks, Ranks, Space, StateLayout, rows_of
from ur_solver.space.tiles import TileSpace

CHANCE, LEAST_CHANCE, MOST_CHANCE, LEAST, MOST = range(1, 6)
"""The values after the last level, counted from it."""

_CUT_VALUES = 5


class StakesSpace(Space):
    """The numbered positions of a rule set with stakes, at every level of fines.

    A position has as many values as there are levels, then the five named in the module's head.
    `positions` is the space of the same rule set without stakes.
    """

    state_dtype = np.dtype(np.uint32)
    bounds = (-sys.float_info.max, sys.float_info.max)

    def __init__(self, rules: RuleSet) -> None:
        assert rules.stakes is not None
        self.rules = rules
        self.stakes = rules.stakes
        self.positions = TileSpace(rules.changed(stakes=None))
        self.first_version = self.positions.first_version
        self.reach = rules.stakes.reach_of(rules.pieces)
        self.values_per_position = self.reach + 1 + _CUT_VALUES
        self.unit = rules.payoff.unit(rules.pieces)
        self.fine = rules.stakes.fine
        self.n_values = self.positions.n_values * self.values_per_position

    @property
    def n_positions(self) -> int:
        """The number of positions, not counting the fines."""
        return self.positions.n_values

    @cached_property
    def pots(self) -> npt.NDArray[np.float64]:
        """The sum of both sides' values, for each value of a position."""
        levels = [self.stakes.total(fines) / self.unit for fines in range(self.reach + 1)]
        return np.array([*levels, 1.0, 1.0, 1.0, levels[-1], levels[-1]])

    @cached_property
    def owed(self) -> float:
        """The most fines, in money, that a side may still pay beyond what it wins.

        Each of its pieces at most once on every rosette of its way is far more: tables of up to 3
        pieces have 0.7 of a fine for a piece.
        """
        n_rosettes = sum(square in self.rules.rosettes for square in self.rules.path.light)
        return self.fine * self.rules.pieces * n_rosettes

    @property
    def limits(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """As `Space.limits`: chances in [0, 1]; money from 0 to the pot, and what may be `owed`."""
        owed = np.full(self.values_per_position, self.owed / self.unit)
        owed[self.reach + CHANCE : self.reach + LEAST] = 0
        return -owed, self.pots + owed

    @cached_property
    def blocks(self) -> Blocks:
        """Those of the positions without fines, each rank `values_per_position` times."""
        return self.positions.blocks.times(self.values_per_position)

    @property
    def n_configs(self) -> int:
        """The number of side configs."""
        return self.positions.n_configs

    def next_configs(self, config: int) -> Iterator[int]:
        """The side configs that one move can irreversibly lead to, by any throw."""
        return self.positions.next_configs(config)

    def n_off(self, config: int) -> int:
        """The number of pieces that a side with this config has borne off."""
        return self.positions.n_off(config)

    @property
    def state_width(self) -> int:
        """Numbers in an encoded state: those without stakes, then the fines."""
        return self.positions.state_width + 1

    @cached_property
    def state_layout(self) -> StateLayout:
        """What the numbers of an encoded state mean, and states as notation."""
        return self.positions.layout_of_rows(self.rules, self.state_dtype)

    def encode(self, position: Position) -> Sequence[int]:
        """`position` from the side about to throw, as a state row."""
        return [*self.positions.encode(position), position.fines]

    def decode(self, state: Sequence[int], side: str = LIGHT) -> Position:
        """The position of a state row, `side` about to throw; the inverse of `encode`."""
        position = self.positions.decode(state[:-1], side)
        return dataclasses.replace(position, rules=self.rules, fines=int(state[-1]))

    def _rank_rows(self, states: npt.NDArray[Any], ranks: npt.NDArray[np.int64]) -> None:
        # values of more fines than `reach` are extrapolated linearly
        found = self.positions.rank_states(states[:, :-1])
        levels = np.minimum(states[:, -1], self.reach)
        ranks[:] = np.where(found >= 0, found * self.values_per_position + levels, -1)

    def go_on(self, states: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """As `Space.go_on`."""
        return self.positions.go_on(rows_of(states, self.state_dtype, self.state_width)[:, :-1])

    def _unrank_rows(self, ranks: npt.NDArray[np.int64], states: npt.NDArray[Any]) -> None:
        # the values after the last level are no separate positions
        states[:, :-1] = self.positions.unrank_states(ranks // self.values_per_position)
        states[:, -1] = np.minimum(ranks % self.values_per_position, self.reach)

    def chance_rank(self, rank: Ranks) -> Ranks:
        """The rank of a position's chance of winning if only winning counted."""
        return rank - rank % self.values_per_position + self.reach + CHANCE

    def cut_error(self, values: npt.NDArray[np.float64]) -> tuple[float, float]:
        """The largest error due to the cut in the values of some positions, in units.

        At any of the levels up to `reach`; and the increase for each fine past it.
        """
        rows = values.reshape(-1, self.values_per_position)
        last, chance, least_chance, most_chance, least, most = rows[:, self.reach :].T
        error = max((last - least).max(), (most - last).max())
        growth = max((chance - least_chance).max(), (most_chance - chance).max())
        return float(error), float(growth) * self.stakes.fine / self.unit
