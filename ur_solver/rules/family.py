"""The base class of all families of rule sets, and the families by name.

A family is the code half of a rule set, bound to the data half: it defines what each square
may hold (`squares`), the letter of a piece by place (`indices`, `meets`, `stands`), how
far a throw moves a piece (`targets`), who throws next (`again`), and the choices and rolls
of a turn (`choices`, `rolls`). It declares the switches of a rule set (`switches`) and the
payoff (`payoff`). It knows squares, pieces and throws, not
positions: `game.py` walks those, the same way for every family.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, TypeVar

from ur_solver.errors import RuleSetError, UnregisteredError
from ur_solver.rules.board import DICE, PATHS, Dice
from ur_solver.rules.contents import (
    DARK,
    LIGHT,
    RESTING,
    awake,
    in_order,
    is_resting,
    side_of,
    split,
    with_mark,
)
from ur_solver.rules.limits import MAX_CONTENTS, MAX_NUMBERED_PIECES, MAX_PIECES
from ur_solver.rules.payoff import CHANCES, Payoff
from ur_solver.rules.registry import check_name, registered
from ur_solver.rules.settings import Flag, OneOf, RuleData, Shorthand, Switch
from ur_solver.rules.squares import SquareRule

FAMILIES: dict[str, type[Family]] = {}
"""The families, by name."""

_F = TypeVar("_F", bound="type[Family]")
HOME = -1
"""The path index of a piece that has not entered."""

MOVE, ENTER = "move", "enter"
"""The choices before a throw, in rule sets that have one."""

FREE_THROW = ""
"""The name of the only choice of a turn if the rules have none."""

ANOTHER_PIECE = Flag(
    "another_piece",
    False,
    "Require an extra throw to be used by another piece than the one that earned it.",
    "An extra throw must be used by another piece than the one that earned it.",
    is_always_written=False,
)
"""The switch of families in which a piece may rest."""

NEVER, MUST, MAY = "none", "must", "may"
"""What becomes of an extra throw: there is none, it is made, or it may be declined."""

EXTRA_THROW = OneOf(
    "extra_throw",
    {MUST: "An extra throw must be made.", MAY: "An extra throw may be declined."},
    MUST,
    "Make an extra throw compulsory, or let the player decline it.",
)
"""The switch that every family of the package has."""

LOTS, HIGHEST, ONE, BEN = "lots", "highest", "one", "ben"
"""How a game begins: by lots, by the highest throw, with a 1, or as in Ben's game."""

_OPENINGS = {
    LOTS: "Lots decide who is the first player.",
    HIGHEST: "The higher throw decides who is the first player.",
    ONE: "The first to throw a 1 is the first player, and moves by that throw.",
    BEN: "Both sides throw and enter a piece; the one whose piece is further is the first player.",
}


class OpeningSwitch(OneOf):
    """How a game begins; whatever is worth the same is the same game."""

    def __init__(self, *others: str) -> None:
        default = others[0] if others else HIGHEST
        meanings = {value: _OPENINGS[value] for value in (*others, LOTS, HIGHEST)}
        super().__init__("opening", meanings, default, "Choose the first player by this method.")

    def fault(self, value: object, rules: RuleData) -> str | None:
        """Anything but one of the words, and a 1 that the dice cannot show."""
        if value == ONE and 1 not in rules.dice.throws:
            return f"{self.key} is {value!r}, but {rules.dice.name} dice cannot show a 1"
        return super().fault(value, rules)

    def played(self, value: str) -> str:
        """Lots and the highest throw are one."""
        return HIGHEST if value == LOTS else value


FREE_OPENING = OpeningSwitch()
"""The openings of the families that have none of their own."""

STOP, AGAIN = " stop", " again"
"""What follows a move in the notation where an extra throw is declined, or made by choice."""


class Place(NamedTuple):
    """A case in which a piece may stand: its path index, its square, its letter."""

    path_index: int
    square: str
    letter: str


class Roll(NamedTuple):
    """One possible roll of a turn: what the dice show, one after the other."""

    probability: Fraction
    throws: tuple[int, ...]
    moves_by: int | None  # the throw that a piece is moved by; None if nothing moves


