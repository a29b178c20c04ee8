"""Luck, loss and the identity between them."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.games import GAMES, NAMES, OWN_RULES, RACES, HashValues, random_game
from ur_solver.answers.decisions import Thresholds
from ur_solver.api.table import Table
from ur_solver.audit.audits import account_text, result_text
from ur_solver.audit.games import play_many
from ur_solver.audit.judge import audit_games
from ur_solver.audit.report import html_report
from ur_solver.audit.texts import game_values, write_csv
from ur_solver.cli.audit import audit_page
from ur_solver.errors import RuleSetMismatchError
from ur_solver.players.policies import policy_of
from ur_solver.records import (
    GameRecord,
    Replay,
    read_file,
    read_plain,
    write_games,
    write_plain,
)
from ur_solver.rules import CATALOGUE, named_rules
from ur_solver.rules.payoff import Stakes
from ur_solver.rules.turns import choice_value, move_value, throw_value, total, turn

pytestmark = pytest.mark.medium

EXACT = 1e-12


def sign(judged):
    return 1 if judged.ply.side == "L" else -1


def identity_gap(audit):
    """The difference between the end value and start value + luck - losses + light's fines."""
    gained = sum(sign(judged) * (judged.luck - judged.loss) for judged in audit.plies)
    fines = sum(judged.cost for judged in audit.of_side("L"))
    return abs(audit.end_value - (audit.start_value + gained + fines))


def won_by_light(record):
    """What the game's end is worth to light: 1 or 0, or with stakes the pot or 0."""
    last = record.plies[-1]
    position = record.stepper.position(last.step.state, "D" if last.side == "L" else "L")
    return total(position) * (record.winner == "L")


@pytest.mark.parametrize("name", NAMES)
def test_every_sample_game_is_audited(name):
    (record,) = read_file(str(GAMES / f"{name}.json"))
    (audit,) = audit_games([record], HashValues(record.rules))
    assert len(audit.plies) == len(record.plies) == len(audit.curve) - 1
    assert identity_gap(audit) < EXACT
    if record.ending == "won":
        assert audit.end_value == (record.winner == "L")


@given(
    name=st.sampled_from(RACES + OWN_RULES).map(lambda rules: rules.name),
    pieces=st.integers(1, 3),
    seed=st.integers(0, 2**32),
    cut=st.integers(0, 400),
)
@settings(max_examples=60, deadline=None)
def test_result_is_start_value_and_luck_less_losses(name, pieces, seed, cut):
    record = random_game(CATALOGUE[name].with_pieces(pieces), seed, cut)
    (audit,) = audit_games([record], HashValues(record.rules))
    assert identity_gap(audit) < EXACT * audit.end_total
    assert len(audit.curve) == len(audit.plies) + 1
    if record.winner:
        assert audit.end_value == won_by_light(record)
        assert audit.curve[-1] == (record.winner == "L")
    for judged in audit.plies:
        assert judged.loss >= 0
        if not judged.is_choice:
            assert judged.loss == 0


@given(
    rules=st.sampled_from(RACES + OWN_RULES),
    pieces=st.integers(1, 3),
    seed=st.integers(0, 2**32),
    cut=st.integers(0, 60),
    ending=st.sampled_from(["resigned by L", "timeout by D", "ended, winner L"]),
)
@settings(max_examples=40, deadline=None)
def test_what_a_side_concedes_is_what_it_loses(rules, pieces, seed, cut, ending):
    """A game that is given up: the identity reaches the result, all of the pot or nothing."""
    whole = random_game(rules.with_pieces(pieces), seed, cut)
    assume(whole.winner is None)
    text = write_plain(whole).replace("end: unfinished", f"end: {ending}")
    (record,) = read_plain(text)
    (audit,) = audit_games([record], HashValues(record.rules))
    loser = "L" if ending == "resigned by L" else "D"
    last = audit.curve[-1] * audit.end_total
    assert audit.conceded(loser) == pytest.approx(last if loser == "L" else audit.end_total - last)
    assert audit.conceded("D" if loser == "L" else "L") == 0
    assert audit.light.conceded + audit.dark.conceded == audit.conceded(loser)
    gained = sum(sign(judged) * (judged.luck - judged.loss) for judged in audit.plies)
    gained += sum(judged.cost for judged in audit.of_side("L"))
    gained += audit.dark.conceded - audit.light.conceded
    result = 0 if loser == "L" else audit.end_total
    assert audit.result_value == pytest.approx(result, abs=EXACT * audit.end_total)
    assert audit.start_value + gained == pytest.approx(result, abs=10 * EXACT * audit.end_total)
    # the moves are judged as in the game that was not given up
    (before,) = audit_games([whole], HashValues(record.rules))
    assert [judged.loss for judged in audit.plies] == [judged.loss for judged in before.plies]
    assert (before.light.conceded, before.dark.conceded) == (0, 0)
    assert before.result_value == before.end_value


