"""What a square may hold, and what happens to a piece that lands there.

One small class for each kind of square in the rules. None of them knows where on the
board it is: a rule set's family says which square is of which kind, or the rule set itself
does (`RuleSet.squares`).

A rule is a value, like the rule sets that it is part of: a frozen dataclass if it has any
fields. These are of a few simple types (bool, int, tuple of int, another rule), so that JSON
can give them: `rule_to_json`, `rule_from_json`.
"""

from __future__ import annotations

import dataclasses
import typing
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from ur_solver.common.sayings import say, together
from ur_solver.errors import RuleSetError, UnregisteredError
from ur_solver.rules.contents import Pieces, is_marked, side_of
from ur_solver.rules.limits import MAX_CAPACITY
from ur_solver.rules.registry import check_name, registered


class SquareRule(ABC):
    """A kind of square.

    Attributes
    ----------
    name : str
        Its name in JSON.
    """

    name: ClassVar[str]

    # of rules without fields; dataclasses have their own
    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), *vars(self).values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    @property
    def words(self) -> str:
        """What may stand there and what is captured, as a sentence for people."""
        return (self.__doc__ or "").partition("\n")[0]

    @property
    def is_stack(self) -> bool:
        """Whether the order of the pieces matters, and only the top one may move.

        Other contents have the order of `contents.in_order`.
        """
        return False

    @abstractmethod
    def land(self, piece: str, held: Pieces, throw: int) -> Pieces | None:
        """The effect of `piece` landing on a square that holds `held`.

        Parameters
        ----------
        piece : str
            Its letter as it meets them (`Family.meets`).
        held : tuple of str
            From the bottom up.
        throw : int
            What the dice showed.

        Returns
        -------
        tuple of str or None
            The captured pieces, all of them the opponent's, mostly none; None if it may not
            land.
        """

    @abstractmethod
    def fault(self, held: Pieces) -> str | None:
        """Why the square cannot hold `held`, in words; None if it can."""


SQUARE_RULES: dict[str, type[SquareRule]] = {}
"""The kinds of squares, by name."""

_S = TypeVar("_S", bound="type[SquareRule]")


def register_square_rule(kind: _S) -> _S:
    """Make a kind of square known by its name; a decorator.

    Raises
    ------
    RuleSetError
        If the name is taken or malformed (as for `register_rules`), or the class has fields
        and is not a frozen dataclass.
    """
    check_name("square rule", kind.name, SQUARE_RULES)
    maker = next(each for each in kind.__mro__ if "__init__" in vars(each))
    parameters: Any = vars(maker).get("__dataclass_params__")
    if maker is not object and not (parameters and parameters.frozen):
        raise RuleSetError(
            f"square rule {kind.name!r}: {kind.__name__} has fields and is not a frozen dataclass, "
            "by whose fields rule sets can be compared, hashed and written as JSON"
        )
    SQUARE_RULES[kind.name] = kind
    return kind


class _Single(SquareRule):
    """A square for one piece."""

    def fault(self, held: Pieces) -> str | None:
        return say("fault.single") if len(held) > 1 else None


@register_square_rule
@dataclass(frozen=True)
class Ordinary(_Single):
    """One piece; an opponent's is captured unless the square is safe (rules, section 4)."""

    name = "ordinary"

    is_safe: bool = False

    @property
    def words(self) -> str:
        """As for every rule."""
        return say("square.safe" if self.is_safe else "square.ordinary")

    def land(self, piece: str, held: Pieces, throw: int) -> Pieces | None:
        """Capture an opponent's piece that is not safe."""
        if held and (self.is_safe or side_of(held[0]) == side_of(piece)):
            return None
        return held


@register_square_rule
@dataclass(frozen=True)
class Dueling(_Single):
    """One piece; only an opponent's of the same status is captured (rules, 5.4 and 5.5).

    `shelters_marked` keeps a marked piece from being captured at all.
    """

    name = "dueling"

    shelters_marked: bool = False

    @property
    def words(self) -> str:
        """As for every rule."""
        return say(f"square.dueling{'.sheltered' * self.shelters_marked}")

    def land(self, piece: str, held: Pieces, throw: int) -> Pieces | None:
        """Capture an opponent's piece of the same status."""
        if not held:
            return ()
        other = held[0]
        is_match = is_marked(other) == is_marked(piece) and side_of(other) != side_of(piece)
        is_sheltered = self.shelters_marked and is_marked(other)
        return held if is_match and not is_sheltered else None


