"""Audits by estimates: mistakes are beyond the error of the comparison, and all adds up."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.audit.test_judge import EXACT, identity_gap
from tests.games import OWN_RULES, RACES, HashValues, random_game
from ur_solver.answers.decisions import Branches, Decisions, Thresholds, Values, Verdict
from ur_solver.audit.audits import ESTIMATES, account_text
from ur_solver.audit.judge import audit_games, with_thumbs
from ur_solver.audit.report import html_report
from ur_solver.audit.review import against_thumbs, over_time
from ur_solver.audit.texts import annotated, game_values, write_csv
from ur_solver.cli.audit import audit_page
from ur_solver.moves import generator_of
from ur_solver.rules import CATALOGUE, named_rules
from ur_solver.rules.payoff import MONEY, POINTS

MARGIN = 0.1


class Estimates(HashValues):
    """The same values, of which none is sure: each may be off by a tenth."""

    def state_margins(
        self, states: npt.NDArray[Any], values: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        assert len(states) == len(values)
        return np.full(len(states), MARGIN)


def both(record):
    """The audits of a game by the values, and by the same values as estimates."""
    (exact,) = audit_games([record], HashValues(record.rules))
    (estimated,) = audit_games([record], Estimates(record.rules))
    return exact, estimated


def test_the_best_move_may_be_another_one():
    """By hand: 0.50 ± 0.01, 0.49 ± 0.03 and 0.30 ± 0.10 have a maximum of at most 0.52."""
    rules = named_rules("finkel:3")
    again = np.array([True, False, True, False])
    choice = Branches(
        rows=generator_of(rules).start(),
        choice_starts=np.array([0, 1]),
        throw_starts=np.array([0, 2]),
        chances=np.array([0.25, 0.75]),
        option_starts=np.array([0, 3, 4]),
        after=generator_of(rules).start(4),
        again=again,
        won=~again & again,
        fined=~again & again,
    )

    class ByHand(Values):
        def state_values(self, states):
            return np.array([0.50, 0.51, 0.30, 0.4])

        def state_margins(self, states, values):
            return np.array([0.01, 0.03, 0.10, 0.04])

    by_hand = ByHand()
    by_hand.rules = rules
    found = Decisions(by_hand, choice)
    assert (found.options.value[0], found.options.reach[0]) == pytest.approx((0.50, 0.02))
    mean = 0.25 * 0.50 + 0.75 * 0.6, 0.25 * 0.02 + 0.75 * 0.04
    assert (found.choices.worth[0], found.choices.error[0]) == pytest.approx(mean)
    by_hand.state_margins = lambda states, values: np.zeros(len(states))
    assert Decisions(by_hand, choice).options.reach.tolist() == [0, 0]


@given(
    rules=st.sampled_from(RACES + OWN_RULES).map(lambda rules: rules.name),
    pieces=st.integers(1, 3),
    seed=st.integers(0, 2**32),
    cut=st.integers(0, 200),
)
@settings(max_examples=40, deadline=None)
def test_luck_and_losses_add_up_and_small_losses_are_no_mistakes(rules, pieces, seed, cut):
    record = random_game(CATALOGUE[rules].with_pieces(pieces), seed, cut)
    exact, estimated = both(record)
    assert identity_gap(estimated) < EXACT * estimated.end_total
    assert (estimated.start_value, estimated.end_value) == (exact.start_value, exact.end_value)
    assert estimated.start_margin == pytest.approx(MARGIN)
    thresholds, kinds = Thresholds(), Counter()
    for known, judged in zip(exact.plies, estimated.plies, strict=True):
        assert (judged.value, judged.luck, judged.loss) == (known.value, known.luck, known.loss)
        # a win is exact, so that the error of a comparison is one margin, or two
        if known.loss > 1.001 * MARGIN * 2**0.5:
            assert judged.best == known.best
            assert thresholds.mark(judged) == thresholds.mark(known)
        elif known.loss < 0.999 * MARGIN:
            assert judged.verdict is not Verdict.WORSE
            assert thresholds.mark(judged) is None
        if judged.is_choice:  # what is too close to call counts as neither
            assert judged.is_best == known.is_best == (judged.verdict is Verdict.BEST)
            kinds[judged.ply.side, judged.verdict] += 1
            assert known.verdict is (Verdict.BEST if known.is_best else Verdict.WORSE)
    for side, summary in (("L", estimated.light), ("D", estimated.dark)):
        counts = tuple(kinds[side, verdict] for verdict in Verdict)
        assert (summary.best, summary.close, summary.worse) == counts
        worse = [each for each in estimated.of_side(side) if each.verdict is Verdict.WORSE]
        assert summary.worse_loss == sum(each.loss for each in worse) <= summary.loss
    assert estimated.light.loss == exact.light.loss
    assert exact.light.loss_margin == 0


def test_nothing_within_the_error_is_a_mistake():
    thresholds = Thresholds()
    marks = [0, 0]
    for seed in range(10):
        for k, audit in enumerate(both(random_game(named_rules("finkel:3"), seed))):
            marks[k] += sum(thresholds.mark(judged) is not None for judged in audit.plies)
            for judged in audit.plies if k else ():
                assert thresholds.mark(judged) is None or judged.loss > MARGIN
    assert marks[0] > marks[1] > 0


def test_every_form_says_that_values_are_estimates():
    record = random_game(named_rules("finkel:3"), 1)
    exact, estimated = both(record)
    forms = {
        "account": account_text,
        "page": lambda audit: audit_page([audit], Thresholds(), {}, 1),
        "html": lambda audit: html_report([audit], Thresholds(), {}),
    }
    texts = {name: form(estimated) for name, form in forms.items()}
    assert f" {100 * estimated.start_value:.0f} ± 10 at the start" in f" {texts['account']}"
    assert f"\n\n{ESTIMATES}\n\n" in texts["page"]
    assert f"{ESTIMATES[1:]}.</p>" in texts["html"]
    references = {record.rules: {"random": 0.1}}
    text = audit_page([estimated], Thresholds(), references, 1)
    light = estimated.light
    lost, mean = light.loss_margin, light.loss_margin / light.choices
    assert f"{100 * light.loss:.0f} ± {100 * lost:.0f}" in text
    assert f"{100 * light.mean_loss:.1f} ± {100 * mean:.1f}" in text
    assert "the estimator 0.0\n" in text
    report = html_report([estimated], Thresholds(), references)
    assert "100 the estimator's" in " ".join(report.split())
    cells = re.findall(r"<td>[\d.]+ ± (\d+)</td></tr>", texts["html"])  # light's chances
    assert set(cells) == {"10"}
    assert len(cells) >= len(estimated.plies) - 1  # a win is exact
    assert " ± 14 points lost" in texts["page"]
    assert "± 14 points lost" in texts["html"]
    for form in forms.values():
        assert ESTIMATES[1:] not in form(exact)
        assert "± 1" not in form(exact)
    values = game_values(estimated, Thresholds())
    assert (values["exact"], values["error"]) == (False, pytest.approx(MARGIN))
    for ply, judged in zip(values["plies"], estimated.plies, strict=True):
        assert (ply["exact"], ply["error"]) == (False, pytest.approx(MARGIN))
        assert ply["loss_error"] == judged.loss_margin
    assert "exact" not in json.dumps(game_values(exact, Thresholds()))
    assert "error" not in json.dumps(game_values(exact, Thresholds()))


def test_every_form_keeps_the_three_kinds_of_choices_apart():
    record = random_game(named_rules("finkel:3"), 1)
    exact, estimated = both(record)
    choices = [each for each in estimated.plies if each.is_choice]
    kinds = {kind: [each for each in choices if each.verdict is kind] for kind in Verdict}
    assert all(kinds.values())
    page, thresholds = audit_page([estimated], Thresholds(), {}, 0), Thresholds()
    (table,) = (part for part in page.split("\n\n") if "too close to call  worse" in part)
    for line, side in zip(table.splitlines()[1:], "LD", strict=True):
        own = [sum(each.ply.side == side for each in of) for of in kinds.values()]
        shares = [f"{100 * count / sum(own):.0f} %" for count in own]
        assert line.split()[1:] == " ".join([str(sum(own)), *shares, *line.split()[-3:]]).split()
    assert "too close" not in audit_page([exact], Thresholds(), {}, 0)
    values = game_values(estimated, thresholds)
    assert [each["verdict"] for each in values["plies"]] == [e.verdict for e in estimated.plies]
    rows = list(csv.DictReader(io.StringIO(write_csv([estimated], thresholds))))
    for side, row in (("light", rows[0]), ("dark", rows[1])):
        counts = tuple(values[side][kind] for kind in ("best", "close", "worse"))
        assert counts == tuple(int(row[kind]) for kind in ("best", "close", "worse"))
        assert sum(counts) == values[side]["choices"]
    report = html_report([estimated], thresholds, {})
    assert report.count('<td class="word">too close to call</td>') == len(kinds[Verdict.CLOSE])
    assert report.count('<td class="word">worse</td>') == len(kinds[Verdict.WORSE])
    comments = " ".join(annotated(estimated, thresholds).comments.values())
    assert comments.count("[%mark close]") == len(kinds[Verdict.CLOSE])
    assert comments.count("[%loss ") == len(kinds[Verdict.CLOSE] + kinds[Verdict.WORSE])
    (light, *_) = over_time([estimated], thresholds, 1)
    assert (light["close"], light["worse"]) == (estimated.light.close, estimated.light.worse)
    assert report.count("points lost, too close to call: ") == len(kinds[Verdict.CLOSE])
    assert report.count("; best was ") == len(kinds[Verdict.WORSE])


def test_a_rule_of_thumb_is_judged_as_a_player_is():
    """By hand: what it loses, against the error of the comparison."""
    record = random_game(named_rules("finkel:3"), 1)
    values = Estimates(record.rules)
    (audit,) = audit_games([record], values)
    audit = with_thumbs(audit, values, ["first"])
    plays = [each for each in audit.thumbs["first"] if each is not None]
    error = MARGIN * 2**0.5
    for play in plays:
        assert play.verdict == (
            "best" if play.loss == 0 else "close" if play.loss <= error else "worse"
        )
    counts = Counter(play.verdict for play in plays)
    assert all(counts[kind] for kind in Verdict)
    rows = against_thumbs([audit], values, ["first"])
    for kind in Verdict:
        assert sum(row[kind] for row in rows) == counts[kind]
    assert all(sum(row[kind] for kind in Verdict) == row["choices"] for row in rows)


def test_a_table_of_rows_has_the_error_of_estimates():
    audits = both(random_game(named_rules("finkel:3"), 1))
    rows = list(csv.DictReader(io.StringIO(write_csv(audits, Thresholds()))))
    assert [float(row["error"]) for row in rows] == pytest.approx([0, 0, MARGIN, MARGIN])
    lost = [audits[1].light.loss_margin, audits[1].dark.loss_margin]
    assert [float(row["loss_error"]) for row in rows] == pytest.approx([0, 0, *lost])
    assert "error" not in write_csv(audits[:1], Thresholds())


def test_numbers_have_the_decimals_that_an_error_leaves():
    assert POINTS.estimate(0.5312, 0.021) == "53 % ± 2"
    assert POINTS.estimate(0.5312, 0.0021) == "53.1 % ± 0.2"
    assert MONEY.estimate(9.876, 0.31) == "9.9 ± 0.3"
    assert POINTS.within(0.021).amount(0.1234) == "12"
    assert POINTS.within(0.0021).amount(0.1234) == "12.3"
    assert POINTS.within(0.000021).amount(0.1234) == "12.3"
    assert POINTS.within(0) is POINTS
    assert POINTS.within(0.02).lost(0.12, 0.03) == "12 ± 3 points lost"
    assert POINTS.lost(0.12) == "12.0 points lost"
