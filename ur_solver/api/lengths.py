"""Solving lengths of games by one call."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any

from ur_solver.answers.lengths import Lengths, find_lengths
from ur_solver.answers.locate import open_file_of
from ur_solver.api.solving import rule_set
from ur_solver.api.table import Table
from ur_solver.common.files import path_text
from ur_solver.common.progress import Progress, check_progress, wanted_progress
from ur_solver.errors import InputError
from ur_solver.rules import RuleSet
from ur_solver.space import space_of
from ur_solver.table.format import LENGTH, LONGEST, is_folder_name
from ur_solver.table.output import check_replaceable, make_folder, new_table_path
from ur_solver.table.reader import TableFile


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

    Raises
    ------
    ObjectiveError, OutputError
        If something else is at the path.
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
