"""What an open table says of itself: all but its values, checked."""

from __future__ import annotations

import json
import math
import pathlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.blocks.chunks import chunk_length_for
from ur_solver.blocks.value_types import VALUE_TYPES
from ur_solver.errors import TableVersionError
from ur_solver.rules import RuleSet
from ur_solver.space import Part, Space, space_of, whole_of
from ur_solver.table.checked_file import damaged
from ur_solver.table.format import (
    OBJECTIVES,
    Header,
    digest,
    empty_blocks,
    holds_all,
    is_laid_out_alike,
    table_error,
)


@dataclass(frozen=True, eq=False)  # == of arrays is no bool
class Contents:
    """All of a table but its values, checked.

    Attributes
    ----------
    header : Header
    part : Part
        The part of the state space in the table.
    chunk_length : int
    blocks : structured array, dtype `BLOCK_DTYPE`
    checksums : uint32, shape (chunks,)
    digest : str
    """

    header: Header
    part: Part
    chunk_length: int
    blocks: npt.NDArray[Any]
    checksums: npt.NDArray[np.uint32]
    digest: str


Spaces = Callable[[pathlib.Path, int, RuleSet], Space]
"""The space whose ranks a table has, by its path, its format version and its rules."""


def present_space(path: pathlib.Path, version: int, rules: RuleSet) -> Space:
    """Today's space; TableVersionError if the version has other ranks."""
    space = space_of(rules)
    if version < space.first_version:
        import shlex  # noqa: PLC0415 - for old tables alone

        from ur_solver.space.earlier_races import EarlierRaces  # noqa: PLC0415 - same

        again = f"make it again by 'ur solve {rules.word} --force'"
        if EarlierRaces.serves(rules) and not path.is_dir():
            again = f"'ur upgrade {shlex.quote(str(path))}' rewrites it without solving again"
        raise TableVersionError(
            f"table {str(path)!r} has format version {version}, which numbers the positions of "
            f"{rules.name} differently: {again}"
        )
    return space


def part_of_blocks(
    path: pathlib.Path, version: int, space: Space, indices: npt.NDArray[np.integer[Any]]
) -> Part:
    """The part of a space that has blocks of these numbers, if there are such blocks."""
    if holds_all(version):
        return whole_of(space)  # `checked_contents` compares all of its rows
    found = indices.astype(np.int64)
    is_sound = len(found) and 0 <= found[0] and found[-1] < len(space.blocks)
    if not (is_sound and (np.diff(found) > 0).all()):
        raise damaged(path, f"its blocks are not those of {space.rules.name}, in their order")
    return Part(space, found.tolist())


def _level_errors(path: pathlib.Path, text: str, reach: int) -> tuple[float, ...]:
    """The errors of levels, from an attribute."""
    try:
        errors = json.loads(text)
    except (ValueError, RecursionError):
        errors = None
    is_sound = (
        isinstance(errors, list)
        and len(errors) == reach + 1
        and all(isinstance(each, float) and 0.0 <= each < math.inf for each in errors)
    )
    if not is_sound:
        raise damaged(path, f"level_errors is {text!r:.100}, not {reach + 1} errors")
    return tuple(errors)


def checked_contents(
    path: pathlib.Path,
    version: int,
    attributes: dict[str, Any],
    part: Part,
    blocks: npt.NDArray[Any],
    checksums: npt.NDArray[np.uint32],
) -> Contents:
    """The header of a table, if it is consistent."""
    if attributes["value_type"] not in VALUE_TYPES:
        raise damaged(path, f"value_type is {attributes['value_type']!r:.100}")
    objective = attributes.get("objective")
    if objective is not None and objective not in OBJECTIVES[1:]:
        raise damaged(path, f"objective is {objective!r:.100}")
    if objective is not None and attributes["value_type"] != "float64":
        raise damaged(path, f"its lengths are stored as {attributes['value_type']}, not float64")
    for name in ("cut_error", "cut_growth") if part.space.has_levels else ():
        if name not in attributes:
            raise damaged(path, f"the attribute {name!r} is missing")
    rules = part.space.rules
    length = chunk_length_for(part.space)
    whole = attributes.pop("digest")
    if digest(attributes, blocks, checksums, version) != whole:
        raise damaged(path, "its digest does not match its attributes and checksums")
    if not is_laid_out_alike(blocks, empty_blocks(part, length)):
        raise damaged(path, f"its blocks are not those of {rules.name}")
    error = attributes["error"]
    read = {"rules": rules, "error": None if math.isnan(error) else error}
    if "level_errors" in attributes:
        read["level_errors"] = _level_errors(path, attributes["level_errors"], part.space.reach)
    header = Header(**(attributes | read))
    if header.positions != part.n_values:
        raise damaged(path, f"positions is {header.positions}, not {part.n_values}")
    if header.error != table_error(blocks):
        raise damaged(path, "its error is not the largest error of its blocks")
    return Contents(header, part, length, blocks, checksums, whole)
