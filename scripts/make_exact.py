"""Write docs/exact.md: what the chance at the start is exactly, with one piece a side.

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

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # the tests are not installed

from tests.oracles.exact import exact_values  # noqa: E402
from ur_solver.api.table import Table  # noqa: E402
from ur_solver.rules import CATALOGUE, RuleSet  # noqa: E402
from ur_solver.solving.execution import run  # noqa: E402
from ur_solver.solving.plan import plan_of  # noqa: E402
from ur_solver.solving.request import Request  # noqa: E402
from ur_solver.space import space_of  # noqa: E402

MOST_DIGITS = 150
"""Of a fraction that is written out."""

HEAD = """\
# Exact values

With one piece a side a game has few enough positions for exact arithmetic. A solved table
gives a policy: the best move of every position with every throw. The values under this policy
are the solution of linear equations, which `tests/oracles/exact.py` computes in fractions, from
the readable turns in `ur_solver/rules/turns.py`. By these fractions no other move is better in
any position, and there is no set of positions in which both players together could stay for
ever. So they are the exact values, however the numbers that led to the policy were rounded.
(With one piece there are choices only in casual-roll-again and four-again, whether to throw
again, and in ben, where to jump.)

The chance of winning at the start, with a free first throw, rounded to 40 digits:

| rule set, N = 1 | wins | digits of the fraction | largest error of the table |
|---|---|---|---|
"""

MIDDLE = """
The digits are those of the numerator and the denominator in lowest terms. The error is the
largest difference between the exact value and the table's float64 over all positions of the
table that `ur solve NAME -n 1` makes, with its default tolerance of 1e-12; {policies}
"""

FRACTIONS = """
These are the fractions of up to {digits} digits, in full:
"""

FOOT = """
This page was made by `python scripts/make_exact.py > docs/exact.md`. `tests/test_exact.py`
computes the values again and compares them.
"""


class Solved(NamedTuple):
    """A rule set's exact start, and how its table compares."""

    first: Fraction
    error: Fraction
    n_rounds: int


def solved(rules: RuleSet) -> Solved:
    space = space_of(rules)
    positions = [space.unrank(rank) for rank in range(space.n_values)]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "table.h5"
        run(plan_of(Request.of(rules, path)))
        with Table(path) as query:
            found = {position: query.value(position) for position in positions}
    exact = exact_values(rules, positions, found.__getitem__)
    error = max(abs(exact.values[each] - Fraction(value)) for each, value in found.items())
    return Solved(exact.values[rules.start()], error, exact.n_rounds)


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
        if rules.payoff.has_fines:
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
