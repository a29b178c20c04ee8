"""What a solve is asked for, validated once."""

from __future__ import annotations

import pathlib
from dataclasses import dataclass
from typing import Any, Self

from ur_solver.blocks.stored import VALUE_TYPES
from ur_solver.common.text import real_number, whole_number
from ur_solver.engine.runners import Cluster
from ur_solver.errors import InputError
from ur_solver.kernel.rounding import DOUBLE, check_precision, default_tolerance
from ur_solver.rules import RuleSet
from ur_solver.space import Part, part_of
from ur_solver.table.format import is_folder_name
from ur_solver.table.reader import TableFile


@dataclass(frozen=True)
class Request:
    """What a solve is asked for; `Request.of` fills in the defaults.

    InputError if the rules, or the tolerance, are not solved in the precision; if there is no such
    value type; if one that rounds is to be certified as it is solved, or is for a folder; or if a
    number is none, or too small.
    """

    rules: RuleSet
    part: Part  # what of the game to solve
    # A name that ends in .h5 or .hdf5 is a file's. Any other is a folder's, in which the files of
    # the blocks stay and are the table. None for the default path among the tables, whose folder is
    # made if it does not exist.
    output: pathlib.Path | None
    # The largest error of a probability before it is rounded to the value type; with stakes, of a
    # value in units of the pot.
    tolerance: float
    precision: str  # of `ur_solver.kernel.PRECISIONS`
    certify: bool = False  # prove error bounds by block; recorded even if beyond the tolerance
    value_type: str = "float64"  # one of `VALUE_TYPES`
    threads: int | None = None  # None for one a processor
    # What the solve may take, in bytes; None for what is free. Values for which there is no room
    # are read from the files of their blocks.
    memory: int | None = None
    # The workers that solve, which must see the output's folder under the same path; `memory` is
    # then what each of them may take. None for this process.
    cluster: Cluster | None = None
    force: bool = False  # replace a file or a table that is there
    # A table of the same rules, as exact and in float64, whose blocks are taken from it, and which
    # the new table replaces unless another output is named.
    known: TableFile | None = None

    def __post_init__(self) -> None:
        for name, value in (("threads", self.threads), ("memory", self.memory)):
            if value is not None:
                whole_number(name, value, 1)
        check_precision(self.part.space, self.precision, self.tolerance)
        if self.value_type not in VALUE_TYPES:
            expected = ", ".join(VALUE_TYPES)
            raise InputError(f"value type {self.value_type!r:.50}: expected one of {expected}")
        if not VALUE_TYPES[self.value_type].rounding:
            return
        if self.certify:
            raise InputError(
                f"value type {self.value_type!r} rounds what a solve has proven: solve without a "
                "certificate, and 'ur certify' proves what the rounded values can be off"
            )
        if self.output is not None and is_folder_name(self.output):
            raise InputError(
                "the files of a folder are what other blocks read, in float64: solve to it so, and "
                f"'ur pack --value-type {self.value_type}' makes a smaller table"
            )

    @classmethod
    def of(
        cls,
        rules: RuleSet,
        output: pathlib.Path | None = None,
        *,
        part: Part | None = None,
        left: int | None = None,
        tolerance: float | None = None,
        precision: str = DOUBLE,
        **asked: Any,
    ) -> Self:
        """A request with its defaults filled in: other parameters are the attributes.

        By default all of the game, or its endings, in which each side has at most `left` pieces
        left to bear off, and a tolerance of 1e-12, in single precision 1e-5. InputError as for the
        class, or if `left` is out of range.
        """
        if left is not None:
            left = whole_number("left", left)
        if tolerance is not None:
            tolerance = real_number("tolerance", tolerance)
        return cls(
            rules=rules,
            part=part or part_of(rules.settled(), left),
            output=output,
            tolerance=default_tolerance(precision) if tolerance is None else tolerance,
            precision=precision,
            **asked,
        )
