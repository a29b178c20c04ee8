"""Tables of lengths: the expected number of throws to come; they are solved by one call."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.answers.locate import find_file, is_rule_set, open_file_of
from ur_solver.answers.positions import (
    PositionLike,
    PositionsLike,
    position_from,
    rank_of,
    states_from,
)
from ur_solver.api.solving import rule_set
from ur_solver.api.table import Solved, Table
from ur_solver.common.files import make_folder, path_text
from ur_solver.common.progress import Progress, check_progress, wanted_progress
from ur_solver.errors import InputError, MissingTableError, NotATableError, ObjectiveError
from ur_solver.rules import FREE_THROW, Move, RuleSet, named_rules
from ur_solver.space import space_of
from ur_solver.table.format import LENGTH, LONGEST, is_folder_name
from ur_solver.table.hdf5 import is_table_file
from ur_solver.table.output import check_replaceable, new_table_path
from ur_solver.table.reader import TableFile


@dataclass(frozen=True, slots=True)
class MoveLength:
    """A legal move, and the length of the game after it.

    Attributes
    ----------
    move : Move
    length : float
        The expected number of throws after the move; 0 if it wins.
    """

    move: Move
    length: float


class Lengths(Solved):
    """A table of lengths: how many throws a game still takes, on average, from every position.

    It is read only and safe from several threads; it is a context manager that closes its file.

    Parameters
    ----------
    path : path of a file, or TableFile
        As ``ur solve --objective length-max`` makes it.

    Attributes
    ----------
    file : TableFile

    Raises
    ------
    ObjectiveError
        If the table holds chances of winning.
    MissingTableError, NotATableError, TableVersionError, DamagedTableError, TableInUseError
        As `Table` does.

    Examples
    --------
    >>> import ur_solver as ur
    >>> with ur.solve_lengths("finkel:2") as lengths:
    ...     print(f"{lengths.length(lengths.rules.start()):.6f}")
    70.165706
    """

    objectives = (LENGTH, LONGEST)

    @property
    def objective(self) -> str:
        """``"length"`` if both sides play to win, ``"length-max"`` if both play for length."""
        return str(self.file.header.objective)

    @property
    def max_error(self) -> float:
        """How far any length is proven to be off at most, in throws."""
        return self.file.header.error or 0.0

    def length(self, position: PositionLike) -> float:
        """The expected number of throws to come, the next included; 0 where the game is over.

        Positions are given, and errors raised, as for `Table.value`.
        """
        rank = rank_of(self.file.space, position_from(self.rules, position))
        return 0.0 if rank < 0 else self.file.read_one(rank)

    def lengths(self, positions: PositionsLike) -> npt.NDArray[np.float64]:
        """The lengths of many positions: float64, shape (positions,).

        Positions are given, and errors raised, as for `Table.values`.
        """
        ranks = states_from(self.file.space, positions).ranks
        found = np.zeros(len(ranks))
        found[ranks >= 0] = self.file.read_many(ranks[ranks >= 0])
        return found

    def error(self, position: PositionLike) -> float:
        """How far a length is proven to be off at most, in throws; raises as `length`."""
        rank = rank_of(self.file.space, position_from(self.rules, position))
        return 0.0 if rank < 0 else self.file.error_of(rank) or 0.0

    def moves(
        self, position: PositionLike, throw: int, choice: str = FREE_THROW
    ) -> list[MoveLength]:
        """Every legal move, the longest first; equal ones in the order of `RuleSet.legal_moves`.

        Parameters and errors are those of `Table.moves`.

        Examples
        --------
        >>> import ur_solver as ur
        >>> with ur.solve_lengths("finkel:2") as lengths:
        ...     for each in lengths.moves("L...__../..D...../....__.. L 1 1", 2):
        ...         print(each.move, f"{each.length:.4f}")
        A@A3 60.6164
        A1B2 60.4623
        """
        found = [
            MoveLength(move, self.length(move.position))
            for move in self.rules.legal_moves(position_from(self.rules, position), throw, choice)
        ]
        return sorted(found, key=lambda each: -each.length)

    def info(self) -> dict[str, Any]:
        """What the table says of itself, as JSON values: the keys of ``ur info --json``."""
        return self.file.facts() | {"length": self.length(self.rules.start())}

    def __repr__(self) -> str:
        return f"Lengths({str(self.path)!r}: {self.objective} of {self.rules.word})"


def find_lengths(rules: RuleSet, objective: str) -> Lengths | None:
    """The table of a rule set's lengths in the folders of tables; None if there is none."""
    found = find_file(rules, objective)
    return None if found is None else Lengths(found)


