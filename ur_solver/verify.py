"""The auditor of tables: everything that a file claims, recomputed from the file alone.

It shares no code with the solver but the kernel's residual pass, and checks a sample by
the readable rules besides.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ur_solver.errors import DamagedTableError
from ur_solver.kernel import residual_between, residual_of
from ur_solver.position import DARK, LIGHT, Position, format_position, mirror, start
from ur_solver.query import Query
from ur_solver.space import Block, Space
from ur_solver.table import VALUE_TYPES, Table
from ur_solver.turns import evaluate

ARITHMETIC = 1e-14
"""How far two ways of summing up the same throws may differ: some 50 ulps of 1."""

Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class Verification:
    """What was checked and found right.

    Attributes
    ----------
    positions, chunks, blocks : int
        All of the table's.
    residual : float
        The largest abs(T(V) - V) as recomputed from the stored values, rounded as they are.
    sampled : int
        Positions that were recomputed by the readable rules.
    """

    positions: int
    chunks: int
    blocks: int
    residual: float
    sampled: int


def verify_table(
    table: Table,
    *,
    sample: int = 500,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Check a table that has been opened, which has checked its structure already.

    Checked are the checksum of every chunk, that every value is a probability, that the
    table's residual is that of its blocks, that the solved tolerance covers every block's
    residual, the residual of every position in the compiled kernel, and that of a random
    sample by the readable rules, mirrored too.

    Parameters
    ----------
    table : Table
    sample : int
        How many positions to recompute by the readable rules.
    seed : int
        Of the sample.
    threads : int, optional
        As many as there are processors if not given.
    progress : callable, optional
        Called with positions checked and positions in all.

    Raises
    ------
    DamagedTableError
        At the first fault, naming the block and a position.
    MemoryError
        If there is no room for all values as float64.
    """
    stored = table.load()
    values = VALUE_TYPES[table.header.value_type].decode(stored)
    auditor = _Auditor(table, values)
    auditor.check_header()
    worst = 0.0
    for block in table.space.blocks:
        auditor.check_range(block)
    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        found = pool.map(auditor.check_block, table.space.blocks)
        for block, residual in zip(table.space.blocks, found, strict=True):
            worst = max(worst, residual)
            if progress is not None:
                progress(block.offset + block.size, table.header.positions)
    auditor.check_sample(sample, seed)
    return Verification(
        positions=table.header.positions,
        chunks=table.n_chunks,
        blocks=len(table.blocks),
        residual=worst,
        sampled=sample,
    )


class _Auditor:
    def __init__(self, table: Table, values: npt.NDArray[np.float64]) -> None:
        self.table = table
        self.space: Space = table.space
        self.values = values
        # T is no further off than V, so that rounding V moves T(V) - V by twice as much.
        self.slack = 2 * VALUE_TYPES[table.header.value_type].rounding + ARITHMETIC

    def _fault(self, block: Block, rank: int, fault: str) -> DamagedTableError:
        position = format_position(self.space.rules, self.space.unrank(rank))
        return DamagedTableError(
            f"table {str(self.table.path)!r} is wrong: block {block.index}, "
            f"position {position!r}: {fault}"
        )

    def check_header(self) -> None:
        """The table's residual is the largest that a block records."""
        block = self.space.blocks[int(np.argmax(self.table.blocks["residual"]))]
        recorded = float(self.table.blocks["residual"][block.index])
        if recorded != self.table.header.residual:
            raise self._fault(
                block,
                block.offset,
                f"its block records a residual of {recorded}, the table one of "
                f"{self.table.header.residual} for all blocks",
            )

    def check_range(self, block: Block) -> None:
        values = self.values[block.offset : block.offset + block.size]
        is_wrong = ~((values >= -ARITHMETIC) & (values <= 1 + ARITHMETIC))  # NaN is wrong too
        if is_wrong.any():
            at = int(np.argmax(is_wrong))
            raise self._fault(
                block, block.offset + at, f"its value is {values[at]}, not a probability"
            )

    def allowed(self, block: Block) -> float:
        """The most that the residual of a block may be: what the block itself records."""
        return float(self.table.blocks["residual"][block.index]) + self.slack

    def check_block(self, block: Block) -> float:
        """The residual of a block; DamagedTableError if it is larger than recorded."""
        recorded = float(self.table.blocks["residual"][block.index])
        if not recorded <= self.table.header.tolerance:
            raise self._fault(
                block,
                block.offset,
                f"its block records a residual of {recorded}, above the tolerance of "
                f"{self.table.header.tolerance}",
            )
        residual = residual_of(self.space, block, self.values)
        if not residual <= self.allowed(block):
            rank = self._worst_rank(block)
            raise self._fault(
                block,
                rank,
                f"its value is {self.values[rank]}, which is {residual:.3g} off what its "
                f"moves are worth, where at most {self.allowed(block):.3g} is allowed",
            )
        return residual

    def _worst_rank(self, block: Block) -> int:
        """The rank with the largest residual, by halving."""
        first, count = block.offset, block.size
        while count > 1:
            half = count // 2
            lower, upper = (
                residual_between(self.space, self.values, block, at, n)
                for at, n in ((first, half), (first + half, count - half))
            )
            if lower < upper:
                first, count = first + half, count - half
            else:
                count = half
        return first

    def check_sample(self, sample: int, seed: int) -> None:
        """Recompute random positions, and the start, by the readable rules."""
        query = Query(self.table)
        random_ranks = random.Random(seed).choices(range(self.space.n_positions), k=sample)
        ranks = [self.space.rank(start(self.space.rules)), *random_ranks]
        firsts = [block.offset for block in self.space.blocks]
        for k, rank in enumerate(ranks):
            position = self.space.unrank(rank, (LIGHT, DARK)[k % 2])
            block = self.space.blocks[int(np.searchsorted(firsts, rank, side="right")) - 1]
            off = self._readable_residual(query, position)
            if not off <= self.allowed(block):
                raise self._fault(block, rank, f"by the readable rules its value is {off:.3g} off")
            if self.space.rank(mirror(self.space.rules, position)) != rank:
                raise self._fault(block, rank, "its mirror image has another rank")

    @staticmethod
    def _readable_residual(query: Query, position: Position) -> float:
        expected = evaluate(query.rules, position, query.value)
        return abs(expected - query.value(position))
