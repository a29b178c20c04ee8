"""Is it the dice? Counts, shares of fair series and verdicts against exact sums and SciPy."""

import itertools
import json
import math

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from tests.games import random_game
from ur_solver.audit.dice_test import SERIES, compared_throws, dice_test, odds_text
from ur_solver.cli import cli
from ur_solver.errors import InputError, ThrowError
from ur_solver.records import read_text
from ur_solver.rules import DICE, named_rules

NOISE = 4 * math.sqrt(0.25 / SERIES)


class _Ply:
    def __init__(self, side, throws):
        self.side, self.throws = side, throws


class _Game:
    """A record as far as its throws are concerned."""

    opening = ()

    def __init__(self, throws, rules="finkel", side="L"):
        self.rules = named_rules(rules)
        self.start = None
        self.plies = [_Ply(side, (throw,)) for throw in throws]
        self.stepper = self

    def opening_rolls(self, start):
        return None


def both_of(throws):
    (found,) = dice_test([_Game(throws)])
    return found["both"]


@pytest.mark.parametrize("throws", [[4], [2, 2], [0, 4, 4], [0, 0, 1, 0], [1, 2, 3, 2]])
def test_few_throws_against_all_series(throws):
    """The shares are exact ones: of all series of this length, by their probabilities."""
    dice = DICE["4-binary"]
    n = len(throws)

    def distances(series):
        counts = [series.count(throw) for throw in dice.throws]
        square = sum(
            (count - n * p) ** 2 / p for count, p in zip(counts, dice.probabilities, strict=True)
        )
        return square, abs(sum(series) - 2 * n)

    limits = distances(throws)
    shares = [0, 0]
    for series in itertools.product(dice.throws, repeat=n):
        chance = math.prod(dice.probabilities[throw] for throw in series)
        for k, distance in enumerate(distances(series)):
            shares[k] += chance * (distance >= limits[k])
    found = both_of(throws)
    assert found["chance"] == pytest.approx(float(shares[0]), abs=NOISE)
    assert found["mean_chance"] == pytest.approx(float(shares[1]), abs=NOISE)


def test_many_throws_against_scipy():
    rng = np.random.default_rng(5)
    chances = [float(p) for p in DICE["4-binary"].probabilities]
    throws = [int(throw) for throw in rng.choice(5, 4000, p=chances)]
    found = both_of(throws)
    counts = [throws.count(k) for k in range(5)]
    assert [each["count"] for each in found["counts"]] == counts
    expected = [4000 * p for p in chances]
    assert [each["expected"] for each in found["counts"]] == expected
    assert found["chance"] == pytest.approx(stats.chisquare(counts, expected).pvalue, abs=0.02)
    z = (np.mean(throws) - 2) / (1 / math.sqrt(4000))  # the variance of four coins is 1
    assert found["mean_chance"] == pytest.approx(2 * stats.norm.sf(abs(z)), abs=0.03)
    assert found["fair_error"] == pytest.approx(1.96 / math.sqrt(4000))


def test_verdicts():
    assert both_of([2] * 3)["verdict"] == "usual"
    assert both_of([1, 2, 3] * 5 + [0, 4])["verdict"] == "usual"
    assert both_of([4, 4])["verdict"] == "rare"  # once in 256
    assert both_of([4, 4, 4])["verdict"] == "very rare"  # once in 4,096
    loaded = both_of([3, 4] * 40)
    assert loaded["verdict"] == "very rare"
    assert "fewer than 1 of 10,000" in loaded["text"]


def test_a_shift_is_found_in_four_of_five_series():
    """Coins that fall marked a little too often, by as much as `shift` says."""
    n = 200
    shift = both_of([2] * n)["shift"]
    rng = np.random.default_rng(3)
    totals = rng.binomial(4 * n, (2 + shift) / 4, size=20_000)
    is_rare = 2 * 2 * stats.norm.sf(abs(totals / n - 2) * math.sqrt(n)) < 0.05
    assert is_rare.mean() == pytest.approx(0.8, abs=0.03)


