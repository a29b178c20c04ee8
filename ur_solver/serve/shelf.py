"""The served tables, each under an id, and the memory that they may take."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from ur_solver.answers.locate import open_file
from ur_solver.api.table import Table
from ur_solver.common.machine import free_memory
from ur_solver.errors import UrError
from ur_solver.table import TableFile
from ur_solver.table.names import table_folders

FIRST_TABLE = "finkel:3"
"""The rule set to solve, in a second, if there are no tables."""


class Shelf(Mapping[str, Table]):
    """Tables by id, which is the file's name without its suffix, in the order of the ids.

    Parameters
    ----------
    files : sequence of TableFile
        Closed with the shelf. Of several with one name, the later ones get a number.
    memory : int, optional
        The bytes that decoded values may take, in all tables together: tables that do
        not fit are read in parts on demand. Half of the free memory by default.

    Raises
    ------
    BeyondTableError
        If a table holds a part of its game.
    """

    def __init__(self, files: Sequence[TableFile], memory: int | None = None) -> None:
        for file in files:
            file.check_whole("ur serve")
        for file, share in zip(files, _shares(files, memory), strict=True):
            file.limit_memory(share)
        named: dict[str, Table] = {}
        for file in files:
            name = stem = re.sub(r"[^A-Za-z0-9_.-]+", "-", file.path.stem)
            number = 1
            while name in named:
                number += 1
                name = f"{stem}-{number}"
            named[name] = Table(file)
        self._tables = dict(sorted(named.items()))

    def __getitem__(self, name: str) -> Table:
        return self._tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def close(self) -> None:
        """Close all files."""
        for table in self._tables.values():
            table.close()


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


def open_shelf(
    words: Sequence[str], say: Callable[[str], object], memory: int | None = None
) -> Shelf:
    """Open the tables named by words (`ur_solver.answers.locate.open_file`).

    Without words, all tables in the folders of tables; invalid files there are reported and
    skipped. If there are none, `FIRST_TABLE` is solved.

    Raises
    ------
    UrError
        If a named table cannot be opened.
    """
    if words:
        return Shelf([open_file(word, say=say) for word in words], memory)
    found = list(_found(say))
    return Shelf(found or [open_file(FIRST_TABLE, say=say)], memory)


def _found(say: Callable[[str], object]) -> Iterator[TableFile]:
    seen: set[Path] = set()
    for folder in table_folders():
        for path in sorted(folder.glob("*.h5")) if folder.is_dir() else ():
            if path.resolve() in seen:
                continue
            seen.add(path.resolve())
            try:
                file = TableFile(path)
                file.check_whole("ur serve")
                yield file
            except UrError as error:
                say(f"{error}; it is not served")
