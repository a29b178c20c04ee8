"""The tiled kernel against the generic one, which shares nothing with it but the ranks."""

from __future__ import annotations

import dataclasses
import itertools
import pathlib
import re
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.golden import each_kind
from tests.kernel.blocks import (
    NO_ROOM,
    ROUNDING,
    SINGLE_ROUNDING,
    generic_fixed_point,
    generic_kernel,
    lay_out,
    loaded,
    probes,
    random_values,
    ranks_of,
    solution,
    tiled_fixed_point,
    tiled_kernel,
)
from tests.solving import solve
from ur_solver.engine.block import Lease, iterate
from ur_solver.kernel._layout_tables import LANES
from ur_solver.kernel._tiled import instruction_sets
from ur_solver.kernel._workspace import Workspace
from ur_solver.kernel.interface import ArrayBlocks
from ur_solver.kernel.kernels import RaceKernel, RowKernel
from ur_solver.kernel.tiling import Tiling
from ur_solver.rules import DICE, PATHS, RACES, RuleSet, named_rules
from ur_solver.rules.board import Dice
from ur_solver.space import is_race_of_tiles, space_of

pytestmark = pytest.mark.medium

ROOT = pathlib.Path(__file__).parents[2]
SETS = instruction_sets()
SERVED = [rules for rules in RACES.values() if is_race_of_tiles(rules)]
SMALL = [rules.with_pieces(pieces) for rules in SERVED for pieces in (1, 2)]
# rows are compiled for four throws
SMALL.append(
    dataclasses.replace(named_rules("finkel:2"), name="three-throws", dice=DICE["3-binary"])
)
SMALL.append(named_rules("finkel:3"))
# extra throws that may be declined: on rosettes, among them an entry square, and by captures
DECLINED = [named_rules(word).changed(extra_throw="may") for word in ("finkel:2", "blitz:2")]
SMALL += DECLINED

# those whose tiles differ in more than the numbers of their rows
KINDS = [
    named_rules(word) for word in ("finkel:1", "finkel:2", "conventional:1", "blitz:2", "aseb:2")
]
KINDS += [named_rules("four-again:2"), *SMALL[-4:]]


def by_name(rules: RuleSet) -> str:
    return f"{rules.path.name}-{rules.name}-{rules.pieces}"


every_small = pytest.mark.parametrize("rules", each_kind(SMALL), ids=by_name)
every_kind = pytest.mark.parametrize("rules", KINDS, ids=by_name)
every_set = pytest.mark.parametrize("instruction_set", SETS)


def assert_same_updates(rules: RuleSet, kernels: Sequence[RaceKernel | RowKernel]) -> None:
    """The same T: over all positions of random values, and position by position."""
    space = space_of(rules)
    n_probes = 30 if rules.pieces == 1 else 3
    generic = generic_kernel(space)
    values = random_values(space.n_values, 1)
    whole = ((block, values) for block in space.blocks)
    for block, tried in itertools.chain(whole, probes(space, n_probes, 2)):
        expected = generic.residual(tried, block.offset, block.size)
        for kernel in kernels:
            found = loaded(kernel, block, tried).residual(1)
            assert found == pytest.approx(expected, abs=ROUNDING)


def test_what_runs_everywhere_is_the_slowest():
    assert SETS[-1] in {"sse2", "neon", "plain"}
    assert len(set(SETS)) == len(SETS)


@pytest.mark.memory
def test_an_unknown_instruction_set_is_named():
    space = space_of(named_rules("finkel:1"))
    with pytest.raises(ValueError, match=rf"'mmx': this processor runs .*{SETS[-1]}"):
        tiled_kernel(space, "mmx")


@pytest.mark.memory
@every_small
def test_one_update_from_random_values(rules):
    kernels = [tiled_kernel(space_of(rules), each) for each in SETS]
    assert_same_updates(rules, kernels)


@every_small
def test_fixed_points_agree(rules):
    space = space_of(rules)
    generic = generic_kernel(space)
    # where the other kernel takes a second or more, its residual of the values has to do
    expected = generic_fixed_point(space) if space.n_values < 15_000 else None
    for instruction_set in SETS:
        values = tiled_fixed_point(space, tiled_kernel(space, instruction_set))
        if expected is not None:
            assert np.abs(values - expected).max() < 2e-13
        assert generic.residual(values, 0, space.n_values) < 1e-13
        assert values.min() >= 0.0
        assert values.max() <= 1.0


