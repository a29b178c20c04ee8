"""How a solve divides the memory that it may take, and whether that is enough."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from ur_solver.engine import Allowance
from ur_solver.errors import MemoryLimitError
from ur_solver.rules import MAX_PIECES
from ur_solver.solving.costs.cost import (
    BASE_BYTES,
    UNWRITTEN_BYTES,
    block_cost,
    estimate,
    largest_cost,
)
from ur_solver.solving.costs.memory import budget_of
from ur_solver.solving.request import Request
from ur_solver.space import part_of


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


def room_for(request: Request) -> Room:
    """Divide the memory of a solve, or refuse it.

    Raises
    ------
    MemoryLimitError
        If it would not fit even with finished blocks in files: it says what it needs, what there
        is, and the largest count of pieces that fits, or that may be left.
    """
    part, budget = request.part, budget_of(request)
    misfit = _misfit(request, budget)
    if misfit is not None:
        fewer = reversed(range(1, min(part.left or 1, MAX_PIECES + 1)))
        fitting = (count for count in fewer if _misfit(_smaller(request, count), budget) is None)
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
    needed = estimate(replace(request, memory=budget)).memory_bytes
    if needed <= budget:
        return Room(budget, needed, None, UNWRITTEN_BYTES, None)
    rest = budget - BASE_BYTES
    in_work = max(largest_cost(request), rest // 2)
    kept = max(0, rest - in_work)
    unwritten = min(UNWRITTEN_BYTES, kept // 4)
    allowance = Allowance(in_work, partial(block_cost, request))
    return Room(budget, needed, kept - unwritten, unwritten, allowance)


def _smaller(request: Request, count: int) -> Request:
    """The same with fewer pieces; of endings, those with fewer pieces left."""
    rules = request.part.space.rules
    if not request.part.is_whole:
        return replace(request, part=part_of(rules, count))
    fewer = rules.with_pieces(count)
    return replace(request, rules=fewer, part=part_of(fewer))


def _misfit(request: Request, budget: int) -> str | None:
    """Why a solve would not fit, in words; None if it would."""
    least = BASE_BYTES + largest_cost(request)
    if least > budget:
        return f"needs {least / 2**30:.1f} GiB of memory; {budget / 2**30:.1f} GiB may be taken"
    return None
