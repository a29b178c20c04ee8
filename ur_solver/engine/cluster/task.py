"""The task of a worker: solve a block of a folder that it shares with the driver.

Only the folder's path, the block's number and a record are sent; values are in files.
"""

from __future__ import annotations

import pathlib
import time
from dataclasses import dataclass
from functools import lru_cache

from ur_solver.blocks.block_files import BlockFiles
from ur_solver.blocks.block_record import BlockRecord, BlockResult
from ur_solver.blocks.folder import LATE, join
from ur_solver.blocks.job import Job
from ur_solver.engine import Lease, goal_of
from ur_solver.engine.solve import SolveTask
from ur_solver.kernel import Values, kernel_of


class _FolderStore:
    """The finished blocks of a folder, which other processes write to as well."""

    def __init__(self, files: BlockFiles) -> None:
        self._files = files

    def values_of(self, index: int) -> Values | None:
        """The values of a block, mapped."""
        until = time.monotonic() + LATE
        while not self._files.path(index).exists() and time.monotonic() < until:
            time.sleep(0.2)
        values: Values = self._files.values_of(index)
        return values

    def error_of(self, index: int) -> float | None:
        """The proven error of a block."""
        return BlockRecord.of(self._files.row(index)).error

    def put(self, result: BlockResult) -> BlockRecord:
        """Write a finished block, unless another process has done so."""
        return BlockRecord.of(self._files.write(result, result.values))

    def drop(self, index: int) -> None:
        """Do nothing: files stay."""

    def lose(self, index: int) -> None:
        """Remove the file of a block that is damaged."""
        self._files.remove_damaged(index)


@lru_cache(maxsize=4)
def _joined(folder: str, _identity: bytes) -> tuple[Job, BlockFiles]:
    return join(pathlib.Path(folder))


@dataclass(frozen=True)
class FolderTask:
    """Solve a block of a folder, unless its file exists: a task for any process.

    Attributes
    ----------
    folder : str
        The folder's path, the same on all machines.
    identity : bytes
        The content of its solve.json.
    """

    folder: str
    identity: bytes

    def __call__(self, index: int, lease: Lease) -> BlockRecord:
        """Solve a block, by its number."""
        job, files = _joined(self.folder, self.identity)
        there = files.whole_row(index) if files.path(index).exists() else None
        if there is not None:
            return BlockRecord.of(there)
        kernel = kernel_of(files.space, job.precision)
        goal = goal_of(files.space, job.tolerance, certify=job.certify)
        return SolveTask(kernel, _FolderStore(files), goal, job.certify)(index, lease)
