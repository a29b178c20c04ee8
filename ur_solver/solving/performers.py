"""What solves the blocks of a plan: threads of this process, or the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from ur_solver.blocks.file_names import HEAD
from ur_solver.engine import Runner, ThreadRunner
from ur_solver.engine.cluster import FolderTask
from ur_solver.engine.cluster.reach import check_reachable
from ur_solver.errors import InputError, missing_extra
from ur_solver.solving.costs import available_bytes
from ur_solver.solving.costs.cost import BASE_BYTES, block_cost, largest_cost
from ur_solver.solving.plan import Plan


def check_performers(plan: Plan) -> None:
    """Check that the workers of a plan can be asked for, before anything is written.

    Raises
    ------
    InputError
        If Dask is not installed, or the scheduler's address is malformed.
    ClusterError
        If the scheduler does not answer.
    """
    if plan.request.cluster is None:
        return
    try:
        import distributed  # noqa: F401, PLC0415 - an extra
    except ImportError as error:
        package = error.name or "distributed"
        raise InputError(
            missing_extra("workers need Dask distributed", "cluster", package)
        ) from None
    check_reachable(plan.request.cluster)


@contextmanager
def performers(
    plan: Plan, on_workers: Callable[[int], object]
) -> Iterator[tuple[Runner, FolderTask | None]]:
    """The runner of a plan's blocks, and the task of a block if other processes solve.

    Parameters
    ----------
    plan : Plan
        Whose folder of blocks has its head.
    on_workers : callable
        Called with the count of workers whenever it changes.

    Notes
    -----
    `check_performers` has checked that Dask is installed, and that the scheduler answers.
    """
    request = plan.request
    cluster, memory, threads = request.cluster, request.memory, request.threads
    if cluster is None:
        yield ThreadRunner(threads, plan.room.allowance), None
        return
    from ur_solver.engine.cluster.runner import ClusterRunner  # noqa: PLC0415 - Dask
    from ur_solver.engine.cluster.start import connected  # noqa: PLC0415

    if memory is None and cluster.scheduler is None:
        memory = available_bytes() // (cluster.workers or 1)
    path = plan.folder.absolute()
    with connected(cluster) as connect:
        runner = ClusterRunner(
            connect,
            cost=partial(block_cost, request),
            largest=largest_cost(request),
            folder=str(path),
            memory=None if memory is None else memory - BASE_BYTES,
            most_threads=cluster.threads,
            silence=cluster.silence,
            on_workers=on_workers,
        )
        yield runner, FolderTask(str(path), (path / HEAD).read_bytes())
