"""What the interface answers is what the Python API says, position by position."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.games import random_game
from tests.serve.conftest import WORDS, position_path
from ur_solver.answers.decisions import Thresholds
from ur_solver.audit.texts import game_json
from ur_solver.records import write_text
from ur_solver.rules import CATALOGUE, SIDE_NAMES, named_rules
from ur_solver.rules.turns import is_draw, total, turn
from ur_solver.serve.judged import Turn, audit_text, line_values
from ur_solver.serve.unfold import ServedRules, Unfolded

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
def test_a_line_is_judged_as_an_audit_does(tables, name):
    table = tables[name]
    game = random_game(table.rules, 3)
    turns = [Turn(ply.choice or None, ply.throws, game.move_text(ply)) for ply in game.plies]
    line = line_values(ServedRules(table.rules, table), table.rules.start(), turns)
    audit = table.audit(game)
    expected = json.loads(game_json(audit, Thresholds()))
    for side in SIDE_NAMES.values():
        expected[side].setdefault("cost", 0)
        assert expected[side].pop("conceded") == 0
        assert line[side] == pytest.approx(expected[side], abs=1e-9)
    assert line["start_value"] == pytest.approx(audit.start_value, abs=1e-12)
    assert line["end_value"] == pytest.approx(audit.end_value, abs=1e-12)
    assert len(line["plies"]) == len(expected["plies"])
    marks = [Thresholds().mark(judged) for judged in audit.plies]
    for ply, known, mark in zip(line["plies"], expected["plies"], marks, strict=True):
        for key, value in known.items():
            shown = list(value) if isinstance(value, tuple) else value
            if isinstance(value, float):
                assert ply[key] == pytest.approx(value, abs=1e-12)
            else:
                assert ply[key] == shown, key
        assert ply["mark"] == mark
    (reported,) = audit_text(table, write_text(game, ".ur"))["games"]
    assert [ply["mark"] for ply in reported["plies"]] == marks
    assert reported["end_value"] == line["end_value"]


def test_a_line_for_money_adds_up(tables):
    table = tables["bell-stakes-1"]
    source = ServedRules(table.rules, table)
    rng = np.random.default_rng(5)
    turns, position = [], table.rules.start()
    while position.winner is None:
        answer = Unfolded(source, position).answer()
        throw = answer["throws"][int(rng.choice(4, p=[e["probability"] for e in answer["throws"]]))]
        moves = throw["moves"]
        move = moves[int(rng.integers(len(moves)))] if moves else None
        turns.append(Turn(None, (throw["throw"],), move and move["move"]))
        position = table.rules.position(move["position"] if move else answer["after_pass"])
    line = line_values(source, table.rules.start(), turns)
    light, dark = line["light"], line["dark"]
    assert line["start_value"] + light["luck"] - light["loss"] + light["cost"] - dark[
        "luck"
    ] + dark["loss"] == pytest.approx(line["end_value"], abs=1e-9)
    assert line["end_value"] == (total(position) if position.winner == "L" else 0)
    assert light["cost"] + dark["cost"] == position.fines


def test_the_opening_throw_is_given(asker, tables):
    start = tables["skiriuk-1"].rules.start().notation
    path = "/api/v1/tables/skiriuk-1/line"
    reply = asker.post(path, {"start": start, "turns": [[None, [2], "A@A3"]]})
    assert reply.sentence == "turn 1: the opening throw of skiriuk is always 1"
    line = asker.post(path, {"start": start, "turns": [[None, [1], "A@A4"]]}).json
    assert line["start_value"] == tables["skiriuk-1"].opening_value()
    assert line["plies"][0]["luck"] == pytest.approx(0, abs=1e-12)


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
