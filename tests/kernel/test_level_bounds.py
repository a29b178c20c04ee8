"""Bounds of blocks of levels enclose values of a longer type, and no proof claims too little."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from tests.kernel.blocks import ranks_of
from tests.kernel.test_levels import SETS, stakes_space
from tests.solving import solve
from ur_solver.engine.solve import certify
from ur_solver.errors import CertificateError
from ur_solver.kernel._workspace import Workspace
from ur_solver.kernel.bounds import prove_values
from ur_solver.kernel.interface import ArrayBlocks
from ur_solver.kernel.kernels import StakesKernel, kernel_of
from ur_solver.rules import LIGHT
from ur_solver.rules.turns import is_draw, turn
from ur_solver.space.stakes import CHANCE, LEAST, LEAST_CHANCE, MOST, MOST_CHANCE

pytestmark = pytest.mark.medium

LONG = np.longdouble
"""Of 64 bits where float64 has 53, on the machines that run these tests."""

LANE_OF_OTHER = {LEAST_CHANCE: MOST_CHANCE, MOST_CHANCE: LEAST_CHANCE, LEAST: MOST, MOST: LEAST}

PREFERRED = 1e-11
"""The difference by which moves are distinguished at the last level."""


class LongLanes:
    """All lanes of a space by the readable turns, in a longer type than float64.

    The moves that the last level prefers are those by given values.
    """

    def __init__(self, space, values):
        self.space = space
        self.rows = values.reshape(-1, space.values_per_position).astype(LONG)
        money = [LONG(space.stakes.total(k)) / space.unit for k in range(space.reach + 1)]
        self.pots = np.array([*money, 1, 1, 1, money[-1], money[-1]], dtype=LONG)
        self.fine = LONG(space.stakes.fine) / space.unit
        self.other = np.arange(space.values_per_position)
        for lane, other in LANE_OF_OTHER.items():
            self.other[space.reach + lane] = space.reach + other
        self.turns = [self._listed(number) for number in range(len(self.rows))]

    def _listed(self, number):
        """Of a position its image, and by throw the chance, the moves and the preferred one."""
        space = self.space
        position = space.unrank(number * space.values_per_position, LIGHT)
        image = space.rank(position.pass_turn()) // space.values_per_position
        if is_draw(position):
            return image, None
        (choice,) = turn(position)
        throws = []
        for outcome in choice.outcomes:
            moves = [
                (
                    None
                    if move.position.winner
                    else space.rank(move.position) // space.values_per_position,
                    move.cost > 0,
                )
                for move in outcome.moves
            ]
            worths = [self.worth(*move)[space.reach] for move in moves]
            preferred = None
            for k, worth in enumerate(worths):
                if preferred is None or worth > worths[preferred] + PREFERRED:
                    preferred = k
            throws.append((LONG(float(outcome.probability)), moves, preferred))
        return image, throws

    def worth(self, row, costs):
        """What a move is worth: to a row, or to the end of the game."""
        if row is None:
            return self.pots
        found, reach = self.rows[row], self.space.reach
        if not costs:
            return found
        paid = found - self.fine
        paid[:reach] = found[1 : reach + 1] - self.fine
        for lane, slope in ((0, CHANCE), (LEAST, LEAST_CHANCE), (MOST, MOST_CHANCE)):
            paid[reach + lane] = found[reach + lane] + self.fine * found[reach + slope] - self.fine
        for lane in (CHANCE, LEAST_CHANCE, MOST_CHANCE):
            paid[reach + lane] = found[reach + lane]
        return paid

    def settle(self, ranks):
        """Sweep from 1e-14 off to the rounding of the longer type."""
        for _ in range(40):
            if self._sweep(ranks) < 1e-18:
                return
        raise AssertionError("the values of a longer type do not settle")

    def _sweep(self, ranks):
        """Update the positions of some ranks; the largest change."""
        delta, reach = 0.0, self.space.reach
        n = self.space.values_per_position
        for number in range(ranks.start // n, ranks.stop // n):
            image, throws = self.turns[number]
            if throws is None:
                value = self.pots / 2
            else:
                value = np.zeros_like(self.pots)
                for chance, moves, preferred in throws:
                    if not moves:
                        value += chance * (self.pots - self.rows[image][self.other])
                        continue
                    worths = [self.worth(*move) for move in moves]
                    best = np.max(worths, axis=0)
                    for lane in (LEAST_CHANCE, LEAST):
                        best[reach + lane] = worths[preferred][reach + lane]
                    value += chance * best
            delta = max(delta, float(np.abs(value - self.rows[number]).max()))
            self.rows[number] = value
        return delta


@functools.cache
def solved(reach, ante=10, fine=1):
    """Bell with one piece: its space, its values, and those of the longer type."""
    space = stakes_space(1, reach, ante, fine)
    values = solve(space, tolerance=1e-13)
    lanes = LongLanes(space, values)
    lanes.settle(slice(0, space.n_values))
    return space, values, lanes.rows.ravel()


@functools.cache
def last_block(reach, ante, fine):
    """The values of its last block in the longer type, by what other blocks have in float64."""
    space, values, _ = solved(reach, ante, fine)
    lanes, ranks = LongLanes(space, values), ranks_of(space.blocks[-1])
    lanes.settle(ranks)
    return lanes.rows.ravel()[ranks]


def bounds_of(work, values):
    """Both bounds of all values of a block, exactly: what `width` says of targets beside them."""
    upper, lower = np.empty(len(values), LONG), np.empty(len(values), LONG)
    for k, value in enumerate(values):
        targets = np.full(len(values), np.nan)
        targets[k] = value - 2.0**-30
        upper[k] = LONG(targets[k]) + work.width(targets)[0]
        targets[k] = value + 2.0**-30
        lower[k] = LONG(targets[k]) - work.width(targets)[0]
    return upper, lower


STAKES = pytest.mark.parametrize(
    ("reach", "ante", "fine"),
    [(0, 10, 1), (3, 14, 1), (3, 0, 7), (2, 10, 1), (6, 3, 2), (10, 10, 1), (26, 1, 5)],
)
"""With an ante of 14 the unit is 32, of which all shares are exact. 6, 9, 9, 8, 12, 16 and 32
lanes."""


@SETS
@STAKES
def test_bounds_enclose_the_values_of_a_longer_type(reach, ante, fine, instruction_set):
    space, values, _ = solved(reach, ante, fine)
    block, long = space.blocks[-1], last_block(reach, ante, fine)
    own = values[ranks_of(block)]
    assert 0 < np.count_nonzero(own > long) < len(own)  # rounding is visible
    kernel = StakesKernel(space, instruction_set)
    work = kernel.lay_out(block, ArrayBlocks(space, values), Workspace())
    assert work.carry(0.0)
    work.bracket(own, 1e-6)
    for _ in range(100):
        work.narrow(1)
    upper, lower = bounds_of(work, own)
    assert (long <= upper).all()
    assert (long >= lower).all()
    assert max((upper - own).max(), (own - lower).max()) < 2e-14


@STAKES
def test_no_value_is_further_off_than_is_proven(reach, ante, fine):
    space, values, long = solved(reach, ante, fine)
    errors = certify(space, values)
    for block, error in zip(space.blocks, errors, strict=True):
        ranks = ranks_of(block)
        assert np.abs(values[ranks] - long[ranks]).max() <= error
    assert errors.max() < 1e-13


@pytest.mark.parametrize("noise", [1e-12, 1e-9, 1e-6])
def test_values_that_are_off_are_proven_to_be_off_by_as_much(noise):
    space, values, long = solved(2)
    random = np.random.default_rng(3)
    for block in space.blocks:
        changed = values.copy()
        # the lanes behind the last level keep to the moves of the values as they were
        changed[ranks_of(block)] += random.uniform(-noise, noise, block.size)
        errors = certify(space, changed)
        for each, error in zip(space.blocks, errors, strict=True):
            ranks = ranks_of(each)
            off = np.abs(changed - long)[ranks]
            rows = off.reshape(-1, space.values_per_position)[:, : space.reach + CHANCE + 1]
            assert rows.max() <= error
        assert noise / 2 < errors.max() < 60 * noise


@pytest.mark.memory
def test_a_value_that_is_wrong_is_named():
    space, values, _ = solved(2)
    block = space.blocks[-1]
    own = values[ranks_of(block)].copy()
    own[7] += 0.5
    with pytest.raises(CertificateError, match=f"nothing can be proven of block {block.index}"):
        prove_values(
            kernel_of(space), block, own, ArrayBlocks(space, values), Workspace(), outside=0.0
        )


@pytest.mark.memory
@pytest.mark.parametrize("threads", [1, 2])
def test_a_proof_is_repeated_from_what_it_claims(threads):
    space = stakes_space(2, 4)
    values = solve(space, tolerance=1e-12)
    errors = certify(space, values)
    for block in space.blocks:
        reads = space.reads(block.index)
        outside = max((errors[index] for index in reads), default=0.0)
        _, error = prove_values(
            kernel_of(space),
            block,
            values[ranks_of(block)],
            ArrayBlocks(space, values),
            Workspace(),
            outside=outside,
            claimed=errors[block.index],
            threads_now=lambda: threads,
        )
        assert outside < error <= errors[block.index]


def test_errors_of_other_blocks_are_carried_with_the_fines_that_weigh_them():
    space, values, _ = solved(2, 0, 1)
    block = space.blocks[-1]
    arguments = (kernel_of(space), block, values[ranks_of(block)], ArrayBlocks(space, values))
    _, near = prove_values(*arguments, Workspace(), outside=0.0)
    _, far = prove_values(*arguments, Workspace(), outside=1e-9)
    # more than a sum: each landing on a rosette adds a chance's error times the fine
    assert 1e-9 + near < far < 3e-9
