"""Bell's game (rules, section 5.1), with or without stakes.

With stakes the number of fines is unlimited; `ur_solver.space.stakes` describes the cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ur_solver.rules.families.family import EXTRA_THROW, FREE_OPENING, MUST, Family
from ur_solver.rules.payoff import CHANCES, Payoff
from ur_solver.rules.squares import Ordinary, SquareRule
from ur_solver.rules.switches import StakesSwitch

if TYPE_CHECKING:
    from ur_solver.rules.ruleset import RuleSet

_STEPS = (4, 0, 1, 5)
_ENTERING_THROW = 3


class Bell(Family):
    """Throws of 4, 0, 1 and 5 squares, and another throw after every move."""

    name = "bell"
    paths = ("bell",)
    dice = ("bell",)
    switches = (StakesSwitch("stakes", None, "Played for money."), EXTRA_THROW, FREE_OPENING)

    @classmethod
    def faults(cls, rules: RuleSet) -> list[str]:
        """Faults of the common data, and stakes with throws that may be declined."""
        faults = super().faults(rules)
        if rules.switches["stakes"] and rules.switches[EXTRA_THROW.key] != MUST:
            faults.append(
                "stakes are played for with extra_throw 'must' only: the values of fines are found "
                "level by level, which takes that a turn ends without a move only"
            )
        return faults

    @property
    def payoff(self) -> Payoff:
        """The stakes, if there are any."""
        return self.rules.switches["stakes"] or CHANCES

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
