"""Sweeps under a policy against the readable turns, and solves with and without policies."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from tests.kernel.blocks import ranks_of, solution
from tests.solving import solve
from ur_solver.engine import block as engine_block
from ur_solver.engine.block import Improvement, Lease, improve, iterate
from ur_solver.errors import SolveError
from ur_solver.kernel._tiled import instruction_sets
from ur_solver.kernel._workspace import Workspace
from ur_solver.kernel.interface import ArrayBlocks
from ur_solver.kernel.kernels import ListKernel, RowKernel, kernel_of
from ur_solver.rules import LIGHT, named_rules
from ur_solver.rules.turns import choice_value, final_value, move_value, turn
from ur_solver.space import TileSpace, space_of

pytestmark = pytest.mark.medium

FEWEST = 4096
"""Positions of a block that has policies."""

# throws again by choice, jumps and mapped columns, stacks, a race game by rows
ROWS = ["bell:2", "casual-roll-again:2", "ben:2", "skiriuk:2", "finkel:2"]

# by lists: pieces rest
LISTS = ["finkel:2 another_piece", "skiriuk:2 another_piece"]

KERNELS = [(case, each) for case in ROWS for each in instruction_sets()]
KERNELS += [(case, None) for case in LISTS]


def rules_of(case):
    name, _, switch = case.partition(" ")
    rules = named_rules(name)
    return rules.changed(**{switch: True}) if switch else rules


def kernel_for(case, space, instruction_set=None):
    return ListKernel(space) if case in LISTS else RowKernel(space, instruction_set)


def meaningless(space, seed=1):
    """Random values, unlike those of any game, so that no two moves are worth the same."""
    return np.random.default_rng(seed).random(space.n_values)


def block_with_policies(space):
    """The smallest."""
    return min(
        (block for block in space.blocks if block.size >= FEWEST), key=lambda block: block.size
    )


@lru_cache(maxsize=16)
def greedy_steps(case):
    """What some positions of a block lead to under the policy that is best by meaningless values.

    By rank a list of (chance, position reached, whether the turn stays), by the readable turns.
    """
    space = TileSpace(rules_of(case))
    values, block = meaningless(space), block_with_policies(space)

    def value(position):
        final = final_value(position)
        return values[space.rank(position)] if final is None else final

    steps = {}
    for rank in np.random.default_rng(3).integers(block.offset, block.offset + block.size, 120):
        position = space.unrank(int(rank), LIGHT)
        if final_value(position) is not None:
            continue
        choice = max(turn(position), key=lambda each: choice_value(position, each, value))
        steps[int(rank)] = [
            (float(outcome.probability), best.position, best.again)
            if (best := max(outcome.moves, key=lambda each: move_value(each, value), default=None))
            else (float(outcome.probability), position.pass_turn(), False)
            for outcome in choice.outcomes
        ]
    return steps


def settle(policy, threads=2):
    """Sweep until only rounding changes the values, and give them to the block."""
    for _ in range(20_000):
        if policy.sweep(threads) <= 1e-15:
            policy.close()
            return
    raise AssertionError("the values under a policy do not settle")


def stored(work, block):
    values = np.empty(block.size)
    work.store(values)
    return values


@pytest.mark.parametrize(("case", "instruction_set"), KERNELS)
def test_values_under_the_best_policy(case, instruction_set):
    space = TileSpace(rules_of(case))
    block, values = block_with_policies(space), meaningless(space)
    own, others = values[ranks_of(block)], meaningless(space, 2)[ranks_of(block)]
    room = np.full(block.size, np.nan)
    kernel = kernel_for(case, space, instruction_set)
    work = kernel.lay_out(block, ArrayBlocks(space, values), Workspace())
    # the policy is written over another one, and over itself
    for given in (own, others, own):
        work.load(given)
        policy = work.follow(room, 2)
        assert policy.n_changed > 0
        policy.close()
    work.load(own)
    settle(work.follow(room, 2))
    # the solution of the policy's equations, which have only one
    values[ranks_of(block)] = stored(work, block)

    def worth(position, again):
        final = final_value(position)
        value = values[space.rank(position)] if final is None else final
        return value if again else 1 - value

    for rank, steps in greedy_steps(case).items():
        total = sum(chance * worth(reached, again) for chance, reached, again in steps)
        assert values[rank] == pytest.approx(total, abs=1e-13)


@pytest.mark.parametrize("case", ROWS + LISTS)
def test_a_policy_that_stays_has_no_changes(case):
    space = TileSpace(rules_of(case))
    block, values = block_with_policies(space), meaningless(space)
    own, room = values[ranks_of(block)], np.empty(block.size)
    work = kernel_for(case, space).lay_out(block, ArrayBlocks(space, values), Workspace())
    work.load(own)
    policy = work.follow(room, 1)
    assert policy.n_changed > 0.9 * block.size
    policy.close()
    assert np.abs(stored(work, block) - own).max() < 1e-15
    assert work.follow(room, 2).n_changed == 0


@pytest.mark.memory
@pytest.mark.parametrize(("case", "instruction_set"), KERNELS)
def test_policies_in_turn_are_the_best_by_the_values_of_each(case, instruction_set):
    # where values have moved little, rows are passed over that keep their best moves
    space = TileSpace(rules_of(case))
    block, values = block_with_policies(space), meaningless(space)
    blocks, kernel = ArrayBlocks(space, values), kernel_for(case, space, instruction_set)
    work, room = kernel.lay_out(block, blocks, Workspace()), np.empty(block.size)
    anew, other_room = kernel.lay_out(block, blocks, Workspace()), np.empty(block.size)
    work.load(values[ranks_of(block)])
    changes = []
    for _ in range(12):
        policy = work.follow(room, 2)
        changes.append(policy.n_changed)
        anew.load(stored(work, block))
        other = anew.follow(other_room, 2)
        # with two threads the values of a sweep depend on which is ahead
        for _ in range(2):
            assert policy.sweep(1) == pytest.approx(other.sweep(1), abs=1e-14)
        policy.close()
        other.close()
        assert np.abs(stored(work, block) - stored(anew, block)).max() < 1e-14
    assert changes[1] > changes[-1]


@pytest.mark.parametrize("case", ["casual:3", "ben:2", "skiriuk:2", *LISTS])
def test_solves_end_in_the_same_values_without_policies(case, monkeypatch):
    space = space_of(rules_of(case))
    by_policies = solution(space.rules)
    monkeypatch.setattr(engine_block, "improve", lambda *_: Improvement())
    assert np.abs(solve(space, tolerance=1e-13) - by_policies).max() < 1e-12


@pytest.mark.parametrize("case", ["casual:3", "ben:2", "skiriuk:2", *LISTS])
def test_one_sweep_of_all_moves_confirms_the_values_of_the_last_policy(case):
    rules = rules_of(case)
    space, kernel = space_of(rules), kernel_of(space_of(rules))
    blocks = ArrayBlocks(space, solution(rules))
    block = max(space.blocks, key=lambda each: each.size)
    work, room = kernel.lay_out(block, blocks, Workspace()), np.empty(block.size)
    before = improve(work, room, 1e-12, Lease(Workspace()))
    assert 0.0 < before.factor < 1.0
    found = iterate(work, room, 1e-12, Lease(Workspace()), factor=before.factor)
    assert found.sweeps == 1
    # sweeps until nothing moves show how far off the values were
    values, settled = np.empty(block.size), np.empty(block.size)
    work.store(values)
    for _ in range(60):
        work.sweep(1)
    work.store(settled)
    assert np.abs(values - settled).max() < 1e-12


@pytest.mark.memory
def test_only_large_blocks_in_double_precision_have_policies():
    space = TileSpace(named_rules("skiriuk:2"))
    blocks = ArrayBlocks(space, meaningless(space))
    for block in space.blocks:
        work = RowKernel(space).lay_out(block, blocks, Workspace())
        assert work.has_policies == (block.size >= FEWEST)
        single = RowKernel(space, precision="single").lay_out(block, blocks, Workspace())
        assert not single.has_policies
        with pytest.raises(SolveError, match="this block has no policies"):
            single.follow(np.empty(block.size), 1)


@pytest.mark.memory
def test_turns_with_a_choice_before_the_throw_have_no_policies():
    space = TileSpace(named_rules("birds:2"))
    work = RowKernel(space).lay_out(
        block_with_policies(space), ArrayBlocks(space, meaningless(space)), Workspace()
    )
    assert not work.has_policies
    assert work.policy_bytes == 0


@pytest.mark.memory
def test_bounds_take_the_memory_of_policies():
    space = TileSpace(named_rules("skiriuk:2"))
    block, values = block_with_policies(space), meaningless(space)
    own = values[ranks_of(block)]
    work = RowKernel(space).lay_out(block, ArrayBlocks(space, values), Workspace())
    work.load(own)
    settle(work.follow(np.empty(block.size), 1))
    work.bracket(own, 0.25)
    assert not work.has_policies
    width, _ = work.width(own)
    assert width == pytest.approx(0.25, abs=1e-12)


def test_the_memory_of_policies_is_counted():
    space = space_of(named_rules("skiriuk:3"))
    kernel, block = RowKernel(space), max(space.blocks, key=lambda each: each.size)
    work = kernel.lay_out(block, ArrayBlocks(space, np.zeros(space.n_values)), Workspace())
    needed = work.list_bytes + 16 * block.size + work.policy_bytes
    assert needed <= kernel.workspace_bytes(block) <= 1.25 * needed
