"""The served tables and estimators, each under an id, and the memory that they may take."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ur_solver.answers.locate import ignore, open_file
from ur_solver.api.table import Table
from ur_solver.common.machine import free_memory
from ur_solver.errors import BeyondTableError, UrError
from ur_solver.estimators.estimator import ALL, Estimator, kept_estimators, open_estimator
from ur_solver.estimators.evaluator import Evaluator
from ur_solver.rules import RuleSet
from ur_solver.rules.settings import FrozenMap
from ur_solver.table.names import table_folders
from ur_solver.table.reader import TableFile

FIRST_TABLE = "finkel:3"
"""The rule set to solve, in a second, if there are no tables."""


class Shelf(FrozenMap[str, Evaluator]):
    """Tables, then estimators, by id: the file's name without its suffix, in the order of the ids.

    They are closed with the shelf. Of several with one name, the later ones get a number. `memory`
    is the bytes that decoded values may take, in all tables together, by default half of what is
    free: tables that do not fit are read in parts on demand. BeyondTableError if a table holds a
    part of its game.
    """

    def __init__(self, found: Sequence[Evaluator], memory: int | None = None) -> None:
        for each in found:
            each.check_whole("ur serve")
        exact = [each if each.are_exact else each.exact for each in found]
        files = [each.file for each in exact if each is not None]
        for file, share in zip(files, _shares(files, memory), strict=True):
            file.limit_memory(share)
        named: dict[str, Evaluator] = {}
        for each in found:
            name = stem = re.sub(r"[^A-Za-z0-9_.-]+", "-", each.path.stem if each.path else "")
            number = 1
            while name in named:
                number += 1
                name = f"{stem}.{number}"
            named[name] = each
        order = sorted(named, key=lambda name: (not named[name].are_exact, name))
        super().__init__({name: named[name] for name in order})

    def close(self) -> None:
        """Close all files."""
        for each in self.values():
            each.close()


def _shares(files: Sequence[TableFile], memory: int | None) -> list[int]:
    """The bytes that each table may take: small ones what they need, the others equal parts."""
    if memory is None:
        memory = free_memory() // 2
    shares, left = [0] * len(files), memory
    order = sorted(range(len(files)), key=lambda k: files[k].n_decoded_bytes)
    for rank, k in enumerate(order):
        shares[k] = min(files[k].n_decoded_bytes, left // (len(files) - rank))
        left -= shares[k]
    return shares


def open_shelf(say: Callable[[str], object], memory: int | None = None) -> Shelf:
    """All tables in the folders of tables, and the estimators of other games.

    Invalid files are ignored (IgnoredFileWarning), and tables of a part of a game reported. If
    there is no table, `FIRST_TABLE` is solved.
    """
    tables: list[Evaluator] = [Table(file) for file in _files(say)]
    tables = tables or [Table(open_file(FIRST_TABLE, say=say))]
    return Shelf([*tables, *_estimators([each.rules for each in tables])], memory)


def _files(say: Callable[[str], object]) -> Iterator[TableFile]:
    seen: set[Path] = set()
    for folder in table_folders():
        for path in sorted(folder.glob("*.h5")) if folder.is_dir() else ():
            if path.resolve() in seen:
                continue
            seen.add(path.resolve())
            try:
                file = TableFile(path)
            except UrError as error:
                ignore(path, error)
                continue
            try:
                file.check_whole("ur serve")
                yield file
            except BeyondTableError as error:
                say(f"{error}; it is not served")


def _estimators(rules: Sequence[RuleSet]) -> Iterator[Estimator]:
    """The first estimator of each game that is not one of some rule sets."""
    known = list(rules)
    for kept in kept_estimators():
        try:
            found = open_estimator(kept.path, tables=ALL)
        except UrError as error:
            ignore(kept.path, error)
            continue
        if any(found.rules.is_same_game(each) for each in known):
            found.close()
        else:
            known.append(found.rules)
            yield found
