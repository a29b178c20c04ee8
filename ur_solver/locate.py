"""The folders of tables, and the lookup of a table by a word.

A word is the path of a table, or names a rule set: by name with an optional number of pieces
(``finkel``, ``finkel:3``) or by the path of its JSON file. A rule set's table is searched in
`table_folders`, under a readable name and one with a digest (`own_path`).
"""

from __future__ import annotations

import itertools
import os
import pathlib
import re
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress

from ur_solver.blocks import HEAD, Job, checkpoint_folder
from ur_solver.errors import (
    MemoryLimitError,
    MissingTableError,
    OutputError,
    RuleSetError,
    UrError,
)
from ur_solver.rules import CATALOGUE, Position, RuleSet, digest_of, named_rules
from ur_solver.space import Part, part_of, space_of
from ur_solver.table import TABLE, VALUE_TYPES, TableFile, is_table_file

FOLDER_VARIABLE = "UR_TABLES"
"""The environment variable that names the folder of tables."""

SOLVED_ON_THE_SPOT = 3_000_000
"""The most positions of a missing table that is solved on demand."""


def table_folders() -> list[pathlib.Path]:
    """The folders with tables: $UR_TABLES, a checkout's ``tables/``, the user's own.

    New tables go into the first.
    """
    folders = []
    if chosen := os.environ.get(FOLDER_VARIABLE):
        folders.append(pathlib.Path(chosen))
    if (of_checkout := checkout_tables()) is not None:
        folders.append(of_checkout)
    import platformdirs  # noqa: PLC0415 - 10 ms that the path of a table does not need

    folders.append(platformdirs.user_data_path("ur_solver") / "tables")
    return folders


def checkout_tables() -> pathlib.Path | None:
    """The folder of tables of the checkout that the program runs from; None if it is installed."""
    checkout = pathlib.Path(__file__).resolve().parent.parent
    folder = checkout / "tables"
    return folder if (checkout / "setup.py").is_file() and folder.is_dir() else None


def cache_folder() -> pathlib.Path:
    """The user's folder for files that can be computed again."""
    import platformdirs  # noqa: PLC0415 - as above

    return platformdirs.user_cache_path("ur_solver")


def games_folder() -> pathlib.Path:
    """The user's folder for games in play."""
    import platformdirs  # noqa: PLC0415 - as above

    return platformdirs.user_state_path("ur_solver") / "games"


def readable_name(rules: RuleSet) -> str:
    """A name for files of a rule set, such as ``finkel-7``; others may have the same."""
    # The name may come from an untrusted JSON file: it must not contain a folder.
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", rules.name).strip("-") or "custom"
    return f"{name}-{rules.pieces}"


def exact_name(rules: RuleSet) -> str:
    """A name for files of a rule set that no other has: the readable one and a digest."""
    return f"{readable_name(rules)}-{digest_of(rules)}"


def has_readable_name(rules: RuleSet) -> bool:
    """Whether files of a rule set may have its readable name, if it is free.

    They may not if the file name loses a part of the rule set's name, or if its name belongs to
    another rule set of the catalogue.
    """
    known = CATALOGUE.get(rules.name)
    return f"{rules.name}-{rules.pieces}" == readable_name(rules) and (
        known is None or known.with_pieces(rules.pieces).is_same_game(rules)
    )


def own_path(
    rules: RuleSet,
    named: Callable[[str], pathlib.Path],
    rules_at: Callable[[pathlib.Path], RuleSet | None],
) -> pathlib.Path:
    """The path of a file of a rule set, which no other rule set's file has.

    Parameters
    ----------
    rules : RuleSet
    named : callable
        The path of a file by `readable_name` or `exact_name`.
    rules_at : callable
        The rules of the file at a path; None if it is missing or has no rules.
    """
    readable, exact = named(readable_name(rules)), named(exact_name(rules))
    holds = rules_at(exact)
    if holds is not None and is_made_for(rules, holds):
        return exact
    holds = rules_at(readable)
    is_free = has_readable_name(rules) if holds is None else is_made_for(rules, holds)
    return readable if is_free else exact


