"""The race family (rules, section 4): Finkel's game, Masters', Murray's, Blitz, Aseb."""

from __future__ import annotations

from ur_solver.rules.families.family import ANOTHER_PIECE, EXTRA_THROW, FREE_OPENING, Family
from ur_solver.rules.squares import Ordinary, SquareRule
from ur_solver.rules.switches import Flag, ThrowSwitch


class Race(Family):
    """One piece a square; extra throws after rosettes, captures or a certain throw."""

    name = "race"
    switches = (
        Flag("safe_rosettes", True, "Protect pieces on rosettes from capture."),
        Flag("extra_on_rosette", True, "Give an extra throw for landing on a rosette."),
        Flag("extra_on_capture", False, "Give an extra throw for a capture."),
        ThrowSwitch("extra_on_throw", None, "Give an extra throw for the move of this throw."),
        ANOTHER_PIECE,
        EXTRA_THROW,
        FREE_OPENING,
    )

    @classmethod
    def has_race_turns(cls) -> bool:
        """They are; a subclass may differ."""
        return cls is Race

    @property
    def summary(self) -> str:
        """Whether rosettes are safe, and what gives an extra throw."""
        switches = self.rules.switches
        throw = switches["extra_on_throw"]
        causes = {
            "rosettes": switches["extra_on_rosette"],
            "captures": switches["extra_on_capture"],
            f"a throw of {throw}": throw is not None,
        }
        given = " and ".join(cause for cause, is_given in causes.items() if is_given)
        safe = "safe" if switches["safe_rosettes"] else "unsafe"
        extra = f"extra throws for {given}" if given else "no extra throws"
        may = "optional " if given and self.may_decline else ""
        return f"{safe} rosettes; {may}{extra}"

    def square_rule(self, square: str) -> SquareRule:
        """An ordinary square; where rosettes are safe, no capture on them."""
        is_safe = self.rules.switches["safe_rosettes"] and square in self.rules.rosettes
        return Ordinary(is_safe=is_safe)

    def again(self, throw: int, square: str | None, is_capture: bool) -> tuple[bool, ...]:
        """As the rule set's switches say."""
        switches = self.rules.switches
        return (
            (switches["extra_on_rosette"] and square in self.rules.rosettes)
            or (switches["extra_on_capture"] and is_capture)
            or switches["extra_on_throw"] == throw,
        )
