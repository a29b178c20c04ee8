"""Games judged by estimators, against the exact table of the same rules."""

from __future__ import annotations

import pytest

import ur_solver as ur
from tests.audit.test_judge import EXACT, identity_gap
from ur_solver.answers.decisions import Verdict
from ur_solver.api.table import Table
from ur_solver.estimators.estimator import Estimator
from ur_solver.table.reader import TableFile

pytestmark = pytest.mark.medium


@pytest.fixture
def games(exact):
    return list(ur.sample(exact, 60, light="weak", dark="random", seed=3))


def test_an_estimator_with_the_whole_table_judges_as_that_does(estimator, exact, games):
    known = Estimator(estimator.stored, plies=1, exact=Table(exact.file))
    for judged, wanted in zip(known.audits(games), exact.audits(games), strict=True):
        assert judged.is_exact
        assert judged.start_value == pytest.approx(wanted.start_value, abs=EXACT)
        assert judged.end_value == pytest.approx(wanted.end_value, abs=EXACT)
        assert [ply.loss for ply in judged.plies] == pytest.approx(
            [ply.loss for ply in wanted.plies], abs=EXACT
        )


@pytest.mark.parametrize("plies", [2, 3])
def test_what_an_estimator_calls_a_worse_move_is_one(estimator, exact, games, plies):
    """Of the moves that it is sure lose something at most one in twenty does not by the table."""
    counted = wrong = inside = 0
    for judged, wanted in zip(
        estimator.looking(plies).audits(games), exact.audits(games), strict=True
    ):
        assert identity_gap(judged) < EXACT
        assert not judged.is_exact
        for estimated, known in zip(judged.plies, wanted.plies, strict=True):
            if estimated.verdict is Verdict.WORSE:
                assert estimated.loss > estimated.loss_margin > 0
                counted += 1
                wrong += known.loss < 1e-9
        lost = sum(ply.loss for ply in wanted.plies)
        margin = judged.light.loss_margin + judged.dark.loss_margin
        inside += abs(judged.light.loss + judged.dark.loss - lost) <= margin
    assert inside >= 0.9 * len(games)
    assert counted > 1
    assert wrong <= counted / 20


def test_an_estimator_with_endings_is_exact_there(estimator, exact, games, tmp_path):
    rules = estimator.rules
    with ur.solve(rules, tmp_path / "endings.h5", left=1) as endings:
        known = Estimator(estimator.stored, plies=1, exact=Table(TableFile(endings.path)))
        n_exact = 0
        for judged, wanted in zip(known.audits(games), exact.audits(games), strict=True):
            assert identity_gap(judged) < EXACT
            for estimated, real in zip(judged.plies, wanted.plies, strict=True):
                if estimated.margin == 0:
                    n_exact += 1
                    assert estimated.loss == pytest.approx(real.loss, abs=1e-9)
        assert n_exact > 20
        known.close()
