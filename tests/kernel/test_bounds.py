"""Proven bounds enclose exact fractions, and what cannot be proven is refused."""

from __future__ import annotations

import dataclasses
import functools
import math
from fractions import Fraction

import numpy as np
import pytest

from tests.golden import CHANCES, FOLDER, golden_rules
from tests.kernel.blocks import loaded, ranks_of, solution, tiled_kernel
from tests.kernel.test_draws import fives
from tests.oracles.exact import exact_values
from tests.solving import block_of, solve
from ur_solver.engine.solve import certify
from ur_solver.errors import CertificateError
from ur_solver.kernel._row_block import RowBlock
from ur_solver.kernel._tiled import instruction_sets
from ur_solver.kernel._workspace import Workspace
from ur_solver.kernel.bounds import prove, prove_values
from ur_solver.kernel.interface import ArrayBlocks
from ur_solver.kernel.kernels import ListBlock, ListKernel, RowKernel, kernel_of
from ur_solver.rules import named_rules
from ur_solver.rules.board import Dice
from ur_solver.space import is_race_of_tiles, space_of

pytestmark = pytest.mark.medium

ONE_BLOCK = ("aseb:1", "conventional:1", "skiriuk:1", "ben:1")


def solved(word):
    space = space_of(named_rules(word))
    return space, solution(space.rules).copy()


@functools.cache
def exactly(word):
    space, values = solved(word)
    positions = [space.unrank(rank) for rank in range(space.n_values)]
    exact = exact_values(space.rules, positions, lambda position: values[space.rank(position)])
    return [exact.values[position] for position in positions]


def works(space, values):
    """Every way in which a space's only block is laid out."""
    block = space.blocks[0]
    if is_race_of_tiles(space.rules):
        for instruction_set in instruction_sets():
            yield loaded(tiled_kernel(space, instruction_set), block, values)
        return
    yield loaded(ListKernel(space), block, values)
    for instruction_set in instruction_sets():
        work = RowKernel(space, instruction_set).lay_out(
            block, ArrayBlocks(space, values), Workspace()
        )
        work.load(values)
        yield work


def proven(space, block, values, **claims):
    """The residual of a block and how far it is proven to be off, by values of the whole space."""
    return prove_values(
        kernel_of(space),
        block,
        values[ranks_of(block)],
        ArrayBlocks(space, values),
        Workspace(),
        **claims,
    )


def width_at(work, size, place, target):
    """How far the bounds of a block's value are from a target.

    `width` compares bounds with values and passes over those that are not a number.
    """
    others = np.full(size, np.nan)
    others[place] = target
    return work.width(others)[0]


def bound_at(work, size, place, target):
    """The upper bound of a value for a target of 0, 1 less the lower one for a target of 1.

    The tiled kernel raises it by a step, the row kernel rounds it up.
    """
    return math.nextafter(width_at(work, size, place, target), -math.inf)


def bounds_at(work, size, place, x):
    """Bounds of a value as exact fractions, as far as `width` tells them."""
    if isinstance(work, ListBlock):
        yield Fraction(float(work.lower[place])), Fraction(float(work.upper[place]))
        return
    if isinstance(work, RowBlock):
        # kept as what they are above 1/2: the one that is further from 1/2 is told exactly
        beyond = Fraction(width_at(work, size, place, 0.5))
        yield (x, Fraction(1, 2) + beyond) if x > Fraction(1, 2) else (Fraction(1, 2) - beyond, x)
        return
    yield x, Fraction(bound_at(work, size, place, 0.0))
    if x > Fraction(1, 2):  # 1 less it is exact
        yield 1 - Fraction(bound_at(work, size, place, 1.0)), x


@pytest.mark.parametrize(
    ("word", "threads"), [*((word, 1) for word in ONE_BLOCK), ("aseb:1", 2), ("skiriuk:1", 2)]
)
def test_bounds_enclose_the_exact_values(word, threads):
    space, values = solved(word)
    exact = exactly(word)
    # rounded to nearest, values are on both sides of the exact ones, so that rounding is visible
    sides = [Fraction(float(value)) > x for value, x in zip(values, exact, strict=True)]
    assert 0 < sum(sides) < len(sides)
    for work in works(space, values):
        work.bracket(values, 1e-6)
        for _ in range(150):
            work.narrow(threads)
        for rank, x in enumerate(exact):
            for lower, upper in bounds_at(work, len(values), rank, x):
                assert x - Fraction(1e-13) < lower <= x <= upper < x + Fraction(1e-13)
        # the rounding mode is reset
        assert 1.0 + 2.0**-60 == 1.0 == 1.0 - 2.0**-60


@pytest.mark.parametrize("word", ["finkel:1", "blitz:1", "masters:1", "four-again:1"])
@pytest.mark.parametrize("instruction_set", instruction_sets())
def test_bounds_that_begin_far_out_pass_no_value_on_their_way(word, instruction_set):
    # each of them reads the other's where the turn passes, and 1 less it
    space, solution = solved(word)
    kernel = tiled_kernel(space, instruction_set)
    noise = np.random.default_rng(5).uniform(-9e-4, 9e-4, space.n_values)
    for block in space.blocks:
        ranks = slice(block.offset, block.offset + block.size)
        values = solution.copy()
        values[ranks] += noise[ranks]
        work = loaded(kernel, block, values)
        work.bracket(values[ranks], 1e-3)
        for _ in range(3):
            work.narrow(1)
            for place, solved_value in enumerate(solution[ranks]):
                assert solved_value <= bound_at(work, block.size, place, 0.0) + 1e-12
                assert solved_value >= 1 - bound_at(work, block.size, place, 1.0) - 1e-12


