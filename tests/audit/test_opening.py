"""Openings judged: luck without favour, losses of the squares chosen, and both add up."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from tests.audit.test_estimates import MARGIN, Estimates
from tests.audit.test_judge import sign
from tests.games import OWN_RULES, RACES, HashValues
from ur_solver.answers.decisions import Thresholds
from ur_solver.api.table import Table
from ur_solver.audit.judge import audit_games
from ur_solver.audit.report import html_report, replay_values
from ur_solver.audit.texts import annotated, game_values, write_csv
from ur_solver.cli.audit import audit_page
from ur_solver.records import GameRecord, Replay, read_text, stepper_of
from ur_solver.rules import FREE_THROW, named_rules
from ur_solver.rules.openings import opening_of

EXACT = 1e-12


def game_with_opening(rules, seed, max_plies=20):
    """A game of random choices that begins with its opening."""
    rng = np.random.default_rng(seed)
    replay = Replay(rules)
    throws = list(opening_of(rules).throws)
    while not replay.opening or replay.is_opening:
        rounds = replay.rounds(throws[rng.integers(len(throws))])
        replay.open(rounds[rng.integers(len(rounds))])
    while replay.winner is None and len(replay.plies) < max_plies:
        choices = replay.choices()
        chosen = int(rng.integers(len(choices))) if choices else -1
        choice = choices[chosen].name if choices else FREE_THROW
        thrown = replay.rolls(choice).pick(rng.random()).throws
        steps = replay.legal(thrown, choice)
        played = int(rng.integers(len(steps))) if steps else -1
        replay.take(thrown, steps, played, choices=choices, chosen=chosen)
    return replay.finish()


def read(text):
    (record,) = read_text(text)
    assert isinstance(record, GameRecord), record
    return record


@pytest.mark.parametrize(
    "rules", [each for each in RACES + OWN_RULES if opening_of(each)], ids=lambda each: each.name
)
def test_luck_and_losses_add_up_from_before_the_opening(rules):
    rules = rules.with_pieces(2)
    for seed in range(5):
        record = game_with_opening(rules, seed)
        (audit,) = audit_games([record], HashValues(rules))
        gained = sum(sign(each) * (each.luck - each.loss) for each in audit.all_plies)
        gained += sum(each.cost for each in audit.of_side("L"))
        assert abs(audit.start_value + gained - audit.end_value) < EXACT * audit.end_total
        assert len(audit.opening) == sum(len(each.throws) for each in record.opening)
        assert len(audit.curve) == len(audit.all_plies) + 1
        for side in (audit.light, audit.dark):
            assert side.loss >= 0
        # each value is that after the ply before it
        for before, after in zip(audit.opening, audit.opening[1:], strict=False):
            same = before.ply.side == after.ply.side
            carried = before.played_value if same else before.total - before.played_value
            assert after.value == pytest.approx(carried, abs=EXACT * audit.end_total)


@pytest.mark.parametrize("word", ["ben:1", "ben:2", "finkel:2", "skiriuk:1"])
def test_no_side_is_lucky_on_average(word):
    """Over all throws of a round, with best play, both sides' mean luck is 0."""
    rules = named_rules(word)
    opening, values = opening_of(rules), HashValues(rules)
    for source in (-1, 0, 3) if rules.mechanics.both_enter else (-1,):
        luck = {"L": 0.0, "D": 0.0}
        for throws, probability in opening.throws.items():
            found = []
            for each in opening.rounds(source, throws):
                replay = Replay(rules)
                if source >= 0:
                    # some way to be level there
                    level = {0: [(1, 1)], 3: [(3, 3), (1, 1)]}[source]
                    for thrown in level:
                        (only,) = replay.rounds(thrown)
                        replay.open(only)
                replay.open(each)
                (audit,) = audit_games([replay.finish()], values)
                found.append((audit.light.loss + audit.dark.loss, audit))
            loss, audit = min(found, key=lambda pair: pair[0])
            assert loss == 0
            for judged in audit.opening:
                luck[judged.ply.side] += float(probability) * judged.luck
        assert luck["L"] == pytest.approx(0, abs=EXACT)
        assert luck["D"] == pytest.approx(0, abs=EXACT)


def test_a_square_chosen_by_a_zero_is_judged_by_the_table(solved):
    rules = named_rules("ben:1")
    with Table(solved(rules)) as table:
        # dark's marker on C3 and light on any square: by the positions that follow
        worth = {
            "A4": 1 - table.value(rules.position("...L__../......../..D.__.. D 0 0")),
            "A3": 0.5,
            "A2": table.value(rules.position(".L..__../......../..D.__.. L 0 0")),
            "A1": table.value(rules.position("L...__../......../..D.__.. L 0 0")),
        }
        best = max(worth, key=worth.__getitem__)
        for square, value in worth.items():
            record = read(f"rules: ben:1\nopening: 0-2 A@{square} C@C3\n\nend: unfinished")
            audit = table.audit(record)
            light, dark = audit.opening
            assert audit.start_value == 0.5
            assert audit.end_value == pytest.approx(value, abs=EXACT)
            assert light.loss == pytest.approx(worth[best] - value, abs=EXACT)
            assert audit.best_text(light) == f"A@{best}"
            assert light.is_choice
            assert not dark.is_choice
            # both sides' dice have half of what the best square gains
            assert light.luck == pytest.approx((worth[best] - 0.5) / 2, abs=EXACT)
            assert dark.luck == pytest.approx(-(worth[best] - 0.5) / 2, abs=EXACT)


