"""The folder of a site: new or empty, or that of an earlier site, whose files are replaced.

The file `MARK` lists what is the site's. It is written before everything else, with what the
earlier site had besides, so that a site that was interrupted can be written again; what is no
longer part of the site is removed at the end. Other files in the folder are left alone.
"""

from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Collection, Sequence
from contextlib import suppress

from ur_solver.common.files import make_folder, write_file
from ur_solver.common.machine import program_version
from ur_solver.common.text import json_text
from ur_solver.errors import OutputError

MARK = "site.json"
"""The file by which a folder is known as a site's."""

_FORMAT = "ur-solver site"
_NAME = re.compile(r"(?!\.\.?/)(?:[A-Za-z0-9_.-]+/)*[A-Za-z0-9_.-]+")
_ALLOWED = {".git"}
"""What an empty folder may have: it is to be a repository of the site alone."""


class SiteFolder:
    """A folder to write a site into, made if it is not there.

    OutputError if it is something else than a folder, or has files but no site.
    """

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        try:
            there = {each.name for each in path.iterdir()} - _ALLOWED if path.exists() else set()
        except OSError as error:
            raise OutputError(f"cannot write into {str(path)!r}: {error.strerror}") from None
        self._earlier = _listed(path / MARK)
        if there and self._earlier is None:
            raise OutputError(
                f"{str(path)!r} has files that are not a site of 'ur publish': name a new or "
                "empty folder"
            )

    def begin(self, names: Sequence[str]) -> None:
        """Say what the site will consist of, before any of it is written.

        OutputError if a file of another origin has one of these names, or nothing can be written.
        """
        earlier = self._earlier or ()
        for name in names:
            if name not in earlier and (self.path / name).exists():
                raise OutputError(
                    f"{str(self.path / name)!r} exists and is not from 'ur publish': move it away"
                )
        make_folder(self.path)
        self._mark({*names, *earlier})
        self._names = names

    def write(self, name: str, content: bytes) -> None:
        """Write a file of the site; OutputError if it cannot be written."""
        path = self.path / name
        make_folder(path.parent)
        write_file(path, content)

    def finish(self) -> None:
        """Remove what only the earlier site had."""
        folders = set()
        for name in {*(self._earlier or ())} - {*self._names}:
            path = self.path / name
            with suppress(OSError):
                path.unlink()
            folders |= {each for each in path.parents if each.is_relative_to(self.path)}
        for folder in sorted(folders - {self.path}, key=lambda each: -len(each.parts)):
            with suppress(OSError):  # others' files are in it
                folder.rmdir()
        self._mark(self._names)

    def _mark(self, names: Collection[str]) -> None:
        values = {"format": _FORMAT, "program": program_version(), "files": sorted(names)}
        write_file(self.path / MARK, json_text(values, indent=0) + "\n")


def _listed(path: pathlib.Path) -> tuple[str, ...] | None:
    """The files of the site that a mark is of; None if it is not a mark."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        names = tuple(values["files"])
        is_mark = values["format"] == _FORMAT and all(map(_NAME.fullmatch, names))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return names if is_mark and not any(".." in name.split("/") for name in names) else None
