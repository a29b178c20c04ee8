"""Writing a table block by block; an incomplete table never gets its final name."""

from __future__ import annotations

import dataclasses
import pathlib
import shutil
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt

from ur_solver.blocks.block_record import BlockResult
from ur_solver.blocks.chunks import checksum
from ur_solver.common.files import Closing
from ur_solver.errors import OutputError
from ur_solver.rules import RuleSet
from ur_solver.space import Part
from ur_solver.table.chunk import compressed, encode
from ur_solver.table.format import (
    FORMAT,
    Header,
    descriptions,
    n_chunks,
    sealed,
    table_error,
)
from ur_solver.table.part_file import PartFile, part_path
from ur_solver.table.reader import TableFile
from ur_solver.table.rows import TableRows


class TableWriter(Closing):
    """A table that is being written.

    It is written to ``.<name>.part`` in the same folder. `finish` syncs and renames the file;
    leaving the context without `finish` removes it.

    Parameters
    ----------
    path : Path
        Of the finished table. An existing one is replaced atomically at the end.
    rules : RuleSet
    tolerance : float
        The tolerance of the values before they are rounded to the value type.
    value_type : str
        One of `VALUE_TYPES`; with stakes only ``"float64"``.
    part : Part, optional
        The blocks of the table; all by default.
    objective : str, optional
        As in the header; by default values are chances of winning, or money.

    Raises
    ------
    OutputError
        If the folder is not writable, another writer makes this table, or the type cannot hold
        money.
    """

    def __init__(
        self,
        path: pathlib.Path,
        rules: RuleSet,
        *,
        tolerance: float,
        value_type: str = "float64",
        part: Part | None = None,
        objective: str | None = None,
    ) -> None:
        self.path = pathlib.Path(path)
        self._rows = TableRows(
            rules, tolerance=tolerance, value_type=value_type, part=part, objective=objective
        )
        self.value_type = self._rows.value_type
        self._lock = threading.Lock()
        self._chunk_length = self._rows.chunk_length
        total = n_chunks(self._rows.blocks, self._chunk_length)
        self._checksums = np.zeros(total, dtype="<u4")
        try:
            self._disk = PartFile(part_path(self.path))
        except OSError as error:
            raise self._cannot_write(error) from error
        self._is_open = True
        with self._writing():
            self._file = h5py.File(self._disk, "w", libver="latest")
            self._values = self._file.create_dataset(
                "values",
                shape=(total * self._chunk_length,),
                dtype=self.value_type.dtype,
                chunks=(self._chunk_length,),
                # the fastest to write of those measured, 4 % larger than the smallest (`format`)
                # over the compressed bytes, so that the decompressor gets no damaged ones
                fletcher32=True,
                **compressed(self.value_type.dtype.itemsize),
            )

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            self._disk.check()
            yield
            self._disk.check()
        except OSError as error:
            self.close()
            raise self._cannot_write(error) from error

    def _cannot_write(self, error: OSError) -> OutputError:
        return OutputError(f"cannot write table {str(self.path)!r}: {error.strerror or error}")

    def add(self, result: BlockResult) -> None:
        """Write one block. Each is written once, in any order and from any thread.

        Raises
        ------
        ValueError
            If the block is not one of the rule set, has been written already, or holds a number
            that is not a probability, or not a length.
        OutputError
            If it cannot be written, for example on a full disk.
        """
        self._rows.check(result)
        stored = self.value_type.encode(result.values)
        length = self._chunk_length
        first = int(self._rows.blocks[self._rows.place(result.index)]["first_chunk"])
        with self._lock, self._writing():
            self._rows.note(result)
            for number, at in enumerate(range(0, len(stored), length), first):
                chunk = stored[at : at + length]
                self._values.id.write_direct_chunk((number * length,), encode(chunk, length))
                self._checksums[number] = checksum(chunk)

    def finish(self, *, seconds: float, header: Header | None = None) -> Header:
        """Complete the table and rename it.

        Parameters
        ----------
        seconds : float
            The duration of the solve.
        header : Header, optional
            The header of the table, if known; by default from its blocks.

        Returns
        -------
        Header

        Raises
        ------
        ValueError
            If a block is missing.
        OutputError
            If the table cannot be written.
        """
        header = header or self._rows.header(seconds=seconds)
        with self._lock, self._writing():
            self._file.create_dataset("checksums", data=self._checksums)
            self._values.attrs["scale"] = 1 / self.value_type.scale
            self._values.attrs["chunk_length"] = np.int64(self._chunk_length)
            _write_head(self._file, header, self._rows.blocks, self._checksums)
            self._file.close()
            self._disk.publish(self.path)
            self._is_open = False
        return header

    def close(self) -> None:
        """Close the unfinished file and remove it; does nothing after `finish`."""
        if self._is_open:
            self._is_open = False
            self._file.close()
            self._disk.discard()


