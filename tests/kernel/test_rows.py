"""The row kernel against the readable turns, and solved spaces against golden values."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from tests.golden import FOLDER, each_kind
from tests.kernel.blocks import probes, ranks_of, solution
from tests.solving import block_of, solve
from ur_solver.kernel import _row_layout
from ur_solver.kernel._tiled import instruction_sets
from ur_solver.kernel._workspace import Workspace
from ur_solver.kernel.interface import ArrayBlocks
from ur_solver.kernel.kernels import RaceKernel, RowKernel, kernel_of
from ur_solver.rules import CATALOGUE, LIGHT, named_rules
from ur_solver.rules.openings import opening_value
from ur_solver.rules.turns import evaluate
from ur_solver.space import TileSpace, space_of

pytestmark = pytest.mark.medium

STARTS = json.loads((FOLDER / "own-rules-starts.json").read_text())
NAMES = [name for name in STARTS if name != "bell-stakes"]


@pytest.mark.parametrize("name", NAMES)
def test_golden_values_of_one_piece(name):
    rules = named_rules(name, 1)
    space, values = space_of(rules), solution(rules)
    for line in (FOLDER / f"{name}-1.tsv").read_text().splitlines():
        text, value = line.split("\t")
        rank = space.rank(rules.position(text))
        assert values[rank] == pytest.approx(float(value), abs=1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_golden_starts_of_two_pieces(name):
    rules = named_rules(name, 2)
    space, values = space_of(rules), solution(rules)
    expected = STARTS[name]["2"]
    assert values[space.rank(rules.start())] == pytest.approx(expected["start_value"], abs=1e-11)
    if rules.mechanics.opening_throw is not None:
        opening = opening_value(rules, lambda position: values[space.rank(position)])
        assert opening == pytest.approx(expected["opening_value"], abs=1e-11)


def meaningless(space):
    """Random values, unlike those of any game, in which errors of one step cannot cancel."""
    return np.random.default_rng(7).random(space.n_values)


def residual_between(space, values, block, first, count):
    own = values[ranks_of(block)]
    return kernel_of(space).residual(block, own, ArrayBlocks(space, values), first, count)


@pytest.mark.parametrize(
    ("name", "pieces"), [*itertools.product(NAMES, [1, 2]), ("birds", 3), ("bell", 3)]
)
def test_one_step_is_that_of_the_readable_turns(name, pieces):
    rules = named_rules(name, pieces)
    space = space_of(rules)
    values = meaningless(space)

    def value(position):
        side = position.winner
        return values[space.rank(position)] if side is None else float(side == position.side)

    ranks = np.random.default_rng(1).integers(0, space.n_values, 60).tolist()
    for rank in ranks:
        position = space.unrank(rank, LIGHT)
        expected = abs(evaluate(position, value) - value(position))
        found = residual_between(space, values, block_of(space, rank), rank, 1)
        assert found == pytest.approx(expected, abs=1e-14)


@pytest.mark.memory
@pytest.mark.parametrize(
    ("name", "pieces"),
    each_kind(
        (name, n) for name, rules in CATALOGUE.items() for n in (1, 2) if not rules.payoff.has_fines
    ),
)
def test_tiles_and_single_positions_agree(name, pieces):
    # of every rule set, those of the race family too, every position of every block, by every set
    space = TileSpace(named_rules(name, pieces))
    kernels = [RowKernel(space, each) for each in instruction_sets()]
    values = meaningless(space)
    blocks = ArrayBlocks(space, values)
    for block in space.blocks:
        own = values[ranks_of(block)].copy()
        by_position = kernels[0].residual(block, own, blocks, block.offset, block.size)
        for kernel in kernels:
            work = kernel.lay_out(block, blocks, Workspace())
            work.load(own)
            assert work.residual(1) == pytest.approx(by_position, abs=1e-14), kernel.instruction_set


@pytest.mark.slow
def test_tiles_and_single_positions_agree_where_three_pieces_have_numbers():
    space = space_of(named_rules("birds:3"))
    kernel, values = RowKernel(space), meaningless(space)
    blocks = ArrayBlocks(space, values)
    for block in {block.size: block for block in space.blocks if block.size < 50_000}.values():
        own = values[ranks_of(block)].copy()
        work = kernel.lay_out(block, blocks, Workspace())
        work.load(own)
        by_position = kernel.residual(block, own, blocks, block.offset, block.size)
        assert work.residual(1) == pytest.approx(by_position, abs=1e-14)
    # values of about 1/2 but for one, whose own update has the largest residual
    tried = 0
    for block, probed in probes(space, 80, 3):
        if block.size < 50_000:
            blocks, own = ArrayBlocks(space, probed), probed[ranks_of(block)].copy()
            work = kernel.lay_out(block, blocks, Workspace())
            work.load(own)
            by_position = kernel.residual(block, own, blocks, block.offset, block.size)
            assert work.residual(1) == pytest.approx(by_position, abs=1e-14)
            tried += 1
    assert tried > 9


@pytest.mark.parametrize("instruction_set", instruction_sets())
@pytest.mark.parametrize("name", NAMES)
def test_no_position_changes_where_all_are_solved(name, instruction_set):
    # values solved by one kernel, looked at by the other, position by position
    space = space_of(named_rules(name, 2))
    kernel = RowKernel(space, instruction_set)
    values = solve(space, tolerance=1e-12, kernel=kernel)
    blocks = ArrayBlocks(space, values)
    for block in space.blocks:
        own = values[ranks_of(block)]
        assert kernel.residual(block, own, blocks, block.offset, block.size, threads=2) < 2e-12


@pytest.mark.memory
@pytest.mark.parametrize("name", ["finkel", "blitz", "masters"])
def test_race_rules_have_the_same_values_by_either_kernel(name):
    rules = named_rules(name, 2)
    space = space_of(rules)
    assert isinstance(kernel_of(space), RaceKernel)
    expected, values = solution(rules), solve(space, tolerance=1e-13, kernel=RowKernel(space))
    assert np.abs(values - expected).max() < 1e-12


@pytest.mark.parametrize("name", ["birds", "skiriuk", "casual"])
def test_a_sweep_settles_in_the_same_values_however_it_is_run(name):
    space = space_of(named_rules(name, 2))
    solved = solution(space.rules)
    block = space.blocks[-1]
    expected, values = solved[ranks_of(block)], np.empty(block.size)
    for instruction_set, threads in itertools.product(instruction_sets(), (1, 2)):
        work = RowKernel(space, instruction_set).lay_out(
            block, ArrayBlocks(space, solved), Workspace(), threads
        )
        while work.sweep(threads) > 1e-14:
            pass
        assert work.residual(threads) < 1e-13
        work.store(values)
        assert np.abs(values - expected).max() < 1e-12


@pytest.mark.memory
@pytest.mark.parametrize("instruction_set", instruction_sets())
@pytest.mark.parametrize("name", ["birds", "skiriuk", "ben", "finkel"])
def test_words_of_64_bits_name_the_same_rows(name, instruction_set, monkeypatch):
    # moves with and without maps of columns, in a block that is said to need such words
    space = TileSpace(named_rules(name, 2))
    values, kernel = meaningless(space), RowKernel(space, instruction_set)
    blocks, block = ArrayBlocks(space, values), max(space.blocks, key=lambda each: each.size)
    own, found = values[ranks_of(block)].copy(), []
    for first_wide in (2**32, 0):
        monkeypatch.setattr(_row_layout, "FIRST_WIDE", first_wide)
        work, swept = kernel.lay_out(block, blocks, Workspace()), np.empty(block.size)
        work.load(own)
        residual = work.residual(1)
        work.sweep(1)
        work.store(swept)
        work.bracket(own, 0.1)
        work.narrow(1)
        found.append((work.word_bytes, residual, swept.tolist(), work.width(own)))
    narrow, wide = found
    assert wide == (2 * narrow[0], *narrow[1:])


@pytest.mark.memory
def test_an_instruction_set_that_there_is_not():
    space = space_of(named_rules("ben", 1))
    with pytest.raises(ValueError, match="no avx1024"):
        RowKernel(space, "avx1024").lay_out(
            space.blocks[0], ArrayBlocks(space, meaningless(space)), Workspace()
        )


@pytest.mark.memory
def test_the_residual_of_the_whole_is_the_largest_of_its_parts():
    space = space_of(named_rules("ben", 1))
    values, block = meaningless(space), space.blocks[0]
    parts = [
        residual_between(space, values, block, at, min(100, block.size - at))
        for at in range(0, block.size, 100)
    ]
    whole = kernel_of(space).block_residual(
        block, values[ranks_of(block)], ArrayBlocks(space, values), threads=2
    )
    assert whole == pytest.approx(max(parts), abs=1e-14)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("pieces", [1, 2, 3])
def test_lists_take_no_more_than_is_said(name, pieces):
    space = TileSpace(named_rules(name, pieces))
    kernel, blocks = RowKernel(space), ArrayBlocks(space, np.zeros(space.n_values))
    for block in sorted(space.blocks, key=lambda each: each.size)[-3:]:
        work = kernel.lay_out(block, blocks, Workspace())
        # F and G besides
        assert work.list_bytes + 16 * block.size <= kernel.workspace_bytes(block)


@pytest.mark.parametrize("name", ["birds", "birds-d4"])
def test_sweeps_settle_whether_or_not_they_keep_to_choices(name):
    """Sweeps of a block of birds 4 that keep to them go round in circles."""
    rules = named_rules(name, 2)
    space, values = space_of(rules), solution(rules)
    block = max(space.blocks, key=lambda block: block.size)
    work = kernel_of(space).lay_out(block, ArrayBlocks(space, values), Workspace())
    kept, found = np.empty((2, block.size))
    work.sweep(1)
    work.store(kept)
    assert work.refine()
    assert not work.refine()
    work.load(np.full(block.size, 0.5))
    work.sweep(1)
    work.store(found)
    assert np.abs(found - kept).max() > 1e-3
    for _ in range(200):
        if work.sweep(1) <= work.noise:
            break
    work.store(found)
    assert found == pytest.approx(values[ranks_of(block)], abs=1e-13)
    assert not work.refine()


def test_without_a_choice_before_the_throw_no_sweep_is_slower():
    space = space_of(named_rules("casual:2"))
    work = kernel_of(space).lay_out(
        space.blocks[-1], ArrayBlocks(space, meaningless(space)), Workspace()
    )
    assert work.sweep(1) > work.noise
    assert not work.refine()
