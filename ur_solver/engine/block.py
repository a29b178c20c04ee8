"""Solving one block: a function of the block and its inputs.

It uses no other blocks, no files, and only the given threads, so it runs in any process that has
the rule set and the values of the blocks that it reads. Sweeps under policies bring the block near
its fixed point (`improve`), sweeps over all moves to it (`iterate`), and they judge the result.

In-place sweeps converge geometrically: the error is a sum of modes, each of which a sweep
multiplies by its own contraction factor r. Every few sweeps the values are extrapolated: t times
the last change is added, with the t that minimises the predicted next change in the mean square
(reduced rank extrapolation of rank one; Sidi, Ford and Smith, SIAM J. Numer. Anal. 23, 1986,
178-196). If a single mode is left, t is Aitken's r / (1 - r), which removes it. The following
sweeps reduce the error that the step adds to other modes.

A *policy* has one move for every throw. A sweep under a policy reads a single move per throw, in a
small part of the time of a sweep over all moves. So policies are used in turn: the greedy one, some
sweeps under it and an extrapolation, the greedy one by the new values (modified policy iteration;
Puterman and Shin, Management Science 24, 1978, 1127-1137). Once hardly any move changes, the sweeps
continue until the values have converged.

With ordinary dice the sweeps contract fast, and their changes show how far they have come. With
others a sweep may hardly change values that are far off. There the goal is proven before a block
counts as solved; if sweeps do not reach it, policy iteration does.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from ur_solver.blocks.folder import BlockRecord, BlockResult
from ur_solver.errors import UnsettledError, UnsolvableError
from ur_solver.kernel._workspace import Workspace
from ur_solver.kernel.bounds import is_within, prove
from ur_solver.kernel.interface import BlockWork, FinishedBlocks, PolicyWork, SweptValues, Values
from ur_solver.kernel.kernels import Kernel
from ur_solver.kernel.policy import MOST_POLICY_POSITIONS
from ur_solver.space import Block


@dataclass(frozen=True)
class Lease:
    """The resources that a block is solved with."""

    workspace: Workspace  # memory that no other block uses meanwhile
    threads_now: Callable[[], int] = lambda: 1  # StoppedError if the block is to be abandoned
    policies: bool = True  # whether the block has memory for them


_LATEST = 3
"""The number of recent contraction factors whose largest predicts later ones."""

_CYCLE = 6
"""Sweeps from one extrapolation to the next."""

_SLOWEST = 0.98
"""The largest contraction factor for which extrapolation and the error estimate are valid."""

_PATIENCE = 8
"""Sweeps without a new smallest change after which `SweptValues.refine` is called."""

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
    """The convergence of a block to its fixed point."""

    sweeps: int
    delta: float  # the largest change of the last sweep
    factor: float  # the contraction factor of the last sweeps, 0 if there were too few


def iterate(
    work: SweptValues,
    room: Values,
    goal: float,
    lease: Lease,
    most_sweeps: int = MAX_SWEEPS,
    factor: float = 0.0,
) -> Iteration:
    """Sweep until the values are estimated to be within `goal` of the fixed point, in their units.

    `room`, shape (block size,), is overwritten. A goal near the rounding error of float64 is not
    reached: the sweeps then end when the changes are rounding, or have not decreased for long. With
    a contraction factor that is known already one sweep may be enough. UnsettledError if the values
    do not converge in `most_sweeps`.

    With contraction factor r the error after a sweep is at most delta * r / (1 - r). r is estimated
    as the largest of the last three factors since the last extrapolation and of the factor that
    this implied; before there are two, it is the given factor. The residual, computed afterwards,
    does not depend on the estimate.

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
        if since == _CYCLE - 1 and to_beat > 0.0:
            work.remember(room)
        delta = work.sweep(lease.threads_now())
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
                times = _extrapolate(work, samples)
                if times is not None:
                    least, least_at = math.inf, sweeps
                    previous, factors, factor, slowest = 0.0, [], 0.0, times / (1.0 + times)
            samples = []


def _extrapolate(work: SweptValues, samples: list[npt.NDArray[np.float64]]) -> float | None:
    """Extrapolate values that were remembered before the last sweep.

    The samples are those of the last three sweeps, and are overwritten. Returns the multiple of the
    last change that was added; None if it is out of bounds, and the values stay.
    """
    times = _times(*samples)
    if not -0.5 < times < _SLOWEST / (1.0 - _SLOWEST):
        return None
    work.extrapolate(times)
    return times


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


