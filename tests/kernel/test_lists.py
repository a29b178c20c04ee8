"""Sweeps over lists of moves against those of the generic kernel, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernel.blocks import generic_kernel, lay_out, ranks_of
from tests.kernel.test_draws import fives
from tests.meaningless import hash_values
from tests.solving import solve
from ur_solver.errors import CertificateError
from ur_solver.kernel.bounds import prove
from ur_solver.kernel.kernels import ListKernel, kernel_of
from ur_solver.rules import RuleSet, named_rules
from ur_solver.space import space_of

GAMES = [
    pytest.param(named_rules("birds:2"), marks=pytest.mark.memory),
    pytest.param(named_rules("four-again:2"), marks=pytest.mark.memory),
    named_rules("finkel:2").changed(another_piece=True, extra_on_capture=True),
    named_rules("skiriuk:2").changed(another_piece=True),
]


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_a_sweep_is_that_of_the_generic_kernel(rules: RuleSet):
    space = space_of(rules)
    for block in space.blocks:
        values = hash_values(space.n_values)
        work = lay_out(ListKernel(space), block, values)
        own = values[ranks_of(block)]
        work.load(own)
        for _ in range(2):
            delta = generic_kernel(space).sweep(values, block.offset, block.size)
            assert work.sweep(1) == delta
        further = generic_kernel(space).residual(values, block.offset, block.size)
        assert work.residual(1) == further > 0
        found = own.copy()
        work.store(found)
        assert (found == own).all()


@pytest.mark.memory
def test_blocks_are_solved_and_proven_as_by_the_row_kernel():
    space = space_of(named_rules("skiriuk:1"))
    proven = []
    values = solve(
        space,
        tolerance=1e-12,
        certify=True,
        kernel=ListKernel(space),
        on_block=lambda result: proven.append(result.record.error),
    )
    assert values == pytest.approx(solve(space, tolerance=1e-12), abs=1e-11)
    assert 0 < max(proven) < 1e-12


RESTING = [
    named_rules("conventional:1").changed(another_piece=True),
    named_rules("finkel:1").changed(another_piece=True, extra_on_capture=True),
]


def prove_disturbed(space, values, block, place, by, claimed=None):
    """What is proven of a block of which one value is off, though all others are right."""
    work = lay_out(ListKernel(space), block, values)
    own = values[ranks_of(block)].copy()
    own[place] += by
    work.load(own)
    residual = work.residual(1)
    return prove(work, space, block, own, residual=residual, outside=0.0, claimed=claimed)


@pytest.mark.memory
@pytest.mark.parametrize("rules", RESTING, ids=lambda rules: rules.name)
def test_no_error_is_proven_that_a_disturbed_value_exceeds(rules: RuleSet):
    space = space_of(rules)
    values = np.asarray(solve(space, tolerance=1e-13))
    for block in space.blocks:
        for place in range(0, block.size, 1 + block.size // 60):
            with pytest.raises(CertificateError):
                prove_disturbed(space, values, block, place, 1e-3, claimed=9e-4)
            assert prove_disturbed(space, values, block, place, -1e-3) > 1e-3 - 1e-12


@pytest.mark.parametrize("pieces", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_draws_are_a_half_where_pieces_rest(pieces: int):
    rules = fives(pieces).changed(another_piece=True, extra_on_capture=True)
    space = space_of(rules)
    proven: list[float] = []
    values = solve(
        space,
        tolerance=1e-10,
        certify=True,
        on_block=lambda result: proven.append(result.record.error),
    )
    assert isinstance(kernel_of(space), ListKernel)
    drawn = kernel_of(space).turns.draws(0, space.n_values)
    assert drawn.sum() > 10
    for rank in range(space.n_values):
        assert drawn[rank] == is_drawn(rules, space.unrank(rank))
    assert (values[drawn] == 0.5).all()
    assert max(proven) < 1e-10


def is_drawn(rules: RuleSet, position) -> bool:
    """Whether nobody can move, now or in the two turns after, when no piece rests any more."""
    for _ in range(3):
        if any(rules.legal_moves(position, throw) for throw in rules.dice.throws):
            return False
        position = position.pass_turn()
    return True
