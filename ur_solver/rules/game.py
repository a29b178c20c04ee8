"""A game: rule sets, their positions and their legal moves, in plain Python.

This is the definition of the game, slow and readable on purpose; the compiled solver is tested
against it. It moves pieces alike for every rule set; the rule set's family
(`ur_solver.rules.family`) defines squares, throws and turns.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from typing import Any, SupportsIndex

from ur_solver.common.sayings import say, together
from ur_solver.common.text import counted, json_text
from ur_solver.errors import (
    IllegalPositionError,
    MoveError,
    RuleSetError,
    RuleSetMismatchError,
    WrongTypeError,
)
from ur_solver.rules.board import Board, Dice, Path, mirror_square
from ur_solver.rules.contents import (
    DARK,
    LIGHT,
    RESTING,
    Pieces,
    awake,
    in_order,
    is_resting,
    number_of,
    opponent,
    side_of,
    split,
    swap_sides,
)
from ur_solver.rules.drawing import position_text
from ur_solver.rules.effects import idle_switches
from ur_solver.rules.family import FREE_THROW, HOME, MOVE, Family, family_named
from ur_solver.rules.payoff import Payoff, Stakes
from ur_solver.rules.position_text import read, written
from ur_solver.rules.registry import check_name
from ur_solver.rules.settings import MAX_NAME, FrozenMap, RuleData, is_name
from ur_solver.rules.squares import SquareRule
from ur_solver.rules.written import name_of_changed, rules_from_json, rules_to_json


@dataclass(frozen=True, repr=False)
class RuleSet(RuleData):
    """What two players must agree on before the first throw.

    Rule sets can be compared, hashed and pickled. Two that differ in their names only, or in
    how far a table of them reaches, are not equal but the same game (`is_same_game`).

    Parameters
    ----------
    name : str
        For people; 1 to 80 printable characters.
    path : Path
        Light's way across the board; it names the board too.
    dice : Dice
    pieces : int
        N, the pieces of each side, 1 to `limits.MAX_PIECES`.
    family : str
        The code that these data complete: a key of `FAMILIES`.
    switches : mapping of str to bool, int, str, Stakes or None
        The switches of the family that are not at their default, or its shorthands. Once made, a
        rule set has all switches of its family here, and no others.
    squares : mapping of str to SquareRule
        The squares whose rule differs from what the family says. A rule goes for a square's
        mirror image too.

    Raises
    ------
    WrongTypeError
        If the path, the dice or the count of pieces is of another type.
    RuleSetError
        Listing every way in which the data contradict each other or the family.
    """

    def __post_init__(self) -> None:
        if isinstance(self.pieces, SupportsIndex):  # also of numpy, whose numbers JSON has not
            object.__setattr__(self, "pieces", int(self.pieces))
        for key, kind in (("path", Path), ("dice", Dice), ("pieces", int)):
            if not isinstance(value := getattr(self, key), kind):
                raise WrongTypeError(
                    f"rule set {self.name!r:.100}: {key} is {value!r:.60}, not of type "
                    f"{kind.__name__}"
                )
        family = family_named(self.family)
        given = family.spelled_out(self.switches)
        switches = {each.key: given.pop(each.key, each.default) for each in family.switches}
        object.__setattr__(self, "switches", FrozenMap(switches))
        faults = [
            f"{family.name} has no switch {key!r}; it has {', '.join(switches) or 'none'}"
            for key in given
        ]
        if not is_name(self.name):
            faults.append(f"name is {self.name!r:.100}, not a text of 1 to {MAX_NAME} characters")
        squares = dict(self.squares)
        object.__setattr__(self, "squares", FrozenMap({}))
        faults += family.faults(self)
        if squares and not faults:
            faults += self._take_squares(squares, family)
        if faults:
            raise RuleSetError(f"rule set {self.name!r:.100}: " + "; ".join(faults))

    def _take_squares(self, given: dict[str, SquareRule], family: type[Family]) -> list[str]:
        """Keep the rules that differ from those of the family; their faults, in words."""
        faults = [
            f"{square!r:.20} is no square of the board {self.board.name!r}"
            for square in given
            if square not in self.board.squares
        ]
        faults += [
            f"the rule of {square} is {rule!r:.100}, not a SquareRule"
            for square, rule in given.items()
            if not isinstance(rule, SquareRule)
        ]
        faults += [
            f"{square} and {mirror_square(square)} mirror each other and have different rules"
            for square, rule in given.items()
            if square.startswith("A") and given.get(mirror_square(square), rule) != rule
        ]
        if not faults:
            given |= {mirror_square(square): rule for square, rule in given.items()}
            usual = family(self).squares
            own = {
                square: given[square]
                for square in self.board.squares
                if square in given and given[square] != usual[square]
            }
            object.__setattr__(self, "squares", FrozenMap(own))
        return faults

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self._fields())

    def _fields(self) -> tuple[Any, ...]:
        return tuple(getattr(self, each.name) for each in fields(self))

    def __reduce__(self) -> tuple[Any, ...]:
        # what is cached is left out: the mechanics, and a hash that another process has not;
        # a family from elsewhere is registered as its module is imported
        return _restored, (family_named(self.family), self._fields())

    def __repr__(self) -> str:
        return f"RuleSet({self.word!r})"

    @cached_property
    def mechanics(self) -> Family:
        """The family's code, bound to these data."""
        return family_named(self.family)(self)

    @cached_property
    def payoff(self) -> Payoff:
        """What is played for."""
        return self.mechanics.payoff

    @property
    def stakes(self) -> Stakes | None:
        """The stakes; None where what is played for is the chance of winning."""
        stakes = self.payoff
        return stakes if isinstance(stakes, Stakes) else None

    # Positions and moves.

    def start(self) -> Position:
        """The start of a game, light about to throw.

        Examples
        --------
        >>> import ur_solver as ur
        >>> ur.rule_set("finkel:3").start().notation
        '....__../......../....__.. L 3 3'
        """
        empty = ("",) * len(self.board.squares)
        numbers = tuple(range(1, self.pieces + 1)) if self.mechanics.is_numbered else ()
        return Position(self, empty, LIGHT, self.pieces, self.pieces, (numbers, numbers))

    def position(self, text: str) -> Position:
        """The position that `text` writes, checked against these rules.

        Parameters
        ----------
        text : str
            In the notation of `ur_solver.rules.position_text`. Where the order of pieces on a
            square does not matter, any order is understood.

        Raises
        ------
        WrongTypeError
            If it is no text.
        PositionSyntaxError
            Naming the part at fault and what was expected there.
        IllegalPositionError
            Listing every way in which the rule set forbids the position.
        """
        if not isinstance(text, str):
            raise WrongTypeError(
                f"position {text!r:.60} is of type {type(text).__name__}; expected a text"
            )
        position = Position(self, *read(self.mechanics, text))
        faults = position.faults()
        if faults:
            raise IllegalPositionError(f"position {text!r}: " + "; ".join(faults))
        return position

    def legal_moves(self, position: Position, throw: int, choice: str = FREE_THROW) -> list[Move]:
        """All legal moves of the side to throw, by path index of the piece that moves.

        Parameters
        ----------
        position : Position
            Of these rules.
        throw : int
            What the dice show; where a turn takes two throws, the second.
        choice : str
            The choice before the throw, in birds ``"move"`` (as if nothing is given) or
            ``"enter"``.

        Returns
        -------
        list of Move
            Empty if the throw moves nothing, there is no legal move, or the game is over;
            the turn then passes to the other side (`Position.pass_turn`).

        Raises
        ------
        ThrowError
            If the dice cannot show `throw`.
        RuleSetMismatchError
            If the position is of other rules.

        Examples
        --------
        >>> import ur_solver as ur
        >>> rules = ur.rule_set("finkel:3")
        >>> rules.legal_moves(rules.start(), 2)
        [Move('A@A3')]
        """
        self.check_position(position)
        return legal_moves(position, throw, choice)

    def find_move(
        self, position: Position, throw: int, text: str, choice: str = FREE_THROW
    ) -> Move:
        """The legal move that `text` writes; the other parameters are those of `legal_moves`.

        Raises
        ------
        MoveError
            If it is not legal here, or the choice is not allowed; the message lists what is.
        ThrowError, RuleSetMismatchError
            As `legal_moves` does.
        """
        moves = self.legal_moves(position, throw, choice)
        self._check_choice(position, choice)
        for move in moves:
            if move.text == text:
                return move
        legal = ", ".join(move.text for move in moves) or "none, the turn passes"
        raise MoveError(
            f"move {text[:40]!r} is not legal with throw {throw} in {position.notation!r}; "
            f"legal: {legal}"
        )

    def play(
        self, position: Position, throw: int, move: str | Move | None, choice: str = FREE_THROW
    ) -> Position:
        """The position after a throw and a move.

        Parameters
        ----------
        position, throw, choice
            As for `legal_moves`.
        move : str or Move or None
            A legal move or its text; None passes the turn, which is allowed only where there
            is no legal move.

        Raises
        ------
        MoveError
            If the move is not legal here, or the choice is not allowed; the message lists what is.
        ThrowError, RuleSetMismatchError
            As `legal_moves` does.

        Examples
        --------
        >>> import ur_solver as ur
        >>> rules = ur.rule_set("finkel:3")
        >>> rules.play(rules.start(), 2, "A@A3").notation
        '..L.__../......../....__.. D 2 3'
        """
        if move is not None:
            return self.find_move(position, throw, str(move), choice).position
        moves = self.legal_moves(position, throw, choice)
        self._check_choice(position, choice)
        if moves:
            legal = ", ".join(each.text for each in moves)
            raise MoveError(
                f"throw {throw} cannot be passed in {position.notation!r}; legal: {legal}"
            )
        return position.pass_turn()

    def _check_choice(self, position: Position, choice: str) -> None:
        side, family = position.side, self.mechanics
        allowed = family.choices(position.home(side), position.on_board(side))
        chosen = choice if choice != FREE_THROW or FREE_THROW in allowed else MOVE
        if position.winner is None and chosen not in allowed:
            raise MoveError(
                f"{chosen!r} is not allowed before the throw in {position.notation!r}; "
                f"allowed: {', '.join(filter(None, allowed)) or 'none'}"
            )

    def check_position(self, position: Position) -> None:
        """Raise WrongTypeError if it is no position, RuleSetMismatchError if its rules differ."""
        if not isinstance(position, Position):
            raise WrongTypeError(
                f"position {position!r:.60} is of type {type(position).__name__}; expected a "
                "Position, such as `RuleSet.position` makes of a text"
            )
        if position.rules is not self and not position.rules.is_same_game(self):
            raise RuleSetMismatchError(
                f"position {position.notation!r} is of {position.rules.word}, not of {self.word}"
            )

    def with_pieces(self, pieces: int) -> RuleSet:
        """The same rules with another count of pieces."""
        return _with_pieces(self, pieces) if type(pieces) is int else replace(self, pieces=pieces)

    def changed(
        self,
        *,
        name: str | None = None,
        path: Path | None = None,
        dice: Dice | None = None,
        pieces: int | None = None,
        squares: Mapping[str, SquareRule] | None = None,
        **switches: Any,
    ) -> RuleSet:
        """The same rules with some of their data changed.

        Parameters
        ----------
        name : str, optional
            By default the name of the catalogue's rule set that these rules come from, and
            in what they now differ from it: ``finkel-no-safe-rosettes``.
        path, dice, pieces, squares, switches : optional
            As for `RuleSet`, the switches by their keys; what is not given stays.

        Raises
        ------
        RuleSetError
            As `RuleSet` does.

        Examples
        --------
        >>> import ur_solver as ur
        >>> hard = ur.rule_set("finkel").changed(safe_rosettes=False)
        >>> hard.name
        'finkel-no-safe-rosettes'
        >>> hard.changed(safe_rosettes=True) == ur.rule_set("finkel")
        True
        """
        rules = RuleSet(
            self.name if name is None else name,
            self.path if path is None else path,
            self.dice if dice is None else dice,
            self.pieces if pieces is None else pieces,
            self.family,
            {**self.switches, **family_named(self.family).spelled_out(switches, self.switches)},
            self.squares if squares is None else squares,
        )
        if name is not None:
            return rules
        catalogue = (*CATALOGUE.values(), *filter(None, map(catalogued, OLD_NAMES)))
        return replace(rules, name=name_of_changed(self, rules, catalogue))

    @cached_property
    def idle_switches(self) -> tuple[str, ...]:
        """The keys of switches that are turned and change nothing here.

        Without them the rules are the same: `changed` with their defaults has another name and
        the same values.

        Examples
        --------
        >>> import ur_solver as ur
        >>> ur.rule_set("finkel").changed(extra_on_rosette=False, another_piece=True).idle_switches
        ('another_piece',)
        """
        return idle_switches(self)

    def settled(self) -> RuleSet:
        """The same rules with the reach of its stakes, if there are any, written out."""
        if self.stakes is None:
            return self
        stakes = replace(self.stakes, reach=self.stakes.reach_of(self.pieces))
        return replace(self, switches={**self.switches, "stakes": stakes})

    def is_same_game(self, other: RuleSet) -> bool:
        """Whether both are the same game, whatever their names."""
        return self is other or self._game == other._game

    @cached_property
    def _game(self) -> tuple[object, ...]:
        return (
            self.path.light,
            self.path.second_leg,
            self.board.rows,
            self.board.rosettes,
            self.dice.probabilities,
            self.pieces,
            self.family,
            tuple(
                each.played(self.switches[each.key]) for each in family_named(self.family).switches
            ),
            self.squares,
        )

    def to_json(self) -> dict[str, Any]:
        """The rule set as JSON values; `from_json` is the inverse."""
        return rules_to_json(self)

    @staticmethod
    def from_json(values: object) -> RuleSet:
        """A rule set from JSON values, or from their text.

        Raises
        ------
        RuleSetError
            Saying which key is wrong, what it holds and what would be right.
        """
        return RuleSet(**rules_from_json(values))


