"""What the walker knows of a rule set, as plain arrays for compiled code.

What `ur_solver.rules.piece_moves` found is written down here by the numbers that stand for
contents in encoded states (`Space.encode`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ur_solver.rules import HOME, RuleSet
from ur_solver.rules.contents import LIGHT, side_of, split
from ur_solver.rules.piece_moves import Landing, Mover, PieceMoves
from ur_solver.space import Space, positions_of
from ur_solver.space.steps import StepTables, step_tables

NONE = -1
"""A number that stands for no content, or no throw: the move is not there."""

PlaceCounts = tuple[int, int, npt.NDArray[np.int64]]
"""A path index, its cell, and by the cell's number how many pieces of light stand there."""


@dataclass(frozen=True)
class WalkTables(StepTables):
    """What compiled code must know of a rule set to move pieces on rows: `StepTables` and more.

    Attributes
    ----------
    width : int
        Of a row.
    mover_source : int32, shape (movers,)
        The path index that a mover stands on, -1 for home.
    lift : int32, shape (movers, codes)
        By the number on its cell: the number without the mover, -1 if it may not leave.
    landing_after, landing_taken : int32, shape (landings, codes)
        By the number on its cell: the number afterwards, -1 if landing is forbidden, and what is
        captured of the opponent's stock.
    is_rosette : uint8, shape (path length + 1,)
    mirror_cell : int32, shape (cells,)
    mirror_code : int32, shape (cells, codes)
        What a number is on the cell across the board, in the mirror image.
    n_mine : uint8, shape (cells, codes)
        How many pieces of the side to throw stand there.
    has_part : uint8, shape (stocks, stocks)
        Whether a stock has a part.
    stock_count : uint8, shape (stocks,)
        How many pieces a stock is.
    """

    width: int
    mover_source: npt.NDArray[np.int32]
    lift: npt.NDArray[np.int32]
    landing_after: npt.NDArray[np.int32]
    landing_taken: npt.NDArray[np.int32]
    is_rosette: npt.NDArray[np.uint8]
    mirror_cell: npt.NDArray[np.int32]
    mirror_code: npt.NDArray[np.int32]
    n_mine: npt.NDArray[np.uint8]
    has_part: npt.NDArray[np.uint8]
    stock_count: npt.NDArray[np.uint8]


class TablesBuilder:
    """Numbers the contents of a rule set's squares as encoded states do, and writes tables.

    Attributes
    ----------
    moves : PieceMoves
    stock : Stock
    """

    def __init__(self, rules: RuleSet, space: Space) -> None:
        self.rules = rules
        self.space = space
        self.moves = PieceMoves(rules)
        self._positions = positions_of(rules)
        self.stock = self._positions.stock
        self._code = self._positions.content_numbers
        self._n_codes = max(map(len, self._code))

    def build(self) -> WalkTables:
        """The tables."""
        moves = self.moves
        after = np.full((len(moves.landings), self._n_codes), NONE, dtype=np.int32)
        taken = np.zeros((len(moves.landings), self._n_codes), dtype=np.int32)
        for row, landing in enumerate(moves.landings):
            self._write(landing, after[row], taken[row])
        cells = range(len(self._code))
        return WalkTables(
            **vars(step_tables(moves, self.stock)),
            width=self.space.state_width,
            mover_source=np.array([mover.source for mover in moves.movers], dtype=np.int32),
            lift=np.array([self._lift(mover) for mover in moves.movers], dtype=np.int32),
            landing_after=after,
            landing_taken=taken,
            is_rosette=np.array(
                [square in self.rules.rosettes for square in (*self.rules.path.light, None)],
                dtype=np.uint8,
            ),
            mirror_cell=self._positions.mirror_cells,
            mirror_code=np.array([self._mirrored(cell) for cell in cells], dtype=np.int32),
            n_mine=np.array([self._n_mine(cell) for cell in cells], dtype=np.uint8),
            has_part=(self.stock.take >= 0).astype(np.uint8),
            stock_count=np.array(
                [self.stock.count(stock) for stock in range(self.stock.size)], dtype=np.uint8
            ),
        )

    def _write(
        self, landing: Landing, after: npt.NDArray[np.int32], taken: npt.NDArray[np.int32]
    ) -> None:
        codes = self._code[landing.cell]
        contents = self.moves.contents[landing.cell]
        for content, outcome in zip(contents, landing.outcomes, strict=True):
            if outcome is not None:
                after[codes[content]] = codes[outcome[0]]
                taken[codes[content]] = self.stock.of(outcome[1]) if outcome[1] else 0

    def _lift(self, mover: Mover) -> list[int]:
        lift = [NONE] * self._n_codes
        if mover.source == HOME:
            return lift
        cell = self.moves.cell_of(mover)
        codes = self._code[cell]
        for content, left in zip(self.moves.contents[cell], self.moves.lifted(mover), strict=True):
            if left is not None:
                lift[codes[content]] = codes[left]
        return lift

    def _mirrored(self, cell: int) -> list[int]:
        mirrored: list[int] = self._positions.mirrored(cell).tolist()
        return mirrored + [0] * (self._n_codes - len(mirrored))

    def _n_mine(self, cell: int) -> list[int]:
        count = [0] * self._n_codes
        for content, code in self._code[cell].items():
            count[code] = sum(side_of(piece) == LIGHT for piece in split(content))
        return count

    def counts(self) -> list[PlaceCounts]:
        """The pieces of light in each of its places, by the number on the place's cell."""
        counts = []
        for place in self.rules.mechanics.places[LIGHT]:
            cell = self._positions.squares.index(place.square)
            count = np.zeros(self._n_codes, dtype=np.int64)
            for content, code in self._code[cell].items():
                count[code] = sum(piece[0] == place.letter for piece in split(content))
            counts.append((place.path_index, cell, count))
        return counts
