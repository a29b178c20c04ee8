"""Marks, totals and strength, and the JSON and CSV output with them."""

import csv
import dataclasses
import io
import math
from collections import Counter

import pytest

from tests.games import GAMES, HashValues, random_game
from ur_solver.answers.decisions import Mark, Thresholds
from ur_solver.audit.audits import (
    FEW,
    MIN_CHOICES,
    PlayerSummary,
    strength,
    strength_text,
    summarise,
    worst_plies,
)
from ur_solver.audit.games import (
    REFERENCE_GAMES,
    SampleStatistics,
    losses_per_choice,
    play_many,
    reference_key,
    reference_losses,
    references_of,
    shipped_references,
)
from ur_solver.audit.judge import audit_games
from ur_solver.audit.texts import game_values, write_csv
from ur_solver.errors import InputError
from ur_solver.players.policies import PLAIN, TEMPERATURES, Asked, Player, policy_of
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
    values = game_values(audit, Thresholds())
    assert list(values) == [
        *("file", "rules", "winner", "ending", "first_throw", "start_value", "end_value"),
        *("result_value", "light", "dark", "plies"),
    ]
    assert (values["ending"], values["end_value"], values["result_value"]) == ("won", 0, 0)
    assert values["rules"] == "finkel"
    assert values["winner"] == "dark"
    assert list(values["light"]) == [
        *("choices", "best", "close", "worse", "loss", "worse_loss", "luck", "conceded"),
    ]
    ply = values["plies"][0]
    assert list(ply) == [
        "side", "position", "throw", "move", "best", "value", "best_value", "loss", "luck",
        "verdict", "mark",
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
    marks = [ply["mark"] for ply in values["plies"]]
    assert marks == [Thresholds().mark(judged) for judged in audit.plies]
    short = game_values(audit_of("finkel-short-wait4roll"), Thresholds())
    assert short["winner"] is None


def test_json_has_the_strength_that_the_text_gives():
    references = {"random": 0.03, "first": 0.02, "greedy": 0.01}
    for name, is_short in (("finkel-2", False), ("finkel-short-wait4roll", True)):
        audit = audit_of(name)
        values = game_values(audit, Thresholds(), references)
        for side in ("light", "dark"):
            found = values[side]
            text = strength_text(getattr(audit, side), references)
            if is_short:
                assert (found["strength"], found["strength_error"]) == (None, None)
            is_vague = is_short or found["strength_error"] > 0.5
            assert (text == FEW) == is_vague
            if not is_vague:
                value, error = text.split(" \N{PLUS-MINUS SIGN} ")
                assert value.replace("\N{MINUS SIGN}", "-") == f"{100 * found['strength']:.0f}"
                assert error == f"{100 * found['strength_error']:.0f}"


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
    losses, plies = {}, {}
    for name in (*TEMPERATURES, "random"):
        player = policy_of(name, query2)
        records = play_many(query2.rules, player, player, 60, np.random.default_rng(1))
        audits = list(audit_games(records, query2))
        losses[name] = losses_per_choice(audits).mean()
        plies[name] = [ply for audit in audits for ply in audit.plies]
    assert losses["table"] == 0
    assert list(losses.values()) == sorted(losses.values())
    assert strength(summarise(plies["table"], Thresholds()), losses).value == 1
    assert strength(summarise(plies["random"], Thresholds()), losses).value == pytest.approx(0)


def summary_of(losses):
    """A summary with these losses of choices."""
    losses = np.asarray(losses, float)
    count, total, squares = len(losses), losses.sum(), (losses**2).sum()
    return PlayerSummary(count, 0, total, 0.0, Counter(), None, None, squares)


def test_nothing_is_said_of_a_handful_of_choices():
    for count in (0, 1, MIN_CHOICES - 1):
        assert strength(summary_of([0.0] * count), {"random": 0.03}) is None
        assert strength_text(summary_of([0.0] * count), {"random": 0.03}) == FEW
    # 67 ± 64, by hand, reaches from random moves to the best ones
    assert strength_text(summary_of([0.2] + [0.0] * 19), {"random": 0.03}) == FEW
    assert strength_text(summary_of([0.0] * 10), {"random": 0.03}) == "100 ± 20"
    assert strength_text(summary_of([0.01] * 400), {"random": 0.02}) == "50 ± 0"
    assert strength_text(summary_of([0.03] * 400), {"random": 0.02}) == "\N{MINUS SIGN}50 ± 0"
    assert strength_text(summary_of([0.02001] * 400), {"random": 0.02}) == "0 ± 0"


@pytest.mark.parametrize("count", [15, 60])
def test_intervals_hold_the_players_own_strength(count):
    """Of many players with the same habits, most have it within the interval of their game."""
    rng = np.random.default_rng(5)
    mean, random, held = 0.006, 0.03, 0
    for _ in range(1000):
        # half of the choices are best, the others lose more or less, as choices in games do
        losses = rng.exponential(2 * mean, count) * (rng.random(count) < 0.5)
        found = strength(summary_of(losses), {"random": random})
        held += abs(found.value - (1 - mean / random)) <= found.error
    assert 880 <= held <= 990


def test_what_estimated_losses_may_be_off_by_widens_a_strength():
    """By hand: 20 choices that lose 0.02 each, next to random moves that lose 0.04."""
    exact = summary_of([0.02] * 20)
    estimated = dataclasses.replace(exact, loss_margin=0.04)
    for summary, error in ((exact, 1.96 * 0.02 / 20), (estimated, math.hypot(0.00196, 0.002))):
        found = strength(summary, {"random": 0.04})
        assert found.value == pytest.approx(0.5)
        assert found.error == pytest.approx(error / 0.04)


def test_references_are_computed_once(query2, monkeypatch, tmp_path):
    said = []
    first = references_of(query2, 20, say=said.append)
    assert first == reference_losses(query2, 20)
    assert said == ["playing 60 games of reference players, once for finkel:2"]
    monkeypatch.setattr("ur_solver.audit.games.reference_losses", None)
    assert references_of(query2, 20, say=said.append) == first
    assert len(said) == 1
    with pytest.raises(TypeError):  # another number of games is another thing
        references_of(query2, 21)
    with pytest.raises(TypeError):  # and so are an estimator's
        references_of(query2, 20, digest="0123")
    (kept,) = (tmp_path / "cache" / "references").iterdir()
    kept.write_text('{"random": 1}')  # what is damaged is not believed
    with pytest.raises(TypeError):
        references_of(query2, 20)


def test_references_are_of_the_game_and_not_of_its_name():
    finkel = named_rules("finkel:2")
    renamed = dataclasses.replace(finkel, name="mine")
    changed = dataclasses.replace(finkel.changed(safe_rosettes=False), name="finkel")
    keys = [reference_key(rules, 100) for rules in (finkel, renamed, changed)]
    assert keys[0].partition("2-100-")[2] == keys[1].partition("2-100-")[2]
    assert keys[0] != keys[2]
    assert keys[0] != reference_key(finkel, 99)
    assert keys[0] != reference_key(named_rules("finkel:3"), 100)


def test_the_references_that_come_with_the_program_are_those_that_it_computes(query2):
    shipped = shipped_references()
    assert all(losses.keys() == {*PLAIN} for losses in shipped.values())
    assert shipped[reference_key(named_rules("finkel"), REFERENCE_GAMES)]
    mine = reference_losses(query2, REFERENCE_GAMES)
    assert shipped[reference_key(query2.rules, REFERENCE_GAMES)] == pytest.approx(mine, abs=1e-9)


def test_references_where_nothing_can_be_kept(query2, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("platformdirs.user_cache_path", lambda _name: tmp_path / "file")
    assert references_of(query2, 5) == reference_losses(query2, 5)


def test_reference_players_are_repeatable(query2):
    first = reference_losses(query2, 20, seed=3)
    assert list(first) == list(PLAIN)
    assert first == reference_losses(query2, 20, seed=3)
    assert all(0 < loss < 0.2 for loss in first.values())


def test_the_table_beats_greedy(query2):
    best, greedy = (policy_of(name, query2) for name in ("table", "greedy"))
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
        player = Player(rules, policy_of(name, HashValues(rules)))
        (index,) = player.choose([Asked(replay.state, throw)], rng)
        return replay.stepper.text(replay.side, steps[index])

    capture = "L...__../.D....L./....__.. L 0 1"
    assert chosen(capture, 2, "greedy") == "A1B2x"
    assert chosen(capture, 1, "greedy") == "B7B8"
    assert chosen("....__../.......L/....__.. L 1 2", 1, "first") == "A@A4"
    assert chosen("....__../.......L/....__.. L 1 2", 2, "greedy") == "B8A7*"


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
    monkeypatch.setattr("ur_solver.audit.games._BATCH", 4)
    rules = named_rules("finkel:1")
    first = policy_of("first", HashValues(rules))
    games = play_many(rules, first, first, 10, np.random.default_rng(1))
    assert [game.number for game in games] == list(range(1, 11))
