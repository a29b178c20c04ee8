"""How long a driver takes with many blocks that do nothing, and what memory the scheduler takes.

python scripts/many_blocks.py 100000
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass

import psutil

from ur_solver.engine.block import Lease
from ur_solver.engine.cluster_runner import ClusterRunner, connected
from ur_solver.engine.graph import BlockGraph
from ur_solver.engine.runners import Cluster


@dataclass(frozen=True)
class Done:
    index: int


def nothing(index: int, lease: Lease) -> Done:
    """A task that does nothing."""
    return Done(index)


def main() -> None:
    count = int(sys.argv[1])
    process = psutil.Process(os.getpid())
    graph = BlockGraph([(k - 100,) if k >= 100 else () for k in range(count)], [1] * count)
    with connected(Cluster(workers=2, threads=1)) as connect:
        began, done = time.perf_counter(), 0

        def finish(result: Done) -> None:
            nonlocal done
            graph.finish(result.index)
            done += 1
            if done % max(1, count // 10) == 0:
                seconds = time.perf_counter() - began
                memory = process.memory_info().rss / 2**20
                print(
                    f"{done:,} blocks, {seconds:.0f} s, driver and scheduler {memory:.0f} MiB",
                    flush=True,
                )

        ClusterRunner(connect, cost=lambda *_: 1, memory=1000).run(graph, nothing, finish)


if __name__ == "__main__":
    main()
