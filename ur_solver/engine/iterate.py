"""Bringing one block to its fixed point.

In-place sweeps converge geometrically: the error is a sum of modes, each of which a sweep
multiplies by its own contraction factor r. Every few sweeps the values are extrapolated: t times
the last change is added, with the t that minimises the predicted next change in the mean square
(reduced rank extrapolation of rank one; Sidi, Ford and Smith, SIAM J. Numer. Anal. 23, 1986,
178-196). If a single mode is left, t is Aitken's r / (1 - r), which removes it. The following
sweeps reduce the error that the step adds to other modes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ur_solver.engine.lease import Lease
from ur_solver.errors import UnsettledError
from ur_solver.kernel import SweptValues, Values

_LATEST = 3
"""The number of recent contraction factors whose largest predicts later ones."""

_CYCLE = 6
"""Sweeps from one extrapolation to the next."""

_SLOWEST = 0.98
"""The largest contraction factor for which extrapolation and the error estimate are valid."""

_PATIENCE = 8
"""Sweeps without a new smallest change after which single precision is given up."""

_CIRCLES = 50
"""The same limit in double precision, counted from the last extrapolation. Changes may cycle
without end at a few times the usual rounding error; seen with dice of nine throws."""

_MOST_CIRCLING = 4.0
"""The largest change in such a cycle, in units of `SweptValues.noise`."""

MAX_SWEEPS = 100_000


class StoppedError(Exception):
    """The solve was stopped from outside; the values of the block are discarded."""


@dataclass(frozen=True)
class Iteration:
    """The convergence of a block to its fixed point.

    Attributes
    ----------
    sweeps : int
    delta : float
        The largest change of the last sweep.
    factor : float
        The contraction factor of the last sweeps, 0 if there were too few.
    """

    sweeps: int
    delta: float
    factor: float


def iterate(
    work: SweptValues,
    room: Values,
    goal: float,
    lease: Lease,
    most_sweeps: int = MAX_SWEEPS,
    factor: float = 0.0,
) -> Iteration:
    """Sweep until the values are estimated to be within `goal` of the fixed point.

    Parameters
    ----------
    work : SweptValues
    room : float64, shape (block size,)
        Overwritten.
    goal : float
        In units of the values. A goal near the rounding error of float64 is not reached: the
        sweeps then end when the changes are rounding, or have not decreased for long.
    lease : Lease
    most_sweeps : int
        The number of sweeps after which values count as not converged.
    factor : float
        The contraction factor if it is known already; then one sweep may be enough.

    Raises
    ------
    UnsettledError
        If the values do not converge in that many sweeps.
    StoppedError
        Between sweeps, if the lease says so.

    Notes
    -----
    With contraction factor r the error after a sweep is at most delta * r / (1 - r). r is
    estimated as the largest of the last three factors since the last extrapolation and of the
    factor that this implied; before there are two, it is the given factor. The residual,
    computed afterwards, does not depend on the estimate.

    This is one loop, since each way to end it depends on what all sweeps before have shown.
    """
    factors: list[float] = []
    samples: list[npt.NDArray[np.float64]] = []
    previous, sweeps, since, slowest = 0.0, 0, 0, 0.0
    smallest, smallest_at = math.inf, 0  # of all changes
    least, least_at = math.inf, 0  # of those since the last extrapolation
    # The change at the end of a cycle must be smaller than at the end of the cycle before. Once
    # it is not, extrapolation ends, and `to_beat` is 0.
    to_beat = math.inf
    while True:
        lease.check_stop()
        if since == _CYCLE - 1 and to_beat > 0.0:
            work.remember(room)
        delta = work.sweep(lease.threads + lease.spare())
        sweeps += 1
        since += 1
        if previous > 0.0:
            factors.append(delta / previous)
        previous = delta
        if delta < smallest:
            smallest, smallest_at = delta, sweeps
        if len(factors) >= 2:
            factor = min(max(slowest, *factors[-_LATEST:]), _SLOWEST)
        if delta <= work.noise or sweeps - smallest_at >= _PATIENCE:
            if work.refine():
                since, samples, to_beat = 0, [], math.inf
                continue
            if delta <= work.noise:
                return Iteration(sweeps, delta, factor)
        if delta < least:
            least, least_at = delta, sweeps
        if sweeps - least_at >= _CIRCLES and delta <= _MOST_CIRCLING * work.noise:
            return Iteration(sweeps, delta, factor)
        if sweeps >= most_sweeps or not math.isfinite(delta):
            raise UnsettledError(
                sweeps,
                f"a block has not converged after {sweeps} sweeps: the last changed a value by "
                f"{delta:.3g}",
            )
        if factor > 0.0 and delta * max(1.0, factor / (1.0 - factor)) <= goal:
            return Iteration(sweeps, delta, factor)
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
                    previous, factors, factor, slowest = 0.0, [], 0.0, times / (1.0 + times)
            samples = []


def _times(
    first: npt.NDArray[np.float64],
    second: npt.NDArray[np.float64],
    third: npt.NDArray[np.float64],
) -> float:
    """The multiple of the last change to add to the values; NaN if the changes are equal.

    The samples are overwritten.
    """
    before = np.subtract(second, first, out=first)
    change = np.subtract(third, second, out=second)
    difference = np.subtract(before, change, out=before)
    # products summed by NumPy itself: BLAS would start threads of its own
    square = float(np.einsum("i,i", difference, difference))
    return float(np.einsum("i,i", change, difference)) / square if square > 0.0 else math.nan