@every_set
@every_kind
@pytest.mark.parametrize("rounds", [1, 3])
def test_fixed_points_are_the_same_however_often_a_pair_is_updated(rules, instruction_set, rounds):
    space = space_of(rules)
    kernel = RaceKernel(space, instruction_set=instruction_set, rounds=rounds)
    values = tiled_fixed_point(space, kernel)
    assert generic_kernel(space).residual(values, 0, space.n_values) < 1e-13


@pytest.mark.memory
@every_set
@every_kind
def test_neither_prefetching_nor_leaving_moves_out_changes_a_value(rules, instruction_set):
    # in blocks as small as these there is neither unless they are said to be far
    space = space_of(rules)
    found = {}
    for near in (0, 2**40):
        kernel = RaceKernel(space, instruction_set=instruction_set, near=near)
        values = tiled_fixed_point(space, kernel)
        block = space.blocks[-1]
        work = lay_out(kernel, block, values)
        work.bracket(values[ranks_of(block)], 1e-6)
        for _ in range(5):
            work.narrow(1)
        found[near] = values, work.width(values[ranks_of(block)])
    assert np.array_equal(found[0][0], found[2**40][0])
    assert found[0][1] == found[2**40][1]
    assert 0.0 < found[0][1][0] < 1e-6


@every_set
@every_kind
@pytest.mark.parametrize(
    ("threads", "precision", "off"),
    [
        (1, "double", 1e-13),
        pytest.param(3, "double", 1e-13, marks=pytest.mark.memory),
        pytest.param(1, "single", 2e-6, marks=pytest.mark.memory),
    ],
)
def test_moves_that_cannot_be_the_best_are_left_out(
    rules, instruction_set, threads, precision, off
):
    space = space_of(rules)
    options = {"instruction_set": instruction_set, "near": 0}
    kernel = RaceKernel(space, precision=precision, **options)
    values = solution(rules)
    block = max(space.blocks, key=lambda block: block.size)
    work = lay_out(kernel, block, values, single=True)
    iterate(work, NO_ROOM, 1e-14, Lease(Workspace(), lambda: threads))
    # a third to two thirds of the matrices that tiles read are the best somewhere (docs)
    if rules.pieces > 1:
        for kept, all_moves in zip(
            work.n_looked_at, loaded(kernel, block, values).n_looked_at, strict=True
        ):
            assert 0.2 < kept / all_moves < 0.8
    after = values.copy()
    work.store(after[ranks_of(block)])
    assert np.abs(after - values).max() < off
    # residual and bounds are by all moves
    assert work.residual(threads) < off
    work.bracket(values[ranks_of(block)], 20 * off)
    for _ in range(60):
        work.narrow(threads)
    assert work.width(values[ranks_of(block)])[0] < 20 * off


@every_set
@every_kind
@pytest.mark.parametrize(("precision", "off"), [("double", 1e-12), ("single", 1e-5)])
def test_a_best_move_that_is_left_out_shows_in_residual_and_bounds(
    rules, instruction_set, precision, off
):
    # a margin so far below 0 leaves out what it should not
    space = space_of(rules)
    expected = solution(rules)
    options = {"instruction_set": instruction_set, "near": 0, "margin": -1e9}
    kernel = RaceKernel(space, precision=precision, **options)
    n_wrong = 0
    for block in space.blocks:
        work = lay_out(kernel, block, expected, single=True)
        values = expected.copy()
        iterate(work, NO_ROOM, 1e-14, Lease(Workspace()))
        wrong = work.residual(1) > off
        n_wrong += wrong
        work.store(values[ranks_of(block)])
        assert (np.abs(values - expected).max() > off) == wrong
        if block.index % 2:
            assert work.keep_all() or not wrong
        # bounds are by all moves too, and all are kept from then on
        widths = []
        for each in (work, loaded(kernel, block, expected)):
            each.bracket(expected[ranks_of(block)], 1e-6)
            for _ in range(5):
                each.narrow(1)
            widths.append(each.width(expected[ranks_of(block)]))
        assert widths[0] == widths[1]
        work.load(values[ranks_of(block)])
        assert not work.keep_all()
        iterate(work, NO_ROOM, 1e-14, Lease(Workspace()))
        work.store(values[ranks_of(block)])
        assert np.abs(values - expected).max() < off
        assert work.residual(1) < off
    assert n_wrong > 0


