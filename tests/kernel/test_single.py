"""Kernels in single precision, against the same in double precision and exact fractions."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from tests.golden import each_kind
from tests.kernel.blocks import random_values, ranks_of, solution
from tests.kernel.test_bounds import bounds_at, exactly, solved
from tests.kernel.test_rows import NAMES
from tests.solving import solve
from ur_solver.engine.block import solve_block
from ur_solver.engine.runners import ThreadRunner
from ur_solver.engine.solve import certify
from ur_solver.errors import InputError
from ur_solver.kernel import _row_layout
from ur_solver.kernel._tiled import instruction_sets
from ur_solver.kernel._workspace import Workspace
from ur_solver.kernel.interface import ArrayBlocks
from ur_solver.kernel.kernels import Kernel, RaceKernel, RowKernel, kernel_of
from ur_solver.kernel.rounding import (
    SINGLE_NOISE,
    SINGLE_RESIDUAL,
    check_precision,
    default_tolerance,
)
from ur_solver.rules import CATALOGUE, named_rules
from ur_solver.rules.board import Dice
from ur_solver.space import TileSpace, is_race_of_tiles, space_of

pytestmark = pytest.mark.medium

RACES = [name for name in CATALOGUE if is_race_of_tiles(named_rules(name, 1))]
BOTH = [*NAMES, "finkel", "murray", "masters"]
CHANCES = [name for name in CATALOGUE if not named_rules(name, 1).payoff.has_fines]
THIRDS = Dice.of("thirds", {n: Fraction(1, 3) for n in (1, 2, 3)})
SELDOM = Dice.of("seldom", {0: Fraction(7, 8), 2: Fraction(1, 8)})


def with_dice(dice):
    return dataclasses.replace(named_rules("finkel", 2), name=dice.name, dice=dice)


def kind_of(space: TileSpace):
    return RaceKernel if is_race_of_tiles(space.rules) else RowKernel


def single(space, instruction_set=None, kind=None) -> Kernel:
    kind = kind or kind_of(space)
    return kind(space, precision="single", instruction_set=instruction_set)


@pytest.mark.parametrize("pieces", [1, 2])
@pytest.mark.parametrize(
    ("name", "kind"),
    # by the row kernel all, those of the race family too
    each_kind([*((name, RowKernel) for name in CHANCES), *((name, RaceKernel) for name in RACES)]),
)
def test_values_are_those_of_double_precision(name, kind, pieces):
    # of every position
    space = space_of(named_rules(name, pieces))
    expected = solution(space.rules)
    for instruction_set in instruction_sets():
        found = solve(space, tolerance=1e-5, kernel=single(space, instruction_set, kind=kind))
        assert np.abs(found - expected).max() < 2e-6


def test_chances_that_are_rounded():
    space = TileSpace(with_dice(THIRDS))
    expected = solve(space, tolerance=1e-12, kernel=RowKernel(space))
    found = solve(space, tolerance=1e-5, kernel=single(space))
    assert np.abs(found - expected).max() < 2e-6


@pytest.mark.parametrize("instruction_set", instruction_sets())
@pytest.mark.parametrize("name", BOTH)
def test_residuals_are_no_less_than_in_double_precision(name, instruction_set):
    space = space_of(named_rules(name, 2))
    # of values that float32 has, less 1/2
    values = np.float32(random_values(space.n_values, 3) - 0.5).astype(float) + 0.5
    blocks, exact = ArrayBlocks(space, values), kernel_of(space)
    kernel = single(space, instruction_set)
    for block in space.blocks:
        own = values[ranks_of(block)]
        expected = exact.block_residual(block, own, blocks)
        found = kernel.block_residual(block, own, blocks)
        assert expected <= found <= expected + 2 * SINGLE_RESIDUAL


@pytest.mark.parametrize("goal", [1e-6, 1e-7, 1e-8])
@pytest.mark.parametrize("name", BOTH)
def test_blocks_end_however_near_the_goal_is_to_rounding(name, goal):
    space = space_of(named_rules(name, 2))
    values = solution(space.rules)
    for block in space.blocks:
        found = solve_block(single(space), block.index, ArrayBlocks(space, values), goal=goal)
        assert found.record.sweeps < 200
        off = np.abs(found.values - values[ranks_of(block)]).max()
        assert off < max(goal, 20 * SINGLE_NOISE)


@pytest.mark.memory
@pytest.mark.parametrize("instruction_set", instruction_sets())
@pytest.mark.parametrize("name", ["birds", "skiriuk", "ben", "finkel"])
def test_words_of_64_bits_name_the_same_rows(name, instruction_set, monkeypatch):
    space = TileSpace(named_rules(name, 2))
    values, block = random_values(space.n_values, 4), max(space.blocks, key=lambda each: each.size)
    own, found = values[ranks_of(block)].copy(), []
    kernel = single(space, instruction_set, RowKernel)
    for first_wide in (2**32, 0):
        monkeypatch.setattr(_row_layout, "FIRST_WIDE", first_wide)
        work, swept = kernel.lay_out(block, ArrayBlocks(space, values), Workspace()), own.copy()
        work.load(own)
        deltas = [work.residual(1), work.sweep(1)]
        work.store(swept)
        work.bracket(own, 0.1)
        work.narrow(1)
        found.append((work.word_bytes, deltas, work.width(own), swept.tobytes()))
    narrow, wide = found
    assert wide == (2 * narrow[0], *narrow[1:])


@pytest.mark.parametrize("word", ["skiriuk:1", "ben:1", "aseb:1", "conventional:1"])
@pytest.mark.parametrize("instruction_set", instruction_sets())
def test_bounds_enclose_the_exact_values(word, instruction_set):
    space, values = solved(word)
    kernel = single(space, instruction_set)
    work = kernel.lay_out(space.blocks[0], ArrayBlocks(space, values), Workspace())
    work.bracket(values, 1e-2)
    for _ in range(100):
        work.narrow(1)
    for rank, x in enumerate(exactly(word)):
        for lower, upper in bounds_at(work, len(values), rank, x):
            assert x - Fraction(1e-5) < lower <= x <= upper < x + Fraction(1e-5)
    assert 1.0 + 2.0**-60 == 1.0 == 1.0 - 2.0**-60


@pytest.mark.memory
@pytest.mark.parametrize("name", ["ben", "aseb"])
@pytest.mark.parametrize("distance", [0.0, 1e-9, 3e-8, 0.1])
def test_bounds_begin_no_nearer_than_asked(name, distance):
    space = space_of(named_rules(name, 1))
    values = random_values(space.n_values, 6)
    work = single(space).lay_out(space.blocks[0], ArrayBlocks(space, values), Workspace())
    work.bracket(values, distance)
    for place in range(0, len(values), 50):
        target = np.full(len(values), np.nan)
        target[place] = values[place]
        assert distance <= work.width(target)[0] <= distance + 1e-7


@pytest.mark.parametrize("pieces", [1, 2])
@pytest.mark.parametrize("name", BOTH)
def test_what_is_proven_is_proven_again_in_double_precision(name, pieces):
    space = space_of(named_rules(name, pieces))
    kernel, claimed = single(space), {}

    def note(result):
        claimed[result.record.index] = result.record.error

    values = solve(space, tolerance=1e-5, certify=True, kernel=kernel, on_block=note)
    by_doubles = certify(space, values, runner=ThreadRunner(1))
    # each bound is of blocks by blocks: of the same values, proven with less rounding
    assert all(by_doubles[index] < error < 2e-5 for index, error in claimed.items())
    expected = solution(space.rules)
    for block in space.blocks:
        off = np.abs(values - expected)[ranks_of(block)].max()
        assert off < claimed[block.index]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("pieces", [1, 2, 3])
def test_blocks_take_no_more_than_is_said(name, pieces):
    space = space_of(named_rules(name, pieces))
    kernel, blocks = single(space), ArrayBlocks(space, np.zeros(space.n_values))
    for block in sorted(space.blocks, key=lambda each: each.size)[-3:]:
        lists = kernel.lay_out(block, blocks, Workspace()).list_bytes
        assert lists + 8 * block.size <= kernel.workspace_bytes(block)
        certified = kernel.workspace_bytes(block, certify=True)
        assert lists + 16 * block.size <= certified
        double = kernel_of(space).workspace_bytes(block, certify=True)
        assert certified - (1 << 20) < 0.75 * double


@pytest.mark.parametrize(
    ("rules", "tolerance", "fault"),
    [
        (named_rules("bell-stakes", 1), 1e-5, "bell-stakes: with stakes values are money, "),
        (
            with_dice(SELDOM),
            1e-5,
            "seldom: with these dice every block is proven, which takes double precision$",
        ),
        (named_rules("ben", 1), 9e-6, "tolerance 9e-06: in single precision it is at least 1e-05;"),
    ],
)
def test_what_is_not_solved_in_single_precision(rules, tolerance, fault):
    space = space_of(rules)
    with pytest.raises(InputError, match=f"^{fault}"):
        check_precision(space, "single", tolerance)
    check_precision(space, "double", tolerance)


def test_kernels_by_precision():
    space = space_of(named_rules("ben", 1))
    assert kernel_of(space) is kernel_of(space, "double") is not kernel_of(space, "single")
    assert kernel_of(space, "single").precision == "single"
    for make in (kernel_of, check_precision):
        with pytest.raises(InputError, match="precision 'half': expected double or single"):
            make(space, "half")
    assert kernel_of(space_of(named_rules("finkel", 1)), "single").precision == "single"
    with pytest.raises(InputError, match="tolerance 1e-06: in single precision"):
        solve(space, tolerance=1e-6, kernel=kernel_of(space, "single"))
    assert (default_tolerance("double"), default_tolerance("single")) == (1e-12, 1e-5)
