"""Bell's game (section 5.1), with or without stakes.

The state space with stakes has one more dimension without end: the fines paid so far.
A table keeps the fines 0 to F, and this is what it may do about the rest.

Let ``W(s)`` be the chance of winning from position ``s`` in the game without stakes. A
fine paid raises the pot by ``fine`` for whoever wins, so that past F a table may take

    V(s, f) = V(s, F) + fine * (f - F) * W(s)        for f > F,                    (1)

which makes level F an equation in itself (a move onto a rosette costs ``fine`` and
brings ``fine * W`` back) and each level below it an equation in the level above. (1) is
not a guess. A move's money at level f is, by (1), its money at level F plus
``fine * (f - F)`` times its chance of winning; if at level F a money-best move of every
position and throw is also one of the most winning, it stays the best at every f > F, and
(1) satisfies the equations of the whole game: the cut is exact. Since a larger pot makes
the fines matter less and there are finitely many ways to play, some F is large enough.

Where a smaller F is kept, the error has a bound that can be computed. Let ``r`` be the
largest amount, over positions and throws at level F, by which the most winning move
falls short of the money-best one. At every f >= F the values (1) satisfy the equations
but for ``r``, as what is short shrinks while f grows; so level F is wrong by at most ``r``
times the largest expected number of throws still to come. Solving the levels below twice
more, from level F's values less and plus that bound, brackets each of their values; the
error dies out on the way down as fast as F fines become unlikely. With ante 10 and fine 1
the cut is exact at F = 0 for one piece; for two pieces the start's value with F = 0, 1, 2,
4 and 8 was wrong by 2e-5, 1e-5, 4e-6, 6e-8 and 2e-13.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ur_solver.rules.families.family import Family
from ur_solver.rules.squares import Ordinary, SquareRule

_STEPS = (4, 0, 1, 5)
_ENTERING_THROW = 3


class Bell(Family):
    """Throws of 4, 0, 1 and 5 squares, and another throw after every move."""

    name = "bell"
    paths = ("bell",)
    dice = ("bell",)
    fixed: ClassVar[Mapping[str, Any]] = {
        "safe_rosettes": True,
        "extra_on_rosette": False,
        "extra_on_capture": False,
        "extra_on_throw": None,
        "roll_again": False,
    }

    def square_rule(self, square: str) -> SquareRule:
        """An ordinary square; no capture on rosettes."""
        return Ordinary(is_safe=square in self.rules.rosettes)

    def steps(self, throw: int) -> int:
        """How many squares `throw` moves a piece, by section 5.1."""
        return _STEPS[throw]

    def may_enter(self, throw: int) -> bool:
        """Only with throw 3, on path index 4."""
        return throw == _ENTERING_THROW

    def again(self, throw: int, square: str | None, is_capture: bool) -> tuple[bool, ...]:
        """After any move made, throw again."""
        return (True,)
