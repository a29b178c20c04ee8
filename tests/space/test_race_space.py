from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.golden import NAMES, each_kind, golden_rules
from tests.solving import block_of
from tests.value_iteration import reachable
from tests.ways import count_positions
from ur_solver.errors import IllegalPositionError
from ur_solver.rules import DARK, LIGHT, Board, Path, named_rules
from ur_solver.space import space_of
from ur_solver.space._tile_ranking import rank_one

pytestmark = pytest.mark.medium

BELL = (217, 12869, 263121, 2602822, 14669769, 53188365, 137870097)
MASTERS = {1: 277, 5: 41243781, 7: 500929993}
every_small = pytest.mark.parametrize(
    "rules",
    each_kind(golden_rules(name, pieces) for name in NAMES for pieces in (1, 2)),
    ids=lambda rules: f"{rules.name}-{rules.pieces}",
)


@pytest.mark.parametrize(("pieces", "expected"), list(enumerate(BELL, start=1)))
def test_counts_of_path_bell(pieces, expected):
    for name in ("finkel", "british-museum", "finkel-3dice"):
        assert space_of(named_rules(name, pieces)).n_values == expected


def test_counts_of_path_masters_and_aseb():
    for name in ("masters", "conventional", "four-again", "blitz", "aseb"):
        for pieces, expected in MASTERS.items():
            assert space_of(named_rules(name, pieces)).n_values == expected


@pytest.mark.parametrize("pieces", range(1, 8))
@pytest.mark.parametrize("name", each_kind(NAMES))
def test_counts_of_every_rule_set_by_a_polynomial(name, pieces):
    rules = golden_rules(name, pieces)
    assert space_of(rules).n_values == count_positions(rules)


def test_layers_of_finkel_2():
    # a layer: the positions with the same unordered pair of scores
    space = space_of(named_rules("finkel:2"))
    layers: dict[tuple[int, int], int] = {}
    for rank in range(space.n_values):
        position = space.unrank(rank)
        scores = sorted(position.n_off(side) for side in (LIGHT, DARK))
        layers[tuple(scores)] = layers.get(tuple(scores), 0) + 1
    assert layers == {(1, 1): 217, (0, 1): 2956, (0, 0): 9696}


@every_small
def test_unrank_then_rank_of_all_ranks(rules):
    space = space_of(rules)
    ranks = np.arange(space.n_values)
    states = space.unrank_states(ranks)
    assert np.array_equal(space.rank_states(states), ranks)
    assert len(np.unique(states, axis=0)) == len(states)


@pytest.mark.parametrize("name", each_kind(NAMES))
def test_every_rank_is_a_sound_position_and_every_reachable_one_has_a_rank(name):
    rules = golden_rules(name, 1)
    space = space_of(rules)
    for rank in range(space.n_values):
        position = space.unrank(rank)
        assert position.faults() == []
        assert position.winner is None
        assert space.rank(position) == space.rank(position.mirror()) == rank
        assert space.unrank(rank, DARK) == position.mirror()
    ranks = {space.rank(position) for position in reachable(rules)}
    assert len(ranks) <= space.n_values


LARGE = ["finkel", "masters", "blitz", "aseb", "murray", "murray-0-to-3"]


@pytest.mark.memory
@settings(max_examples=200, deadline=None)
@given(st.sampled_from(LARGE), st.floats(0, 1, exclude_max=True), st.sampled_from("LD"))
def test_rank_and_unrank_of_large_spaces(name, share, side):
    space = space_of(named_rules(name))
    rank = int(share * space.n_values)
    position = space.unrank(rank, side)
    assert position.side == side
    assert position.faults() == []
    assert space.rank(position) == rank
    assert space.decode(space.encode(position), side) == position


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(LARGE), st.floats(0, 1, exclude_max=True))
def test_moves_lead_to_the_same_block_or_an_earlier_one(name, share):
    space = space_of(named_rules(name))
    position = space.unrank(int(share * space.n_values))
    block = block_of(space, space.rank(position)).index
    after = [position.pass_turn()]
    for throw in space.rules.dice.throws:
        after += [move.position for move in space.rules.legal_moves(position, throw)]
    for each in after:
        assert each.winner is not None or block_of(space, space.rank(each)).index <= block


@every_small
def test_blocks_follow_each_other_without_holes(rules):
    space = space_of(rules)
    halves = [half for block in space.blocks for half in block.halves]
    assert halves[0].offset == 0
    for first, second in itertools.pairwise(halves):
        assert second.offset == first.offset + first.size
    assert halves[-1].offset + halves[-1].size == space.n_values
    for block in space.blocks:
        sides = {(half.mine, half.theirs) for half in block.halves}
        assert sides == {(theirs, mine) for mine, theirs in sides}


def test_finkel_7_has_378_blocks_that_fit_in_a_cache():
    blocks = space_of(named_rules("finkel")).blocks
    assert len(blocks) == 378  # pairs of 27 configs: 0 to 6 off, A8 and A7 held or not
    assert max(block.size for block in blocks) == 2_749_212


@pytest.mark.memory
@pytest.mark.parametrize("wrong", [[0] * 7, [0] * 23, [-1] + [0] * 21, [0] * 21 + [1 << 40]])
def test_rows_that_are_none_have_no_rank(wrong):
    assert rank_one(space_of(named_rules("finkel:2")).ranking, wrong) == -1


@pytest.mark.memory
def test_what_is_not_of_the_space_has_no_rank():
    space = space_of(named_rules("finkel:2"))
    other = Path.of("other", Board("other", ("......",) * 3, frozenset()), ["A1", "B1", "B2", "B3"])
    with pytest.raises(IllegalPositionError, match="not of finkel's board"):
        space.rank(dataclasses.replace(space.rules, path=other).start())
    with pytest.raises(IllegalPositionError, match="A1 has contents 0 to 1, not -1"):
        space.decode([-1] * 20 + [1, 1])
    with pytest.raises(IllegalPositionError, match="not a position of finkel"):
        space.rank(named_rules("finkel:3").start())
    over = space.decode([0] * 20 + [0, 1])
    with pytest.raises(IllegalPositionError, match="the game is over"):
        space.rank(over)
    assert space.rank_states(np.full((1, 22), 9)).tolist() == [-1]
    with pytest.raises(ValueError, match="expected"):
        space.rank_states(np.zeros((1, 21)))
    for rank in (-1, space.n_values):
        with pytest.raises(IndexError, match="0 to 12868"):
            space.unrank(rank)
