"""Squares on which a path both begins and ends: reserves, placements, side configs."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tests.ways import count_positions
from ur_solver.rules import UR, Board, Path, RuleSet, named_rules
from ur_solver.rules.squares import Stack
from ur_solver.space import TileSpace, space_of
from ur_solver.space.counting import NO_PART, Placements, Reserves, Stock

LANES = Board("lanes", (".......",) * 3, frozenset())
A, B = ([f"{row}{column}" for column in range(1, 8)] for row in "AB")


def path_of(board: Board, *squares: str) -> Path:
    return Path.of("closing", board, squares)


def race(path: Path, pieces: int = 2, **changes) -> RuleSet:
    return dataclasses.replace(named_rules("finkel"), path=path, pieces=pieces, **changes)


def frozen_of(rules: RuleSet) -> list[tuple[str, bool]]:
    space = TileSpace(rules)
    return [(space.squares[each.cells[0]], each.is_closing) for each in space.frozen]


def test_reserves_by_hand():
    reserves = Reserves.of(Stock(2, is_numbered=False), [4, 7])
    assert reserves.closed == (frozenset(), {4}, {7}, {4, 7})
    assert reserves.size == 4 * 3
    assert reserves.number([7], 2) == 8
    assert (reserves.closed_of(8), reserves.stock_of(8)) == ({7}, 2)
    # what is left is of the same closed squares
    assert reserves.take[8].tolist() == [8, 7, 6]
    assert reserves.take[6].tolist() == [6, -1, -1]


def test_reserves_of_numbered_pieces_by_hand():
    reserves = Reserves.of(Stock(2, is_numbered=True), [4])
    # of the second piece alone, the square closed, only it can be taken
    assert reserves.take[reserves.number([4], 2)].tolist() == [6, -1, 4, -1]


def test_placements_by_hand():
    # contents of both squares: nothing, one piece, and on the first one that is frozen
    reserves = Reserves.of(Stock(2, is_numbered=False), [3])
    parts = [np.array([0, 1, NO_PART]), np.array([0, 1])]
    placements = Placements.of(reserves, [3, 5], parts)
    assert placements.radix.tolist() == [2, 1]
    # none, one piece (the first square's first), both; on the second square alone once 3 is closed
    assert placements.n.tolist() == [1, 3, 4, 1, 2, 2]
    assert placements.code_of[2].tolist() == [0, 2, 1, 3]
    assert placements.code_of[4, :2].tolist() == [0, 1]
    assert placements.number_of[2].tolist() == [0, 2, 1, 3, -1, -1]
    assert placements.number_of[5].tolist() == [0, 1, -1, -1, -1, -1]


def test_what_is_frozen_where_paths_end():
    assert frozen_of(named_rules("finkel:3")) == [("A8", False), ("A7", False)]
    assert frozen_of(named_rules("masters:3")) == []
    closing = [(square, True) for square in ("A1", "A2", "A3", "A4")]
    assert frozen_of(named_rules("murray:3")) == closing
    mixed = path_of(UR, "A4", "A3", "B1", "B2", "B3", "B4", "A3", "A8")
    assert frozen_of(race(mixed)) == [("A3", True), ("A8", False)]


def test_what_its_part_of_the_stock_does_not_determine_is_not_frozen():
    # a stack on A3 may have pieces that set out on pieces that have come back
    path = path_of(UR, "A4", "A3", "B1", "B2", "B3", "B4", "A3", "A8")
    assert frozen_of(race(path, squares={"A3": Stack(2, False)})) == [("A8", False)]


def test_as_many_frozen_squares_as_tables_have_room_for():
    # five on which pieces also set out: the last four are frozen, the others count as private
    there_and_back = path_of(LANES, *A[:5], *B, *A[4::-1])
    rules = race(there_and_back)
    assert frozen_of(rules) == [(square, True) for square in ("A4", "A3", "A2", "A1")]
    # of others all seven; four, where each of them may hold any number of pieces
    tail = path_of(LANES, *B, *A)
    assert len(TileSpace(race(tail)).frozen) == 7
    stacks = dict.fromkeys(A, Stack(7, False))
    assert len(TileSpace(race(tail, 7, squares=stacks)).frozen) == 4
    for each in (rules, race(tail)):
        space = space_of(each)
        assert space.n_values == count_positions(each)
        assert_ranks_are_a_bijection(space)


def assert_ranks_are_a_bijection(space: TileSpace) -> None:
    ranks = np.arange(space.n_values)
    states = space.unrank_states(ranks)
    assert np.array_equal(space.rank_states(states), ranks)
    assert len(np.unique(states, axis=0)) == space.n_values


def test_closing_squares_are_private_however_many_others_are():
    # the stacks of A3 to A8 alone have more placements than codes
    board = Board("wide", ("........",) * 3, frozenset())
    there = [f"A{column}" for column in range(3, 9)]
    path = path_of(board, "A1", "A2", *(f"B{n}" for n in range(1, 9)), *there, *there, "A2", "A1")
    space = TileSpace(race(path, squares=dict.fromkeys(there, Stack(2, False))))
    closing = {each.cells[0] for each in space.frozen if each.is_closing}
    assert closing
    assert closing <= {*space.private}
    assert_ranks_are_a_bijection(space)


@pytest.mark.parametrize(
    ("text", "held", "free"),
    [
        # the third piece of light is off
        ("l...__../......../....__.. L 1 3", {"A1"}, 1),
        ("...l__../......../....__.. L 2 3", {"A4"}, 2),
        ("L..l__../......../....__.. L 1 3", {"A4"}, 2),
        ("....__../......../....__.. L 2 3", set(), 2),
    ],
)
def test_reserves_of_positions(text, held, free):
    rules = named_rules("murray:3")
    space = space_of(rules)
    rank = space.rank(rules.position(text))
    block = next(each for each in reversed(space.blocks) if each.offset <= rank)
    half = next(each for each in reversed(block.halves) if each.offset <= rank)
    reserve = space.config_reserves[half.mine]
    assert {space.squares[k] for k in space.reserves.closed_of(reserve)} == held
    assert space.reserves.stock_of(reserve) == free
    assert space.unrank(rank) == rules.position(text)
