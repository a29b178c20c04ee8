"""The moves of a rule set: of every piece, square content and throw, and as plain arrays.

Everything is from the side of the player to move, and made once, from the readable rules:

* a *mover* is a piece in a place: at home, or in a place of the path;
* a *step* takes a mover by a throw to a *landing*, which has, for every content of the
  target square, the new content and the captured pieces, or that landing is forbidden; steps
  with the same outcomes share a landing, also with different throws;
* a *choice* before the throw decides which pieces may move, and which throws are possible.

`PieceMoves` has contents as text; `MoveTables` has them by their numbers in encoded states
(`TileSpace.contents`). All compiled code that makes moves reads these arrays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ur_solver.errors import RuleSetError
from ur_solver.rules import HOME
from ur_solver.rules.contents import LIGHT, RESTING, Pieces, awake, is_resting, side_of, split
from ur_solver.rules.game import RuleSet
from ur_solver.rules.limits import MAX_CHOICES
from ur_solver.space import TileSpace

Landed = tuple[str, Pieces]
"""The content of a square after a landing, and the captured pieces."""


class Mover(NamedTuple):
    """A piece of the side to move, and its path index."""

    piece: str
    source: int


class Landing(NamedTuple):
    """The landings on a cell by its content; None if landing is forbidden."""

    cell: int
    outcomes: tuple[Landed | None, ...]


class PieceChoice(NamedTuple):
    """A choice before the throw: which pieces may move after it, and the chance of each throw."""

    name: str  # `FREE_THROW` in rule sets without a choice
    from_home: bool  # whether a piece at home may then move
    from_board: bool  # whether one on the board may
    chances: tuple[float, ...]  # of being moved by each throw, in the order of `PieceMoves.throws`
    passes: float  # the chance of throws that move nothing, whatever the position

    @property
    def may(self) -> int:
        """1 if a piece may enter, plus 2 if one on the board may move."""
        return self.from_home + 2 * self.from_board

    @property
    def source(self) -> int:
        """The lowest path index from which a piece may then move."""
        return HOME if self.from_home else 0

    @property
    def outcomes(self) -> tuple[tuple[int, float], ...]:
        """The number of each throw that can be made, -1 for those that move nothing; its chance."""
        chances = [(-1, self.passes), *enumerate(self.chances)]
        return tuple((number, chance) for number, chance in chances if chance)


class PieceMoves:
    """The moves of a rule set's pieces, and their effects on squares."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.mechanics = rules.mechanics
        self._path = rules.path.light
        self._squares = rules.board.squares
        self._cell = {square: k for k, square in enumerate(self._squares)}
        # by cell, in the order of the board's squares: all that it may hold
        self.contents = tuple(self.mechanics.contents_on(square) for square in self._squares)
        self._held = [[split(content) for content in contents] for contents in self.contents]
        # at home first, then by path index; the pieces of one place by number
        self.movers = self._all_movers()
        # those that move some piece somewhere; the others only pass
        self.throws = tuple(
            throw
            for throw in rules.dice.throws
            if any(self.mechanics.reached(*mover, throw) for mover in self.movers)
        )
        self.targets: list[int] = []  # by step: the path index, the path's length for off
        self.landing_of: list[int] = []  # by step: the number of its landing, -1 for off
        # the steps of mover m with throw n are `starts[m][n]` to `starts[m][n + 1]`
        self.starts: list[list[int]] = []
        landings: dict[Landing, int] = {}
        # by piece, target and what is captured, which a throw may decide
        known: dict[tuple[str, int, tuple[Pieces | None, ...]], int] = {}
        for mover in self.movers:
            self.starts.append([len(self.targets)])
            for throw in self.throws:
                for target in self.mechanics.reached(*mover, throw):
                    self._check_step(mover, throw, target)
                    self.targets.append(target)
                    self.landing_of.append(-1)
                    if target < len(self._path):
                        key = mover.piece, target, self._captured(mover.piece, target, throw)
                        if key not in known:
                            known[key] = landings.setdefault(self._landed(*key), len(landings))
                        self.landing_of[-1] = known[key]
                self.starts[-1].append(len(self.targets))
        self.landings = tuple(landings)

    def _all_movers(self) -> tuple[Mover, ...]:
        numbers = range(1, self.rules.pieces + 1) if self.mechanics.is_numbered else ("",)
        home = (Mover(f"{LIGHT}{number}", HOME) for number in numbers)
        placed = (
            Mover(f"{place.letter}{number}", place.path_index)
            for place in self.mechanics.places[LIGHT]
            for number in numbers
        )
        return (*home, *placed)

    def _check_step(self, mover: Mover, throw: int, target: int) -> None:
        if not mover.source < target <= len(self._path):
            raise RuleSetError(
                f"{self.rules.word}: family {self.mechanics.name!r} takes a piece from path index "
                f"{mover.source} to {target} by a throw of {throw}, not further on to "
                f"{len(self._path)} at most"
            )

    def _captured(self, piece: str, target: int, throw: int) -> tuple[Pieces | None, ...]:
        square = self._path[target]
        land, met = self.mechanics.squares[square].land, self.mechanics.meets(piece, target)
        return tuple(
            None if any(map(is_resting, held)) else land(met, held, throw)
            for held in self._held[self._cell[square]]
        )

    def _landed(self, piece: str, target: int, captured: tuple[Pieces | None, ...]) -> Landing:
        square = self._path[target]
        cell = self._cell[square]
        # where a piece may rest it does, until the other side throws (`MoveTables.mirror_content`)
        stands = self.mechanics.stands(piece, target) + RESTING * (target in self.mechanics.rests)
        outcomes: list[Landed | None] = []
        for held, taken in zip(self._held[cell], captured, strict=True):
            if taken is None:
                outcomes.append(None)
                continue
            left = list(held)
            for other in taken:
                left.remove(other)
            after = self.mechanics.arranged(square, (*left, stands))
            # otherwise a side has more pieces on this square than in the game
            outcomes.append((after, taken) if after in self.contents[cell] else None)
        return Landing(cell, tuple(outcomes))

    def cell_of(self, mover: Mover) -> int:
        """The cell that a mover stands on, -1 for home."""
        return -1 if mover.source == HOME else self._cell[self._path[mover.source]]

    def lifted(self, mover: Mover) -> list[str | None]:
        """By content of a mover's square: the content without it, None if it may not leave."""
        square = self._path[mover.source]
        left: list[str | None] = []
        for content in self.contents[self._cell[square]]:
            held = split(content)
            free = held[-1:] if self.mechanics.squares[square].is_stack else held
            if mover.piece in free:
                below, _, above = awake(content).rpartition(mover.piece)
                left.append(below + above)
            else:
                left.append(None)
        return left

    def again(self, throw: int) -> list[list[int]]:
        """By target and whether it captures: 1 if the turn may end, plus 2 if it may continue."""
        return [
            [
                sum({1 << again for again in self.mechanics.decisions(throw, square, is_capture)})
                for is_capture in (False, True)
            ]
            for square in (*self._path, None)
        ]

    def choice(self, name: str, candidate: int | None) -> PieceChoice:
        """The rolls after a choice; `candidate` is the lowest number at home."""
        chances: Counter[int | None] = Counter()
        for roll in self.mechanics.rolls(name, candidate):
            moves_by = roll.moves_by if roll.moves_by in self.throws else None
            chances[moves_by] += roll.probability  # type: ignore[assignment]
        return PieceChoice(
            name,
            *self.mechanics.moves_from(name),
            tuple(float(chances[throw]) for throw in self.throws),
            float(chances[None]),
        )


