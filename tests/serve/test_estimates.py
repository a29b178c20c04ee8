"""Estimators are served like tables: each value with its error, as the Python API says."""

from __future__ import annotations

import jsonschema
import pytest

from tests.estimators.test_file import stored_of
from tests.games import random_game, write_text
from tests.serve.asking import Asker
from tests.serve.conftest import position_path
from tests.serve.test_requests import resolved
from ur_solver.answers.decisions import Thresholds
from ur_solver.api.table import Table
from ur_solver.audit.texts import game_values
from ur_solver.errors import IgnoredFileWarning
from ur_solver.estimators.estimator import Estimator
from ur_solver.estimators.file import write
from ur_solver.rules import SIDE_NAMES, named_rules
from ur_solver.serve.app import make_app
from ur_solver.serve.interface import document
from ur_solver.serve.shelf import open_shelf
from ur_solver.table.reader import TableFile

WORDS = ("finkel:3", "birds:2", "skiriuk:1", "casual-roll-again:1", "bell-stakes:1")


@pytest.fixture(scope="module")
def estimators() -> dict[str, Estimator]:
    return {word.replace(":", "-"): Estimator(stored_of(word), plies=2) for word in WORDS}


@pytest.fixture(scope="module")
def asker(estimators):
    asker = Asker(make_app(estimators))
    yield asker
    asker.close()


def states_of(name, estimator):
    game = random_game(estimator.rules, 5)
    return [game.stepper.position(ply.state, ply.side) for ply in game.plies[::3]]


@pytest.mark.parametrize("name", [word.replace(":", "-") for word in WORDS])
def test_positions_have_errors(asker, estimators, name):
    estimator, schema = estimators[name], document()
    for position in states_of(name, estimator):
        answer = asker.get(position_path(name, position.notation)).json
        jsonschema.validate(answer, resolved(schema["components"]["schemas"]["Position"], schema))
        assert answer["value"] == pytest.approx(estimator.value(position), abs=1e-6)
        assert (answer["exact"], answer["tolerance"]) == (False, None)
        assert answer["error"] == pytest.approx(estimator.error(position), abs=1e-6)
        choices = estimator.choices(position)
        if choices:
            assert answer["choices"] == pytest.approx(choices, abs=1e-6)
            allowed = {choice for choice, value in choices.items() if value is not None}
            assert answer["choice_errors"].keys() == allowed
            found = {each.name: each.error for each in estimator.decision(position).choices}
            for choice, error in answer["choice_errors"].items():
                assert error == pytest.approx(found[choice], abs=1e-7)
            continue
        for thrown in answer["throws"]:
            moves = estimator.moves(position, thrown["throw"])
            assert len(moves) == len(thrown["moves"])
            errors = {each.move.text: estimator.error(each.move.position) or 0.0 for each in moves}
            known = {each.move.text: each for each in moves}
            for move in thrown["moves"]:
                error, evaluated = errors[move["move"]], known[move["move"]]
                assert move["value"] == pytest.approx(evaluated.value, abs=1e-6)
                assert move["exact"] is (error == 0)
                assert move.get("error", 0) == pytest.approx(error, abs=1e-6)
                wanted = evaluated.loss_error
                assert move["loss_error"] == pytest.approx(wanted, abs=1e-6)
                assert move["mark"] is None or move["loss"] > move["loss_error"]


@pytest.mark.parametrize("name", [word.replace(":", "-") for word in WORDS])
def test_values_of_encoded_states_have_errors(asker, estimators, name):
    estimator = estimators[name]
    rows = estimator.encode(states_of(name, estimator))
    found = asker.post(f"/api/v1/tables/{name}/values", {"states": rows.tolist()}).json
    values = estimator.state_values(rows)
    assert found["values"] == pytest.approx(values.tolist(), abs=1e-6)
    assert found["errors"] == pytest.approx(
        estimator.state_margins(rows, values).tolist(), abs=1e-6
    )
    assert "chances" not in found


