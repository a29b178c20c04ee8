"""Every error of the Python interface is a `UrError`: wrong types, closed tables; and pools."""

from __future__ import annotations

import dataclasses
import json
import math
import multiprocessing
import pathlib
import pickle
import shutil
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import ur_solver as ur
from ur_solver.errors import (
    ClosedTableError,
    InputError,
    RuleSetError,
    ThrowError,
    UrError,
    WrongTypeError,
)
from ur_solver.rules import Stakes

START = "....__../......../....__.. L 2 2"
ONE = "....__../......../....__.. L 1 1"
STRANGE = [None, 1, 1.5, b"x", [], {}, Ellipsis, np.int64(3), START.encode()]
SEVERAL = [*STRANGE, *([each] for each in STRANGE)]


@pytest.fixture
def table(finkel2):
    with ur.Table(finkel2) as table:
        yield table


def fault_of(function, *arguments, **options) -> BaseException | None:
    try:
        list(found if hasattr(found := function(*arguments, **options), "__next__") else ())
    except UrError as error:
        return error
    return None


def test_sentences():
    """What the tests below find is one line."""
    with pytest.raises(WrongTypeError, match=r"^None is of type NoneType; expected .*$"):
        ur.open_table(None)


@pytest.mark.parametrize("thing", STRANGE, ids=repr)
def test_a_thing_that_is_no_position_is_named(table, thing):
    for name in ("value", "error", "chance", "check", "holds", "throws", "choices"):
        assert isinstance(fault_of(getattr(table, name), thing), WrongTypeError), name
    for name in ("best", "moves"):
        assert isinstance(fault_of(getattr(table, name), thing, 1), WrongTypeError), name
    assert isinstance(fault_of(table.rules.position, thing), WrongTypeError)


@pytest.mark.parametrize("thing", STRANGE, ids=repr)
def test_a_thing_that_is_no_part_of_a_rule_set_is_named(thing):
    finkel = ur.rule_set("finkel")
    for key in ("path", "dice", "pieces"):
        is_count = key == "pieces" and isinstance(thing, (int, np.integer))
        found = fault_of(dataclasses.replace, finkel, **{key: thing})
        assert found is None if is_count else isinstance(found, WrongTypeError), key
    assert isinstance(fault_of(finkel.legal_moves, thing, 1), WrongTypeError)


@pytest.mark.parametrize("number", [2.5, "3", None])
def test_a_number_that_is_not_whole_is_named(number):
    finkel, bell = ur.rule_set("finkel"), ur.rule_set("bell")
    assert isinstance(fault_of(finkel.with_pieces, number), WrongTypeError)
    assert isinstance(fault_of(finkel.legal_moves, finkel.start(), number), ThrowError)
    for stakes in ({"ante": number}, {"fine": number}, {"reach": number}):
        if stakes != {"reach": None}:
            assert isinstance(fault_of(Stakes, **stakes), RuleSetError)
    # numbers of numpy are whole, and JSON gets those of Python
    assert json.loads(json.dumps(finkel.with_pieces(np.int64(3)).to_json()))["pieces"] == 3
    assert json.dumps(finkel.with_pieces(True).to_json()) == json.dumps(
        finkel.with_pieces(1).to_json()
    )
    assert finkel.legal_moves(finkel.start(), np.int64(2))
    assert bell.with_pieces(np.int64(3)) == bell.with_pieces(3)


@pytest.mark.parametrize("things", SEVERAL, ids=repr)
def test_things_that_are_no_positions_are_named(table, things):
    """Nothing else than a UrError is raised; an empty list is no position, and no fault."""
    for name in ("values", "errors", "columns", "encode", "ranks", "move_columns", "states",
                 "state_values", "holds_states"):  # fmt: skip
        fault_of(getattr(table, name), things)


@pytest.mark.parametrize("thing", [None, 1, b"\xff", [], Ellipsis], ids=repr)
def test_a_thing_that_is_no_path_is_named(thing):
    for function in (ur.open_table, ur.Table, ur.solve, ur.train, ur.open_evaluator,
                     ur.open_estimator, ur.rule_set):  # fmt: skip
        found = fault_of(function, thing)
        assert isinstance(found, WrongTypeError), function
        assert "; expected " in str(found)
    if thing != []:
        assert isinstance(fault_of(ur.read_games, thing), WrongTypeError)


