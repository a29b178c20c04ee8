"""Add up a profile by what the functions are for.

    valgrind --tool=callgrind --callgrind-out-file=cg.out \\
        python -m ur_solver solve finkel:3 --threads 1 -q -o cg.h5
    perf record -e cpu-clock -F 500 -o perf.data \\
        python -m ur_solver solve finkel:5 --threads 1 -q -o perf.h5
    python scripts/where_time_goes.py cg.out perf.data

Callgrind's files differ from perf's by their first line. valgrind knows no AVX-512; it
shows a processor without, and the solver takes AVX2 by itself.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import subprocess
from collections import Counter

GROUPS = {
    "best moves to other tiles": r"\b(prepare_|best_of|improve)",
    "updates": r"\b(update_(tile|rows?|lane|columns|\d)|solve_strip)",
    "opponent's view": r"\b(show_(in|opponent|matrix|rows|\d)|transpose_)",
    "pairs, prefetching, choice of function": r"\b(sweep_)",
    "extrapolation": r"\b(extrapolate_|remember_)|__pyx_\w*\dsample",
    "residual": r"\b(residual_)",
    "moves left out, precision": r"\b(eliminate_|to_single|to_double)",
    "laying out, storing": r"__pyx_\w*_tile",
    "ranks": r"__pyx_\w*_ranking",
    "copies": r"\b_*(memmove|memcpy|memset)",
    "files": r"bshuf|LZ4|crc32|H5|copy_folio|copy_page|copy_user|ext4|write",
}
OTHER = "the rest: interpreter, imports, kernel"


def callgrind(path: pathlib.Path) -> list[tuple[int, str]]:
    """Instructions and function."""
    command = ["callgrind_annotate", "--threshold=100", "--auto=no", str(path)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^ *([\d,]+) \( *[\d.]+%\)  (\S.*:.*)$", text, re.MULTILINE)
    return [(int(count.replace(",", "")), where.rsplit("/", 1)[-1] if ":" not in where else
             where.split(":", 1)[1].split(" [")[0]) for count, where in found]  # fmt: skip


def perf(path: pathlib.Path) -> list[tuple[int, str]]:
    """Samples and function."""
    command = ["perf", "report", "-i", str(path), "--stdio", "--no-children", "-g", "none"]
    command += ["-F", "sample,sym"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^ *(\d+) +\[.\] (\S.*)$", text, re.MULTILINE)
    return [(int(count), name.strip()) for count, name in found]


def group_of(name: str) -> str:
    return next((group for group, known in GROUPS.items() if re.search(known, name)), OTHER)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("profiles", nargs="+", type=pathlib.Path)
    for path in parser.parse_args().profiles:
        with path.open("rb") as file:
            is_callgrind = b"callgrind" in file.readline()
        found = callgrind(path) if is_callgrind else perf(path)
        totals: Counter[str] = Counter()
        for count, name in found:
            totals[group_of(name)] += count
        whole = sum(totals.values())
        print(f"{path}: {whole:,} {'instructions' if is_callgrind else 'samples'}")
        for group, count in totals.most_common():
            print(f"  {group:42} {count:15,}  {count / whole:6.1%}")


if __name__ == "__main__":
    main()