def add_certificate(
    table: TableFile,
    errors: npt.NDArray[np.float64],
    level_errors: tuple[float, ...] | None = None,
) -> None:
    """Write the proven errors of its blocks, and of its levels of fines, into a table's file.

    A changed copy replaces the file at the end, so the table is complete at any time, with or
    without the certificate.

    Parameters
    ----------
    table : TableFile
        It still reads the old file.
    errors : float64, shape (blocks,)
        The proven errors of the values that `table` reads.
    level_errors : tuple of float, optional
        With stakes, the same by the number of fines, the cut of the fines included.

    Raises
    ------
    OutputError
        If the file cannot be written, or has changed since it was opened.
    """
    path = table.path
    blocks = table.blocks.copy()
    blocks["error"] = errors
    header = dataclasses.replace(table.header, error=table_error(blocks), level_errors=level_errors)
    part = None
    try:
        part = PartFile(part_path(path))
        with path.open("rb") as file, TableFile(path) as now:
            if not now.is_same(table):
                raise OutputError(f"table {str(path)!r} has changed since it was opened")
            shutil.copyfileobj(file, part)
        part.check()
        with h5py.File(part, "r+", libver="latest") as file:
            del file["blocks"]
            _write_head(file, header, blocks, file["checksums"][()])
        part.publish(path)
    except (OSError, RuntimeError) as error:
        raise OutputError(f"cannot write table {str(path)!r}: {error}") from error
    finally:
        if part is not None and not part.closed:
            part.discard()


def _write_head(
    file: h5py.File,
    header: Header,
    blocks: npt.NDArray[Any],
    checksums: npt.NDArray[np.uint32],
) -> None:
    """Write the blocks and the attributes, with the digest of them all."""
    file.create_dataset("blocks", data=blocks)
    for name, value in (sealed(header, blocks, checksums) | {"format": FORMAT}).items():
        file.attrs[name] = _as_attribute(value)
    for name, text in descriptions(header).items():
        file[name].attrs["description"] = _as_attribute(text)


def _as_attribute(value: str | int | float) -> Any:
    if isinstance(value, str):
        return np.bytes_(value.encode("ascii"))
    return np.int64(value) if isinstance(value, int) else np.float64(value)


def write_table(
    path: pathlib.Path,
    rules: RuleSet,
    results: Iterable[BlockResult],
    *,
    tolerance: float,
    seconds: float,
    value_type: str = "float64",
) -> Header:
    """Write finished blocks one at a time to a table at `path`.

    Parameters
    ----------
    path, rules, tolerance, value_type
        As for `TableWriter`.
    results : iterable of BlockResult
        Every block once.
    seconds : float
        The duration of the solve.

    Raises
    ------
    ValueError
        If blocks are missing or are not those of the rule set.
    OutputError
        If the table cannot be written.
    """
    with TableWriter(path, rules, tolerance=tolerance, value_type=value_type) as writer:
        for result in results:
            writer.add(result)
        return writer.finish(seconds=seconds)
