"""What the interface answers is what the Python API says, position by position."""

from __future__ import annotations

import numpy as np
import pytest

import ur_solver as ur
from tests.games import random_game, write_text
from tests.serve.asking import Asker
from tests.serve.conftest import WORDS, position_path
from ur_solver.answers.decisions import Thresholds
from ur_solver.audit.dice_test import compared_throws
from ur_solver.audit.texts import game_values
from ur_solver.rules import CATALOGUE, SIDE_NAMES, named_rules
from ur_solver.rules.turns import is_draw, total, turn
from ur_solver.serve.app import make_app

pytestmark = pytest.mark.medium


def positions_of(table, most):
    """Positions of a table, evenly spaced where it has more."""
    n = table.space.n_positions
    for k, rank in enumerate(np.linspace(0, n - 1, min(n, most)).astype(int).tolist()):
        position = table.space.unrank(rank * (table.space.n_values // n))
        yield position.mirror() if k % 2 else position


@pytest.mark.parametrize("most", [120, pytest.param(1000, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", [word.replace(":", "-") for word in WORDS])
def test_positions_are_answered_as_the_python_api_does(asker, tables, name, most):
    table = tables[name]
    for position in positions_of(table, most):
        answer = asker.get(position_path(name, position.notation)).json
        assert answer["position"] == position.notation
        assert answer["value"] == table.value(position)
        assert answer["tolerance"] == table.tolerance
        assert answer["error"] == table.error(position)
        assert answer["total"] == total(position)
        assert answer["side"] == SIDE_NAMES[position.side]
        assert answer["is_draw"] == is_draw(position)
        assert answer["after_pass"] == position.pass_turn().notation
        if not table.rules.payoff.has_fines:
            assert "chance" not in answer
        else:
            assert answer["chance"] == table.chance(position)
            assert answer["cut_error"] == table.cut_error(position)
        check_throws(table, position, answer)


def check_throws(table, position, answer):
    choices = table.choices(position)
    if choices:
        assert answer["choices"] == pytest.approx(choices, abs=1e-14)
    else:
        assert "choices" not in answer
        throws = table.throws(position)
        assert [
            (each["throw"], each["probability"], each["value"]) for each in answer["throws"]
        ] == [(each.throw, float(each.probability), each.value) for each in throws]
    unfolded = [(choice, each) for choice in turn(position) for each in choice.outcomes]
    assert len(unfolded) == len(answer["throws"])
    for (choice, outcome), each in zip(unfolded, answer["throws"], strict=True):
        throw = each["throw"]
        assert each.get("choice", "") == choice.name
        assert (throw if isinstance(throw, list) else [throw]) == list(outcome.throws)
        assert each["probability"] == float(outcome.probability)
        assert sorted(move["move"] for move in each["moves"]) == sorted(
            move.text for move in outcome.moves
        )
        before = choices[choice.name] if choices else answer["value"]
        assert each["luck"] == pytest.approx(each["value"] - before, abs=1e-14)
        if choices:
            continue
        for move, evaluated in zip(
            each["moves"], table.moves(position, outcome.throws[0]), strict=True
        ):
            known = evaluated.move
            assert move["move"] == known.text
            assert move["value"] == evaluated.value
            assert move["loss"] == evaluated.loss
            assert move["position"] == known.position.notation
            assert move["again"] == known.again
            assert move["capture"] == known.is_capture
            assert move.get("cost", 0) == known.cost
            if table.rules.payoff.has_fines:
                assert move["chance"] == evaluated.chance
            path = table.rules.path.squares(position.side)
            squares = ["home", *path, "off"]
            assert (move["from"], move["to"]) == (
                squares[known.source + 1],
                squares[known.target + 1],
            )


@pytest.mark.parametrize("rules", CATALOGUE.values(), ids=str)
def test_a_rule_set_without_a_table_has_the_same_moves(asker, rules):
    position = random_position(rules, 7)
    answer = asker.get(position_path(rules.word, position.notation, "rules")).json
    assert "value" not in answer
    unfolded = [(choice.name, outcome) for choice in turn(position) for outcome in choice.outcomes]
    for each, (name, outcome) in zip(answer["throws"], unfolded, strict=True):
        assert each.get("choice", "") == name
        assert [move["move"] for move in each["moves"]] == [move.text for move in outcome.moves]
        assert all("value" not in move and "loss" not in move for move in each["moves"])


def random_position(rules, seed):
    """A position of a random game; with stakes, of bell's without."""
    if not rules.payoff.has_fines:
        played = random_game(rules, seed, max_plies=40)
        last = played.plies[-1]
        return played.stepper.position(last.state, last.side)
    text = random_position(named_rules(f"{rules.family}:{rules.pieces}"), seed).notation
    return rules.position(f"{text} p2")


@pytest.mark.parametrize(
    "name",
    [
        *("finkel-3", "murray-3dice-1", "casual-roll-again-1", "birds-2", "skiriuk-1", "ben-1"),
        "bell-stakes-1",
    ],
)
def test_a_game_is_judged_as_an_audit_does(asker, tables, name):
    table = tables[name]
    game = random_game(table.rules, 3)
    sent = {"text": write_text(game, ".ur")}
    (found,) = asker.post(f"/api/v1/tables/{name}/audit", sent).json["games"]
    audit = table.audit(game)
    expected = game_values(audit, Thresholds())
    for key in expected.keys() - {"plies", "opening", "file", "rules"}:
        assert found[key] == expected[key], key
    assert [ply["mark"] for ply in found["plies"]] == [ply["mark"] for ply in expected["plies"]]
    for ply, known, judged in zip(found["plies"], expected["plies"], audit.plies, strict=True):
        assert {key: ply[key] for key in known} == known
        assert ply["options"] == len(judged.options)
        assert ply["cost"] == judged.cost


def test_an_audit_for_money_adds_up(asker, tables):
    """Start value, luck and losses, fines: all of them come to the value of the end, to light."""
    table = tables["bell-stakes-1"]
    for seed in range(5):
        game = random_game(table.rules, seed)
        sent = {"text": write_text(game, ".ur")}
        (found,) = asker.post("/api/v1/tables/bell-stakes-1/audit", sent).json["games"]
        light, dark = found["light"], found["dark"]
        costs = {
            side: sum(ply["cost"] for ply in found["plies"] if ply["side"] == side)
            for side in SIDE_NAMES.values()
        }
        assert found["start_value"] + light["luck"] - light["loss"] + costs["light"] - dark[
            "luck"
        ] + dark["loss"] == pytest.approx(found["end_value"], abs=1e-9)
        end = table.rules.position(found["position"])
        assert sum(costs.values()) == end.fines
        assert found["end_value"] == (total(end) if end.winner == "L" else 0)


def test_a_game_begins_with_the_throw_that_the_rules_give(asker, tables):
    text = "rules: skiriuk:1\n\nL {}\nend: unfinished"
    path = "/api/v1/tables/skiriuk-1/audit"
    (fault,) = asker.post(path, {"text": text.format("2 A@A3")}).json["faults"]
    assert "1" in fault["message"]
    (game,) = asker.post(path, {"text": text.format("1 A@A4")}).json["games"]
    assert game["start_value"] == tables["skiriuk-1"].opening_value()
    assert game["plies"][0]["luck"] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", [word.replace(":", "-") for word in WORDS])
def test_values_of_encoded_states_are_those_of_the_python_api(asker, tables, name):
    """Those that are over among them, and with stakes more fines than a table has levels."""
    table = tables[name]
    n = table.space.n_values
    rows = table.space.unrank_states(np.arange(0, n, 1 + n // 500)).astype(np.int64)
    if table.rules.payoff.has_fines:
        more = rows.copy()
        more[:, -1] += 30
        rows = np.concatenate([rows, more])
    over = table.encode([position_that_is_over(table.rules)]).astype(np.int64)
    rows = np.concatenate([rows, over])
    found = asker.post(f"/api/v1/tables/{name}/values", {"states": rows.tolist()}).json
    positions = [table.space.decode(row) for row in rows.tolist()]
    assert found["values"] == [table.value(each) for each in positions]
    assert found["errors"] is None
    if table.rules.payoff.has_fines:
        assert found["chances"] == [table.chance(each) for each in positions]
    else:
        assert "chances" not in found


def position_that_is_over(rules):
    record = random_game(rules, 1)
    return record.stepper.position(*record.plies[-1].after(record.stepper))


def test_errors_of_encoded_states_are_what_is_proven(tmp_path):
    path = tmp_path / "finkel-1.h5"
    with ur.solve("finkel:1", path, certify=True) as table:
        asker = Asker(make_app({"one": table}))
        rows = table.space.unrank_states(np.arange(table.space.n_positions))
        found = asker.post("/api/v1/tables/one/values", {"states": rows.tolist()}).json
        assert found["errors"] == table.errors(rows).tolist()
        asker.close()


@pytest.mark.parametrize(
    ("states", "said"),
    [
        ([[0] * 21], "one has 22 numbers here"),
        ([[0] * 23], "one has 22 numbers here"),
        ([[300] + [0] * 21], "A1 has contents 0 to 1, not 300"),
        ([[256] + [0] * 19 + [3, 3]], "A1 has contents"),
        ([[0] * 20 + [9, 9]], "not one of finkel with 3 pieces"),
        ([[-1] * 22], ">= 0"),
        ([[2**70] * 22], "<= 4294967295"),
        ([[0.5] * 22], "Expected `int`"),
        ("x", "Expected `array`"),
    ],
)
def test_states_that_are_none_are_refused(asker, states, said):
    assert said in asker.post("/api/v1/tables/finkel-3/values", {"states": states}).sentence


@pytest.mark.parametrize("path", ["tables/finkel-3", "rules/finkel:7"])
def test_throws_are_compared_as_by_the_python_function(asker, path):
    sent = {"light": {"0": 3, "2": 9, "4": 1}, "dark": {"1": 12}}
    found = asker.post(f"/api/v1/{path}/dice", sent).json
    dice = named_rules("finkel").dice
    assert found == compared_throws(dice, {0: 3, 2: 9, 4: 1}, {1: 12})


@pytest.mark.parametrize(
    "light", [{"5": 1}, {"x": 1}, {"-1": 1}, {"1": -1}, {"1": 1.5}, {"1": True}, {"1": 10**13}, []]
)
def test_other_counts_are_refused(asker, light):
    assert asker.post("/api/v1/rules/finkel/dice", {"light": light, "dark": {}}).sentence


def test_an_audited_opening(asker):
    text = "rules: ben:1\nopening: 0-1 A@A2 C@C4\n\nend: unfinished"
    (game,) = asker.post("/api/v1/tables/ben-1/audit", {"text": text}).json["games"]
    assert [ply["move"] for ply in game["opening"]] == ["A@A2", "C@C4"]
    assert game["start"].split()[1] == "L"
    assert game["start_value"] == 0.5


def test_a_batch_reports_each_fault_in_its_place(asker, tables):
    table = tables["finkel-3"]
    good = [position.notation for position in positions_of(table, 50)]
    sent = [*good[:20], "nonsense", 7, *good[20:]]
    answers = asker.post("/api/v1/tables/finkel-3/positions", {"positions": sent}).json["positions"]
    for text, answer in zip(sent, answers, strict=True):
        if text in good:
            assert answer["value"] == table.value(text)
            assert answer["position"] == text
        else:
            assert list(answer) == ["message", "place"]


def test_an_audit_names_the_place_of_a_fault(asker):
    text = "rules: finkel:3\n\nL 2 A@A3\nD 1 C@C3\nend: unfinished"
    answer = asker.post("/api/v1/tables/finkel-3/audit", {"text": text}).json
    (fault,) = answer["faults"]
    assert answer["games"] == []
    assert fault["place"] == {"line": 4, "column": 5}
    assert "C@C4" in fault["message"]


def test_reports_and_notations(asker, tables):
    game = random_game(tables["finkel-3"].rules, 1)
    text = write_text(game, ".ur")
    report = asker.post("/api/v1/tables/finkel-3/report", {"text": text})
    assert report.headers["content-disposition"] == 'attachment; filename="report.html"'
    assert report.body.startswith(b"<!DOCTYPE html>")
    for notation in ("ur", "rgn", "json"):
        sent = {"text": text, "notation": notation}
        written = asker.post("/api/v1/tables/finkel-3/convert", sent)
        name = f'filename="game.{notation}"'
        assert written.headers["content-disposition"].endswith(name)
        again = {"text": written.body.decode(), "notation": "ur"}
        assert asker.post("/api/v1/tables/finkel-3/convert", again).body.decode() == text + "\n"
