"""The birds (rules, section 5.3): numbered pieces that enter by throwing their number."""

from __future__ import annotations

from ur_solver.rules.dice import Dice
from ur_solver.rules.families.casual import Casual
from ur_solver.rules.families.family import ENTER, MOVE, Roll

_ZERO_COUNTS_AS = 5
"""What a first throw of 0 counts as, where dice cannot show it, as four dice cannot (a reading)."""


class Birds(Casual):
    """Casual's squares; each turn begins with the choice of *move* or *enter*."""

    name = "birds"
    max_pieces = 5
    is_numbered = True
    shorthands = ()

    @classmethod
    def dice_faults(cls, dice: Dice, pieces: int) -> list[str]:
        """Dice of another family, and those that do not show the number of every piece."""
        shown = {cls._number(dice, throw) for throw in dice.throws}
        missing = next((number for number in range(1, pieces + 1) if number not in shown), None)
        if missing is None:
            return super().dice_faults(dice, pieces)
        return super().dice_faults(dice, pieces) or [
            f"{dice.name} dice never show {missing}, without which piece {missing} cannot enter"
        ]

    @staticmethod
    def _number(dice: Dice, throw: int) -> int:
        """The number of the piece that a first throw lets enter."""
        return _ZERO_COUNTS_AS if throw == 0 and _ZERO_COUNTS_AS not in dice.throws else throw

    @property
    def summary(self) -> str:
        """Numbers, and the choice before the throw."""
        return "numbered pieces; choose move or enter, then throw"

    def choices(self, n_home: int, n_on_board: int) -> tuple[str, ...]:
        """*move* with a piece on the board, *enter* with one at home."""
        return (MOVE,) * (n_on_board > 0) + (ENTER,) * (n_home > 0)

    def moves_from(self, choice: str) -> tuple[bool, bool]:
        """From home after *enter*, on the board otherwise."""
        return choice == ENTER, choice != ENTER

    def rolls(self, choice: str, candidate: int | None) -> tuple[Roll, ...]:
        """After *enter*, a second throw if the first is the candidate's number."""
        first = super().rolls(choice, candidate)
        if choice != ENTER:
            return first
        rolls: list[Roll] = []
        for roll in first:
            throw = roll.throws[0]
            if self._number(self.rules.dice, throw) == candidate:
                rolls += (
                    Roll(roll.probability * second.probability, (throw, second_throw), second_throw)
                    for second in first
                    for second_throw in second.throws
                )
            else:
                rolls.append(Roll(roll.probability, roll.throws, None))
        return tuple(rolls)
