"""The folders of tables, and the names of tables in them.

A name holds the table of one rule set: it is a readable one, such as ``finkel-7.h5``, or one with
the digest of the rules (`own_path`).
"""

from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Callable

from ur_solver.rules import RuleSet, digest_of
from ur_solver.rules.game import by_every_name, catalogued, is_catalogued
from ur_solver.space import Part
from ur_solver.table.format import WIN

FOLDER_VARIABLE = "UR_TABLES"
"""The environment variable that names the folder of tables."""


ESTIMATORS = "estimators"
"""The folder of estimators in each folder of tables."""


def table_folders() -> list[pathlib.Path]:
    """The folders with tables: $UR_TABLES, a checkout's ``tables/``, the user's own.

    New tables go into the first; a checkout's comes last for a user who may not write to it.
    """
    import platformdirs  # noqa: PLC0415 - 10 ms that the path of a table does not need

    folders = [platformdirs.user_data_path("ur_solver") / "tables"]
    if (of_checkout := checkout_tables()) is not None:
        folders.insert(0 if os.access(of_checkout, os.W_OK) else 1, of_checkout)
    if chosen := os.environ.get(FOLDER_VARIABLE):
        folders.insert(0, pathlib.Path(chosen))
    return folders


def checkout_tables() -> pathlib.Path | None:
    """The folder of tables of the checkout that the program runs from; None if it is installed."""
    checkout = pathlib.Path(__file__).resolve().parents[2]
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
    return f"{rules.name}-{rules.pieces}" == readable_name(rules) and (
        catalogued(rules.name) is None or is_catalogued(rules)
    )


def file_stems(rules: RuleSet) -> list[str]:
    """The names that files of a rule set may have, by its name and then by its other names."""
    return [name(each) for each in by_every_name(rules) for name in (exact_name, readable_name)]


def own_path(
    rules: RuleSet,
    named: Callable[[str], pathlib.Path],
    rules_at: Callable[[pathlib.Path], RuleSet | None],
) -> pathlib.Path:
    """The path of a file of a rule set, which no other rule set's file has.

    `named` gives a path by `readable_name` or `exact_name`, `rules_at` the rules of the file at a
    path: None if it is missing or has no rules.
    """
    for path in map(named, file_stems(rules)):
        holds = rules_at(path)
        if holds is not None and is_made_for(rules, holds):
            return path
    readable = named(readable_name(rules))
    is_free = has_readable_name(rules) and rules_at(readable) is None
    return readable if is_free else named(exact_name(rules))


def is_made_for(rules: RuleSet, others: RuleSet) -> bool:
    """Whether a table of other rules is one of `rules`: of the same game and the same payoff."""
    return rules.is_same_game(others) and rules.settled().payoff == others.settled().payoff


def table_name(
    stem: str, value_type: str = "float64", part: Part | None = None, objective: str = WIN
) -> str:
    """The file name of a table, such as ``finkel-7.h5``; a folder has no suffix.

    The stem is `readable_name` or `exact_name`. A table of a part of the game has another name,
    such as ``finkel-7-left-4.h5``, and so has one of another objective, such as
    ``finkel-3-length-max.h5``.
    """
    suffix = "" if value_type == "float64" else f"-{value_type}"
    if objective != WIN:
        suffix += f"-{objective}"
    of_part = "" if part is None or part.name is None else f"-{part.name}"
    return f"{stem}{of_part}{suffix}.h5"
