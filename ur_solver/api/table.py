"""Tables as users know them: the values of a solved game's file, and all that follows from them."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal

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
from ur_solver.common.files import Closing, path_text
from ur_solver.common.progress import Progress, check_progress, wanted_progress
from ur_solver.common.text import whole_number
from ur_solver.errors import InputError
from ur_solver.rules import Position, RuleSet
from ur_solver.space import Space, StateLayout
from ur_solver.table.format import TABLE, WIN, Header
from ur_solver.table.reader import TableFile

if TYPE_CHECKING:
    from ur_solver.answers.verify import Verification
    from ur_solver.audit.audits import GameAudit
    from ur_solver.records import GameRecord


class Judge(Answers, Closing):
    """What gives the values of all positions of a game: exact ones, or estimates.

    `Table` and `Estimator` are the two; what follows from values is the same for both.
    """

    def audit(self, game: GameRecord) -> GameAudit:
        """Judge a game: what every throw was worth and what every move cost.

        Where values are estimates, mistakes are losses beyond the error of the comparison.

        Parameters
        ----------
        game : GameRecord
            As `read_games` and `sample` give it, of the same rule set.

        Raises
        ------
        RuleSetMismatchError
            If the game was played by other rules.
        BeyondTableError
            If a table holds a part that the game does not reach.

        Examples
        --------
        >>> import ur_solver as ur
        >>> table = ur.solve("finkel:3")
        >>> (game,) = ur.sample(table, 1, light="greedy", seed=1)
        >>> audit = table.audit(game)
        >>> audit.dark.loss < 1e-6 < audit.light.loss
        True
        """
        (audit,) = self.audits([game])
        return audit

    def audits(self, games: Iterable[GameRecord]) -> Iterator[GameAudit]:
        """Judge games in order, many at a time: faster than one by one.

        Parameters and errors are those of `audit`.
        """
        from ur_solver.audit.judge import audit_games  # noqa: PLC0415 - a query needs none of it

        return audit_games(games, self)


class Solved(Closing):
    """A table's file, read only and safe from several threads, and what it numbers."""

    objectives: ClassVar[tuple[str, ...]]
    """What its values may be."""

    def __init__(self, path: str | os.PathLike[str] | TableFile) -> None:
        self.file = path if isinstance(path, TableFile) else TableFile(path, self.objectives)
        self.space: Space = self.file.space

    @property
    def rules(self) -> RuleSet:
        """The rule set of the table."""
        return self.file.rules

    @property
    def path(self) -> pathlib.Path:
        """The file."""
        return self.file.path

    def close(self) -> None:
        """Close the file; asking the table afterwards raises ClosedTableError."""
        self.file.close()

    def __reduce__(self) -> tuple[Callable[..., Solved], tuple[type[Solved], str]]:
        # so that the tasks of a pool of processes find it open
        return _opened_once, (type(self), str(self.path.absolute()))


