"""All positions of a table in chunks, and ranks and states of many positions."""

from __future__ import annotations

import numpy as np
import pytest

import ur_solver as ur
from ur_solver.errors import BeyondTableError, InputError


def joined(chunks):
    states, values = zip(*chunks, strict=True)
    return np.concatenate(states), np.concatenate(values)


@pytest.mark.parametrize("size", [1, 7, 1000, 1 << 16])
def test_chunks_are_all_positions_in_order(solved, size):
    with ur.Table(solved(ur.rule_set("finkel:1"))) as table:
        chunks = list(table.chunks(size))
        assert {len(values) for _, values in chunks[:-1]} <= {size}
        states, values = joined(chunks)
        positions = [table.space.unrank(rank) for rank in range(table.space.n_values)]
        assert [table.space.decode(row) for row in states.tolist()] == positions
        assert values.tolist() == [table.value(position) for position in positions]
        assert table.ranks(states).tolist() == list(range(table.space.n_values))
        assert np.array_equal(table.states(table.ranks(states)), states)


def test_chunks_by_rank_and_by_block(query2):
    states, values = joined(query2.chunks(100, ranks=range(500, 750)))
    assert query2.ranks(states).tolist() == list(range(500, 750))
    assert np.array_equal(query2.values(states), values)
    for block in query2.space.blocks:
        states, values = joined(query2.chunks(999, block=block.index))
        assert query2.ranks(states).tolist() == list(range(block.offset, block.offset + block.size))
        assert np.array_equal(values, query2.file.read_block(block.index))
    assert list(query2.chunks(ranks=range(0))) == []


def test_chunks_are_the_same_from_file_and_from_memory(query2):
    query2.limit_memory(1 << 18)
    before = joined(query2.chunks(1000))
    query2.load()
    for one, other in zip(before, joined(query2.chunks(1000)), strict=True):
        assert np.array_equal(one, other)


def test_chunks_of_a_part_are_what_it_holds(endings):
    with ur.Table(endings) as table:
        states, values = joined(table.chunks(5000))
        assert len(values) == table.header.positions
        assert table.holds_states(states).all()
        assert np.array_equal(table.values(states), values)
        with pytest.raises(InputError, match="has no such block"):
            table.chunks(block=len(table.space.blocks) - 1)
        start = table.rules.start().notation
        with pytest.raises(BeyondTableError, match="is beyond table"):
            table.values([start])
        with pytest.raises(BeyondTableError):
            table.move_columns([start])


def test_chunks_with_stakes_have_a_state_for_each_level(tmp_path):
    with ur.solve("bell-stakes:1", tmp_path / "stakes.h5") as table:
        states, values = joined(table.chunks(1000))
        reach = table.space.reach
        assert sorted({*states[:, -1].tolist()}) == list(range(reach + 1))
        assert len(values) == table.file.part.n_positions * (reach + 1)
        assert np.array_equal(values, table.values(states))


def test_errors_are_those_of_each(tmp_path):
    with ur.solve("finkel:1", tmp_path / "proven.h5", certify=True) as table:
        positions = [table.space.unrank(rank) for rank in range(0, 217, 9)]
        positions.append(table.rules.position("....__../......../....__.. D 0 1"))
        found = table.errors(positions)
        assert found.tolist() == [table.error(position) for position in positions]
        assert found[-1] == 0.0


@pytest.mark.parametrize(
    ("asked", "fault"),
    [
        ({"size": 0}, "expected 1 or more"),
        ({"size": "9"}, "not a whole number"),
        ({"ranks": range(0, 10, 2)}, "step 1"),
        ({"ranks": [1, 2]}, "step 1"),
        ({"block": 999}, "no such block"),
        ({"block": 0, "ranks": range(3)}, "expected one of them"),
    ],
)
def test_wrong_chunks_are_refused_at_once(query2, asked, fault):
    with pytest.raises(InputError, match=fault):
        query2.chunks(**asked)
    with pytest.raises(InputError, match="ranks run from 0"):
        query2.states([query2.space.n_values])
