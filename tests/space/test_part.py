"""Parts of spaces: which positions they have, and that no move leads out of them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.solving import block_of
from ur_solver.errors import InputError
from ur_solver.rules import DARK, LIGHT, named_rules
from ur_solver.space import PartBlocks, part_from, part_of, space_of

WORDS = ["finkel:3", "murray:2", "masters:3", "skiriuk:3", "birds:2", "ben:2", "bell-stakes:2"]


def some_ranks(space, count=300):
    return np.random.default_rng(3).integers(space.n_values, size=count).tolist()


@pytest.mark.parametrize("word", WORDS)
def test_a_part_has_the_positions_with_that_number_of_pieces_left(word):
    rules = named_rules(word).settled()
    space = space_of(rules)
    for left in range(1, rules.pieces):
        part = part_of(rules, left)
        for rank in some_ranks(space):
            position = space.unrank(rank)
            most = max(rules.pieces - position.n_off(side) for side in (LIGHT, DARK))
            assert (block_of(space, rank).index in part) == (most <= left)
        assert part.left == left
        assert part.name == f"left-{left}"


@pytest.mark.parametrize("word", WORDS)
def test_no_move_leads_out_of_a_part(word):
    rules = named_rules(word).settled()
    space = space_of(rules)
    parts = [part_of(rules, 1), part_from(space, [len(space.blocks) // 2])]
    for part in parts:
        for index in part.indices:
            assert all(each in part for each in space.reads(index))
        for block in part.blocks[:: max(1, len(part.blocks) // 20)]:
            position = space.unrank(block.offset + block.size // 2)
            for throw in rules.dice.throws:
                for move in rules.legal_moves(position, throw):
                    if move.position.winner is None:
                        assert block_of(space, space.rank(move.position)).index in part


def test_endings_are_as_many_as_the_positions_of_the_smaller_game():
    assert part_of(named_rules("finkel:5"), 3).n_positions == 263_121
    assert part_of(named_rules("finkel:7"), 6).n_positions == 53_188_365
    fewer = space_of(named_rules("skiriuk:4")).n_positions
    assert part_of(named_rules("skiriuk:7"), 4).n_positions == fewer


def test_the_whole_is_a_part():
    space = space_of(named_rules("finkel:2"))
    whole = part_of(space.rules)
    assert whole.is_whole
    assert whole.name is None
    assert whole.left == 2
    assert whole.n_values == space.n_values
    assert part_from(space, [len(space.blocks) - 1]).is_whole
    assert whole.outside == []


def test_what_a_position_leads_to_is_no_more_than_it_has_to_be():
    """Against all positions that readable moves reach, blocks of which no dice lead to aside."""
    rules = named_rules("finkel:3")
    space = space_of(rules)
    start = rules.position("....__../.......L/....__DD L 1 0")
    seen, waiting = {start.notation}, [start]
    while waiting:
        position = waiting.pop()
        after = [position.pass_turn()]
        for throw in rules.dice.throws:
            after += [move.position for move in rules.legal_moves(position, throw)]
        for each in after:
            if each.winner is None and each.notation not in seen:
                seen.add(each.notation)
                waiting.append(each)
    reached = {block_of(space, space.rank(rules.position(text))).index for text in seen}
    part = part_from(space, [block_of(space, space.rank(start)).index])
    assert reached == set(part.indices)
    assert part.name == "part"
    assert part.left is None
    assert set(part.outside) == set(range(len(space.blocks))) - reached


def test_the_values_of_a_part_are_found_by_block():
    part = part_from(space_of(named_rules("finkel:2")), [9, 14])
    values = np.arange(part.n_values, dtype=float)
    blocks = PartBlocks(part, values)
    found = [blocks.values_of(index) for index in part.indices]
    assert np.array_equal(np.concatenate(found), values)
    assert [len(each) for each in found] == [block.size for block in part.blocks]
    with pytest.raises(KeyError):
        blocks.values_of(part.outside[0])


@pytest.mark.parametrize("left", [0, 3, 4, -1])
def test_more_pieces_than_there_are_cannot_be_left(left):
    with pytest.raises(
        InputError, match=f"at most {left} .* no part of .* 3 pieces: expected 1 to 2"
    ):
        part_of(named_rules("finkel:3"), left)


def test_parts_have_titles():
    whole = part_of(named_rules("finkel:3"))
    assert whole.title == "finkel with 3 pieces"
    assert part_of(named_rules("finkel:3"), 2).title == f"{whole.title} and at most 2 left a side"
    assert part_from(whole.space, [9]).title == f"a part of {whole.title}"
