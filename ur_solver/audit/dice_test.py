"""Is it the dice? The throws of recorded games counted against those of fair dice.

Two tests ask how often fair dice, in series of as many throws, give counts that are at least as far
from what is expected, by Pearson's chi-square, and a mean that is at least as far off. These shares
are found by playing such series, so that they hold for a handful of throws too. A game ends after
a throw that wins it, but this does not bend the expected counts: whether a throw is made depends on
earlier throws only (Wald's equation).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ur_solver.common.text import counted, whole_number
from ur_solver.records import GameRecord
from ur_solver.rules import DARK, LIGHT, SIDE_NAMES, Dice

SERIES = 50_000
"""How many series of fair throws are compared: a share of 5 % then has an error of 0.2 points."""

MAX_COUNT = 10**12
"""The largest count of a throw."""

RARE, VERY_RARE = 0.05, 0.001
"""The shares of fair series that are called rare, and very rare. As there are two tests, each has
half of them (Bonferroni)."""

_FOUND_MOSTLY = 2.24 + 0.84
"""Where the mean of unfair dice is off by this many standard errors, the test of the mean calls
four of five series rare."""


def dice_test(records: Iterable[GameRecord], seed: int = 1) -> list[dict[str, Any]]:
    """Count the throws of games, of any rule sets, and compare them with those of fair dice.

    A throw that the rules give, as the first one of skiriuk, is not counted. The rounds of an
    opening are, and where a first throw earns a second, both. `seed` is that of the fair series;
    InputError if it is none. The JSON values are in the order of the games, for each kind of dice
    ``dice`` (its name), ``games`` (their number), and what `compared_throws` returns.
    """
    whole_number("seed", seed)
    games: Counter[Dice] = Counter()
    thrown: dict[Dice, dict[str, Counter[int]]] = {}
    for record in records:
        dice = record.rules.dice
        games[dice] += 1
        by_side = thrown.setdefault(dice, {LIGHT: Counter(), DARK: Counter()})
        for each in record.opening:
            for side, throw in zip((LIGHT, DARK), each.throws, strict=False):
                by_side[side][throw] += 1
        is_given = record.stepper.opening_rolls(record.start) is not None
        for ply in record.plies[is_given:]:
            by_side[ply.side].update(ply.throws)
    return [
        {
            "dice": dice.name,
            "games": games[dice],
            **compared_throws(dice, by_side[LIGHT], by_side[DARK], seed),
        }
        for dice, by_side in thrown.items()
    ]


def compared_throws(
    dice: Dice, light: Mapping[int, int], dark: Mapping[int, int], seed: int = 1
) -> dict[str, dict[str, Any]]:
    """Compare counts of throws with those of fair dice.

    `light` and `dark` say how often each side threw what; throws that are missing were never
    thrown. `seed` is that of the fair series. The JSON values are for ``light``, ``dark`` and
    ``both``, as docs/commands.md describes them.

    ThrowError if the dice cannot show a throw; InputError if the seed or a count is not a whole
    number from 0, or a count is above `MAX_COUNT`.
    """
    rng = np.random.default_rng(whole_number("seed", seed))
    both: Counter[int] = Counter()
    found = {}
    for side, counts in ((LIGHT, light), (DARK, dark)):
        for throw, count in counts.items():
            dice.check(throw)
            whole_number(f"the count of throw {throw}", count, 0, MAX_COUNT)
        both.update(counts)
        found[SIDE_NAMES[side]] = _compared(dice, Counter(counts), rng)
    return {**found, "both": _compared(dice, both, rng)}


def _compared(dice: Dice, found: Counter[int], rng: np.random.Generator) -> dict[str, Any]:
    throws = dice.throws
    chances = [float(dice.probabilities[throw]) for throw in throws]
    counts = [found[throw] for throw in throws]
    n = sum(counts)
    fair_mean = math.fsum(t * p for t, p in zip(throws, chances, strict=True))
    variance = math.fsum((t - fair_mean) ** 2 * p for t, p in zip(throws, chances, strict=True))
    error = math.sqrt(variance / n) if n else None
    chance, mean_chance = _shares_as_far(counts, dice, rng) if n else (None, None)
    values = {
        "throws": n,
        "counts": [
            {"throw": throw, "count": count, "expected": n * p, "probability": p}
            for throw, count, p in zip(throws, counts, chances, strict=True)
        ],
        "mean": sum(throw * found[throw] for throw in throws) / n if n else None,
        "fair_mean": fair_mean,
        "fair_error": None if error is None else 1.96 * error,
        "chance": chance,
        "mean_chance": mean_chance,
        "shift": None if error is None else _FOUND_MOSTLY * error,
        "verdict": _verdict(chance, mean_chance),
    }
    return {**values, "text": _text(values)}


def _shares_as_far(
    counts: Sequence[int], dice: Dice, rng: np.random.Generator
) -> tuple[float, float]:
    """The shares of fair series whose counts, and whose mean, are at least as far off as these.

    The counts themselves are one of the series, so that no share is 0 (Davison and Hinkley).
    """
    n, throws = sum(counts), np.array(dice.throws)
    chances = np.array([float(dice.probabilities[throw]) for throw in dice.throws])
    series = np.vstack([[counts], rng.multinomial(n, chances, size=SERIES)])
    distances = (((series - n * chances) ** 2 / chances).sum(axis=1),
                 np.abs((series - n * chances) @ throws))  # fmt: skip
    # rounding errors must not separate equal distances
    as_counts, as_mean = (float((each >= each[0] * (1 - 1e-9)).mean()) for each in distances)
    return as_counts, as_mean


def _verdict(chance: float | None, mean_chance: float | None) -> str:
    if chance is None or mean_chance is None:
        return "nothing"
    share = 2 * min(chance, mean_chance)
    if share < VERY_RARE:
        return "very rare"
    return "rare" if share < RARE else "usual"


def _text(values: dict[str, Any]) -> str:
    """What the counts say, in a sentence or two."""
    if values["chance"] is None:
        return "There are no throws to judge."
    throws = counted(values["throws"], "throw")
    odds = (
        f"With fair dice, {odds_text(values['chance'])} series of {throws} have counts at least as "
        f"uneven, and {odds_text(values['mean_chance'])} a mean at least as far off"
    )
    if values["verdict"] == "very rare":
        return (
            f"{odds}. Fair dice hardly ever do this: are these fair, and was every throw recorded "
            "as it fell?"
        )
    if values["verdict"] == "rare":
        return f"{odds}. That is rare, but one of twenty series with fair dice is as rare."
    return (
        f"{odds}: nothing unusual. Unfair dice whose mean is off by less than "
        f"{values['shift']:.2f} often look fair in this number of throws."
    )


def odds_text(share: float) -> str:
    """A share in words: ``34 of 100``, ``2 of 1,000``, ``fewer than 1 of 10,000``."""
    for of in (100, 1000, 10_000):
        if share * of >= 1:
            return f"{round(share * of):,} of {of:,}"
    return "fewer than 1 of 10,000"
