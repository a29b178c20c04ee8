"""The library's interface: one import, objects that print, compare and travel."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pathlib
import pickle
import pydoc
import subprocess
import sys

import numpy as np
import pytest

import ur_solver as ur
from ur_solver.solving.execution import certify_table
from ur_solver.table.names import FOLDER_VARIABLE
from ur_solver.table.reader import TableFile

ROOT = pathlib.Path(__file__).parent.parent
HERE = "L...__../..D...../....__.. L 2 2"

FRONT_DOOR = """
>>> import ur_solver as ur
>>> with ur.solve("finkel:3") as table:
...     start = table.rules.start()
...     here = table.rules.position("L...__../..D...../....__.. L 2 2")
...     print(round(table.value(start), 9))
...     print(table.best(here, throw=2).move)
...     states = table.encode([start, here, here.pass_turn()])
...     print(table.values(states).round(6))
...     for game in ur.read_games(["game.ur"], table.rules):
...         report = table.audit(game)
...         print(f"{report.light.loss:.6f} {report.light.luck:.6f}")
0.516201102
A1B2
[0.516201 0.505135 0.557546]
0.074264 -0.512810
"""


@pytest.fixture
def table(solved):
    return ur.Table(solved(ur.rule_set("finkel:3")))


def test_the_front_door(table, tmp_path, monkeypatch):
    ur.write_games(ur.sample(table, 1, light="medium", dark="greedy", seed=3), tmp_path / "game.ur")
    monkeypatch.chdir(tmp_path)
    case = doctest.DocTestParser().get_doctest(FRONT_DOOR, {}, "front door", None, 0)
    runner = doctest.DocTestRunner()
    runner.run(case)
    assert runner.failures == 0


@pytest.mark.parametrize(
    "name",
    [
        "ur_solver",
        "ur_solver.api.games",
        "ur_solver.api.solving",
        "ur_solver.api.table",
        "ur_solver.answers.query",
        "ur_solver.rules.game",
        "ur_solver.common.text",
    ],
)
def test_examples_of_docstrings(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0
    assert found.failed == 0


def test_every_name_is_there_and_documented():
    for name in ur.__all__:
        found = getattr(ur, name)
        assert getattr(found, "__doc__", None), name
    assert set(ur.__all__) <= set(dir(ur))
    with pytest.raises(AttributeError, match="no attribute 'solved'"):
        ur.solved  # noqa: B018


def test_a_table_documents_all_that_it_offers():
    offered = {name: getattr(ur.Table, name) for name in dir(ur.Table) if name[0] != "_"}
    assert {"value", "moves", "columns", "move_columns", "cut_error", "info"} <= set(offered)
    for name, found in offered.items():
        assert found.__doc__, name
    parameters = inspect.signature(ur.Table.moves).parameters
    assert list(parameters) == ["self", "position", "throw", "choice"]
    assert "Every legal move, the best first" in pydoc.render_doc(ur.Table)


def test_nothing_is_imported_before_it_is_asked_for():
    code = (
        "import sys, ur_solver; early = set(sys.modules); ur_solver.RuleSet;"
        "print(sorted({'numpy', 'h5py', 'ur_solver.kernel'} & set(sys.modules)),"
        "      [name for name in early if name.startswith('ur_solver')])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[] ['ur_solver']"


def things(table):
    position = table.rules.position(HERE)
    (game,) = ur.sample(table, 1, light="weak", seed=2)
    return [
        table,
        table.rules,
        position,
        *table.moves(position, 2),
        table.best(position, 2).move,
        *table.throws(position),
        game,
        table.audit(game),
    ]


def test_objects_travel_and_are_the_same(table):
    for thing in things(table):
        again = pickle.loads(pickle.dumps(thing))
        assert again == thing
        assert type(again) is type(thing)
        if isinstance(thing, (ur.Table, ur.RuleSet, ur.Position, ur.Move)):
            assert hash(again) == hash(thing)


def test_a_birds_game_travels(tmp_path):
    table = ur.solve("birds:2", tmp_path / "birds.h5")
    (game,) = ur.sample(table, 1, seed=2)
    assert pickle.loads(pickle.dumps(game)).plies[0].throws == game.plies[0].throws


def test_representations_are_short(table):
    for thing in things(table):
        assert len(repr(thing)) < 400
    assert repr(table.rules) == "RuleSet('finkel:3')"
    assert repr(table) == f"Table({str(table.path)!r}: finkel:3)"


def test_positions_of_other_rules_differ(table):
    start = table.rules.start()
    assert start == ur.rule_set("finkel", 3).start()
    assert start != ur.rule_set("british-museum:3").start().mirror()
    with pytest.raises(ur.errors.RuleSetMismatchError, match="of masters:3, not of finkel:3"):
        table.value(ur.rule_set("masters:3").start())
    with pytest.raises(ur.errors.RuleSetMismatchError, match="of masters:3, not of finkel:3"):
        table.rules.legal_moves(ur.rule_set("masters:3").start(), 2)


def test_what_a_notebook_shows(table):
    (game,) = ur.sample(table, 1, light="weak", seed=2)
    assert "<svg" in table.rules.position(HERE)._repr_html_()
    assert "263,121" in table._repr_html_()
    page = table.audit(game)._repr_html_()
    assert page.startswith("<iframe srcdoc=")
    assert "&lt;!DOCTYPE html&gt;" in page


def test_values_of_positions_texts_and_states_agree(table):
    texts = [HERE, "....__../......../....__.. D 3 3", "....__L./......../....__.. L 0 3"]
    positions = [table.rules.position(text) for text in texts]
    expected = [table.value(position) for position in positions]
    assert table.values(texts).tolist() == expected
    assert table.values(positions).tolist() == expected
    assert table.values(table.encode(texts)).tolist() == expected
    assert [table.value(text) for text in texts] == expected
    assert table.values([]).shape == (0,)
    assert table.values(np.empty((0, 22), np.uint8)).shape == (0,)


def test_rule_sets_by_name_file_values_and_count(tmp_path):
    by_name = ur.rule_set("finkel:3")
    path = tmp_path / "mine.json"
    path.write_text('{"name": "mine", "path": "bell", "dice": "4-binary", "pieces": 3}')
    for same in (ur.rule_set(path), ur.rule_set(by_name.to_json()), ur.rule_set("finkel", 3)):
        assert same.is_same_game(by_name)
    assert ur.rule_set(by_name) is by_name
    assert ur.rule_set(by_name, 2).pieces == 2
    assert ur.rule_set(by_name.to_json(), 4).pieces == 4
    with pytest.raises(ur.errors.RuleSetError, match="did you mean 'finkel'"):
        ur.rule_set("finkle")


def test_a_table_that_is_there_is_opened_not_solved(tmp_path):
    path = tmp_path / "table.h5"
    reported = []
    with ur.solve("finkel:2", path, progress=lambda *counts: reported.append(counts)) as first:
        made = path.stat().st_mtime_ns
        with ur.solve("finkel:2", path) as second:
            assert second == first
    assert path.stat().st_mtime_ns == made
    assert reported[-1] == (12869, 12869)
    with pytest.raises(ur.errors.OutputError, match=r"holds finkel with 2 pieces .* force=True"):
        ur.solve("finkel:1", path)
    ur.solve("finkel:1", path, force=True).close()
    with ur.open_table(path) as table:
        assert table.rules.pieces == 1
    (tmp_path / "text.h5").write_text("no table")
    with pytest.raises(ur.errors.OutputError, match="is not a table; name another file"):
        ur.solve("finkel:1", tmp_path / "text.h5")


def test_certified_errors(tmp_path):
    with ur.solve("finkel:2", tmp_path / "certified.h5", certify=True) as table:
        assert 0 < table.error(table.rules.start()) <= table.max_error < 1e-12
        assert table.verify(sample=20).error == table.max_error
    with ur.solve("finkel:2", tmp_path / "plain.h5") as table:
        assert table.max_error is None
        assert table.error(table.rules.start()) is None


def test_a_part_of_a_game(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    late = "L...__../.......L/....__.D L 0 1"
    with ur.solve("finkel:3", left=2) as table:
        assert table.path == tmp_path / "finkel-3-left-2.h5"
        assert table.left == 2
        assert table.start_value is None
        assert table.verify().positions == 12_869
    with ur.solve("finkel:3", left=2) as again:
        assert again == table
    assert issubclass(ur.errors.BeyondTableError, ur.errors.InputError)
    with TableFile(table.path) as file:
        certify_table(file)
    with ur.open_table(table.path) as table:
        assert table.error(late) < 1e-12
        with pytest.raises(ur.errors.BeyondTableError):
            table.error(table.rules.start())


def test_a_missing_table_is_an_error_with_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setenv("UR_TABLES", str(tmp_path))
    with pytest.raises(ur.errors.MissingTableError, match="'ur solve murray-3dice -n 2' "):
        ur.open_table("murray-3dice:2")


def test_games_and_faults_are_apart(tmp_path, table):
    path = tmp_path / "games.ur"
    ur.write_games(ur.sample(table, 3), path)
    text = path.read_text()
    path.write_text(text + "\nrules: finkel:3\nL 9 A@A4\n")
    games = ur.read_games(path, table.rules)
    for _ in range(2):  # read anew
        assert [game.number for game in games] == [1, 2, 3]
        assert len(games.faults) == 1
        assert "throw 9" in str(games.faults[0])
    assert [audit.record.number for audit in table.audits(games)] == [1, 2, 3]


def test_a_move_is_played(table):
    rules = table.rules
    start = rules.start()
    (move,) = rules.legal_moves(start, 2)
    after = rules.play(start, 2, move)
    assert after == rules.play(start, 2, "A@A3") == move.position
    assert rules.play(start, 0, None) == start.pass_turn()
    with pytest.raises(ur.errors.MoveError, match=r"throw 2 cannot be passed .*legal: A@A3"):
        rules.play(start, 2, None)
    with pytest.raises(ur.errors.MoveError, match="'A@A4' is not legal"):
        rules.play(start, 2, "A@A4")
    assert rules.play(start, 4, "A@A1*").side == "L"  # a rosette: light throws again
