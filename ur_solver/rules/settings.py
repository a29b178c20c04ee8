"""The data half of a rule set, and its switches.

A family declares the switches that it has (`Family.switches`); every other one is off in it.
The keys of JSON, the options of the command line and the names of custom rule sets follow
from the declarations.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from ur_solver.common.text import counted
from ur_solver.errors import RuleSetError
from ur_solver.rules.board import UR, Board, Dice, Path, mirror_square
from ur_solver.rules.payoff import Stakes
from ur_solver.rules.squares import SquareRule

K = TypeVar("K")
V = TypeVar("V")


class FrozenMap(Mapping[K, V]):
    """An immutable mapping with hashable values; maps of equal items are equal, in any order."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[K, V]) -> None:
        self._items = dict(items)

    def __getitem__(self, key: K) -> V:
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, FrozenMap):
            return self._items == other._items
        return NotImplemented if not isinstance(other, Mapping) else self._items == dict(other)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return repr(self._items)


MAX_NAME = 80
"""The longest name of a rule set, in characters."""


def is_name(name: object) -> bool:
    """Whether a text is a valid name of a rule set."""
    return isinstance(name, str) and name.isprintable() and 1 <= len(name) <= MAX_NAME


@dataclass(frozen=True, repr=False)
class RuleData:
    """The data of a rule set; `RuleSet`, which checks them, has the game that they make.

    Its parameters are those of `RuleSet`.
    """

    name: str
    path: Path
    dice: Dice
    pieces: int
    family: str = "race"
    switches: Mapping[str, Any] = field(default_factory=dict)
    squares: Mapping[str, SquareRule] = field(default_factory=dict)

    @property
    def board(self) -> Board:
        """The board that the path crosses."""
        return self.path.board

    @cached_property
    def rosettes(self) -> frozenset[str]:
        """The board's rosettes."""
        return self.board.rosettes

    @property
    def word(self) -> str:
        """The name and the count of pieces, by which a catalogued rule set can be asked for."""
        return f"{self.name}:{self.pieces}"

    @property
    def title(self) -> str:
        """The name and the count of pieces in words: ``finkel with 3 pieces``."""
        return f"{self.name} with {counted(self.pieces, 'piece')}"


class Switch(ABC):
    """One switch and the kind of its values; values that are false in Python are *off*.

    Parameters
    ----------
    key : str
        Its name in JSON and in `RuleSet.switches`.
    default : bool, int, str, Stakes or None
        Its value if a rule set does not set it.
    help : str
        A sentence for people who may turn it.
    meaning : str
        What the rules are where it is not at its default: a sentence, with ``{}`` for the value.
        By default its key and the value.

    Attributes
    ----------
    is_always_written : bool
        Whether JSON has it at its default too. It has not where the switch is younger than tables,
        which are found by a digest of their rule set's JSON.
    """

    is_always_written = True

    def __init__(self, key: str, default: Any, help: str, meaning: str = "") -> None:
        self.key = key
        self.default = default
        self.help = help
        self.meaning = meaning or f"{self.dashed}: {{}}."

    def from_json(self, value: object) -> Any:
        """Convert a value of JSON; RuleSetError if it cannot be. `fault` checks what it is."""
        return value

    def to_json(self, value: Any) -> Any:
        """A value as JSON."""
        return value

    @abstractmethod
    def fault(self, value: object, rules: RuleData) -> str | None:
        """Why a value cannot be in `rules`, in words; None if it can."""

    @abstractmethod
    def word(self, value: Any) -> str:
        """A value in the name of a custom rule set that differs by it."""

    def is_written(self, value: Any) -> bool:
        """Whether JSON has a value; others are at their default wherever they are read."""
        return self.is_always_written or bool(value != self.default)

    def played(self, value: Any) -> Any:
        """The part of a value that defines the game; the rest concerns the solve."""
        return value

    @property
    def dashed(self) -> str:
        """The key as names and options write it."""
        return self.key.replace("_", "-")


class Flag(Switch):
    """On or off."""

    def __init__(
        self,
        key: str,
        default: bool,
        help: str,
        meaning: str = "",
        *,
        is_always_written: bool = True,
    ) -> None:
        super().__init__(key, default, help, meaning)
        self.is_always_written = is_always_written

    def fault(self, value: object, rules: RuleData | None) -> str | None:
        """Anything but a bool."""
        is_right = isinstance(value, bool)
        return None if is_right else f"{self.key} is {value!r:.100}, not true or false"

    def word(self, value: bool) -> str:
        """``safe-rosettes``, ``no-safe-rosettes``."""
        return self.dashed if value else f"no-{self.dashed}"


class Shorthand(Flag):
    """A flag that stands for two values of another switch, and is not stored itself.

    `on` and `off` are the values of the switch `of` where the flag is on, and where it is turned
    off.
    """

    def __init__(self, key: str, of: str, on: str, off: str, help: str) -> None:
        super().__init__(key, False, help)
        self.of, self.on, self.off = of, on, off