_FIRST_SWEEPS = 4
"""Sweeps over all moves before the first policy: from values of 1/2, any policy is bad."""

_SWEEPS = 5
"""The most sweeps under a policy that is about to change."""

_MANY_CHANGES, _FEWER_SWEEPS = 0.05, 3
"""The same after a larger share of changed moves: such a policy changes soon."""

_FAST = 0.1
"""Sweeps under a policy end before `_SWEEPS` once a change is this part of the first one's."""

_FEW_CHANGES = 1e-5
"""The share of positions whose moves have changed, at which a policy is nearly optimal."""

_MOST_POLICIES = 100
"""The most policies: as both sides change theirs at once, they might cycle. Thirty are too few in
the largest blocks of murray-0-to-3 5."""

_MOST_SWEEPS = 200
"""The most sweeps under one policy, never needed with ordinary dice."""

_LEEWAY = 0.1
"""The fraction of the goal to which the values of the last policy converge."""

_LEAST_LEEWAY = 4.0
"""The same in units of `SweptValues.noise`: the largest of many changes is beyond the noise."""


@dataclass(frozen=True)
class Improvement:
    """The progress of a block by sweeps under policies."""

    sweeps: int = 0  # those before the first policy included
    factor: float = 0.0  # the expected contraction factor of sweeps over all moves; 0 if unknown


def improve(work: PolicyWork, room: Values, goal: float, lease: Lease) -> Improvement:
    """Bring a block that has policies close to its fixed point by sweeps under them.

    Nothing here has to be exact, as sweeps over all moves follow. `room`, shape (block size,), is
    overwritten; `goal` is as for `iterate`.
    """
    sweeps, factor = 0, 0.0
    for _ in range(_FIRST_SWEEPS):
        work.sweep(lease.threads_now())
        sweeps += 1
    changes = math.inf
    for _ in range(_MOST_POLICIES):
        policy = work.follow(room, lease.threads_now())
        had, changes = changes, policy.n_changed / len(room)
        if had <= _FEW_CHANGES and changes == 0.0:
            policy.close()
            # sweeps of all moves took up to twice as many as sweeps under one policy
            return Improvement(sweeps, math.sqrt(factor))
        try:
            if changes <= _FEW_CHANGES:
                aim = max(_LEEWAY * goal, _LEAST_LEEWAY * policy.noise)
                iteration = iterate(policy, room, aim, lease, _MOST_SWEEPS)
                sweeps += iteration.sweeps
                factor = max(factor, iteration.factor)
            else:
                most = _FEWER_SWEEPS if changes > _MANY_CHANGES else _SWEEPS
                sweeps += _approach(policy, room, most, lease)
        except UnsettledError as error:
            sweeps += error.sweeps
            break
        finally:
            policy.close()
    return Improvement(sweeps)


def _approach(policy: SweptValues, room: Values, most: int, lease: Lease) -> int:
    """Sweep three to `most` times, then extrapolate; return the number of sweeps.

    `room` is overwritten.
    """
    deltas: list[float] = []
    samples: list[npt.NDArray[np.float64]] = []
    while len(deltas) < 3 or (len(deltas) < most and deltas[-1] > _FAST * deltas[0]):
        if len(deltas) >= 2:
            policy.remember(room)
        deltas.append(policy.sweep(lease.threads_now()))
        samples = [*samples[-2:], policy.sample()]
    _extrapolate(policy, samples)
    return len(deltas)


_FEW_SWEEPS = 1000
"""The sweeps after which policy iteration takes over if it can."""

_AIM = 0.1
"""Sweeps continue to this fraction of the bound to prove."""


def settle(
    work: BlockWork,
    values: Values,
    goal: float,
    lease: Lease,
    bounds: tuple[float, float],
    most_sweeps: int = MAX_SWEEPS,
    factor: float = 0.0,
) -> tuple[int, float]:
    """Sweep a block until its values are estimated to be within a goal, and write them, in rank
    order.

    `bounds` are the least and the largest value that there can be; the other parameters are those
    of `iterate`. Returns the number of sweeps and the residual, the largest abs(T(V) - V).
    UnsettledError if the values do not converge; they are written all the same.
    """
    try:
        sweeps = iterate(work, values, goal, lease, most_sweeps, factor).sweeps
    finally:
        work.store(values)
    return sweeps, _residual(work, values, lease, bounds)


