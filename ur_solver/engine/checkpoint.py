"""Finished blocks on disk, so that a killed solve costs the blocks in flight.

A checkpoint is a folder beside the output, ``<output>.blocks``:

    solve.json    what is being solved: rule set, tolerance, whether certified, format of this
                  folder
    blocks.bin    a record for every block (`RECORD`, zeros until it is finished), then the
                  values of all, float64 by rank
    lock          held by the solve that writes here

A record's checksum is of solve.json, of itself and of its block's values, which are written first:
a block that does not read back whole, or is another solve's, is solved again. That all are in one
file spares a solve of small blocks most of what their files cost, new ones being the dear part of
it.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import zlib
from collections.abc import Iterator
from contextlib import suppress
from types import TracebackType
from typing import Self

import filelock
import numpy as np
import numpy.typing as npt

from ur_solver.engine.result import BlockResult
from ur_solver.errors import CheckpointError, OutputError, RuleSetError
from ur_solver.rules import RuleSet
from ur_solver.space import Block, Space, space_of

VERSION = 3
_SUFFIX = ".blocks"

RECORD = np.dtype(
    [
        ("index", "<i8"),
        ("residual", "<f8"),
        ("sweeps", "<i8"),
        ("seconds", "<f8"),
        ("error", "<f8"),  # not a number unless certified
        ("checksum", "<u8"),  # CRC-32 of solve.json, of the fields before and of the values
    ]
)
"""What is said of a finished block."""

_VALUE = np.dtype("<f8")


def checkpoint_folder(output: pathlib.Path) -> pathlib.Path:
    """Where the finished blocks are of the solve that makes the table `output`."""
    return output.with_name(output.name + _SUFFIX)


class Checkpoint:
    """The finished blocks of one solve; a context manager that holds its lock.

    Parameters
    ----------
    output : Path
        The table that the solve makes.
    rules : RuleSet
    tolerance : float
    certify : bool
        Whether its blocks are certified.

    Raises
    ------
    OutputError
        On entering, if the folder cannot be written or another solve holds it.
    CheckpointError
        On entering, if the folder is of another rule set, tolerance or version, or of
        blocks that are certified where these are not, or the other way round.
    """

    def __init__(
        self, output: pathlib.Path, rules: RuleSet, tolerance: float, *, certify: bool = False
    ) -> None:
        self.folder = checkpoint_folder(output)
        self._head = self.folder / "solve.json"
        self._blocks = self.folder / "blocks.bin"
        self._head_checksum = 0
        self.space: Space = space_of(rules)
        self.rules = rules
        self.tolerance = tolerance
        self.certify = certify
        self._lock = filelock.FileLock(self.folder / "lock", blocking=False)

    def __enter__(self) -> Self:
        try:
            self.folder.mkdir(exist_ok=True)
            self._lock.acquire()
        except filelock.Timeout:
            raise OutputError(
                f"another solve is writing to {str(self.folder)!r}; wait for it or name "
                "another output"
            ) from None
        except OSError as error:
            raise self._cannot_write(error) from None
        try:
            self._claim()
            self._head_checksum = zlib.crc32(self._head.read_bytes())
            self._blocks.touch()
        except OSError as error:
            self._lock.release()
            raise self._cannot_write(error) from None
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lock.release()

    def _claim(self) -> None:
        path = self._head
        remedy = f"remove {str(self.folder)!r} to start anew, or name another output"
        if not path.exists():
            if any(each.name not in ("lock", "solve.part") for each in self.folder.iterdir()):
                raise CheckpointError(f"{str(path)!r} is missing; {remedy}")
            head = {
                "version": VERSION,
                "rules": self.rules.to_json(),
                "tolerance": self.tolerance,
                "certify": self.certify,
            }
            self._write(path, json.dumps(head, indent=1).encode())
            return
        try:
            head = json.loads(path.read_bytes())
            version = head["version"]
            if version != VERSION:
                raise CheckpointError(
                    f"checkpoint {str(self.folder)!r} is of version {version!r}, this program "
                    f"reads {VERSION}; {remedy}"
                )
            tolerance, rules = head["tolerance"], RuleSet.from_json(head["rules"])
            certify = head["certify"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError, RuleSetError):
            raise CheckpointError(f"{str(path)!r} cannot be read; {remedy}") from None
        if not rules.is_same_game(self.rules):
            raise CheckpointError(
                f"checkpoint {str(self.folder)!r} is of {rules.name} with {rules.pieces} "
                f"pieces; {remedy}"
            )
        if tolerance != self.tolerance:
            raise CheckpointError(
                f"checkpoint {str(self.folder)!r} is of tolerance {tolerance!r}, not "
                f"{self.tolerance!r}; {remedy}"
            )
        if certify is not self.certify:
            raise CheckpointError(
                f"checkpoint {str(self.folder)!r} is of blocks that are "
                f"{'' if certify else 'not '}certified; {remedy}"
            )

    def _cannot_write(self, error: OSError) -> OutputError:
        return OutputError(
            f"cannot write the checkpoint {str(self.folder)!r}: {error.strerror or error}"
        )

    def _write(self, path: pathlib.Path, content: bytes) -> None:
        try:
            with path.with_suffix(".part").open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            path.with_suffix(".part").replace(path)
        except OSError as error:
            raise OutputError(f"cannot write {str(path)!r}: {error.strerror or error}") from None

    def _values_at(self, block: Block) -> int:
        """Where a block's values are in the file."""
        return len(self.space.blocks) * RECORD.itemsize + block.offset * _VALUE.itemsize

    def _checksum(
        self, record: npt.NDArray[np.void] | np.void, values: npt.NDArray[np.float64]
    ) -> int:
        """Of what is being solved, a record's other fields and the values."""
        fields = record.tobytes()[: -RECORD["checksum"].itemsize]
        return zlib.crc32(values.view(np.uint8).data, zlib.crc32(fields, self._head_checksum))

    def save(self, result: BlockResult) -> None:
        """Put a finished block on disk.

        Raises
        ------
        OutputError
            If it cannot be written, the disk being full for example.
        """
        values = np.ascontiguousarray(result.values, _VALUE)
        record = np.array(
            (
                *(result.index, result.residual, result.sweeps, result.seconds),
                *(np.nan if result.error is None else result.error, 0),
            ),
            RECORD,
        )
        record["checksum"] = self._checksum(record, values)
        at = self._values_at(self.space.blocks[result.index])
        try:
            # opened anew: a folder that has gone is heard of
            with self._blocks.open("r+b") as file:
                file.seek(at)
                file.write(values.data)
                file.seek(result.index * RECORD.itemsize)
                file.write(record.tobytes())
                file.flush()
                os.fsync(file.fileno())
                _forget(file.fileno(), at, values.nbytes)
        except OSError as error:
            raise OutputError(
                f"cannot write block {result.index} to {str(self.folder)!r}: "
                f"{error.strerror or error}; the blocks before it are kept"
            ) from None

    def finished(self) -> Iterator[BlockResult]:
        """The blocks on disk that read back whole, by index."""
        blocks = self.space.blocks
        try:
            records = np.fromfile(self._blocks, RECORD, len(blocks))
        except OSError:
            return
        # fewer where the file has been cut off
        for block, record in zip(blocks, records, strict=False):
            if not record["checksum"]:
                continue
            try:
                values = np.fromfile(
                    self._blocks, _VALUE, block.size, offset=self._values_at(block)
                ).astype(np.float64, copy=False)
            except OSError:
                continue
            if (
                record["checksum"] == self._checksum(record, values)
                and record["index"] == block.index
                and len(values) == block.size
                and np.isnan(record["error"]) != self.certify
            ):
                yield BlockResult(
                    index=block.index,
                    values=values,
                    residual=float(record["residual"]),
                    sweeps=int(record["sweeps"]),
                    seconds=float(record["seconds"]),
                    error=float(record["error"]) if self.certify else None,
                )

    def remove(self) -> None:
        """Delete the folder: the table is whole."""
        self._lock.release()
        shutil.rmtree(self.folder, ignore_errors=True)


def _forget(file: int, at: int, length: int) -> None:
    """Let the system use its copy of a synced part in memory for something else.

    Finished blocks are read again only after a kill; 4 GB of them are memory that the solve,
    and others, have better uses for.
    """
    if hasattr(os, "posix_fadvise"):
        with suppress(OSError):  # a hint, which some file systems do not take
            os.posix_fadvise(file, at, length, os.POSIX_FADV_DONTNEED)