def test_a_resignation_is_shown_everywhere(query2):
    text = "rules: finkel:2\n\nL 1 A@A4\nD 4 C@C1*\nend: resigned by D, winner L"
    (record,) = read_plain(text)
    (audit,) = audit_games([record], query2)
    position = record.stepper.position(record.plies[-1].step.state, "D")
    worth = query2.value(position)
    assert audit.dark.conceded == pytest.approx(worth, abs=EXACT)
    points = f"{100 * worth:.1f}"
    assert result_text(audit) == f"dark resigned at {points} %"
    assert f", dark's resignation +{points}: 100.0 at the end" in account_text(audit)
    values = game_values(audit, Thresholds())
    assert (values["ending"], values["result_value"]) == ("resigned", 1)
    assert values["end_value"] == pytest.approx(1 - worth, abs=EXACT)
    assert values["dark"]["conceded"] == audit.dark.conceded
    assert f"<dt>Conceded at the end</dt><dd>{points}</dd>" in html_report(
        [audit], Thresholds(), {}
    )
    page = audit_page([audit], Thresholds(), {}, 0)
    assert f"dark resigned at {points} %" in page
    (table,) = (part for part in page.split("\n\n") if "conceded" in part)
    header, light, dark = table.splitlines()
    place = header.split().index("conceded") + 1 - len(header.split())
    assert light.split()[-1] == "0.0"
    assert dark.split()[place - 1] == points
    assert f"{audit.dark.conceded:.9f}".rstrip("0") in write_csv([audit], Thresholds())


@pytest.mark.parametrize(
    ("end", "how"),
    [
        ("unfinished", "not finished, light has "),
        ("abandoned by L, winner D", "not finished, abandoned by light, light has "),
        ("abandoned", "not finished, abandoned, light has "),
        ("ended", "not finished, ended early, light has "),
    ],
)
def test_what_is_not_finished_has_a_value_and_no_loss(end, how, query2):
    (record,) = read_plain(f"rules: finkel:2\n\nL 1 A@A4\nD 4 C@C1*\nend: {end}")
    (audit,) = audit_games([record], query2)
    position = record.stepper.position(record.plies[-1].step.state, "D")
    to_light = 1 - query2.value(position)
    assert result_text(audit) == f"{how}{100 * to_light:.1f} %"
    assert account_text(audit).endswith(f": {100 * to_light:.1f} at the end")
    assert (audit.light.conceded, audit.dark.conceded) == (0, 0)
    assert audit.result_value == audit.end_value == pytest.approx(to_light, abs=EXACT)


def test_values_are_those_of_the_readable_rules(query2):
    """Compare every number with one computed from `moves.py` and single queries."""
    rules = query2.rules
    for seed in range(5):
        record = random_game(rules, seed)
        (audit,) = audit_games([record], query2)
        position = rules.start()
        for judged in audit.plies:
            side = position.side
            assert judged.value == pytest.approx(query2.value(position), abs=EXACT)
            moves = rules.legal_moves(position, judged.ply.throw)
            if moves:
                evaluated = query2.moves(position, judged.ply.throw)
                assert judged.best_value == pytest.approx(evaluated[0].value, abs=EXACT)
                text = record.move_text(judged.ply)
                played = next(each for each in evaluated if each.move.text == text)
                assert judged.loss == pytest.approx(played.loss, abs=EXACT)
                assert judged.is_best == (played.loss < 1e-6)
                if not judged.is_best:
                    assert audit.best_text(judged) == evaluated[0].move.text
                position = played.move.position
            else:
                assert judged.best == -1
                assert audit.best_text(judged) is None
                position = position.pass_turn()
                assert judged.best_value == pytest.approx(1 - query2.value(position), abs=EXACT)
            assert judged.ply.side == side
        assert position.winner == record.winner


def test_the_mean_luck_of_all_throws_is_nought(query2):
    rules = query2.rules
    for seed in range(20):
        plies = random_game(rules, seed, 30).plies
        replay = Replay(rules)
        for ply in plies:
            replay.take(ply.throws, ply.steps, ply.played)
        if replay.winner:
            continue
        begin = replay.stepper.position(replay.state, replay.side)
        luck = 0.0
        for throw in rules.dice.throws:
            after = Replay(rules, begin)
            steps = after.legal((throw,))
            after.take((throw,), steps, 0 if steps else -1)
            (audit,) = audit_games([after.finish()], query2)
            luck += float(rules.dice.probabilities[throw]) * audit.plies[0].luck
        assert luck == pytest.approx(0, abs=1e-10)


def test_a_pending_throw_is_luck_without_a_loss():
    (record,) = read_file(str(GAMES / "finkel-short-wait4move.json"))
    (audit,) = audit_games([record], HashValues(record.rules))
    last = audit.plies[-1]
    assert last.ply.is_pending
    assert not last.is_choice
    assert last.loss == 0
    to_light = last.best_value if last.ply.side == "L" else 1 - last.best_value
    assert audit.end_value == to_light


