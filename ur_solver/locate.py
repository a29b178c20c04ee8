"""Where tables live, and how one is found by a word.

A word is the path of a table, or asks for a rule set: by name with an optional count of
pieces (``finkel``, ``finkel:3``) or by the path of its JSON file. A rule set's table is
looked for in `table_folders`, under the names of `table_name`.
"""

from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Callable

from ur_solver.errors import MissingTableError, OutputError
from ur_solver.rules import CATALOGUE, RuleSet, named_rules
from ur_solver.space import space_of
from ur_solver.table import VALUE_TYPES, TableFile

FOLDER_VARIABLE = "UR_TABLES"
"""The environment variable that names the folder of tables."""

SOLVED_ON_THE_SPOT = 3_000_000
"""Missing tables of at most so many positions are solved when they are asked for."""


def table_folders() -> list[pathlib.Path]:
    """The folders with tables: $UR_TABLES, a checkout's ``tables/``, the user's own.

    The first is where new tables go.
    """
    folders = []
    if chosen := os.environ.get(FOLDER_VARIABLE):
        folders.append(pathlib.Path(chosen))
    checkout = pathlib.Path(__file__).resolve().parent.parent
    if (checkout / "setup.py").is_file() and (checkout / "tables").is_dir():
        folders.append(checkout / "tables")
    import platformdirs  # noqa: PLC0415 - 10 ms that the path of a table does not need

    folders.append(platformdirs.user_data_path("ur_solver") / "tables")
    return folders


def table_name(rules: RuleSet, value_type: str = "float64") -> str:
    """The file name of a rule set's table, such as ``finkel-7.h5``."""
    # The name may come from a stranger's JSON: nothing of it can be a folder.
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", rules.name).strip("-") or "custom"
    suffix = "" if value_type == "float64" else f"-{value_type}"
    return f"{name}-{rules.pieces}{suffix}.h5"


def new_table_path(rules: RuleSet, value_type: str = "float64") -> pathlib.Path:
    """Where a rule set's table is put when nothing else is said."""
    return table_folders()[0] / table_name(rules, value_type)


def make_folder(folder: pathlib.Path) -> bool:
    """Make a folder for tables, if it is not there; whether it was made.

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
    """The table of a rule set, opened, or None.

    The most exact value type is preferred; a file of the right name that holds another
    game is passed over.

    Raises
    ------
    NotATableError, TableVersionError, DamagedTableError
        If a file of the right name is not a sound table.
    """
    for value_type in VALUE_TYPES:
        for folder in table_folders():
            path = folder / table_name(rules, value_type)
            if path.is_file():
                table = TableFile(path)
                if table.rules.is_same_game(rules):
                    return table
                table.close()
    return None


def open_file(word: str, *, say: Callable[[str], object] | None = None) -> TableFile:
    """The table that `word` asks for; see the module's head.

    Parameters
    ----------
    word : str
    say : callable, optional
        Called with a sentence for people if the table is missing but small, before it is
        solved there and then (some seconds). Without it a missing table is an error.

    Raises
    ------
    RuleSetError
        If `word` is no file and no rule set goes by that name.
    MissingTableError
        If there is no table; its text names the command that makes it.
    NotATableError, TableVersionError, DamagedTableError
        As `TableFile` does.
    OutputError
        If there is nowhere to solve a missing table to.
    """
    if not _is_rule_set(word):
        return TableFile(word)
    rules = named_rules(word)
    table = find_file(rules)
    if table is not None:
        return table
    positions = space_of(rules).n_positions
    if say is None or positions > SOLVED_ON_THE_SPOT:
        raise MissingTableError(
            f"there is no table of {rules.name} with {rules.pieces} pieces in "
            f"{', '.join(map(str, table_folders()))}; '{_solve_command(word, rules)}' makes it"
        )
    path = new_table_path(rules)
    say(
        f"there is no table of {rules.name} with {rules.pieces} pieces yet: "
        f"solving its {positions:,} positions into {path}"
    )
    from ur_solver.make import make_table  # noqa: PLC0415 - the solver, rarely needed here

    make_folder(path.parent)
    make_table(rules, path)
    return TableFile(path)


def _is_rule_set(word: str) -> bool:
    name = word.partition(":")[0]
    if name in CATALOGUE or word.endswith(".json"):
        return True
    is_path = word.endswith((".h5", ".hdf5")) or os.sep in word
    # unlike `Path.exists`, `os.path.exists` takes what cannot be a path for one that is not there
    return not (is_path or os.path.exists(word))


def _solve_command(word: str, rules: RuleSet) -> str:
    return f"ur solve {word.partition(':')[0]} -n {rules.pieces}"