def settle_for_sure(
    kernel: Kernel,
    block: Block,
    finished: FinishedBlocks,
    work: BlockWork,
    values: Values,
    goal: float,
    lease: Lease,
) -> tuple[int, float]:
    """Bring the values of a block within a goal that is proven, not estimated; returns as `settle`
    does.

    The block is laid out in `work`, whose own values are lost; `values` are overwritten, in rank
    order. The goal is the largest difference to the solution by the given values of other blocks.
    UnsolvableError if play can stay in the block for ever, or the goal cannot be proven; SolveError
    if it cannot be reached.
    """
    rules = kernel.space.rules
    rank = kernel.endless_rank(block, lease.threads_now())
    if rank is not None:
        raise UnsolvableError(
            f"{rules.name}: play can go on for ever from {kernel.space.unrank(rank).notation!r}, "
            "so its positions have no value"
        )
    can_iterate_policies = block.size <= MOST_POLICY_POSITIONS
    try:
        sweeps, residual = settle(
            work,
            values,
            _AIM * goal,
            lease,
            kernel.space.bounds,
            _FEW_SWEEPS if can_iterate_policies else MAX_SWEEPS,
        )
        if is_within(work, values, goal, lease.threads_now):
            return sweeps, residual
    except UnsettledError as error:
        sweeps = error.sweeps
    values[:] = kernel.iterate_policies(block, values, finished)
    work.load(values)
    residual = _residual(work, values, lease, kernel.space.bounds)
    if not is_within(work, values, goal, lease.threads_now):
        raise UnsolvableError(
            f"{rules.name}: with these dice rounding errors add up so far that block "
            f"{block.index} is not proven to be within {goal:.2g} of its solution; ask for a "
            "larger tolerance"
        )
    return sweeps, residual


def _residual(work: BlockWork, values: Values, lease: Lease, bounds: tuple[float, float]) -> float:
    """The residual of a block; its values, which are those of `work`, are put within bounds."""
    least, most = bounds
    if values.min() < least or values.max() > most:
        # An extrapolation may leave [0, 1] by less than the tolerance.
        np.clip(values, least, most, out=values)
        work.load(values)
    return work.residual(lease.threads_now())


_LINE = 8
"""Numbers in a cache line."""


def solve_block(
    kernel: Kernel,
    index: int,
    finished: FinishedBlocks,
    *,
    goal: float,
    outside: float | None = None,
    lease: Lease | None = None,
) -> BlockResult:
    """Solve one block, by its number in `Space.blocks`, from the blocks that it reads
    (`Space.reads`).

    `goal` is the largest remaining change of a value, estimated from the last sweeps, at which the
    iteration ends, in units of the values; with dice that are not ordinary (`Dice.is_ordinary`) the
    largest distance from the solution instead, which is proven. `outside` is the proven error of
    the values that it reads: if it is given, the error of this block is proven too. By default one
    thread solves, in a workspace of its own.

    MissingBlockError if a block that it reads is missing; SolveError if the values do not converge,
    or the dice are not ordinary and the goal cannot be proven or play can go on for ever;
    CertificateError if no bound can be proven; StoppedError if the lease says so.
    """
    began = time.perf_counter()
    lease = lease or Lease(Workspace())
    block = kernel.space.blocks[index]
    values = _empty(block.size)
    work = kernel.lay_out(block, finished, lease.workspace, lease.threads_now(), single=True)
    if kernel.space.rules.dice.is_ordinary:
        bounds = kernel.space.bounds
        before = Improvement()
        if work.has_policies and lease.policies:
            before = improve(cast(PolicyWork, work), values, goal, lease)
        sweeps, residual = settle(work, values, goal, lease, bounds, factor=before.factor)
        sweeps += before.sweeps
        if work.keep_all() and residual > max(goal, work.noise):
            # The residual is at most about half of that unless a best move was left out.
            further, residual = settle(work, values, goal, lease, bounds)
            sweeps += further
    else:
        sweeps, residual = settle_for_sure(kernel, block, finished, work, values, goal, lease)
    error = None
    if outside is not None:
        error = prove(
            work,
            kernel.space,
            block,
            values,
            residual=residual,
            outside=outside,
            threads_now=lease.threads_now,
        )
    seconds = time.perf_counter() - began
    return BlockResult(BlockRecord(index, residual, sweeps, seconds, error), values)


def _empty(length: int) -> Values:
    """An uninitialised float64 array that begins at a cache line, so that whole rows do too."""
    room = np.empty(length + _LINE)
    skipped = -(room.ctypes.data // room.itemsize) % _LINE
    return room[skipped : skipped + length]
