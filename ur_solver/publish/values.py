"""Values as files for the page: those of a table in pieces, and the network of an estimator.

Files of numbers have a head of JSON, then arrays, all little endian:

    bytes 0 to 3    the length of the head, as a whole number
    the head        JSON, UTF-8: ``{"values": ..., "arrays": {name: {"type", "size", "at"}}}``
    the arrays      from the next multiple of 8 on, each at its own ``at`` from there, a multiple
                    of 8 too; ``size`` numbers of a ``type`` such as ``float32``

``page/engine/values.js`` reads them as views of one buffer.

A table's head is such a file: the arrays of `TileRanking` that give ranks
(`ur_solver.space.tiles`), and among its values ``least`` and ``most``, between which the values of
a position are: a page takes no piece that has any others. ``digests`` has the SHA-256 of each
piece, 32 bytes each: a page takes no other pieces. Piece k has the values of the ranks from
k times ``piece`` on, one after the other, in the table's own type, little endian: nothing is
rounded on the way.

An estimator's file has its weights as they are, and what its inputs are, see
`ur_solver.estimators.network`. Its values are those of the network; the arrays:

    first_layer, scales, weights
                as in the file of the estimator (`ur_solver.estimators.file`)
    first, parts, kinds, pairs, n_kinds, starts, features
                int32: which facts states have, and which features facts have, as the compiled
                `Facts` takes them (`ur_solver.estimators._first_layer`)
    errors      float64: how wide intervals are, by how many plies a choice looks ahead
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.blocks.stored import VALUE_TYPES, Possible
from ur_solver.common.text import json_text
from ur_solver.estimators.file import Stored, packed
from ur_solver.estimators.network import features_read
from ur_solver.space import StakesSpace, positions_of, space_of
from ur_solver.space.stakes import CHANCE
from ur_solver.table.reader import TableFile

_ALIGNED = 8

PIECE_BYTES = 1 << 18
"""The size of a piece: loaded in a moment, and seldom many are needed for a position."""

_READ = (
    *("n_contents", "first_content", "parts", "uses", "codes", "mirror_cell", "shared"),
    *("n_placements", "placement_of", "n_shapes", "first_shape", "shape_of", "n_digits"),
    *("digit_of", "below", "below_start", "config_of", "config_free", "config_own", "half_offset"),
)
"""The tables that a rank is counted by; the others are for the way back."""


def arrays_file(values: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """A file of JSON values, and of arrays of any shape.

    Arrays are of a type that pages know: floats, and whole numbers of at most 32 bits. Larger whole
    numbers are written as float64, which holds those up to 2**53.
    """
    heads, parts, at = {}, [], 0
    for name, array in arrays.items():
        is_long = array.dtype.itemsize == 8 and array.dtype.kind in "iu"
        kind = np.dtype(np.float64) if is_long else array.dtype
        data = np.ascontiguousarray(array, dtype=kind.newbyteorder("<")).tobytes()
        heads[name] = {"type": kind.name, "size": array.size, "at": at}
        parts.append(_padded(data))
        at += len(parts[-1])
    text = json_text({"values": dict(values), "arrays": heads}, separators=(",", ":")).encode()
    return b"".join([_padded(len(text).to_bytes(4, "little") + text), *parts])


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % _ALIGNED)


# A table.


def head_file(table: TableFile, pieces: Sequence[str]) -> bytes:
    """The head of a table's files; the page counts ranks by it, and checks the pieces by theirs.

    `pieces` are the digests of the pieces, see `ur_solver.serve.page_files.integrity_of`.
    """
    space, kind = table.space, VALUE_TYPES[table.header.value_type]
    positions = positions_of(table.rules)
    tables = positions.ranking_arrays()
    least, most = Possible(space).limits
    arrays: dict[str, npt.NDArray[Any]] = {name: tables[name] for name in _READ}
    digests = b"".join(base64.b64decode(each.partition("-")[2]) for each in pieces)
    arrays["digests"] = np.frombuffer(digests, dtype=np.uint8)
    values = {
        "stocks": positions.stock.size,
        "reserves": positions.reserves.size,
        "is_numbered": positions.stock.is_numbered,
        "piece": piece_length(table),
        "values": space.n_values,
        "least": least.tolist(),
        "most": most.tolist(),
        "value_type": kind.dtype.name,
        "stored_scale": kind.scale,
        "unit": space.unit,
        "fine": space.fine,
        "is_money": isinstance(space, StakesSpace),
        "reach": space.reach,
        "per_position": space.values_per_position,
        "chance": CHANCE,
    }
    return arrays_file(values, arrays)


def piece_length(table: TableFile) -> int:
    """The values of a piece."""
    return PIECE_BYTES // VALUE_TYPES[table.header.value_type].dtype.itemsize


def n_pieces(table: TableFile) -> int:
    """How many pieces a table has."""
    return -(-table.space.n_values // piece_length(table))


def piece_files(table: TableFile) -> Iterator[bytes]:
    """The pieces of a whole table's values, in order; DamagedTableError if they cannot be read."""
    kind, length = VALUE_TYPES[table.header.value_type], piece_length(table)
    for _, values in table.read_runs(0, table.space.n_values, length):
        stored = kind.encode(values)
        yield stored.astype(stored.dtype.newbyteorder("<")).tobytes()


# An estimator.


def network_file(stored: Stored) -> bytes:
    """The file of an estimator."""
    features = features_read(stored.rules, stored.shape.inputs)
    payoff, space = stored.rules.payoff, space_of(stored.rules)
    step = payoff.total(1) - payoff.total(0) if payoff.has_fines else 0
    values = {
        "features": len(features),
        "hidden": list(stored.shape.hidden),
        "is_chance": stored.shape.is_chance,
        "columns": len(features.lookups) - 2,
        "full": features.full,
        "scale": {
            "base": float(payoff.total(1)) if step else 1.0,
            "step": float(step),
            "fine": float(payoff.cost(True)),
            "owed": space.owed if isinstance(space, StakesSpace) else 0,
        },
        "digest": stored.digest,
    }
    return arrays_file(
        values,
        {
            **packed(stored.shape, stored.weights),
            **features.arrays,
            "errors": stored.errors,
        },
    )
