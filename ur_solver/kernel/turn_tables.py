"""A rule set's turns as plain arrays, for compiled code.

Everything that `moves.py` asks a rule set's family is asked here once, for every piece,
square content and throw, from the side of the player to move:

* a *mover* is a piece in a place: at home, or in a place of the path;
* `lift` says what its square holds once it has left, or that it is not there or not free;
* a *step* takes a mover by a throw to a *landing*, which says for every content of the
  target square what it holds then and what was captured, or that landing is forbidden; steps
  with the same outcomes, by whatever throws, share a landing;
* a *turn type* is what may be said before throwing and what may be thrown then.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ur_solver.errors import RuleSetError
from ur_solver.rules import HOME
from ur_solver.rules.contents import LIGHT, Pieces, split
from ur_solver.space import TileSpace

MAX_CHOICES = 2
"""The most choices before a throw."""

NONE = 0xFFFF
"""In place of a content: the move does not exist."""


class Mover(NamedTuple):
    """A piece of the side to move, and its path index."""

    piece: str
    source: int


class Said(NamedTuple):
    """A choice before throwing: what may move then, and by which throws."""

    from_home: bool
    from_board: bool
    chances: tuple[float, ...]
    passes: float


class Landing(NamedTuple):
    """What may happen on a cell: by its content the content afterwards and the part captured."""

    cell: int
    outcomes: tuple[tuple[int, int], ...]


NOTHING = Said(from_home=False, from_board=False, chances=(), passes=0.0)


@dataclass(frozen=True)
class TurnTables:
    """What kernels must know of a rule set beyond its state space.

    Attributes
    ----------
    mover_cell : int32, shape (movers,)
        The cell that a mover stands on, -1 for home.
    mover_part : int32, shape (movers,)
        The piece as a part of a stock.
    lift_start : int32, shape (movers,)
        Where a mover's part of `lift` begins.
    lift : uint16
        By mover and content of its cell: the content without it, `NONE` if it may not leave.
    step_start : int32, shape (movers, throws + 1)
        The steps of mover m with throw n are `step_start[m, n]` to `step_start[m, n + 1]`.
    step_target, step_landing : int32
        The path index (the path's length for off), and the landing there.
    landing_cell, landing_start : int32, shape (landings,)
    landing_content : uint16
        By landing and content of its cell: the content afterwards, or `NONE`.
    landing_taken : int32
        Likewise the part of the opponent's stock that is captured.
    throws : int32, shape (throws,)
        What the dice show: the throws that may move a piece.
    again : uint8, shape (throws, path length + 1, 2)
        By throw, target and whether it captures: 1 if the turn may end, 2 if the same side
        may throw again, 3 if it may choose.
    advance : int32
        By cell and content, as `TileRanking.parts` has them: the path indices of all
        pieces there, one more for each, summed up.
    type_of : uint8, shape (stocks, 2)
        The turn type by my home stock and whether a piece of mine is on the board.
    n_choices : int32, shape (types,)
    from_home, from_board : uint8, shape (types, 2)
        Whether pieces at home, and on the board, may move after a choice.
    chance : float64, shape (types, 2, throws)
        Of being moved by each throw, after a choice.
    pass_chance : float64, shape (types, 2)
        Of throws that move nothing whatever the position.
    """

    mover_cell: npt.NDArray[np.int32]
    mover_part: npt.NDArray[np.int32]
    lift_start: npt.NDArray[np.int32]
    lift: npt.NDArray[np.uint16]
    step_start: npt.NDArray[np.int32]
    step_target: npt.NDArray[np.int32]
    step_landing: npt.NDArray[np.int32]
    landing_cell: npt.NDArray[np.int32]
    landing_start: npt.NDArray[np.int32]
    landing_content: npt.NDArray[np.uint16]
    landing_taken: npt.NDArray[np.int32]
    throws: npt.NDArray[np.int32]
    again: npt.NDArray[np.uint8]
    advance: npt.NDArray[np.int32]
    type_of: npt.NDArray[np.uint8]
    n_choices: npt.NDArray[np.int32]
    from_home: npt.NDArray[np.uint8]
    from_board: npt.NDArray[np.uint8]
    chance: npt.NDArray[np.float64]
    pass_chance: npt.NDArray[np.float64]


def turn_tables(space: TileSpace) -> TurnTables:
    """The turn tables of a space's rule set."""
    return _Builder(space).build()


class _Builder:
    def __init__(self, space: TileSpace) -> None:
        self.space = space
        self.rules = space.rules
        self.mechanics = space.rules.mechanics
        self.path = space.rules.path.light
        self.cell = {square: k for k, square in enumerate(space.squares)}
        self.movers = self._movers()
        # throws that move some piece somewhere; the others only pass
        self.throws = tuple(
            throw
            for throw in self.rules.dice.throws
            if any(self.mechanics.reached(*mover, throw) for mover in self.movers)
        )
        self.held = [[split(content) for content in contents] for contents in space.contents]
        self.landings: dict[Landing, int] = {}
        # by piece, target and what is captured, which a throw may decide
        self.known: dict[tuple[str, int, tuple[Pieces | None, ...]], int] = {}

    def _movers(self) -> list[Mover]:
        """At home first; the pieces of a place by number."""
        numbers = range(1, self.rules.pieces + 1) if self.mechanics.is_numbered else ("",)
        home = [Mover(f"{LIGHT}{number}", HOME) for number in numbers]
        places = self.mechanics.places[LIGHT]
        return home + [
            Mover(f"{place.letter}{number}", place.path_index)
            for place in places
            for number in numbers
        ]

    def build(self) -> TurnTables:
        lift = [self._lift(mover) for mover in self.movers]
        targets: list[int] = []
        landings: list[int] = []
        starts: list[list[int]] = []
        for mover in self.movers:
            starts.append([len(targets)])
            for throw in self.throws:
                for target in self.mechanics.reached(*mover, throw):
                    self._check_step(mover, throw, target)
                    targets.append(target)
                    landings.append(self._landing(mover.piece, target, throw))
                starts[-1].append(len(targets))
        contents = [[content for content, _ in each.outcomes] for each in self.landings]
        taken = [[part for _, part in each.outcomes] for each in self.landings]
        types, type_of = self._types()
        unsaid = NOTHING._replace(chances=(0.0,) * len(self.throws))
        padded = [(*kind, *(unsaid,) * (MAX_CHOICES - len(kind))) for kind in types]
        return TurnTables(
            mover_cell=np.array(
                [self.cell[self.path[m.source]] if m.source >= 0 else -1 for m in self.movers],
                dtype=np.int32,
            ),
            mover_part=np.array(
                [self.space.stock.of((mover.piece,)) for mover in self.movers], dtype=np.int32
            ),
            lift_start=_starts(lift),
            lift=np.concatenate(lift).astype(np.uint16),
            step_start=np.array(starts, dtype=np.int32),
            step_target=np.array(targets, dtype=np.int32),
            step_landing=np.array(landings, dtype=np.int32),
            landing_cell=np.array([each.cell for each in self.landings], dtype=np.int32),
            landing_start=_starts(contents),
            landing_content=np.concatenate(contents).astype(np.uint16),
            landing_taken=np.concatenate(taken).astype(np.int32),
            throws=np.array(self.throws, dtype=np.int32),
            again=np.array([self._again(throw) for throw in self.throws], dtype=np.uint8),
            advance=np.array(self._advance(), dtype=np.int32),
            type_of=np.array(type_of, dtype=np.uint8),
            n_choices=np.array([len(choices) for choices in types], dtype=np.int32),
            from_home=np.array([[said.from_home for said in kind] for kind in padded], np.uint8),
            from_board=np.array([[said.from_board for said in kind] for kind in padded], np.uint8),
            chance=np.array([[said.chances for said in kind] for kind in padded]),
            pass_chance=np.array([[said.passes for said in kind] for kind in padded]),
        )

    def _lift(self, mover: Mover) -> list[int]:
        """By content of the mover's square: the content without it, or `NONE`."""
        if mover.source == HOME:
            return []
        square = self.path[mover.source]
        cell = self.cell[square]
        numbers = self.space.content_numbers[cell]
        left = []
        for content in self.space.contents[cell]:
            held = split(content)
            free = held[-1:] if self.mechanics.squares[square].is_stack else held
            if mover.piece in free:
                below, _, above = content.rpartition(mover.piece)
                left.append(numbers[below + above])
            else:
                left.append(NONE)
        return left

    def _check_step(self, mover: Mover, throw: int, target: int) -> None:
        if not mover.source < target <= len(self.path):
            raise RuleSetError(
                f"{self.rules.word}: family {self.mechanics.name!r} takes a piece from path index "
                f"{mover.source} to {target} by a throw of {throw}, not further on to "
                f"{len(self.path)} at most"
            )

    def _landing(self, piece: str, target: int, throw: int) -> int:
        """The landing of a piece on a path index by a throw; -1 if it is borne off."""
        if target == len(self.path):
            return -1
        square = self.path[target]
        land, met = self.mechanics.squares[square].land, self.mechanics.meets(piece, target)
        captured = tuple(land(met, held, throw) for held in self.held[self.cell[square]])
        key = piece, target, captured
        if key not in self.known:
            landing = self._landed(piece, target, captured)
            self.known[key] = self.landings.setdefault(landing, len(self.landings))
        return self.known[key]

    def _landed(self, piece: str, target: int, captured: tuple[Pieces | None, ...]) -> Landing:
        """The landing on a square, with what is captured of each content of it."""
        square = self.path[target]
        cell = self.cell[square]
        stands = self.mechanics.stands(piece, target)
        outcomes = []
        for held, taken in zip(self.held[cell], captured, strict=True):
            if taken is None:
                outcomes.append((NONE, 0))
                continue
            left = list(held)
            for other in taken:
                left.remove(other)
            after = self.mechanics.arranged(square, (*left, stands))
            # a side has more pieces on this square than it has at all: no position has that
            number = self.space.content_numbers[cell].get(after, NONE)
            outcomes.append((number, self.space.stock.of(taken) if taken else 0))
        return Landing(cell, tuple(outcomes))

    def _again(self, throw: int) -> list[list[int]]:
        """By target and whether it captures: who may throw next."""
        squares = (*self.path, None)
        return [
            [
                sum({1 << again for again in self.mechanics.again(throw, square, is_capture)})
                for is_capture in (False, True)
            ]
            for square in squares
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

    def _types(self) -> tuple[list[tuple[Said, ...]], list[list[int]]]:
        """The turn types, and by home stock and whether a piece is on the board which it is."""
        stock = self.space.stock
        types: dict[tuple[Said, ...], int] = {}
        type_of = []
        for home in range(stock.size):
            candidate = min(stock.numbers(home), default=None)
            type_of.append(
                [
                    types.setdefault(
                        tuple(
                            self._said(choice, candidate)
                            for choice in self.mechanics.choices(stock.count(home), n_on_board)
                        ),
                        len(types),
                    )
                    for n_on_board in (0, 1)
                ]
            )
        return list(types), type_of

    def _said(self, choice: str, candidate: int | None) -> Said:
        chances: Counter[int | None] = Counter()
        for roll in self.mechanics.rolls(choice, candidate):
            moves_by = roll.moves_by if roll.moves_by in self.throws else None
            chances[moves_by] += roll.probability  # type: ignore[assignment]
        return Said(
            *self.mechanics.moves_from(choice),
            tuple(float(chances[throw]) for throw in self.throws),
            float(chances[None]),
        )


def _starts(lists: list[list[int]]) -> npt.NDArray[np.int32]:
    """Where each of some lists begins once they are one."""
    return np.cumsum([0, *map(len, lists[:-1])]).astype(np.int32)
