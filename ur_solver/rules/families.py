"""The families of the package: the code halves of its rule sets."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from typing import ClassVar

from ur_solver.common.sayings import say, together
from ur_solver.rules.board import EYES, FOUR_FIVES, QUARTERED, UR, WAVY_CORNERS, Dice, square_marks
from ur_solver.rules.contents import is_marked, with_mark
from ur_solver.rules.family import (
    AGAIN,
    ANOTHER_PIECE,
    BEN,
    ENTER,
    EXTRA_THROW,
    FREE_OPENING,
    MAY,
    MOVE,
    MUST,
    NEVER,
    ONE,
    Family,
    OpeningSwitch,
    Roll,
    register_family,
)
from ur_solver.rules.limits import MAX_CAPACITY
from ur_solver.rules.payoff import CHANCES, Payoff
from ur_solver.rules.settings import (
    CountSwitch,
    Flag,
    OneOf,
    RuleData,
    Shorthand,
    SquaresSwitch,
    StakesSwitch,
    Switch,
    ThrowSwitch,
)
from ur_solver.rules.squares import (
    CapturedBy,
    Converting,
    Dueling,
    Finish,
    Ordinary,
    Paired,
    Refuge,
    Shared,
    SquareRule,
    Stack,
)


# The race family (rules, section 4): Finkel's game, Masters', Murray's, Blitz, Aseb.
@register_family
class Race(Family):
    """One piece a square; extra throws after rosettes, captures or a certain throw."""

    name = "race"
    switches = (
        Flag("safe_rosettes", True, "Protect pieces on rosettes from capture."),
        Flag("extra_on_rosette", True, "Give an extra throw for landing on a rosette."),
        Flag("extra_on_capture", False, "Give an extra throw for a capture."),
        ThrowSwitch("extra_on_throw", None, "Give an extra throw for the move of this throw."),
        ANOTHER_PIECE,
        EXTRA_THROW,
        FREE_OPENING,
    )

    @classmethod
    def has_race_turns(cls) -> bool:
        """They are; a subclass may differ."""
        return cls is Race

    @property
    def summary(self) -> str:
        """Whether rosettes are safe, and what gives an extra throw."""
        switches = self.rules.switches
        throw = switches["extra_on_throw"]
        causes = {
            "rosettes": switches["extra_on_rosette"],
            "captures": switches["extra_on_capture"],
            f"a throw of {throw}": throw is not None,
        }
        given = " and ".join(cause for cause, is_given in causes.items() if is_given)
        safe = "safe" if switches["safe_rosettes"] else "unsafe"
        extra = f"extra throws for {given}" if given else "no extra throws"
        may = "optional " if given and self.may_decline else ""
        return f"{safe} rosettes; {may}{extra}"

    @property
    def sentences(self) -> str:
        """As for every family."""
        switches, throw = self.rules.switches, self.rules.switches["extra_on_throw"]
        given = [
            say(f"family.again.{cause}")
            for cause, key in (("rosette", "extra_on_rosette"), ("capture", "extra_on_capture"))
            if switches[key]
        ]
        given += [] if throw is None else [say("family.again.throw", throw=throw)]
        may = say("family.again.may") if given and self.may_decline else ""
        safe = say("family.safe" if switches["safe_rosettes"] else "family.unsafe")
        return together(safe, *(given or [say("family.again.none")]), may)

    def square_rule(self, square: str) -> SquareRule:
        """An ordinary square; where rosettes are safe, no capture on them."""
        is_safe = self.rules.switches["safe_rosettes"] and square in self.rules.rosettes
        return Ordinary(is_safe=is_safe)

    def again(self, throw: int, square: str | None, is_capture: bool) -> tuple[bool, ...]:
        """As the rule set's switches say."""
        switches = self.rules.switches
        return (
            (switches["extra_on_rosette"] and square in self.rules.rosettes)
            or (switches["extra_on_capture"] and is_capture)
            or switches["extra_on_throw"] == throw,
        )


# Bell's game (rules, section 5.1), with or without stakes. With stakes the number of fines is
# unlimited; `ur_solver.space.stakes` describes the cut.

_STEPS = (4, 0, 1, 5)
_ENTERING_THROW = 3


