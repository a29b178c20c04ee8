"""Positions with fines: ranks, blocks, and the error of the cut after the last level."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tests.solving import solve
from ur_solver.rules import Stakes, named_rules
from ur_solver.space import space_of
from ur_solver.space.stakes import LEAST, MOST

pytestmark = pytest.mark.memory

FAR = 26
"""A reach for which bell with two pieces is exact, up to rounding, at level 3."""


def stakes_space(pieces, reach):
    return space_of(named_rules("bell", pieces).changed(stakes=Stakes(reach=reach)))


def test_every_rank_of_a_level_is_that_of_its_position():
    space = stakes_space(1, 3)
    assert space.n_values == space.n_positions * space.values_per_position
    for rank in range(space.n_values):
        position = space.unrank(rank, "LD"[rank % 2])
        level = rank % space.values_per_position
        assert position.fines == min(level, 3)
        assert space.rank(position) == rank - max(0, level - 3)


def test_blocks_are_those_without_fines():
    space = stakes_space(2, 3)
    for block, plain in zip(space.blocks, space.positions.blocks, strict=True):
        assert block.offset == plain.offset * space.values_per_position
        assert block.size == plain.size * space.values_per_position


def test_more_fines_than_the_last_level_has_lead_there():
    space = stakes_space(1, 3)
    last = space.rules.position("....__../..L...../....__.. L 0 1 p3")
    past = dataclasses.replace(last, fines=500_000)
    assert space.rank(past) == space.rank(last)
    assert space.decode(space.encode(past)) == past


def solved_rows(pieces, reach):
    space = stakes_space(pieces, reach)
    return space, solve(space, tolerance=1e-12).reshape(-1, space.values_per_position)


@pytest.fixture(scope="module")
def far():
    return solved_rows(2, FAR)


def test_one_piece_needs_no_bounds():
    space, rows = solved_rows(1, 0)
    assert space.cut_error(rows.ravel()) == pytest.approx((0, 0), abs=1e-13)


@pytest.mark.parametrize("reach", [0, 3])
def test_bounds_hold_what_a_table_with_more_levels_knows(far, reach):
    far_space, far_rows = far
    space, rows = solved_rows(2, reach)
    exact = far_rows[:, reach] * far_space.unit
    least, last, most = (rows[:, reach + lane] * space.unit for lane in (LEAST, 0, MOST))
    slack = 1e-10
    assert (least <= exact + slack).all()
    assert (exact <= most + slack).all()
    assert (most - least).min() >= -slack
    # the cut has an error here, so that the bounds are a real test
    assert np.abs(last - exact).max() > 1e-4
    error, growth = (each * space.unit for each in space.cut_error(rows.ravel()))
    for fines in range(FAR // 2):
        past = max(0, fines - reach)
        line = rows[:, min(fines, reach)] * space.unit + past * rows[:, reach + 1]
        off = np.abs(line - far_rows[:, fines] * far_space.unit).max()
        assert off <= error + past * growth + slack
