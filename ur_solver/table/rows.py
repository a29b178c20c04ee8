"""The block rows and the header of a table, collected while it is written."""

from __future__ import annotations

import datetime
import math
from typing import Any

import numpy as np
import numpy.typing as npt

import ur_solver
from ur_solver.blocks.block_record import BlockResult
from ur_solver.blocks.chunks import chunk_length_for
from ur_solver.blocks.value_types import VALUE_TYPES
from ur_solver.common.text import counted
from ur_solver.errors import OutputError
from ur_solver.rules import RuleSet
from ur_solver.space import Part, part_of, space_of
from ur_solver.table.format import Header, empty_blocks, table_error

_LONGEST = math.nextafter(math.inf, 0.0)
_RANGE_SLACK = 1e-12  # with dice of thirds, for example, chances sum to 1 + 2e-16 as floats


class TableRows:
    """The rows of ``/blocks`` and the header of a table that is being written.

    Parameters
    ----------
    rules, tolerance, value_type, part, objective
        As for `ur_solver.table.writer.TableWriter`.

    Attributes
    ----------
    blocks : structured array, dtype `BLOCK_DTYPE`
    chunk_length : int

    Raises
    ------
    OutputError
        If the value type cannot hold money.
    """

    def __init__(
        self,
        rules: RuleSet,
        *,
        tolerance: float,
        value_type: str,
        part: Part | None,
        objective: str | None = None,
    ) -> None:
        if space_of(rules).has_levels and VALUE_TYPES[value_type].rounding:
            raise OutputError(
                f"value type {value_type!r} is for chances of winning; money is stored as 'float64'"
            )
        # the reach of stakes is written out, since its default may change
        self.rules = rules.settled()
        self.tolerance = tolerance
        self.objective = objective
        self.value_type = VALUE_TYPES[value_type]
        self.part = part or part_of(self.rules)
        self.space = self.part.space
        self.chunk_length = chunk_length_for(self.space)
        self.blocks: npt.NDArray[Any] = empty_blocks(self.part, self.chunk_length)
        self._place = {index: k for k, index in enumerate(self.part.indices)}
        self._cut = (0.0, 0.0)
        self._is_noted = np.zeros(len(self.blocks), dtype=bool)

    def place(self, index: int) -> int:
        """The row of a block; ValueError if it is not in the table's part."""
        if index not in self._place:
            raise ValueError(f"block {index!r} is not one of the table's {len(self.blocks)}")
        return self._place[index]

    def check(self, result: BlockResult) -> None:
        """Raise ValueError if a block is not in the table, or its values are invalid."""
        size = self.blocks[self.place(result.index)]["size"]
        if result.values.shape != (size,):
            raise ValueError(
                f"block {result.index}: values of shape {result.values.shape}, expected ({size},)"
            )
        low, high = result.values.min(), result.values.max()
        least, most = self.space.bounds if self.objective is None else (0.0, _LONGEST)
        # False if one is NaN
        if not (low >= least - _RANGE_SLACK and high <= most + _RANGE_SLACK):
            is_chance = self.objective is None and not self.space.has_levels
            expected = "in [0, 1]" if is_chance else "finite"
            raise ValueError(f"block {result.index}: values from {low} to {high}, not {expected}")

    def note(self, result: BlockResult) -> None:
        """Record a block; ValueError if it is already recorded."""
        place = self.place(result.index)
        if self._is_noted[place]:
            raise ValueError(f"block {result.index} has been added already")
        row = self.blocks[place]
        row["residual"] = result.residual
        row["sweeps"] = result.sweeps
        row["seconds"] = result.seconds
        row["error"] = np.nan if result.error is None else result.error
        self._is_noted[place] = True
        error, growth = self.space.cut_error(result.values)
        self._cut = max(self._cut[0], error), max(self._cut[1], growth)

    def header(self, *, seconds: float) -> Header:
        """The header of the whole table; ValueError if blocks are missing."""
        missing = np.flatnonzero(~self._is_noted)
        if len(missing):
            first = self.part.indices[missing[0]]
            many = counted(len(missing), "block is", "blocks are")
            raise ValueError(f"{many} missing, the first of them {first}")
        error = table_error(self.blocks)
        tolerance = self.tolerance + self.value_type.rounding
        if self.objective is not None:  # a length has no other estimate than what is proven
            tolerance = error or 0.0
        return Header(
            rules=self.rules,
            value_type=self.value_type.name,
            tolerance=float(tolerance),
            residual=float(self.blocks["residual"].max()),
            error=error,
            positions=self.part.n_values,
            seconds=float(seconds),
            made=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            program=ur_solver.__version__,
            cut_error=self._cut[0] if self.space.has_levels else None,
            cut_growth=self._cut[1] if self.space.has_levels else None,
            objective=self.objective,
        )
