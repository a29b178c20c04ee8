"""The auditor of tables: everything that a file claims, recomputed from the file alone.

It shares no code with the solver but the kernels, which it has recompute residuals and
prove again what is certified, and checks a sample by the readable rules besides.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ur_solver.errors import CertificateError, DamagedTableError
from ur_solver.kernel import (
    Workspace,
    check_provable,
    prove_again,
    residual_between,
    residual_of,
)
from ur_solver.position import DARK, LIGHT, Position, format_position, mirror, start
from ur_solver.query import Query
from ur_solver.space import Block, Space, StakesSpace, dependencies
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
    error : float or None
        How far a value can be off at most, as proven once more; None if the table claims
        nothing.
    """

    positions: int
    chunks: int
    blocks: int
    residual: float
    sampled: int
    error: float | None


def verify_table(
    table: Table,
    *,
    sample: int = 500,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Check a table that has been opened, which has checked its structure already.

    Checked are the checksum of every chunk, that every value is a probability, with stakes
    that the cut costs no more than is said, that the table's residual is that of its blocks,
    that the solved tolerance covers every block's residual, the residual of every position in
    the compiled kernel, and that of a random sample by the readable rules, mirrored too. If
    the table is certified, what it claims of each block is proven again, from its values and
    what it claims of the blocks that its moves lead to.

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
        auditor.check_cut(block)
    threads = threads or os.cpu_count() or 1
    with ThreadPoolExecutor(threads) as pool:
        found = (
            # each with all threads: a proof takes twice the memory of a residual
            (auditor.check_bound(block, threads) for block in table.space.blocks)
            if auditor.is_certified
            else pool.map(auditor.check_block, table.space.blocks)
        )
        for block, residual in zip(table.space.blocks, found, strict=True):
            worst = max(worst, residual)
            if progress is not None:
                progress((block.offset + block.size) // table.space.lanes, table.space.n_placements)
    auditor.check_sample(sample, seed)
    return Verification(
        positions=table.space.n_placements,
        chunks=table.n_chunks,
        blocks=len(table.blocks),
        residual=worst,
        sampled=sample,
        error=table.header.error,
    )


class _Auditor:
    def __init__(self, table: Table, values: npt.NDArray[np.float64]) -> None:
        self.table = table
        self.space: Space = table.space
        self.values = values
        # T is no further off than V, so that rounding V moves T(V) - V by twice as much.
        self.slack = 2 * VALUE_TYPES[table.header.value_type].rounding + ARITHMETIC
        self.errors: list[float] = table.blocks["error"].tolist()
        self.is_certified = table.header.error is not None
        self.workspace = Workspace()
        if self.is_certified:
            check_provable(self.space.rules)
            self.leads_to = dependencies(self.space)

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
        if self.space.is_chance:
            is_right = (values >= -ARITHMETIC) & (values <= 1 + ARITHMETIC)  # NaN is not
        else:
            is_right = np.isfinite(values)
        if not is_right.all():
            at = int(np.argmin(is_right))
            kind = "a probability" if self.space.is_chance else "money"
            raise self._fault(block, block.offset + at, f"its value is {values[at]}, not {kind}")

    def check_cut(self, block: Block) -> None:
        """That what the table says its cut may cost covers what its bounds say."""
        if not isinstance(self.space, StakesSpace):
            return
        found = self.space.cut_error(self.values[block.offset : block.offset + block.size])
        header = self.table.header
        for name, recorded, most in zip(
            ("cut_error", "cut_growth"), (header.cut_error, header.cut_growth), found, strict=True
        ):
            if recorded is None or not most <= recorded:
                raise self._fault(
                    block, block.offset, f"its block has a {name} of {most}, above {recorded}"
                )

    def allowed(self, block: Block) -> float:
        """The most that the residual of a block may be: what the block itself records."""
        return float(self.table.blocks["residual"][block.index]) + self.slack

    def check_block(self, block: Block) -> float:
        """The residual of a block; DamagedTableError if it is larger than recorded."""
        return self._checked(block, residual_of(self.space, block, self.values))

    def check_bound(self, block: Block, threads: int) -> float:
        """As `check_block`, and DamagedTableError if its bound cannot be proven."""
        claimed = self.errors[block.index]
        outside = max((self.errors[each] for each in self.leads_to[block.index]), default=0.0)
        largest = self.table.header.error
        # so that what is claimed of a block covers all that its moves lead to, however far on
        if not (largest is not None and outside <= claimed <= largest):
            raise self._fault(
                block,
                block.offset,
                f"its block claims to be off by {claimed} at most, the blocks that its moves "
                f"lead to by {outside}, the table by {largest}",
            )
        try:
            residual, _ = prove_again(
                self.space,
                block,
                self.values,
                self.workspace,
                outside=outside,
                claimed=claimed,
                threads=threads,
            )
        except CertificateError as error:
            # the larger fault is told first
            self.check_block(block)
            raise DamagedTableError(f"table {str(self.table.path)!r} is wrong: {error}") from None
        return self._checked(block, residual)

    def _checked(self, block: Block, residual: float) -> float:
        recorded = float(self.table.blocks["residual"][block.index])
        if not recorded <= self.table.header.tolerance:
            raise self._fault(
                block,
                block.offset,
                f"its block records a residual of {recorded}, above the tolerance of "
                f"{self.table.header.tolerance}",
            )
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
            mirrored = mirror(self.space.rules, position)
            if self.space.rank(mirrored) != self.space.rank(position):
                raise self._fault(block, rank, "its mirror image has another rank")

    @staticmethod
    def _readable_residual(query: Query, position: Position) -> float:
        expected = evaluate(query.rules, position, query.value)
        return abs(expected - query.value(position)) / query.space.unit
