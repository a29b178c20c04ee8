"""Switches: the settings of a rule set that its family declares.

A family declares the switches that it has (`Family.switches`); every other one is off in it.
The keys of JSON, the options of the command line and the names of custom rule sets follow
from the declarations.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ur_solver.errors import RuleSetError
from ur_solver.rules.payoff import Stakes

if TYPE_CHECKING:
    from ur_solver.rules.ruleset import RuleSet


class Switch(ABC):
    """One switch and the kind of its values; values that are false in Python are *off*.

    Parameters
    ----------
    key : str
        Its name in JSON and in `RuleSet.switches`.
    default : bool, int, str, Stakes or None
        Its value if a rule set does not set it.
    help : str
        A sentence for people.
    """

    def __init__(self, key: str, default: Any, help: str) -> None:
        self.key = key
        self.default = default
        self.help = help

    @abstractmethod
    def from_json(self, value: object) -> Any:
        """Convert a value of JSON; RuleSetError if it is invalid."""

    def to_json(self, value: Any) -> Any:
        """A value as JSON."""
        return value

    @abstractmethod
    def fault(self, value: object, rules: RuleSet) -> str | None:
        """Why a value cannot be in `rules`, in words; None if it can."""

    @abstractmethod
    def word(self, value: Any) -> str:
        """A value in the name of a custom rule set that differs by it."""

    def is_written(self, value: Any) -> bool:
        """Whether JSON has a value; others are at their default wherever they are read."""
        return True

    def played(self, value: Any) -> Any:
        """The part of a value that defines the game; the rest concerns the solve."""
        return value

    @property
    def dashed(self) -> str:
        """The key as names and options write it."""
        return self.key.replace("_", "-")


class Flag(Switch):
    """On or off."""

    def from_json(self, value: object) -> bool:
        """True or false."""
        if isinstance(value, bool):
            return value
        raise RuleSetError(f"rule set: {self.key} is {value!r:.100}, not true or false")

    def fault(self, value: object, rules: RuleSet) -> str | None:
        """Anything but a bool."""
        return None if isinstance(value, bool) else f"{self.key} is {value!r}, not true or false"

    def word(self, value: bool) -> str:
        """``safe-rosettes``, ``no-safe-rosettes``."""
        return self.dashed if value else f"no-{self.dashed}"


class Shorthand(Flag):
    """A flag that stands for two values of another switch, and is not stored itself.

    Parameters
    ----------
    key, help
        As for every switch.
    of : str
        The key of the other switch.
    on, off : str
        Its values where the flag is on, and where it is turned off.
    """

    def __init__(self, key: str, of: str, on: str, off: str, help: str) -> None:
        super().__init__(key, False, help)
        self.of, self.on, self.off = of, on, off


class OneOf(Switch):
    """One of a few words.

    Parameters
    ----------
    key, default, help
        As for every switch.
    meanings : mapping of str to str
        The words that the family allows, each with a sentence for people.
    words : mapping of str to str, optional
        What values are called in names, if not by the key and the value.
    """

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

    def from_json(self, value: object) -> str:
        """A text; whether it is one of the words is checked with the rule set."""
        if isinstance(value, str):
            return value
        raise RuleSetError(f"rule set: {self.key} is {value!r:.100}, not {self._listed}")

    def fault(self, value: object, rules: RuleSet) -> str | None:
        """Anything but one of the words."""
        if value in self.meanings:
            return None
        return f"{self.key} is {value!r:.100}, not {self._listed}"

    def word(self, value: str) -> str:
        """``extra-throw-may``."""
        return self._words.get(value, f"{self.dashed}-{value}")

    def is_written(self, value: Any) -> bool:
        """Unless it is the default, so that older rule sets keep their digests."""
        return bool(value != self.default)

    @property
    def _listed(self) -> str:
        return " or ".join(map(repr, self.meanings))


class ThrowSwitch(Switch):
    """One throw of the dice, or none."""

    def from_json(self, value: object) -> int | None:
        """A whole number or null."""
        return None if value is None else whole_number(self.key, value)

    def fault(self, value: object, rules: RuleSet) -> str | None:
        """Anything but a throw that moves a piece."""
        if value is None:
            return None
        throws = rules.dice.throws
        if isinstance(value, bool) or value not in throws:
            return (
                f"{self.key} is {value!r}, which {rules.dice.name} dice cannot show; "
                f"they show {', '.join(map(str, throws))}"
            )
        return f"{self.key} is 0, but a throw of 0 moves nothing" if value == 0 else None

    def word(self, value: int | None) -> str:
        """``extra-on-throw-4``, ``no-extra-on-throw``."""
        return f"no-{self.dashed}" if value is None else f"{self.dashed}-{value}"


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

    def fault(self, value: object, rules: RuleSet) -> str | None:
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