def test_rows_are_those_of_the_placements():
    # the constants of lane.h against the numbers of the space
    text = (ROOT / "ext" / "ur_solver" / "kernel" / "lane.h").read_text()
    constants = {
        name: [int(number) for number in numbers.split(",")]
        for name, numbers in re.findall(r"LANE_(\w+)\[LANE_ROWS\] = \{([^}]*)\};", text)
    }
    masks = Tiling(space_of(named_rules("finkel:4"))).entry_masks
    assert constants["MASK"] == list(masks)
    assert constants["ROW"] == [masks.index(mask) for mask in range(16)]
    assert constants["PIECES"] == [mask.bit_count() for mask in masks]
    advance = [sum(bit + 1 for bit in range(4) if mask >> bit & 1) for mask in masks]
    ahead = [advance[row] for row in constants["ORDER"]]
    assert ahead == sorted(advance, reverse=True)
    assert sorted(constants["ORDER"]) == list(range(16))


@pytest.mark.memory
@every_small
def test_store_gives_back_what_was_loaded(rules):
    space = space_of(rules)
    values = random_values(space.n_values, 4)
    kernel = tiled_kernel(space)
    workspace = Workspace()
    stored = np.full_like(values, np.nan)
    for block in space.blocks:
        work = lay_out(kernel, block, values, workspace)
        work.load(values[ranks_of(block)])
        before = stored.copy()
        work.store(stored[ranks_of(block)])
        assert np.array_equal(stored[ranks_of(block)], values[ranks_of(block)])
        outside = np.ones(len(values), dtype=bool)
        outside[ranks_of(block)] = False
        assert np.array_equal(stored[outside], before[outside], equal_nan=True)
    assert np.array_equal(stored, values)


@every_small
def test_a_new_block_holds_halves(rules):
    space = space_of(rules)
    values = random_values(space.n_values, 5)
    for block in space.blocks[-3:]:
        after = values.copy()
        lay_out(tiled_kernel(space), block, values).store(after[ranks_of(block)])
        assert (after[ranks_of(block)] == 0.5).all()


@every_set
def test_residual_changes_nothing_and_sweep_returns_the_largest_change(instruction_set):
    space = space_of(named_rules("finkel:2"))
    kernel = RaceKernel(space, instruction_set=instruction_set, rounds=1)
    values = random_values(space.n_values, 6)
    for block in space.blocks:
        work = loaded(kernel, block, values)
        work.residual(1)
        after = values.copy()
        work.store(after[ranks_of(block)])
        assert np.array_equal(after, values)
        delta = work.sweep(1)
        work.store(after[ranks_of(block)])
        # one round: every value is updated once, so that the first change is the change
        assert delta == pytest.approx(np.abs(after - values).max(), abs=ROUNDING)


