"""Verifying tables: everything that a file claims is recomputed from the file alone.

The only code that this shares with the solver is the kernels, which recompute the residuals and
prove certified errors again. In addition, a sample of positions is checked by the readable rules.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from graphlib import TopologicalSorter

import numpy as np
import numpy.typing as npt

from ur_solver.answers.positions import rank_of, value_when_over
from ur_solver.blocks.stored import VALUE_TYPES
from ur_solver.common.machine import usable_processors
from ur_solver.common.progress import Progress
from ur_solver.common.text import counted, whole_number
from ur_solver.errors import CertificateError, DamagedTableError
from ur_solver.kernel._workspace import Workspace
from ur_solver.kernel.bounds import bound_cut, check_provable, prove_values
from ur_solver.kernel.kernels import kernel_of
from ur_solver.rules import DARK, LIGHT, Position
from ur_solver.rules.turns import evaluate
from ur_solver.space import Block, Part, PartBlocks, Space
from ur_solver.table.reader import TableFile

ARITHMETIC = 1e-14
"""How much the sum over the throws may differ when it is computed in another order: 50 ulps of
1."""


@dataclass(frozen=True)
class Verification:
    """What was checked and found correct.

    Attributes
    ----------
    positions, chunks, blocks : int
        All that the table holds.
    residual : float
        The largest abs(T(V) - V), recomputed from the stored values, which may be rounded. In
        units of the values: with stakes money.
    sampled : int
        The number of positions that were recomputed by the readable rules.
    error : float or None
        How far a value can be off at most, as proven again, in the same units; None without a
        certificate.
    """

    positions: int
    chunks: int
    blocks: int
    residual: float
    sampled: int
    error: float | None


def verify_table(
    table: TableFile,
    *,
    sample: int = 500,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = lambda done, total: None,
) -> Verification:
    """Check an open table, whose structure was checked when it was opened.

    The checks, of the positions that the table holds, are:

    - the checksum of every chunk;
    - that the blocks of all successors exist;
    - that every value is a probability;
    - with stakes, that the cut costs no more than the table says;
    - that the table's residual is the largest of its blocks;
    - that the table's tolerance covers the residual of every block;
    - the residual of every position, by the compiled kernel;
    - the residual of a random sample, by the readable rules, and the ranks of its mirror images;
    - for a certified table, the error of each block, which is proven again from its values and from
      the errors that the table claims for the blocks that its moves lead to;
    - with stakes, the errors of the levels of fines, if the table claims any.

    The sample has at most as many positions as there are. `progress` is called with the number of
    positions checked so far and the number of all.

    DamagedTableError at the first fault: it names the block and a position. MemoryError if there is
    not enough memory for all values as float64; InputError if `sample` or `seed` is not a whole
    number of at least 0.
    """
    whole_number("seed", seed)
    whole_number("sample", sample)
    stored = table.load()
    values = VALUE_TYPES[table.header.value_type].decode(stored)
    verifier = _Verifier(table, values)
    verifier.check_header()
    worst = 0.0
    # where levels are checked too, a block counts as half of its positions each time
    turns = table.space.values_per_position * (1 if table.header.level_errors is None else 2)
    done = 0
    part = table.part
    for block in part.blocks:
        verifier.check_reads(block)
        verifier.check_cut(block)
    threads = threads or usable_processors()
    with ThreadPoolExecutor(threads) as pool:
        found = (
            # one block at a time with all threads, as a proof takes twice a residual's memory
            (verifier.check_bound(block, threads) for block in part.blocks)
            if verifier.is_certified
            else pool.map(verifier.check_block, part.blocks)
        )
        for block, residual in zip(part.blocks, found, strict=True):
            worst = max(worst, residual)
            done += block.size
            progress(done // turns, part.n_positions)
    for block in verifier.check_levels(threads):
        done += block.size
        progress(done // turns, part.n_positions)
    sample = min(sample, part.n_positions)
    verifier.check_sample(sample, seed)
    return Verification(
        positions=part.n_positions,
        chunks=table.n_chunks,
        blocks=len(table.blocks),
        residual=worst * table.space.unit,
        sampled=sample,
        error=None if table.header.error is None else table.header.error * table.space.unit,
    )


class _Verifier:
    def __init__(self, table: TableFile, values: npt.NDArray[np.float64]) -> None:
        self.table = table
        self.space: Space = table.space
        self.part: Part = table.part
        self.kernel = kernel_of(self.space)
        self.stored = PartBlocks(self.part, values)
        self.rows = {index: row for row, index in enumerate(self.part.indices)}
        # Rounding changes T(V) by no more than V, and so T(V) - V by at most twice as much.
        self.slack = 2 * VALUE_TYPES[table.header.value_type].rounding + ARITHMETIC
        self.errors: list[float] = table.blocks["error"].tolist()
        self.is_certified = table.header.error is not None
        self.workspace = Workspace()
        if self.is_certified:
            check_provable(self.space.rules)

    def _fault(self, block: Block, fault: str, rank: int | None = None) -> DamagedTableError:
        """A fault of a position, by default the block's first."""
        position = self.space.unrank(block.offset if rank is None else rank).notation
        return DamagedTableError(
            f"table {str(self.table.path)!r} is wrong: block {block.index}, "
            f"position {position!r}: {fault}"
        )

    def own(self, block: Block) -> npt.NDArray[np.float64]:
        """The values of a block."""
        return self.stored.values_of(block.index)

    def row(self, block: Block) -> int:
        """Where the table's columns have a block."""
        return self.rows[block.index]

    def check_reads(self, block: Block) -> None:
        """Check that a table of a part has the blocks that a block's moves lead to."""
        for each in self.space.reads(block.index):
            if each not in self.part:
                raise self._fault(block, f"its moves lead to block {each}, which is missing")

    def check_header(self) -> None:
        """Check that the table's residual is the largest that a block records."""
        block = self.part.blocks[int(np.argmax(self.table.blocks["residual"]))]
        recorded = float(self.table.blocks["residual"][self.row(block)])
        if recorded != self.table.header.residual:
            raise self._fault(
                block,
                f"its block records a residual of {recorded}, the table records "
                f"{self.table.header.residual} for all blocks",
            )

    def check_cut(self, block: Block) -> None:
        """Check that the error of the cut that the table states covers that of its bounds."""
        if not self.space.has_levels:
            return
        found = self.space.cut_error(self.own(block))
        header = self.table.header
        for name, recorded, most in zip(
            ("cut_error", "cut_growth"), (header.cut_error, header.cut_growth), found, strict=True
        ):
            if recorded is None or not most <= recorded:
                raise self._fault(block, f"its block has a {name} of {most}, above {recorded}")

    def check_levels(self, threads: int) -> Iterator[Block]:
        """Check that levels of fines are off by no more than the table claims, block by block."""
        claimed = self.table.header.level_errors
        if claimed is None:
            return
        levels: dict[int, npt.NDArray[np.float64]] = {}
        errors = dict(zip(self.part.indices, self.errors, strict=True))
        order = TopologicalSorter({each: self.space.reads(each) for each in self.part.indices})
        for index in order.static_order():
            block = self.space.blocks[index]
            levels[index] = bound_cut(
                self.kernel,
                block,
                self.own(block),
                self.stored,
                self.workspace,
                levels=levels,
                errors=errors,
                threads_now=lambda: threads,
            )
            yield block
        found = np.max(list(levels.values()), axis=0)
        for fines, (most, recorded) in enumerate(zip(found, claimed, strict=True)):
            if not most <= recorded:
                raise DamagedTableError(
                    f"table {str(self.table.path)!r} is wrong: with {counted(fines, 'fine')} paid "
                    f"a value can be {most} off, above its level_errors of {recorded}"
                )

    def allowed(self, block: Block) -> float:
        """The largest allowed residual of a block: what it records, and some slack for rounding."""
        return float(self.table.blocks["residual"][self.row(block)]) + self.slack

    def check_block(self, block: Block) -> float:
        """The residual of a block; DamagedTableError if it is larger than recorded."""
        return self._checked(
            block,
            self.kernel.block_residual(block, self.own(block), self.stored),
        )

    def check_bound(self, block: Block, threads: int) -> float:
        """As `check_block`, and DamagedTableError if the block's error cannot be proven."""
        claimed = self.errors[self.row(block)]
        reads = self.space.reads(block.index)
        outside = max((self.errors[self.rows[each]] for each in reads), default=0.0)
        largest = self.table.header.error
        # By induction the claim then covers all blocks that can be reached from this one.
        if not (largest is not None and outside <= claimed <= largest):
            raise self._fault(
                block,
                f"its block claims an error of at most {claimed}, the blocks of its "
                f"successors {outside}, the table {largest}",
            )
        try:
            residual, _ = prove_values(
                self.kernel,
                block,
                self.own(block),
                self.stored,
                self.workspace,
                outside=outside,
                claimed=claimed,
                threads_now=lambda: threads,
            )
        except CertificateError as error:
            # a wrong residual is the more serious fault, and is reported first
            self.check_block(block)
            raise DamagedTableError(f"table {str(self.table.path)!r} is wrong: {error}") from None
        return self._checked(block, residual)

    def _checked(self, block: Block, residual: float) -> float:
        recorded = float(self.table.blocks["residual"][self.row(block)])
        if not recorded <= self.table.header.tolerance:
            raise self._fault(
                block,
                f"its block records a residual of {recorded}, above the tolerance of "
                f"{self.table.header.tolerance}",
            )
        if not residual <= self.allowed(block):
            rank = self._worst_rank(block)
            raise self._fault(
                block,
                f"its value is {self.own(block)[rank - block.offset]}, which is {residual:.3g} "
                f"off the value of its moves; at most {self.allowed(block):.3g} is allowed",
                rank,
            )
        return residual

    def _worst_rank(self, block: Block) -> int:
        """The rank with the largest residual, found by bisection."""
        first, count = block.offset, block.size
        while count > 1:
            half = count // 2
            lower, upper = (
                self.kernel.residual(block, self.own(block), self.stored, at, n)
                for at, n in ((first, half), (first + half, count - half))
            )
            if lower < upper:
                first, count = first + half, count - half
            else:
                count = half
        return first

    def check_sample(self, sample: int, seed: int) -> None:
        """Recompute random positions, and the start, by the readable rules."""
        draw = random.Random(seed)
        blocks = draw.choices(self.part.blocks, [b.size for b in self.part.blocks], k=sample)
        drawn = [(block, block.offset + draw.randrange(block.size)) for block in blocks]
        start = self.space.rank(self.space.rules.start())
        if self.table.holds(start):
            last = self.part.blocks[-1]
            drawn.insert(0, (last, start))
        for k, (block, rank) in enumerate(drawn):
            position = self.space.unrank(rank, (LIGHT, DARK)[k % 2])
            residual = evaluate(position, self._value) - self._value(position)
            off = abs(residual) / self.space.unit
            if not off <= self.allowed(block):
                raise self._fault(block, f"by the readable rules its value is {off:.3g} off", rank)
            mirrored = position.mirror()
            if self.space.rank(mirrored) != self.space.rank(position):
                raise self._fault(block, "its mirror image has another rank", rank)

    def _value(self, position: Position) -> float:
        """The value of a position to the side about to throw."""
        rank = rank_of(self.space, position)
        if rank < 0:
            return value_when_over(self.space.rules, position)
        return self.table.read_worth(rank, position.fines)
