"""A rule set's turns as plain arrays, for compiled code.

What `ur_solver.rules.piece_moves` found is written down here by the numbers of contents in a
`TileSpace`; a *turn type* is what may be said before throwing and what may be thrown then.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ur_solver.errors import RuleSetError
from ur_solver.rules import HOME
from ur_solver.rules.contents import split
from ur_solver.rules.limits import MAX_CHOICES
from ur_solver.rules.piece_moves import Landing, Mover, PieceMoves, Said
from ur_solver.space import TileSpace
from ur_solver.space.steps import StepTables, step_tables

NONE = 0xFFFF
"""In place of a content: the move does not exist."""

NOTHING = Said(from_home=False, from_board=False, chances=(), passes=0.0)


@dataclass(frozen=True)
class TurnTables(StepTables):
    """What kernels must know of a rule set beyond its state space: `StepTables` and more.

    Attributes
    ----------
    lift_start : int32, shape (movers,)
        Where a mover's part of `lift` begins.
    lift : uint16
        By mover and content of its cell: the content without it, `NONE` if it may not leave.
    landing_start : int32, shape (landings,)
    landing_content : uint16
        By landing and content of its cell: the content afterwards, or `NONE`.
    landing_taken : int32
        Likewise the part of the opponent's stock that is captured.
    throws : int32, shape (throws,)
        What the dice show: the throws that may move a piece.
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

    lift_start: npt.NDArray[np.int32]
    lift: npt.NDArray[np.uint16]
    landing_start: npt.NDArray[np.int32]
    landing_content: npt.NDArray[np.uint16]
    landing_taken: npt.NDArray[np.int32]
    throws: npt.NDArray[np.int32]
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
        self.mechanics = space.rules.mechanics
        self.moves = PieceMoves(space.rules)

    def build(self) -> TurnTables:
        moves = self.moves
        lift = [self._lift(mover) for mover in moves.movers]
        outcomes = [self._outcomes(landing) for landing in moves.landings]
        contents = [[content for content, _ in each] for each in outcomes]
        taken = [[part for _, part in each] for each in outcomes]
        types, type_of = self._types()
        most = max(map(len, types))
        if most > MAX_CHOICES:
            raise RuleSetError(
                f"{self.space.rules.word}: a turn has {most} choices before the throw, and at most "
                f"{MAX_CHOICES} are solved"
            )
        unsaid = NOTHING._replace(chances=(0.0,) * len(moves.throws))
        padded = [(*kind, *(unsaid,) * (MAX_CHOICES - len(kind))) for kind in types]
        return TurnTables(
            **vars(step_tables(moves, self.space.stock)),
            lift_start=_starts(lift),
            lift=np.concatenate(lift).astype(np.uint16),
            landing_start=_starts(contents),
            landing_content=np.concatenate(contents).astype(np.uint16),
            landing_taken=np.concatenate(taken).astype(np.int32),
            throws=np.array(moves.throws, dtype=np.int32),
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
                            self.moves.said(choice, candidate)
                            for choice in self.mechanics.choices(stock.count(home), n_on_board)
                        ),
                        len(types),
                    )
                    for n_on_board in (0, 1)
                ]
            )
        return list(types), type_of


def _starts(lists: list[list[int]]) -> npt.NDArray[np.int32]:
    """Where each of some lists begins once they are one."""
    return np.cumsum([0, *map(len, lists[:-1])]).astype(np.int32)
