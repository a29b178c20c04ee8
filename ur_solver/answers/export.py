"""Exports of a table's positions as files of columns: Parquet, Arrow IPC, NumPy.

A table says of each position

    rank        int64    the place in the order of the table's values
    position    text     the notation, light about to throw
    value       float64  the win probability of the side about to throw; with stakes its money
    error       float64  how far that is proven to be off; none without a certificate

and for each throw t of the dice

    moves_t     int16    the number of legal moves
    best_t      text     the best move, the first of equal ones; none without a move
    from_t      int16    the path index that it leaves, -1 for home
    to_t        int16    the path index that it reaches, the path's length for off; -1: no move
    value_t     float64  the value after the best move, or after the pass
    margin_t    float64  by how much the second best move is worth less; none without a second one

A file is written a piece at a time, so that memory stays constant whatever the table's size.
Parquet and Arrow need pyarrow (the extra ``arrow``); they keep texts as such, and state the rule
set, the version of the layout of states and the digest of the table in the schema's metadata. A
``.npy`` file holds one structured array: texts are ASCII of fixed length, and in place of the
notation it has the encoded states (`StateLayout`) as a field ``state``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import Decisions, Values, decide_every_throw
from ur_solver.common.files import new_file
from ur_solver.common.progress import Progress
from ur_solver.common.text import json_text
from ur_solver.errors import InputError, WrongTypeError, did_you_mean, missing_extra
from ur_solver.moves import PASS
from ur_solver.space import Space
from ur_solver.table.reader import TableFile

_OF_POSITIONS = {"rank": "int64", "position": "text", "value": "float64", "error": "float64"}
_OF_THROWS = {
    "moves": "int16",
    "best": "text",
    "from": "int16",
    "to": "int16",
    "value": "float64",
    "margin": "float64",
}


@dataclass(frozen=True)
class Texts:
    """A column of texts: numbers of words, int64, shape (n,), some of them used often."""

    numbers: npt.NDArray[np.int64]
    words: npt.NDArray[np.object_]


class Exported(Values, Protocol):
    """A table, as far as an export needs it."""

    @property
    def file(self) -> TableFile:
        """What its values are read from."""

    @property
    def space(self) -> Space:
        """The numbered positions."""

    def chunks(self, size: int) -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[np.float64]]]:
        """All encoded states with their values, some at a time."""

    def errors(self, positions: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """The proven errors of encoded states, NaN without a certificate."""


ColumnData = npt.NDArray[Any] | Texts
"""A column of some positions. Those called ``position`` are encoded states."""


class ExportColumns:
    """Columns of all positions of a table, in the order of ranks; all by default.

    `types` are the wanted columns with their types, in the order of the module's head. InputError
    if there is no column of some name.
    """

    def __init__(self, values: Exported, names: Sequence[str] | None = None) -> None:
        if isinstance(names, str):
            raise WrongTypeError(f"{names!r:.60} is one column; expected several, as in a list")
        self.values, self._throws = values, values.rules.dice.throws
        there = _OF_POSITIONS | {
            f"{name}_{throw}": kind for throw in self._throws for name, kind in _OF_THROWS.items()
        }
        for name in names or ():
            if name not in there:
                raise InputError(
                    f"no column {name!r:.60}{did_you_mean(name, there)} (the columns are "
                    f"{', '.join(there)})"
                )
        self.types = {name: kind for name, kind in there.items() if names is None or name in names}

    def chunks(self, size: int) -> Iterator[tuple[int, dict[str, ColumnData]]]:
        """The columns of all positions, some at a time, with the number of these."""
        for states, worth in self.values.chunks(size):
            found: dict[str, ColumnData] = {"position": states, "value": worth}
            if "rank" in self.types:
                found["rank"] = self.values.space.rank_states(states)
            if "error" in self.types:
                found["error"] = self.values.errors(states)
            if not self.types.keys() <= _OF_POSITIONS.keys():
                found |= self._of_throws(states)
            yield len(states), {name: found[name] for name in self.types}

    def _of_throws(self, states: npt.NDArray[Any]) -> dict[str, ColumnData]:
        """The columns of all throws."""
        parts = [_best_moves(of) for _, of in decide_every_throw(self.values, states)]
        words = np.concatenate([words for _, words in parts])
        first = np.cumsum([0, *(len(words) for _, words in parts[:-1])])
        for (columns, _), before in zip(parts, first.tolist(), strict=True):
            columns["best"] += before
        found: dict[str, ColumnData] = {}
        for name in _OF_THROWS:
            whole = np.concatenate([columns[name] for columns, _ in parts])
            for k, throw in enumerate(self._throws):
                column = whole[k :: len(self._throws)]
                found[f"{name}_{throw}"] = Texts(column, words) if name == "best" else column
        return found


def _best_moves(
    found: Decisions,
) -> tuple[dict[str, npt.NDArray[Any]], npt.NDArray[np.object_]]:
    """What the columns of throws hold, turn by turn; of ``best`` numbers of the words."""
    turns, of = found.branches.turns, found.options
    assert turns is not None
    first = turns.starts[:-1]
    best = of.order[first]
    n_moves = np.where(turns.flags[best] & PASS, 0, turns.n_options)
    margin = np.full(len(best), np.nan)
    has_second = n_moves > 1
    margin[has_second] = of.loss[of.order[first[has_second] + 1]]
    numbers, words = turns.generator.coded_texts(turns, best, np.zeros(len(best), dtype=bool))
    columns: dict[str, npt.NDArray[Any]] = {
        "moves": n_moves.astype(np.int16),
        "best": numbers,
        "from": turns.source[best].astype(np.int16),
        "to": turns.target[best].astype(np.int16),
        "value": of.worth[best],
        "margin": margin,
    }
    return columns, words


_SIZE = 1 << 16
"""Positions of a piece, which is a row group of Parquet and a record batch of Arrow."""

_NPY_TYPES = {"text": f"S{len('1B11B12x* again')}"}
"""The longest move of any rule set is written so."""

Piece = Mapping[str, ColumnData]
Write = Callable[[int, Piece], object]
"""Writes a piece, given its number of positions."""


def export(
    path: Path,
    values: Exported,
    kind: str,
    names: Sequence[str] | None,
    progress: Progress,
) -> int:
    """Write the columns of all positions that a table holds; return the number of these.

    `path` is replaced if it exists. `kind` is one of `KINDS`, `names` are columns as
    `ExportColumns` names them: all if None. `progress` is called with the values that are read and
    their total.

    InputError if there is no such kind or column, or pyarrow is missing; OutputError if the file
    cannot be written; DamagedTableError if values cannot be read.
    """
    if kind not in KINDS:
        raise InputError(f"no kind of export {kind!r:.60}; the kinds are {', '.join(KINDS)}")
    columns = ExportColumns(values, names)
    space = values.space
    total = values.file.header.positions // space.values_per_position * (space.reach + 1)
    done = 0
    with new_file(path) as file, KINDS[kind](file, columns, total) as write:
        for n, piece in columns.chunks(_SIZE):
            write(n, piece)
            done += n
            progress(done, total)
    return done


@contextmanager
def _npy(file: BinaryIO, columns: ExportColumns, total: int) -> Iterator[Write]:
    layout = columns.values.space.state_layout
    fields = {name: _NPY_TYPES.get(kind, kind) for name, kind in columns.types.items()}
    dtype = np.dtype(
        [
            ("state", layout.dtype[0], layout.width) if name == "position" else (name, kind)
            for name, kind in fields.items()
        ]
    )
    header = {"descr": dtype.descr, "fortran_order": False, "shape": (total,)}
    np.lib.format.write_array_header_1_0(file, header)

    def write(n: int, piece: Piece) -> None:
        records = np.zeros(n, dtype=dtype)
        for name, column in piece.items():
            if isinstance(column, Texts):
                words = [word or "" for word in column.words]
                records[name] = np.array(words, dtype=fields[name])[column.numbers]
            else:
                records["state" if name == "position" else name] = column
        file.write(records.tobytes())

    yield write


@contextmanager
def _arrow(
    file: BinaryIO, columns: ExportColumns, _total: int, *, is_parquet: bool = False
) -> Iterator[Write]:
    try:
        import pyarrow as pa  # noqa: PLC0415 - the extra
        import pyarrow.parquet as pq  # noqa: PLC0415 - as above
    except ImportError:
        need = "exports to Parquet and Arrow need pyarrow"
        raise InputError(missing_extra(need, "arrow", "pyarrow")) from None
    schema = _schema(pa, columns)
    with (
        pq.ParquetWriter(file, schema, compression="zstd")
        if is_parquet
        else pa.ipc.new_file(file, schema)
    ) as writer:
        yield lambda n, piece: writer.write_batch(_batch(pa, schema, columns, n, piece))


def _schema(pa: Any, columns: ExportColumns) -> Any:
    """The schema of an export, with its origin as metadata."""
    values = columns.values
    origin = {
        "rules": values.rules.to_json(),
        "digest": values.file.digest,
        "state_layout": values.space.state_layout.version,
    }
    types = [
        (name, pa.string() if kind == "text" else pa.from_numpy_dtype(np.dtype(kind)))
        for name, kind in columns.types.items()
    ]
    return pa.schema(types, metadata={"ur-solver": json_text(origin)})


def _batch(pa: Any, schema: Any, columns: ExportColumns, n: int, piece: Piece) -> Any:
    arrays = []
    for name, column in piece.items():
        if isinstance(column, Texts):
            words = pa.array(column.words, pa.string())
            arrays.append(words.take(pa.array(column.numbers)))
        elif name == "position":
            letters, starts = columns.values.space.state_layout.notation_bytes(column)
            offsets = pa.py_buffer(starts.astype(np.int32))
            arrays.append(pa.StringArray.from_buffers(n, offsets, pa.py_buffer(letters)))
        else:
            arrays.append(pa.array(column, from_pandas=True))  # NaN is no value
    return pa.record_batch(arrays, schema=schema)


KINDS: Mapping[str, Callable[[BinaryIO, ExportColumns, int], AbstractContextManager[Write]]] = {
    "parquet": partial(_arrow, is_parquet=True),
    "arrow": _arrow,
    "npy": _npy,
}
"""The kinds of files, by name."""