@register_square_rule
class Converting(_Single):
    """One piece; only a piece that is marked already captures an opponent's (rules, 5.5)."""

    name = "converting"

    @property
    def words(self) -> str:
        """As for every rule."""
        return say("square.converting")

    def land(self, piece: str, held: Pieces, throw: int) -> Pieces | None:
        """Capture an opponent's piece if `piece` was marked before it landed."""
        if not held:
            return ()
        return held if is_marked(piece) and side_of(held[0]) != side_of(piece) else None


@register_square_rule
class Shared(SquareRule):
    """Any number of pieces of both sides, none captured (rules, 5.2 and 5.3)."""

    name = "shared"

    @property
    def words(self) -> str:
        """As for every rule."""
        return say("square.shared")

    def land(self, piece: str, held: Pieces, throw: int) -> Pieces | None:
        """Join the pieces there."""
        return ()

    def fault(self, held: Pieces) -> str | None:
        """Nothing: any pieces may share it."""
        return None


@dataclass(frozen=True)
class _Many(SquareRule):
    """A square for up to `capacity` pieces, none captured."""

    capacity: int

    def __post_init__(self) -> None:
        if not 1 <= self.capacity <= MAX_CAPACITY:
            raise RuleSetError(
                f"square rule {self.name!r}: capacity is {self.capacity!r}, not 1 to {MAX_CAPACITY}"
            )

    def land(self, piece: str, held: Pieces, throw: int) -> Pieces | None:
        """Join the pieces there, if it can hold them all."""
        return () if self.fault((*held, piece)) is None else None


@register_square_rule
@dataclass(frozen=True)
class Stack(_Many):
    """Up to `capacity` pieces on top of each other, none captured (rules, 5.4).

    With `one_side` they all belong to the side that holds the square: a depot; without
    it is an island. Only the top piece may move, unless `any_moves`.
    """

    name = "stack"

    one_side: bool
    any_moves: bool = False

    @property
    def is_stack(self) -> bool:
        """It is, unless any piece may move: the order then means nothing."""
        return not self.any_moves

    @property
    def words(self) -> str:
        """As for every rule."""
        kind = "depot" if self.one_side else "island"
        return say(f"square.{kind}{'.any' * self.any_moves}", count=self.capacity)

    def fault(self, held: Pieces) -> str | None:
        """Too many pieces, or pieces of both sides in a depot."""
        if len(held) > self.capacity:
            return say("fault.most", count=self.capacity)
        if self.one_side and len({side_of(piece) for piece in held}) > 1:
            return say("fault.one-side")
        return None


@register_square_rule
@dataclass(frozen=True)
class Refuge(_Many):
    """Up to `capacity` pieces of each letter, none captured (the rosettes of rules, 5.5)."""

    name = "refuge"

    @property
    def words(self) -> str:
        """As for every rule."""
        return say("square.refuge", count=self.capacity)

    def fault(self, held: Pieces) -> str | None:
        """Too many of one kind."""
        if any(held.count(piece) > self.capacity for piece in held):
            return say("fault.refuge", count=self.capacity)
        return None


@register_square_rule
@dataclass(frozen=True)
class Finish(_Many):
    """Up to `capacity` marked pieces of one side, or one blank piece (rules, 5.4).

    A blank piece captures an opponent's blank one; nothing captures a marked one.
    """

    name = "finish"

    @property
    def words(self) -> str:
        """As for every rule."""
        return say("square.finish", count=self.capacity)

    def land(self, piece: str, held: Pieces, throw: int) -> Pieces | None:
        """Join marked pieces of the same side, or capture a blank one if `piece` is blank."""
        if self.fault((*held, piece)) is None:
            return ()
        is_duel = not is_marked(piece) and not is_marked(held[0])
        return held if is_duel and side_of(held[0]) != side_of(piece) else None

    def fault(self, held: Pieces) -> str | None:
        """Too many pieces, pieces of both sides, or a blank piece among others."""
        if len(held) > self.capacity:
            return say("fault.most", count=self.capacity)
        if len({side_of(piece) for piece in held}) > 1:
            return say("fault.one-side")
        if len(held) > 1 and not all(map(is_marked, held)):
            return say("fault.blank")
        return None