class Table(Solved, Judge):
    """A solved game: the value of every position, and all that follows from it.

    Values are win probabilities in [0, 1] of the side about to throw, before the throw; with
    stakes the money that it may expect to come. A table is read only and safe from several
    threads; it is a context manager that closes its file.

    Parameters
    ----------
    path : path of a file, or TableFile
        A table as ``ur solve`` makes it. `open_table` finds one by the rule set's name.

    Attributes
    ----------
    path : pathlib.Path
    file : TableFile
        What the values are read from, by rank.
    space : Space
        The numbered positions of the rule set.

    Raises
    ------
    MissingTableError
        If there is no file.
    NotATableError
        If it is no table.
    TableVersionError
        If its format is newer, or older, than this program reads.
    DamagedTableError
        If it was a table but is no longer whole.
    TableInUseError
        If it cannot be read since another program is writing to it.
    UnregisteredError
        If its rule set has a family or a kind of square that is not registered here.

    Examples
    --------
    >>> import ur_solver as ur
    >>> with ur.solve("finkel:3") as table:
    ...     print(f"{table.value(table.rules.start()):.4f}")
    0.5162
    """

    objectives = (WIN,)
    are_exact: ClassVar[Literal[True]] = True
    """Its values are exact, but for the tolerance."""

    @property
    def layout(self) -> StateLayout:
        """What the numbers of encoded states mean, and states as structures and as notation."""
        return self.space.state_layout

    @property
    def tolerance(self) -> float:
        """The tolerance of the values that the table states; with stakes, besides `cut_error`."""
        return self.file.header.tolerance * self.space.unit

    @property
    def header(self) -> Header:
        """What the file says of itself: tolerance, residual, when it was made."""
        return self.file.header

    @property
    def max_error(self) -> float | None:
        """How far any value is proven to be off at most; None if nothing is proven.

        In units of the values, rounding to the value type included.
        """
        return None if self.header.error is None else self.header.error * self.space.unit

    @property
    def digest(self) -> str:
        """A checksum of everything that the answers depend on."""
        return self.file.digest

    def check_whole(self, purpose: str) -> None:
        """Raise BeyondTableError if the table holds a part; `purpose` begins the sentence."""
        self.file.check_whole(purpose)

    def looking(self, plies: int) -> Table:
        """The table itself, which need not look ahead."""
        return self

    def error_of(self, value: float, position: Position) -> float:
        """Half the width of the 95 % interval of a value: 0."""
        return 0.0

    @property
    def start_value(self) -> float | None:
        """The value of the start; None if the table holds a part of the game without it."""
        start = self.rules.start()
        return self.value(start) if self.holds(start) else None

    @property
    def left(self) -> int | None:
        """The most pieces that a side has left in the positions of the table, if it has all these.

        The count of pieces for a whole table. None for one that holds what some positions can
        lead to (`ur_solver.solve_from`).
        """
        return self.file.part.left

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
        return self.file.read_worth(rank, position.fines)

    def chance(self, position: PositionLike) -> float:
        """Win probability of the side about to throw, if both sides play for nothing else.

        The same as `value` unless there are stakes; raises as it does.
        """
        position = self._position(position)
        rank = self._rank(position)
        if rank < 0:
            return float(position.winner == position.side)
        return self.file.read_one(self.space.chance_rank(rank))

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

    def error(self, position: PositionLike) -> float | None:
        """The proven error of a position's value; raises as `value` does.

        It is that of the position's block, rounding to the value type included; 0 where the game is
        over; None if the table has no certificate.
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
        """The proven errors of many positions' values, as `error` gives them; float64.

        NaN without a certificate. Positions are given, and errors raised, as for `values`.
        """
        states = states_from(self.space, positions)
        self.file.check_all_held(states.ranks)
        if self.file.header.error is None:
            return np.full(len(states.ranks), np.nan)
        past = np.maximum(states.rows[:, -1].astype(np.int64) - self.space.reach, 0)
        weight = self.space.unit + past * self.space.fine
        return self.file.errors_of(states.ranks) * weight

    def _position(self, position: PositionLike) -> Position:
        return position_from(self.rules, position)

    def _rank(self, position: Position) -> int:
        """The rank of a position, -1 if it is over; raises where the table does not hold it."""
        rank = rank_of(self.space, position)
        if rank >= 0:
            self.file.check_holds(rank, position)
        return rank

    def check(self, position: PositionLike) -> bool:
        """Whether the game goes on in a position; raises as `value` does."""
        return self._rank(self._position(position)) >= 0

    def holds(self, position: PositionLike) -> bool:
        """Whether the table answers for a position: always, unless it holds a part of the game.

        It then answers for all positions that can come after it, too. Raises as `value` does, but
        for BeyondTableError.

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
        return self._values_at(states.ranks, states.rows)

    def state_values(self, states: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """The values of many encoded states.

        They are rows as `encode` gives them; IllegalPositionError for the first that is no state of
        the table's rule set. More than 5 million random states a second and core are read once the
        table is loaded.
        """
        states = np.asarray(states)
        return self._values_at(self.space.rank_states(states), states)

    def _values_at(
        self, ranks: npt.NDArray[np.int64], states: npt.NDArray[Any]
    ) -> npt.NDArray[np.float64]:
        """The values of states with these ranks, -1 where the game is over."""
        fines, is_over = states[:, -1], ranks < 0
        if not is_over.any():
            return self._read(ranks, fines)
        values = np.empty(len(ranks))
        values[~is_over] = self._read(ranks[~is_over], fines[~is_over])
        for k in np.flatnonzero(is_over):
            values[k] = value_when_over(self.rules, self.space.decode(states[k].tolist()))
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

        Positions are given, and errors raised, as for `values`.

        Returns
        -------
        unsigned integers, shape (len(positions), state width)
            Seen from the side about to throw, as `layout` says. Which side that is, is not kept:
            it does not change the value.
        """
        return states_from(self.space, positions).rows

    def ranks(self, positions: PositionsLike) -> npt.NDArray[np.int64]:
        """The ranks of many positions: their places in the order of the table's values, int64.

        They are -1 where the game is over; docs/file-formats.md defines them. Positions are given,
        and errors raised, as for `values`.
        """
        return states_from(self.space, positions).ranks

    def states(self, ranks: npt.ArrayLike) -> npt.NDArray[Any]:
        """The encoded states of many ranks, the inverse of `ranks`; InputError if there is none."""
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

    def load(self, progress: bool | Progress = False) -> None:
        """Read all values into memory, where millions a second are found.

        `values` and audits do so by themselves once they have read about as much as the table has,
        if it takes less than half of the free memory; on a terminal they show a bar if that takes
        longer than two seconds. `limit_memory` keeps them from it.

        Parameters
        ----------
        progress : bool or callable
            True for a bar on standard error; or a function called with the values that are read
            and their total.

        Raises
        ------
        DamagedTableError
            If they cannot be read.
        """
        check_progress(progress)
        total = self.header.positions
        with wanted_progress(progress, "reading the table", total, "values") as report:
            self.file.load(report)

    def export(
        self,
        path: str | os.PathLike[str],
        kind: str = "parquet",
        columns: Sequence[str] | None = None,
        progress: bool | Progress = False,
    ) -> int:
        """Write all positions to a file of columns, which pandas, polars and DuckDB read.

        Memory stays constant if `limit_memory` says so.

        Parameters
        ----------
        path : path of a file
            Replaced if it exists.
        kind : str
            ``"parquet"``, ``"arrow"`` (Arrow IPC) or ``"npy"``; the first two need the extra
            ``arrow``.
        columns : sequence of str, optional
            Some of the columns that docs/bulk.md describes; by default all.
        progress : bool or callable
            As for `load`, in positions.

        Returns
        -------
        int
            The number of positions.

        Raises
        ------
        InputError
            If there is no such kind or column, or pyarrow is missing.
        OutputError
            If the file cannot be written.
        DamagedTableError
            If values cannot be read.
        """
        from ur_solver.answers.export import export  # noqa: PLC0415 - a query needs none of it

        check_progress(progress)
        with wanted_progress(progress, "exporting", self.header.positions) as report:
            return export(pathlib.Path(path_text(path)), self, kind, columns, report)

    def limit_memory(self, limit: int) -> None:
        """Let the table's values take no more than `limit` bytes of memory, but at least 256 KiB.

        Values are then read from the file as they are asked for, unless all of them fit. Many
        positions at once are read in the order of the file, each part of it once.

        Examples
        --------
        >>> import ur_solver as ur
        >>> with ur.solve("finkel:3") as table:
        ...     table.limit_memory(1 << 20)
        ...     table.values([table.rules.start()]).round(6)
        array([0.516201])
        """
        self.file.limit_memory(whole_number("limit", limit))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self.file.is_same(other.file)

    def __hash__(self) -> int:
        return hash(self.file.digest)

    def __repr__(self) -> str:
        return f"Table({str(self.path)!r}: {self.rules.word})"

    def __str__(self) -> str:
        return "\n".join(f"{name:<20}{value}" for name, value in self._facts())

    def _repr_html_(self) -> str:
        from markupsafe import escape  # noqa: PLC0415 - for notebooks

        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>"
            for name, value in self._facts()
        )
        return f"<table><caption>{escape(self.rules.word)}</caption>{rows}</table>"

    def _facts(self) -> list[tuple[str, str]]:
        error, part, start = self.max_error, self.file.part, self.start_value
        return [
            ("rule set", self.rules.title),
            *([] if part.is_whole else [("holds", part.scope)]),
            ("positions", f"{part.n_positions:,}"),
            *([] if start is None else [("opening value", f"{self.opening_value():.12g}")]),
            ("tolerance", f"{self.tolerance:.3g}"),
            ("proven error", "none" if error is None else f"{error:.3g}"),
            ("file", str(self.path)),
        ]

    def info(self) -> dict[str, Any]:
        """What the table says of itself, as JSON values: the keys of ``ur info --json``.

        With stakes, what values may be off is money, as the values are.
        """
        header, file = self.header, self.file
        facts = file.facts() | {
            "value": self.start_value,
            "opening_value": None if self.start_value is None else self.opening_value(),
        }
        if self.rules.payoff.has_fines:
            for name in ("tolerance", "residual", "cut_error", "cut_growth"):
                facts[name] *= self.space.unit
            levels = header.level_errors
            facts["level_errors"] = levels and [each * self.space.unit for each in levels]
            if header.error is not None:
                facts |= {
                    "error": self.max_error,
                    "block_errors": (file.blocks["error"] * self.space.unit).tolist(),
                }
            facts |= {"positions": file.part.n_positions, "fines": self.space.reach}
        return facts

    def verify(self, *, sample: int = 500, seed: int = 0) -> Verification:
        """Recompute from the file alone what it claims, as `answers.verify.verify_table` says.

        Parameters
        ----------
        sample : int
            How many positions to recompute by the readable rules.
        seed : int
            Of the sample.

        Raises
        ------
        DamagedTableError
            At the first fault, naming the block and a position.
        """
        from ur_solver.answers.verify import verify_table  # noqa: PLC0415 - the kernels

        return verify_table(self.file, sample=sample, seed=seed)


_SENT = 16
"""The most tables that stay open in a process that they were sent to."""


def _opened_once(kind: type[Solved], path: str) -> Solved:
    """A table that was sent to this process: the same one each time, while it is open."""
    place = pathlib.Path(path)
    with suppress(OSError):
        marks = [each.stat() for each in (place, place / TABLE) if each.is_file()]
        key = tuple((each.st_dev, each.st_ino, each.st_size, each.st_mtime_ns) for each in marks)
        found = _opened(kind, path, os.getpid(), key)
        if found.file.is_closed:
            _opened.cache_clear()
            found = _opened(kind, path, os.getpid(), key)
        return found
    return kind(path)


@lru_cache(maxsize=_SENT)
def _opened(
    kind: type[Solved], path: str, _process: int, _key: tuple[tuple[int, ...], ...]
) -> Solved:
    return kind(path)
