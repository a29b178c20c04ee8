"""A table as files for the page: a head by which the page counts ranks, and the values in pieces.

The head is a file of arrays (`ur_solver.publish.arrays`): those of `TileRanking` that give ranks
(`ur_solver.space.tiles`), and of each block its first rank and, with a certificate, its
proven error. Piece k has the values of the ranks from k times ``piece`` on, one after the other, in
the table's own type, little endian: nothing is rounded on the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from ur_solver.blocks.stored import VALUE_TYPES
from ur_solver.publish.arrays import arrays_file
from ur_solver.space import StakesSpace, positions_of
from ur_solver.space.stakes import CHANCE
from ur_solver.table.format import Header
from ur_solver.table.reader import TableFile

PIECE_BYTES = 1 << 18
"""The size of a piece: loaded in a moment, and seldom many are needed for a position."""

_READ = (
    *("n_contents", "first_content", "parts", "uses", "codes", "mirror_cell", "shared"),
    *("n_placements", "placement_of", "n_shapes", "first_shape", "shape_of", "n_digits"),
    *("digit_of", "below", "below_start", "config_of", "config_free", "config_own", "half_offset"),
)
"""The tables that a rank is counted by; the others are for the way back."""


def head_file(table: TableFile) -> bytes:
    """The head of a table's files; ``page/engine/exact.js`` reads it."""
    space, header, kind = table.space, table.header, VALUE_TYPES[table.header.value_type]
    positions = positions_of(table.rules)
    tables = positions.ranking_arrays()
    arrays: dict[str, npt.NDArray[Any]] = {name: tables[name] for name in _READ}
    arrays["block_first"] = table.blocks["first_rank"]
    if header.error is not None:
        arrays["block_error"] = table.blocks["error"]
    values = {
        "stocks": positions.stock.size,
        "reserves": positions.reserves.size,
        "is_numbered": positions.stock.is_numbered,
        "piece": piece_length(table),
        "value_type": kind.dtype.name,
        "stored_scale": kind.scale,
        "unit": space.unit,
        "fine": space.fine,
        "is_money": isinstance(space, StakesSpace),
        "reach": space.reach,
        "per_position": space.values_per_position,
        "chance": CHANCE,
        "tolerance": header.tolerance * space.unit,
        "cut": _cut(header),
        "digest": table.digest,
    }
    return arrays_file(values, arrays)


def _cut(header: Header) -> dict[str, Any] | None:
    """The errors of the cut of the fines, in the unit of values; None without any."""
    if header.cut_error is None or header.cut_growth is None:
        return None
    levels = None if header.level_errors is None else list(header.level_errors)
    return {"error": header.cut_error, "growth": header.cut_growth, "levels": levels}


def piece_length(table: TableFile) -> int:
    """The values of a piece."""
    return PIECE_BYTES // VALUE_TYPES[table.header.value_type].dtype.itemsize


def n_pieces(table: TableFile) -> int:
    """How many pieces a table has."""
    return -(-table.space.n_values // piece_length(table))


def piece_files(table: TableFile) -> Iterator[bytes]:
    """The pieces of a whole table's values, in order; see the module's head.

    Raises
    ------
    DamagedTableError
        If values cannot be read.
    """
    kind, length = VALUE_TYPES[table.header.value_type], piece_length(table)
    for _, values in table.read_runs(0, table.space.n_values, length):
        stored = kind.encode(values)
        yield stored.astype(stored.dtype.newbyteorder("<")).tobytes()
