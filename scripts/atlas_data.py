"""The atlas's games and figures by tables: docs/atlas/data."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Iterator

import ur_solver as ur
from ur_solver.rules import named_rules
from ur_solver.space import space_of
from ur_solver.study import study
from ur_solver.study.comparison import Study

ROOT = pathlib.Path(__file__).resolve().parents[1]
ATLAS = ROOT / "docs" / "atlas"
GAMES, SEED = 20_000, 1
MEMORY = 15 << 30
"""The bytes that the values of a table may take."""

COUNTS = {
    "finkel": 7,
    "british-museum": 5,
    "finkel-3dice": 7,
    "conventional": 7,
    "four-again": 7,
    "four-again-d4": 7,
    "murray": 5,
    "murray-0-to-3": 5,
    "masters": 7,
    "masters-4dice": 7,
    "blitz": 5,
    "aseb": 5,
    "bell": 7,
    "bell-stakes": 7,
    "casual": 7,
    "casual-d4": 7,
    "casual-roll-again": 7,
    "birds": 4,
    "birds-d4": 4,
    "skiriuk": 4,
    "skiriuk-d4": 4,
    "ben": 4,
}
"""The pieces of every rule set's page: those that it is played with, or the most whose table two
cores have solved in 24 GiB."""

GROWTH = ("finkel:1", "finkel:2", "finkel:3", "finkel:4", "finkel:5", "finkel:7")


def path_of(word: str) -> pathlib.Path:
    return ATLAS / "data" / f"{word.replace(':', '-')}.study.json"


def words() -> Iterator[str]:
    yield from (f"{name}:{pieces}" for name, pieces in COUNTS.items())


def make_studies() -> None:
    path_of("x").parent.mkdir(parents=True, exist_ok=True)
    for word in dict.fromkeys((*words(), *GROWTH)):
        if not path_of(word).exists():
            print(word, flush=True)
            with solved(word) as table:
                found = study(table, games=GAMES, seed=SEED)
            path_of(word).write_text(json.dumps(found) + "\n")


def solved(word: str) -> ur.Table:
    """A table whose values fit in memory: a study asks for values all over it."""
    is_large = space_of(named_rules(word)).n_values > MEMORY // 8
    table = ur.solve(word, value_type="float32" if is_large else "float64")
    table.limit_memory(MEMORY)
    return table


def study_of(word: str) -> Study:
    return json.loads(path_of(word).read_text())  # type: ignore[no-any-return]
