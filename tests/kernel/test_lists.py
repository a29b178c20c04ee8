"""Sweeps over lists of moves against those of the generic kernel, bit for bit."""

from __future__ import annotations

import pytest

from tests.kernel.blocks import generic_kernel, lay_out, ranks_of
from tests.meaningless import hash_values
from tests.solving import solve
from ur_solver.kernel.kernels import ListKernel
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
        on_block=lambda result: proven.append(result.error),
    )
    assert values == pytest.approx(solve(space, tolerance=1e-12), abs=1e-11)
    assert 0 < max(proven) < 1e-12


@pytest.mark.memory
def test_games_in_which_pieces_rest_are_proven():
    space = space_of(named_rules("conventional:1").changed(another_piece=True))
    proven = []
    solve(
        space,
        tolerance=1e-12,
        certify=True,
        on_block=lambda result: proven.append(result.error),
    )
    assert 0 < max(proven) < 1e-12
