"""Solve on one thread with a given instruction set and write nothing, to be profiled.

perf record -e cpu-clock -F 2000 -o perf.data python scripts/solve_only.py finkel:4 avx2
"""

from __future__ import annotations

import sys
from functools import lru_cache

import ur_solver.kernel
from ur_solver.kernel._tiled import TiledKernel
from ur_solver.kernel.tiling import Tiling
from ur_solver.rules import named_rules
from ur_solver.solve import solve
from ur_solver.space import RaceSpace, race_space_of


def main() -> None:
    case, instruction_set = sys.argv[1:]

    @lru_cache(maxsize=1)
    def kernel_of(space: RaceSpace) -> TiledKernel:
        return TiledKernel(Tiling(space), space.ranking, instruction_set)

    ur_solver.kernel.kernel_of = kernel_of  # where `open_block` looks it up
    solve(race_space_of(named_rules(case)), tolerance=1e-12, threads=1)


if __name__ == "__main__":
    main()
