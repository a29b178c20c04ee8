"""The counts of move sequences and positions that scripts/make_perft.py wrote."""

import pathlib

import pytest

from tests.golden import ALIKE
from ur_solver.rules import CATALOGUE

FILE = pathlib.Path(__file__).parent / "data" / "perft.tsv"
QUICK = 1500
"""The most positions at the deepest ply that a test which is not marked long may count."""


def records(names=CATALOGUE):
    """The records of some rule sets as parameters for pytest: name, text, depth, counts."""
    for line in FILE.read_text().splitlines()[1:]:
        name, text, depth, n_sequences, n_positions = line.split("\t")
        counts = int(n_sequences), int(n_positions)
        if name in names:
            marks = [pytest.mark.long] if counts[1] > QUICK or name in ALIKE else []
            label = f"{name}-{text}-{depth}"
            yield pytest.param(name, text, int(depth), counts, marks=marks, id=label)
