"""The task of a worker: solve a block of a folder that it shares with the driver.

Only the folder's path, the block's number and a record are sent; values are in files.
"""

from __future__ import annotations

import pathlib
import time
from dataclasses import dataclass
from functools import lru_cache

from ur_solver.blocks.block_files import BlockFiles
from ur_solver.blocks.block_record import BlockRecord
from ur_solver.blocks.folder import LATE, join
from ur_solver.blocks.job import Job
from ur_solver.engine import Lease, goal_of, largest_error, solve_block
from ur_solver.errors import DamagedBlockError
from ur_solver.kernel import Values, kernel_of


class _FolderBlocks:
    """The finished blocks of a folder."""

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
        row = self._files.row(index)
        if row is None:
            self._files.chunks_of(index)  # which names the fault
            return None
        return BlockRecord.of(row).error


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
        kernel, blocks = kernel_of(files.space, job.precision), _FolderBlocks(files)
        outside = None
        try:
            if job.certify:
                outside = largest_error(map(blocks.error_of, files.space.reads(index)))
            result = solve_block(
                kernel,
                index,
                blocks,
                goal=goal_of(kernel.space, job.tolerance, certify=job.certify),
                outside=outside,
                lease=lease,
            )
        except DamagedBlockError as error:
            files.remove_damaged(error.index)
            raise
        return BlockRecord.of(files.write(result, result.values))
