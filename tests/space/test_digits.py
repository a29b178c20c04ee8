"""How rows number what stands on shared squares."""

from __future__ import annotations

import numpy as np
import pytest

from ur_solver.rules import named_rules
from ur_solver.space import TileSpace

pytestmark = pytest.mark.memory


def test_a_stock_numbers_the_pieces_that_it_has():
    space = TileSpace(named_rules("birds:3"))
    cell = space.squares.index("B1")
    first_content = sum(map(len, space.contents[:cell]))
    of = {c: first_content + k for k, c in enumerate(space.contents[cell])}
    first_shape = sum(square.n_shapes for square in space.shaped[:cell])
    mine, theirs = (
        first_shape + space.shaped[cell].shape[space.contents[cell].index(c)] for c in ("L1", "D1")
    )
    without_two = 0b101
    digits = space.digits
    assert digits.n_digits[without_two, [mine, theirs]].tolist() == [[2, 1], [1, 2]]
    assert [int(digits.digit_of[without_two, of[c], 0]) for c in ("L1", "L3")] == [0, 1]
    assert [int(digits.digit_of[without_two, of[c], 1]) for c in ("D1", "D3")] == [0, 1]
    entry = digits.first_entry[mine, 0]
    assert digits.detail_at[without_two, entry : entry + 2].tolist() == [0, 2]
    assert digits.rest[without_two, mine].tolist() == [0b100, without_two]
    assert digits.rest[0, mine, 0] == -1
    assert digits.n_digits[0, mine, 0] == 0


@pytest.mark.parametrize("name", ["birds:4", "casual:4", "skiriuk:3", "ben:2"])
def test_digits_go_there_and_back(name):
    space = TileSpace(named_rules(name))
    digits, parts = space.digits, np.concatenate(space.parts)
    first_shape = np.cumsum([0, *(square.n_shapes for square in space.shaped)])
    shapes = np.concatenate(
        [
            first + np.array(each.shape)
            for first, each in zip(first_shape, space.shaped, strict=False)
        ]
    )
    details = np.concatenate([each.details for each in space.shaped])
    for side in range(2):
        for stock in range(space.stock.size):
            has = space.stock.take[stock, parts[:, side]] >= 0
            digit = digits.digit_of[stock, has, side]
            assert (digit < digits.n_digits[stock, shapes[has], side]).all()
            entries = digits.first_entry[shapes[has], side] + digit
            assert np.array_equal(digits.detail_at[stock, entries], details[has, side])
            left = digits.rest[stock, shapes[has], side]
            counts = [space.stock.count(stock - part) for part in parts[has, side].tolist()]
            assert [space.stock.count(each) for each in left.tolist()] == counts
