"""Finished blocks on disk, so that a killed solve costs the blocks in flight.

A checkpoint is a folder beside the output, ``<output>.blocks``:

    solve.json          what is being solved: rule set, tolerance, whether certified,
                        format of this folder
    block-<index>.npz   a finished block: its index, values, residual, sweeps, seconds and
                        error (not a number unless certified)
    lock                held by the solve that writes here

A block is written under another name, synced and renamed. `.npz` members carry CRC-32
checksums, so a block that does not read back whole is solved again.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from types import TracebackType
from typing import Self

import filelock
import numpy as np

from ur_solver.errors import CheckpointError, OutputError, RuleSetError
from ur_solver.rules import RuleSet
from ur_solver.solve.result import BlockResult
from ur_solver.space import Space, space_of

VERSION = 2
_SUFFIX = ".blocks"


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
        self.folder = output.with_name(output.name + _SUFFIX)
        self.space: Space = space_of(rules)
        self.rules = rules
        self.tolerance = tolerance
        self.certify = certify
        self._lock = filelock.FileLock(self.folder / "lock", blocking=False)

    def __enter__(self) -> Self:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
        except filelock.Timeout:
            raise OutputError(
                f"another solve is writing to {str(self.folder)!r}; wait for it or name "
                "another output"
            ) from None
        except OSError as error:
            raise OutputError(
                f"cannot write the checkpoint {str(self.folder)!r}: {error.strerror or error}"
            ) from None
        try:
            self._claim()
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
        path = self.folder / "solve.json"
        remedy = f"remove {str(self.folder)!r} to start anew, or name another output"
        if not path.exists():
            if any(self.folder.glob("block-*.npz")):
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

    def _write(self, path: pathlib.Path, content: bytes) -> None:
        try:
            with path.with_suffix(".part").open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            path.with_suffix(".part").replace(path)
        except OSError as error:
            raise OutputError(f"cannot write {str(path)!r}: {error.strerror or error}") from None

    def _path(self, index: int) -> pathlib.Path:
        return self.folder / f"block-{index:05d}.npz"

    def save(self, result: BlockResult) -> None:
        """Put a finished block on disk.

        Raises
        ------
        OutputError
            If it cannot be written, the disk being full for example.
        """
        path = self._path(result.index)
        part = path.with_suffix(".part")
        try:
            with part.open("wb") as file:
                np.savez(
                    file,
                    index=result.index,
                    values=result.values,
                    residual=result.residual,
                    sweeps=result.sweeps,
                    seconds=result.seconds,
                    error=np.nan if result.error is None else result.error,
                )
                file.flush()
                os.fsync(file.fileno())
                _forget(file.fileno())
            part.replace(path)
        except OSError as error:
            raise OutputError(
                f"cannot write block {result.index} to {str(self.folder)!r}: "
                f"{error.strerror or error}; the blocks before it are kept"
            ) from None

    def finished(self) -> Iterator[BlockResult]:
        """The blocks on disk that read back whole, by index."""
        for block in self.space.blocks:
            path = self._path(block.index)
            try:
                result = self._read(path, block.index)
            except Exception:  # what a damaged archive raises is not written anywhere
                continue
            if (
                result.values.shape == (block.size,)
                and result.values.dtype == np.float64
                and (result.error is not None) == self.certify
            ):
                yield result

    @staticmethod
    def _read(path: pathlib.Path, index: int) -> BlockResult:
        with zipfile.ZipFile(path) as archive:
            # NumPy reads as much as a member's header asks for, and the checksum of a
            # member is compared when its end is read.
            damaged = archive.testzip()
        if damaged is not None:
            raise ValueError(f"{damaged} is damaged")
        with np.load(path, allow_pickle=False) as members:
            if members["index"] != index:
                raise ValueError(f"holds block {members['index']}")
            return BlockResult(
                index=index,
                values=members["values"],
                residual=float(members["residual"]),
                sweeps=int(members["sweeps"]),
                seconds=float(members["seconds"]),
                error=None if np.isnan(members["error"]) else float(members["error"]),
            )

    def remove(self) -> None:
        """Delete the folder: the table is whole."""
        self._lock.release()
        shutil.rmtree(self.folder, ignore_errors=True)


def _forget(file: int) -> None:
    """Let the system use its copy of a synced file in memory for something else.

    Finished blocks are read again only after a kill; 4 GB of them are memory that the solve,
    and others, have better uses for.
    """
    if hasattr(os, "posix_fadvise"):
        with suppress(OSError):  # a hint, which some file systems do not take
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