@pytest.mark.parametrize("name", [word.replace(":", "-") for word in WORDS])
def test_a_game_is_judged_as_an_audit_does(asker, estimators, name):
    estimator, schema = estimators[name], document()["components"]["schemas"]
    game = random_game(estimator.rules, 3)
    sent = {"text": write_text(game, ".ur")}
    (found,) = asker.post(f"/api/v1/tables/{name}/audit", sent).json["games"]
    jsonschema.validate(found, resolved(schema["Audit"], document()))
    audit = estimator.audit(game)
    expected = game_values(audit, Thresholds())
    assert found["exact"] is False
    assert found["start_value"] == pytest.approx(audit.start_value, abs=1e-6)
    for side in SIDE_NAMES.values():
        for key in ("choices", "best"):
            assert found[side][key] == expected[side][key]
        for key in ("loss", "luck"):
            assert found[side][key] == pytest.approx(expected[side][key], abs=1e-4)
    for ply, known in zip(found["plies"], expected["plies"], strict=True):
        assert (ply["mark"], ply["best"]) == (known["mark"], known["best"])
        assert ply["loss_error"] == pytest.approx(known["loss_error"], abs=1e-6)
    report = asker.post(f"/api/v1/tables/{name}/report", sent)
    assert b"values are estimates" in report.body.lower()


def test_both_are_listed(asker, estimators, tables):
    shapes = document()["components"]["schemas"]
    for each in asker.get("/api/v1/tables").json["tables"]:
        estimator = estimators[each["id"]]
        jsonschema.validate(each, resolved(shapes["TableFacts"], document()))
        assert (each["exact"], each["plies"], each["tolerance"]) == (False, 2, None)
        assert each["agreement"] == estimator.agreement
        assert each["error"] == pytest.approx(estimator.error(estimator.rules.start()), abs=1e-6)
        whole = asker.get(f"/api/v1/tables/{each['id']}").json
        jsonschema.validate(whole, resolved(shapes["WholeTable"], document()))
    mixed = Asker(make_app({**tables, "small": estimators["finkel-3"]}))
    listed = {each["id"]: each for each in mixed.get("/api/v1/tables").json["tables"]}
    assert "exact" not in listed["finkel-3"]
    assert listed["small"]["exact"] is False
    mixed.close()


def test_a_position_that_is_over_is_exact(asker):
    over = "....__../......../....__.. L 0 2"
    answer = asker.get(position_path("finkel-3", over)).json
    assert (answer["value"], answer["exact"]) == (1.0, True)


def test_tags_change_with_what_answers(estimators, solved):
    path = position_path("one", estimators["skiriuk-1"].rules.start().notation)
    stored = estimators["skiriuk-1"].stored
    with TableFile(solved(named_rules("skiriuk:1"))) as file:
        tags = set()
        for one in (
            Estimator(stored, plies=1),
            Estimator(stored, plies=2),
            Estimator(stored, plies=2, exact=Table(file)),
        ):
            asker = Asker(make_app({"one": one}))
            tags.add(asker.get(path).headers["etag"])
            asker.close()
    assert len(tags) == 3


def test_estimators_of_other_games_are_served_after_the_tables(tmp_path, monkeypatch, finkel2):
    monkeypatch.setenv("UR_TABLES", str(tmp_path))
    (tmp_path / "estimators").mkdir()
    (tmp_path / "finkel-2.h5").write_bytes(finkel2.read_bytes())
    for word in ("finkel:2", "aseb:2"):
        write(tmp_path / "estimators" / f"{word.replace(':', '-')}.h5", stored_of(word))
    (tmp_path / "estimators" / "none.h5").write_bytes(b"nothing")
    with pytest.warns(IgnoredFileWarning, match=r"none\.h5") as said:
        shelf = open_shelf(lambda text: None)
    assert [name for name in shelf if not name.endswith("-7")] == ["finkel-2", "aseb-2"]
    assert isinstance(shelf["aseb-2"], Estimator)
    assert len(said) == 1
    shelf.close()
