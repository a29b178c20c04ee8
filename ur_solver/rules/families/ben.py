"""Ben's game (rules, section 5.5): pieces converted on the wavy corners, and jumps."""

from __future__ import annotations

from ur_solver.rules.board import EYES, FOUR_FIVES, QUARTERED, UR_MARKS, WAVY_CORNERS
from ur_solver.rules.contents import is_marked, with_mark
from ur_solver.rules.families.family import Family
from ur_solver.rules.squares import CapturedBy, Converting, Dueling, Paired, Refuge, SquareRule

_REFUGE = 2
_JUMP = 0
"""The throw that lets a piece jump."""


class Ben(Family):
    """A piece is marked once it has ended a move on a conversion square."""

    name = "ben"
    paths = ("skiriuk",)
    dice = ("3-binary", "4-binary", "d4")
    marks = UR_MARKS

    @property
    def summary(self) -> str:
        """Conversions and jumps."""
        return "corners convert pieces; eyes throw again; 0 is a jump"

    def square_rule(self, square: str) -> SquareRule:
        """The leaflet's squares, read onto the board; jumps capture on none of them."""
        if square in self.rules.rosettes:
            return Refuge(_REFUGE)
        throws = tuple(throw for throw in self.rules.dice.throws if throw != _JUMP)
        return CapturedBy(self._captured_on(square), throws)

    def _captured_on(self, square: str) -> SquareRule:
        if square in FOUR_FIVES | QUARTERED:
            return Paired()
        return Converting() if square in WAVY_CORNERS else Dueling()

    @property
    def _conversions(self) -> tuple[int, ...]:
        light = self.rules.path.light
        return tuple(index for index, square in enumerate(light) if square in WAVY_CORNERS)

    def indices(self, marked: bool) -> tuple[int, ...]:
        """Blank up to the second conversion square, marked from the first on."""
        first, second = self._conversions
        if marked:
            return tuple(range(first, len(self.rules.path)))
        return tuple(index for index in range(second) if index != first)

    def meets(self, piece: str, index: int) -> str:
        """Unchanged: a conversion square converts after the move."""
        return piece

    def stands(self, piece: str, index: int) -> str:
        """Marked on a conversion square, and from then on."""
        return with_mark(piece, is_marked(piece) or index in self._conversions)

    def targets(self, piece: str, source: int, throw: int) -> tuple[int, ...]:
        """By the throw, or by a jump; a blank piece stops at the second conversion."""
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
        """After a jump, and after landing on eyes without a capture."""
        return (throw == _JUMP or (square in EYES and not is_capture),)
