"""Checkpoints read by another process, also while their solve is running."""

from __future__ import annotations

import pathlib

import numpy as np

from ur_solver.engine.checkpoint import RECORD
from ur_solver.rules import RuleSet
from ur_solver.space import space_of


def block_file(output: pathlib.Path) -> pathlib.Path:
    return output.with_name(output.name + ".blocks") / "blocks.bin"


def finished_blocks(output: pathlib.Path, rules: RuleSet) -> dict[int, bytes]:
    """By block, the seconds of its record, which differ whenever a block is solved again."""
    try:
        records = np.fromfile(block_file(output), RECORD, len(space_of(rules).blocks))
    except FileNotFoundError:
        return {}
    return {index: each.tobytes() for index, each in enumerate(records) if each["checksum"]}
