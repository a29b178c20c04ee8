"""The job of a folder of blocks."""

from __future__ import annotations

import json
import pathlib
from dataclasses import dataclass
from typing import Any

from ur_solver.errors import CheckpointError, RuleSetError, UnregisteredError
from ur_solver.rules import RuleSet
from ur_solver.space import LAST_RANKS, space_of

VERSION = 5
"""Of `solve.json` and of the files in its folder, or a later one where positions had other numbers
before (`Space.first_version`). Up to 3, all blocks were in one file."""

_DOUBLE = "double"


@dataclass(frozen=True)
class Job:
    """The rules, the part and the accuracy of a solve: all that a worker needs.

    Attributes
    ----------
    rules : RuleSet
    tolerance : float
        As for `ur_solver.engine.solve`.
    certify : bool
        Whether its blocks are certified.
    value_type : str
        How values are stored; blocks that others read are in float64.
    part : str or None
        The name of the solved part of the game (`ur_solver.space.Part.name`); None for all.
    precision : str
        The precision of the solve, ``"double"`` or ``"single"``; files without it have double
        precision.
    """

    rules: RuleSet
    tolerance: float
    certify: bool = False
    value_type: str = "float64"
    part: str | None = None
    precision: str = _DOUBLE

    def to_bytes(self) -> bytes:
        """The content of ``solve.json``."""
        head = {
            "version": _version_of(self.rules),
            "rules": self.rules.to_json(),
            "tolerance": self.tolerance,
            "certify": self.certify,
            "value_type": self.value_type,
        }
        if self.part is not None:
            head["part"] = self.part
        if self.precision != _DOUBLE:
            head["precision"] = self.precision
        return json.dumps(head, indent=1).encode()

    @staticmethod
    def read(path: pathlib.Path) -> Job:
        """The job in a ``solve.json``.

        Raises
        ------
        CheckpointError
            If it is of another version or cannot be read.
        UnregisteredError
            If its rule set has a family or a square rule that is not registered here.
        """
        remedy = f"remove {str(path.parent)!r} to start anew, or name another output"
        try:
            head = json.loads(path.read_bytes())
            version = head["version"]
            of_version = f"checkpoint {str(path.parent)!r} is of version {version!r}"
            if version not in range(VERSION, LAST_RANKS + 1):
                raise CheckpointError(
                    f"{of_version}, this program reads {VERSION} to {LAST_RANKS}; {remedy}"
                )
            job = Job._of(head)
            if version != _version_of(job.rules):
                raise CheckpointError(
                    f"{of_version}, this program reads {_version_of(job.rules)} for "
                    f"{job.rules.name}; {remedy}"
                )
            return job
        except UnregisteredError:
            raise
        except _UNREADABLE:
            raise CheckpointError(f"{str(path)!r} cannot be read; {remedy}") from None

    @staticmethod
    def _of(head: Any) -> Job:
        return Job(
            rules=RuleSet.from_json(head["rules"]),
            tolerance=float(head["tolerance"]),
            certify=bool(head["certify"]),
            value_type=str(head["value_type"]),
            part=None if head.get("part") is None else str(head["part"]),
            precision=str(head.get("precision", _DOUBLE)),
        )

    def misfit(self, wanted: Job) -> str | None:
        """The differences of this job from another, in words; None if they are equal."""
        rules = self.rules
        if not rules.is_same_game(wanted.rules):
            return f"is of {rules.title}"
        if self.tolerance != wanted.tolerance:
            return f"is of tolerance {self.tolerance!r}, not {wanted.tolerance!r}"
        if self.certify is not wanted.certify:
            return f"is of blocks that are {'' if self.certify else 'not '}certified"
        if self.precision != wanted.precision:
            return f"is of {self.precision} precision, not of {wanted.precision}"
        if self.value_type != wanted.value_type:
            return f"holds {self.value_type}, not {wanted.value_type}"
        if self.part != wanted.part:
            names = (each.part or "the whole game" for each in (self, wanted))
            return "is of {}, not of {}".format(*names)
        return None


_UNREADABLE = (OSError, ValueError, KeyError, TypeError, RecursionError, RuleSetError)
"""Exceptions of reading an invalid head."""


def described(content: bytes) -> str:
    """The job in a ``solve.json`` of any version, in words."""
    try:
        head = json.loads(content)
        job = Job._of(head)
        part = "" if job.part is None else f", {job.part}"
        precision = "" if job.precision == _DOUBLE else f", {job.precision} precision"
        return (
            f"{job.rules.title}{part}, tolerance {job.tolerance!r}{precision}, version "
            f"{head.get('version')!r}"
        )
    except _UNREADABLE:
        return "one that cannot be read"


def _version_of(rules: RuleSet) -> int:
    return max(VERSION, space_of(rules).first_version)
