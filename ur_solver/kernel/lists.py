"""Blocks as lists of moves: values in rank order, swept one position at a time."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from ur_solver.kernel._turn_lists import TurnLists
from ur_solver.kernel._turns import Turns
from ur_solver.kernel.inputs import inputs_of
from ur_solver.kernel.interface import FinishedBlocks, Values
from ur_solver.kernel.rounding import NOISE, blur_of
from ur_solver.kernel.sampling import sample_step
from ur_solver.space import Block, TileSpace

_LEAST = 4096
"""The fewest positions for which a sweep takes a further thread."""


class ListBlock:
    """One block being solved, as `BlockWork` describes it.

    Parameters
    ----------
    turns : Turns
    space : TileSpace
    block : Block
    finished : FinishedBlocks
    threads : int
        The number that making the lists may use.
    """

    noise = NOISE
    is_single = has_policies = False

    def __init__(
        self,
        turns: Turns,
        space: TileSpace,
        block: Block,
        finished: FinishedBlocks,
        threads: int = 1,
    ) -> None:
        self._turns, self._block = turns, block
        self._blur = blur_of(space.rules.dice.probabilities)
        self._values = np.full(block.size, 0.5)
        self._inputs = inputs_of(space, block, finished, self._values)
        self._lists = TurnLists(turns, self._inputs, block.offset, block.size, threads)

    def refine(self) -> bool:
        """False: values are of float64."""
        return False

    def keep_all(self) -> bool:
        """False: sweeps look at all moves."""
        return False

    def sweep(self, threads: int) -> float:
        """Update every value in place; return the delta."""
        return self._lists.sweep(self._values, self._threads(threads))

    def _threads(self, threads: int) -> int:
        """How many of these threads a sweep takes."""
        return min(threads, 1 + self._block.size // _LEAST)

    def residual(self, threads: int) -> float:
        """The largest abs(T(V) - V) over the block."""
        block = self._block
        return self._turns.residual(self._inputs, block.offset, block.size, threads)

    def sample(self) -> Values:
        """A copy of some of the values, always the same."""
        return self._values[:: sample_step(len(self._values), len(self._values))].copy()

    def remember(self, room: Values) -> None:
        """Keep a copy of the values in `room`."""
        self._before = room
        room[:] = self._values

    def extrapolate(self, factor: float) -> None:
        """Add `factor` times the change since `remember`."""
        self._values += factor * (self._values - self._before)

    def store(self, values: Values) -> None:
        """Write the values to an array, in rank order."""
        values[:] = self._values

    def load(self, values: Values) -> None:
        """Take the values from an array, in rank order."""
        self._values[:] = values

    def carry(self, outside: float) -> bool:
        """False: errors of chances add up."""
        return False

    def bracket(self, values: Values, shift: float) -> None:
        """Set bounds around given values; the block's own values stay."""
        self.upper = np.nextafter(values + shift, np.inf)
        self.lower = np.nextafter(values - shift, -np.inf)
        self._settle_draws()

    def _settle_draws(self) -> None:
        self.upper[self._draws] = self.lower[self._draws] = 0.5

    @cached_property
    def _draws(self) -> npt.NDArray[np.bool_]:
        return self._turns.draws(self._block.offset, self._block.size)

    def narrow(self, threads: int) -> None:
        """Sweep both bounds, each operation rounded outwards."""
        self._lists.narrow(self.upper, self.lower, self._blur, self._threads(threads))
        self._settle_draws()

    def width(self, values: Values) -> tuple[float, int]:
        """The largest distance of the bounds from given values, rounded up, and its rank."""
        distance = np.maximum(values - self.lower, self.upper - values)
        at = int(np.argmax(distance))
        return float(np.nextafter(distance[at], np.inf)), self._block.offset + at
