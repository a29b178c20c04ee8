"""From a rule set to a table on disk."""

from __future__ import annotations

import pathlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ur_solver.kernel import move_tables
from ur_solver.kernel._generic import GenericKernel
from ur_solver.position import start
from ur_solver.rules import RuleSet
from ur_solver.solve import BlockResult
from ur_solver.space import space_of
from ur_solver.table import VALUE_TYPES, write_table

_SECONDS_PER_POSITION = 1e-4
_COMPRESSION = 0.85


@dataclass(frozen=True)
class Estimate:
    """What a solve is expected to take on this machine."""

    positions: int
    memory_bytes: int
    table_bytes: int
    seconds: float


@dataclass(frozen=True)
class MakeSummary:
    """What a solve did."""

    path: pathlib.Path
    positions: int
    seconds: float
    residual: float
    resumed_blocks: int
    value: float
    table_bytes: int
    sweeps: int


def estimate(
    rules: RuleSet, *, value_type: str = "float64", threads: int | None = None
) -> Estimate:
    """What a solve of `rules` is expected to take on this machine."""
    positions = space_of(rules).n_positions
    stored = positions * VALUE_TYPES[value_type].dtype.itemsize
    return Estimate(
        positions, 8 * positions, int(_COMPRESSION * stored), positions * _SECONDS_PER_POSITION
    )


def make_table(
    rules: RuleSet,
    output: pathlib.Path,
    *,
    tolerance: float = 1e-12,
    threads: int | None = None,
    value_type: str = "float64",
    progress: Callable[[int, int], None] | None = None,
    on_resume: Callable[[int, int], None] | None = None,
) -> MakeSummary:
    """Solve `rules` and write the table to `output`."""
    began = time.perf_counter()
    space = space_of(rules)
    kernel = GenericKernel(space.ranking, move_tables(space))
    values = np.full(space.n_positions, 0.5)
    sweeps = 0

    def results() -> Iterator[BlockResult]:
        nonlocal sweeps
        for block in space.blocks:
            since = time.perf_counter()
            count = 1
            while kernel.sweep(values, block.offset, block.size) > tolerance / 10:
                count += 1
            residual = kernel.residual(values, block.offset, block.size)
            sweeps += count
            end = block.offset + block.size
            taken = time.perf_counter() - since
            yield BlockResult(block.index, values[block.offset : end], residual, count, taken)
            if progress is not None:
                progress(end, space.n_positions)

    header = write_table(
        output,
        rules,
        results(),
        tolerance=tolerance,
        seconds=time.perf_counter() - began,
        value_type=value_type,
    )
    return MakeSummary(
        path=output,
        positions=space.n_positions,
        seconds=time.perf_counter() - began,
        residual=header.residual,
        resumed_blocks=0,
        value=float(values[space.rank(start(rules))]),
        table_bytes=output.stat().st_size,
        sweeps=sweeps,
    )
