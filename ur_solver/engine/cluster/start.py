"""Connect to a running cluster, or start one of processes on this machine."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import dask
from distributed import Client, LocalCluster

from ur_solver.common.machine import usable_processors
from ur_solver.engine.cluster.choice import Cluster

_SETTINGS = {
    # blocks that a lost worker had are not to blame
    "distributed.scheduler.allowed-failures": 1_000,
    # a log of some kB per message: 1,000 would be 20 MB
    "distributed.admin.low-level-log-length": 100,
    # the driver places blocks
    "distributed.scheduler.work-stealing": False,
    # mapped files count as a worker's memory, though the system takes them back: the driver's
    # account is what limits it
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
}

_CONNECTING = "10s"


@contextmanager
def connected(cluster: Cluster) -> Iterator[Callable[[], Client]]:
    """A function that connects to a cluster; a cluster started here ends with the context."""
    # the driver reports the fate of workers and of the scheduler, in a line
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with dask.config.set(_SETTINGS):
        if cluster.scheduler is not None:
            address = cluster.scheduler
            yield lambda: Client(address, timeout=_CONNECTING, set_as_default=False)
            return
        count = cluster.workers or 1
        threads = cluster.threads or max(1, usable_processors() // count)
        with LocalCluster(
            n_workers=count,
            threads_per_worker=threads,
            processes=True,
            memory_limit=0,
            # its usual port may be taken, by another solve for example
            scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
            silence_logs=50,
        ) as local:
            yield lambda: Client(local, timeout=_CONNECTING, set_as_default=False)
