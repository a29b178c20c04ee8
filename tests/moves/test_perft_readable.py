"""Counts of move sequences and positions, as scripts/make_perft.py wrote them."""

import pathlib

import pytest

from ur_solver.perft import divide, perft
from ur_solver.position import parse_position
from ur_solver.rules import CATALOGUE

FILE = pathlib.Path(__file__).parents[1] / "data" / "perft.tsv"
QUICK = 1500
"""Positions at the deepest ply that a test of every day may count."""


def records():
    for line in FILE.read_text().splitlines()[1:]:
        name, text, depth, n_sequences, n_positions = line.split("\t")
        counts = int(n_sequences), int(n_positions)
        marks = [pytest.mark.long] if counts[1] > QUICK else []
        yield pytest.param(name, text, int(depth), counts, marks=marks, id=f"{name}-{text}-{depth}")


def test_every_rule_set_is_counted():
    assert {record.values[0] for record in records()} == set(CATALOGUE)


@pytest.mark.parametrize(("name", "text", "depth", "counts"), list(records()))
def test_perft(name, text, depth, counts):
    rules = CATALOGUE[name]
    position = parse_position(rules, text)
    per_ply = {ply: perft(rules, after, depth - 1) for (ply, after) in divide(rules, position)}
    assert perft(rules, position, depth) == counts, per_ply
