"""Looking values up in a table's file: one, many, and what can be said of how exact they are.

All values are win probabilities of the side about to throw, before the throw, or with
stakes the money that it may expect to come.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.answers.positions import (
    PositionLike,
    PositionsLike,
    position_from,
    rank_of,
    states_from,
    value_when_over,
)
from ur_solver.answers.query import Answers
from ur_solver.common.text import whole_number
from ur_solver.errors import InputError
from ur_solver.rules import Position, RuleSet
from ur_solver.table.reader import TableFile


class Lookup(Answers):
    """The values of a table's file; safe from several threads.

    Parameters
    ----------
    file : TableFile
        Must stay open as long as this object is used.
    """

    def __init__(self, file: TableFile) -> None:
        self.file = file
        self.space = file.space

    @property
    def rules(self) -> RuleSet:
        """The rule set of the table."""
        return self.file.rules

    @property
    def tolerance(self) -> float:
        """How far values may be off, as the table states it; without the error of the cut."""
        return self.file.header.tolerance * self.space.unit

    def cut_error(self, position: PositionLike) -> float:
        """The largest error due to the cut of the fines; 0 without stakes.

        In a table with a certificate it is proven by the number of fines paid, and includes all
        other errors; else it is that of any position, however few have been paid.
        """
        header = self.file.header
        if header.cut_error is None or header.cut_growth is None:
            return 0.0
        fines = self._position(position).fines
        past = max(0, fines - self.space.reach)
        proven = header.level_errors
        error = header.cut_error if proven is None else proven[min(fines, self.space.reach)]
        return (error + past * header.cut_growth) * self.space.unit

    def value(self, position: PositionLike) -> float:
        """Win probability, or money, of the side about to throw, before the throw.

        Parameters
        ----------
        position : Position or str
            Of the table's rule set, or its notation; it need not be reachable from the start.

        Returns
        -------
        float
            In [0, 1]; 1 or 0 where the game is over. With stakes the money to come, past the
            fines that the table reaches by a straight line (`ur_solver.space.stakes`); the
            pot or 0 where the game is over.

        Raises
        ------
        PositionSyntaxError
            If a text does not follow the notation.
        RuleSetMismatchError
            If the position is of another rule set.
        IllegalPositionError
            If the rule set forbids the position; it lists every fault.
        BeyondTableError
            If the table holds a part of the game, and not this position.
        DamagedTableError
            If the value cannot be read.

        Notes
        -----
        One rank and one chunk read: some ten microseconds when the chunk is cached.

        Examples
        --------
        >>> import ur_solver as ur
        >>> table = ur.solve("finkel:3")
        >>> round(table.value("....__../......../....__.. L 3 3"), 9)
        0.516201102
        """
        position = self._position(position)
        rank = self._rank(position)
        if rank < 0:
            return value_when_over(self.rules, position)
        value = self.file.read_one(rank) * self.space.unit
        past = position.fines - self.space.reach
        if past <= 0:
            return value
        return value + past * self.space.fine * self.file.read_one(self.space.chance_rank(rank))

    def chance(self, position: PositionLike) -> float:
        """Win probability of the side about to throw, if both sides play for nothing else.

        The same as `value` unless there are stakes; raises as it does.
        """
        position = self._position(position)
        rank = self._rank(position)
        if rank < 0:
            return float(position.winner == position.side)
        return self.file.read_one(self.space.chance_rank(rank))

    def error(self, position: PositionLike) -> float | None:
        """The proven error of a position's value.

        Parameters
        ----------
        position : Position or str

        Returns
        -------
        float or None
            Of the position's block, rounding to the value type included; 0 where the game
            is over; None if the table has no certificate.

        Raises
        ------
        PositionSyntaxError, RuleSetMismatchError, IllegalPositionError
            As `value` does.
        """
        found = self._position(position)
        rank = self._rank(found)
        if rank < 0:
            return None if self.file.header.error is None else 0.0
        error = self.file.error_of(rank)
        if error is None:
            return None
        # a chance of winning is off by as much, which each fine past the levels weighs
        past = max(0, found.fines - self.space.reach)
        return error * (self.space.unit + past * self.space.fine)

    def errors(self, positions: PositionsLike) -> npt.NDArray[np.float64]:
        """The proven errors of many positions' values, as `error` gives them.

        Parameters
        ----------
        positions : iterable of Position or str, or array
            As `values` takes them.

        Returns
        -------
        float64, shape (len(positions),)
            NaN if the table has no certificate.
        """
        states = states_from(self.space, positions)
        self.file.check_all_held(states.ranks)
        if self.file.header.error is None:
            return np.full(len(states.ranks), np.nan)
        past = np.maximum(states.rows[:, -1].astype(np.int64) - self.space.reach, 0)
        weight = self.space.unit + past * self.space.fine
        return self.file.errors_of(states.ranks) * weight

    def state_chances(self, states: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """The chances to win of many encoded states, if both sides play for nothing else."""
        if not self.rules.payoff.has_fines:
            return self.state_values(states)
        ranks = self.space.rank_states(states)
        found = np.empty(len(ranks))
        is_over = ranks < 0
        found[~is_over] = self.file.read_many(self.space.chance_rank(ranks[~is_over]))
        for k in np.flatnonzero(is_over):
            position = self.space.decode(states[k].tolist())
            found[k] = float(position.winner == position.side)
        return found

    def _position(self, position: PositionLike) -> Position:
        return position_from(self.rules, position)

    def _rank(self, position: Position) -> int:
        """The rank of a position, -1 if it is over; raises where the table does not hold it."""
        rank = rank_of(self.space, position)
        if rank >= 0:
            self.file.check_holds(rank, position)
        return rank

    def check(self, position: PositionLike) -> bool:
        """Whether the game goes on in a position.

        Raises
        ------
        PositionSyntaxError, RuleSetMismatchError, IllegalPositionError, BeyondTableError
            As `value` does.
        """
        return self._rank(self._position(position)) >= 0

    def holds(self, position: PositionLike) -> bool:
        """Whether the table answers for a position: always, unless it holds a part of the game.

        It then answers for all positions that can come after it, too.

        Raises
        ------
        PositionSyntaxError, RuleSetMismatchError, IllegalPositionError
            As `value` does.

        Examples
        --------
        >>> import ur_solver as ur
        >>> endings = ur.solve("finkel:3", left=1)
        >>> endings.holds(endings.rules.start())
        False
        >>> endings.holds("....__../.......L/....__.D L 0 0")
        True
        """
        rank = rank_of(self.space, self._position(position))
        return rank < 0 or self.file.holds(rank)

    def holds_states(self, states: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """For each encoded state, whether the table answers for it; see `state_values`."""
        ranks = self.space.rank_states(states)
        if self.file.part.is_whole:
            return np.ones(len(ranks), dtype=bool)
        return (ranks < 0) | self.file.holds_many(ranks)

    def values(self, positions: PositionsLike) -> npt.NDArray[np.float64]:
        """The values of many positions, as `value` gives them.

        Parameters
        ----------
        positions : iterable of Position or str, or array
            Positions or their notation, in a list, an array or a column of pandas, polars or Arrow;
            or an array of encoded states, as `encode` gives them or as structures of
            `StateLayout.dtype`.

        Returns
        -------
        float64, shape (len(positions),)

        Raises
        ------
        PositionSyntaxError, RuleSetMismatchError, IllegalPositionError
            For the first position at fault.
        BeyondTableError
            If the table holds a part of the game, and not all of them.

        Notes
        -----
        About three million texts a second and core, and five times as many encoded states.

        Examples
        --------
        >>> import ur_solver as ur
        >>> table = ur.solve("finkel:3")
        >>> start = table.rules.start()
        >>> table.values([start, start.pass_turn()]).round(6)
        array([0.516201, 0.516201])
        """
        states = states_from(self.space, positions)
        return self._values_at(
            states.ranks, states.rows[:, -1], lambda k: self.space.decode(states.rows[k].tolist())
        )

    def state_values(self, states: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """The values of many encoded states.

        Parameters
        ----------
        states : unsigned integers, shape (n, state width)
            Rows as `encode` gives them, seen from the side about to throw.

        Returns
        -------
        float64, shape (n,)

        Raises
        ------
        IllegalPositionError
            For the first row that is no state of the table's rule set.

        Notes
        -----
        More than 5 million random states a second and core once the table is loaded.
        """
        states = np.asarray(states)
        ranks = self.space.rank_states(states)
        return self._values_at(
            ranks, states[:, -1], lambda k: self.space.decode(states[k].tolist())
        )

    def _values_at(
        self,
        ranks: npt.NDArray[np.int64],
        fines: npt.NDArray[Any],
        position: Callable[[int], Position],
    ) -> npt.NDArray[np.float64]:
        is_over = ranks < 0
        if not is_over.any():
            return self._read(ranks, fines)
        values = np.empty(len(ranks))
        values[~is_over] = self._read(ranks[~is_over], fines[~is_over])
        for k in np.flatnonzero(is_over):
            values[k] = value_when_over(self.rules, position(int(k)))
        return values

    def _read(
        self, ranks: npt.NDArray[np.int64], fines: npt.NDArray[Any]
    ) -> npt.NDArray[np.float64]:
        space = self.space
        values = self.file.read_many(ranks)
        if not self.rules.payoff.has_fines:
            return values
        values *= space.unit
        past = np.maximum(fines.astype(np.int64) - space.reach, 0)
        slopes = self.file.read_many(space.chance_rank(ranks[past > 0]))
        values[past > 0] += past[past > 0] * space.fine * slopes
        return values

    def encode(self, positions: PositionsLike) -> npt.NDArray[Any]:
        """Positions as rows of numbers, for `values` and whatever else takes encoded states.

        Parameters
        ----------
        positions : iterable of Position or str, or array
            As `values` takes them.

        Returns
        -------
        unsigned integers, shape (len(positions), state width)
            Seen from the side about to throw, as `layout` says. Which side that is, is not kept:
            it does not change the value.

        Raises
        ------
        PositionSyntaxError, RuleSetMismatchError, IllegalPositionError
            For the first position at fault.
        """
        return states_from(self.space, positions).rows

    def ranks(self, positions: PositionsLike) -> npt.NDArray[np.int64]:
        """The ranks of many positions: their places in the order of the table's values.

        Parameters
        ----------
        positions : iterable of Position or str, or array
            As `values` takes them.

        Returns
        -------
        int64, shape (len(positions),)
            -1 where the game is over. docs/file-formats.md defines ranks.

        Raises
        ------
        PositionSyntaxError, RuleSetMismatchError, IllegalPositionError
            For the first position at fault.
        """
        return states_from(self.space, positions).ranks

    def states(self, ranks: npt.ArrayLike) -> npt.NDArray[Any]:
        """The encoded states of many ranks, the inverse of `ranks`.

        Parameters
        ----------
        ranks : array of int, shape (n,)

        Returns
        -------
        unsigned integers, shape (n, state width)
            As `layout` says.

        Raises
        ------
        InputError
            If there is no such rank.
        """
        try:
            return self.space.unrank_states(ranks)
        except IndexError as error:
            raise InputError(str(error)) from None

    def chunks(
        self, size: int = 1 << 16, *, ranks: range | None = None, block: int | None = None
    ) -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[np.float64]]]:
        """All positions of the table with their values, in the order of ranks.

        Memory stays constant: values are read from the file as they are asked for.

        Parameters
        ----------
        size : int
            The positions of a chunk; of the last one fewer, with stakes of every one.
        ranks : range, optional
            Only these ranks, of those that the table holds.
        block : int, optional
            Only this block; `space.blocks` lists all.

        Yields
        ------
        states : unsigned integers, shape (n, state width)
            As `encode` gives them.
        values : float64, shape (n,)
            As `values` gives them. With stakes there is a state for each number of fines that the
            table has values of.

        Raises
        ------
        InputError
            If `size`, `ranks` or `block` is out of range, or both of these are given.
        DamagedTableError
            If values cannot be read.

        Notes
        -----
        A million positions a second and core and more.

        Examples
        --------
        >>> import ur_solver as ur
        >>> table = ur.solve("finkel:3")
        >>> total = n = 0
        >>> for states, values in table.chunks():
        ...     total, n = total + values.sum(), n + len(values)
        >>> print(f"{n:,} positions; the mean of their values is {total / n:.4f}")
        263,121 positions; the mean of their values is 0.5364
        """
        wanted = self._wanted(size, ranks, block)
        return self._chunks(size, wanted)

    def _wanted(self, size: int, ranks: range | None, block: int | None) -> range:
        """The ranks that `chunks` is asked for; raises before the first chunk."""
        whole_number("size", size, 1)
        if block is None:
            wanted = range(self.space.n_values) if ranks is None else ranks
            if not isinstance(wanted, range) or wanted.step != 1:
                raise InputError(f"ranks are {wanted!r:.60}; expected a range of step 1")
            return wanted
        if ranks is not None:
            raise InputError("both ranks and a block are given; expected one of them")
        if block not in self.file.part.indices:
            raise InputError(f"block {block!r}: the table has no such block")
        found = self.space.blocks[block]
        return range(found.offset, found.offset + found.size)

    def _chunks(
        self, size: int, wanted: range
    ) -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[np.float64]]]:
        space = self.space
        for ranks, values in self.file.read_runs(wanted.start, wanted.stop, size):
            # those of the cut are values of no position
            is_level = ranks % space.values_per_position <= space.reach
            if is_level.any():
                yield space.unrank_states(ranks[is_level]), values[is_level] * space.unit
