"""When the iteration stops, on blocks with prescribed convergence."""

from __future__ import annotations

import numpy as np
import pytest

from ur_solver.engine.block import Iteration, Lease, StoppedError, improve, iterate
from ur_solver.errors import SolveError
from ur_solver.kernel._workspace import Workspace

NO_ROOM, LEASE = np.empty(0), Lease(Workspace())


class Modes:
    """A block with one value for each mode, which is multiplied by its factor in every sweep."""

    noise = 4e-15

    def __init__(self, *factors: float, floor: float = 0.0) -> None:
        self.factors = np.array(factors)
        self.values = np.ones(len(factors))  # the fixed point is 0
        self.floor = floor  # the smallest change
        self.sweeps = 0
        self.extrapolated_after: list[int] = []
        self.times: list[float] = []
        self.memory: np.ndarray | None = None
        self.on_sweep = lambda: None

    def sweep(self, threads: int) -> float:
        self.sweeps += 1
        self.on_sweep()
        before = self.values.copy()
        self.values *= self.factors
        return max(float(np.abs(before - self.values).max()), self.floor)

    def refine(self) -> bool:
        return False

    def sample(self) -> np.ndarray:
        return self.values.copy()

    def remember(self, room: np.ndarray) -> None:
        self.memory = self.values.copy()

    def extrapolate(self, factor: float) -> None:
        assert self.memory is not None
        self.values += factor * (self.values - self.memory)
        self.extrapolated_after.append(self.sweeps)
        self.times.append(factor)

    @property
    def error(self) -> float:
        return float(np.abs(self.values).max())


class CoarseModes(Modes):
    """The same, but changes do not get smaller than `floor` until the block is refined."""

    def __init__(self, *factors: float, noise: float, floor: float) -> None:
        super().__init__(*factors, floor=floor)
        self.noise = noise
        self.refined_after = 0

    def refine(self) -> bool:
        if self.refined_after:
            return False
        self.refined_after = self.sweeps
        self.noise, self.floor = Modes.noise, 0.0
        self.memory = None
        return True

    def sample(self) -> np.ndarray:
        # in single precision 1/2 is subtracted from values
        return self.values - (0.0 if self.refined_after else 0.5)


class ModesUnderPolicies(Modes):
    """The same, swept under policies; `changes` are the positions whose moves each one changes."""

    def __init__(self, *factors: float, changes: list[int]) -> None:
        super().__init__(*factors)
        self.changes = changes
        self.n_changed = 0

    def follow(self, room: np.ndarray, threads: int) -> ModesUnderPolicies:
        self.n_changed = self.changes.pop(0) if self.changes else 0
        return self

    def close(self) -> None:
        pass


def test_one_mode_is_gone_after_the_sweeps_of_the_first_policy():
    room = np.empty(10)
    work = ModesUnderPolicies(0.9, changes=[10])
    before = improve(work, room, 1e-12, LEASE)
    # four sweeps over all moves, three under the policy, and at most two that change nothing
    assert before.sweeps == work.sweeps < 10
    assert work.extrapolated_after[0] == 7
    assert work.times[0] == pytest.approx(0.9 / (1 - 0.9))
    assert work.error < 1e-12


@pytest.mark.parametrize(("factors", "sweeps"), [((0.2, 0.1), 3), ((0.5, 0.1), 5), ((0.4, 0.3), 4)])
def test_sweeps_under_a_policy_end_once_a_change_is_a_tenth_of_the_first(factors, sweeps):
    # the changes of the slower mode are 0.2, 0.5 or 0.4 of those of the sweep before
    work = ModesUnderPolicies(*factors, changes=[1])
    improve(work, np.empty(100), 1e-12, LEASE)
    assert work.extrapolated_after[0] == 4 + sweeps


def test_one_mode_is_extrapolated_to_its_end():
    work = Modes(0.9)
    iterate(work, NO_ROOM, 1e-12, LEASE)
    assert work.error < 1e-12
    assert work.times
    assert work.sweeps < 15  # plain sweeps take 260


def test_of_two_modes_as_much_is_added_as_leaves_the_least():
    # If t times the fifth change were added after the fifth sweep, the sixth sweep would change a
    # mode by c - t d. Here c is the mode's sixth change (1/64 and 3/4096), and d its fifth change
    # minus its sixth (1/64 and 9/4096). The sum of squares is minimal at
    # t = (1/64 1/64 + 3/4096 9/4096) / (1/64^2 + (9/4096)^2).
    work = Modes(0.5, 0.25)
    iterate(work, NO_ROOM, 1e-12, LEASE)
    assert work.times[0] == pytest.approx(4123 / 4177, rel=1e-12)


