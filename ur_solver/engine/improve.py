"""Sweeps under a policy, between sweeps over all moves.

A *policy* has one move for every throw. A sweep under a policy reads a single move per throw,
in a small part of the time of a sweep over all moves. So policies are used in
turn: the greedy one, some sweeps under it, the greedy one by the new values (modified
policy iteration; Puterman and Shin, Management Science 24, 1978, 1127-1137). Once hardly any move
changes, the sweeps continue until the values have converged. Sweeps over all moves
(`ur_solver.engine.iterate`) do the rest and judge the result, so nothing here has to be exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

from ur_solver.engine.iterate import iterate
from ur_solver.engine.lease import Lease
from ur_solver.errors import UnsettledError
from ur_solver.kernel import BlockWork, PolicyWork, Values

_FIRST_SWEEPS = 4
"""Sweeps over all moves before the first policy: from values of 1/2, any policy is bad."""

_SWEEPS = 5
"""Sweeps under a policy that is about to change."""

_MANY_CHANGES, _FEWER_SWEEPS = 0.05, 3
"""The same after a larger share of changed moves: such a policy changes soon."""

_FEW_CHANGES = 1e-5
"""The share of positions whose moves have changed, at which a policy is nearly optimal."""

_MOST_POLICIES = 30
"""The most policies: as both sides change theirs at once, they might cycle."""

_MOST_SWEEPS = 200
"""The most sweeps under one policy, never needed with ordinary dice."""

_LEEWAY = 0.1
"""The fraction of the goal to which the values of the last policy converge."""

_LEAST_LEEWAY = 4.0
"""The same in units of `SweptValues.noise`: the largest of many changes is beyond the noise."""


@dataclass(frozen=True)
class Improvement:
    """The progress of a block by sweeps under policies.

    Attributes
    ----------
    sweeps : int
        Their number, including those before the first policy.
    factor : float
        The expected contraction factor of sweeps over all moves; 0 if unknown.
    """

    sweeps: int = 0
    factor: float = 0.0


def improve(work: BlockWork, room: Values, goal: float, lease: Lease) -> Improvement:
    """Bring a block close to its fixed point by sweeps under policies, if its kernel has them.

    Parameters
    ----------
    work : BlockWork
        Its values are brought closer to the fixed point.
    room : float64, shape (block size,)
        Overwritten.
    goal : float
        How close, as for `iterate`.
    lease : Lease

    Returns
    -------
    Improvement
    """
    if not work.has_policies:
        return Improvement()
    sweeps, factor = 0, 0.0
    for _ in range(_FIRST_SWEEPS):
        lease.check_stop()
        work.sweep(lease.threads + lease.spare())
        sweeps += 1
    changes = math.inf
    for _ in range(_MOST_POLICIES):
        lease.check_stop()
        policy = cast(PolicyWork, work).follow(room, lease.threads + lease.spare())
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
                for _ in range(_FEWER_SWEEPS if changes > _MANY_CHANGES else _SWEEPS):
                    lease.check_stop()
                    policy.sweep(lease.threads + lease.spare())
                    sweeps += 1
        except UnsettledError as error:
            sweeps += error.sweeps
            break
        finally:
            policy.close()
    return Improvement(sweeps)