@register_family
class Bell(Family):
    """Throws of 4, 0, 1 and 5 squares, and another throw after every move."""

    name = "bell"
    switches = (StakesSwitch("stakes", None, "Play for money."), EXTRA_THROW, FREE_OPENING)

    @classmethod
    def faults(cls, rules: RuleData) -> list[str]:
        """Faults of the common data, and stakes with throws that may be declined."""
        faults = super().faults(rules)
        if rules.switches["stakes"] and rules.switches[EXTRA_THROW.key] != MUST:
            faults.append(
                "stakes are played for with extra_throw 'must' only: values are solved fine by "
                "fine, for which a turn may end only where there is no move"
            )
        return faults

    @classmethod
    def dice_faults(cls, dice: Dice, pieces: int) -> list[str]:
        """Dice that show other throws than 0 to 3, or never the one that enters."""
        if {_ENTERING_THROW} <= {*dice.throws} <= {*range(len(_STEPS))}:
            return []
        return [
            f"{dice.name} dice show {', '.join(map(str, dice.throws))}; {cls.name} is played with "
            f"throws of 0 to {len(_STEPS) - 1}, and a piece enters with {_ENTERING_THROW}"
        ]

    @classmethod
    def path_faults(cls, rules: RuleData) -> list[str]:
        """A path shorter than the longest step, or one that is not supported with stakes."""
        path, longest = rules.path, max(_STEPS)
        if len(path) < longest:
            return [f"the path {path.name!r} has {len(path)} squares, not {longest} or more"]
        shared = [square for square in path.light if square in path.dark]
        if rules.switches["stakes"] and len({*shared}) < len(shared):
            return [
                f"the path {path.name!r} visits squares of both sides twice, which is not "
                "supported with stakes"
            ]
        return []

    @property
    def payoff(self) -> Payoff:
        """The stakes, if there are any."""
        return self.rules.switches["stakes"] or CHANCES

    @property
    def summary(self) -> str:
        """Its throws, and what is played for."""
        stakes = "; fines on rosettes, for money" if self.rules.switches["stakes"] else ""
        steps = ", ".join(str(self.steps(throw)) for throw in self.rules.dice.throws)
        return f"throws move {steps}; every move throws again{stakes}"

    @property
    def sentences(self) -> str:
        """As for every family."""
        stakes = say("card.bell-stakes.what") if self.rules.switches["stakes"] else ""
        return together(say("card.bell.what"), stakes)

    def square_rule(self, square: str) -> SquareRule:
        """An ordinary square; no capture on rosettes."""
        return Ordinary(is_safe=square in self.rules.rosettes)

    def steps(self, throw: int) -> int:
        """How many squares `throw` moves a piece, by rules, section 5.1."""
        return _STEPS[throw]

    def may_enter(self, throw: int) -> bool:
        """Only with throw 3, on path index 4."""
        return throw == _ENTERING_THROW

    def again(self, throw: int, square: str | None, is_capture: bool) -> tuple[bool, ...]:
        """After any move made, throw again."""
        return (True,)


# The casual game (rules, section 5.2): rosettes that all may share, and no extra throws.
@register_family
class Casual(Family):
    """Shared rosettes; `extra_throw` may give an extra throw for landing on one."""

    name = "casual"
    switches: ClassVar[tuple[Switch, ...]] = (
        OneOf(
            EXTRA_THROW.key,
            {
                NEVER: "There are no extra throws.",
                MUST: "Landing on a rosette gives an extra throw.",
                MAY: "Landing on a rosette gives an extra throw, which may be declined.",
            },
            NEVER,
            EXTRA_THROW.help,
            {MAY: "roll-again"},
        ),
        FREE_OPENING,
    )
    shorthands: ClassVar[tuple[Shorthand, ...]] = (
        Shorthand(
            "roll_again",
            EXTRA_THROW.key,
            MAY,
            NEVER,
            "Let a player who lands on a rosette choose to throw again.",
        ),
    )
    decision_marks = ("", AGAIN)

    @property
    def summary(self) -> str:
        """Shared rosettes, and what they give."""
        again = {NEVER: "no extra throws", MUST: "throw again there", MAY: "may throw again there"}
        return f"any pieces share a rosette; {again[self.rules.switches[EXTRA_THROW.key]]}"

    @property
    def sentences(self) -> str:
        """As for every family."""
        keys = {
            NEVER: "card.casual.what",
            MUST: "family.casual",
            MAY: "card.casual-roll-again.what",
        }
        return say(keys[self.rules.switches[EXTRA_THROW.key]])

    def square_rule(self, square: str) -> SquareRule:
        """Rosettes are shared, all else is ordinary."""
        return Shared() if square in self.rules.rosettes else Ordinary()

    def again(self, throw: int, square: str | None, is_capture: bool) -> tuple[bool, ...]:
        """After landing on a rosette, unless there are no extra throws."""
        return (self.rules.switches[EXTRA_THROW.key] != NEVER and square in self.rules.rosettes,)


