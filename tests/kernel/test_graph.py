"""The graph kernel against the readable turns, and solved spaces against golden values."""

from __future__ import annotations

import bisect
import itertools
import json

import numpy as np
import pytest

from tests.golden import FOLDER
from ur_solver.kernel import graph_kernel_of, residual_between, residual_of
from ur_solver.kernel._graph import GraphBlock
from ur_solver.moves import pass_turn
from ur_solver.position import LIGHT, parse_position, start, winner
from ur_solver.rules import named_rules
from ur_solver.solve import solve
from ur_solver.space import ContentSpace, space_of
from ur_solver.turns import evaluate, opening_value

STARTS = json.loads((FOLDER / "own-rules-starts.json").read_text())
NAMES = [name for name in STARTS if name != "bell-stakes"]


@pytest.mark.parametrize("name", NAMES)
def test_golden_values_of_one_piece(name):
    rules = named_rules(name, 1)
    space, values = space_of(rules), solve(space_of(rules), tolerance=1e-12)
    for line in (FOLDER / f"{name}-1.tsv").read_text().splitlines():
        text, value = line.split("\t")
        rank = space.rank(parse_position(rules, text))
        assert values[rank] == pytest.approx(float(value), abs=1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_golden_starts_of_two_pieces(name):
    rules = named_rules(name, 2)
    space, values = space_of(rules), solve(space_of(rules), tolerance=1e-12)
    expected = STARTS[name]["2"]
    assert values[space.rank(start(rules))] == pytest.approx(expected["start_value"], abs=1e-11)
    if rules.play.opening_throw is not None:
        opening = opening_value(rules, start(rules), lambda p: values[space.rank(p)])
        assert opening == pytest.approx(expected["opening_value"], abs=1e-11)


def meaningless(space):
    """Values that no game would have: one-step errors cannot cancel in them."""
    return np.random.default_rng(7).random(space.n_positions)


def block_at(space, rank):
    firsts = [block.offset for block in space.blocks]
    return space.blocks[bisect.bisect_right(firsts, rank) - 1]


@pytest.mark.parametrize(
    ("name", "pieces"), [*itertools.product(NAMES, [1, 2]), ("birds", 3), ("bell", 3)]
)
def test_one_step_is_that_of_the_readable_turns(name, pieces):
    rules = named_rules(name, pieces)
    space = space_of(rules)
    values = meaningless(space)

    def value(position):
        side = winner(rules, position)
        return values[space.rank(position)] if side is None else float(side == position.side)

    ranks = np.random.default_rng(1).integers(0, space.n_positions, 60).tolist()
    for rank in ranks:
        position = space.unrank(rank, LIGHT)
        expected = max(
            abs(evaluate(rules, each, value) - value(each))
            for each in (position, pass_turn(position))
        )
        found = residual_between(space, values, block_at(space, rank), rank, 1)
        assert found == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("name", ["birds", "skiriuk", "casual"])
def test_a_sweep_settles_in_the_same_values_however_it_is_run(name):
    # lists kept or unfolded anew, one thread or two: the same fixed point
    space = space_of(named_rules(name, 2))
    assert isinstance(space, ContentSpace)
    solved = solve(space, tolerance=1e-12)
    block = space.blocks[-1]
    ranks = (block.offset, block.size)
    for list_bytes, threads in ((0, 1), (1 << 30, 1), (1 << 17, 2)):
        values = solved.copy()
        work = GraphBlock(graph_kernel_of(space), ranks, values, list_bytes, threads)
        assert (work.list_bytes > 0) == (list_bytes > 0)
        while work.sweep(threads) > 1e-14:
            pass
        assert work.residual(threads) < 1e-13
        assert np.abs(values - solved).max() < 1e-12


def test_the_residual_of_the_whole_is_the_largest_of_its_parts():
    space = space_of(named_rules("ben", 1))
    values, block = meaningless(space), space.blocks[0]
    parts = [
        residual_between(space, values, block, at, min(100, block.size - at))
        for at in range(0, block.size, 100)
    ]
    assert residual_of(space, block, values, threads=2) == max(parts)
