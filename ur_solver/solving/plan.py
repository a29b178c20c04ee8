"""The plan of a solve: where the table will be, what is there, and the memory to solve in."""

from __future__ import annotations

import os
import pathlib
from dataclasses import dataclass
from enum import StrEnum

from ur_solver.blocks.folder import Job
from ur_solver.blocks.lock import HEAD, checkpoint_folder
from ur_solver.blocks.stored import VALUE_TYPES
from ur_solver.errors import (
    MissingTableError,
    NotATableError,
    OutputError,
    TableInUseError,
    UrError,
)
from ur_solver.solving.costs import ROOM_OF_A_DRIVER, Room, check_disk, nearest_place, room_for
from ur_solver.solving.request import Request
from ur_solver.table.format import is_folder_name
from ur_solver.table.names import is_made_for
from ur_solver.table.output import check_place, check_replaceable, is_unfinished, new_table_path
from ur_solver.table.reader import TableFile


class Action(StrEnum):
    """What a run has to do."""

    PRESENT = "present"
    """Nothing: the table is there, as exact as it was asked for."""
    RESUME = "resume"
    """Finish what an earlier solve of the same table began."""
    NEW = "new"
    REPLACE = "replace"
    """Put the table in the place of something else."""


@dataclass(frozen=True)
class Plan:
    """A request with all that it leaves open decided."""

    request: Request
    path: pathlib.Path  # the table's
    folder: pathlib.Path  # of the blocks' files: a new table itself, otherwise a folder next to it
    job: Job
    room: Room  # of the process that solves; empty where there is nothing to solve, or workers do
    action: Action
    replaced: str | None  # what will be replaced, in words; None unless the action is to replace

    @property
    def is_folder(self) -> bool:
        """Whether the table is a folder."""
        return is_folder_name(self.path)

    @property
    def is_short_of_room(self) -> bool:
        """Whether this process solves and cannot keep all values in memory."""
        return self.request.cluster is None and not self.room.keeps_all


def plan_of(request: Request) -> Plan:
    """Decide all that a request leaves open, and touch nothing.

    MemoryLimitError or DiskLimitError if it would not fit; OutputError if the output's folder does
    not exist, or something is there that must stay; TableInUseError if another program is writing
    to the table that is there.
    """
    path = path_of(request)
    check_place(path)
    folder = _folder_of_blocks(path)
    action, replaced = _action(request, path, folder)
    room = ROOM_OF_A_DRIVER
    if action is not Action.PRESENT:
        if request.cluster is None:
            room = room_for(request)
        check_disk(request, nearest_place(path) if request.output is None else path)
    job = Job(
        request.rules.settled(),
        request.tolerance,
        request.certify,
        part=request.part.name,
        precision=request.precision,
    )
    return Plan(request, path, folder, job, room, action, replaced)


def _folder_of_blocks(path: pathlib.Path) -> pathlib.Path:
    """Where the blocks of a table go: into it if it is a new folder, otherwise next to it.

    A process may have been killed after the table that was to be replaced had gone.
    """
    checkpoint = checkpoint_folder(path)
    is_free = not (os.path.lexists(path) or os.path.isfile(checkpoint / HEAD))
    return path if is_folder_name(path) and (is_free or is_unfinished(path)) else checkpoint


def path_of(request: Request) -> pathlib.Path:
    """The path of the table that is asked for."""
    if request.output is not None:
        return request.output
    if request.known is not None:
        return request.known.path
    return new_table_path(request.rules, request.value_type, request.part)


def _action(
    request: Request, path: pathlib.Path, folder: pathlib.Path
) -> tuple[Action, str | None]:
    """What a run has to do, and what it replaces."""
    if not is_unfinished(path):  # which is resumed
        may_replace = request.force or request.known is not None
        if not may_replace and os.path.lexists(path):
            _check_present(request, path)
            return Action.PRESENT, None
        replaced = check_replaceable(path, force=may_replace)
        if replaced is not None:
            return Action.REPLACE, replaced
    return (Action.RESUME if os.path.isfile(folder / HEAD) else Action.NEW), None


_REPLACE = "--force replaces it (in Python, force=True)"


def _check_present(request: Request, path: pathlib.Path) -> None:
    """Check that what is at a path is the table that is asked for.

    OutputError if it is something else, or its proven error is larger than the tolerance;
    TableInUseError if another program is writing to it.
    """
    try:
        with TableFile(path) as table:
            header, held = table.header, table.part
    except (NotATableError, MissingTableError):
        raise OutputError(f"{str(path)!r} exists and is not a table; name another file") from None
    except TableInUseError:
        raise
    except UrError as error:
        raise OutputError(f"{error}; {_REPLACE}") from None
    tolerance = request.tolerance
    if not (
        is_made_for(request.rules, header.rules)
        and header.value_type == request.value_type
        and header.tolerance <= tolerance + VALUE_TYPES[request.value_type].rounding
    ):
        raise OutputError(
            f"{str(path)!r} holds {header.rules.title} as "
            f"{header.value_type}, tolerance {header.tolerance:.3g}; {_REPLACE}, or name another "
            "file"
        )
    if not held.has_same_blocks(request.part):
        raise OutputError(
            f"{str(path)!r} holds {held.scope}, not {request.part.scope}; {_REPLACE}, or name "
            "another file"
        )
    if request.certify and (header.error is None or header.error > tolerance):
        proven = "nothing" if header.error is None else f"an error of {header.error:.3g}"
        raise OutputError(
            f"{str(path)!r} already exists with {proven} proven; 'ur certify' proves what can be "
            f"proven, {_REPLACE}"
        )
