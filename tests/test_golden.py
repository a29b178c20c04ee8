"""Values against those of two independent solvers, and against hand-worked fractions."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.golden import NAMES, STARTS, golden_rules, golden_values
from tests.value_iteration import Equations
from ur_solver.api.table import Table
from ur_solver.rules import named_rules

pytestmark = pytest.mark.medium


@pytest.mark.parametrize("name", NAMES)
def test_readable_rules_give_the_golden_values(name):
    values = Equations(golden_rules(name, 1)).solve(tolerance=1e-15)
    found = {position.notation: value for position, value in values.items()}
    expected = golden_values(name)
    assert {text: found[text] for text in expected} == pytest.approx(expected, abs=1e-12)
    assert len(found) == STARTS[name]["1"]["reachable_states"]


@pytest.mark.parametrize("name", NAMES)
def test_tables_hold_the_golden_values(name, solved):
    rules = golden_rules(name, 1)
    with Table(solved(rules)) as query:
        for text, expected in golden_values(name).items():
            value = query.value(rules.position(text))
            assert value == pytest.approx(expected, abs=2e-12), text


LONG = [pytest.param(name, 2, marks=pytest.mark.long) for name in NAMES if "murray" in name]
SHORT = [(name, n) for name in NAMES for n in (1, 2) if n == 1 or "murray" not in name]


@pytest.mark.parametrize(("name", "pieces"), [*SHORT, *LONG])
def test_tables_hold_the_golden_starts(name, pieces, solved):
    rules = golden_rules(name, pieces)
    with Table(solved(rules)) as query:
        expected = STARTS[name][str(pieces)]["start_value"]
        assert query.value(rules.start()) == pytest.approx(expected, abs=2e-12)


# Hand-worked fractions. Finkel's path ends with B8, A8, A7 (indices 11, 12, 13) and off (14). The
# dice show 0 1 2 3 4 with 1 4 6 4 1 sixteenths. A7 is a rosette: landing there gives an extra
# throw. V(i, j) is the chance of the side to throw with its last piece on index i and the
# opponent's last piece on index j. No capture is possible.
#
# V(13, 13) = 1/4 + 3/4 (1 - V(13, 13)), as only a 1 bears off:                       4/7
# V(12, 13): 1 goes to A7 and throws again, 2 bears off, the rest (6/16) passes:
#     x = 4/16 * 4/7 + 6/16 + 6/16 (1 - y),  y = V(13, 12) = 1/4 + 3/4 (1 - x)
#     1 - y = 3/4 x,  so x (1 - 18/64) = 29/56:                                x = 116/161
#                                                                              y =  74/161
# V(12, 12): z = 4/16 y + 6/16 + 6/16 (1 - z),  22 z = 12 + 4 * 74/161:       z = 1114/1771
# V(11, 13): 1 goes to A8 and ends the turn, 2 to A7 and throws again, 3 bears off, 0 and
# 4 (2/16) pass:
#     w = 4/16 (1 - y) + 6/16 * 4/7 + 4/16 + 2/16 (1 - u),  u = V(13, 11) = 1/4 + 3/4 (1 - w)
#     1 - u = 3/4 w,  so w (1 - 6/64) = 87/644 + 3/14 + 1/4 = 193/322:         w = 3088/4669
#                                                                              u = 2353/4669
ONE_PIECE = [
    ("....__L./......../....__D. L 0 0", Fraction(4, 7)),
    ("....__.L/......../....__D. L 0 0", Fraction(116, 161)),
    ("....__L./......../....__.D L 0 0", Fraction(74, 161)),
    ("....__.L/......../....__.D L 0 0", Fraction(1114, 1771)),
    ("....__../.......L/....__D. L 0 0", Fraction(3088, 4669)),
    ("....__L./.......D/....__.. L 0 0", Fraction(2353, 4669)),
]
# Two pieces a side. The thrower has both, on A8 and A7, the opponent one on C7: 1 bears A7
# off (A8 to A7 is blocked), 2 bears A8 off, the rest (6/16) passes:
#     s = 4/16 (1 - y) + 6/16 (1 - 4/7) + 6/16 (1 - t),  t = 1/4 + 3/4 (1 - s)
#     1 - t = 3/4 s,  so s (1 - 18/64) = 87/644 + 9/56 = 381/1288:             s = 1524/3703


@pytest.mark.parametrize(("text", "expected"), ONE_PIECE)
def test_one_piece_by_hand(text, expected, solved):
    rules = named_rules("finkel:1")
    with Table(solved(rules)) as query:
        position = rules.position(text)
        assert query.value(position) == pytest.approx(float(expected), abs=1e-12)
        assert query.value(position.mirror()) == query.value(position)


def test_two_pieces_by_hand(query2):
    position = query2.rules.position("....__LL/......../....__D. L 0 0")
    # s from the comment above, computed again in fractions
    y = Fraction(74, 161)
    s = (Fraction(1, 4) * (1 - y) + Fraction(3, 8) * Fraction(3, 7)) / (1 - Fraction(18, 64))
    assert s == Fraction(1524, 3703)
    assert query2.value(position) == pytest.approx(float(s), abs=1e-12)
