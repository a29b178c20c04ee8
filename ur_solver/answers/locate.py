"""The lookup of a table by a word.

A word is the path of a table, or names a rule set: by name with an optional number of pieces
(``finkel``, ``finkel:3``) or by the path of its JSON file. A rule set's table is searched in
`ur_solver.table.names.table_folders`, under a readable name and one with a digest.
"""

from __future__ import annotations

import itertools
import os
import pathlib
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress

from ur_solver.blocks.stored import VALUE_TYPES
from ur_solver.errors import (
    IgnoredFileWarning,
    MemoryLimitError,
    MissingTableError,
    RuleSetError,
    TableInUseError,
    UrError,
)
from ur_solver.rules import Position, RuleSet, named_rules
from ur_solver.rules.game import by_every_name, catalogued, is_catalogued
from ur_solver.space import space_of
from ur_solver.table.format import ESTIMATOR_FORMAT, FORMAT, TABLE, WIN
from ur_solver.table.hdf5 import format_of, is_table_file
from ur_solver.table.names import (
    ESTIMATORS,
    exact_name,
    file_stems,
    has_readable_name,
    is_made_for,
    readable_name,
    table_folders,
    table_name,
)
from ur_solver.table.reader import TableFile

SOLVED_ON_THE_SPOT = 3_000_000
"""The most positions of a missing table that is solved on demand."""


def find_file(rules: RuleSet, objective: str = WIN) -> TableFile | None:
    """The table of a whole rule set with an objective, opened, or None.

    One with as many levels of fines is preferred, then the most exact value type. A file of the
    right name that holds another game, or a part of it, is ignored; one that is no table, or cannot
    be read, is ignored (IgnoredFileWarning). TableInUseError if a table is being written.
    """
    nearest = None
    for table in _tables_named_for(rules, objective):
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


def _tables_named_for(rules: RuleSet, objective: str) -> Iterator[TableFile]:
    """The tables that have one of a rule set's names, opened; raises as `find_file` does."""
    for stem, path in _paths_named_for(rules, objective):
        # under a name shared with another, only a valid table shows whose it is
        is_shared = stem == readable_name(rules) and not has_readable_name(rules)
        try:
            yield TableFile(path, (objective,))
        except TableInUseError:
            if not is_shared:
                raise
        except UrError as error:
            if not is_shared:
                ignore(path, error)


def ignore(path: pathlib.Path, error: UrError) -> None:
    """Say that a file in a folder of tables or estimators is not used, and where it belongs."""
    # all come from this line, so that a process says each sentence once
    warnings.warn(IgnoredFileWarning(ignored_text(path, error)), stacklevel=1)


def ignored_text(path: pathlib.Path, error: UrError) -> str:
    """What `ignore` says."""
    home, folder = _HOMES.get(format_of(path) or ""), path.parent
    belongs = ""
    if home == ESTIMATORS and folder.name != ESTIMATORS:
        belongs = f", and belongs in {str(folder / ESTIMATORS)!r}"
    if home == "" and folder.name == ESTIMATORS:
        belongs = f", and belongs in {str(folder.parent)!r}"
    return f"{error}; it is ignored{belongs}"


_HOMES = {FORMAT: "", ESTIMATOR_FORMAT: ESTIMATORS}
"""The folders, in a folder of tables, of files of some formats."""


def _paths_named_for(rules: RuleSet, objective: str = WIN) -> Iterator[tuple[str, pathlib.Path]]:
    """The files and folders of tables that have one of a rule set's names, each with the name."""
    stems = file_stems(rules)
    for value_type, folder, stem in itertools.product(VALUE_TYPES, table_folders(), stems):
        path = folder / table_name(stem, value_type, objective=objective)
        for each in (path, path.with_suffix("")):
            if each.is_file() or (each / TABLE).is_file() or (each == path and each.exists()):
                yield stem, each


def path_of(word: str) -> pathlib.Path:
    """The path of the table named by `word`, which need not be one that can be opened.

    RuleSetError if `word` is no file and no name of a rule set; MissingTableError if there is no
    table of a rule set.
    """
    if not is_rule_set(word):
        return pathlib.Path(word)
    rules = named_rules(word)
    for _, path in _paths_named_for(rules):
        return path
    folders = ", ".join(map(str, table_folders()))
    raise MissingTableError(f"there is no table of {rules.title} in {folders}")


