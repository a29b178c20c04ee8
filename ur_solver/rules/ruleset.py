"""A rule set: the data that, with its family's code, make a game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, SupportsIndex

from ur_solver.common.text import counted
from ur_solver.errors import MoveError, RuleSetError, RuleSetMismatchError, WrongTypeError
from ur_solver.rules import rules_json
from ur_solver.rules.board import Board, Path, mirror_square
from ur_solver.rules.contents import LIGHT
from ur_solver.rules.dice import Dice
from ur_solver.rules.families import FREE_THROW, MOVE, Family
from ur_solver.rules.frozen_map import FrozenMap
from ur_solver.rules.moves import Move, legal_moves
from ur_solver.rules.naming import MAX_NAME, is_name, name_of_changed
from ur_solver.rules.payoff import Payoff, Stakes
from ur_solver.rules.position import Position, parse_position
from ur_solver.rules.registry import family_named
from ur_solver.rules.squares import SquareRule


@dataclass(frozen=True, repr=False)
class RuleSet:
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

    name: str
    path: Path
    dice: Dice
    pieces: int
    family: str = "race"
    switches: Mapping[str, Any] = field(default_factory=dict)
    squares: Mapping[str, SquareRule] = field(default_factory=dict)

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
            In the notation of `ur_solver.rules.position`. Where the order of pieces on a
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
        return parse_position(self, text)

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
        return replace(self, pieces=pieces)

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
            {**self.switches, **switches},
            self.squares if squares is None else squares,
        )
        return rules if name is not None else replace(rules, name=name_of_changed(self, rules))

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
        return rules_json.rules_to_json(self)

    @staticmethod
    def from_json(values: object) -> RuleSet:
        """A rule set from JSON values, or from their text.

        Raises
        ------
        RuleSetError
            Saying which key is wrong, what it holds and what would be right.
        """
        return RuleSet(**rules_json.rules_from_json(values))


def _restored(family: type[Family], values: tuple[Any, ...]) -> RuleSet:
    """The rule set that was pickled; its family came along to have its module imported."""
    del family
    return RuleSet(*values)
