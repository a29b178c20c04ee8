"""Tables that are damaged, and tables that are read by many workers at once."""

from __future__ import annotations

import multiprocessing
import pathlib
import subprocess
import sys
import time
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from random import Random

import numpy as np
import numpy.typing as npt

from tests.faults.solves import damaged
from tests.faults.tally import Tally
from ur_solver.errors import UrError
from ur_solver.table.reader import TableFile

SAMPLE = 50
"""The number of values that are read one by one from each damaged table."""


def damaged_tables(sound: pathlib.Path, times: int, seed: int, cut: bool) -> Tally:
    """Flip a bit in a table, or truncate it, and read it in every way."""
    what = "a table is truncated" if cut else "a bit of a table is flipped"
    tally = Tally(f"{sound.stem}: {what}, then every value is read")
    dice = Random(seed)
    content, path = sound.read_bytes(), sound.with_name("damaged.h5")
    with TableFile(sound) as table:
        truth, header = np.array(table.load()), table.header
    for case in range(times):
        path.write_bytes(damaged(content, dice, cut))
        name = f"case {case} of seed {seed}"
        try:
            with TableFile(path) as table:
                is_same = table.header == header and _reads_right(table, truth, dice)
        except UrError as error:
            tally.count(detected="\n" not in str(error), case=f"{name}: {error}")
        except Exception as error:
            tally.count(case=f"{name}: {error!r}")
        else:
            tally.count(survived=is_same, case=name)
    path.unlink()
    return tally


def _reads_right(table: TableFile, truth: npt.NDArray[np.float64], dice: Random) -> bool:
    """Whether all values are correct; raises UrError if one cannot be read."""
    ranks = [dice.randrange(len(truth)) for _ in range(SAMPLE)]
    return (
        all(table.read_one(rank) == truth[rank] for rank in ranks)
        and np.array_equal(table.read_many(ranks), truth[ranks])
        and np.array_equal(table.load(), truth)
    )


_shared: TableFile | None = None

_MANY = 100_000
"""Values read at once. Between such reads threads wait for Python's global lock."""


def _share(path: pathlib.Path) -> None:
    global _shared  # noqa: PLW0603 - a worker has no other way to keep what it opened
    _shared = TableFile(path)


def _read(path: pathlib.Path, seed: int, count: int) -> tuple[int, int]:
    """Read from the shared table; returns the number of values read and of wrong ones."""
    assert _shared is not None
    truth = np.load(path)
    dice = np.random.default_rng(seed)
    n_wrong, n_read = 0, 0
    while n_read < count:
        ranks = dice.integers(len(truth), size=_MANY)
        n_wrong += sum(_shared.read_one(rank) != truth[rank] for rank in ranks[:100].tolist())
        n_wrong += int((_shared.read_many(ranks) != truth[ranks]).sum())
        n_read += _MANY + 100
    return n_read, n_wrong


def _pool(kind: str, workers: int, path: pathlib.Path) -> Executor:
    if kind == "threads":
        _share(path)  # one table for all of them
        return ThreadPoolExecutor(workers)
    if kind == "forks":
        _share(path)  # opened before the fork
        return ProcessPoolExecutor(workers, multiprocessing.get_context("fork"))
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, context, initializer=_share, initargs=(path,))


def readers(
    sound: pathlib.Path, kind: str, workers: int, tasks: int, count: int
) -> tuple[Tally, float]:
    """Read one table from many threads or processes at once.

    Parameters
    ----------
    sound : Path
    kind : str
        ``threads`` share an open table, ``forks`` were forked after it was opened,
        ``processes`` open it themselves.
    workers : int
        The number of readers at the same time.
    tasks, count : int
        Each task reads at least `count` values.

    Returns
    -------
    Tally
        Of the tasks.
    float
        Values read per second by all workers together.
    """
    tally = Tally(f"{sound.stem}: read by {kind}, {workers} at once")
    answers = sound.with_suffix(".npy")
    with TableFile(sound) as table:
        np.save(answers, table.load())
    with _pool(kind, workers, sound) as pool:
        list(pool.map(_read, [answers] * workers, range(workers), [1] * workers))  # all started
        began = time.perf_counter()
        found = list(pool.map(_read, [answers] * tasks, range(tasks), [count] * tasks))
        seconds = time.perf_counter() - began
    for task, (_, n_wrong) in enumerate(found):
        tally.count(survived=not n_wrong, case=f"task {task}: {n_wrong} values wrong")
    return tally, sum(n_read for n_read, _ in found) / seconds


def reading_beside_a_solve(sound: pathlib.Path, word: str, times: int) -> Tally:
    """Open and read a table repeatedly while a solve replaces it."""
    tally = Tally(f"{sound.stem}: opened and read while it is being replaced by a solve of {word}")
    with TableFile(sound) as table:
        truth = np.array(table.load())
    dice = Random(0)
    for _ in range(times):
        command = [sys.executable, "-m", "ur_solver", "solve", word, "--threads", "1"]
        solve = subprocess.Popen([*command, "-q", "--force", "-o", str(sound)])
        while solve.poll() is None:
            try:
                with TableFile(sound) as table:
                    is_same = _reads_right(table, truth, dice)
            except Exception as error:
                tally.count(case=repr(error))
            else:
                tally.count(survived=is_same, case="a wrong value")
        if solve.returncode:
            tally.lost.append(f"the solve ended with {solve.returncode}")
    return tally