def test_many_games_are_one_question():
    rules = named_rules("finkel:2")
    records = [random_game(rules, seed) for seed in range(20)]
    values = HashValues(rules)
    together = list(audit_games(iter(records), values))
    assert values.n_calls == 1
    in_batches = list(audit_games(records, values, batch=100))
    assert values.n_calls > 5
    assert [audit.plies for audit in together] == [audit.plies for audit in in_batches]


@pytest.mark.parametrize("rules", RACES + OWN_RULES, ids=lambda rules: rules.name)
def test_games_of_every_rule_set_are_judged_from_their_files(rules, solved, tmp_path):
    """Sample, write, read and judge games; compare every number with the readable rules."""
    rules = rules.with_pieces(2)
    with Table(solved(rules)) as query:
        players = (policy_of(name, query) for name in ("random", "weak"))
        played = list(play_many(rules, *players, 6, np.random.default_rng(4)))
        path = tmp_path / "games.ur"
        write_games(played, path)
        records = list(read_file(str(path), rules))
        for before, record in zip(played, records, strict=True):
            assert [(ply.throws, ply.state, ply.played, ply.chosen) for ply in record.plies] == [
                (ply.throws, ply.state, ply.played, ply.chosen) for ply in before.plies
            ]
        for audit in audit_games(records, query):
            assert identity_gap(audit) < EXACT * audit.end_total
            assert audit.end_value == won_by_light(audit.record)
            begin = query.value(rules.start())
            if rules.mechanics.opening_throw is not None:
                begin = query.opening_value()
            assert audit.start_value == pytest.approx(begin, abs=EXACT)
            expected = list(_judged_again(audit.record, query))
            assert [
                (judged.is_before_throw, audit.taken_text(judged)) for judged in audit.plies
            ] == [each[:2] for each in expected]
            found = [(judged.luck, judged.loss) for judged in audit.plies]
            assert found == [pytest.approx(each[2:], abs=1e-11) for each in expected]
            assert sum(
                judged.is_choice and judged.is_before_throw for judged in audit.plies
            ) == sum(each[0] for each in expected)


def _judged_again(record, query):
    """For each ply, by `turns.py`: whether it is a choice, its text, its luck and its loss."""
    rules, value = record.rules, query.value
    position = rules.start()
    for index, ply in enumerate(record.plies):
        choices = {choice.name: choice for choice in turn(position)}
        worth = {name: choice_value(position, choice, value) for name, choice in choices.items()}
        if len(choices) > 1:
            yield True, ply.choice, 0.0, max(worth.values()) - worth[ply.choice]
        outcomes = choices[ply.choice].outcomes
        (outcome,) = (each for each in outcomes if each.throws == ply.throws)
        best = throw_value(position, outcome.moves, value)
        luck = 0.0 if index == 0 and rules.mechanics.opening_throw else best - worth[ply.choice]
        if outcome.moves:
            text = record.move_text(ply)
            (move,) = (move for move in outcome.moves if move.text == text)
            yield False, text, luck, best - move_value(move, value)
            position = move.position
        else:
            yield False, None, luck, 0.0
            position = position.pass_turn()


@pytest.mark.parametrize("ante", [10, 0])
def test_fines_are_those_that_positions_count(ante, solved):
    """What both sides paid is what the positions say was paid; marks are shares of the pot."""
    rules = named_rules("bell-stakes:1").changed(stakes=Stakes(ante=ante, reach=2))
    with Table(solved(rules)) as table:
        weak, random = policy_of("weak", table), policy_of("random", table)
        games = play_many(rules, weak, random, 30, np.random.default_rng(2))
        fines = 0
        for audit in audit_games(games, table):
            last = audit.record.plies[-1]
            end = audit.record.stepper.position(last.step.state, "L")
            assert audit.light.cost + audit.dark.cost == end.fines * rules.stakes.fine
            assert audit.end_total == 2 * ante + end.fines
            fines = max(fines, end.fines)
            for judged in audit.plies:
                position = audit.record.stepper.position(judged.ply.state, judged.ply.side)
                assert judged.total == total(position)
                assert judged.value == pytest.approx(table.value(position), abs=1e-11)
                share = judged.loss / (judged.total or 1)
                assert (Thresholds().mark(judged) is None) == (share < 0.015)
    assert fines > rules.stakes.reach


def test_other_rules_are_refused_by_name():
    record = random_game(named_rules("finkel:2"), 1)
    assert isinstance(record, GameRecord)
    with pytest.raises(RuleSetMismatchError, match=r"rules finkel:2, the table has blitz:2"):
        list(audit_games([record], HashValues(named_rules("blitz:2"))))
