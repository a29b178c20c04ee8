"""Bringing one block to its fixed point.

In-place sweeps converge geometrically: after the first few, one mode is left that
shrinks by the same factor r with every sweep. When the last two factors agree, the rest
of that mode is known, and adding r / (1 - r) times the last change takes it away
(Aitken's extrapolation); the sweeps that follow shrink what is left.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ur_solver.errors import SolveError

_SETTLING = 3
"""Sweeps after a start or an extrapolation whose factors mean nothing yet."""

_SAME_FACTOR = 0.05
"""Factors that differ by less, relatively, are those of one mode."""

_SLOWEST = 0.98
"""A factor beyond which neither extrapolation nor the error estimate is trusted."""

_PATIENCE = 8
"""Sweeps without a smaller change than before that single precision is given."""

MAX_SWEEPS = 100_000


class BlockWork(Protocol):
    """One block in a kernel's workspace."""

    @property
    def noise(self) -> float:
        """Changes up to this are rounding."""

    def refine(self) -> bool:
        """Go on in double precision, if in single so far; whether it was."""

    def sweep(self, threads: int) -> float:
        """Update every value in place; the largest change."""

    def residual(self, threads: int) -> float:
        """The largest abs(T(V) - V)."""

    def remember(self) -> None:
        """Keep a copy of the values."""

    def extrapolate(self, factor: float) -> None:
        """Add `factor` times the change since `remember`."""

    def store(self, values: npt.NDArray[np.float64]) -> None:
        """Write the block's values into those of the whole space."""


class StoppedError(Exception):
    """The solve was stopped from outside; nobody is told of this block's values."""


@dataclass(frozen=True)
class Iteration:
    """How a block came to its fixed point."""

    sweeps: int
    delta: float


def iterate(
    work: BlockWork,
    goal: float,
    threads: int,
    stop: threading.Event | None = None,
    spare: Callable[[], int] = lambda: 0,
) -> Iteration:
    """Sweep until the values are estimated to be within `goal` of the fixed point.

    Parameters
    ----------
    work : BlockWork
    goal : float
        In units of the values. Below some units of float64 rounding it is not reached;
        the sweeps then end when they change nothing but rounding.
    threads : int
        How many threads a sweep may use.
    stop : threading.Event, optional
        Looked at between sweeps.
    spare : callable
        Asked before every sweep how many more it may use.

    Raises
    ------
    StoppedError
        If `stop` was set.
    SolveError
        If the values do not settle in `MAX_SWEEPS` sweeps.

    Notes
    -----
    What is left after a sweep is at most delta * r / (1 - r) for a factor r. The largest
    factor since the last extrapolation stands in for r. The residual pass that follows
    does not depend on any of this.
    """
    factors: list[float] = []
    previous, sweeps = 0.0, 0
    smallest, smallest_at = math.inf, 0
    # An extrapolation must have paid by the time that there could be another, or it is the
    # last: where modes of nearly the same size feign one, it only stirs them up.
    extrapolated_at = math.inf
    while True:
        if stop is not None and stop.is_set():
            raise StoppedError
        # Factors that were still far apart do not agree with the next: no need to remember.
        could_extrapolate = len(factors) >= _SETTLING and _agree(factors, 2 * _SAME_FACTOR)
        if could_extrapolate:
            work.remember()
        delta = work.sweep(threads + spare())
        sweeps += 1
        if previous > 0.0:
            factors.append(delta / previous)
        previous = delta
        if delta < smallest:
            smallest, smallest_at = delta, sweeps
        if delta <= work.noise or sweeps - smallest_at >= _PATIENCE:
            if work.refine():
                extrapolated_at = math.inf
                continue
            if delta <= work.noise:
                return Iteration(sweeps, delta)
        if sweeps >= MAX_SWEEPS or not math.isfinite(delta):
            raise SolveError(
                f"a block has not settled after {sweeps} sweeps: the last changed a value by "
                f"{delta:.3g}"
            )
        if len(factors) < 2:
            continue
        slowest = min(max(factors[-_SETTLING:]), _SLOWEST)
        if delta * max(1.0, slowest / (1.0 - slowest)) <= goal:
            return Iteration(sweeps, delta)
        factor = factors[-1]
        if could_extrapolate and delta >= extrapolated_at:
            extrapolated_at = 0.0
        if (
            could_extrapolate
            and delta < extrapolated_at
            and factor < _SLOWEST
            and _agree(factors, _SAME_FACTOR)
        ):
            work.extrapolate(factor / (1.0 - factor))
            extrapolated_at = delta
            previous, factors = 0.0, []


def _agree(factors: list[float], share: float) -> bool:
    """Whether the last two factors differ by less than a share of the last."""
    return abs(factors[-1] - factors[-2]) < share * factors[-1]