def is_made_for(rules: RuleSet, others: RuleSet) -> bool:
    """Whether a table of other rules is one of `rules`: of the same game and the same payoff."""
    return rules.is_same_game(others) and rules.settled().payoff == others.settled().payoff


def table_name(stem: str, value_type: str = "float64", part: Part | None = None) -> str:
    """The file name of a table, such as ``finkel-7.h5``; a folder has no suffix.

    A table of a part of the game has another name, such as ``finkel-7-left-4.h5``.

    Parameters
    ----------
    stem : str
        `readable_name` or `exact_name`.
    value_type : str
    part : Part, optional
    """
    suffix = "" if value_type == "float64" else f"-{value_type}"
    of_part = "" if part is None or part.name is None else f"-{part.name}"
    return f"{stem}{of_part}{suffix}.h5"


def new_table_path(
    rules: RuleSet, value_type: str = "float64", part: Part | None = None
) -> pathlib.Path:
    """The default path of a rule set's table, whether it exists or not."""
    folder = table_folders()[0]
    return own_path(rules, lambda stem: folder / table_name(stem, value_type, part), _rules_at)


def _rules_at(path: pathlib.Path) -> RuleSet | None:
    """The rules of the table at a path, or of the unfinished solve of one."""
    with suppress(UrError):
        if os.path.lexists(path):
            with TableFile(path) as table:
                return table.rules
        head = checkpoint_folder(path) / HEAD
        if head.is_file():
            return Job.read(head).rules
    return None


def make_folder(folder: pathlib.Path) -> bool:
    """Make a folder for tables if it does not exist; return whether it was made.

    Raises
    ------
    OutputError
        If it cannot be made.
    """
    if folder.is_dir():
        return False
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make the folder {str(folder)!r}: {error.strerror}") from None
    return True


def find_file(rules: RuleSet) -> TableFile | None:
    """The table of a whole rule set, opened, or None.

    One with as many levels of fines is preferred, then the most exact value type. A file of the
    right name that holds another game, or a part of it, is ignored.

    Raises
    ------
    NotATableError, TableVersionError, TableInUseError, DamagedTableError
        If a file of the right name is not a valid table.
    """
    nearest = None
    for table in _tables_named_for(rules):
        if not (table.rules.is_same_game(rules) and table.part.is_whole):
            table.close()
        elif is_made_for(rules, table.rules):
            if nearest is not None:
                nearest.close()
            return table
        elif nearest is None:
            nearest = table
        else:
            table.close()
    return nearest


def _tables_named_for(rules: RuleSet) -> Iterator[TableFile]:
    """The tables that have one of a rule set's names, opened; raises as `find_file` does."""
    names = (exact_name(rules), readable_name(rules))
    for value_type, folder, stem in itertools.product(VALUE_TYPES, table_folders(), names):
        path = folder / table_name(stem, value_type)
        for each in (path, path.with_suffix("")):
            if each.is_file() or (each / TABLE).is_file():
                # under a name shared with another, only a valid table shows whose it is
                is_shared = stem == names[1] and not has_readable_name(rules)
                table = None
                with suppress(UrError) if is_shared else nullcontext():
                    table = TableFile(each)
                if table is not None:
                    yield table


def find_part(rules: RuleSet, position: Position | None = None) -> TableFile | None:
    """A table that holds a part of a rule set's game, opened, or None.

    One that holds a position is preferred, if that is given; else the one that holds the most. A
    file that is not a valid table is skipped.
    """
    stem = readable_name(rules)  # with which the exact name begins too
    tables = []
    for folder in table_folders():
        for path in sorted(folder.glob(f"{stem}-*")) if folder.is_dir() else ():
            if path.suffix == ".h5" or (path / TABLE).is_file():
                with suppress(UrError):
                    tables.append(TableFile(path))
    fitting = [t for t in tables if t.rules.is_same_game(rules) and not t.part.is_whole]

    def worth(table: TableFile) -> tuple[bool, int]:
        return position is not None and table.holds_position(position), table.header.positions

    best = max(fitting, key=worth, default=None)
    for table in tables:
        if table is not best:
            table.close()
    return best


