"""Ben's game (rules, section 5.5): pieces converted on the wavy corners, and jumps."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from ur_solver.rules.board import EYES, FOUR_FIVES, QUARTERED, UR, WAVY_CORNERS, square_marks
from ur_solver.rules.contents import is_marked, with_mark
from ur_solver.rules.families.family import BEN, EXTRA_THROW, Family, OpeningSwitch
from ur_solver.rules.squares import CapturedBy, Converting, Dueling, Paired, Refuge, SquareRule
from ur_solver.rules.switches import SquaresSwitch

if TYPE_CHECKING:
    from ur_solver.rules.ruleset import RuleSet

_REFUGE = 2
_JUMP = 0
"""The throw that lets a piece jump."""

_CONVERSIONS = SquaresSwitch(
    "conversions",
    WAVY_CORNERS,
    "Convert pieces on these squares instead of the wavy corners.",
    "Conversion squares, instead of the wavy corners: {}.",
)
_FOUR_EYES = SquaresSwitch(
    "four_eyes",
    EYES,
    "Give extra throws on these squares instead of the eyes.",
    "4-eyes, instead of the board's eyes: {}.",
)


class Ben(Family):
    """A piece is marked once it has ended a move on a conversion square."""

    name = "ben"
    switches = (_CONVERSIONS, _FOUR_EYES, EXTRA_THROW, OpeningSwitch(BEN))

    @classmethod
    def path_faults(cls, rules: RuleSet) -> list[str]:
        """A path without a conversion square, beyond which no blank piece could move."""
        squares = _CONVERSIONS.of(rules)
        if squares.intersection(rules.path.light):
            return []
        return [
            f"the path {rules.path.name!r} visits no conversion square "
            f"({' '.join(sorted(squares)) or 'there is none'}), so that no piece could be borne off"
        ]

    @property
    def summary(self) -> str:
        """Conversions and jumps."""
        return "corners convert pieces; eyes throw again; 0 is a jump"

    @property
    def marks(self) -> Mapping[str, str]:
        """4-eyes, conversion squares, passage and 4-squares."""
        eyes, corners = _FOUR_EYES.of(self.rules), _CONVERSIONS.of(self.rules)
        return square_marks(self.rules.board, eyes, corners)

    def square_rule(self, square: str) -> SquareRule:
        """The leaflet's squares, read onto the board; jumps capture on none of them."""
        if square in self.rules.rosettes:
            return Refuge(_REFUGE)
        throws = tuple(throw for throw in self.rules.dice.throws if throw != _JUMP)
        return CapturedBy(self._captured_on(square), throws)

    def _captured_on(self, square: str) -> SquareRule:
        if square in _CONVERSIONS.of(self.rules):
            return Converting()
        is_pair = self.rules.board == UR and square in FOUR_FIVES | QUARTERED
        return Paired() if is_pair else Dueling()

    @cached_property
    def _conversions(self) -> tuple[int, ...]:
        squares, light = _CONVERSIONS.of(self.rules), self.rules.path.light
        return tuple(index for index, square in enumerate(light) if square in squares)

    @property
    def path_words(self) -> str:
        """Where pieces are converted, in a sentence."""
        light = self.rules.path.light
        indices = [f"index {index}, on {light[index]}" for index in self._conversions]
        return f"Pieces are converted at {'; at '.join(indices)}."

    def indices(self, marked: bool) -> tuple[int, ...]:
        """Blank up to the last conversion square, marked from the first on."""
        first, last = self._conversions[0], self._conversions[-1]
        if marked:
            return tuple(range(first, len(self.rules.path)))
        return tuple(index for index in range(last) if index not in self._conversions)

    def meets(self, piece: str, index: int) -> str:
        """Unchanged: a conversion square converts after the move."""
        return piece

    def stands(self, piece: str, index: int) -> str:
        """Marked on a conversion square, and from then on."""
        return with_mark(piece, is_marked(piece) or index in self._conversions)

    def targets(self, piece: str, source: int, throw: int) -> tuple[int, ...]:
        """By the throw, or by a jump; a blank piece stops at the last conversion square."""
        length = len(self.rules.path)
        reached = self._jumps(source) if throw == _JUMP else (source + throw,)
        furthest = length if is_marked(piece) else self._conversions[-1]
        return tuple(target for target in reached if target <= furthest)

    def _jumps(self, source: int) -> tuple[int, ...]:
        """To the next rosette at most; from the last square off the board."""
        path = self.rules.path.light
        if source == len(path) - 1:
            return (len(path),)
        rosettes = (i for i, square in enumerate(path) if square in self.rules.rosettes)
        last = next((index for index in rosettes if index > source), len(path) - 1)
        return tuple(range(source + 1, last + 1))

    def again(self, throw: int, square: str | None, is_capture: bool) -> tuple[bool, ...]:
        """After a jump, and after landing on 4-eyes without a capture."""
        return (throw == _JUMP or (square in _FOUR_EYES.of(self.rules) and not is_capture),)
