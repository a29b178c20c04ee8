"""The rounds of an opening, best first, by the positions that follow."""

from __future__ import annotations

import pytest

from ur_solver.api.table import Table
from ur_solver.errors import ThrowError, WrongTypeError
from ur_solver.rules import named_rules

BEN = named_rules("ben:1")


def test_rounds_by_the_table(solved):
    with Table(solved(BEN)) as answers:
        # light goes on to A1; dark's zero can be level there, or behind on C2
        level, behind = answers.opening_rounds((2, 0), "a3")
        assert (level.round.text, level.value, level.loss) == ("A3A1 C3C1", 0.5, 0)
        position = BEN.position("L...__../......../.D..__.. L 0 0")
        assert behind.round.position == position
        assert behind.value == answers.value(position)
        assert behind.loss == pytest.approx(behind.value - 0.5, abs=1e-12)
        assert answers.opening_rounds((2, 2))[0].value == 0.5
        for throws, marker, fault in (
            ((2, 2), "B4", "cannot continue from 'B4'; the squares of light's marker are A4, A3"),
            ((2, 2), 4, "cannot continue from 4; the squares of light's marker are A4, A3"),
            ((9, 2), None, "'9-2' cannot be thrown in a round of the opening of ben"),
        ):
            with pytest.raises(ThrowError, match=fault):
                answers.opening_rounds(throws, marker)
        assert answers.opening_rounds([2, 2]) == answers.opening_rounds((2, 2))
        with pytest.raises(WrongTypeError, match="2 is no round of throws"):
            answers.opening_rounds(2)


def test_openings_without_markers(solved):
    with Table(solved(named_rules("finkel:1"))) as finkel:
        (dark,) = finkel.opening_rounds((1, 3))
        assert dark.value == 1 - finkel.start_value
        with pytest.raises(ThrowError, match="are none, as there are no markers"):
            finkel.opening_rounds((1, 3), "A3")
    with Table(solved(named_rules("skiriuk:1"))) as skiriuk:
        (light,) = skiriuk.opening_rounds((1,))
        assert light.value == skiriuk.opening_value()
