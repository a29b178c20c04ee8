"""Exports of a table's positions as files of columns: Parquet, Arrow IPC, NumPy.

A file is written a piece at a time, so that memory stays constant whatever the table's size.
Parquet and Arrow need pyarrow (the extra ``arrow``); they keep texts as such, and state the rule
set, the version of the layout of states and the digest of the table in the schema's metadata. A
``.npy`` file holds one structured array: texts are ASCII of fixed length, and in place of the
notation it has the encoded states (`StateLayout`) as a field ``state``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ur_solver.answers.export_columns import ColumnData, ExportColumns, Texts
from ur_solver.answers.lookup import Lookup
from ur_solver.common.files import new_file
from ur_solver.common.progress import Progress
from ur_solver.errors import InputError, missing_extra

_SIZE = 1 << 16
"""Positions of a piece, which is a row group of Parquet and a record batch of Arrow."""

_NPY_TYPES = {"text": f"S{len('1B11B12x* again')}"}
"""The longest move of any rule set is written so."""

Piece = Mapping[str, ColumnData]
Write = Callable[[int, Piece], object]
"""Writes a piece, given its number of positions."""


def export(
    path: Path,
    values: Lookup,
    kind: str,
    names: Sequence[str] | None,
    progress: Progress,
) -> int:
    """Write the columns of all positions that a table holds.

    Parameters
    ----------
    path : Path
        Replaced if it exists.
    values : Lookup
    kind : str
        One of `KINDS`.
    names : sequence of str or None
        The columns, as `ExportColumns` names them; all if None.
    progress : callable
        Called with the values that are read and their total.

    Returns
    -------
    int
        The number of positions.

    Raises
    ------
    InputError
        If there is no such kind or column, or pyarrow is missing.
    OutputError
        If the file cannot be written.
    DamagedTableError
        If values cannot be read.
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
            ("state", layout.number_type, layout.width) if name == "position" else (name, kind)
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
    return pa.schema(types, metadata={"ur-solver": json.dumps(origin)})


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
