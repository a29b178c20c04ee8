"""Intervals hold what they are of as often as they say, and figures are written as text."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from ur_solver.study.estimates import (
    IntervalEstimate,
    as_count,
    as_number,
    as_points,
    as_share,
    beyond_of,
    deviation_of,
    mean_of,
    part_of_spread,
    points,
    quantile_of,
    ratio_of,
    share_of,
)

TRIALS, GAMES = 1500, 300


def held(truth: float, estimate_of, draw, trials: int = TRIALS) -> float:
    """How often the interval of a draw's estimate holds the truth."""
    rng = np.random.default_rng(4)
    found = [estimate_of(draw(rng)) for _ in range(trials)]
    return sum(each.low <= truth <= each.high for each in found) / trials


def lengths(rng):
    """As skew as lengths of games are, in whole throws."""
    return 20 + rng.negative_binomial(4, 0.1, GAMES)


# what the distribution of `lengths` has, from its formulas
MEAN, DEVIATION = 20 + 4 * 0.9 / 0.1, math.sqrt(4 * 0.9) / 0.1


def quantiles_of_lengths(shares):
    """By the sums of its probabilities."""
    chances = [0.1**4]
    for k in range(1, 1000):
        chances.append(chances[-1] * 0.9 * (k + 3) / k)
    return [20 + int(np.searchsorted(np.cumsum(chances), share)) for share in shares]


@pytest.mark.parametrize("share", [0.5, 0.2, 0.02])
def test_shares(share):
    frequency = held(share, lambda hits: share_of(hits, GAMES), lambda r: r.binomial(GAMES, share))
    assert 0.93 < frequency < 0.975


def test_shares_of_which_little_was_seen():
    """Wilson's interval by its defining equation: the ends are 1.96 of their own errors away."""
    for hits, n in ((0, 300), (1, 50), (299, 300), (150, 300), (300, 300)):
        found = share_of(hits, n)
        assert found.value == hits / n
        for end in (found.low, found.high):
            if 0 < end < 1:
                assert abs(end - found.value) == pytest.approx(
                    1.959964 * math.sqrt(end * (1 - end) / n), rel=1e-6
                )
        assert 0 <= found.low <= found.value <= found.high <= 1
    assert share_of(0, 300).low == 0
    assert share_of(0, 300).high > 0
    assert math.isnan(share_of(0, 0).value)


def test_means_ratios_and_spreads():
    assert 0.93 < held(MEAN, mean_of, lengths) < 0.965
    assert 0.92 < held(DEVIATION, deviation_of, lengths) < 0.965
    ratio = held(0.1, lambda both: ratio_of(*both), lambda r: (r.poisson(3, 300), [30] * 300))
    assert 0.93 < ratio < 0.965
    part = held(
        0.2,
        lambda both: part_of_spread(*both),
        lambda r: (r.exponential(1, GAMES), r.normal(0, 2, GAMES)),
    )
    assert 0.90 < part < 0.965  # an exponential distribution has a heavy tail


@pytest.mark.parametrize("share", [0.05, 0.25, 0.5, 0.95])
def test_quantiles(share):
    (truth,) = quantiles_of_lengths([share])
    assert held(truth, lambda seen: quantile_of(seen, share), lengths) > 0.95


def test_quantiles_of_known_games():
    seen = np.arange(1, 101)
    found = quantile_of(seen, 0.5)
    # the 40th and the 61st of a hundred, as tables of the sign test have them
    assert (found.value, found.low, found.high) == (50, 40, 61)
    assert quantile_of([7], 0.95) == IntervalEstimate(7, 7, 7)
    assert math.isnan(quantile_of([], 0.5).value)


def test_extremes():
    """The share of games beyond the longest of n is less than the bound in 95 cases of 100."""
    rng = np.random.default_rng(5)
    beyond = 1 - rng.random((4000, 100)).max(axis=1)
    assert np.mean(beyond <= beyond_of(100).high) == pytest.approx(0.95, abs=0.012)
    assert beyond_of(100).value == beyond_of(100).low == 0


def test_what_is_exact_or_unknown():
    assert IntervalEstimate.exact(0.3).to_json() == 0.3
    assert mean_of([]).to_json() is None
    assert ratio_of([0, 0], [0, 0]).to_json() is None
    assert deviation_of([1]).to_json() is None
    rest = IntervalEstimate(0.25, 0.2, 0.35).rest()
    assert (rest.value, rest.low, rest.high) == pytest.approx((0.75, 0.65, 0.8))
    assert json.dumps(rest.to_json()).startswith('{"value": 0.75, "low": ')


def test_figures_as_text():
    assert as_number({"value": 69.6447, "low": 69.4495, "high": 69.8399}) == "69.64 ± 0.20"
    assert as_number(2.5) == "2.5000"
    assert as_number(None) == as_number(0.0) == "none"
    assert as_share({"value": 0.6355, "low": 0.6345, "high": 0.6365}) == "63.55 % ± 0.10"
    assert as_share(share_of(0, 3000).to_json()) == "none, at most 0.128 %"
    assert as_share(share_of(2, 3000).to_json()) == "0.07 % (0.02 to 0.24)"
    assert as_points({"value": -0.03, "low": -0.04, "high": -0.02}) == "\N{MINUS SIGN}3.0 ± 1.0"
    assert as_count({"value": 1234, "low": 1100, "high": 1400}) == "1,234 (1,100 to 1,400)"
    assert as_count(12) == "12"
    assert points(-0.0324) == "\N{MINUS SIGN}3.24"
    assert points(0.0324, sign=False) == "3.24"
