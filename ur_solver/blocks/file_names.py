"""The names of the files in a folder of blocks, and of the folder."""

from __future__ import annotations

import pathlib

HEAD, MANIFEST, LOCK = "solve.json", "manifest.bin", "lock"


def checkpoint_folder(output: pathlib.Path) -> pathlib.Path:
    """The folder of a table's blocks until the table is complete."""
    return output.with_name(output.name + ".blocks")
