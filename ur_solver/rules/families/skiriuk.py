"""Skiriuk's game (rules, section 5.4): stacks, and pieces that turn over half way."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial

from ur_solver.rules.board import EYES, FOUR_FIVES, QUARTERED, UR, WAVY_CORNERS, square_marks
from ur_solver.rules.families.family import (
    ANOTHER_PIECE,
    EXTRA_THROW,
    ONE,
    Family,
    OpeningSwitch,
)
from ur_solver.rules.limits import MAX_CAPACITY
from ur_solver.rules.squares import Dueling, Finish, Ordinary, SquareRule, Stack
from ur_solver.rules.switches import CountSwitch, Flag, OneOf, SquaresSwitch

_DEPOTS = SquaresSwitch(
    "depots",
    EYES,
    "Make these squares depots, such as A2,B7 or none, instead of the eyes.",
    "Depots, instead of the eyes: {}.",
)
_CORNERS = SquaresSwitch(
    "corners",
    WAVY_CORNERS,
    "Turn pieces over at the first of these squares instead of the wavy corners.",
    "Corners, instead of the wavy ones: {}.",
)


_flag = partial(Flag, default=False, is_always_written=False)


class Skiriuk(Family):
    """Pieces of one status duel; eyes are depots, four-fives islands."""

    name = "skiriuk"
    switches = (
        OneOf(
            "flip",
            {
                "beyond": "A piece turns over on the square beyond the corner.",
                "on": "A piece turns over on the corner.",
            },
            "beyond",
            "Turn pieces over beyond the corner, or on it.",
        ),
        _flag(
            "safe_corners",
            help="Protect pieces on corners from capture.",
            meaning="Pieces on corners cannot be captured.",
        ),
        CountSwitch(
            "stack_height",
            4,
            MAX_CAPACITY,
            "Stack up to this many pieces.",
            "The most pieces on a depot or an island: {}.",
        ),
        _flag(
            "finish_stacks",
            help="Let marked pieces form a stack on B1.",
            meaning="Marked pieces form a stack on B1.",
        ),
        _flag(
            "any_from_shared_depot",
            help="Let any piece of the depot B7 move.",
            meaning="Any piece of the depot B7 may move.",
        ),
        _flag(
            "extra_on_capture",
            help="Give an extra throw for a capture.",
            meaning="A capture gives an extra throw.",
        ),
        _flag(
            "extra_on_bearing_off",
            help="Give an extra throw for bearing off.",
            meaning="Bearing off gives an extra throw.",
        ),
        ANOTHER_PIECE,
        _DEPOTS,
        _CORNERS,
        EXTRA_THROW,
        OpeningSwitch(ONE),
    )

    @property
    def summary(self) -> str:
        """What its squares do."""
        return "pieces turn over half way; stacks on eyes and four-fives"

    @property
    def marks(self) -> Mapping[str, str]:
        """Depots, corners, islands and the quartered square."""
        return square_marks(self.rules.board, _DEPOTS.of(self.rules), _CORNERS.of(self.rules))

    @cached_property
    def second_leg(self) -> int:
        """Where pieces turn over: at the first corner of the path, or one square beyond it."""
        path, corners = self.rules.path, _CORNERS.of(self.rules)
        beyond = self.rules.switches["flip"] == "beyond"
        at = (index + beyond for index, square in enumerate(path.light) if square in corners)
        return next(at, path.second_leg)

    def square_rule(self, square: str) -> SquareRule:
        """Depots, B7 among them, islands on the four-fives, duels elsewhere."""
        switches, height = self.rules.switches, self.rules.switches["stack_height"]
        has_markings = self.rules.board == UR
        if square in _DEPOTS.of(self.rules):
            any_moves = switches["any_from_shared_depot"] and square.startswith("B")
            return Stack(height, one_side=True, any_moves=any_moves)
        if has_markings and square in FOUR_FIVES:
            return Stack(height, one_side=False)
        if switches["safe_corners"] and square in _CORNERS.of(self.rules):
            return Ordinary(is_safe=True)
        is_quartered = has_markings and square in QUARTERED
        if is_quartered and switches["finish_stacks"]:
            return Finish(height)
        return Dueling(shelters_marked=is_quartered)

    def again(self, throw: int, square: str | None, is_capture: bool) -> tuple[bool, ...]:
        """After landing on a rosette; as the switches say, after captures and bearing off."""
        switches = self.rules.switches
        return (
            square in self.rules.rosettes
            or (switches["extra_on_capture"] and is_capture)
            or (switches["extra_on_bearing_off"] and square is None),
        )