def open_lengths(word: str, objective: str) -> Lengths:
    """The table of lengths that a word names: the path of one, or a rule set.

    MissingTableError if there is none: the text names the command that makes it. ObjectiveError if
    it has another objective. Others as of `ur_solver.answers.locate.open_file`.
    """
    if not is_rule_set(word):
        return Lengths(TableFile(word, (objective,)))
    rules = named_rules(word)
    found = find_lengths(rules, objective)
    if found is None:
        raise MissingTableError(
            f"there is no table of {rules.title} with the objective {objective!r}; 'ur solve "
            f"{word.partition(':')[0]} -n {rules.pieces} --objective {objective}' makes it"
        )
    return found


def lengths_at(word: str) -> Lengths | None:
    """The table of lengths at a path, opened; None if there is something else."""
    if is_rule_set(word) or not is_table_file(word):
        return None
    with suppress(NotATableError, ObjectiveError):
        return Lengths(word)
    return None


def solve_lengths(
    rules: str | os.PathLike[str] | Mapping[str, Any] | RuleSet,
    objective: str = LONGEST,
    path: str | os.PathLike[str] | None = None,
    *,
    pieces: int | None = None,
    force: bool = False,
    progress: bool | Progress = False,
) -> Lengths:
    """Solve the lengths of a rule set's games into a table and open it; only open it if it exists.

    Parameters
    ----------
    rules, pieces
        As for `rule_set`.
    objective : str
        ``"length-max"``: both sides play for the longest game. ``"length"``: both play to win, by
        the table of the rule set, which must be there unless it is small.
    path : path, optional
        Where the table is, or will be; by default among the tables, as ``finkel-3-length-max.h5``.
    force : bool
        Replace an existing table.
    progress : bool or callable
        True for a bar on standard error; or a function called with the positions done and their
        total.

    Raises
    ------
    RuleSetError
        If there is no such rule set.
    InputError
        If there is no such objective, the rules have stakes, or the path is a folder's.
    MissingTableError
        If ``"length"`` needs a table that is missing.
    UnsolvableError
        If play may go on for ever.
    ObjectiveError, OutputError
        If something else is at the path, or it cannot be written.
    MemoryLimitError
        If it would take more memory than is free.

    Examples
    --------
    >>> import ur_solver as ur
    >>> with ur.solve_lengths("finkel:2", "length") as lengths:
    ...     lengths
    ...     print(f"{lengths.length(lengths.rules.start()):.6f}")
    Lengths('...finkel-2-length.h5': length of finkel:2)
    39.798002
    """
    check_progress(progress)
    path = None if path is None else path_text(path)
    found = None if force else lengths_there(rule_set(rules, pieces), objective, path)
    if found is not None:
        return found
    settled = rule_set(rules, pieces).settled()
    with wanted_progress(progress, "solving", space_of(settled).n_positions) as report:
        return make_lengths(settled, objective, path, force=force, progress=report)


def lengths_there(
    rules: RuleSet, objective: str, path: str | os.PathLike[str] | None
) -> Lengths | None:
    """The table that `solve_lengths` would make, if it exists.

    ObjectiveError or OutputError if something else is at the path.
    """
    if path is None:
        return find_lengths(rules, objective)
    if not os.path.lexists(path):
        return None
    found = Lengths(TableFile(path, (objective,)))
    if not found.rules.is_same_game(rules):
        found.close()
        check_replaceable(pathlib.Path(path), force=False)  # says what is there
    return found


def make_lengths(
    rules: RuleSet,
    objective: str,
    path: str | os.PathLike[str] | None,
    *,
    force: bool,
    progress: Progress,
    say: Callable[[str], object] = lambda _text: None,
) -> Lengths:
    """Solve lengths into a table and open it; the parameters are those of `solve_lengths`.

    `say` is called with a sentence before a small table of chances is solved that is missing.
    """
    from ur_solver.study.lengths import check_lengths, solve_lengths  # noqa: PLC0415 - 0.1 s

    check_lengths(rules, objective)
    output = new_table_path(rules, objective=objective) if path is None else pathlib.Path(path)
    if is_folder_name(output):
        raise InputError(f"output {str(output)!r}: lengths take one file, which ends in .h5")
    check_replaceable(output, force=force)
    values = values_for(rules, objective, say)
    if path is None:
        make_folder(output.parent)
    with values as table:
        solve_lengths(rules, objective, output, table, progress=progress)
    return Lengths(TableFile(output, (objective,)))


def values_for(
    rules: RuleSet, objective: str, say: Callable[[str], object]
) -> Table | nullcontext[None]:
    """The table that both sides play by, if they play to win: ``"length"``."""
    if objective != LENGTH:
        return nullcontext()
    table = Table(open_file_of(rules, say=say))
    table.check_whole(f"the objective {LENGTH!r}")
    return table
