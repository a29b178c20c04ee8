"""Some turns with their options, as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ur_solver.rules.piece_moves import PieceChoice

if TYPE_CHECKING:
    from ur_solver.moves.generator import MoveGenerator

Rows = npt.NDArray[Any]
"""Encoded states, shape (states, state width), of the space's own type."""


@dataclass(frozen=True)
class TurnBatch:
    """Some turns with their options: legal moves, a pass if there is none, or choices.

    Attributes
    ----------
    generator : MoveGenerator
    rows : unsigned, shape (turns, state width)
        The states before, seen by the side whose turn it is.
    throws : int32, shape (turns,)
        The number of the throw that a piece is moved by (`MoveGenerator.throws`), -1 if nothing
        moves.
    may : uint8, shape (turns,)
        1 if a piece may enter, plus 2 if one on the board may move.
    starts : int64, shape (turns + 1,)
        The options of turn k are `starts[k]` to `starts[k + 1]`.
    after : unsigned, shape (options, state width)
        The states afterwards, seen by the side that throws next; the state before if an option
        wins, so all of them are states.
    mover : int16, shape (options,)
        The number of the piece with its place (`MoveTables.movers`); -1 for a pass or a choice.
    source, target : int8, shape (options,)
        Path indices: -1 for home, the path's length for off; both -1 for a pass.
    taken : uint8, shape (options,)
        The number of pieces captured.
    flags : uint8, shape (options,)
    choices : tuple of PieceChoice, or None
        In turns before the throw: option `starts[k] + i` is choice i. All turns of one batch then
        have the same. Sources and targets are the lowest path index from which a piece may move
        then.
    """

    generator: MoveGenerator
    rows: Rows
    throws: npt.NDArray[np.int32]
    may: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]
    after: Rows
    mover: npt.NDArray[np.int16]
    source: npt.NDArray[np.int8]
    target: npt.NDArray[np.int8]
    taken: npt.NDArray[np.uint8]
    flags: npt.NDArray[np.uint8]
    choices: tuple[PieceChoice, ...] | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def n_options(self) -> npt.NDArray[np.int64]:
        """The number of options of each turn."""
        return np.diff(self.starts)

    @cached_property
    def turn_of(self) -> npt.NDArray[np.int64]:
        """The turn of each option."""
        return np.repeat(np.arange(len(self)), self.n_options)

    def has(self, flag: int) -> npt.NDArray[np.bool_]:
        """Which options have a flag: `AGAIN`, `WIN`, `ROSETTE`, `PASS`, `CAPTURE`, `OPTIONAL`."""
        return np.asarray((self.flags & flag) != 0)

    def part(self, wanted: npt.NDArray[np.bool_]) -> TurnBatch:
        """Some of the turns, by a mask."""
        options = np.flatnonzero(np.repeat(wanted, self.n_options))
        return TurnBatch(
            self.generator,
            self.rows[wanted],
            self.throws[wanted],
            self.may[wanted],
            np.concatenate([[0], np.cumsum(self.n_options[wanted])]),
            np.take(self.after, options, axis=0),
            np.take(self.mover, options),
            np.take(self.source, options),
            np.take(self.target, options),
            np.take(self.taken, options),
            np.take(self.flags, options),
            self.choices,
        )