class Family:
    """The defaults of every family, by rules, section 4.

    A family from outside the package is a subclass with a name of its own, made known by
    `register_family`. Its `targets` lie further on than where a piece is: the state spaces
    rely on it.

    Attributes
    ----------
    name : str
    paths, dice : tuple of str
        Those that the rules support; empty for any.
    max_pieces : int
        The most pieces of a side; at most `MAX_NUMBERED_PIECES` count if they are numbered.
    switches : tuple of Switch
        What a rule set may choose; every switch that is not listed is off.
    shorthands : tuple of Shorthand
        Other names for values of these switches.
    decision_marks : tuple of str
        What follows a move in the notation where the player may choose: to decline the extra
        throw, and to make it.
    is_numbered : bool
        Whether the pieces are numbered, 1 to N.
    """

    name: ClassVar[str]
    paths: ClassVar[tuple[str, ...]] = ()
    dice: ClassVar[tuple[str, ...]] = ()
    max_pieces: ClassVar[int] = MAX_PIECES
    switches: ClassVar[tuple[Switch, ...]] = (EXTRA_THROW, FREE_OPENING)
    shorthands: ClassVar[tuple[Shorthand, ...]] = ()
    decision_marks: ClassVar[tuple[str, str]] = (STOP, "")
    is_numbered: ClassVar[bool] = False

    def __init__(self, rules: RuleData) -> None:
        self.rules = rules

    @cached_property
    def squares(self) -> dict[str, SquareRule]:
        """The kind of every square of the board."""
        given = self.rules.squares
        return {
            square: given.get(square) or self.square_rule(square)
            for square in self.rules.board.squares
        }

    @classmethod
    def faults(cls, rules: RuleData) -> list[str]:
        """Every way in which a rule set's data do not fit this family, in words."""
        faults = []
        most = min(cls.max_pieces, MAX_NUMBERED_PIECES if cls.is_numbered else MAX_PIECES)
        if not 1 <= rules.pieces <= most:
            faults.append(f"pieces is {rules.pieces!r}, not between 1 and {most}")
        if cls.paths and rules.path not in [PATHS[name] for name in cls.paths]:
            faults.append(f"path is {rules.path.name!r}, not {' or '.join(cls.paths)}")
        if cls.dice and rules.dice not in [DICE[name] for name in cls.dice]:
            faults.append(f"dice are {rules.dice.name!r}, not {' or '.join(cls.dice)}")
        faults += cls.dice_faults(rules.dice, rules.pieces)
        if max(rules.dice.throws) > len(rules.path):
            faults.append(
                f"{rules.dice.name} dice show {max(rules.dice.throws)}, a longer step than the "
                f"{len(rules.path)} squares of the path {rules.path.name!r}"
            )
        for switch in cls.switches:
            fault = switch.fault(rules.switches[switch.key], rules)
            if fault:
                faults.append(fault)
        faults = faults or cls.path_faults(rules)
        family = cls(rules)
        return faults or family._visit_faults() or family._marker_faults()

    @classmethod
    def dice_faults(cls, dice: Dice, pieces: int) -> list[str]:
        """Why the family cannot be played with dice, in words."""
        if dice.name == "bell" and "bell" not in cls.dice:
            return ["dice are 'bell', whose throws mean something in family 'bell' only"]
        return []

    @classmethod
    def path_faults(cls, rules: RuleData) -> list[str]:
        """Why the family cannot be played on a path, in words; all else of `rules` is sound."""
        return []

    def _visit_faults(self) -> list[str]:
        """Squares on which a piece's letter does not show which visit it is on."""
        path = self.rules.path
        visits = Counter(
            (path.light[index], marked)
            for marked in (False, True)
            for index in self.indices(marked)
        )
        twice = [place for place, count in visits.items() if count > 1]
        if not twice:
            return []
        named = {square for square, _ in twice}
        squares = " ".join(each for each in dict.fromkeys(path.light) if each in named)
        letters = " or ".join(
            repr(with_mark(LIGHT, mark)) for mark in sorted({m for _, m in twice})
        )
        return [
            f"the path {path.name!r} visits {squares} twice, and {self.rules.family} writes pieces "
            f"there alike on both visits, {letters}"
        ]

    def _marker_faults(self) -> list[str]:
        """Why an opening in which both sides enter a marker could not be played to its end."""
        if not self.both_enter:
            return []
        path, throws = self.rules.path, [throw for throw in self.rules.dice.throws if throw]
        others = " or ".join(map(repr, (LOTS, HIGHEST)))
        fault = f"opening is {BEN!r}, but {{}}; choose {others}".format
        first = {target for throw in throws for target in self.marker_targets(HOME, throw)}
        if all(one == other or self.is_same_square(one, other) for one in first for other in first):
            return [fault("no two throws bring the markers apart, so that it never ends")]
        levels = [HOME]
        for source in levels:
            targets = {
                target
                for throw in self.rules.dice.throws
                for target in self.marker_targets(source, throw)
            }
            if targets == {source}:
                return [fault(f"no throw moves a marker on from {path.light[source]}")]
            on = self.marker_on(source)
            follow = {
                target
                for throw in throws
                for target in self.marker_targets(source, throw)
                if target != source and not self.is_same_square(target, target)
            }
            for target in sorted(follow - {*levels}):
                levels.append(target)
            for target in follow:
                if self.stands(on, target) != self.marker_on(target):
                    return [
                        fault(
                            f"whether markers that are level on {path.light[target]} are marked "
                            f"depends on whether they were on {path.light[source]}"
                        )
                    ]
        return []

    @property
    def summary(self) -> str:
        """What sets a rule set of this family apart, in a line for a list of rule sets."""
        return (self.__doc__ or "").partition("\n")[0]

    @property
    def sentences(self) -> str:
        """The same in sentences, for whoever wants to play."""
        summary = self.summary.rstrip(".")
        return f"{summary[:1].upper()}{summary[1:]}."

    @property
    def marks(self) -> Mapping[str, str]:
        """By square, how drawings mark those, other than rosettes, that mean something here."""
        return {}

    @classmethod
    def spelled_out(
        cls, switches: Mapping[str, Any], before: Mapping[str, Any] = MappingProxyType({})
    ) -> dict[str, Any]:
        """Switches without shorthands, each replaced by what it stands for.

        `before` has the switches that they are to change. RuleSetError if a shorthand has a wrong
        value, or the switch that it stands for is given another one besides.
        """
        found = dict(switches)
        for short in cls.shorthands:
            if fault := short.fault(found.get(short.key, False), None):
                raise RuleSetError(f"rule set: {fault}")
            is_on = found.pop(short.key, None)
            if is_on is None:
                continue
            given = found.get(short.of)
            if short.of in found and is_on != (given == short.on):
                stands = f"{'' if is_on else 'not '}{short.on!r}"
                raise RuleSetError(
                    f"rule set: {short.key} is {str(is_on).lower()}, for which {short.of} is "
                    f"{stands}, but {short.of} is {given!r:.100}; give one of the two"
                )
            if is_on or before.get(short.of) == short.on:
                found.setdefault(short.of, short.on if is_on else short.off)
        return found

    @classmethod
    def has_race_turns(cls) -> bool:
        """Whether turns are those of rules, section 4, with the switches of the race family.

        That is: a throw of n moves one piece n squares, there are no choices besides the
        piece and a declined throw, and extra throws follow `extra_on_rosette`,
        `extra_on_capture` and `extra_on_throw`.
        """
        return False

    @property
    def may_decline(self) -> bool:
        """Whether a player who has earned an extra throw may end the turn instead."""
        return bool(self.rules.switches.get(EXTRA_THROW.key) == MAY)

    @property
    def is_plain_race(self) -> bool:
        """Whether squares too are those of rules, section 4, and no piece rests.

        The tiled kernel supports no other rules.
        """
        return not self.rests and self.has_race_turns() and not self.rules.squares

    @property
    def opening_throw(self) -> int | None:
        """The first player's first throw, if it decides who that is."""
        return 1 if self._opening == ONE else None

    @property
    def both_enter(self) -> bool:
        """Whether both sides throw and enter a marker to find the first player."""
        return self._opening == BEN

    @property
    def has_free_first_throw(self) -> bool:
        """Whether the first player begins at the start, with any throw."""
        return self.opening_throw is None and not self.both_enter

    @property
    def _opening(self) -> object:
        return self.rules.switches.get(FREE_OPENING.key)

    @property
    def payoff(self) -> Payoff:
        """The payoff of the game."""
        return CHANCES

    # What stands where.

    @property
    def second_leg(self) -> int:
        """The first path index at which pieces are written in lower case."""
        return self.rules.path.second_leg

    def square_rule(self, square: str) -> SquareRule:
        """The kind of `square`, unless the rule set says otherwise (`RuleSet.squares`)."""
        raise NotImplementedError

    @property
    def path_words(self) -> str:
        """Where pieces are written in lower case, in a sentence."""
        path, leg = self.rules.path, self.second_leg
        if leg >= len(path):
            return "There is no second leg."
        return f"The second leg begins at index {leg}, on {path.light[leg]}."

    def indices(self, marked: bool) -> tuple[int, ...]:
        """The path indices on which a piece may stand that is marked, or is not."""
        legs = range(self.second_leg), range(self.second_leg, len(self.rules.path))
        return tuple(legs[marked])

    def meets(self, piece: str, index: int) -> str:
        """The letter of `piece` as it meets the pieces on path index `index`."""
        return with_mark(piece, index >= self.second_leg)

    def stands(self, piece: str, index: int) -> str:
        """The letter of `piece` on path index `index` after landing there."""
        return self.meets(piece, index)

    @cached_property
    def rests(self) -> frozenset[int]:
        """The path indices on which a piece may rest, as its move may earn an extra throw there."""
        if not self.rules.switches.get(ANOTHER_PIECE.key):
            return frozenset()
        both = {*self.rules.path.light} & {*self.rules.path.dark}
        return frozenset(
            index
            for index, square in enumerate(self.rules.path.light)
            for throw in self.rules.dice.throws
            for is_capture in (False, True)[: 1 + (square in both)]
            if True in self.again(throw, square, is_capture)
        )

    @cached_property
    def places(self) -> dict[str, tuple[Place, ...]]:
        """For each side the cases in which its pieces may stand, by path index."""
        return {
            side: tuple(
                sorted(
                    Place(index, self.rules.path.squares(side)[index], with_mark(side, marked))
                    for marked in (False, True)
                    for index in self.indices(marked)
                )
            )
            for side in (LIGHT, DARK)
        }

    @cached_property
    def pieces_on(self) -> dict[str, tuple[str, ...]]:
        """For each square the pieces that may stand there, in the order ``L D l d``."""
        numbers = range(1, self.rules.pieces + 1) if self.is_numbered else ("",)
        return {
            square: in_order(
                tuple(
                    f"{place.letter}{number}{mark}"
                    for side in (LIGHT, DARK)
                    for place in self.places[side]
                    if place.square == square
                    for number in numbers
                    for mark in ("", RESTING)[: 1 + (place.path_index in self.rests)]
                )
            )
            for square in self.rules.board.squares
        }

    def arranged(self, square: str, pieces: tuple[str, ...]) -> str:
        """The contents of `square` when `pieces` stand there, as they are written."""
        is_stack = len(pieces) < 2 or self.squares[square].is_stack
        return "".join(pieces if is_stack else in_order(pieces))

    def contents_on(self, square: str) -> tuple[str, ...]:
        """All contents that `square` may have with light to throw, the fewest pieces first.

        At most N pieces of a side; each content is written in one way only. RuleSetError if there
        are more than `MAX_CONTENTS`.
        """
        rule, found, layer = self.squares[square], [""], [""]
        while layer:
            taller = {
                self.arranged(square, pieces)
                for content in layer
                for piece in self.pieces_on[square]
                if self.is_in_stock(pieces := (*split(content), piece))
                and rule.fault(split(awake("".join(pieces)))) is None
            }
            layer = sorted(taller)
            found += layer
            if len(found) > MAX_CONTENTS:
                raise RuleSetError(
                    f"{self.rules.word}: {square} may hold more than {MAX_CONTENTS:,} different "
                    "sets of pieces, the limit"
                )
        return tuple(found)

    def is_in_stock(self, pieces: tuple[str, ...]) -> bool:
        """Whether the sides have enough pieces to put these on one square, light to throw."""
        resting = [side_of(piece) for piece in pieces if is_resting(piece)]
        if resting and resting != [LIGHT]:
            return False
        if self.is_numbered:
            return len({piece.upper() for piece in pieces}) == len(pieces)
        sides = [side_of(piece) for piece in pieces]
        return max(sides.count(LIGHT), sides.count(DARK)) <= self.rules.pieces

    # What a throw does.

    def steps(self, throw: int) -> int:
        """How many squares `throw` moves a piece; 0 if it moves nothing."""
        return throw

    def may_enter(self, throw: int) -> bool:
        """Whether a piece may enter with `throw`."""
        return True

    def targets(self, piece: str, source: int, throw: int) -> tuple[int, ...]:
        """The path indices to which `throw` may move `piece`, for any contents.

        The path's length stands for bearing off, which needs the exact count.
        """
        steps = self.steps(throw)
        if steps == 0 or source + steps > len(self.rules.path):
            return ()
        return () if source == HOME and not self.may_enter(throw) else (source + steps,)

    def reached(self, piece: str, source: int, throw: int) -> tuple[int, ...]:
        """`targets`, but not the square that the piece stands on.

        This excludes its own square if the path returns to it within one throw.
        """
        path = self.rules.path.light
        return tuple(
            target
            for target in self.targets(piece, source, throw)
            if source == HOME or target == len(path) or path[target] != path[source]
        )

    def again(self, throw: int, square: str | None, is_capture: bool) -> tuple[bool, ...]:
        """Whether the same side throws again after a move; both if it may always choose.

        `square` is where the piece landed, None if it was borne off.
        """
        raise NotImplementedError

    def decisions(self, throw: int, square: str | None, is_capture: bool) -> tuple[bool, ...]:
        """As `again`, whose parameters it has; both if a throw is earned and may be declined."""
        earned = self.again(throw, square, is_capture)
        return (False, True) if self.may_decline and any(earned) else earned

    # What an opening is in which both sides enter a marker.

    def marker_on(self, source: int) -> str:
        """The letter of light's marker on a path index, where both are level or wait."""
        return LIGHT if source == HOME else self.stands(LIGHT, source)

    def marker_targets(self, source: int, throw: int) -> tuple[int, ...]:
        """The path indices to which a marker may go; where it is, if it cannot make the throw."""
        found = self.targets(self.marker_on(source), source, throw)
        return tuple(target for target in found if target < len(self.rules.path)) or (source,)

    def is_same_square(self, mine: int, theirs: int) -> bool:
        """Whether light's and dark's piece on these path indices are on one square."""
        path = self.rules.path
        return HOME not in (mine, theirs) and path.light[mine] == path.dark[theirs]

    # What a turn is.

    def choices(self, n_home: int, n_on_board: int) -> tuple[str, ...]:
        """The choices before a throw of a player with these counts of pieces."""
        return (FREE_THROW,)

    def moves_from(self, choice: str) -> tuple[bool, bool]:
        """Whether, after `choice`, a piece may move from home, and on the board."""
        return True, True

    def rolls(self, choice: str, candidate: int | None) -> tuple[Roll, ...]:
        """What may be thrown after `choice`.

        `candidate` is the lowest number at home, where pieces are numbered.
        """
        dice = self.rules.dice
        return tuple(Roll(dice.probabilities[throw], (throw,), throw) for throw in dice.throws)