@pytest.mark.parametrize(
    "option",
    [{"pieces": "x"}, {"tolerance": "x"}, {"threads": "x"}, {"memory": "x"}, {"left": 0.5},
     {"threads": 0}, {"value_type": 1}, {"precision": None}],
    ids=str,
)  # fmt: skip
def test_options_of_a_solve_are_checked(option, tmp_path):
    assert isinstance(fault_of(ur.solve, "finkel:1", tmp_path / "t.h5", **option), InputError)
    assert list(tmp_path.iterdir()) == []


def test_other_things_are_checked(table, tmp_path):
    ur.solve("finkel:2")  # what is asked for is checked where a table is there, too
    for ask in (
        lambda: table.audit(None),
        lambda: list(table.audits([1])),
        lambda: table.limit_memory("x"),
        lambda: table.limit_memory(-1),
        lambda: table.load("x"),
        lambda: table.export(1),
        lambda: table.export(tmp_path / "x.npy", "npy", progress=1),
        lambda: ur.sample(None, 1),
        lambda: ur.sample(table, "x"),
        lambda: ur.write_games([], 1),
        lambda: ur.solve("finkel:1", tmp_path / "t.h5", progress=1),
        lambda: ur.solve_from("blitz:1", ONE, memory="x"),
        lambda: ur.solve_from("finkel:2", START, memory="x"),
        lambda: ur.solve_from("blitz:1", ONE, threads=0),
        lambda: ur.solve_from("finkel:2", START, progress=True),
        lambda: ur.train("finkel:1", tmp_path / "e.h5", rounds=0),
        lambda: ur.train("finkel:1", tmp_path / "e.h5", minutes=-1),
        lambda: ur.train("finkel:1", tmp_path / "e.h5", minutes=math.nan),
        lambda: ur.train("finkel:1", tmp_path / "e.h5", minutes=1, rounds=1),
        lambda: ur.train("finkel:1", tmp_path / "e.h5", rounds=1, hidden=16),
        lambda: ur.train("finkel:1", tmp_path / "e.h5", rounds=1, hidden=("x",)),
        lambda: ur.train("finkel:1", tmp_path / "e.h5", rounds=1, threads=0),
        lambda: ur.write_games(1, tmp_path / "games.ur"),
        lambda: ur.solve_lengths("finkel:1", path=1),
        lambda: ur.solve_lengths("finkel:1", path=tmp_path / "t.h5", progress=1),
    ):
        with pytest.raises(InputError):
            ask()


@pytest.mark.parametrize("is_loaded", [False, True])
def test_a_closed_table_says_so(finkel2, tmp_path, is_loaded):
    table = ur.Table(finkel2)
    assert table.values([START])[0] == table.value(START)
    if is_loaded:
        table.load()
    table.close()
    table.close()
    for ask in (
        lambda: table.value(START),
        lambda: table.values([START]),
        lambda: table.best(START, 1),
        lambda: next(iter(table.chunks())),
        table.load,
        lambda: table.export(tmp_path / "x.npy", "npy"),
        lambda: next(iter(ur.sample(table, 1))),
        table.info,
    ):
        with pytest.raises(ClosedTableError, match=r"is closed: open it again to ask it$"):
            ask()
    assert table.rules.word == "finkel:2"
    assert "finkel-2" in repr(table)


def opened(table: ur.Table) -> tuple[int, float]:
    """What a task of a pool sees: which object, and a value."""
    return id(table.file), table.value(START)


def test_a_table_is_opened_once_in_a_process_of_a_pool(table):
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        found = {pool.submit(opened, table).result() for _ in range(3)}
    ((_, value),) = found
    assert value == table.value(START)


def test_a_table_that_was_sent_is_opened_anew_when_it_was_closed_or_replaced(finkel2, tmp_path):
    path = pathlib.Path(shutil.copy(finkel2, tmp_path / "table.h5"))
    with ur.Table(path) as table:
        sent = pickle.dumps(table)
    first = pickle.loads(sent)
    assert pickle.loads(sent) is first
    first.close()
    second = pickle.loads(sent)
    assert second.value(START) > 0.5
    ur.solve("finkel:1", path, force=True).close()
    assert pickle.loads(sent).rules.word == "finkel:1"
    second.close()
    pickle.loads(sent).close()
    path.unlink()
    with pytest.raises(ur.errors.MissingTableError):
        pickle.loads(sent)