def _restored(family: type[Family], values: tuple[Any, ...]) -> RuleSet:
    """The rule set that was pickled; its family came along to have its module imported."""
    del family
    return RuleSet(*values)


CATALOGUE: dict[str, RuleSet] = {}
"""The rule sets with their usual counts of pieces, by name."""

OLD_NAMES: dict[str, str] = {"masters-games": "four-again", "murray-3dice": "murray-0-to-3"}
"""By their names in earlier versions, which stay valid, the names of rule sets of the catalogue."""


def register_rules(rules: RuleSet) -> RuleSet:
    """Add a rule set to the catalogue, under its name.

    Returns
    -------
    RuleSet
        The same.

    Raises
    ------
    RuleSetError
        If the name is taken, or is not of lower case letters, digits and single hyphens.

    Examples
    --------
    >>> from ur_solver.rules import DICE, PATHS, RuleSet, named_rules, register_rules
    >>> from ur_solver.rules import CATALOGUE
    >>> _ = register_rules(RuleSet("finkel-d4", PATHS["bell"], DICE["d4"], 7))
    >>> named_rules("finkel-d4:3").start().notation
    '....__../......../....__.. L 3 3'
    >>> del CATALOGUE["finkel-d4"]
    """
    check_name("rule set", rules.name, CATALOGUE | OLD_NAMES)
    CATALOGUE[rules.name] = rules
    return rules