def test_an_opening_that_is_not_over_favours_nobody(solved):
    rules = named_rules("ben:1")
    with Table(solved(rules)) as table:
        for opening in ("2-2", "0-0", "2-2, 0-0"):
            audit = table.audit(read(f"rules: ben:1\nopening: {opening}\n\nend: unfinished"))
            assert audit.start_value == audit.end_value == 0.5
            assert [each.luck for each in audit.opening] == [0] * len(audit.opening)


def test_the_higher_throw_of_a_game_is_luck(solved):
    rules = named_rules("finkel:1")
    with Table(solved(rules)) as table:
        record = read("rules: finkel:1\nopening: 2-2, 1-3\n\nD 0 --\nend: unfinished")
        audit = table.audit(record)
        first = table.start_value
        assert audit.start_value == 0.5
        assert [each.luck for each in audit.opening[:2]] == [0, 0]
        assert audit.opening[2].luck == pytest.approx((0.5 - first) / 2, abs=EXACT)
        assert audit.plies[0].value == first


def test_what_is_said_of_an_opening():
    record = read("rules: ben:1\nopening: 2-2, 0-1 A3A2 C3C2\n\nend: unfinished")
    (audit,) = audit_games([record], HashValues(record.rules))
    text = audit_page([audit], Thresholds(), {}, worst=3)
    assert "opening 2-2 A@A3 C@C3, 0-1 A3A2 C3C2\n" in text
    assert "50.0 before the opening" in text
    page = html_report([audit], Thresholds(), {})
    assert "Opening 2-2 A@A3 C@C3, 0-1 A3A2 C3C2." in page
    assert page.count("C3C2") >= 2
    values = game_values(audit, Thresholds())
    assert [each["move"] for each in values["opening"]] == ["A@A3", "C@C3", "A3A2", "C3C2"]
    assert values["plies"] == []
    assert values["start_value"] == 0.5
    rows = list(csv.DictReader(io.StringIO(write_csv([audit], Thresholds()))))
    assert [row["plies"] for row in rows] == ["0", "0"]
    assert [row["choices"] for row in rows] == ["1", "0"]


def test_an_opening_is_replayed_and_the_chance_after_it_is_noted():
    record = read("rules: ben:1\nopening: 2-2, 0-1 A3A2 C3C2\n\nend: unfinished")
    (audit,) = audit_games([record], HashValues(record.rules))
    steps = replay_values(audit, "The end.")["steps"]
    assert [step["text"].partition(".")[0].partition(";")[0] for step in steps] == [
        "Opening: light throws 2, A@A3",
        "Opening: dark throws 2, C@C3",
        "Opening: light throws 0, A3A2",
        "Opening: dark throws 1, C3C2",
        "The end",
    ]
    record = read("rules: finkel:1\nopening: 1-2\n\nD 0 --\nend: unfinished")
    (audit,) = audit_games([record], HashValues(record.rules))
    first = 1 - audit.plies[0].value
    assert first != audit.start_value
    noted = annotated(audit, Thresholds())
    assert f"{100 * first:.2f} %" in noted.comments[0]
    assert noted.opening == record.opening


def test_an_opening_judged_by_estimates():
    record = read("rules: ben:1\nopening: 0-2 A@A4 C@C3\n\nD 1 C3C2\nend: unfinished")
    (audit,) = audit_games([record], Estimates(record.rules))
    assert not audit.is_exact
    assert audit.opening[0].played_margin == MARGIN
    assert audit.opening[0].loss_margin == pytest.approx(0.0 if audit.opening[0].is_best else MARGIN
                                                         * 2**0.5)  # fmt: skip


def test_a_table_without_the_squares_of_the_opening_judges_the_game_alone():
    class WithoutOthers(HashValues):
        def holds_states(self, states):
            begun = stepper_of(self.rules).encode(record.start)
            return np.array([each.tobytes() == begun for each in states])

    record = read("rules: ben:1\nopening: 0-2 A@A1 C@C3\n\nL 0 --\nend: unfinished".replace(
        "L 0 --", "L 1 A1B1"
    ))  # fmt: skip
    (audit,) = audit_games([record], WithoutOthers(record.rules))
    assert audit.opening == ()
    assert audit.start_value == audit.plies[0].value
