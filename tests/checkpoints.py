"""Checkpoints read from outside, while their solve runs too."""

from __future__ import annotations

import pathlib

import numpy as np

from ur_solver.rules import RuleSet
from ur_solver.solve.checkpoint import RECORD
from ur_solver.space import space_of


def block_file(output: pathlib.Path) -> pathlib.Path:
    return output.with_name(output.name + ".blocks") / "blocks.bin"


def finished_blocks(output: pathlib.Path, rules: RuleSet) -> dict[int, bytes]:
    """By block, what its record says: the seconds that it took, which differ each time."""
    try:
        records = np.fromfile(block_file(output), RECORD, len(space_of(rules).blocks))
    except FileNotFoundError:
        return {}
    return {index: each.tobytes() for index, each in enumerate(records) if each["checksum"]}
