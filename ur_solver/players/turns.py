"""Some turns with their options, as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ur_solver.players._walker import AGAIN, CAPTURE, PASS, ROSETTE, WIN
from ur_solver.rules import HOME

if TYPE_CHECKING:
    from ur_solver.players.walker import Walker

__all__ = ["AGAIN", "CAPTURE", "PASS", "ROSETTE", "WIN", "Rows", "Saying", "Turns"]

Rows = npt.NDArray[Any]
"""Encoded states, shape (states, state width), of the space's own type."""


class Saying(NamedTuple):
    """What may be said before a throw, and what may be thrown then.

    Attributes
    ----------
    name : str
    may : int
        1 if a piece may enter, plus 2 if one on the board may move.
    outcomes : tuple of pairs
        The number of a throw, -1 for those that move nothing, and its probability.
    """

    name: str
    may: int
    outcomes: tuple[tuple[int, float], ...]

    @property
    def source(self) -> int:
        """The lowest path index from which a piece may then move."""
        return HOME if self.may & 1 else 0


@dataclass(frozen=True)
class Turns:
    """Some turns with their options: legal moves, a pass where there is none, or sayings.

    Attributes
    ----------
    walker : Walker
    rows : unsigned, shape (turns, state width)
        The states before, seen by the side whose turn it is.
    throws : int32, shape (turns,)
        The number of the throw that a piece is moved by (`Walker.throws`), -1 if nothing moves.
    may : uint8, shape (turns,)
        1 if a piece may enter, plus 2 if one on the board may move.
    starts : int64, shape (turns + 1,)
        The options of turn k are `starts[k]` to `starts[k + 1]`.
    after : unsigned, shape (options, state width)
        The states afterwards, seen by the side that throws next; the state before where an option
        wins, so that all of them are states.
    source, target : int8, shape (options,)
        Path indices: -1 for home, the path's length for off; both -1 for a pass.
    taken : int8, shape (options,)
        The pieces captured.
    flags : uint8, shape (options,)
    sayings : tuple of Saying, or None
        Where something is said before throwing: what option `starts[k] + i` says. All turns of
        one batch then have the same. Sources and targets are the lowest path index from which a
        piece may move then.
    """

    walker: Walker
    rows: Rows
    throws: npt.NDArray[np.int32]
    may: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]
    after: Rows
    source: npt.NDArray[np.int8]
    target: npt.NDArray[np.int8]
    taken: npt.NDArray[np.int8]
    flags: npt.NDArray[np.uint8]
    sayings: tuple[Saying, ...] | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def n_options(self) -> npt.NDArray[np.int64]:
        """How many options each turn has."""
        return np.diff(self.starts)

    @cached_property
    def turn_of(self) -> npt.NDArray[np.int64]:
        """The turn of each option."""
        return np.repeat(np.arange(len(self)), self.n_options)

    def has(self, flag: int) -> npt.NDArray[np.bool_]:
        """Of which options something is so: `AGAIN`, `WIN`, `ROSETTE`, `PASS` or `CAPTURE`."""
        return np.asarray((self.flags & flag) != 0)

    def part(self, wanted: npt.NDArray[np.bool_]) -> Turns:
        """Some of the turns, by a mask."""
        options = np.flatnonzero(np.repeat(wanted, self.n_options))
        return Turns(
            self.walker,
            self.rows[wanted],
            self.throws[wanted],
            self.may[wanted],
            np.concatenate([[0], np.cumsum(self.n_options[wanted])]),
            np.take(self.after, options, axis=0),
            np.take(self.source, options),
            np.take(self.target, options),
            np.take(self.taken, options),
            np.take(self.flags, options),
            self.sayings,
        )