@pytest.mark.memory
@every_set
@pytest.mark.parametrize("word", ["finkel:2", "blitz:2", "masters:1"])
@pytest.mark.parametrize("factor", [0.0, 0.25, -1.0, 40.0])
def test_extrapolation_adds_a_multiple_of_the_change(word, factor, instruction_set):
    space = space_of(named_rules(word))
    kernel = tiled_kernel(space, instruction_set)
    values = 0.3 + 0.4 * random_values(space.n_values, 7)
    for block in (space.blocks[0], space.blocks[len(space.blocks) // 2], space.blocks[-1]):
        work = loaded(kernel, block, values)
        work.remember()
        work.sweep(1)
        swept, beyond = values.copy(), values.copy()
        work.store(swept[ranks_of(block)])
        work.extrapolate(factor)
        work.store(beyond[ranks_of(block)])
        expected = swept + factor * (swept - values)
        assert np.abs(beyond - expected).max() < (1 + abs(factor)) * ROUNDING
        if factor > 1:
            continue  # no probabilities any more, which is what updates are defined on
        # the opponents' view must have moved along: it is what the residual reads
        residual = generic_kernel(space).residual(beyond, block.offset, block.size)
        assert work.residual(1) == pytest.approx(residual, abs=ROUNDING)


@pytest.mark.memory
@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("word", ["finkel:3", "masters:3"])
def test_a_sample_is_of_the_same_positions_each_time(word, single):
    space = space_of(named_rules(word))
    block = max(space.blocks, key=lambda block: block.size)
    work = lay_out(tiled_kernel(space), block, random_values(space.n_values, 14), single=single)
    work.sweep(1)
    first = work.sample()
    assert block.size / 40 < len(first) < block.size / 7
    assert np.array_equal(work.sample(), first)
    work.sweep(1)
    second = work.sample()
    assert (second != first).mean() > 0.5
    after = np.zeros(space.n_values)
    work.store(after[ranks_of(block)])
    assert np.isin(second, after[ranks_of(block)]).all()


@pytest.mark.memory
@every_set
@every_kind
def test_single_precision_does_what_double_precision_does(rules, instruction_set):
    # were it to do something else, only the sweeps that follow would show it
    space = space_of(rules)
    values = random_values(space.n_values, 11)
    kernel = RaceKernel(space, instruction_set=instruction_set)
    for block in space.blocks:
        single, double = (lay_out(kernel, block, values, single=s) for s in (True, False))
        for factor in (0.3, None):
            found = []
            for work in (single, double):
                work.remember()
                found.append(work.sweep(1))
                if factor is not None:
                    work.extrapolate(factor)
            assert found[0] == pytest.approx(found[1], abs=SINGLE_ROUNDING)
        assert not double.refine()
        assert single.noise > double.noise
        assert single.refine()
        stored = []
        for work in (single, double):
            after = np.zeros_like(values)
            work.store(after[ranks_of(block)])
            stored.append(after[ranks_of(block)])
        assert np.abs(stored[0] - stored[1]).max() < SINGLE_ROUNDING


@pytest.mark.memory
def test_memory_is_lost_with_single_precision():
    space = space_of(named_rules("finkel:2"))
    work = lay_out(
        tiled_kernel(space), space.blocks[-1], random_values(space.n_values, 12), single=True
    )
    work.remember()
    assert work.refine()
    with pytest.raises(ValueError, match="extrapolate before remember"):
        work.extrapolate(1.0)
    assert not work.refine()


@pytest.mark.memory
def test_extrapolation_needs_a_memory():
    space = space_of(named_rules("finkel:1"))
    values = np.full(space.n_values, 0.5)
    work = lay_out(tiled_kernel(space), space.blocks[-1], values)
    with pytest.raises(ValueError, match="extrapolate before remember"):
        work.extrapolate(1.0)


@every_set
@pytest.mark.parametrize("word", ["finkel:3", "masters:2"])
def test_many_threads_reach_the_values_of_one(word, instruction_set):
    space = space_of(named_rules(word))
    kernel = tiled_kernel(space, instruction_set)
    one = tiled_fixed_point(space, kernel)
    for threads in (2, 5):
        assert np.abs(tiled_fixed_point(space, kernel, threads) - one).max() < 2e-13
    block = space.blocks[-1]
    work = loaded(kernel, block, random_values(space.n_values, 8))
    assert work.residual(5) == work.residual(1)


@pytest.mark.memory
def test_a_workspace_is_as_good_as_new_after_another_block():
    space = space_of(named_rules("finkel:3"))
    kernel, workspace = tiled_kernel(space), Workspace()
    values = random_values(space.n_values, 9)
    for block in (space.blocks[-1], space.blocks[0], space.blocks[len(space.blocks) // 2]):
        results = []
        for room in (workspace, Workspace()):
            work = lay_out(kernel, block, values, room)
            work.remember()
            delta = work.sweep(1)
            work.extrapolate(2.0)
            after = values.copy()
            work.store(after[ranks_of(block)])
            results.append((delta, work.residual(1), after.tobytes()))
        assert results[0] == results[1]


@pytest.mark.memory
def test_memory_that_grew_is_as_good_as_fresh():
    # large enough to be in pages of its own, which are moved when it grows
    space = space_of(named_rules("masters:4"))
    kernel, workspace = tiled_kernel(space), Workspace()
    values = random_values(space.n_values, 13)
    for block in sorted(space.blocks, key=lambda block: block.size)[-4:-2]:
        assert block.size * 16 > 4 << 20
        results = []
        for room in (workspace, Workspace()):
            work = lay_out(kernel, block, values, room, single=True)
            deltas = [work.sweep(1)]
            work.refine()
            work.remember()
            deltas.append(work.sweep(1))
            after = np.zeros_like(values)
            work.store(after[ranks_of(block)])
            results.append((deltas, after.tobytes()))
        assert results[0] == results[1]


@every_small
def test_a_workspace_takes_no_more_than_is_said(rules):
    space = space_of(rules)
    kernel, single = tiled_kernel(space), RaceKernel(space, precision="single")
    values = random_values(space.n_values, 10)
    for block in space.blocks:
        work = lay_out(kernel, block, values)
        # F, G and the moves that leave in both precisions
        assert LANES * (8 + 4) * work.n_vectors <= kernel.workspace_bytes(block)
        floats = LANES * 4 * lay_out(single, block, values).n_vectors
        assert floats + 4 * block.size <= single.workspace_bytes(block)
        assert floats + 8 * block.size <= single.workspace_bytes(block, certify=True)
        assert single.workspace_bytes(block) < kernel.workspace_bytes(block)


def throws_of(weights: dict[int, int]) -> Dice:
    total = sum(weights.values())
    return Dice.of("some dice", {throw: Fraction(w, total) for throw, w in weights.items()})


some_dice = st.one_of(
    st.sampled_from(
        [
            *(each for each in DICE.values() if each.name != "bell"),
            throws_of({1: 1, 2: 1, 3: 1}),
            throws_of({1: 1, 2: 1, 4: 1, 8: 3}),
            throws_of({0: 4, 1: 1, 3: 1, 4: 1, 5: 1}),
        ]
    ),
    st.dictionaries(st.integers(0, 8), st.integers(1, 9), min_size=3, max_size=9)
    .filter(any)
    .map(throws_of)
    .filter(lambda dice: dice.is_ordinary),
)


@st.composite
def custom_rules(draw) -> RuleSet:
    path = draw(st.sampled_from([path for path in PATHS.values() if path.name != "skiriuk"]))
    chosen = draw(some_dice)
    steps = [throw for throw in chosen.throws if throw]
    return RuleSet(
        "custom",
        path,
        chosen,
        draw(st.integers(1, 2)),
        switches={
            "safe_rosettes": draw(st.booleans()),
            "extra_on_rosette": draw(st.booleans()),
            "extra_on_capture": draw(st.booleans()),
            "extra_on_throw": draw(st.sampled_from([None, *steps])),
            "extra_throw": draw(st.sampled_from(["must", "may"])),
        },
    )


@pytest.mark.slow
@given(custom_rules(), st.sampled_from(SETS))
@settings(max_examples=25, deadline=None)
def test_custom_rules_have_the_same_updates(rules, instruction_set):
    kind = RaceKernel if is_race_of_tiles(rules) else RowKernel
    assert_same_updates(rules, [kind(space_of(rules), instruction_set=instruction_set)])


@given(custom_rules())
@settings(max_examples=15, deadline=None)
def test_custom_rules_are_solved(rules):
    # by the residual of the other kernel, as a game without an end has many fixed points
    space = space_of(rules)
    values = solve(space, tolerance=1e-12, threads=2)
    assert 0.0 <= values.min() <= values.max() <= 1.0
    assert generic_kernel(space).residual(values, 0, space.n_values) < 1e-12


def test_the_residual_of_a_block_is_that_of_the_generic_kernel():
    space = space_of(named_rules("aseb:2"))
    kernel, values = tiled_kernel(space), random_values(space.n_values, 11)
    for block in space.blocks:
        expected = generic_kernel(space).residual(values, block.offset, block.size)
        assert kernel.block_residual(
            block, values[ranks_of(block)], ArrayBlocks(space, values)
        ) == pytest.approx(expected, abs=ROUNDING)