def find_part(rules: RuleSet, position: Position | None = None) -> TableFile | None:
    """A table that holds a part of a rule set's game, opened, or None.

    One that holds a position is preferred, if that is given; else the one that holds the most. A
    file that is not a valid table is skipped.
    """
    # the exact names begin with the readable ones
    stems = [readable_name(each) for each in by_every_name(rules)]
    tables = []
    for folder, stem in itertools.product(table_folders(), stems):
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


def open_file(word: str, *, say: Callable[[str], object] | None = None) -> TableFile:
    """Open the table named by `word`; see the module's head.

    Before a missing table that is small is solved at once (some seconds), `say` is called with a
    sentence for people; without it a missing table is an error.

    RuleSetError if `word` is no file and no name of a rule set; MissingTableError if there is no
    table: its text names the command that makes it; OutputError if no folder is writable for a
    missing table. Others as of `TableFile`.
    """
    if not is_rule_set(word):
        return TableFile(word)
    return open_file_of(named_rules(word), word.partition(":")[0], say=say)


def open_file_of(
    rules: RuleSet,
    word: str | None = None,
    *,
    say: Callable[[str], object] | None = None,
    position: str | None = None,
) -> TableFile:
    """The table of a rule set; `say` and errors are those of `open_file`.

    If the whole table is missing and not solved now, a table of a part of the game: one that holds
    `position`, in notation, if any does. `word` is the argument of ``ur solve`` for these rules,
    without the number of pieces; by default their name, if it is in the catalogue.
    PositionSyntaxError if `position` does not follow the notation.
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
    from ur_solver.common.progress import shown_task  # noqa: PLC0415 - rarely needed
    from ur_solver.solving.execution import run  # noqa: PLC0415 - rarely needed
    from ur_solver.solving.plan import Action, plan_of  # noqa: PLC0415 - rarely needed
    from ur_solver.solving.request import Request  # noqa: PLC0415 - rarely needed
    from ur_solver.table.output import new_table_path  # noqa: PLC0415 - rarely needed

    path = new_table_path(rules)
    # what is there is ignored, and stays
    other = path.with_name(table_name(exact_name(rules))) if os.path.lexists(path) else None
    plan = plan_of(Request.of(rules, output=other))
    if plan.action is not Action.PRESENT:
        say(
            f"there is no table of {rules.title} yet: solving its {positions:,} positions into "
            f"{plan.path}"
        )
        with shown_task("solving"):
            run(plan)
    return TableFile(plan.path)


def _advice(rules: RuleSet, word: str | None) -> str:
    """The command that makes a missing table, or why it cannot be made here."""
    from ur_solver.solving.costs import room_for  # noqa: PLC0415 - same
    from ur_solver.solving.request import Request  # noqa: PLC0415 - the kernels

    try:
        room_for(Request.of(rules))
    except MemoryLimitError as error:
        return f"this machine cannot make it: {error}"
    word = word_of(rules, word)
    if word is None:
        return "'ur solve' makes it from a JSON file with these rules"
    in_python = f"ur.solve({word!r}, pieces={rules.pieces})"
    return f"'ur solve {word} -n {rules.pieces}' (in Python, {in_python}) makes it"


def word_of(rules: RuleSet, word: str | None = None) -> str | None:
    """A word if one is given, else the name of a rule set if it is in the catalogue, or None."""
    return rules.name if word is None and is_catalogued(rules) else word


def is_table_word(word: str) -> bool:
    """Whether `open_file` would treat a word as a table, not as another file.

    The name of a rule set always is; a file is if it is a table or holds a rule set.
    """
    if catalogued(word.partition(":")[0]) is not None:
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
    if catalogued(name) is not None or word.endswith(".json"):
        return True
    is_path = word.endswith((".h5", ".hdf5")) or os.sep in word
    # unlike `Path.exists`, `os.path.exists` is False for an impossible path
    return not (is_path or os.path.exists(word))
