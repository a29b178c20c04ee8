"""Write docs/exact.md: what the first player's chance is exactly, with one piece a side.

    python scripts/make_exact.py > docs/exact.md

Needs python-flint.
"""

from __future__ import annotations

import decimal
import pathlib
import sys
import tempfile
import textwrap
from fractions import Fraction
from typing import NamedTuple

from ur_solver.exact import exact_values
from ur_solver.make import make_table
from ur_solver.position import start
from ur_solver.query import open_query
from ur_solver.rules import CATALOGUE, RuleSet
from ur_solver.space import space_of

MOST_DIGITS = 150
"""Of a fraction that is written out."""

HEAD = """\
# Exact values

With one piece a side a game has few enough positions for exact arithmetic. From a solved
table a policy is taken, the best move of every position with every throw; the positions'
values under it are the solution of linear equations, which is computed in fractions
(`ur_solver/exact.py`, from the readable turns in `ur_solver/turns.py`). In these
fractions no other move is better anywhere, and there are no positions among which both
players together could stay for ever: so they are *the* values, whatever was rounded on the
way to the policy. (One piece leaves a choice only in casual-roll-again, whether to throw
again, and in ben, where to jump.)

The first player's chance of winning, rounded to 40 digits:

| rule set, N = 1 | first player wins | digits of the fraction | largest error of the table |
|---|---|---|---|
"""

MIDDLE = """
The digits are those of numerator and denominator in lowest terms. The error is the largest
difference between the exact value and the table's float64, over all positions of the table
as `ur solve NAME -n 1` makes it, to its usual tolerance of 1e-12; {policies}
"""

FRACTIONS = """
The fractions of up to {digits} digits, in full:
"""

FOOT = """
Made by `python scripts/make_exact.py > docs/exact.md`; `tests/test_exact.py` computes the
values again and compares.
"""


class Solved(NamedTuple):
    """A rule set's exact start, and how its table compares."""

    first: Fraction
    error: Fraction
    n_rounds: int


def solved(rules: RuleSet) -> Solved:
    space = space_of(rules)
    positions = [space.unrank(rank) for rank in range(space.n_positions)]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "table.h5"
        make_table(rules, path)
        with open_query(path) as query:
            found = {position: query.value(position) for position in positions}
    exact = exact_values(rules, positions, found.__getitem__)
    error = max(abs(exact.values[each] - Fraction(value)) for each, value in found.items())
    return Solved(exact.values[start(rules)], error, exact.n_rounds)


def n_digits(first: Fraction) -> tuple[int, int]:
    return len(str(first.numerator)), len(str(first.denominator))


def in_full(name: str, first: Fraction) -> str:
    parts = [str(first.numerator), f"/ {first.denominator}"]
    lines = [line for part in parts for line in textwrap.wrap(part, 84)]
    return f"\n{name}:\n\n" + "".join(f"    {line}\n" for line in lines)


def main() -> None:
    """Print the page."""
    found = {}
    for name, rules in CATALOGUE.items():
        if rules.stakes is not None:
            continue  # its fines have no end
        found[name] = solved(rules.with_pieces(1))
        print(name, file=sys.stderr)
    improved = [name for name, each in found.items() if each.n_rounds]
    policies = "the policies of\nall of them are optimal."
    if improved:
        policies = f"the policies of\nall but {', '.join(improved)} are optimal."
    print(HEAD, end="")
    for name, (first, error, _) in found.items():
        with decimal.localcontext(prec=40):
            digits = decimal.Decimal(first.numerator) / decimal.Decimal(first.denominator)
        above, below = n_digits(first)
        print(f"| {name} | {digits} | {above} / {below} | {float(error):.1e} |")
    print(MIDDLE.format(policies=policies), end="")
    print(FRACTIONS.format(digits=MOST_DIGITS), end="")
    for name, each in found.items():
        if max(n_digits(each.first)) <= MOST_DIGITS:
            print(in_full(name, each.first), end="")
    print(FOOT, end="")


if __name__ == "__main__":
    main()
