"""Measure and plot how the cost of a solve grows with the number of pieces.

    python scripts/plot_growth.py bell=5 masters=4 murray=3    measure up to this many pieces
    python scripts/plot_growth.py                              draw again what is known

Each solve is a process of its own (scripts/bench.py). Measurements go to
docs/data/growth.tsv, where one of the same path and count replaces the earlier one, and
from there to docs/img/growth.png.
"""

from __future__ import annotations

import argparse
import csv
import pathlib
import sys
import tempfile
from dataclasses import asdict, dataclass

from bench import ROOT, machine, solve

DATA = ROOT / "docs" / "data" / "growth.tsv"
IMAGE = ROOT / "docs" / "img" / "growth.png"
RULES = {"bell": "finkel", "masters": "masters", "murray": "murray"}
"""A rule set for each path."""

STYLE = {"bell": ("C0", "o"), "masters": ("C1", "s"), "murray": ("C2", "^")}


@dataclass(frozen=True)
class Row:
    """One solve: a line of growth.tsv."""

    path: str
    pieces: int
    positions: int
    seconds: float
    cpu_seconds: float
    peak_bytes: int
    sweeps: float
    residual: float
    threads: int
    machine: str


def read() -> dict[tuple[str, int], Row]:
    """What has been measured so far."""
    rows: dict[tuple[str, int], Row] = {}
    if DATA.exists():
        with DATA.open(newline="") as file:
            for line in csv.DictReader(file, delimiter="\t"):
                row = Row(
                    path=line["path"],
                    pieces=int(line["pieces"]),
                    positions=int(line["positions"]),
                    seconds=float(line["seconds"]),
                    cpu_seconds=float(line["cpu_seconds"]),
                    peak_bytes=int(line["peak_bytes"]),
                    sweeps=float(line["sweeps"]),
                    residual=float(line["residual"]),
                    threads=int(line["threads"]),
                    machine=line["machine"],
                )
                rows[row.path, row.pieces] = row
    return rows


def write(rows: dict[tuple[str, int], Row]) -> None:
    """Write all measurements, in order."""
    DATA.parent.mkdir(parents=True, exist_ok=True)
    with DATA.open("w", newline="") as file:
        writer = csv.DictWriter(
            file, list(Row.__annotations__), delimiter="\t", lineterminator="\n"
        )
        writer.writeheader()
        writer.writerows(asdict(rows[key]) for key in sorted(rows))


def measure(path: str, pieces: int, threads: int, repeats: int) -> Row:
    """Solve one case in processes of its own."""
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "growth.h5"
        found = solve(f"{RULES[path]}:{pieces}", table, repeats, threads=threads)
    return Row(
        path=path,
        pieces=pieces,
        positions=found.positions,
        seconds=round(found.seconds, 3),
        cpu_seconds=round(found.cpu, 3),
        peak_bytes=found.peak,
        sweeps=round(found.sweeps, 2),
        residual=found.residual,
        threads=threads,
        machine=machine(),
    )


def draw(rows: dict[tuple[str, int], Row]) -> None:
    """Time, memory and sweeps over the number of pieces."""
    # Not earlier: what this process holds would count as its children's peak.
    import matplotlib as mpl  # noqa: PLC0415

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    IMAGE.parent.mkdir(parents=True, exist_ok=True)
    figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.2), layout="constrained")
    for path in RULES:
        known = [rows[key] for key in sorted(rows) if key[0] == path]
        if not known:
            continue
        color, marker = STYLE[path]
        pieces = [row.pieces for row in known]
        plain = {"color": color, "marker": marker, "markersize": 4}
        axes[0].plot(pieces, [row.cpu_seconds for row in known], label=path, **plain)
        axes[1].plot(pieces, [row.peak_bytes / 2**30 for row in known], **plain)
        axes[1].plot(
            pieces, [8 * row.positions / 2**30 for row in known], color=color, linestyle=":"
        )
        axes[2].plot(pieces, [row.sweeps for row in known], **plain)
    axes[0].set(title="processor seconds", yscale="log")
    axes[1].set(title="peak memory, GiB (dotted: the values)", yscale="log", ylim=(1e-3, None))
    axes[2].set(title="sweeps, mean over positions", ylim=(0, None))
    axes[0].legend(frameon=False)
    for axis in axes:
        axis.set(xlabel="pieces", xticks=range(1, 8))
        axis.grid(alpha=0.3)
    figure.savefig(IMAGE, dpi=100)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("limits", nargs="*", help="such as bell=5: measure 1 to 5 pieces")
    parser.add_argument("--first", type=int, default=1, help="start at this many pieces")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=1)
    arguments = parser.parse_args()
    rows = read()
    for limit in arguments.limits:
        path, _, pieces = limit.partition("=")
        if path not in RULES or not pieces.isdigit():
            sys.exit(f"limit {limit!r}: one of {', '.join(RULES)}, then = and a count of pieces")
        for count in range(arguments.first, int(pieces) + 1):
            row = measure(path, count, arguments.threads, arguments.repeats)
            print(
                f"{path} {count}: {row.positions:,} positions, {row.seconds:.2f} s, "
                f"{row.cpu_seconds:.2f} cpu s, {row.peak_bytes / 2**20:.0f} MiB, "
                f"{row.sweeps:.1f} sweeps",
                flush=True,
            )
            rows[path, count] = row
            write(rows)
    draw(rows)


if __name__ == "__main__":
    main()
