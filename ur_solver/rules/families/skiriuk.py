"""Skiriuk's game (rules, section 5.4): stacks, and pieces that turn over half way."""

from __future__ import annotations

from ur_solver.rules.board import EYES, FOUR_FIVES, QUARTERED, UR_MARKS
from ur_solver.rules.families.family import Family
from ur_solver.rules.squares import Dueling, SquareRule, Stack

_STACK = 4


class Skiriuk(Family):
    """Pieces of one status duel; eyes are depots, four-fives islands."""

    name = "skiriuk"
    paths = ("skiriuk",)
    dice = ("3-binary-0as4", "d4")
    opening_throw = 1
    marks = UR_MARKS

    @property
    def summary(self) -> str:
        """What its squares do."""
        return "pieces turn over half way; stacks on eyes and four-fives"

    def square_rule(self, square: str) -> SquareRule:
        """Depots on the eyes, B7 among them, islands on the four-fives, duels elsewhere."""
        if square in EYES | FOUR_FIVES:
            return Stack(_STACK, one_side=square in EYES)
        return Dueling(shelters_marked=square in QUARTERED)

    def again(self, throw: int, square: str | None, is_capture: bool) -> tuple[bool, ...]:
        """After landing on a rosette."""
        return (square in self.rules.rosettes,)
