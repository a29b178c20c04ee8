"""The estimators that come with the program, held against exact endings that are solved here."""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest

from tests.cli.test_commands import run
from tests.scripts import script_module
from tests.solving import make_table
from ur_solver.api.table import Table
from ur_solver.estimators.estimator import SHIPPED, Estimator, find_estimator
from ur_solver.estimators.network import Rows, scale_of
from ur_solver.estimators.search import ending_rows, play_ply
from ur_solver.rules import named_rules
from ur_solver.space import part_of
from ur_solver.table.names import readable_name, table_name

pytestmark = pytest.mark.medium

SEEDS = script_module("train_estimators").SHIPPED_RULES
TOO_LARGE = ["murray:7", "murray-0-to-3:7", "ben:7", "skiriuk:7", "skiriuk-d4:7", "birds:5"]
"""No machine here solves them."""

START = {"skiriuk:7": "....__../......../....__.. L 7 7"}


@pytest.fixture(autouse=True)
def _shipped_alone(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("UR_TABLES", str(tmp_path))
    monkeypatch.setattr("ur_solver.estimators.estimator.SHIPPED", SHIPPED)


def _file_name(word: str) -> str:
    return table_name(readable_name(named_rules(word)))


def test_they_take_little_room_in_the_package():
    files = sorted(SHIPPED.glob("*"))
    names = sorted(map(_file_name, SEEDS))
    assert [file.name for file in files] == names
    sizes = {file.name: file.stat().st_size for file in files}
    assert sum(sizes.values()) <= 6e6  # a site holds them all
    assert sum(sizes[name] for name in map(_file_name, TOO_LARGE)) <= 3e6


def _met(exact: Table) -> Rows:
    """The endings that games come to with any moves, from those with a piece each at home."""
    rng = np.random.default_rng(1)
    rows = ending_rows(exact.rules, 2000, rng)
    rows = np.repeat(np.unique(rows[exact.holds_states(rows)], axis=0), 200, axis=0)
    met = [rows]
    while len(rows):
        ply = play_ply(exact, rows, rng, explore=1.0)
        rows = ply.after[ply.sign != 0]
        met.append(rows)
    return np.unique(np.concatenate(met), axis=0)


@pytest.mark.parametrize("word", SEEDS)
def test_they_are_of_their_rule_sets_and_near_exact_values(word, tmp_path: pathlib.Path):
    rules = named_rules(word)
    estimator = find_estimator(rules, plies=1)
    assert estimator is not None
    assert estimator.path is not None
    assert estimator.path.parent == SHIPPED
    assert estimator.stored.made_by["seed"] == SEEDS[word]
    path = tmp_path / "endings.h5"
    make_table(rules, path, part=part_of(rules, 1))
    with Table(path) as exact:
        rows = _met(exact)
        assert len(rows) > 50
        off = (estimator.player.state_values(rows) - exact.state_values(rows)) / scale_of(
            rules, rows
        )
    # any guess is off by some 25 points
    assert np.sqrt(np.mean(off**2)) < 0.02


def test_the_game_as_it_is_played_is_answered_at_once():
    answer = json.loads(run("best", "skiriuk", START["skiriuk:7"], "2", "--json"))
    assert answer["exact"] is False
    assert 0 < answer["error"] < 0.1
    assert 0.4 < answer["value"] < 0.7
    assert "dark   home 7  off 0" in run("play", "skiriuk", stdin="")


def test_an_estimator_of_ones_own_is_found_first(tmp_path: pathlib.Path):
    own = tmp_path / "estimators" / _file_name("ben:7")
    own.parent.mkdir()
    own.write_bytes((SHIPPED / own.name).read_bytes())
    found = find_estimator(named_rules("ben:7"))
    assert found is not None
    assert found.path == own
    assert isinstance(found, Estimator)
