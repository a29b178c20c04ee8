"""The race family (section 4): Finkel's game, Masters', Murray's, Blitz, Aseb."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from ur_solver.rules.families.family import Family
from ur_solver.rules.squares import Ordinary, SquareRule

if TYPE_CHECKING:
    from ur_solver.rules.ruleset import RuleSet


class Race(Family):
    """One piece a square; extra throws after rosettes, captures or a certain throw."""

    name = "race"
    fixed: ClassVar[Mapping[str, Any]] = {"roll_again": False, "stakes": None}

    @classmethod
    def faults(cls, rules: RuleSet) -> list[str]:
        """Faults of the common data, and an extra throw that cannot happen."""
        faults = super().faults(rules)
        if rules.dice.name == "bell":
            faults.append("dice are 'bell', whose throws mean something in family 'bell' only")
        throw, throws = rules.extra_on_throw, rules.dice.throws
        if throw is not None and throw not in throws:
            faults.append(
                f"extra_on_throw is {throw!r}, which {rules.dice.name} dice cannot show; "
                f"they show {', '.join(map(str, throws))}"
            )
        if throw == 0:
            faults.append("extra_on_throw is 0, but a throw of 0 moves nothing")
        return faults

    def square_rule(self, square: str) -> SquareRule:
        """An ordinary square; where rosettes are safe, no capture on them."""
        return Ordinary(is_safe=self.rules.safe_rosettes and square in self.rules.rosettes)

    def again(self, throw: int, square: str | None, is_capture: bool) -> tuple[bool, ...]:
        """As the rule set's switches say."""
        rules = self.rules
        return (
            (rules.extra_on_rosette and square in rules.rosettes)
            or (rules.extra_on_capture and is_capture)
            or rules.extra_on_throw == throw,
        )
