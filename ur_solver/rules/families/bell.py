"""Bell's game (rules, section 5.1), with or without stakes.

With stakes the number of fines is unlimited; `ur_solver.space.stakes` describes the cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ur_solver.rules.dice import Dice
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
    switches = (StakesSwitch("stakes", None, "Play for money."), EXTRA_THROW, FREE_OPENING)

    @classmethod
    def faults(cls, rules: RuleSet) -> list[str]:
        """Faults of the common data, and stakes with throws that may be declined."""
        faults = super().faults(rules)
        if rules.switches["stakes"] and rules.switches[EXTRA_THROW.key] != MUST:
            faults.append(
                "stakes are played for with extra_throw 'must' only: values are solved fine by "
                "fine, for which a turn may end only where there is no move"
            )
        return faults

    @classmethod
    def dice_faults(cls, dice: Dice, pieces: int) -> list[str]:
        """Dice that show other throws than 0 to 3, or never the one that enters."""
        if {_ENTERING_THROW} <= {*dice.throws} <= {*range(len(_STEPS))}:
            return []
        return [
            f"{dice.name} dice show {', '.join(map(str, dice.throws))}; {cls.name} is played with "
            f"throws of 0 to {len(_STEPS) - 1}, and a piece enters with {_ENTERING_THROW}"
        ]

    @classmethod
    def path_faults(cls, rules: RuleSet) -> list[str]:
        """A path shorter than the longest step, or one that is not supported with stakes."""
        path, longest = rules.path, max(_STEPS)
        if len(path) < longest:
            return [f"the path {path.name!r} has {len(path)} squares, not {longest} or more"]
        shared = [square for square in path.light if square in path.dark]
        if rules.switches["stakes"] and len({*shared}) < len(shared):
            return [
                f"the path {path.name!r} visits squares of both sides twice, which is not "
                "supported with stakes"
            ]
        return []

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
