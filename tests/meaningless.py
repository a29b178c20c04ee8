"""Tables of meaningless values, which test storing and reading independently of the game."""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Iterator
from typing import Any
from unittest import mock

import numpy as np
import numpy.typing as npt

from ur_solver.blocks.folder import BlockRecord, BlockResult
from ur_solver.blocks.stored import Possible
from ur_solver.rules import RuleSet, named_rules
from ur_solver.space import space_of
from ur_solver.table.writer import TableWriter, write_table


def hash_values(n: int) -> npt.NDArray[np.float64]:
    """A different number in [0, 1) for every rank (splitmix64's finaliser)."""
    mixed = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53


def hash_results(rules: RuleSet) -> Iterator[BlockResult]:
    space = space_of(rules)
    values = hash_values(space.n_values)
    for block in space.blocks:
        part = values[block.offset : block.offset + block.size]
        record = BlockRecord(block.index, block.index * 1e-15, block.index, 0.5)
        yield BlockResult(record, part)


def write_meaningless(
    path: pathlib.Path, rules: RuleSet, value_type: str = "float64"
) -> npt.NDArray[np.float64]:
    """Write a table of hashes, and return them as float64 before rounding."""
    write_table(
        path, rules, hash_results(rules), tolerance=1e-12, seconds=2.5, value_type=value_type
    )
    return hash_values(space_of(rules).n_values)


def forged(
    path: pathlib.Path,
    value: float,
    *,
    at: int = 3,
    rules: RuleSet | None = None,
    value_type: str = "float64",
    objective: str | None = None,
    **figures: Any,
) -> pathlib.Path:
    """Write a table with a right digest, and one value and some figures of a stranger's choice.

    All other values are 0.25. `figures` are those of its header, and with ``block_`` before their
    names those of all blocks.
    """
    rules = rules or named_rules("finkel:1")
    space = space_of(rules)
    values = np.full(space.n_values, 0.25)
    values[at] = value
    prefix = "block_"
    of_blocks = {k.removeprefix(prefix): v for k, v in figures.items() if k.startswith(prefix)}
    of_head = {k: v for k, v in figures.items() if not k.startswith(prefix)}
    with (
        mock.patch.object(Possible, "fault", return_value=None),
        TableWriter(
            path, rules, tolerance=1e-12, value_type=value_type, objective=objective
        ) as writer,
    ):
        for record, own in hash_results(rules):
            block = space.blocks[record.index]
            own[:] = values[block.offset : block.offset + block.size]
            writer.add(BlockResult(dataclasses.replace(record, **of_blocks), own))
        header = dataclasses.replace(writer._header(seconds=2.5), **of_head)
        writer.finish(seconds=2.5, header=header)
    return path
