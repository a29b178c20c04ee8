#!/usr/bin/env python3
"""Measure what a user feels and print it as tables.

    scripts/bench                     the middle-sized cases, three times each
    scripts/bench --quick             small cases, once
    scripts/bench --full              the cases of docs/performance.md, once; minutes
    scripts/bench finkel:5 blitz:3    these cases

Every solve is a process of its own, as a user would start it; its peak memory is what the
operating system says of it. Times are medians of the repeats. On a busy machine look at
the processor seconds: they change little with what else is running, elapsed ones a lot.
Rates of writing and reading are for one thread and processor seconds, the table's file in
the page cache.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.table import Table as Grid

# ruff: noqa: PLC0415 - what is imported late is for children only; see `run`

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETS = {
    "quick": ["finkel:3", "blitz:2", "murray:2"],
    "usual": ["finkel:5", "blitz:3", "murray:3"],
    "full": ["finkel:5", "finkel:7", "blitz:5", "masters:7", "murray:4"],
}
GENERIC_CASES = ["finkel:2", "finkel:3", "blitz:2", "murray:2"]
"""Those that the generic kernel solves in seconds."""

N_SINGLE, N_BATCH, N_OPEN = 5_000, 2_000_000, 20


# ---- processes ----


@dataclass(frozen=True)
class Run:
    """One process: elapsed and processor seconds, peak resident bytes."""

    seconds: float
    cpu: float
    peak: int
    output: str


def run(arguments: Sequence[str], *, with_stderr: bool = False, root: pathlib.Path = ROOT) -> Run:
    """Run this Python with `arguments` and the package at `root`; its usage from wait4."""
    # A child's peak cannot be lower than its parent's own: this module stays small and
    # leaves numpy and tables to children.
    environment = {**os.environ, "PYTHONPATH": str(root)}
    with tempfile.TemporaryFile("w+") as output:
        began = time.perf_counter()
        with subprocess.Popen(
            [sys.executable, *arguments],
            stdout=output,
            stderr=None if with_stderr else subprocess.DEVNULL,
            env=environment,
        ) as process:
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - began
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{' '.join(arguments)!r} ended with {process.returncode}")
        output.seek(0)
        text = output.read()
    unit = 1 if sys.platform == "darwin" else 1024
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit, text)


def ur(*arguments: str) -> Run:
    """Run the program."""
    return run(["-m", "ur_solver", *arguments])


def inside(what: str, *arguments: str) -> dict[str, Any]:
    """What a child of this script measures; see `main`."""
    found: dict[str, Any] = json.loads(
        run(
            [str(pathlib.Path(__file__).resolve()), "--inside", what, *arguments], with_stderr=True
        ).output
    )
    return found


def median_of(repeats: int, once: Callable[[], Run]) -> Run:
    """The run with the median elapsed time; the largest peak."""
    runs = sorted((once() for _ in range(repeats)), key=lambda each: each.seconds)
    middle = runs[(len(runs) - 1) // 2]
    return Run(
        statistics.median(each.seconds for each in runs),
        statistics.median(each.cpu for each in runs),
        max(each.peak for each in runs),
        middle.output,
    )


# ---- solves ----


@dataclass(frozen=True)
class Solved:
    """A case solved as a process, and what its table says."""

    case: str
    positions: int
    seconds: float
    cpu: float
    peak: int
    sweeps: float
    updates: int
    residual: float
    table_bytes: int


def solve(
    case: str,
    output: pathlib.Path,
    repeats: int,
    *,
    tolerance: float | None = None,
    threads: int | None = None,
) -> Solved:
    """Solve `case` in processes of its own and leave its table at `output`."""
    arguments = ["solve", case, "--quiet", "--force", "-o", str(output)]
    if tolerance is not None:
        arguments += ["--tolerance", str(tolerance)]
    if threads is not None:
        arguments += ["--threads", str(threads)]
    best = median_of(repeats, lambda: ur(*arguments))
    measured = inside("table", str(output))
    return Solved(case=case, seconds=best.seconds, cpu=best.cpu, peak=best.peak, **measured)


# ---- in children ----


def inside_table(path: str) -> dict[str, Any]:
    """What a table says of its solve."""
    import h5py

    from ur_solver.kernel.kernels import RaceKernel, kernel_of
    from ur_solver.table.reader import TableFile

    with TableFile(path) as table:
        header, space = table.header, table.space
    with h5py.File(path) as file:
        sweeps = file["blocks"]["sweeps"].astype(int)
    sizes = [block.size for block in space.blocks]
    updated = sum(int(n) * size for n, size in zip(sweeps, sizes, strict=True))
    kernel = kernel_of(space)
    return {
        "positions": header.positions,
        "sweeps": updated / header.positions,
        "updates": updated * (kernel.tiled.rounds if isinstance(kernel, RaceKernel) else 1),
        "residual": header.residual,
        "table_bytes": os.path.getsize(path),
    }


def inside_rates(path: str, repeats: str) -> dict[str, float]:
    """Rates of writing, opening and asking, single-threaded, in processor seconds."""
    import numpy as np

    from ur_solver.api.table import Table
    from ur_solver.blocks.folder import BlockRecord, BlockResult
    from ur_solver.table.reader import TableFile
    from ur_solver.table.writer import write_table

    def timed(call: Callable[[], object]) -> float:
        began = time.process_time()
        call()
        return time.process_time() - began

    def middle(call: Callable[[], object], times: int = int(repeats)) -> float:
        return statistics.median(timed(call) for _ in range(times))

    def open_and_close() -> None:
        TableFile(path).close()

    opened = middle(open_and_close, N_OPEN)
    with Table(path) as query:
        space, header = query.space, query.file.header
        rng = np.random.default_rng(1)
        ranks = rng.integers(0, space.n_values, N_SINGLE)
        positions = [space.decode(row.tolist()) for row in space.unrank_states(ranks)]

        def ask_each() -> None:
            for position in positions:
                query.value(position)

        cold = timed(ask_each) / N_SINGLE
        loading = timed(query.file.load)
        ask_each()
        single = middle(ask_each) / N_SINGLE
        states = space.unrank_states(rng.integers(0, space.n_values, N_BATCH))
        query.state_values(states)
        batch = middle(lambda: query.state_values(states)) / N_BATCH
        results = [
            BlockResult(BlockRecord(k, header.residual, 1, 0.0), query.file.read_block(k))
            for k in range(len(space.blocks))
        ]

    with tempfile.TemporaryDirectory(dir=pathlib.Path(path).parent) as folder:
        output = pathlib.Path(folder) / "written.h5"

        def write() -> None:
            write_table(output, header.rules, results, tolerance=1e-12, seconds=0.0)

        began = time.perf_counter()
        writing = middle(write)
        elapsed = (time.perf_counter() - began) / int(repeats)
    return {
        "open": opened,
        "load": loading,
        "cold": cold,
        "single": single,
        "batch": batch,
        "write": writing,
        "write_elapsed": elapsed,
        "values_bytes": 8.0 * space.n_values,
    }


def inside_generic(case: str, repeats: str) -> dict[str, float]:
    """Both kernels on one thread in this process, in turn."""
    import numpy as np
    import numpy.typing as npt

    from ur_solver.engine.block import Lease, iterate
    from ur_solver.kernel._inputs import Inputs
    from ur_solver.kernel._workspace import Workspace
    from ur_solver.kernel.interface import ArrayBlocks
    from ur_solver.kernel.kernels import RaceKernel
    from ur_solver.kernel.rounding import NOISE
    from ur_solver.rules import named_rules
    from ur_solver.space import Block, TileSpace

    space = TileSpace(named_rules(case))
    kernel = RaceKernel(space)
    goal = 1e-13

    class GenericBlock:
        """The generic kernel behind the interface that `iterate` uses."""

        noise = NOISE

        def __init__(self, block: Block, values: npt.NDArray[np.float64]) -> None:
            self.range = block.offset, block.size
            self.inputs = Inputs([values], [0])
            self.own = values[block.offset : block.offset + block.size]
            self.own[:] = 0.5

        def sweep(self, threads: int) -> float:
            return kernel.turns.sweep(self.own, self.inputs, *self.range)

        def refine(self) -> bool:
            return False

        def sample(self) -> npt.NDArray[np.float64]:
            """Nothing: in the generic kernel's order extrapolation diverges, so there is none."""
            return self.own[:0]

        def remember(self, room: npt.NDArray[np.float64]) -> None:
            """See `sample`."""

        def extrapolate(self, factor: float) -> None:
            """See `sample`."""

    def whole(use_tiled: bool) -> tuple[float, float, npt.NDArray[np.float64]]:
        values = np.empty(space.n_values)
        lease, swept = Lease(Workspace()), 0
        began = time.process_time()
        for block in space.blocks:
            if use_tiled:
                work = kernel.lay_out(
                    block, ArrayBlocks(space, values), lease.workspace, single=True
                )
                own = values[block.offset : block.offset + block.size]
                swept += iterate(work, own, goal, lease).sweeps * block.size
                work.store(own)
            else:
                generic = GenericBlock(block, values)
                swept += iterate(generic, generic.own, goal, lease).sweeps * block.size
        return time.process_time() - began, swept / space.n_values, values

    rounds = kernel.tiled.rounds
    tiled = sorted((whole(True) for _ in range(int(repeats))), key=lambda each: each[0])
    seconds, sweeps, values = tiled[len(tiled) // 2]
    other_seconds, other_sweeps, others = whole(False)
    return {
        "positions": float(space.n_values),
        "tiled": seconds,
        "tiled_sweeps": sweeps,
        "tiled_update": seconds / (sweeps * rounds * space.n_values),
        "generic": other_seconds,
        "generic_sweeps": other_sweeps,
        "generic_update": other_seconds / (other_sweeps * space.n_values),
        "difference": float(np.abs(values - others).max()),
    }


INSIDE: dict[str, Callable[..., dict[str, Any]]] = {
    "table": inside_table,
    "rates": inside_rates,
    "generic": inside_generic,
}


# ---- tables ----


def grid(title: str, *names: str) -> Grid:
    """A plain table, the first column to the left."""
    made = Grid(title=title, title_justify="left", box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for k, name in enumerate(names):
        made.add_column(name, justify="left" if k == 0 else "right", no_wrap=True)
    return made


def machine() -> str:
    """The processor, its load, and the software that counts."""
    name = platform.processor() or platform.machine()
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [s for s in cpuinfo.read_text().splitlines() if s.startswith("model name")]
        name = names[0].split(":", 1)[1].strip() if names else name
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{name}, {os.cpu_count()} cores{load}; Python {platform.python_version()}"


def print_solves(console: Console, solves: list[Solved]) -> None:
    made = grid(
        "From nothing to a finished table",
        "case", "positions", "seconds", "cpu s", "peak MiB", "bytes/pos", "sweeps",
        "updates/cpu s", "ns/pos", "residual", "table MB",
    )  # fmt: skip
    for each in solves:
        made.add_row(
            each.case, f"{each.positions:,}", f"{each.seconds:.2f}", f"{each.cpu:.2f}",
            f"{each.peak / 2**20:.0f}", f"{each.peak / each.positions:.1f}", f"{each.sweeps:.1f}",
            f"{each.updates / each.cpu:.3g}", f"{each.cpu / each.positions * 1e9:.0f}",
            f"{each.residual:.1e}", f"{each.table_bytes / 1e6:.1f}",
        )  # fmt: skip
    console.print(made, "")


def print_rates(console: Console, rates: list[tuple[str, dict[str, float]]]) -> None:
    made = grid(
        "Tables, one thread, processor seconds",
        "case", "write s", "elapsed", "write MB/s", "open ms", "load s", "single us, from file",
        "single us, loaded", "single/s", "batch ns", "batch/s",
    )  # fmt: skip
    for case, each in rates:
        made.add_row(
            case, f"{each['write']:.2f}", f"{each['write_elapsed']:.2f}",
            f"{each['values_bytes'] / each['write'] / 1e6:.0f}", f"{each['open'] * 1e3:.1f}",
            f"{each['load']:.2f}", f"{each['cold'] * 1e6:.1f}", f"{each['single'] * 1e6:.1f}",
            f"{1 / each['single']:,.0f}", f"{each['batch'] * 1e9:.0f}",
            f"{1 / each['batch'] / 1e6:.1f} M",
        )  # fmt: skip
    console.print(made, "")


def print_starts(console: Console, starts: list[tuple[str, Run]]) -> None:
    made = grid("Whole processes", "command", "seconds", "cpu s", "peak MiB")
    for command, each in starts:
        made.add_row(command, f"{each.seconds:.3f}", f"{each.cpu:.3f}", f"{each.peak / 2**20:.0f}")
    console.print(made, "")


def print_generic(console: Console, ratios: list[tuple[str, dict[str, float]]]) -> None:
    made = grid(
        "Against the generic kernel, one thread, same run, processor seconds",
        "case", "generic s", "tiled s", "ratio", "sweeps", "sweeps, tiled", "ns/update",
        "ns/update, tiled", "ratio", "largest difference",
    )  # fmt: skip
    for case, each in ratios:
        made.add_row(
            case, f"{each['generic']:.2f}", f"{each['tiled']:.3f}",
            f"{each['generic'] / each['tiled']:.0f}", f"{each['generic_sweeps']:.1f}",
            f"{each['tiled_sweeps']:.1f}", f"{each['generic_update'] * 1e9:.0f}",
            f"{each['tiled_update'] * 1e9:.1f}",
            f"{each['generic_update'] / each['tiled_update']:.0f}", f"{each['difference']:.0e}",
        )  # fmt: skip
    console.print(made, "")


def measure(
    cases: list[str],
    repeats: int,
    folder: pathlib.Path,
    console: Console,
    tolerance: float | None,
) -> Any:
    solves, rates, ratios = [], [], []
    starts: list[tuple[str, Run]] = []
    for case in cases:
        console.print(f"[dim]{case} ...[/dim]")
        table = folder / f"{case.replace(':', '-')}.h5"
        solved = solve(case, table, repeats, tolerance=tolerance)
        solves.append(solved)
        rates.append((case, inside("rates", str(table), str(max(3, repeats)))))
        if case.partition(":")[0] == "finkel" and not starts:
            count = case.partition(":")[2]
            start = f"....__../......../....__.. L {count} {count}"
            commands = {
                "ur --help": ["--help"],
                f"ur query {case}": ["query", str(table), start],
                f"ur best {case}": ["best", str(table), start, "2"],
            }
            starts = [
                (name, median_of(max(5, repeats), lambda given=given: ur(*given)))  # type: ignore[misc]
                for name, given in commands.items()
            ]
        table.unlink()
    names = {"finkel"} | {case.partition(":")[0] for case in cases}
    for case in GENERIC_CASES:
        if case.partition(":")[0] in names:
            console.print(f"[dim]{case}, both kernels ...[/dim]")
            ratios.append((case, inside("generic", case, str(max(3, repeats)))))
    console.print(machine(), "")
    print_solves(console, solves)
    print_rates(console, rates)
    print_starts(console, starts)
    print_generic(console, ratios)
    return {
        "machine": machine(),
        "solves": [asdict(each) for each in solves],
        "rates": dict(rates),
        "starts": {name: asdict(each) for name, each in starts},
        "generic": dict(ratios),
    }


def main() -> None:
    if sys.argv[1:2] == ["--inside"]:
        print(json.dumps(INSIDE[sys.argv[2]](*sys.argv[3:])))
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--quick", action="store_true", help="small cases")
    which.add_argument("--full", action="store_true", help="the largest cases")
    parser.add_argument("cases", nargs="*", help="such as finkel:5, instead of those")
    parser.add_argument("--repeats", type=int, help="solves of a case; their median counts")
    parser.add_argument("--tolerance", type=float, help="that tables are solved to")
    parser.add_argument("--folder", type=pathlib.Path, help="where tables are put for the while")
    parser.add_argument("--json", type=pathlib.Path, help="a file for the same numbers")
    arguments = parser.parse_args()
    name = "quick" if arguments.quick else "full" if arguments.full else "usual"
    repeats = arguments.repeats or (3 if name == "usual" else 1)
    console = Console(width=200, highlight=False)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        cases, tolerance = arguments.cases or SETS[name], arguments.tolerance
        found = measure(cases, repeats, pathlib.Path(folder), console, tolerance)
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