def test_throws_that_the_rules_give_are_not_counted():
    records = [random_game(named_rules("skiriuk:2"), seed, 60) for seed in range(3)]
    (found,) = dice_test(records)
    assert all(record.plies[0].throws == (1,) for record in records)
    assert found["both"]["throws"] == sum(len(record.plies) - 1 for record in records)
    assert found["light"]["throws"] + found["dark"]["throws"] == found["both"]["throws"]


def test_the_rounds_of_an_opening_are_counted():
    """Light throws 2, 0 and 3 in the opening and 1 in the game, dark 2, 0, 1 and 0."""
    text = """rules: ben:2
opening: 2-2, 0-0, 3-1 A3B1 C3C2

L 1 B1B2
D 0 C2C1*
end: unfinished
"""
    (found,) = dice_test(read_text(text))
    assert [each["count"] for each in found["light"]["counts"]] == [1, 1, 1, 1]
    assert [each["count"] for each in found["dark"]["counts"]] == [2, 1, 1, 0]


def test_the_throw_of_a_one_that_begins_is_counted_once():
    text = "rules: skiriuk:2\nopening: 3-2, 1\n\nL 1 A@A4\nD 4 C@C1*\nend: unfinished"
    (found,) = dice_test(read_text(text))
    assert [each["count"] for each in found["light"]["counts"]] == [1, 0, 1, 0]
    assert [each["count"] for each in found["dark"]["counts"]] == [0, 1, 0, 1]


def test_both_throws_of_a_turn_are_counted_and_dice_are_kept_apart():
    text = """rules: birds:2
L enter 1 3 1A@A2
D enter 4 --
end: unfinished

rules: finkel:3
L 3 A@A2
end: unfinished
"""
    birds, finkel = dice_test([*read_text(text), _Game([1], "skiriuk")])
    assert birds["dice"] == "4-binary"
    assert birds["games"] == 2
    assert birds["light"]["throws"] == 3
    assert birds["dark"]["throws"] == 1
    assert (finkel["dice"], finkel["games"]) == (named_rules("skiriuk").dice.name, 1)
    assert finkel["dark"] | {"text": ""} == {
        **{"throws": 0, "mean": None, "fair_error": None, "chance": None, "mean_chance": None},
        **{"shift": None, "verdict": "nothing", "text": "", "fair_mean": 2.0},
        "counts": [each | {"count": 0, "expected": 0.0} for each in finkel["light"]["counts"]],
    }


def test_the_seed_decides_and_is_checked():
    assert both_of([1, 2]) == both_of([1, 2])
    with pytest.raises(InputError, match="seed"):
        dice_test([], seed=-1)


def test_counts_without_games():
    dice = DICE["4-binary"]
    found = compared_throws(dice, {4: 2, 1: 1}, {0: 1})
    (of_games,) = dice_test([_Game([4, 1, 4]), _Game([0], side="D")])
    assert {**found, "dice": "4-binary", "games": 2} == of_games
    with pytest.raises(ThrowError, match="throw 5: 4-binary dice show 0, 1, 2, 3, 4"):
        compared_throws(dice, {5: 1}, {})
    for count in (-1, 10**13, 0.5):
        with pytest.raises(InputError, match="the count of throw 1"):
            compared_throws(dice, {}, {1: count})


def test_odds():
    for share, text in (
        *((0.34, "34 of 100"), (1.0, "100 of 100"), (0.0123, "1 of 100")),
        *((0.0042, "4 of 1,000"), (0.0003, "3 of 10,000"), (1e-5, "fewer than 1 of 10,000")),
    ):
        assert odds_text(share) == text


def test_the_command(tmp_path):
    path = tmp_path / "games.ur"
    path.write_text("rules: finkel:3\nL 4 A@A1*\nL 4 A1B4*\nend: unfinished\n\nL 1 nonsense")
    result = CliRunner().invoke(cli, ["dice", str(path)])
    assert result.exit_code == 2
    assert "4-binary, 1 game " in result.stdout
    assert "2 of 0.1" in result.stdout
    assert "games.ur: game 2: line 6" in result.stderr
    result = CliRunner().invoke(cli, ["dice", str(path), "--json"])
    assert json.loads(result.stdout)["light"]["mean"] == 4.0
