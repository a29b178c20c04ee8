"""The ranking of the rule sets with rules of their own."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.solving import block_of
from tests.value_iteration import reachable
from ur_solver.errors import IllegalPositionError, RuleSetError
from ur_solver.rules import DARK, LIGHT, named_rules
from ur_solver.rules.contents import side_of, split
from ur_solver.rules.families import Birds
from ur_solver.rules.turns import turn
from ur_solver.space import TileSpace, space_of

pytestmark = pytest.mark.medium

OWN = ("bell", "casual", "casual-roll-again", "birds", "skiriuk", "skiriuk-d4", "ben")
SIZES = {
    "bell": (217, 12869, 263121, 2602822, 14669769, 53188365, 137870097),
    "casual": (218, 13822, 327702, 4145712, 33179854, 188120828, 819860524),
    "birds": (218, 53320, 10115662, 1665498912, 241170425346),
    "skiriuk": (559, 86970, 5610131, 209167162, 5119775497, 87313700050, 1072022880769),
    "ben": (601, 92965, 5322304, 153953738, 2602981893, 28247329781, 210454828002),
}


@pytest.mark.parametrize(
    ("name", "pieces", "size"),
    [(name, n, size) for name, sizes in SIZES.items() for n, size in enumerate(sizes, start=1)],
)
def test_sizes(name, pieces, size):
    assert space_of(named_rules(name, pieces)).n_values == size


@pytest.mark.parametrize("name", OWN)
def test_sizes_by_listing_every_filling(name):
    rules = named_rules(name, 1)
    found = 0
    for filling in _few(rules):
        pieces = split("".join(filling))
        sides = [side_of(piece) for piece in pieces]
        if max(sides.count("L"), sides.count("D")) <= 1:
            # a piece that is not on the board is at home; if it were off, its side would have won
            found += 1
    assert space_of(rules).n_values == found


def _few(rules):
    """The fillings with at most one piece of each side."""
    options = [rules.mechanics.contents_on(square) for square in rules.board.squares]
    empty = ("",) * len(options)
    yield empty
    for k, contents in enumerate(options):
        for content in contents[1:]:
            yield (*empty[:k], content, *empty[k + 1 :])
    for k, m in itertools.combinations(range(len(options)), 2):
        for first, second in itertools.product(options[k][1:], options[m][1:]):
            filling = list(empty)
            filling[k], filling[m] = first, second
            yield tuple(filling)


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("pieces", [pytest.param(1, marks=pytest.mark.memory), 2])
def test_ranks_are_a_bijection(name, pieces):
    space = space_of(named_rules(name, pieces))
    ranks = np.arange(space.n_values)
    states = space.unrank_states(ranks)
    assert np.array_equal(space.rank_states(states), ranks)
    assert len(np.unique(states, axis=0)) == space.n_values


@pytest.mark.parametrize("name", OWN)
def test_reachable_positions_have_ranks(name):
    rules = named_rules(name, 1)
    space = space_of(rules)
    for position in reachable(rules):
        rank = space.rank(position)
        assert space.unrank(rank, position.side) == position
        assert space.rank(position.mirror()) == rank


LARGE = [("bell", 7), ("casual", 6), ("birds", 3), ("skiriuk", 4), ("ben", 4)]


@pytest.mark.memory
@settings(max_examples=60, deadline=None)
@given(st.sampled_from(LARGE), st.floats(0, 1, exclude_max=True), st.sampled_from("LD"))
def test_positions_of_any_rank(which, fraction, side):
    rules = named_rules(*which)
    space = space_of(rules)
    rank = int(fraction * space.n_values)
    position = space.unrank(rank, side)
    assert position.faults() == []
    assert position.winner is None
    assert space.rank(position) == rank
    assert space.decode(space.encode(position), side) == position
    assert rules.position(position.notation) == position


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(LARGE), st.floats(0, 1, exclude_max=True))
def test_moves_lead_to_blocks_that_are_solved_before(which, fraction):
    rules = named_rules(*which)
    space = space_of(rules)
    position = space.unrank(int(fraction * space.n_values))
    own = block_of(space, space.rank(position)).index
    reached = [
        move.position
        for choice in turn(position)
        for outcome in choice.outcomes
        for move in outcome.moves
    ]
    for after in [*reached, position.pass_turn()]:
        if after.winner is None:
            assert block_of(space, space.rank(after)).index in {own, *space.reads(own)}


@pytest.mark.parametrize(("name", "pieces"), [("birds", 2), ("casual", 3), ("skiriuk", 2)])
def test_a_tile_says_who_stands_where_and_no_more(name, pieces):
    """Positions of a half that differ in private squares, marks and numbers follow each other."""
    space = space_of(named_rules(name, pieces))
    half = max(
        (half for block in space.blocks for half in block.halves),
        key=lambda half: space.count[
            tuple(space.config_reserves[k] for k in (half.mine, half.theirs))
        ],
    )
    mine, theirs = (space.config_reserves[k] for k in (half.mine, half.theirs))
    ranks = half.offset + np.arange(space.count[mine, theirs])
    states = space.unrank_states(ranks)
    owners = [
        [_owners(space.contents[cell][number], space, cell) for number in states[:, cell].tolist()]
        for cell in space.shared
    ]
    tiles = list(zip(*owners, strict=True))
    runs = [tile for tile, _ in itertools.groupby(tiles)]
    assert len(runs) == len(set(runs)) > 1


def _owners(content, space, cell):
    sides = [side_of(piece) for piece in split(content)]
    is_stack = space.rules.mechanics.squares[space.squares[cell]].is_stack
    return tuple(sides if is_stack else sorted(sides))


def test_rules_by_which_numbers_say_where_pieces_stand_are_refused(monkeypatch):
    every = Birds.contents_on

    def without_two(self, square):
        return tuple(c for c in every(self, square) if square != "B1" or "2" not in c)

    monkeypatch.setattr(Birds, "contents_on", without_two)
    with pytest.raises(RuleSetError, match=r"birds:2: the contents of a square depend on the"):
        TileSpace(named_rules("birds:2"))


def test_a_position_that_is_over_has_no_rank():
    rules = named_rules("skiriuk", 1)
    over = rules.position("....__../......../....__.. D 0 1")
    with pytest.raises(IllegalPositionError, match="the game is over"):
        space_of(rules).rank(over)


@pytest.mark.memory
def test_rows_that_are_no_states():
    space = space_of(named_rules("birds", 2))
    row = space.unrank_states([0])
    for column, number in ((0, 9), (0, 65535), (20, 4), (21, 65535)):
        wrong = row.copy()
        wrong[0, column] = number
        assert space.rank_states(wrong).tolist() == [-1]
    twice = space.unrank_states([space.rank(space.rules.start())])
    twice[0, 0] = 1  # a piece that is on A1 and at home
    assert space.rank_states(twice).tolist() == [-1]


def test_both_sides_have_the_same_ranks():
    rules = named_rules("casual", 2)
    space = space_of(rules)
    assert isinstance(space, TileSpace)
    for rank in range(0, space.n_values, 97):
        assert space.unrank(rank, DARK) == space.unrank(rank, LIGHT).mirror()
