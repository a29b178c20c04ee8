"""The turns of a rule set on encoded states, many at once.

What moves do to states is written down as plain arrays (`tables.py`). Ranks and kernels have no
part in it, so that what walks here from position to position can be held against what they say.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.players import _walker
from ur_solver.players.tables import NONE, TablesBuilder
from ur_solver.players.turns import Rows, Saying, Turns
from ur_solver.rules import FREE_THROW, Position, RuleSet
from ur_solver.space import Space, space_of


class Walker:
    """The turns of one rule set on encoded states; `walker_of` gives the shared one.

    Thread safe.

    Attributes
    ----------
    rules : RuleSet
    space : Space
    throws : tuple of int
        The throws that move a piece somewhere; compiled code knows them by number.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.space: Space = space_of(rules)
        builder = TablesBuilder(rules, self.space)
        self._moves, self._stock = builder.moves, builder.stock
        self.throws = builder.moves.throws
        self.arrays = builder.build()
        self._tables = _walker.Tables(self.arrays)
        self._counts = builder.counts()
        self._sayings: dict[tuple[int, bool], tuple[Saying, ...]] = {}
        self._most_options = self._bound()

    def _bound(self) -> int:
        # of one turn: each piece on the board and one from home, by one throw, and two options
        # where the mover may choose to throw again
        steps = np.diff(self.arrays.step_start, axis=1).max(initial=1)
        choices = 2 if (self.arrays.again == 3).any() else 1
        return max(1, (self.rules.pieces + 1) * int(steps) * choices)

    def start(self, n: int = 1) -> Rows:
        """The row of the first position, `n` times."""
        row = np.array(list(self.space.encode(self.rules.start())), self.space.state_dtype)
        return np.tile(row, (n, 1))

    def position(self, row: npt.NDArray[Any]) -> Position:
        """The position of a row, light to throw."""
        return self.space.decode(row.tolist())

    @property
    def n_cells(self) -> int:
        """The squares of a row; the homes follow."""
        return len(self.arrays.mirror_cell)

    @cached_property
    def opening(self) -> int | None:
        """The number of the first throw, where the rules give it."""
        throw = self.rules.mechanics.opening_throw
        return None if throw is None else self.throws.index(throw)

    @cached_property
    def asks(self) -> bool:
        """Whether anything is said before throwing."""
        return self.rules.mechanics.choices(1, 1) != (FREE_THROW,)

    def kinds(self, rows: Rows) -> list[tuple[tuple[Saying, ...], npt.NDArray[np.int64]]]:
        """What may be said in some states, with the numbers of the states where that is so."""
        if not self.asks:
            return [(self._said(1, True), np.arange(len(rows)))]
        n = self.n_cells
        on_board = self.n_mine(rows).any(axis=1)
        key = rows[:, n].astype(np.int64) * 2 + on_board
        return [
            (self._said(int(each) // 2, bool(each % 2)), np.flatnonzero(key == each))
            for each in np.unique(key)
        ]

    def n_mine(self, rows: Rows) -> npt.NDArray[np.uint8]:
        """How many pieces of the side to throw stand on each square: shape (states, squares)."""
        cells = np.arange(self.n_cells)
        return self.arrays.n_mine[cells, rows[:, : self.n_cells]]

    def placed(self, rows: Rows) -> npt.NDArray[np.int64]:
        """How many pieces of the side to throw are where: shape (states, path length + 2).

        By path index; then those borne off, and those at home.
        """
        found = np.zeros((len(rows), len(self.rules.path) + 2), dtype=np.int64)
        for index, cell, count in self._counts:
            found[:, index] += count[rows[:, cell]]
        found[:, -1] = self.arrays.stock_count[rows[:, self.n_cells]]
        found[:, -2] = self.rules.pieces - found.sum(axis=1)
        return found

    def _said(self, home: int, on_board: bool) -> tuple[Saying, ...]:
        key = home, on_board
        if key not in self._sayings:
            names = self.rules.mechanics.choices(self._stock.count(home), int(on_board))
            candidate = min(self._stock.numbers(home), default=None)
            self._sayings[key] = tuple(self._saying(name, candidate) for name in names)
        return self._sayings[key]

    def _saying(self, name: str, candidate: int | None) -> Saying:
        said = self._moves.said(name, candidate)
        chances = [(NONE, said.passes), *enumerate(said.chances)]
        outcomes = tuple((number, chance) for number, chance in chances if chance)
        return Saying(name, self.may(name), outcomes)

    def may(self, choice: str) -> int:
        """Which pieces may move after `choice`, as `Saying.may`."""
        from_home, on_board = self.rules.mechanics.moves_from(choice)
        return from_home + 2 * on_board

    def mirror(self, rows: Rows) -> Rows:
        """Rows as the other side sees them."""
        others = np.empty_like(rows)
        _walker.mirror(self._tables, rows, others)
        return others

    def expand(
        self, rows: Rows, throws: npt.NDArray[np.int32], may: npt.NDArray[np.uint8]
    ) -> Turns:
        """The options of turns whose throws are made.

        Parameters
        ----------
        rows : unsigned, shape (turns, state width)
            States that are not over.
        throws : int32, shape (turns,)
            Numbers of throws, -1 for one that moves nothing.
        may : uint8, shape (turns,)
            As `Saying.may`.
        """
        rows = np.ascontiguousarray(rows)
        room = len(rows) * self._most_options
        after = np.empty((room, rows.shape[1]), dtype=rows.dtype)
        source, target, taken = (np.empty(room, dtype=np.int8) for _ in range(3))
        flags = np.empty(room, dtype=np.uint8)
        starts = np.empty(len(rows) + 1, dtype=np.int64)
        n = _walker.expand(
            self._tables, rows, throws, may, starts, after, source, target, taken, flags
        )
        found = (after[:n], source[:n], target[:n], taken[:n], flags[:n])
        return Turns(self, rows, throws, may, starts, *found)

    def open(self, rows: Rows) -> Turns:
        """The first turns of games, where the rules give the first throw."""
        assert self.opening is not None
        may = self.kinds(rows[:1])[0][0][0].may
        throws = np.full(len(rows), self.opening, dtype=np.int32)
        return self.expand(rows, throws, np.full(len(rows), may, dtype=np.uint8))

    def say(self, rows: Rows, sayings: tuple[Saying, ...]) -> Turns:
        """The turns of states in which all of some sayings may be said, before the throw."""
        n = len(sayings)
        source = np.tile(np.array([each.source for each in sayings], dtype=np.int8), len(rows))
        nothing = np.zeros(len(source), dtype=np.int8)
        return Turns(
            self,
            rows,
            np.full(len(rows), NONE, dtype=np.int32),
            np.zeros(len(rows), dtype=np.uint8),
            np.arange(len(rows) + 1, dtype=np.int64) * n,
            np.repeat(rows, n, axis=0),
            source,
            source,
            nothing,
            nothing.astype(np.uint8),
            sayings,
        )

    def every_throw(self, rows: Rows, saying: Saying) -> tuple[Turns, npt.NDArray[np.float64]]:
        """The turns of states after a saying, a turn for every outcome, state by state.

        Returns
        -------
        Turns
            The outcomes of one state are neighbours: as many as `saying.outcomes`.
        float64, shape (outcomes,)
            Their chances, of each state's alike.
        """
        numbers = np.array([number for number, _ in saying.outcomes], dtype=np.int32)
        chances = np.array([chance for _, chance in saying.outcomes])
        many = np.repeat(rows, len(numbers), axis=0)
        may = np.full(len(many), saying.may, dtype=np.uint8)
        return self.expand(many, np.tile(numbers, len(rows)), may), chances

    def capture_chances(self, rows: Rows) -> npt.NDArray[np.float64]:
        """The chance that the side to throw throws what lets it capture.

        Where something is said before, after the saying that makes it the highest.
        """
        found = np.zeros(len(rows))
        for sayings, members in self.kinds(rows):
            part = np.ascontiguousarray(rows[members])
            for saying in sayings:
                chance = np.zeros(len(self.throws))
                for number, probability in saying.outcomes:
                    if number >= 0:
                        chance[number] = probability
                may = np.full(len(part), saying.may, dtype=np.uint8)
                chances = np.tile(chance, (len(part), 1))
                one = np.empty(len(part))
                _walker.capture_chances(self._tables, part, may, chances, one)
                found[members] = np.maximum(found[members], one)
        return found


@lru_cache(maxsize=8)
def walker_of(rules: RuleSet) -> Walker:
    """The walker of a rule set, built once and shared."""
    return Walker(rules)
