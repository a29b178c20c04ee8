"""Counts of move sequences and positions by the readable moves."""

import pytest

from tests.oracles.perft import divide, perft
from tests.perft_records import records
from ur_solver.rules import CATALOGUE

pytestmark = pytest.mark.medium


def test_every_rule_set_is_counted():
    assert {record.values[0] for record in records()} == set(CATALOGUE)


@pytest.mark.parametrize(("name", "text", "depth", "counts"), list(records()))
def test_perft(name, text, depth, counts):
    rules = CATALOGUE[name]
    position = rules.position(text)
    per_ply = {ply: perft(after, depth - 1) for (ply, after) in divide(position)}
    assert perft(position, depth) == counts, per_ply