@lru_cache(maxsize=256)
def _with_pieces(rules: RuleSet, pieces: int) -> RuleSet:
    """The same rules with another count of pieces: every record of a game asks for its own."""
    return replace(rules, pieces=pieces)


def catalogued(name: str) -> RuleSet | None:
    """The rule set of the catalogue with a name; None if there is none.

    One that is asked for by its old name has that name: tables, records and JSON are as before.
    """
    new = OLD_NAMES.get(name)
    return CATALOGUE.get(name) if new is None else dataclasses.replace(CATALOGUE[new], name=name)


def is_catalogued(rules: RuleSet) -> bool:
    """Whether a rule set is the catalogue's of its name, with any count of pieces."""
    known = catalogued(rules.name)
    return (
        known is not None
        and known.family == rules.family
        and known.with_pieces(rules.pieces).is_same_game(rules)
    )


def by_every_name(rules: RuleSet) -> list[RuleSet]:
    """A rule set by its name, then by the others that it has or had in the catalogue."""
    if not is_catalogued(rules):
        return [rules]
    name = OLD_NAMES.get(rules.name, rules.name)
    names = [name, *(old for old, new in OLD_NAMES.items() if new == name)]
    return [rules, *(replace(rules, name=each) for each in names if each != rules.name)]


def digest_of(rules: RuleSet) -> str:
    """A digest of a rule set's data without its name: 16 hexadecimal digits."""
    import hashlib  # noqa: PLC0415 - 3 ms that positions and moves do not need

    values = rules.settled().to_json()
    del values["name"]
    return hashlib.sha256(json_text(values, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True, repr=False)
class Position:
    """The board with both sides' pieces and the side about to throw, under some rules.

    `RuleSet.start` and `RuleSet.position` make positions that obey their rules; this
    constructor checks the number of squares only, `faults` the rest.

    Parameters
    ----------
    rules : RuleSet
        Positions of rule sets that differ are different.
    contents : tuple of str
        The contents of each square, in the order of `Board.squares`, as in
        `ur_solver.rules.contents`; an empty string for an empty square.
    side : str
        The side about to throw, ``"L"`` or ``"D"``.
    light_home, dark_home : int
        Pieces that have not entered.
    numbers_home : pair of tuple of int
        With numbered pieces, those of light and of dark at home, ascending.
    fines : int
        With stakes, the fines paid so far by both sides.

    Examples
    --------
    >>> import ur_solver as ur
    >>> rules = ur.rule_set("finkel:3")
    >>> position = rules.position("L...__../..D...../....__.. L 2 2")
    >>> position
    Position('finkel:3', 'L...__../..D...../....__.. L 2 2')
    >>> print(position)
         1  2  3  4  5  6  7  8
      A  L  .  .  .        *  .
      B  .  .  D  *  .  .  .  .
      C  *  .  .  .        *  .
    <BLANKLINE>
      light  home 2  off 0  to throw
      dark   home 2  off 0
    """

    rules: RuleSet = field(hash=False)
    contents: tuple[str, ...]
    side: str
    light_home: int
    dark_home: int
    numbers_home: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    fines: int = 0

    def __post_init__(self) -> None:
        if len(self.contents) != len(self.rules.board.squares):
            raise ValueError(
                f"contents of {counted(len(self.contents), 'square')}; the board "
                f"{self.rules.board.name!r} has {len(self.rules.board.squares)}"
            )

    def __repr__(self) -> str:
        return f"Position({self.rules.word!r}, {self.notation!r})"

    def __str__(self) -> str:
        return position_text(self)

    def _repr_html_(self) -> str:
        from ur_solver.rules.svg import board_picture  # noqa: PLC0415 - notebooks

        return f'<div style="max-width:26em">{board_picture(self)}</div>'

    @property
    def mechanics(self) -> Family:
        """The family's code, bound to the rules."""
        return self.rules.mechanics

    @property
    def notation(self) -> str:
        """The position as text (`ur_solver.rules.position_text`); `RuleSet.position` reads it."""
        homes = self.home_text(LIGHT), self.home_text(DARK)
        return written(self.mechanics, self.contents, self.side, homes, self.fines)

    def home(self, side: str) -> int:
        """How many pieces of `side` are at home."""
        return self.light_home if side == LIGHT else self.dark_home

    def home_text(self, side: str) -> str:
        """The number of pieces of `side` at home; of numbered ones the list, or ``-``."""
        if self.rules.mechanics.is_numbered:
            return "".join(map(str, self.numbers(side))) or "-"
        return str(self.home(side))

    def numbers(self, side: str) -> tuple[int, ...]:
        """The numbered pieces of `side` that are at home, ascending."""
        return self.numbers_home[side == DARK]

    def on_board(self, side: str) -> int:
        """How many pieces of `side` are on the board."""
        pieces = "".join(self.contents)
        return pieces.count(side) + pieces.count(side.lower())

    def n_off(self, side: str) -> int:
        """How many pieces of `side` have been borne off."""
        return self.rules.pieces - self.home(side) - self.on_board(side)

    @property
    def winner(self) -> str | None:
        """The side that has borne off all its pieces; otherwise None."""
        for side in (LIGHT, DARK):
            if self.home(side) == 0 and self.on_board(side) == 0:
                return side
        return None

    def awake(self) -> Position:
        """The same position, in which no piece rests."""
        if not self.rules.mechanics.rests:
            return self
        return replace(self, contents=tuple(map(awake, self.contents)))

    def pass_turn(self) -> Position:
        """The position after a turn without a move."""
        return replace(self.awake(), side=opponent(self.side))

    def mirror(self) -> Position:
        """The same position with the players exchanged: rows A and C, and the colours."""
        rules = self.rules
        contents = tuple(
            rules.mechanics.arranged(square, split(content)) if len(content) > 1 else content
            for square, content in zip(
                rules.board.squares,
                [swap_sides(self.contents[index]) for index in _mirror_indices(rules.board)],
                strict=True,
            )
        )
        light_numbers, dark_numbers = self.numbers_home
        return Position(
            rules,
            contents,
            opponent(self.side),
            self.dark_home,
            self.light_home,
            (dark_numbers, light_numbers),
            self.fines,
        )

    def faults(self) -> list[str]:
        """Every fault of this position by the rules, in words; empty if there is none.

        A position without faults need not be reachable from the start.
        """
        rules, faults = self.rules, []
        for square, content in zip(rules.board.squares, self.contents, strict=True):
            if content:
                faults += _square_faults(rules, square, content)
        for name, side in (("light", LIGHT), ("dark", DARK)):
            count = self.home(side) + self.on_board(side)
            if count > rules.pieces:
                faults.append(say("fault.many", side=name, count=count, most=rules.pieces))
            if rules.mechanics.is_numbered:
                faults += _number_faults(self, name, side)
        faults += _resting_faults(self)
        if all(self.n_off(side) == rules.pieces for side in (LIGHT, DARK)):
            faults.append(say("fault.over"))
        return faults


@lru_cache(maxsize=8)
def _mirror_indices(board: Board) -> tuple[int, ...]:
    index = {square: i for i, square in enumerate(board.squares)}
    return tuple(index[mirror_square(square)] for square in board.squares)


def _square_faults(rules: RuleSet, square: str, content: str) -> list[str]:
    held, may_stand = split(content), rules.mechanics.pieces_on[square]
    strangers = in_order(tuple({piece for piece in held if piece not in may_stand}))
    if strangers:
        key = f"fault.stranger{'' if may_stand else '.none'}"
        return [say(key, piece=f"{each!r}", square=square, allowed=may_stand) for each in strangers]
    fault = rules.mechanics.squares[square].fault(split(awake(content)))
    if not fault:
        return []
    return [together(say("fault.stands", pieces=f"{content!r}", square=square), fault)]


def _resting_faults(position: Position) -> list[str]:
    pieces = [piece for content in position.contents for piece in split(content)]
    sides = [side_of(piece) for piece in pieces if is_resting(piece)]
    if len(sides) > 1:
        return [say("fault.rests", count=len(sides))]
    if sides and sides != [position.side]:
        return [say("fault.resting")]
    return []


def _number_faults(position: Position, name: str, side: str) -> list[str]:
    pieces, numbers = position.rules.pieces, list(position.numbers(side))
    for content in position.contents:
        numbers += (number_of(piece) for piece in split(content) if side_of(piece) == side)
    return [
        say("fault.twice", side=name, number=number, count=numbers.count(number))
        for number in sorted(set(numbers))
        if numbers.count(number) > 1
    ] + [
        say("fault.number", side=name, number=number, most=pieces)
        for number in position.numbers(side)
        if number > pieces or number == 0
    ]


@dataclass(frozen=True, slots=True, repr=False)
class Move:
    """One legal move and its successor.

    Parameters
    ----------
    text : str
        In RGN's notation: ``A@A4``, ``B2B5x``, ``A8A7*``, ``A7A+``.
    source, target : int
        Path indices; `HOME` for a piece entering, the path's length for one borne off.
    is_capture, is_rosette : bool
        Whether it captures, and whether it lands on a rosette.
    again : bool
        Whether the same side throws again.
    position : Position
        The successor, with the side that throws next.
    cost : int
        The mover's payment, in the payoff's money; 0 without stakes.
    """

    text: str
    source: int
    target: int
    is_capture: bool
    is_rosette: bool
    again: bool
    position: Position
    cost: int = 0

    def __repr__(self) -> str:
        return f"Move({self.text!r})"

    def __str__(self) -> str:
        return self.text


def legal_moves(position: Position, throw: int, choice: str = FREE_THROW) -> list[Move]:
    """All legal moves of the side to throw; see `RuleSet.legal_moves`."""
    rules = position.rules
    rules.dice.check(throw)
    if position.winner is not None:
        return []
    moves: list[Move] = []
    awake_all = position.awake()
    for piece, source in _movers(position, choice):
        for target in rules.mechanics.reached(piece, source, throw):
            moves += _moves(awake_all, piece, source, target, throw)
    return moves


def _movers(position: Position, choice: str) -> Iterator[tuple[str, int]]:
    """The pieces that may be moved, each with its path index; none that rests."""
    rules, side = position.rules, position.side
    from_home, on_board = rules.mechanics.moves_from(choice)
    if from_home and position.home(side):
        # the lowest number enters first
        is_numbered = rules.mechanics.is_numbered
        yield (f"{side}{position.numbers(side)[0]}" if is_numbered else side), HOME
    if not on_board:
        return
    board = dict(zip(rules.board.squares, position.contents, strict=True))
    for index, square, letter in rules.mechanics.places[side]:
        if letter in board[square]:
            held = split(board[square])
            free = held[-1:] if rules.mechanics.squares[square].is_stack else held
            # Equal pieces have equal moves.
            for piece in dict.fromkeys(free):
                if piece[0] == letter and not is_resting(piece):
                    yield piece, index


def _moves(position: Position, piece: str, source: int, target: int, throw: int) -> Iterator[Move]:
    """The move of `piece` to `target`: none if it may not land, two if it may throw again."""
    rules, side = position.rules, position.side
    family, path = rules.mechanics, rules.path.squares(side)
    board = dict(zip(rules.board.squares, position.contents, strict=True))
    square = path[target] if target < len(path) else None
    captured: Pieces = ()
    if square is not None:
        held = split(board[square])
        landing = family.squares[square].land(family.meets(piece, target), held, throw)
        if landing is None:
            return
        captured = landing
    if source != HOME:
        board[path[source]] = _without(board[path[source]], (piece,))
    if square is not None:
        left = split(_without(board[square], captured))
        board[square] = family.arranged(square, (*left, family.stands(piece, target)))
    is_capture, is_rosette = bool(captured), square in rules.rosettes
    entered = (piece,) if source == HOME else ()
    reached = _with_homes(position, tuple(board.values()), entered, captured)
    cost = rules.payoff.cost(is_rosette)
    if cost:
        reached = replace(reached, fines=position.fines + 1)
    is_over = reached.winner is not None
    options = (False,) if is_over else family.decisions(throw, square, is_capture)
    text = move_text(path, piece, source, target, is_capture, is_rosette)
    for again in options:
        yield Move(
            text=text + family.decision_marks[again] if len(options) > 1 else text,
            source=source,
            target=target,
            is_capture=is_capture,
            is_rosette=is_rosette,
            again=again,
            position=_resting(reached, piece, target)
            if again
            else replace(reached, side=opponent(side)),
            cost=cost,
        )


def _resting(position: Position, piece: str, target: int) -> Position:
    """The position in which a piece that has just landed rests, if the rules say so."""
    rules = position.rules
    if target not in rules.mechanics.rests:
        return position
    square = rules.path.squares(position.side)[target]
    at = rules.board.squares.index(square)
    stands = rules.mechanics.stands(piece, target)
    left = split(_without(position.contents[at], (stands,)))
    content = rules.mechanics.arranged(square, (*left, stands + RESTING))
    return replace(
        position, contents=(*position.contents[:at], content, *position.contents[at + 1 :])
    )


def _without(content: str, pieces: Pieces) -> str:
    """Contents without some of their pieces, the topmost of equal ones."""
    for piece in pieces:
        below, _, above = content.rpartition(piece)
        content = below + above
    return content


def _with_homes(
    position: Position,
    contents: tuple[str, ...],
    entered: Pieces,
    captured: Pieces,
) -> Position:
    """The position with other contents, and homes after entering and captures."""
    mine = int(position.side == DARK)
    homes, numbers = [position.light_home, position.dark_home], list(position.numbers_home)
    homes[mine] -= len(entered)
    homes[1 - mine] += len(captured)
    if position.rules.mechanics.is_numbered:
        numbers[mine] = tuple(sorted({*numbers[mine]} - {*map(number_of, entered)}))
        numbers[1 - mine] = tuple(sorted({*numbers[1 - mine], *map(number_of, captured)}))
    return replace(
        position,
        contents=contents,
        light_home=homes[0],
        dark_home=homes[1],
        numbers_home=(numbers[0], numbers[1]),
    )


def move_text(
    path: tuple[str, ...],
    piece: str,
    source: int,
    target: int,
    is_capture: bool = False,
    is_rosette: bool = False,
) -> str:
    """The notation of a move on a side's path, ``1A@A3*`` for the first of numbered pieces."""
    start = f"{path[0][0]}@" if source == HOME else path[source]
    end = path[target] if target < len(path) else f"{path[-1][0]}+"
    return f"{piece[1:]}{start}{end}{'x' * is_capture}{'*' * is_rosette}"
