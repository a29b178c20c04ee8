"""Bell's game (rules, section 5.1), with or without stakes.

With stakes the number of fines is unlimited; `ur_solver.space.stakes` describes the cut.
"""

from __future__ import annotations

from ur_solver.rules.families.family import Family
from ur_solver.rules.payoff import CHANCES, Payoff
from ur_solver.rules.squares import Ordinary, SquareRule
from ur_solver.rules.switches import StakesSwitch

_STEPS = (4, 0, 1, 5)
_ENTERING_THROW = 3


class Bell(Family):
    """Throws of 4, 0, 1 and 5 squares, and another throw after every move."""

    name = "bell"
    paths = ("bell",)
    dice = ("bell",)
    switches = (StakesSwitch("stakes", None, "Played for money."),)

    @property
    def payoff(self) -> Payoff:
        """The stakes, if there are any."""
        return self.rules.switches["stakes"] or CHANCES

    @property
    def summary(self) -> str:
        """Its throws, and what is played for."""
        stakes = "; fines on rosettes, for money" if self.rules.switches["stakes"] else ""
        return f"throws move 4, 0, 1, 5; every move throws again{stakes}"

    def square_rule(self, square: str) -> SquareRule:
        """An ordinary square; no capture on rosettes."""
        return Ordinary(is_safe=square in self.rules.rosettes)

    def steps(self, throw: int) -> int:
        """How many squares `throw` moves a piece, by rules, section 5.1."""
        return _STEPS[throw]

    def may_enter(self, throw: int) -> bool:
        """Only with throw 3, on path index 4."""
        return throw == _ENTERING_THROW

    def again(self, throw: int, square: str | None, is_capture: bool) -> tuple[bool, ...]:
        """After any move made, throw again."""
        return (True,)
