"""A table as users know it: one object for the file and everything that can be asked of it."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ur_solver.answers.doors import FileDoor, asks
from ur_solver.answers.lookup import Lookup
from ur_solver.answers.query import Answers
from ur_solver.common.files import path_text
from ur_solver.common.progress import Progress, check_progress, wanted_progress
from ur_solver.common.text import whole_number
from ur_solver.rules import Position
from ur_solver.space import Space, StateLayout
from ur_solver.table.format import TABLE, WIN, Header
from ur_solver.table.reader import TableFile

if TYPE_CHECKING:
    from ur_solver.answers.verify import Verification
    from ur_solver.audit import GameAudit
    from ur_solver.records import GameRecord


class Table(FileDoor, Answers):
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

    are_exact: ClassVar[Literal[True]] = True
    """Its values are exact, but for the tolerance."""

    def __init__(self, path: str | os.PathLike[str] | TableFile) -> None:
        super().__init__(path, (WIN,))
        self._values = Lookup(self.file)

    value = asks("_values", Lookup.value)
    values = asks("_values", Lookup.values)
    state_values = asks("_values", Lookup.state_values)
    encode = asks("_values", Lookup.encode)
    ranks = asks("_values", Lookup.ranks)
    states = asks("_values", Lookup.states)
    chunks = asks("_values", Lookup.chunks)
    chance = asks("_values", Lookup.chance)
    error = asks("_values", Lookup.error)
    errors = asks("_values", Lookup.errors)
    cut_error = asks("_values", Lookup.cut_error)
    state_chances = asks("_values", Lookup.state_chances)
    check = asks("_values", Lookup.check)
    holds = asks("_values", Lookup.holds)
    holds_states = asks("_values", Lookup.holds_states)

    @property
    def space(self) -> Space:
        """The numbered positions of the rule set."""
        return self.file.space

    @property
    def layout(self) -> StateLayout:
        """What the numbers of encoded states mean, and states as structures and as notation."""
        return self.space.state_layout

    @property
    def tolerance(self) -> float:
        """The tolerance of the values that the table states; with stakes, besides `cut_error`."""
        return self._values.tolerance

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
            return export(pathlib.Path(path_text(path)), self._values, kind, columns, report)

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

    def __reduce__(self) -> tuple[Callable[[str], Table], tuple[str]]:
        # so that the tasks of a pool of processes find it open
        return _opened_once, (str(self.path.absolute()),)

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

    def audit(self, game: GameRecord) -> GameAudit:
        """Judge a game: what every throw was worth and what every move cost.

        Parameters
        ----------
        game : GameRecord
            As `read_games` and `sample` give it, of the table's rule set.

        Raises
        ------
        RuleSetMismatchError
            If the game was played by other rules.
        BeyondTableError
            If the table holds a part that the game does not reach.

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
        from ur_solver.audit import audit_games  # noqa: PLC0415 - a query needs none of it

        return audit_games(games, self)

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


def _opened_once(path: str) -> Table:
    """A table that was sent to this process: the same one each time, while it is open."""
    place = pathlib.Path(path)
    with suppress(OSError):
        marks = [each.stat() for each in (place, place / TABLE) if each.is_file()]
        key = tuple((each.st_dev, each.st_ino, each.st_size, each.st_mtime_ns) for each in marks)
        found = _opened(path, os.getpid(), key)
        if found.file.is_closed:
            _opened.cache_clear()
            found = _opened(path, os.getpid(), key)
        return found
    return Table(path)


@lru_cache(maxsize=_SENT)
def _opened(path: str, _process: int, _key: tuple[tuple[int, ...], ...]) -> Table:
    return Table(path)
