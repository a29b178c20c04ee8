"""What a network reads of a state: binary features, derived from the encoding of states alone.

Each square, home and off has features of its own, in this order:

    squares   in the order of a row. Of a stack, whose order matters: for each place from the top
              down, and each piece that may stand in it, whether it does. Of any other square: for
              each kind of piece and each number, whether this many or more of them stand there.
    homes     mine, then theirs: whether 1, 2, ... or more pieces are there; where pieces have
              numbers, whether each of them is
    off       the same of the pieces borne off
    fines     with stakes, what a fine is of a pot with one fine more: a number in (0, 1]

A kind of piece is what is written of it: its side as the side to throw sees it (``L`` is mine),
lower case if it is marked, and its number. Nothing depends on a rule set's name or family.
`Features.names` lists them; a network is only read with the names that it was trained with.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.rules import RuleSet
from ur_solver.rules.contents import LETTERS, side_of, split
from ur_solver.space import positions_of

Rows = npt.NDArray[Any]
"""Encoded states, shape (states, state width), of the space's own type."""

Inputs = npt.NDArray[np.float32]
"""Features of some states, shape (states, features)."""


class Features:
    """The features of one rule set's states; `features_of` gives the shared one.

    Thread safe.

    Attributes
    ----------
    rules : RuleSet
    names : tuple of str
        What each feature says: ``B4 L>=1`` (a square and how many), ``B3 1:l`` (a stack, the place
        from the top and the piece there), ``home L>=2``, ``off D>=1``, ``home L:3``, ``fine``.
    lookups : tuple of float32 arrays, shape (numbers, features)
        Of each column of a row but the fines, and of mine and theirs borne off: by the number there
        the features that it decides. All columns' together are those of `names` in their order.
    first : int32, shape (columns,)
        Which of all these numbers is 0 of each column.
    parts : int32, shape (numbers of all columns, 2)
        What each of the numbers takes of my stock of pieces and of theirs.
    full : int
        The stock of all pieces.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        space = positions_of(rules)
        self._is_numbered = space.stock.is_numbered
        numbers = range(1, rules.pieces + 1)
        self._kinds = (
            [f"{side}{n}" for side in "LD" for n in numbers] if self._is_numbered else "LD"
        )
        self._lookups: list[npt.NDArray[np.float32]] = []
        names: list[str] = []
        pieces: list[str] = []
        for square, contents in zip(space.squares, space.contents, strict=True):
            is_stack = rules.mechanics.squares[square].is_stack
            found = [_counted(split(each), is_stack) for each in contents]
            own = sorted({each for one in found for each in one}, key=_order)
            text = f"{square} {{0}}:{{1}}" if is_stack else f"{square} {{1}}>={{0}}"
            names += [text.format(*each) for each in own]
            pieces += [piece for _, piece in own]
            self._lookups.append(_lookup(found, own))
        stocks = np.arange(space.stock.size)[:, np.newaxis]
        k = np.arange(rules.pieces)
        home = stocks >> k & 1 if self._is_numbered else stocks > k
        self._lookups += [home.astype(np.float32)] * 2
        ends = [f"{side}{':' if self._is_numbered else '>='}{n}" for side in "LD" for n in numbers]
        names += [f"home {end}" for end in ends]
        pieces += self._kinds if self._is_numbered else [end[0] for end in ends]
        kinds = [self._kinds.index(_kind(piece, self._is_numbered)) for piece in pieces]
        self.lookups = (*self._lookups, *self._lookups[-2:])
        sizes = [len(lookup) for lookup in self.lookups]
        self.first = np.cumsum([0, *sizes[:-1]]).astype(np.int32)
        stock = np.arange(space.stock.size)
        none = np.zeros_like(stock)
        of_homes = [np.stack(pair, axis=1) for pair in ((stock, none), (none, stock))]
        self.parts = np.concatenate([*space.parts, *of_homes, *of_homes]).astype(np.int32)
        self.full = space.stock.full
        self._counts = np.eye(len(self._kinds), dtype=np.float32)[kinds]
        names += [f"off {end}" for end in ends]
        if rules.payoff.has_fines:
            names.append("fine")
        self.names = tuple(names)

    def __len__(self) -> int:
        return len(self.names)

    def of(self, rows: Rows) -> Inputs:
        """The features of some states that are not over.

        Parameters
        ----------
        rows : unsigned, shape (states, state width)

        Returns
        -------
        float32, shape (states, features)
        """
        inputs = np.empty((len(rows), len(self.names)), dtype=np.float32)
        first = 0
        for column, lookup in enumerate(self._lookups):
            end = first + lookup.shape[1]
            inputs[:, first:end] = lookup[rows[:, column]]
            first = end
        there, pieces = inputs[:, :first] @ self._counts, self.rules.pieces
        end = first + 2 * pieces
        if self._is_numbered:
            inputs[:, first:end] = there < 0.5
        else:
            inputs[:, first:end] = (pieces - there).repeat(pieces, 1) > np.tile(
                np.arange(pieces), 2
            ) + 0.5
        if self.rules.payoff.has_fines:
            inputs[:, -1] = self.fine_of(rows)
        return inputs

    def fine_of(self, rows: Rows) -> npt.NDArray[np.float32]:
        """With stakes, the feature of the fines."""
        share = self.rules.payoff.cost(True) / scale_of(self.rules, rows)
        return np.asarray(share, dtype=np.float32)


def scale_of(rules: RuleSet, rows: Rows) -> npt.NDArray[np.float64] | float:
    """What an output of 1 stands for: a certain win or, with stakes, the pot with a fine more."""
    payoff = rules.payoff
    if not payoff.has_fines:
        return 1.0
    base, step = payoff.total(1), payoff.total(1) - payoff.total(0)
    return np.asarray(base + rows[:, -1].astype(np.float64) * step)


def _counted(pieces: tuple[str, ...], is_stack: bool) -> list[tuple[int, str]]:
    """The pieces of a content with their places from the top, or with how many there are so far."""
    if is_stack:
        return list(enumerate(pieces[::-1], start=1))
    return [(pieces[: k + 1].count(piece), piece) for k, piece in enumerate(pieces)]


def _order(counted: tuple[int, str]) -> tuple[int, int, str]:
    """Numbers ascending, stacks from the top down; pieces in the order of notation."""
    k, piece = counted
    return k, LETTERS.index(piece[0]), piece[1:]


def _lookup(
    found: list[list[tuple[int, str]]], own: list[tuple[int, str]]
) -> npt.NDArray[np.float32]:
    """A square's features by the number of its content."""
    lookup = np.zeros((len(found), len(own)), dtype=np.float32)
    for row, counted in enumerate(found):
        lookup[row, [own.index(each) for each in counted]] = 1
    return lookup


def _kind(piece: str, is_numbered: bool) -> str:
    """Whose piece it is, with its number if it has one."""
    return side_of(piece) + (piece[1:] if is_numbered else "")


@lru_cache(maxsize=8)
def features_of(rules: RuleSet) -> Features:
    """The features of a rule set, built once and shared."""
    return Features(rules)
