"""The casual game (rules, section 5.2): rosettes that all may share, and no extra throws."""

from __future__ import annotations

from typing import ClassVar

from ur_solver.rules.families.family import Family
from ur_solver.rules.squares import Ordinary, Shared, SquareRule
from ur_solver.rules.switches import Flag, Switch


class Casual(Family):
    """Shared rosettes; with `roll_again`, a player on one may choose to throw again."""

    name = "casual"
    switches: ClassVar[tuple[Switch, ...]] = (
        Flag(
            "roll_again",
            False,
            "Whether a player who lands on a rosette may choose to throw again.",
        ),
    )

    @property
    def summary(self) -> str:
        """Shared rosettes, and what they give."""
        again = "may throw again there" if self.rules.switches["roll_again"] else "no extra throws"
        return f"any pieces share a rosette; {again}"

    def square_rule(self, square: str) -> SquareRule:
        """Rosettes are shared, all else is ordinary."""
        return Shared() if square in self.rules.rosettes else Ordinary()

    def again(self, throw: int, square: str | None, is_capture: bool) -> tuple[bool, ...]:
        """Never, or by choice after landing on a rosette."""
        may_choose = self.rules.switches.get("roll_again") and square in self.rules.rosettes
        return (False, True) if may_choose else (False,)
