"""The graph kernel against the readable turns, and solved spaces against golden values."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from tests.golden import FOLDER
from tests.kernel.blocks import block_of, ranks_of
from tests.solving import solve
from ur_solver.kernel import ArrayBlocks, ContentKernel, Workspace, kernel_of
from ur_solver.rules import LIGHT, named_rules
from ur_solver.rules.turns import evaluate, opening_value
from ur_solver.space import ContentSpace, space_of

STARTS = json.loads((FOLDER / "own-rules-starts.json").read_text())
NAMES = [name for name in STARTS if name != "bell-stakes"]


@pytest.mark.parametrize("name", NAMES)
def test_golden_values_of_one_piece(name):
    rules = named_rules(name, 1)
    space, values = space_of(rules), solve(space_of(rules), tolerance=1e-12)
    for line in (FOLDER / f"{name}-1.tsv").read_text().splitlines():
        text, value = line.split("\t")
        rank = space.rank(rules.position(text))
        assert values[rank] == pytest.approx(float(value), abs=1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_golden_starts_of_two_pieces(name):
    rules = named_rules(name, 2)
    space, values = space_of(rules), solve(space_of(rules), tolerance=1e-12)
    expected = STARTS[name]["2"]
    assert values[space.rank(rules.start())] == pytest.approx(expected["start_value"], abs=1e-11)
    if rules.mechanics.opening_throw is not None:
        opening = opening_value(rules.start(), lambda p: values[space.rank(p)])
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
        expected = max(
            abs(evaluate(each, value) - value(each)) for each in (position, position.pass_turn())
        )
        found = residual_between(space, values, block_of(space, rank), rank, 1)
        assert found == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("name", ["birds", "skiriuk", "casual"])
def test_a_sweep_settles_in_the_same_values_however_it_is_run(name):
    # the fixed point is the same with stored lists or lists made anew, with one thread or two
    space = space_of(named_rules(name, 2))
    assert isinstance(space, ContentSpace)
    solved = solve(space, tolerance=1e-12)
    block = space.blocks[-1]
    expected, values = solved[ranks_of(block)], np.empty(block.size)
    for list_bytes, threads in ((0, 1), (1 << 30, 1), (1 << 17, 2)):
        work = ContentKernel(space, list_bytes).lay_out(
            block, ArrayBlocks(space, solved), Workspace(), threads
        )
        assert (work.list_bytes > 0) == (list_bytes > 0)
        while work.sweep(threads) > 1e-14:
            pass
        assert work.residual(threads) < 1e-13
        work.store(values)
        assert np.abs(values - expected).max() < 1e-12


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
    assert whole == max(parts)
