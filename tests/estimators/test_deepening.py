"""Searches of 4 plies, and those that stop when they are sure, held against the readable rules."""

from __future__ import annotations

import dataclasses
import itertools
from functools import cache

import numpy as np
import pytest

from tests.estimators.test_file import stored_of
from ur_solver.errors import InputError
from ur_solver.estimators import Ended
from ur_solver.estimators.deepening import until_sure
from ur_solver.estimators.estimator import Estimator
from ur_solver.rules.turns import evaluate, move_value

HERE = "L...__../..D...../....__.. L 2 2"
CROWDED = "L..L__../..DL..../..D.__.. L 2 3"


def estimator_of(word: str, errors=(0.4, 0.3, 0.2, 0.1), plies=1, apart=1.0) -> Estimator:
    """One with weights that differ enough for its moves to do so, and these widths.

    Those of differences are as wide, times `apart`.
    """
    stored = stored_of(word)
    weights = np.random.default_rng(1).normal(0, 0.3, stored.shape.n_weights).astype(np.float32)
    widths = {"errors": np.array(errors), "differences": apart * np.array(errors)}
    changed = dataclasses.replace(stored, weights=weights, **widths)
    return Estimator(changed, plies=plies)


def readable_search(estimator: Estimator):
    """The value of a position by a search of a depth: the readable rules, and the network below."""

    @cache
    def value(position, depth):
        if position.winner is not None:
            total = position.rules.payoff.total(position.fines)
            return total if position.winner == position.side else 0
        if depth == 0:
            row = np.array([estimator.space.encode(position)], estimator.space.state_dtype)
            return float(estimator.network.state_values(row)[0])
        return evaluate(position, lambda after: value(after, depth - 1))

    return value


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("finkel:2", "L...__../..D...../....__.. L 1 1"),
        ("skiriuk:1", "...L__../..d...../....__.. L 0 0"),
        ("birds:2", "L1...__../......../..D1.__.. L 2 2"),
        ("bell-stakes:1", "...L__../..D...../....__.. L 0 0 p1"),
    ],
)
def test_four_plies_are_what_the_readable_rules_make_of_the_network(word, text):
    estimator = estimator_of(word, plies=4)
    value, here = readable_search(estimator), estimator.rules.position(text)
    assert estimator.value(here) == pytest.approx(value(here, 3), abs=1e-5)
    found = [move for throw in estimator.decision(here).throws for move in throw.options]
    assert len(found) >= 3
    for each in found:
        wanted = move_value(each.move, lambda after: value(after, 3))
        assert each.value == pytest.approx(wanted, abs=1e-5)


def values_of(found) -> dict[str, float]:
    return {each.move.text: each.value for each in found}


def test_what_is_sure_is_searched_no_deeper():
    estimator = estimator_of("finkel:3", (1e-7,) * 4)
    found = estimator.until_sure(HERE, throws=(2,))
    (throw,) = found.decision.throws
    assert found.ended == (Ended.SURE,)
    assert [each.plies for each in throw.moves] == [1, 1]
    assert values_of(throw.moves) == values_of(estimator.looking(1).moves(HERE, 2))


def test_what_is_not_sure_is_searched_as_deep_as_there_are_searches():
    estimator = estimator_of("finkel:3", (9.0,) * 4)
    found = estimator.until_sure(HERE)
    # there is nothing to choose after a 0 and a 4
    assert found.ended == (Ended.SURE, *[Ended.PLIES] * 3, Ended.SURE)
    deepest = estimator.looking(4).decision(HERE)
    assert found.decision.value == deepest.value
    for throw, wanted in zip(found.decision.throws[1:4], deepest.throws[1:4], strict=True):
        assert {each.plies for each in throw.options} == {4}
        assert values_of(throw.options) == values_of(wanted.options)
        assert (throw.value, throw.luck) == (wanted.value, wanted.luck)