class OneOf(Switch):
    """One of a few words.

    `meanings` has the words that the family allows, each with a sentence for people, empty where
    the family says it elsewhere; `words` what values are called in names, if not by the key and
    the value.
    """

    is_always_written = False

    def __init__(
        self,
        key: str,
        meanings: Mapping[str, str],
        default: str,
        help: str,
        words: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(key, default, help)
        self.meanings = meanings
        self._words = words or {}

    def fault(self, value: object, rules: RuleData) -> str | None:
        """Anything but one of the words."""
        if isinstance(value, str) and value in self.meanings:
            return None
        return f"{self.key} is {value!r:.100}, not {' or '.join(map(repr, self.meanings))}"

    def word(self, value: str) -> str:
        """``extra-throw-may``."""
        return self._words.get(value, f"{self.dashed}-{value}")


class ThrowSwitch(Switch):
    """One throw of the dice, or none."""

    def fault(self, value: object, rules: RuleData) -> str | None:
        """Anything but a throw that moves a piece."""
        if value is None:
            return None
        throws = rules.dice.throws
        if not isinstance(value, int) or isinstance(value, bool) or value not in throws:
            return (
                f"{self.key} is {value!r:.100}, which {rules.dice.name} dice cannot show; "
                f"they show {', '.join(map(str, throws))}"
            )
        return f"{self.key} is 0, but a throw of 0 moves nothing" if value == 0 else None

    def word(self, value: int | None) -> str:
        """``extra-on-throw-4``, ``no-extra-on-throw``."""
        return f"no-{self.dashed}" if value is None else f"{self.dashed}-{value}"


class CountSwitch(Switch):
    """A whole number from 1 to `most`."""

    is_always_written = False

    def __init__(self, key: str, default: int, most: int, help: str, meaning: str = "") -> None:
        super().__init__(key, default, help, meaning)
        self.most = most

    def fault(self, value: object, rules: RuleData) -> str | None:
        """Anything but a whole number within the limits."""
        if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= self.most:
            return None
        return f"{self.key} is {value!r:.100}, not 1 to {self.most}"

    def word(self, value: int) -> str:
        """``stack-height-2``."""
        return f"{self.dashed}-{value}"


class SquaresSwitch(Switch):
    """The squares of a kind, with each its mirror image; None for those of the board's markings.

    Its values are tuples of squares of rows A and B, as `squares_of` makes them. `usual` has the
    markings that None stands for, on the board ur.
    """

    is_always_written = False

    def __init__(self, key: str, usual: frozenset[str], help: str, meaning: str = "") -> None:
        super().__init__(key, None, help, meaning)
        self.usual = usual

    def from_json(self, value: object) -> tuple[str, ...] | None:
        """A list of squares, or null."""
        if value is None:
            return None
        if isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value):
            return squares_of(value)
        raise RuleSetError(
            f'rule set: {self.key} is {value!r:.100}, not a list of squares such as ["A2", "B7"]'
        )

    def to_json(self, value: tuple[str, ...] | None) -> Any:
        """A list of squares, or null."""
        return None if value is None else list(value)

    def fault(self, value: object, rules: RuleData) -> str | None:
        """Anything but a tuple of the board's squares as `squares_of` makes it."""
        if value is None:
            return None
        if not isinstance(value, tuple) or value != squares_of(map(str, value)):
            return f"{self.key} is {value!r:.100}, not a tuple that squares_of makes"
        unknown = [square for square in value if square not in rules.board.squares]
        return (
            f"{self.key}: {unknown[0]!r:.20} is no square of the board {rules.board.name!r}"
            if unknown
            else None
        )

    def word(self, value: tuple[str, ...] | None) -> str:
        """``depots-A2-B7``, ``no-depots``, ``usual-depots``."""
        if value is None:
            return f"usual-{self.dashed}"
        return "-".join([self.dashed, *value]) if value else f"no-{self.dashed}"

    def of(self, rules: RuleData) -> frozenset[str]:
        """The squares of this kind in `rules`."""
        value = rules.switches[self.key]
        if value is None:
            return self.usual if rules.board == UR else frozenset()
        return frozenset(value) | {*map(mirror_square, value)}


def squares_of(squares: Iterable[str]) -> tuple[str, ...]:
    """Squares as a `SquaresSwitch` has them: sorted, those of row C by their mirror images."""
    return tuple(
        sorted({mirror_square(each) if each.startswith("C") else each for each in squares})
    )


class StakesSwitch(Switch):
    """Stakes, or None where players maximise their chance of winning."""

    def from_json(self, value: object) -> Stakes | None:
        """``{"ante": 10, "fine": 1}``, with ``"reach"`` or not, or null."""
        if value is None:
            return None
        least = {"ante", "fine"}
        if not (isinstance(value, Mapping) and least <= set(value) <= least | {"reach"}):
            raise RuleSetError(
                f'{self.key}: {value!r:.100} is not such as {{"ante": 10, "fine": 1}}, with '
                '"reach" or not'
            )
        return Stakes(**{key: whole_number(key, number) for key, number in value.items()})

    def to_json(self, value: Stakes | None) -> Any:
        """The amounts; `reach` if it is given."""
        if value is None:
            return None
        given = dataclasses.asdict(value)
        return {key: amount for key, amount in given.items() if amount is not None}

    def fault(self, value: object, rules: RuleData) -> str | None:
        """Anything but stakes."""
        is_right = value is None or isinstance(value, Stakes)
        return None if is_right else f"{self.key} is {value!r}, not Stakes or None"

    def word(self, value: Stakes | None) -> str:
        """``stakes``, and the amounts that are not the usual ones: ``stakes-ante-20``."""
        if value is None:
            return f"no-{self.dashed}"
        usual = Stakes()
        amounts = [
            f"{key}-{getattr(value, key)}"
            for key in ("ante", "fine")
            if getattr(value, key) != getattr(usual, key)
        ]
        return "-".join([self.dashed, *amounts])

    def played(self, value: Stakes | None) -> Any:
        """Without how far a table reaches."""
        return value and dataclasses.replace(value, reach=None)


def whole_number(key: str, value: object) -> int:
    """Convert a whole number of JSON for `key`; RuleSetError if it is invalid."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise RuleSetError(f"rule set: {key} is {value!r:.100}, not a whole number")
