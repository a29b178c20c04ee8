"""A rule set of the race family, as data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from ur_solver.errors import RuleSetError
from ur_solver.rules.board import PATHS, Board, Path
from ur_solver.rules.dice import DICE, Dice

MAX_PIECES = 7


@dataclass(frozen=True)
class RuleSet:
    """What two players must agree on before the first throw.

    Parameters
    ----------
    name : str
        For people; two rule sets that differ in nothing else are the same game.
    path : Path
        Light's way across the board; it names the board too.
    dice : Dice
    pieces : int
        N, the pieces of each side, 1 to 7.
    safe_rosettes : bool
        Whether a piece on a rosette cannot be captured.
    extra_on_rosette, extra_on_capture : bool
        Whether a move that lands on a rosette, or captures, gives an extra throw.
    extra_on_throw : int or None
        The throw after whose move another throw is given, if there is one.
    """

    name: str
    path: Path
    dice: Dice
    pieces: int
    safe_rosettes: bool = True
    extra_on_rosette: bool = True
    extra_on_capture: bool = False
    extra_on_throw: int | None = None

    def __post_init__(self) -> None:
        faults = list(self._faults())
        if faults:
            raise RuleSetError(f"rule set {self.name!r}: " + "; ".join(faults))

    def _faults(self) -> list[str]:
        faults = []
        if not 1 <= self.pieces <= MAX_PIECES:
            faults.append(f"pieces is {self.pieces}, not between 1 and {MAX_PIECES}")
        if self.extra_on_throw is not None and self.extra_on_throw not in self.dice.throws:
            faults.append(
                f"extra_on_throw is {self.extra_on_throw}, which {self.dice.name} dice cannot "
                f"show; they show {_listed(self.dice.throws)}"
            )
        if self.extra_on_throw == 0:
            faults.append("extra_on_throw is 0, but a throw of 0 moves nothing")
        return faults

    @property
    def board(self) -> Board:
        """The board that the path crosses."""
        return self.path.board

    @cached_property
    def rosettes(self) -> frozenset[str]:
        """The board's rosettes."""
        return self.board.rosettes

    def with_pieces(self, pieces: int) -> RuleSet:
        """The same rules with another count of pieces."""
        return replace(self, pieces=pieces)

    def is_same_game(self, other: RuleSet) -> bool:
        """Whether both are the same game, whatever their names."""
        return self._game() == other._game()

    def _game(self) -> tuple[object, ...]:
        return (
            self.path.light,
            self.path.second_leg,
            self.board.name,
            self.dice.probabilities,
            *(getattr(self, field.name) for field in fields(self)[3:]),
        )

    def to_json(self) -> dict[str, Any]:
        """The rule set as JSON values; `from_json` is the inverse."""
        dice: Any = self.dice.name
        if DICE.get(self.dice.name) != self.dice:
            chances = self.dice.probabilities
            dice = {
                "name": self.dice.name,
                "throws": {str(throw): str(chances[throw]) for throw in self.dice.throws},
            }
        return {
            "name": self.name,
            "path": self.path.name,
            "dice": dice,
            "pieces": self.pieces,
            "safe_rosettes": self.safe_rosettes,
            "extra_on_rosette": self.extra_on_rosette,
            "extra_on_capture": self.extra_on_capture,
            "extra_on_throw": self.extra_on_throw,
        }

    @staticmethod
    def from_json(values: object) -> RuleSet:
        """A rule set from JSON values, or from their text.

        Raises
        ------
        RuleSetError
            Saying which key is wrong, what it holds and what would be right.
        """
        if isinstance(values, str):
            try:
                values = json.loads(values)
            except (ValueError, RecursionError) as error:
                raise RuleSetError(f"rule set: not JSON: {error}") from None
        if not isinstance(values, Mapping):
            raise RuleSetError("rule set: expected a JSON object such as 'ur rules finkel --json'")
        known = {field.name: field for field in fields(RuleSet)}
        for key in values:
            if key not in known:
                raise RuleSetError(f"rule set: unknown key {key!r}; the keys are {_listed(known)}")
        for key in ("name", "path", "dice", "pieces"):
            if key not in values:
                raise RuleSetError(f"rule set: the key {key!r} is missing")
        name = values["name"]
        if not isinstance(name, str) or not name.isprintable() or not 1 <= len(name) <= 80:
            raise RuleSetError(f"rule set: name is {name!r:.100}, not a text of 1 to 80 characters")
        switches = {
            key: _switch(key, values[key])
            for key in ("safe_rosettes", "extra_on_rosette", "extra_on_capture")
            if key in values
        }
        extra_on_throw = values.get("extra_on_throw")
        return RuleSet(
            name=name,
            path=named_path(values["path"]),
            dice=_dice(values["dice"]),
            pieces=_whole("pieces", values["pieces"]),
            extra_on_throw=None
            if extra_on_throw is None
            else _whole("extra_on_throw", extra_on_throw),
            **switches,
        )


def named_path(name: object) -> Path:
    """The path called `name`; RuleSetError if there is none."""
    if isinstance(name, str) and name in PATHS:
        return PATHS[name]
    raise RuleSetError(f"path is {name!r:.100}; the paths are {_listed(PATHS)}")


def named_dice(name: object) -> Dice:
    """The dice called `name`; RuleSetError if there are none."""
    if isinstance(name, str) and name in DICE:
        return DICE[name]
    raise RuleSetError(f"dice is {name!r:.100}; the dice are {_listed(DICE)}")


def _dice(value: object) -> Dice:
    if not isinstance(value, Mapping):
        return named_dice(value)
    if set(value) != {"name", "throws"} or not isinstance(value["throws"], Mapping):
        raise RuleSetError(
            'dice: custom dice are written {"name": "coin", "throws": {"0": "1/2", "1": "1/2"}}'
        )
    chances = {}
    for throw, chance in value["throws"].items():
        if not isinstance(chance, str | int) or len(str(chance)) > 40:
            raise RuleSetError(f"dice: the chance of {throw!r} is {chance!r:.100}, not '1/4'")
        try:
            chances[int(throw)] = Fraction(chance)
        except (ValueError, ZeroDivisionError):
            raise RuleSetError(
                f"dice: {throw!r:.40}: {chance!r} is not a throw and its chance, such as '1': '1/4'"
            ) from None
    if not chances:
        raise RuleSetError("dice: no throws given")
    return Dice.of(str(value["name"])[:80], chances)


def _switch(key: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise RuleSetError(f"rule set: {key} is {value!r:.100}, not true or false")


def _whole(key: str, value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise RuleSetError(f"rule set: {key} is {value!r:.100}, not a whole number")


def _listed(names: object) -> str:
    return ", ".join(str(name) for name in names)  # type: ignore[attr-defined]