@pytest.mark.parametrize("goal", [1e-3, 1e-6, 1e-12])
@pytest.mark.parametrize("factors", [(0.5,), (0.9, 0.3), (0.9, 0.89), (0.7, 0.6, 0.5), (0.95, 0.1)])
def test_the_error_is_within_the_goal(factors, goal):
    work = Modes(*factors)
    found = iterate(work, NO_ROOM, goal, LEASE)
    assert work.error <= goal
    assert found.sweeps == work.sweeps


def test_a_coarse_goal_takes_fewer_sweeps():
    coarse, fine = Modes(0.985), Modes(0.985)
    iterate(coarse, NO_ROOM, 1e-3, LEASE)
    iterate(fine, NO_ROOM, 1e-12, LEASE)
    assert coarse.sweeps < fine.sweeps


@pytest.mark.parametrize("factor", [0.5, 0.9])
def test_one_sweep_is_enough_where_the_factor_is_known(factor):
    work = Modes(factor)
    work.values *= 1e-9
    # the first change is 1e-9 * (1 - factor), and what is left then 1e-9 * factor
    assert iterate(work, NO_ROOM, 1.01e-9 * factor, LEASE, factor=factor) == Iteration(
        1, pytest.approx(1e-9 * (1 - factor)), factor
    )
    assert work.error <= 1.01e-9 * factor


def test_the_factor_is_that_of_the_slowest_mode():
    assert iterate(Modes(0.8, 0.1), NO_ROOM, 1e-3, LEASE).factor == pytest.approx(0.8, abs=0.01)


def test_slow_modes_are_not_extrapolated():
    work = Modes(0.99)
    iterate(work, NO_ROOM, 1e-6, LEASE)
    assert not work.times
    assert work.sweeps > 500


def test_a_goal_below_rounding_ends_at_the_noise():
    work = Modes(0.5, floor=3e-15)
    found = iterate(work, NO_ROOM, 1e-30, LEASE)
    assert found.delta == 3e-15
    assert found.sweeps < 60


def test_rounding_that_goes_round_in_circles_comes_to_an_end():
    work = Modes(0.5, floor=6e-15)
    found = iterate(work, NO_ROOM, 1e-30, LEASE)
    assert found.delta == 6e-15
    assert found.sweeps < 120


@pytest.mark.parametrize("floor", [2e-14, 0.5, float("inf")])
def test_what_never_settles_is_an_error(floor):
    work = Modes(1.0, floor=floor)
    with pytest.raises(SolveError, match="not converged after"):
        iterate(work, NO_ROOM, 1e-14, LEASE)
    assert not work.times


def test_an_extrapolation_that_did_not_pay_is_the_last():
    # Each extrapolation sets the block back to where it began.
    work = Modes(0.5)
    work.extrapolate = lambda factor: (work.values.fill(1.0), setattr(work, "stirred", True))
    iterate(work, NO_ROOM, 1e-12, LEASE)
    assert work.stirred
    assert work.sweeps < 60


def test_a_block_at_its_fixed_point_takes_one_sweep():
    work = Modes(0.0)
    work.values[:] = 0.0
    assert iterate(work, NO_ROOM, 1e-12, LEASE) == Iteration(1, 0.0, 0.0)


def test_single_precision_is_left_at_its_noise():
    work = CoarseModes(0.5, 0.45, noise=1e-6, floor=1e-7)
    iterate(work, NO_ROOM, 1e-12, LEASE)
    assert 5 < work.refined_after < 30
    assert work.error < 1e-12


def test_single_precision_is_left_where_it_does_not_come_to_its_noise():
    work = CoarseModes(0.5, 0.45, noise=1e-6, floor=1e-5)
    iterate(work, NO_ROOM, 1e-12, LEASE)
    assert work.refined_after < 40
    assert work.error < 1e-12


@pytest.mark.parametrize("refined_after", range(1, 14))
def test_six_sweeps_lie_between_refining_and_the_next_extrapolation(refined_after):
    work = CoarseModes(0.5, 0.45, noise=0.0, floor=0.0)

    def on_sweep() -> None:
        if work.sweeps == refined_after:
            work.noise = 1.0

    work.on_sweep = on_sweep
    iterate(work, NO_ROOM, 1e-12, LEASE)
    assert next(at for at in work.extrapolated_after if at > refined_after) == refined_after + 6
    assert work.times == pytest.approx([0.9] * len(work.times), abs=0.1)
    assert work.error < 1e-12


def test_a_coarse_goal_needs_no_double_precision():
    work = CoarseModes(0.5, 0.45, noise=1e-6, floor=1e-7)
    iterate(work, NO_ROOM, 1e-3, LEASE)
    assert work.refined_after == 0
    assert work.error < 1e-3


def test_a_stop_comes_between_sweeps():
    work = Modes(0.9)

    def threads():
        if work.sweeps == 2:
            raise StoppedError
        return 1

    with pytest.raises(StoppedError):
        iterate(work, NO_ROOM, 1e-12, Lease(Workspace(), threads))
    assert work.sweeps == 2
