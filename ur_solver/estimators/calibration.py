"""How far values may be off: 95 % intervals, calibrated by rollouts.

What is wrong in a value is not known where there is no table. Rollouts that are cut see a part of
it: they are nearer to the optimum than the values that they start from. Positions of play are
valued by searches and held against them. The noise of the rollouts is taken out of what they
differ by, and the rest is widened by a factor, which was chosen so that intervals hold where there
are tables (`docs/estimates.md`). Games to the end are no reference: they are worth what their play
is, less than that from which the values were learnt.

Values near 0 and near the most that they can be are wrong by less than those in the middle. If v is
a value's share of that most, half the width of its interval is ``error * spread(v)``, as a share of
it too. An estimator has one such error for each depth of search.

Errors of two moves of a position are neither independent nor the same, and so what the moves differ
by has an error of its own, which is measured in the same way. If v and w are the shares of both,
half the width of its interval is ``difference * hypot(spread(v), spread(w))``.

A deeper search is given no wider intervals by rollouts than a shallower one. With a table of
endings, intervals are at least as wide as its positions of play need; with one of the whole rule
set they are that wide, whatever rollouts say. All of this is measured of searches to 3 plies; with
4, intervals are as wide as with 3. An interval is calibrated, not proven.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import Values
from ur_solver.estimators import MOST_PLIES
from ur_solver.estimators.network import Rows, scale_of
from ur_solver.estimators.search import CUT, Searched, play_ply, rolled_out, start_rows

_FROM_A_GAME = 12
"""The mean number of positions that are drawn from a game: neighbours are much alike."""

_BY_TABLE = 4
"""How many times as many positions a table checks as rollouts do: it answers at once."""

_MOST_PLIES = 5000

_MOST_BATCHES = 20
"""More than games of one position each would take to give all that are wanted."""


def spread(share: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """How errors depend on a value, which is given as a share of the most that it can be."""
    inside = np.clip(np.asarray(share, dtype=np.float64), 0, 1)
    return np.asarray(np.sqrt(inside * (1 - inside)) + 0.02)


def half_widths(error: float, share: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Half the widths of intervals, as shares of the most that values can be."""
    return np.minimum(error * spread(share), 1.0)


