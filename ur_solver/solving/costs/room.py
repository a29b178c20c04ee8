"""How a solve divides the memory that it may take, and whether that is enough."""

from __future__ import annotations

from dataclasses import dataclass

from ur_solver.engine import Allowance
from ur_solver.errors import MemoryLimitError
from ur_solver.kernel import DOUBLE
from ur_solver.rules import MAX_PIECES
from ur_solver.solving.costs.cost import (
    BASE_BYTES,
    UNWRITTEN_BYTES,
    block_cost,
    estimate,
    largest_cost,
)
from ur_solver.solving.costs.memory import available_bytes
from ur_solver.space import Part, part_of


@dataclass(frozen=True)
class Room:
    """The memory of a solve.

    Attributes
    ----------
    budget : int
        What it may take, in bytes.
    needed : int
        What it would take to keep all values that are still read.
    most_kept : int or None
        What finished values may take; None if all of them are kept. Others are read from their
        files.
    most_unwritten : int
        What finished values may take that wait for the disk.
    allowance : Allowance or None
        For blocks being solved; None if there is room for one a thread.
    """

    budget: int
    needed: int
    most_kept: int | None
    most_unwritten: int
    allowance: Allowance | None

    @property
    def keeps_all(self) -> bool:
        """Whether all values stay in memory as long as they are read."""
        return self.most_kept is None


ROOM_OF_A_DRIVER = Room(0, 0, 0, 0, None)
"""Of a process that hands blocks to others: no values are kept."""


def room_for(
    part: Part,
    *,
    memory: int | None = None,
    certify: bool = False,
    threads: int | None = None,
    precision: str = DOUBLE,
) -> Room:
    """Divide the memory of a solve, or refuse it.

    Parameters
    ----------
    part : Part
    memory : int, optional
        What it may take, in bytes; by default what is free.
    certify : bool
    threads : int, optional
    precision : str
        As for `ur_solver.solving.Request`.

    Raises
    ------
    MemoryLimitError
        If it would not fit even with finished blocks in files: it says what it needs, what there
        is, and the largest count of pieces that fits, or that may be left.
    """
    budget = available_bytes(threads) if memory is None else memory
    misfit = _misfit(part, budget, certify, precision)
    if misfit is not None:
        fewer = reversed(range(1, min(part.left or 1, MAX_PIECES + 1)))
        fitting = (
            count
            for count in fewer
            if _misfit(_smaller(part, count), budget, certify, precision) is None
        )
        fits = (
            "the largest count that fits is {0} (-n {0})"
            if part.is_whole
            else "at most {0} left would fit (--left {0})"
        )
        largest = next(fitting, None)
        advice = "" if largest is None else f"; {fits.format(largest)}"
        raise MemoryLimitError(
            f"{part.title} has {part.n_positions:,} positions and {misfit}{advice}"
        )
    needed = estimate(
        part, certify=certify, threads=threads, memory=budget, precision=precision
    ).memory_bytes
    if needed <= budget:
        return Room(budget, needed, None, UNWRITTEN_BYTES, None)
    rest = budget - BASE_BYTES
    in_work = max(largest_cost(part, certify, precision), rest // 2)
    kept = max(0, rest - in_work)
    unwritten = min(UNWRITTEN_BYTES, kept // 4)

    def cost(index: int) -> int:
        return block_cost(part.space, index, certify, precision)

    return Room(budget, needed, kept - unwritten, unwritten, Allowance(in_work, cost))


def _smaller(part: Part, count: int) -> Part:
    """The same rules with fewer pieces; of endings, those with fewer pieces left."""
    rules = part.space.rules
    return part_of(rules.with_pieces(count)) if part.is_whole else part_of(rules, count)


def _misfit(part: Part, budget: int, certify: bool, precision: str) -> str | None:
    """Why a solve would not fit, in words; None if it would."""
    least = BASE_BYTES + largest_cost(part, certify, precision)
    if least > budget:
        return f"needs {least / 2**30:.1f} GiB of memory; {budget / 2**30:.1f} GiB may be taken"
    return None
