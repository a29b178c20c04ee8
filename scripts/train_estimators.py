"""Train the estimators that come with the program, or small ones that tables can judge.

    python scripts/train_estimators.py shipped [--minutes 45] [--gpu] [RULES...]
    python scripts/train_estimators.py judged [--minutes 45] [--gpu] [RULES...]
    python scripts/train_estimators.py shipped --further [--minutes 45] [RULES...]
    python scripts/train_estimators.py shipped --calibrate [RULES...]

`shipped` writes ur_solver/estimators/shipped/*.h5, from the seeds below. `judged` trains rule sets
whose tables fit, where `ur solve` has put them, and writes estimators to --folder for
scripts/measure_estimators.py. An interrupted run goes on where it stopped.

A network learns from a table of the game's endings where `ur solve --left` has made one. Those that
come with the program learn from the table of the whole game if there is one; those that are judged
do not, as they show what can be expected of games without a table.

Some begin with the weights of an estimator that comes with the program (FIRST); --first names
another. With --further estimators that are there are trained for longer, from their weights. With
--calibrate their intervals are calibrated anew: by rollouts and by the table of the endings, or, of
those that come with the program, by the table of the game if there is one.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import pathlib
from contextlib import nullcontext

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the rounds are divided over threads

from ur_solver.estimators.calibration import Effort, calibrated
from ur_solver.estimators.estimator import ALL, ENDINGS, SHIPPED, Estimator, with_tables
from ur_solver.estimators.file import read, write
from ur_solver.estimators.training import Backend, Training, learnt_from, train_estimator
from ur_solver.rules import RuleSet, named_rules
from ur_solver.table.names import readable_name, table_name

SHIPPED_RULES = {
    "murray:7": 1,
    "murray-0-to-3:7": 2,
    "ben:7": 3,
    "skiriuk:7": 104,
    "skiriuk-d4:7": 105,
    "birds:5": 6,
    "finkel:7": 207,
    "conventional:7": 208,
    "casual:7": 109,
    "bell:7": 110,
    "aseb:5": 111,
    "blitz:5": 112,
    "british-museum:5": 113,
    "finkel-3dice:7": 114,
    "four-again:7": 115,
    "four-again-d4:7": 116,
    "masters:7": 117,
    "masters-4dice:7": 118,
    "casual-d4:7": 119,
    "casual-roll-again:7": 120,
    "bell-stakes:7": 121,
    "birds-d4:4": 122,
    "ben-4dice:7": 23,
    "ben-d4:7": 24,
}
"""Each with the seed of its last training."""

FIRST = {
    "murray-0-to-3:7": "murray:7",
    "skiriuk-d4:7": "skiriuk:7",
    "finkel-3dice:7": "finkel:7",
    "bell:7": "finkel:7",
    "four-again:7": "conventional:7",
    "four-again-d4:7": "four-again:7",
    "masters:7": "conventional:7",
    "masters-4dice:7": "masters:7",
    "casual-d4:7": "casual:7",
    "casual-roll-again:7": "casual:7",
    "ben-4dice:7": "ben:7",
    "ben-d4:7": "ben:7",
    "murray:4": "murray:7",
}
"""Games of the same squares, with other dice or fewer pieces: those that are trained begin with the
weights of those that come with the program."""

JUDGED_RULES = {"skiriuk:4": 12, "ben:4": 13, "murray:4": 14}

EFFORT = Effort(1500, rollouts=32)
"""Of their calibration."""

MOST_UNITS = 256
"""Of the first layer, so that a page has little to load."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("what", choices=["shipped", "judged"])
    parser.add_argument("rules", nargs="*")
    parser.add_argument("--minutes", type=float, default=45.0)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--gpu", action="store_true", help="train on a GPU, by CuPy")
    parser.add_argument("--first", type=pathlib.Path, help="begin with this estimator's weights")
    parser.add_argument("--further", action="store_true", help="train those that are there")
    parser.add_argument(
        "--calibrate", action="store_true", help="calibrate those that are there anew"
    )
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("estimators"))
    asked = parser.parse_intermixed_args()
    if asked.first and (asked.further or asked.calibrate or len(asked.rules) != 1):
        parser.error("--first is for one new estimator: name its rules")
    folder = SHIPPED if asked.what == "shipped" else asked.folder
    seeds = SHIPPED_RULES if asked.what == "shipped" else JUDGED_RULES
    tables = ALL if asked.what == "shipped" else ENDINGS
    folder.mkdir(parents=True, exist_ok=True)
    for word in asked.rules or seeds:
        rules = named_rules(word)
        path = _path(folder, word)
        if asked.calibrate:
            _calibrate(path, tables)
            continue
        if path.exists() != asked.further:
            print(f"{path} is {'there' if path.exists() else 'missing'}")
            continue
        usual = _path(SHIPPED, FIRST[word]) if word in FIRST else None
        start = path if asked.further else asked.first or usual
        first = None if start is None else read(start)
        with learnt_from(rules, tables) or nullcontext() as table:
            if table is not None:
                table.load()
            train_estimator(
                rules,
                path,
                minutes=asked.minutes,
                seed=seeds.get(word, 1),
                threads=asked.threads,
                effort=EFFORT,
                hidden=None if first is None else _smaller(first.shape.hidden),
                first=first,
                force=asked.further,
                table=table,
                backend=_backend(rules) if asked.gpu else None,
                on_round=_say,
            )
        print(f"{path}: {path.stat().st_size:,} bytes")


def _calibrate(path: pathlib.Path, tables: str) -> None:
    """Calibrate an estimator anew, and replace its file."""
    estimator = with_tables(Estimator(path, plies=1), tables)
    stored = estimator.stored
    seed = stored.made_by["seed"]
    widths, measured = calibrated(estimator.network, EFFORT, exact=estimator.exact, seed=seed)
    write(path, dataclasses.replace(stored, **vars(widths), measured=measured))
    print(f"{path}: {stored.errors} before, {widths}")


def _smaller(hidden: tuple[int, ...]) -> tuple[int, ...]:
    return (min(hidden[0], MOST_UNITS), *hidden[1:])


def _path(folder: pathlib.Path, word: str) -> pathlib.Path:
    return folder / table_name(readable_name(named_rules(word)))


def _backend(rules: RuleSet) -> Backend:
    from gpu_backend import GpuBackend  # noqa: PLC0415 - it needs CuPy

    return GpuBackend(rules)


def _say(training: Training, seconds: float) -> None:
    if training.rounds % 20 == 0:
        rms = 100 * training.errors[-1] ** 0.5
        word = training.rules.word
        print(f"{word} {seconds:7.1f} s, {training.positions:,} positions, {rms:.2f}", flush=True)


if __name__ == "__main__":
    main()