def agreement_of(
    errors: npt.NDArray[np.float64], differences: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """How errors of the values of two moves go together, by plies: see `Values.agreement`."""
    ratio = np.divide(differences, errors, out=np.ones_like(errors), where=errors > 0)
    return np.asarray(np.clip(1 - ratio**2, -1.0, _MOST_AGREEMENT))


@dataclass(frozen=True)
class TwoMoves:
    """The states after two moves of the same turns, and 1 or -1, as the side that moved sees them.

    `first` is the better one by the values that play; neither wins at once.
    """

    first: Rows
    other: Rows
    signs: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]

    @classmethod
    def of(cls, values: Values, rows: Rows, seed: int) -> TwoMoves:
        """After a throw in each state, where there are two moves: the best one and any other."""
        best, other = (
            play_ply(values, rows, np.random.default_rng(seed), explore) for explore in (0.0, 1.0)
        )
        differ = ~other.is_best & (best.sign != 0) & (other.sign != 0)
        signs = best.sign[differ], other.sign[differ]
        return cls(best.after[differ], other.after[differ], signs)

    @property
    def states(self) -> tuple[Rows, Rows]:
        """Those after the first moves, and after the others."""
        return self.first, self.other

    def held_by(self, exact: Values) -> TwoMoves:
        """Those of which a table has both."""
        held = exact.holds_states(self.first) & exact.holds_states(self.other)
        signs = self.signs[0][held], self.signs[1][held]
        return TwoMoves(self.first[held], self.other[held], signs)

    def difference(
        self, first: npt.NDArray[np.float64], other: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """What values of both sum to, with their signs: differences, but for what is the same."""
        return self.signs[0] * first - self.signs[1] * other


def positions_of_play(values: Values, n: int, seed: int = 1, exact: Values | None = None) -> Rows:
    """Positions of the games that values play with themselves, shape (n, state width).

    They are drawn from whole games, all of a game alike, and come in any order. With a table only
    those are drawn that it holds: fewer than n where games seldom come to them.
    """
    rng = np.random.default_rng([seed, 1])
    seen: list[Rows] = []
    for _ in range(_MOST_BATCHES):
        rows = start_rows(values.rules, max(1, n // _FROM_A_GAME))
        for _ in range(_MOST_PLIES):
            seen.append(rows if exact is None else rows[exact.holds_states(rows)])
            ply = play_ply(values, rows, rng)
            rows = ply.after[ply.sign != 0]
            if not len(rows):
                break
        found = sum(map(len, seen))
        if found >= n or not found:  # a table may have only what games do not come to
            break
    return rng.permutation(np.concatenate(seen))[:n]


@dataclass(frozen=True)
class ValueErrors:
    """The errors of the values of positions, in units of the values.

    The root mean square, the 95th and 99th percentiles of the absolute errors, and the mean, which
    is above 0 where the side to throw is given too much.
    """

    rms: float
    p95: float
    p99: float
    bias: float
    positions: int

    @classmethod
    def of(cls, errors: npt.NDArray[np.float64]) -> ValueErrors:
        """Of some differences from exact values."""
        size = np.abs(errors)
        p95, p99 = (float(each) for each in np.quantile(size, (0.95, 0.99)))
        rms = math.sqrt(float(np.mean(errors**2)))
        return cls(rms, p95, p99, float(errors.mean()), len(errors))


def value_errors(values: Values, exact: Values, rows: Rows) -> ValueErrors:
    """The errors of values in those of some positions that a table holds."""
    held = rows[exact.holds_states(rows)]
    return ValueErrors.of(values.state_values(held) - exact.state_values(held))


CUT_FACTOR = 1.2
_SHARE = 0.95
_LEAST_REST = 0.2
"""Of what is seen, at least so much is not noise of the rollouts."""

_MOST_AGREEMENT = 0.9
"""So that two moves are never compared as if the network were as wrong about both."""


@dataclass(frozen=True)
class Effort:
    """How much is played to calibrate.

    That is positions of play, and rollouts from each, cut after `CUT` plies.
    """

    positions: int = 400
    rollouts: int = 48


@dataclass(frozen=True)
class Widths:
    """How wide intervals are, by the plies that a choice looks ahead, float64, (MOST_PLIES,)."""

    errors: npt.NDArray[np.float64]
    differences: npt.NDArray[np.float64]


def calibrated(
    values: Values, effort: Effort, *, exact: Values | None = None, seed: int = 1
) -> tuple[Widths, dict[str, Any]]:
    """How wide intervals are, and what was measured.

    `values` are a network's. With `exact`, a table of the rule set, intervals are as wide as its
    positions of play need; with one of the endings they are that wide or as wide as by rollouts,
    whichever is more. Returns the widths, and as JSON values the errors of the network's values by
    rollouts, and by the table (`ValueErrors`), in units of the values.
    """
    rows = positions_of_play(values, effort.positions, seed)
    rng = np.random.default_rng([seed, 2])
    cut = _Known.by_rollouts(values, rows, effort.rollouts, rng)
    if exact is not None and exact.holds_states(rows).all():  # only a whole table has them
        errors = differences = np.zeros(len(_DEPTHS))
    else:
        moves = TwoMoves.of(values, rows, seed)
        both = [_Known.by_rollouts(values, each, effort.rollouts, rng) for each in moves.states]
        errors = CUT_FACTOR * np.minimum.accumulate(_widths(values, rows, cut))
        differences = CUT_FACTOR * np.minimum.accumulate(_of_moves(values, moves, both))
    off = ValueErrors.of(values.state_values(rows) - cut.values)
    measured = {**asdict(effort), "plies": CUT, "against_rollouts": asdict(off)}
    if exact is not None:
        held = positions_of_play(values, _BY_TABLE * effort.positions, seed, exact)
        if len(held):
            errors = np.maximum(errors, _widths(values, held, _Known.by_table(exact, held)))
            measured["against_table"] = asdict(value_errors(values, exact, held))
            moves = TwoMoves.of(values, held, seed).held_by(exact)
            both = [_Known.by_table(exact, each) for each in moves.states]
            differences = np.maximum(differences, _of_moves(values, moves, both))
    # the deepest search takes twenty times the time of all others, and is hardly worse
    return Widths(np.append(errors, errors[-1]), np.append(differences, differences[-1])), measured


class _Known(NamedTuple):
    """The values of some states by rollouts, with their standard errors, or by a table."""

    values: npt.NDArray[np.float64]
    noise: npt.NDArray[np.float64]

    @classmethod
    def by_rollouts(cls, values: Values, rows: Rows, n: int, rng: np.random.Generator) -> _Known:
        """By `n` rollouts that are cut."""
        results = rolled_out(values, rows, n, rng, CUT) if len(rows) else np.zeros((0, n))
        return cls(results.mean(axis=1), results.std(axis=1, ddof=1) / math.sqrt(n))

    @classmethod
    def by_table(cls, exact: Values, rows: Rows) -> _Known:
        """By a table that has them."""
        return cls(exact.state_values(rows), np.zeros(len(rows)))


_DEPTHS = range(MOST_PLIES - 1)


def _widths(values: Values, rows: Rows, known: _Known) -> npt.NDArray[np.float64]:
    """How wide the intervals of searches are that hold the known values of some states."""
    scale = scale_of(values.rules, rows)
    found = []
    for depth in _DEPTHS:
        worth = Searched(values, depth).state_values(rows)
        unit = scale * spread(worth / scale)
        found.append(_width((worth - known.values) / unit, known.noise / unit))
    return np.array(found)


def _of_moves(values: Values, moves: TwoMoves, known: list[_Known]) -> npt.NDArray[np.float64]:
    """The same of what two moves differ by; no width where there are none."""
    if not len(moves.first):
        return np.zeros(len(_DEPTHS))
    wanted = moves.difference(*(each.values for each in known))
    noise = np.hypot(*(each.noise for each in known))
    scales = [scale_of(values.rules, rows) for rows in moves.states]
    found = []
    for depth in _DEPTHS:
        worth = [Searched(values, depth).state_values(rows) for rows in moves.states]
        units = [scale * spread(own / scale) for own, scale in zip(worth, scales, strict=True)]
        unit = np.hypot(*units)
        found.append(_width((moves.difference(*worth) - wanted) / unit, noise / unit))
    return np.array(found)


def _width(off: npt.NDArray[np.float64], noise: npt.NDArray[np.float64]) -> float:
    """What the share of differences is within, without the noise in them."""
    seen = float(np.mean(off**2))
    rest = 1 - float(np.mean(noise**2)) / seen if seen > 0 else 1.0
    return float(np.quantile(np.abs(off), _SHARE)) * math.sqrt(max(_LEAST_REST, rest))
