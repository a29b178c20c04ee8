#!/usr/bin/env python3
"""What solves cost a position, relative to the first rule set.

    python scripts/measure_costs.py                            the usual rule sets, three rounds
    python scripts/measure_costs.py --rounds 1 finkel:5 bell:7  these, once
    python scripts/measure_costs.py --before ../earlier         two versions in turn

Every solve is a process of its own, as a user would start it. In a round every rule set is solved
once, by each version: what a shared machine does to one of them it does to the others, so that the
ratios of a round hold. ``--before`` is another checkout whose modules are built in place. Prints a
Markdown table: medians of the rounds, and every ratio.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import tempfile

from bench import ROOT, Run, machine, run

USUAL = ["finkel:5", "bell:5", "casual:5", "birds:3", "skiriuk:3", "ben:3", "murray:3"]
COLUMNS = ("elapsed s", "processor s", "peak MiB", "by the first's")


def solved(case: str, root: pathlib.Path, output: pathlib.Path) -> tuple[Run, int]:
    """A case solved, and its positions."""
    command = ["-P", "-m", "ur_solver"]  # the package at `root`, not the one here
    ran = run([*command, "solve", case, "--quiet", "--force", "-o", str(output)], root=root)
    info = json.loads(run([*command, "info", str(output), "--json"], root=root).output)
    output.unlink()
    return ran, int(info["positions"])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", nargs="*", default=USUAL, help="as finkel:5; the first is 1")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--before", type=pathlib.Path, help="another checkout, built in place")
    options = parser.parse_args()
    versions = {"now": ROOT}
    if options.before:
        versions = {"before": options.before.resolve(), **versions}
    positions: dict[str, int] = {}
    runs: dict[tuple[str, str], list[Run]] = {}
    with tempfile.TemporaryDirectory() as room:
        for _ in range(options.rounds):
            for case in options.cases:
                for version, root in versions.items():
                    ran, positions[case] = solved(case, root, pathlib.Path(room) / "table.h5")
                    runs.setdefault((case, version), []).append(ran)

    def cells(case: str, version: str) -> list[str]:
        own, first = runs[case, version], runs[options.cases[0], version]
        size = positions[case] / positions[options.cases[0]]
        ratios = [each.cpu / one.cpu / size for each, one in zip(own, first, strict=True)]
        return [
            f"{statistics.median(each.seconds for each in own):.1f}",
            f"{statistics.median(each.cpu for each in own):.1f}",
            f"{statistics.median(each.peak for each in own) / 2**20:.0f}",
            ", ".join(f"{ratio:.2f}" for ratio in ratios),
        ]

    heads = ["rule set", "positions"]
    for version in versions:
        heads += [f"{column}, {version}" if options.before else column for column in COLUMNS]
    if options.before:
        heads.append("processor s, ratios")
    print(f"{machine()}; {options.rounds} rounds\n")
    print(f"| {' | '.join(heads)} |")
    print("|---" * len(heads) + "|")
    for case in options.cases:
        row = [case, f"{positions[case]:,}"]
        for version in versions:
            row += cells(case, version)
        if options.before:
            pairs = zip(runs[case, "now"], runs[case, "before"], strict=True)
            row.append(", ".join(f"{now.cpu / before.cpu:.2f}" for now, before in pairs))
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
