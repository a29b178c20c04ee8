"""Solving by one call, and opening tables by name."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Mapping
from typing import Any

from ur_solver.answers.locate import open_file
from ur_solver.answers.positions import PositionLike
from ur_solver.api.table import Table
from ur_solver.common.files import NAME_OR_PATH, path_text
from ur_solver.common.progress import Progress, check_progress, wanted_progress
from ur_solver.common.text import whole_number
from ur_solver.errors import WrongTypeError
from ur_solver.rules import RuleSet, named_rules


def rule_set(
    word: str | os.PathLike[str] | Mapping[str, Any] | RuleSet, pieces: int | None = None
) -> RuleSet:
    """A rule set by name, from a file or from JSON values.

    Parameters
    ----------
    word : str, path, mapping or RuleSet
        A name of the catalogue (``"finkel"``), one with a count of pieces (``"finkel:3"``), the
        path of a JSON file, or what such a file holds.
    pieces : int, optional
        The count of pieces, in place of the rule set's own.

    Raises
    ------
    RuleSetError
        If nothing goes by that name, or something in it cannot be.

    Examples
    --------
    >>> import ur_solver as ur
    >>> ur.rule_set("masters", 5)
    RuleSet('masters:5')
    """
    if isinstance(word, RuleSet):
        return word if pieces is None else word.with_pieces(pieces)
    if isinstance(word, Mapping):
        rules = RuleSet.from_json(word)
        return rules if pieces is None else rules.with_pieces(pieces)
    return named_rules(path_text(word, NAME_OR_PATH), pieces)


def open_table(word: str | os.PathLike[str], *, memory: int | None = None) -> Table:
    """The table of a rule set, or at a path.

    Parameters
    ----------
    word : str or path
        The path of a table; or a rule set by name (``"finkel:3"``) or by the path of its JSON
        file, whose table is looked for where ``ur solve`` puts it: the folder that ``$UR_TABLES``
        names, the checkout's ``tables``, the user's own.
    memory : int, optional
        The bytes that its values may take at most (`Table.limit_memory`).

    Raises
    ------
    MissingTableError
        If there is no table; its text says how to make it.
    RuleSetError
        If nothing goes by that name.
    NotATableError, TableVersionError, DamagedTableError, TableInUseError, UnregisteredError
        As `Table` does.
    """
    table = Table(open_file(path_text(word, NAME_OR_PATH)))
    if memory is not None:
        table.limit_memory(memory)
    return table


def solve(
    rules: str | os.PathLike[str] | Mapping[str, Any] | RuleSet,
    path: str | os.PathLike[str] | None = None,
    *,
    pieces: int | None = None,
    left: int | None = None,
    tolerance: float | None = None,
    certify: bool = False,
    precision: str = "double",
    threads: int | None = None,
    memory: int | None = None,
    value_type: str = "float64",
    force: bool = False,
    progress: bool | Progress = False,
) -> Table:
    """Solve a rule set into a table and open it; only open it if it is there already.

    A solve that is interrupted goes on from its finished blocks when it is asked for again.

    Parameters
    ----------
    rules, pieces
        As for `rule_set`.
    path : path, optional
        Where the table is, or will be; by default among the tables (`open_table`), under a name
        that no table of other rules has.
    left : int, optional
        Only the positions in which each side has at most this many pieces left to bear off: the
        endings of a game. The table answers for these; for others it raises BeyondTableError.
    tolerance : float, optional
        What a probability may be off, before it is rounded to the value type; with stakes, a
        value in units of the pot. By default 1e-12, in single precision 1e-5.
    certify : bool
        Prove how far values can be off, block by block (`Table.error`).
    precision : str
        ``"double"``, or ``"single"``, in which a block takes half to two thirds of the memory: for
        rule sets without stakes and with ordinary dice, to a tolerance of 1e-5 or more.
    threads : int, optional
        One a processor by default.
    memory : int, optional
        What the solve may take, in bytes; by default what is free. With less than all values
        take that are still read, finished blocks are read from their files.
    value_type : str
        How values are stored: ``"float64"``, ``"float32"`` or ``"uint16"``.
    force : bool
        Solve even if the table is there, and replace it, or the file that is there.
    progress : bool or callable
        True for a bar on standard error; or a function called with the positions that are done
        and their total.

    Returns
    -------
    Table

    Raises
    ------
    RuleSetError
        If nothing goes by that name.
    MemoryLimitError, DiskLimitError
        Before anything is done, if it would not fit.
    OutputError
        If the table cannot be written, its folder does not exist, or a file of that name holds
        something else.
    CertificateError
        If of some block nothing can be proven.
    UnsolvableError
        If play can go on for ever, or the tolerance cannot be proven with dice that are not
        ordinary.
    SolveError
        If a block does not settle.
    InputError
        If `left` is not from 1 to one less than the count of pieces, the tolerance is not from
        1e-13 to 0.5, the value type is none of the three, or rounds and is to be certified or is
        for a folder, or the rules, or the tolerance, are not solved in single precision.

    Examples
    --------
    >>> import ur_solver as ur
    >>> with ur.solve("finkel:3") as table:
    ...     table.best("L...__../..D...../....__.. L 2 2", 2).move
    Move('A1B2')
    """
    from ur_solver.solving.execution import counts_for, run  # noqa: PLC0415 - the solver, for solving
    from ur_solver.solving.plan import Action, plan_of  # noqa: PLC0415 - the solver, for solving
    from ur_solver.solving.request import Request  # noqa: PLC0415 - the solver, for solving

    check_progress(progress)
    plan = plan_of(
        Request.of(
            rule_set(rules, pieces),
            None if path is None else pathlib.Path(path_text(path)),
            left=left,
            tolerance=tolerance,
            certify=certify,
            precision=precision,
            value_type=value_type,
            threads=threads,
            memory=memory,
            force=force,
        )
    )
    if plan.action is not Action.PRESENT:
        with wanted_progress(progress, "solving", plan.request.part.n_positions) as report:
            run(plan, counts_for(report))
    return Table(plan.path)


def solve_from(
    rules: str | os.PathLike[str] | Mapping[str, Any] | RuleSet,
    position: PositionLike,
    *,
    pieces: int | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Table:
    """A table that holds a position and all that it can lead to, solved if there is none.

    For games that are too large to be solved: late positions lead to a small part of them. What is
    solved is kept among the tables; other positions are added to it.

    Parameters
    ----------
    rules, pieces
        As for `rule_set`.
    position : Position or str
        Of these rules, or its notation.
    threads, memory
        As for `solve`.
    progress : callable, optional
        Called with the positions that are done and their total.

    Returns
    -------
    Table
        For positions beyond it, it raises BeyondTableError.

    Raises
    ------
    PositionSyntaxError, RuleSetMismatchError, IllegalPositionError
        If it is no position of these rules, or the game is over.
    MemoryLimitError, DiskLimitError
        If what it can lead to would not fit.
    OutputError
        If the table cannot be written, or nothing can be added to the one that is there.

    Examples
    --------
    >>> import ur_solver as ur
    >>> table = ur.solve_from("finkel:7", "....__../.......L/....__.D L 0 0")
    >>> round(table.value("....__../.......L/....__.D L 0 0"), 6)
    0.556701
    """
    from ur_solver.answers.reach import table_from  # noqa: PLC0415 - the solver, for solving

    chosen = rule_set(rules, pieces)
    asked = chosen.position(position) if isinstance(position, str) else position
    chosen.check_position(asked)
    if progress is not None and not callable(progress):
        raise WrongTypeError(f"progress is {progress!r:.60}; expected a function or None")
    for name, value in (("threads", threads), ("memory", memory)):  # also if nothing is solved
        if value is not None:
            whole_number(name, value, 1)
    return Table(table_from(chosen, asked, threads=threads, memory=memory, progress=progress))