def naive(estimator: Estimator, position: str, throw: int, apart: float):
    """The values and plies of moves: each by the last search that it was wanted in."""

    def error_of(one, other):
        return np.sqrt((one - other) ** 2 + 2 * apart**2 * one * other)

    known = {each.move.text: each for each in estimator.looking(1).moves(position, throw)}
    plies = dict.fromkeys(known, 1)
    for n in (2, 3, 4):
        best = max(known.values(), key=lambda each: each.value)
        losses = {text: best.value - each.value for text, each in known.items()}
        close = [
            text
            for text, loss in losses.items()
            if 1e-6 < loss <= error_of(best.error, known[text].error)
        ]
        if not close:
            break
        deeper = {each.move.text: each for each in estimator.looking(n).moves(position, throw)}
        wanted = [text for text, loss in losses.items() if loss <= best.error + known[text].error]
        known |= {text: deeper[text] for text in wanted}
        plies |= dict.fromkeys(wanted, n)
    return {text: (each.value, each.error, plies[text]) for text, each in known.items()}


def test_moves_that_cannot_win_are_left_out_and_the_others_looked_at_until_it_is_sure():
    seen = set()
    widths = (0.02, 0.04, 0.08, 0.15, 0.3)
    for width, throw, apart in itertools.product(widths, (1, 2, 3, 4), (1.0, 0.6)):
        estimator = estimator_of("finkel:5", (width, width, width / 2, width / 4), 1, apart)
        found = estimator.until_sure(CROWDED, throws=(throw,))
        (thrown,) = found.decision.throws
        moves = {each.move.text: (each.value, each.error, each.plies) for each in thrown.options}
        assert moves == naive(estimator, CROWDED, throw, apart)
        plies = [each.plies for each in thrown.options]
        seen.add((found.ended[0], min(plies) < max(plies)))
    assert seen >= {(Ended.SURE, False), (Ended.SURE, True), (Ended.PLIES, True)}


def test_a_search_that_has_no_time_keeps_what_it_had():
    estimator = estimator_of("finkel:5", (9.0,) * 4)
    moves = len(estimator.moves(CROWDED, 2))
    for ticks, wanted in ((0, 1), (moves, 2), (2 * moves - 1, 2), (2 * moves, 3)):
        clock = itertools.count()
        found = until_sure(
            estimator,
            estimator.looking,
            CROWDED,
            None,
            (2,),
            seconds=ticks + 0.5,
            clock=clock.__next__,
        )
        (throw,) = found.decision.throws
        assert found.ended == (Ended.SECONDS,)
        assert {each.plies for each in throw.options} == {wanted}
        assert values_of(throw.options) == values_of(estimator.looking(wanted).moves(CROWDED, 2))


def test_exact_moves_and_games_that_are_over_are_sure():
    estimator = estimator_of("finkel:1", (9.0,) * 4)
    over = estimator.until_sure("....__../......../....__.. L 0 1")
    assert (over.decision.value, over.decision.throws, over.ended) == (1, (), ())
    winning = estimator.until_sure("....__L./......../....__.. L 0 1", throws=(1,))
    (throw,) = winning.decision.throws
    assert (throw.value, winning.ended, throw.moves[0].plies) == (1, (Ended.SURE,), None)


def test_the_choices_of_birds_are_searched():
    estimator = estimator_of("birds:2", (0.4,) * 4)
    here = "L1...__../......../....__.. L 2 12"
    found = estimator.until_sure(here, "enter", (3,))
    assert len(found.ended) == len(found.decision.throws) >= 1
    assert {each.throws[0] for each in found.decision.throws} == {3}
    assert {each.choice for each in found.decision.throws} == {"enter"}


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan"), float("-inf")])
def test_seconds_are_above_0(seconds):
    with pytest.raises(InputError, match="seconds"):
        estimator_of("finkel:1").until_sure("....__../......../....__.. L 1 1", seconds=seconds)
