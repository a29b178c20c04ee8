"""Bringing one block to its fixed point.

In-place sweeps converge geometrically: what is left consists of modes, each of which shrinks
by its own factor r with every sweep. After every few sweeps the last change is added t times
more, with the t for which the last two changes say that the least is left to change, in the
mean square (reduced rank extrapolation of rank one; Sidi, Ford and Smith, SIAM J. Numer. Anal.
23, 1986, 178-196). Where one mode is left, that is Aitken's r / (1 - r), and takes it away. The
sweeps that follow shrink what it stirs up of the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ur_solver.errors import SolveError
from ur_solver.kernel import SweptValues

_LATEST = 3
"""So many of the latest factors stand for those to come."""

_CYCLE = 6
"""Sweeps from one extrapolation to the next."""

_SLOWEST = 0.98
"""A factor beyond which neither extrapolation nor the error estimate is trusted."""

_PATIENCE = 8
"""Sweeps without a smaller change than before that single precision is given."""

_CIRCLES = 50
"""And double precision, since the last extrapolation, where a change is a few times what is
rounding: rounding may go round in circles in which it is more than in any other block seen (dice
of nine throws)."""

_MOST_CIRCLING = 4.0
"""Changes that circles may have, in units of what is rounding."""

MAX_SWEEPS = 100_000


class StoppedError(Exception):
    """The solve was stopped from outside; nobody is told of this block's values."""


@dataclass(frozen=True)
class Iteration:
    """How a block came to its fixed point."""

    sweeps: int
    delta: float


def iterate(
    work: SweptValues,
    goal: float,
    threads: int,
    check_stop: Callable[[], object] = lambda: None,
    spare: Callable[[], int] = lambda: 0,
) -> Iteration:
    """Sweep until the values are estimated to be within `goal` of the fixed point.

    Parameters
    ----------
    work : SweptValues
    goal : float
        In units of the values. Below some units of float64 rounding it is not reached;
        the sweeps then end when they change nothing but rounding, or change no less for long.
    threads : int
        How many threads a sweep may use.
    check_stop : callable
        Called between sweeps; what it raises ends the iteration.
    spare : callable
        Asked before every sweep how many more it may use.

    Raises
    ------
    SolveError
        If the values do not settle in `MAX_SWEEPS` sweeps.

    Notes
    -----
    What is left after a sweep is at most delta * r / (1 - r) for a factor r. The largest of
    the last three since the last extrapolation, and the one that this went by, stands in for
    r. The residual pass that follows does not depend on any of this.
    """
    factors: list[float] = []
    samples: list[npt.NDArray[np.float64]] = []
    previous, sweeps, since, slowest = 0.0, 0, 0, 0.0
    smallest, smallest_at = math.inf, 0  # of all changes
    least, least_at = math.inf, 0  # of those since the last extrapolation
    # Changes must be smaller at the end of a cycle than at the end of the one before; once
    # they are not, nothing is extrapolated any more, and there is nothing to beat.
    to_beat = math.inf
    while True:
        check_stop()
        if since == _CYCLE - 1 and to_beat > 0.0:
            work.remember()
        delta = work.sweep(threads + spare())
        sweeps += 1
        since += 1
        if previous > 0.0:
            factors.append(delta / previous)
        previous = delta
        if delta < smallest:
            smallest, smallest_at = delta, sweeps
        if delta <= work.noise or sweeps - smallest_at >= _PATIENCE:
            if work.refine():
                since, samples, to_beat = 0, [], math.inf
                continue
            if delta <= work.noise:
                return Iteration(sweeps, delta)
        if delta < least:
            least, least_at = delta, sweeps
        if sweeps - least_at >= _CIRCLES and delta <= _MOST_CIRCLING * work.noise:
            return Iteration(sweeps, delta)
        if sweeps >= MAX_SWEEPS or not math.isfinite(delta):
            raise SolveError(
                f"a block has not settled after {sweeps} sweeps: the last changed a value by "
                f"{delta:.3g}"
            )
        if len(factors) >= 2:
            r = min(max(slowest, *factors[-_LATEST:]), _SLOWEST)
            if delta * max(1.0, r / (1.0 - r)) <= goal:
                return Iteration(sweeps, delta)
        if since > _CYCLE - 3 and to_beat > 0.0:
            samples.append(work.sample())
        if since == _CYCLE:
            since = 0
            to_beat = delta if delta < to_beat else 0.0
            if to_beat > 0.0:
                times = _times(*samples)
                if -0.5 < times < _SLOWEST / (1.0 - _SLOWEST):
                    work.extrapolate(times)
                    least, least_at = math.inf, sweeps
                    previous, factors, slowest = 0.0, [], times / (1.0 + times)
            samples = []


def _times(
    first: npt.NDArray[np.float64],
    second: npt.NDArray[np.float64],
    third: npt.NDArray[np.float64],
) -> float:
    """How many times the last change is to be added; NaN if it makes no difference.

    The samples are overwritten.
    """
    before = np.subtract(second, first, out=first)
    change = np.subtract(third, second, out=second)
    difference = np.subtract(before, change, out=before)
    # products summed by NumPy itself: BLAS would start threads of its own
    square = float(np.einsum("i,i", difference, difference))
    return float(np.einsum("i,i", change, difference)) / square if square > 0.0 else math.nan