def stopped_early(space):
    return solve(space, tolerance=1e-3)


def perturbed(space):
    values = solution(space.rules).copy()
    where = np.random.default_rng(3).integers(0, len(values), len(values) // 10)
    values[where] += 1e-6
    return values


def shifted(space):
    return solution(space.rules) - 1e-9


@pytest.mark.parametrize("make", [stopped_early, perturbed, shifted])
@pytest.mark.parametrize("word", ["finkel:1", "bell:1", "aseb:1", "ben:1", "four-again:1"])
def test_what_is_proven_of_any_values_holds(word, make):
    space = space_of(named_rules(word))
    exact, values = exactly(word), make(space)
    errors = certify(space, values)
    off = [abs(Fraction(float(v)) - x) for v, x in zip(values, exact, strict=True)]
    for block in space.blocks:
        worst = max(off[block.offset : block.offset + block.size])
        assert worst <= Fraction(errors[block.index])
    assert errors.max() < 1e-2
    assert errors.max() >= {stopped_early: 1e-9, perturbed: 9e-7, shifted: 9e-10}[make]


@pytest.mark.parametrize("name", CHANCES)
def test_golden_values_lie_within_what_is_proven(name):
    space = space_of(golden_rules(name, 1))
    errors = {}
    values = solve(
        space,
        tolerance=1e-12,
        certify=True,
        on_block=lambda result: errors.__setitem__(result.record.index, result.record.error),
    )
    assert max(errors.values()) < 1e-12
    for line in (FOLDER / f"{name}-1.tsv").read_text().splitlines():
        text, value = line.split("\t")
        rank = space.rank(space.rules.position(text))
        # golden values of different solvers agree to 1e-13
        assert abs(values[rank] - float(value)) <= errors[block_of(space, rank).index] + 1e-13


@pytest.mark.memory
@pytest.mark.parametrize(
    "word", ["finkel:2", "murray-3dice:2", "birds:2", "casual-roll-again:2", "four-again:2"]
)
def test_certificates_of_two_pieces_reach_the_tolerance_and_are_proven_again(word):
    space = space_of(named_rules(word))
    results = []
    values = solve(space, tolerance=1e-12, certify=True, threads=2, on_block=results.append)
    errors = {result.record.index: result.record.error for result in results}
    assert max(errors.values()) < 1e-12
    for block in space.blocks:
        outside = max((errors[each] for each in space.reads(block.index)), default=0.0)
        assert outside <= errors[block.index]
        _, again = proven(space, block, values, outside=outside, claimed=errors[block.index])
        assert again <= errors[block.index]


@pytest.mark.parametrize("instruction_set", instruction_sets())
def test_one_instruction_set_proves_what_another_has(instruction_set):
    space = space_of(named_rules("finkel-3dice:2"))
    results = []
    values = solve(space, tolerance=1e-12, certify=True, on_block=results.append)
    errors = {result.record.index: result.record.error for result in results}
    kernel = tiled_kernel(space, instruction_set)
    for block in space.blocks:
        work = loaded(kernel, block, values)
        prove(
            work,
            space,
            block,
            values[ranks_of(block)],
            residual=work.residual(1),
            outside=max((errors[each] for each in space.reads(block.index)), default=0.0),
            claimed=errors[block.index],
        )


@pytest.mark.memory
def test_draws_are_a_half_for_sure():
    space = space_of(fives(2))
    errors = []
    solve(
        space,
        tolerance=1e-12,
        certify=True,
        on_block=lambda result: errors.append(result.record.error),
    )
    assert max(errors) < 1e-12


def test_a_draw_of_another_value_is_off_by_as_much():
    space = space_of(fives(1))
    values = solve(space, tolerance=1e-12)
    drawn = space.rank(space.rules.position("....__L./......../....__D. L 0 0"))
    values[drawn] += 1e-5
    assert certify(space, values).max() >= 1e-5


class Steadfast:
    """Bounds that do not move, as for play that goes on for ever."""

    is_single = False

    def carry(self, outside):
        return False

    def bracket(self, values, shift):
        self.shift = shift

    def narrow(self, threads):
        """Leave the bounds where they are."""

    def width(self, values):
        return self.shift, 0


def test_bounds_that_do_not_come_in_are_no_proof():
    space, values = solved("finkel:1")
    block = space.blocks[2]
    with pytest.raises(
        CertificateError, match=r"of block 2, which begins with '.* L 0 0': .*for ever"
    ):
        prove(Steadfast(), space, block, values[ranks_of(block)], residual=1e-16, outside=0.0)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_of_what_is_no_number_nothing_is_proven(wrong):
    space, values = solved("finkel:1")
    values[space.blocks[3].offset] = wrong
    with pytest.raises(CertificateError, match="block 3"):
        certify(space, values)


@pytest.mark.parametrize("word", ["finkel:1", "skiriuk:1"])
def test_a_claim_that_is_too_good_is_not_proven(word):
    space, values = solved(word)
    block = space.blocks[-1]
    values[block.offset + 7] += 1e-9
    with pytest.raises(
        CertificateError, match=r"from the value of position '.*', not the 1e-12 that is claimed"
    ):
        proven(space, block, values, outside=0.0, claimed=1e-12)


def test_chances_that_are_not_exact_in_binary_are_refused():
    thirds = Dice.of("thirds", {1: Fraction(1, 3), 2: Fraction(2, 3)})
    space = space_of(dataclasses.replace(named_rules("finkel:1"), name="thirds", dice=thirds))
    with pytest.raises(CertificateError, match=r"the chance of throwing 1 is 1/3"):
        solve(space, tolerance=1e-12, certify=True)