# The birds (rules, section 5.3): numbered pieces that enter by throwing their number.

_ZERO_COUNTS_AS = 5
"""What a first throw of 0 counts as, where dice cannot show it, as four dice cannot (a reading)."""


@register_family
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

    @property
    def sentences(self) -> str:
        """As for every family."""
        return say("card.birds.what")

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


# Skiriuk's game (rules, section 5.4): stacks, and pieces that turn over half way.

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


@register_family
class Skiriuk(Family):
    """Pieces of one status duel; eyes are depots, four-fives islands."""

    name = "skiriuk"
    switches = (
        OneOf(
            "flip",
            {"beyond": "", "on": ""},  # `path_words` says it
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
            "The most pieces in a stack: {}.",
        ),
        _flag(
            "finish_stacks",
            help="Let marked pieces form a stack on B1.",
            meaning="Marked pieces form a stack on B1.",
        ),
        _flag(
            "any_from_shared_depot",
            help="Let any piece of a depot in row B, as B7 is, move.",
            meaning="Any piece of a depot in row B may move.",
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
        rules, visited = self.rules, {*self.rules.path.light}
        turns = self.second_leg < len(rules.path)
        depots = "eyes" if rules.switches[_DEPOTS.key] is None else "depots"
        stacks = [
            *([depots] if visited & _DEPOTS.of(rules) else []),
            *(["four-fives"] if rules.board == UR and visited & FOUR_FIVES else []),
        ]
        over = "pieces turn over half way" if turns else "no piece turns over"
        return f"{over}; {'stacks on ' + ' and '.join(stacks) if stacks else 'no stacks'}"

    @property
    def sentences(self) -> str:
        """As for every family."""
        turns = self.second_leg < len(self.rules.path)
        return say("card.skiriuk.what" if turns else "family.blank")

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

    @property
    def path_words(self) -> str:
        """Where pieces turn over, in a sentence."""
        path, leg = self.rules.path, self.second_leg
        if leg >= len(path):
            return "No piece turns over."
        at = {"beyond": ", beyond the corner", "on": ", the corner"}[self.rules.switches["flip"]]
        has_corner = not _CORNERS.of(self.rules).isdisjoint(path.light)
        return f"Pieces turn over at index {leg}, on {path.light[leg]}{at * has_corner}."

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


# Ben's game (rules, section 5.5): pieces converted on the wavy corners, and jumps.

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


@register_family
class Ben(Family):
    """A piece is marked once it has ended a move on a conversion square."""

    name = "ben"
    switches = (_CONVERSIONS, _FOUR_EYES, EXTRA_THROW, OpeningSwitch(BEN))

    @classmethod
    def path_faults(cls, rules: RuleData) -> list[str]:
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
        """Conversions, extra throws and jumps."""
        switches, visited = self.rules.switches, {*self.rules.path.light}
        eyes = "eyes" if switches[_FOUR_EYES.key] is None else "4-eyes"
        return "; ".join(
            [
                f"{'corners' if switches[_CONVERSIONS.key] is None else 'squares'} convert pieces",
                *([f"{eyes} throw again"] if visited & _FOUR_EYES.of(self.rules) else []),
                *(["0 is a jump"] if _JUMP in self.rules.dice.throws else []),
            ]
        )

    @property
    def sentences(self) -> str:
        """As for every family."""
        jumps = say("family.jump") if _JUMP in self.rules.dice.throws else ""
        return together(say("family.marked"), jumps)

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