def open_file(
    word: str, *, say: Callable[[str], object] | None = None, position: str | None = None
) -> TableFile:
    """Open the table named by `word`; see the module's head.

    Parameters
    ----------
    word : str
    say : callable, optional
        Called with a sentence for people if the table is missing but small, before it is
        solved at once (some seconds). Without it a missing table is an error.
    position : str, optional
        A position of interest: of tables of a part of the game, one that holds it is
        preferred.

    Raises
    ------
    RuleSetError
        If `word` is no file and no name of a rule set.
    PositionSyntaxError
        If `position` does not follow the notation.
    MissingTableError
        If there is no table; its text names the command that makes it.
    NotATableError, TableVersionError, TableInUseError, DamagedTableError
        As `TableFile` does.
    OutputError
        If no folder is writable for a missing table.
    """
    if not is_rule_set(word):
        return TableFile(word)
    return open_file_of(named_rules(word), word.partition(":")[0], say=say, position=position)


def open_file_of(
    rules: RuleSet,
    word: str | None = None,
    *,
    say: Callable[[str], object] | None = None,
    position: str | None = None,
) -> TableFile:
    """The table of a rule set; the other parameters and errors are those of `open_file`.

    If the whole table is missing and not solved now, a table of a part of the game.

    Parameters
    ----------
    rules : RuleSet
    word : str, optional
        The argument of ``ur solve`` for these rules, without the number of pieces; by default
        their name, if it is in the catalogue.
    """
    table = find_file(rules)
    if table is not None:
        return table
    positions = space_of(rules).n_positions
    if say is None or positions > SOLVED_ON_THE_SPOT:
        table = find_part(rules, None if position is None else rules.position(position))
        if table is not None:
            return table
        raise MissingTableError(
            f"there is no table of {rules.title} in "
            f"{', '.join(map(str, table_folders()))}; {_advice(rules, word)}"
        )
    from ur_solver.solving import Request, Verdict, plan_of, run  # noqa: PLC0415 - rarely needed

    plan = plan_of(Request.of(rules))
    if plan.verdict is not Verdict.PRESENT:
        say(
            f"there is no table of {rules.title} yet: solving its {positions:,} positions into "
            f"{plan.path}"
        )
        run(plan)
    return TableFile(plan.path)


def _advice(rules: RuleSet, word: str | None) -> str:
    """The command that makes a missing table, or why it cannot be made here."""
    from ur_solver.estimates import room_for  # noqa: PLC0415 - the kernels

    try:
        room_for(part_of(rules))
    except MemoryLimitError as error:
        return f"this machine cannot make it: {error}"
    known = CATALOGUE.get(rules.name)
    if word is None and known and known.with_pieces(rules.pieces).is_same_game(rules):
        word = rules.name
    if word is None:
        return "'ur solve' makes it from a JSON file with these rules"
    in_python = f"ur.solve({word!r}, pieces={rules.pieces})"
    return f"'ur solve {word} -n {rules.pieces}' (in Python, {in_python}) makes it"


def is_table_word(word: str) -> bool:
    """Whether `open_file` would treat a word as a table, not as another file.

    The name of a rule set always is; a file is if it is a table or holds a rule set.
    """
    if word.partition(":")[0] in CATALOGUE:
        return True
    if not os.path.exists(word):
        is_name = re.fullmatch(r"-*\w[\w:-]*", word)  # for example a mistyped rule set
        return bool(is_name) or word.endswith((".h5", ".hdf5", ".json"))
    if word.endswith(".json"):
        with suppress(RuleSetError):
            named_rules(word)
            return True
        return False
    return is_table_file(word)


def is_rule_set(word: str) -> bool:
    """Whether a word names a rule set, not the table at a path."""
    name = word.partition(":")[0]
    if name in CATALOGUE or word.endswith(".json"):
        return True
    is_path = word.endswith((".h5", ".hdf5")) or os.sep in word
    # unlike `Path.exists`, `os.path.exists` is False for an impossible path
    return not (is_path or os.path.exists(word))