NONE = 0xFFFF
"""In place of a content: the move does not exist."""


@dataclass(frozen=True)
class MoveTables:
    """The moves of a rule set, for compiled code.

    Contents of all cells are numbered in one sequence by `first_content`: content c of cell k has
    the index ``first_content[k] + c``. The *turn types* are the choices before a throw that a state
    may have.
    """

    # pieces of the side to throw, each with a place; the order is that of `legal_moves`
    movers: tuple[Mover, ...]
    types: tuple[tuple[PieceChoice, ...], ...]
    # shape (throws,): those that may move a piece; elsewhere a throw is its index here
    throws: npt.NDArray[np.int32]
    # shape (movers,): the cell that a mover stands on; -1 for home
    mover_cell: npt.NDArray[np.int32]
    mover_source: npt.NDArray[np.int32]  # shape (movers,): the path index; -1 for home
    mover_part: npt.NDArray[np.int32]  # shape (movers,): the piece as a part of a stock
    lift_start: npt.NDArray[np.int32]  # shape (movers,): where a mover's part of `lift` begins
    # by mover and content of its cell: the content without it, `NONE` if it may not leave
    lift: npt.NDArray[np.uint16]
    # shape (movers, throws + 1): the steps of mover m with throw n are `step_start[m, n]` to
    # `step_start[m, n + 1]`
    step_start: npt.NDArray[np.int32]
    step_target: npt.NDArray[np.int32]  # the path index; the path's length for off
    step_landing: npt.NDArray[np.int32]  # the landing there, -1 for off
    landing_cell: npt.NDArray[np.int32]  # shape (landings,)
    # shape (landings,): where the landing's part of `landing_content` begins
    landing_start: npt.NDArray[np.int32]
    # by landing and content of its cell: the content then, `NONE` if forbidden
    landing_content: npt.NDArray[np.uint16]
    # likewise the part of the opponent's stock that is captured
    landing_taken: npt.NDArray[np.int32]
    # shape (throws, path length + 1, 2): by throw, target and whether it captures: 1 if the turn
    # may end, 2 if the same side may throw again, 3 if it may choose
    again: npt.NDArray[np.uint8]
    is_rosette: npt.NDArray[np.uint8]  # shape (path length + 1,)
    first_content: npt.NDArray[np.int32]  # shape (cells,): the first index of a cell's contents
    mirror_cell: npt.NDArray[np.int32]  # shape (cells,): the cell across the board
    # shape (contents,): the mirror cell's as the other side sees it; none rests
    mirror_content: npt.NDArray[np.uint16]
    awake: npt.NDArray[np.uint16]  # shape (contents,): the content in which no piece rests
    may_rest: bool  # whether a piece ever rests
    n_mine: npt.NDArray[np.uint8]  # shape (contents,): the number of pieces of the side to throw
    # shape (contents,): the path indices of all pieces, one more for each, summed up
    advance: npt.NDArray[np.int32]
    # shape (stocks, stocks): the stock without a part, -1 if it does not contain it
    take: npt.NDArray[np.int16]
    stock_count: npt.NDArray[np.uint8]  # shape (stocks,): how many pieces a stock is
    # shape (stocks, 2): the turn type by my home stock and whether a piece is on the board
    type_of: npt.NDArray[np.uint8]
    n_choices: npt.NDArray[np.int32]  # shape (types,)
    # shape (types, 2): whether pieces at home may move after a choice
    from_home: npt.NDArray[np.uint8]
    from_board: npt.NDArray[np.uint8]  # shape (types, 2): whether those on the board may
    # shape (types, 2, throws): of being moved by each throw, after a choice
    chance: npt.NDArray[np.float64]
    # shape (types, 2): of throws that move nothing whatever the position
    pass_chance: npt.NDArray[np.float64]