@register_square_rule
class Paired(SquareRule):
    """Two pieces if one is marked and one is not, whoever owns them (rules, 5.5)."""

    name = "paired"

    @property
    def words(self) -> str:
        """As for every rule."""
        return say("square.paired")

    def land(self, piece: str, held: Pieces, throw: int) -> Pieces | None:
        """Meet the piece of the same status, if any: capture it if it is an opponent's."""
        met = tuple(other for other in held if is_marked(other) == is_marked(piece))
        return None if any(side_of(other) == side_of(piece) for other in met) else met

    def fault(self, held: Pieces) -> str | None:
        """Two pieces of one status."""
        if len({is_marked(piece) for piece in held}) < len(held):
            return say("fault.paired")
        return None


@register_square_rule
@dataclass(frozen=True)
class CapturedBy(SquareRule):
    """Another rule's square, where only `throws` capture (the jumps of rules, 5.5)."""

    name = "captured-by"

    of: SquareRule
    throws: tuple[int, ...]

    @property
    def is_stack(self) -> bool:
        """Whether the other rule's square is one."""
        return self.of.is_stack

    @property
    def words(self) -> str:
        """As for every rule."""
        last = (
            say("square.captured-by", throws=self.throws)
            if self.throws
            else say("square.captured-by.none")
        )
        return together(self.of.words, last)

    def land(self, piece: str, held: Pieces, throw: int) -> Pieces | None:
        """As on the other rule's square, but no capture with another throw."""
        captured = self.of.land(piece, held, throw)
        return None if captured and throw not in self.throws else captured

    def fault(self, held: Pieces) -> str | None:
        """As on the other rule's square."""
        return self.of.fault(held)


def rule_to_json(rule: SquareRule) -> Any:
    """A square's rule as JSON: its name, or with fields ``{"rule": name, field: value}``."""
    given = {
        key: _value_to_json(getattr(rule, key))
        for key, field in _fields(type(rule)).items()
        if getattr(rule, key) != field.default
    }
    return {"rule": rule.name, **given} if given else rule.name


def _fields(kind: type[SquareRule]) -> dict[str, dataclasses.Field[Any]]:
    """The fields of a rule, by name."""
    if not dataclasses.is_dataclass(kind):
        return {}
    return {field.name: field for field in dataclasses.fields(kind)}


def _value_to_json(value: object) -> Any:
    if isinstance(value, SquareRule):
        return rule_to_json(value)
    return list(value) if isinstance(value, tuple) else value


def rule_from_json(value: object) -> SquareRule:
    """The inverse of `rule_to_json`.

    UnregisteredError if no rule goes by that name; RuleSetError, with the legal values, for any
    other fault.
    """
    given = dict(value) if isinstance(value, Mapping) else {"rule": value}
    name = given.pop("rule", None)
    kind = registered(name, SQUARE_RULES)
    if kind is None:
        raise UnregisteredError(
            f"square rule {name!r:.100} is unknown; the square rules are "
            f"{', '.join(SQUARE_RULES)}, and those that plugins and modules imported by "
            "--import register"
        )
    types = typing.get_type_hints(kind)
    known = _fields(kind)
    for key in given:
        if key not in known:
            raise RuleSetError(
                f"square rule {name!r}: unknown field {key!r:.100}; it has "
                f"{', '.join(known) or 'none'}"
            )
    for key, field in known.items():
        if key not in given and field.default is dataclasses.MISSING:
            raise RuleSetError(f"square rule {name!r}: the field {key!r} is missing")
    values = {key: _value_from_json(kind.name, key, types[key], given[key]) for key in given}
    return kind(**values)


def _value_from_json(name: str, key: str, kind: object, value: object) -> Any:
    """The value of a field of type `kind`."""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if kind is SquareRule:
        return rule_from_json(value)
    if (kind is bool and isinstance(value, bool)) or (kind is int and is_whole):
        return value
    if kind == tuple[int, ...] and isinstance(value, list):
        return tuple(_value_from_json(name, key, int, each) for each in value)
    expected = {bool: "true or false", int: "a whole number"}.get(
        kind,  # type: ignore[call-overload]
        "a list of whole numbers",
    )
    raise RuleSetError(f"square rule {name!r}: {key} is {value!r:.100}, not {expected}")
