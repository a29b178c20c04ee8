"""Lengths of games as the objective of a solve: tables of the expected number of throws to come.

Under the objective ``length`` both sides play to win, as their table does; under ``length-max``
both play to make the game as long as possible. docs/length.md defines them and has the proof of
the error that a table states.
"""

from __future__ import annotations

import pathlib
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ur_solver.answers.values import Values
from ur_solver.blocks.block_record import BlockResult
from ur_solver.common.machine import free_memory
from ur_solver.common.progress import Progress
from ur_solver.errors import CertificateError, DamagedTableError, InputError, MemoryLimitError
from ur_solver.moves import generator_of
from ur_solver.players.policies import Policy, TablePolicy
from ur_solver.rules import RuleSet
from ur_solver.space import space_of
from ur_solver.study.length_block import LengthBlock
from ur_solver.table.format import LENGTH, LONGEST, Header
from ur_solver.table.reader import TableFile
from ur_solver.table.writer import TableWriter

_VALUE_BYTES = 8
_BLOCK_BYTES = 500
"""Memory: of a length, which is kept for every position, and of a position of the largest block."""

_EQUAL_WITHIN = 1e-9
"""Moves that are worse than the best by no more count as equal to it."""

_SLACK = 1 + 2.0**-50
"""More than the rounding of an error's last two operations."""


def check_lengths(rules: RuleSet, objective: str) -> None:
    """Check that lengths of a rule set can be solved here.

    Parameters
    ----------
    rules : RuleSet
    objective : str
        ``"length"`` or ``"length-max"``.

    Raises
    ------
    InputError
        If there is no such objective, or the rules have stakes.
    MemoryLimitError
        If it would take more memory than is free.
    """
    if objective not in (LENGTH, LONGEST):
        raise InputError(
            f"objective {objective!r:.50}: expected {LENGTH!r} or {LONGEST!r} for lengths of games"
        )
    if rules.payoff.has_fines:
        raise InputError(f"{rules.name} has stakes; lengths are computed of games without them")
    space = space_of(rules)
    needed, free = _VALUE_BYTES * space.n_values + _BLOCK_BYTES * space.largest_size, free_memory()
    if needed > free:
        raise MemoryLimitError(
            f"lengths of {rules.title} take {needed / 2**30:.1f} GiB of memory, and "
            f"{free / 2**30:.1f} GiB are free; fewer pieces (-n) take less"
        )


def solve_lengths(
    rules: RuleSet,
    objective: str,
    path: pathlib.Path,
    values: Values | None = None,
    *,
    progress: Progress | None = None,
) -> Header:
    """Solve the lengths of all positions, prove how far they may be off, and write their table.

    Parameters
    ----------
    rules : RuleSet
    objective : str
        ``"length"`` or ``"length-max"``.
    path : Path
        Of the table, which replaces an existing one at the end.
    values : Values, optional
        Of the rule set's own table; needed by ``"length"`` alone.
    progress : callable, optional
        Called with the positions done and their total.

    Raises
    ------
    InputError, MemoryLimitError
        As `check_lengths` does.
    UnsolvableError
        If play may go on for ever.
    UnsettledError
        If lengths do not converge.
    CertificateError
        If nothing can be proven of them.
    OutputError
        If the table cannot be written.
    """
    began = time.perf_counter()
    check_lengths(rules, objective)
    space = space_of(rules)
    lengths = np.zeros(space.n_values + 1)
    residual = 0.0
    with TableWriter(path, rules, tolerance=0.0, objective=objective) as writer:
        for work in _blocks(rules, objective, values):
            block, since = work.block, time.perf_counter()
            work.check_that_it_ends()
            sweeps = work.solve(lengths)
            own = lengths[block.offset : block.offset + block.size]
            found = work.residual(lengths)
            residual = max(residual, found)
            error = proven_error(residual, own)
            seconds = time.perf_counter() - since
            writer.add(BlockResult(block.index, found, sweeps, seconds, error, values=own))
            if progress is not None:
                progress(block.offset + block.size, space.n_values)
        return writer.finish(seconds=time.perf_counter() - began)


def _blocks(rules: RuleSet, objective: str, values: Values | None) -> Iterator[LengthBlock]:
    """The blocks in solving order, each written out when its turn comes."""
    policy: Policy | None = None
    if objective == LENGTH:
        if values is None:
            raise InputError(f"the objective {LENGTH!r} needs the values that both sides play by")
        policy = TablePolicy(values, tie=_EQUAL_WITHIN)
    generator = generator_of(rules)
    for block in generator.space.blocks:
        yield LengthBlock(generator, block, policy)


def proven_error(residual: float, lengths: npt.NDArray[np.float64]) -> float:
    """How far some lengths may be off, by the largest residual of all that they lead to.

    Raises
    ------
    CertificateError
        If the residual is 1 throw or more, by which nothing is proven.
    """
    if not residual < 1.0:
        raise CertificateError(
            f"lengths are {residual:.3g} throws off what their moves are worth, by which nothing "
            "is proven"
        )
    return float(residual / (1.0 - residual) * lengths.max() * _SLACK)


@dataclass(frozen=True)
class LengthVerification:
    """What was checked and found correct.

    Attributes
    ----------
    positions, chunks, blocks : int
    residual : float
        The largest, as computed again, in throws.
    error : float
        How far a length can be off at most, as proven again, in throws.
    """

    positions: int
    chunks: int
    blocks: int
    residual: float
    error: float


def verify_lengths(
    table: TableFile, values: Values | None = None, *, progress: Progress | None = None
) -> LengthVerification:
    """Check a table of lengths from its file: checksums, equations, and its proven error.

    Parameters
    ----------
    table : TableFile
        With an objective of length.
    values, progress
        As for `solve_lengths`.

    Raises
    ------
    DamagedTableError
        At the first fault.
    """
    header, rules = table.header, table.rules
    assert header.objective is not None
    table.check_whole("a verification of lengths")
    lengths = np.append(table.load(), 0.0)
    largest = 0.0
    for work in _blocks(rules, header.objective, values):
        block, row = work.block, table.blocks[work.block.index]
        own = lengths[block.offset : block.offset + block.size]
        found = work.residual(lengths)
        largest = max(largest, float(row["residual"]))
        is_sound = bool((own >= 0).all()) and found <= row["residual"] <= header.residual
        if not (is_sound and largest < 1 and proven_error(largest, own) <= row["error"]):
            raise DamagedTableError(
                f"table {str(table.path)!r} is wrong: block {block.index}: its lengths are "
                f"{found:.3g} throws off what their moves are worth, and it records "
                f"{row['residual']:.3g}, with an error of {row['error']:.3g}"
            )
        if progress is not None:
            progress(block.offset + block.size, header.positions)
    assert header.error is not None
    return LengthVerification(
        header.positions, table.n_chunks, len(table.blocks), largest, header.error
    )
