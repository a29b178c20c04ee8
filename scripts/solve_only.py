"""Solve on one thread with a given instruction set and write nothing, to be profiled.

perf record -e cpu-clock -F 2000 -o perf.data python scripts/solve_only.py finkel:4 avx2
"""

from __future__ import annotations

import sys

from ur_solver.engine.runners import ThreadRunner
from ur_solver.engine.solve import solve
from ur_solver.kernel.kernels import RaceKernel
from ur_solver.rules import named_rules
from ur_solver.space import TileSpace


def main() -> None:
    case, instruction_set = sys.argv[1:]
    space = TileSpace(named_rules(case))
    kernel = RaceKernel(space, instruction_set=instruction_set)
    solve(space, tolerance=1e-12, kernel=kernel, runner=ThreadRunner(1))


if __name__ == "__main__":
    main()
