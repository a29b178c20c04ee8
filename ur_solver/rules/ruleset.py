"""A rule set: the data that, with its family's code, make a game."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from ur_solver.errors import RuleSetError
from ur_solver.rules.board import PATHS, Board, Path
from ur_solver.rules.dice import DICE, Dice
from ur_solver.rules.families import FAMILIES, Family

MAX_STAKE = 1_000_000
"""The largest ante or fine; only their ratio matters to the play."""

MAX_REACH = 58
"""The most fines that a table can have values of their own for."""

_REACH = {1: 26, 2: 26, 3: 26, 4: 26, 5: 10, 6: 10, 7: 10}
"""As memory allows, by pieces: 32 or 16 numbers a position, which fill cache lines."""
_THROW = re.compile("0|[1-9][0-9]?")
_CHANCE = re.compile(r"[0-9]{1,20}(?:/(?=[0-9]*[1-9])[0-9]{1,20}|\.[0-9]{1,20})?")
"""Without exponents: a fraction of 1e-999999999 has that many digits."""

_SWITCHES = ("safe_rosettes", "extra_on_rosette", "extra_on_capture", "roll_again")


@dataclass(frozen=True)
class Stakes:
    """What is played for when players maximise expected money (section 5.1).

    Parameters
    ----------
    ante : int
        What each player pays into the pot at the start.
    fine : int
        What a player pays each time a piece of theirs lands on a rosette.
    reach : int or None
        No rule but how far solving goes: the fines that a table has values of their own
        for. None takes what suits the count of pieces.
    """

    ante: int = 10
    fine: int = 1
    reach: int | None = None

    def __post_init__(self) -> None:
        for key, lowest, highest in (("ante", 0, MAX_STAKE), ("fine", 1, MAX_STAKE)):
            value = getattr(self, key)
            if not lowest <= value <= highest:
                raise RuleSetError(f"stakes: {key} is {value!r}, not {lowest} to {highest}")
        if self.reach is not None and not 0 <= self.reach <= MAX_REACH:
            raise RuleSetError(f"stakes: reach is {self.reach!r}, not 0 to {MAX_REACH}")

    def reach_of(self, pieces: int) -> int:
        """`reach`, or what suits the count of pieces."""
        return _REACH[pieces] if self.reach is None else self.reach

    def pot(self, fines: int) -> int:
        """What lies in the pot once so many fines were paid."""
        return 2 * self.ante + fines * self.fine


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
    family : str
        The code that these data complete: a key of `FAMILIES`. Each family says which
        of the switches (the parameters but the first four and this one) are free in it.
    roll_again : bool
        Whether a player who lands on a rosette may choose to throw again.
    stakes : Stakes or None
        What is played for; None if players maximise their chance of winning.
    """

    name: str
    path: Path
    dice: Dice
    pieces: int
    safe_rosettes: bool = True
    extra_on_rosette: bool = True
    extra_on_capture: bool = False
    extra_on_throw: int | None = None
    family: str = "race"
    roll_again: bool = False
    stakes: Stakes | None = None

    def __post_init__(self) -> None:
        faults = _family(self.family).faults(self)
        if faults:
            raise RuleSetError(f"rule set {self.name!r}: " + "; ".join(faults))

    @cached_property
    def play(self) -> Family:
        """The family's code, bound to these data."""
        return FAMILIES[self.family](self)

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

    def with_stakes(self, stakes: Stakes) -> RuleSet:
        """The same rules played for money, ``-stakes`` added to the name.

        Stakes other than the usual ones are named too: ``bell-stakes-ante-20-fine-3``.
        """
        name, usual = self.name, Stakes()
        if self.stakes is not None:
            name = name.partition("-stakes")[0]
        name += "-stakes"
        for key in ("ante", "fine"):
            if getattr(stakes, key) != getattr(usual, key):
                name += f"-{key}-{getattr(stakes, key)}"
        return replace(self, name=name, stakes=stakes)

    def settled(self) -> RuleSet:
        """The same rules with the reach of its stakes, if there are any, written out."""
        if self.stakes is None:
            return self
        return replace(self, stakes=replace(self.stakes, reach=self.stakes.reach_of(self.pieces)))

    def is_same_game(self, other: RuleSet) -> bool:
        """Whether both are the same game, whatever their names."""
        return self._game() == other._game()

    def _game(self) -> tuple[object, ...]:
        return (
            self.path.light,
            self.path.second_leg,
            self.board.name,
            self.dice.probabilities,
            *(getattr(self, field.name) for field in fields(self)[3:] if field.name != "stakes"),
            # how far a table reaches is not of the game
            None if self.stakes is None else (self.stakes.ante, self.stakes.fine),
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
        values: dict[str, Any] = {
            "name": self.name,
            "family": self.family,
            "path": self.path.name,
            "dice": dice,
            "pieces": self.pieces,
        }
        fixed = FAMILIES[self.family].fixed
        for key in (*_SWITCHES, "extra_on_throw", "stakes"):
            if key not in fixed:
                values[key] = getattr(self, key)
        if self.stakes is not None:
            given = asdict(self.stakes)
            values["stakes"] = {key: value for key, value in given.items() if value is not None}
        return values

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
        family = values.get("family", "race")
        switches = dict(_family(family).fixed)
        switches |= {key: _switch(key, values[key]) for key in _SWITCHES if key in values}
        if values.get("extra_on_throw") is not None:
            switches["extra_on_throw"] = _whole("extra_on_throw", values["extra_on_throw"])
        if values.get("stakes") is not None:
            switches["stakes"] = _stakes(values["stakes"])
        return RuleSet(
            name=name,
            path=named_path(values["path"]),
            dice=_dice(values["dice"]),
            pieces=_whole("pieces", values["pieces"]),
            family=family,
            **switches,
        )


def _family(name: object) -> type[Family]:
    if isinstance(name, str) and name in FAMILIES:
        return FAMILIES[name]
    raise RuleSetError(f"family is {name!r:.100}; the families are {_listed(FAMILIES)}")


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
        is_throw = isinstance(throw, str) and _THROW.fullmatch(throw)
        if not is_throw or not _CHANCE.fullmatch(f"{chance!s:.100}"):
            raise RuleSetError(
                f"dice: {throw!r:.40}: {chance!r:.100} is not a throw and its chance, such as "
                "'1': '1/4'"
            )
        chances[int(throw)] = Fraction(chance)
    if not chances:
        raise RuleSetError("dice: no throws given")
    return Dice.of(str(value["name"])[:80], chances)


def _stakes(value: object) -> Stakes:
    least = {"ante", "fine"}
    if not (isinstance(value, Mapping) and least <= set(value) <= least | {"reach"}):
        raise RuleSetError(
            f'stakes: {value!r:.100} is not such as {{"ante": 10, "fine": 1}}, with "reach" or not'
        )
    return Stakes(**{key: _whole(key, number) for key, number in value.items()})


def _switch(key: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise RuleSetError(f"rule set: {key} is {value!r:.100}, not true or false")


def _whole(key: str, value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise RuleSetError(f"rule set: {key} is {value!r:.100}, not a whole number")


def _listed(names: Iterable[object]) -> str:
    return ", ".join(map(str, names))
