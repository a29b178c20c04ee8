"""The casual game (rules, section 5.2): rosettes that all may share, and no extra throws."""

from __future__ import annotations

from typing import ClassVar

from ur_solver.rules.families.family import (
    AGAIN,
    EXTRA_THROW,
    FREE_OPENING,
    MAY,
    MUST,
    NEVER,
    Family,
)
from ur_solver.rules.squares import Ordinary, Shared, SquareRule
from ur_solver.rules.switches import OneOf, Shorthand, Switch


class Casual(Family):
    """Shared rosettes; `extra_throw` may give an extra throw for landing on one."""

    name = "casual"
    switches: ClassVar[tuple[Switch, ...]] = (
        OneOf(
            EXTRA_THROW.key,
            {
                NEVER: "There are no extra throws.",
                MUST: "Landing on a rosette gives an extra throw.",
                MAY: "Landing on a rosette gives an extra throw, which may be declined.",
            },
            NEVER,
            EXTRA_THROW.help,
            {MAY: "roll-again"},
        ),
        FREE_OPENING,
    )
    shorthands: ClassVar[tuple[Shorthand, ...]] = (
        Shorthand(
            "roll_again",
            EXTRA_THROW.key,
            MAY,
            NEVER,
            "Let a player who lands on a rosette choose to throw again.",
        ),
    )
    decision_marks = ("", AGAIN)

    @property
    def summary(self) -> str:
        """Shared rosettes, and what they give."""
        again = {NEVER: "no extra throws", MUST: "throw again there", MAY: "may throw again there"}
        return f"any pieces share a rosette; {again[self.rules.switches[EXTRA_THROW.key]]}"

    def square_rule(self, square: str) -> SquareRule:
        """Rosettes are shared, all else is ordinary."""
        return Shared() if square in self.rules.rosettes else Ordinary()

    def again(self, throw: int, square: str | None, is_capture: bool) -> tuple[bool, ...]:
        """After landing on a rosette, unless there are no extra throws."""
        return (self.rules.switches[EXTRA_THROW.key] != NEVER and square in self.rules.rosettes,)
