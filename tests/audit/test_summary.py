"""Marks, totals and strength, and the JSON and CSV output with them."""

import csv
import io
import json

import pytest

from tests.games import GAMES, HashValues, random_game
from ur_solver.audit import (
    Mark,
    SampleStatistics,
    Thresholds,
    audit_games,
    game_json,
    losses_per_choice,
    play_games,
    play_many,
    reference_losses,
    strength,
    summarise,
    worst_plies,
    write_csv,
)
from ur_solver.audit.players import NAMES, PLAIN, TEMPERATURES, named_player
from ur_solver.errors import InputError
from ur_solver.records import Replay, read_file
from ur_solver.rules import named_rules

import numpy as np  # isort: skip


def audit_of(name):
    (record,) = read_file(str(GAMES / f"{name}.json"))
    (audit,) = audit_games([record], HashValues(record.rules))
    return audit


def test_marks_follow_the_thresholds():
    thresholds = Thresholds(0.1, 0.2, 0.4)
    seen = set()
    for judged in audit_of("finkel-1").plies:
        mark = thresholds.mark(judged)
        seen.add(mark)
        if not judged.is_choice or judged.loss < 0.1:
            assert mark is None
        elif judged.loss < 0.2:
            assert mark is Mark.INACCURACY
        else:
            assert mark is (Mark.MISTAKE if judged.loss < 0.4 else Mark.BLUNDER)
    assert seen == {None, *Mark}


@pytest.mark.parametrize("numbers", [(0, 0.1, 0.2), (0.2, 0.1, 0.3), (0.1, 0.2, 1.5)])
def test_thresholds_rise(numbers):
    with pytest.raises(InputError, match="expected three ascending numbers"):
        Thresholds(*numbers)


def test_a_summary_adds_up():
    audit = audit_of("finkel-1")
    plies = list(audit.of_side("D"))
    summary = summarise(plies, Thresholds())
    choices = [judged for judged in plies if len(judged.ply.steps) > 1]
    assert summary.choices == len(choices)
    assert summary.best == sum(judged.loss <= 1e-6 for judged in choices)
    assert summary.loss == pytest.approx(sum(judged.loss for judged in plies))
    assert summary.mean_loss == pytest.approx(summary.loss / summary.choices)
    assert summary.luckiest.luck == max(judged.luck for judged in plies)
    assert summary.unluckiest.luck == min(judged.luck for judged in plies)
    empty = summarise([], Thresholds())
    assert (empty.mean_loss, empty.best_share, empty.luckiest) == (0.0, 1.0, None)
    worst = worst_plies(audit, Thresholds(), 3)
    assert [judged.loss for judged in worst] == sorted(
        (judged.loss for judged in audit.plies), reverse=True
    )[:3]


def test_json_has_the_documented_keys():
    audit = audit_of("finkel-2")
    values = json.loads(game_json(audit))
    assert list(values) == ["file", "rules", "winner", "start_value", "light", "dark", "plies"]
    assert values["rules"] == "finkel"
    assert values["winner"] == "dark"
    assert list(values["light"]) == ["choices", "best", "loss", "luck"]
    ply = values["plies"][0]
    assert list(ply) == [
        "side", "position", "throw", "move", "best", "value", "best_value", "loss", "luck",
    ]  # fmt: skip
    assert len(values["plies"]) == len(audit.plies)
    rules = audit.record.rules
    for ply in values["plies"]:
        assert rules.position(ply["position"]).side == ply["side"][0].upper()
        assert (ply["move"] is None) == (ply["best"] is None)
    total = values["start_value"] + sum(
        (ply["luck"] - ply["loss"]) * (1 if ply["side"] == "light" else -1)
        for ply in values["plies"]
    )
    assert total == pytest.approx(0, abs=1e-12)
    assert json.loads(game_json(audit_of("finkel-short-wait4roll")))["winner"] is None


def test_csv_has_a_row_a_player():
    audits = [audit_of("finkel-1"), audit_of("finkel-2")]
    rows = list(csv.DictReader(io.StringIO(write_csv(audits, Thresholds()))))
    assert [row["side"] for row in rows] == ["light", "dark"] * 2
    assert rows[2]["player"] == 'Random "A"'
    assert [row["won"] for row in rows] == ["1", "0", "0", "1"]
    for row in rows:
        gap = float(row["end_value"]) - float(row["start_value"])
        other = rows[rows.index(row) ^ 1]
        net = [float(each["luck"]) - float(each["loss"]) for each in (row, other)]
        assert gap == pytest.approx(net[0] - net[1], abs=1e-7)


def test_the_table_player_loses_nothing_and_the_others_more_and_more(query2):
    losses = {}
    for name in (*TEMPERATURES, "random"):
        player = named_player(name, query2)
        records = play_games(query2.rules, player, player, 60, np.random.default_rng(1))
        losses[name] = losses_per_choice(audit_games(records, query2)).mean()
    assert losses["best"] == 0
    assert list(losses.values()) == sorted(losses.values())
    assert strength(losses["best"], losses) == 1
    assert strength(losses["random"], losses) == 0


def test_reference_players_are_repeatable(query2):
    first = reference_losses(query2, 20, seed=3)
    assert list(first) == list(PLAIN)
    assert first == reference_losses(query2, 20, seed=3)
    assert all(0 < loss < 0.2 for loss in first.values())


def test_best_beats_greedy(query2):
    best, greedy = (named_player(name, query2) for name in ("best", "greedy"))
    found = SampleStatistics()
    for record in play_many(query2.rules, best, greedy, 400, np.random.default_rng(2)):
        found.add(record)
    assert found.games == found.finished == 400
    assert found.light_share - 4 * found.share_error > 0.5
    assert found.shortest <= found.mean_length <= found.longest


def test_players_prefer_what_they_say():
    rules = named_rules("finkel:2")
    rng = np.random.default_rng(0)

    def chosen(text, throw, name):
        replay = Replay(rules, rules.position(text))
        steps = replay.legal((throw,))
        (index,) = PLAIN[name]([steps], rng)
        return replay.stepper.text(replay.side, steps[index])

    capture = "L...__../.D....L./....__.. L 0 1"
    assert chosen(capture, 2, "greedy") == "A1B2x"
    assert chosen(capture, 1, "greedy") == "B7B8"
    assert chosen("....__../.......L/....__.. L 1 2", 1, "first") == "A@A4"
    assert chosen("....__../.......L/....__.. L 1 2", 2, "greedy") == "B8A7*"
    with pytest.raises(InputError, match="player 'deep': known are best, strong"):
        named_player("deep", HashValues(rules))
    assert set(NAMES) == {*PLAIN, *TEMPERATURES}


def test_unfinished_games_are_counted_as_such():
    rules = named_rules("finkel:1")
    found = SampleStatistics()
    assert (found.light_share, found.mean_length) == (0, 0)
    finished, cut = random_game(rules, 1), random_game(rules, 2, max_plies=3)
    found.add(finished)
    found.add(cut)
    assert (found.games, found.finished) == (2, 1)
    assert found.shortest == found.longest == found.mean_length == len(finished.plies)
    steps = [ply.step for record in (finished, cut) for ply in record.plies]
    assert found.passes == steps.count(None)
    assert found.captures == sum(step.is_capture for step in steps if step)


def test_many_games_are_played_in_batches(monkeypatch):
    monkeypatch.setattr("ur_solver.audit.selfplay._BATCH", 4)
    rules = named_rules("finkel:1")
    games = play_many(rules, PLAIN["first"], PLAIN["first"], 10, np.random.default_rng(1))
    assert [game.number for game in games] == list(range(1, 11))