def move_tables(positions: TileSpace) -> MoveTables:
    """The tables of a rule set's moves; with stakes for the positions without fines."""
    return _Builder(positions).build()


class _Builder:
    def __init__(self, space: TileSpace) -> None:
        self.space = space
        self.mechanics = space.rules.mechanics
        self.moves = PieceMoves(space.rules)

    def build(self) -> MoveTables:
        moves, space, stock = self.moves, self.space, self.space.stock
        lift = [self._lift(mover) for mover in moves.movers]
        outcomes = [self._outcomes(landing) for landing in moves.landings]
        contents = [[content for content, _ in each] for each in outcomes]
        taken = [[part for _, part in each] for each in outcomes]
        return MoveTables(
            movers=moves.movers,
            throws=_integers(moves.throws),
            mover_cell=_integers(map(moves.cell_of, moves.movers)),
            mover_source=_integers(mover.source for mover in moves.movers),
            mover_part=_integers(stock.of((mover.piece,)) for mover in moves.movers),
            lift_start=_starts(lift),
            lift=np.concatenate(lift).astype(np.uint16),
            step_start=_integers(moves.starts),
            step_target=_integers(moves.targets),
            step_landing=_integers(moves.landing_of),
            landing_cell=_integers(landing.cell for landing in moves.landings),
            landing_start=_starts(contents),
            landing_content=np.concatenate(contents).astype(np.uint16),
            landing_taken=np.concatenate(taken).astype(np.int32),
            again=np.array([moves.again(throw) for throw in moves.throws], dtype=np.uint8),
            is_rosette=np.array(
                [square in space.rules.rosettes for square in (*space.rules.path.light, None)],
                dtype=np.uint8,
            ),
            first_content=_starts(space.contents),
            mirror_cell=space.mirror_cells,
            mirror_content=np.concatenate(space.mirrored),
            awake=np.array(
                [
                    numbers[awake(content)]
                    for numbers in space.content_numbers
                    for content in numbers
                ],
                dtype=np.uint16,
            ),
            may_rest=space.reserves.may_rest,
            n_mine=np.array(
                [
                    sum(side_of(piece) == LIGHT for piece in split(content))
                    for contents in space.contents
                    for content in contents
                ],
                dtype=np.uint8,
            ),
            advance=_integers(self._advance()),
            take=stock.take,
            stock_count=np.array([*map(stock.count, range(stock.size))], dtype=np.uint8),
            **self._turns(),
        )

    def _turns(self) -> dict[str, Any]:
        """The fields about turn types, by name."""
        types, type_of = self._types()
        most = max(map(len, types))
        if most > MAX_CHOICES:
            raise RuleSetError(
                f"{self.space.rules.word}: a turn has {most} choices before the throw; at most "
                f"{MAX_CHOICES} are supported"
            )
        nothing = PieceChoice("", False, False, (0.0,) * len(self.moves.throws), 0.0)
        padded = [(*choices, *(nothing,) * (MAX_CHOICES - len(choices))) for choices in types]
        return {
            "types": tuple(types),
            "type_of": np.array(type_of, dtype=np.uint8),
            "n_choices": _integers(map(len, types)),
            "from_home": np.array([[each.from_home for each in row] for row in padded], np.uint8),
            "from_board": np.array([[each.from_board for each in row] for row in padded], np.uint8),
            "chance": np.array([[each.chances for each in row] for row in padded]),
            "pass_chance": np.array([[each.passes for each in row] for row in padded]),
        }

    def _lift(self, mover: Mover) -> list[int]:
        """By content of the mover's square: the content without it, or `NONE`."""
        if mover.source == HOME:
            return []
        numbers = self.space.content_numbers[self.moves.cell_of(mover)]
        return [NONE if left is None else numbers[left] for left in self.moves.lifted(mover)]

    def _outcomes(self, landing: Landing) -> list[tuple[int, int]]:
        """By content of the landing's cell: the content afterwards, and the part captured."""
        numbers, stock = self.space.content_numbers[landing.cell], self.space.stock
        return [
            (NONE, 0) if each is None else (numbers[each[0]], stock.of(each[1]) if each[1] else 0)
            for each in landing.outcomes
        ]

    def _advance(self) -> list[int]:
        index = {
            (place.square, place.letter): place.path_index
            for places in self.mechanics.places.values()
            for place in places
        }
        return [
            sum(index[square, piece[0]] + 1 for piece in split(content))
            for square, contents in zip(self.space.squares, self.space.contents, strict=True)
            for content in contents
        ]

    def _types(self) -> tuple[list[tuple[PieceChoice, ...]], list[list[int]]]:
        """The turn types, and by home stock and whether a piece is on the board which it is."""
        stock = self.space.stock
        types: dict[tuple[PieceChoice, ...], int] = {}
        type_of = []
        for home in range(stock.size):
            candidate = min(stock.numbers(home), default=None)
            type_of.append(
                [
                    types.setdefault(
                        tuple(
                            self.moves.choice(name, candidate)
                            for name in self.mechanics.choices(stock.count(home), n_on_board)
                        ),
                        len(types),
                    )
                    for n_on_board in (0, 1)
                ]
            )
        return list(types), type_of


def _integers(numbers: Iterable[int | Sequence[int]]) -> npt.NDArray[np.int32]:
    return np.array([*numbers], dtype=np.int32)


def _starts(lists: Sequence[Sequence[object]]) -> npt.NDArray[np.int32]:
    """Where each of some lists begins once they are one."""
    return np.cumsum([0, *map(len, lists[:-1])]).astype(np.int32)