def register_family(family: _F) -> _F:
    """Make a family known by its name; a decorator.

    Raises
    ------
    RuleSetError
        If the name is taken or malformed (as for `register_rules`), or one of its switches
        has the key of another family's and is of another kind.
    """
    check_name("family", family.name, FAMILIES)
    known = known_switches()
    for switch in family.switches:
        other = known.get(switch.key, switch)
        if type(other) is not type(switch):
            raise RuleSetError(
                f"family {family.name!r}: the switch {switch.key!r} is a "
                f"{type(switch).__name__}, and a {type(other).__name__} in another family; "
                "options and JSON know one of each key"
            )
    FAMILIES[family.name] = family
    return family


def known_switches() -> dict[str, Switch]:
    """The switches and shorthands of all families, by key; of those of one key the first."""
    found: dict[str, Switch] = {}
    for family in FAMILIES.values():
        for switch in (*family.switches, *family.shorthands):
            found.setdefault(switch.key, switch)
    return found


def family_named(name: object) -> type[Family]:
    """The family called `name`; UnregisteredError if there is none."""
    family = registered(name, FAMILIES)
    if family is None:
        raise UnregisteredError(
            f"family is {name!r:.100}; the families are {', '.join(FAMILIES)}, and those that "
            "plugins and modules imported by --import register"
        )
    return family
