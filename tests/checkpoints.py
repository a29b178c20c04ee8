"""Folders of blocks read by another process, also while their solve is running."""

from __future__ import annotations

import pathlib

import numpy as np

from ur_solver.blocks.folder import RECORD, is_sound
from ur_solver.blocks.lock import checkpoint_folder


def block_files(output: pathlib.Path) -> dict[int, pathlib.Path]:
    """By block, its file."""
    found = checkpoint_folder(output).glob("[0-9]*/*.block")
    return {int(path.stem): path for path in sorted(found)}


def finished_blocks(output: pathlib.Path) -> dict[int, bytes]:
    """By block, its record, whose seconds differ whenever a block is solved again."""
    found = {}
    for index, path in block_files(output).items():
        try:
            head = path.read_bytes()[: RECORD.itemsize]
        except FileNotFoundError:
            continue
        if len(head) == RECORD.itemsize and is_sound(np.frombuffer(head, RECORD)[0]):
            found[index] = head
    return found
