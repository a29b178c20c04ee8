#!/usr/bin/env python3
"""Measure how many positions a second are read, written, looked up and exported.

    python scripts/measure_bulk.py finkel:5
    python scripts/measure_bulk.py finkel:5 --columns rank,position,value --memory 32MiB

The table is solved if it is missing. Rates are for one thread and processor seconds, the best of
three; each export is a process of its own, whose peak memory is what the operating system says.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable

import numpy as np
from bench import Run, machine, run

import ur_solver

N_STATES, N_MOVES, BEST_OF = 1_000_000, 50_000, 3


def rate(n: int, call: Callable[[], object]) -> str:
    """How many of `n` things a processor second has, the best of some tries."""
    taken = []
    for _ in range(BEST_OF):
        began = time.process_time()
        call()
        taken.append(time.process_time() - began)
    return f"{n / min(taken):,.0f} a second"


def in_python(table: ur_solver.Table) -> None:
    table.load()
    layout = table.layout
    rng = np.random.default_rng(1)
    states = table.states(rng.integers(table.space.n_values, size=N_STATES))
    is_dark = rng.random(N_STATES) < 0.5
    texts = layout.notations(states, is_dark)
    few, n = states[:N_MOVES], N_STATES
    print("texts written:", rate(n, lambda: layout.notations(states, is_dark)))
    print("texts read, checked and encoded:", rate(n, lambda: table.encode(texts)))
    print("values of texts:", rate(n, lambda: table.values(texts)))
    print("values of encoded states:", rate(n, lambda: table.values(states)))
    print("columns of texts:", rate(n, lambda: table.columns(texts)))
    print("move_columns of texts:", rate(N_MOVES, lambda: table.move_columns(texts[:N_MOVES])))
    print("move_columns of encoded states:", rate(N_MOVES, lambda: table.move_columns(few)))


def chunks(table: ur_solver.Table) -> None:
    began, n = time.process_time(), 0
    for _, values in table.chunks():
        n += len(values)
    print(f"chunks, from the file: {n / (time.process_time() - began):,.0f} positions a second")


def exports(word: str, options: list[str], folder: str) -> dict[str, tuple[Run, int]]:
    """By kind the process of an export, and the bytes that it has written."""
    found = {}
    for kind in ("parquet", "arrow", "npy"):
        output = os.path.join(folder, f"export.{kind}")
        done = run(["-m", "ur_solver", "export", word, output, f"--{kind}", "-q", *options])
        found[kind] = done, os.path.getsize(output)
        os.unlink(output)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("word", help="such as finkel:5")
    parser.add_argument("--columns", help="of the exports; by default all")
    parser.add_argument("--memory", help="of the exports, such as 32MiB")
    parser.add_argument("--folder", help="where exports are put for the while")
    asked = parser.parse_args()
    print(machine())
    options = ["--columns", asked.columns] if asked.columns else []
    if asked.memory:
        options += ["--memory", asked.memory]
    run(["-m", "ur_solver", "query", asked.word])  # solves it if it is missing
    # first, as a process counts the memory of the one that starts it
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        exported = exports(asked.word, options, folder)
    with ur_solver.open_table(asked.word) as table:
        n = table.header.positions
        for kind, (done, size) in exported.items():
            print(
                f"--{kind}: {n / done.cpu:,.0f} positions a second, {size / n:.0f} bytes each, "
                f"peak {done.peak / 2**20:.0f} MiB"
            )
        chunks(table)
        in_python(table)


if __name__ == "__main__":
    main()
