"""The workers of a solve.

Whether a scheduler answers, before a solve begins.

The task of a worker: solve a block of a folder that it shares with the driver.

Only the folder's path, the block's number and a record are sent; values are in files.
"""

from __future__ import annotations

import pathlib
import re
import socket
import time
from dataclasses import dataclass
from functools import lru_cache

from ur_solver.blocks.folder import LATE, BlockFiles, Job, join
from ur_solver.blocks.stored import BlockRecord, BlockResult
from ur_solver.engine import Lease, goal_of
from ur_solver.engine.solve import SolveTask
from ur_solver.errors import ClusterError, InputError
from ur_solver.kernel import Values, kernel_of


@dataclass(frozen=True)
class Cluster:
    """The workers of a solve.

    Attributes
    ----------
    scheduler : str or None
        The address of a scheduler that the user started.
    workers : int or None
        The number of workers to start here, if there is no scheduler.
    threads : int or None
        The most threads for one block; a worker started here has as many, by default its share of
        the processors.
    silence : float
        Seconds after which a silent worker counts as lost.
    """

    scheduler: str | None = None
    workers: int | None = None
    threads: int | None = None
    silence: float = 60.0


PATIENCE = 15.0
"""Seconds to wait for a scheduler that does not answer yet."""

_ATTEMPT, _PAUSE = 5.0, 0.5
_ADDRESS = re.compile(r"(?:(tcp|tls)://)?(\[[0-9A-Fa-f:]+\]|[^\s/:@]+):([0-9]{1,5})/?")


def check_reachable(cluster: Cluster, patience: float = PATIENCE) -> None:
    """Check that a scheduler listens at the address of a cluster's.

    A scheduler greets whoever connects over TCP. Addresses of protocols other than TCP and TLS are
    left to Dask.

    Raises
    ------
    InputError
        If the address is malformed.
    ClusterError
        If nobody has answered within `patience` seconds.
    """
    address = cluster.scheduler
    if address is None:
        return
    found = _ADDRESS.fullmatch(address)
    if found is None or int(found[3]) > 65535:
        if "://" in address and not address.startswith(("tcp:", "tls:")):
            return
        raise InputError(
            f"{address!r:.100} is not the address of a scheduler: expected one such as tcp://host:8786"
        )
    until = time.monotonic() + patience
    while True:
        try:
            end = found[2].strip("[]"), int(found[3])
            with socket.create_connection(end, timeout=min(_ATTEMPT, patience)) as connection:
                if found[1] == "tls" or connection.recv(1):
                    return
                raise ConnectionError("what answers there is not a scheduler")
        except (OSError, UnicodeError) as error:  # a host name that cannot be encoded
            if time.monotonic() > until:
                reason = getattr(error, "strerror", None) or error
                raise ClusterError(f"no scheduler answers at {address}: {reason}") from None
            time.sleep(_PAUSE)


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
