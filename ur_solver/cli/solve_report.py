"""What `ur solve` says: events while it runs, and what it has found."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from ur_solver.api.table import Table
from ur_solver.blocks.value_types import VALUE_TYPES
from ur_solver.cli.messages import Messages
from ur_solver.cli.output import bound_text, gib_text, proven_text, size_text, time_text
from ur_solver.common.progress import Progress
from ur_solver.errors import CertificateError
from ur_solver.rules.words import counted
from ur_solver.solving import (
    Begun,
    BlockDone,
    Event,
    Finished,
    FolderMade,
    Request,
    Resumed,
    RoomShort,
    WorkersChanged,
)
from ur_solver.table.reader import TableFile


@contextmanager
def show_events(messages: Messages) -> Iterator[Callable[[Event], None]]:
    """A receiver of the events of a run, which prints each of them on standard error.

    Progress is shown from the event that the solve begins until it is finished or the context ends.
    """
    with ExitStack() as stack:
        progress: Progress = _ignored

        def show(event: Event) -> None:
            nonlocal progress
            match event:
                case Begun(positions):
                    progress = stack.enter_context(messages.progress("solving", positions))
                case BlockDone(done, total):
                    progress(done, total)
                case Finished(replaced=replaced):
                    stack.close()
                    if replaced is not None:
                        messages.say(f"replaced {replaced}", "replaced", replaced=replaced)
                case _:
                    _say(event, messages)

        yield show


def _ignored(_done: int, _total: int) -> None:
    """Progress before there is any."""


def _say(event: Event, messages: Messages) -> None:
    """Say what happens while a solve runs."""
    match event:
        case FolderMade(folder):
            messages.say(f"made the folder {folder}", "folder", path=str(folder))
        case Resumed(blocks, total):
            messages.say(
                f"resuming from {blocks} of {total} blocks that an earlier solve finished",
                "resumed",
                blocks=blocks,
                total=total,
            )
        case RoomShort(budget, needed):
            messages.say(
                f"all values in memory would take {gib_text(needed)} or more, and "
                f"{gib_text(budget)} may be taken: finished blocks are read from their files",
                "from_files",
                memory_bytes=budget,
                needed_bytes=needed,
            )
        case WorkersChanged(count):
            text = counted(count, "worker") if count else "no workers yet; waiting for one"
            messages.say(text, "workers", workers=count)


def facts(request: Request, found: Finished) -> dict[str, Any]:
    """A finished solve as JSON values."""
    unit = request.part.space.unit
    return {
        "rules": request.rules.name,
        "pieces": request.rules.pieces,
        "path": str(found.path),
        "solved": True,
        "left": found.part.left,
        "positions": found.positions,
        "value": found.value,
        "opening_value": _opening_value(found),
        "tolerance": (request.tolerance + VALUE_TYPES[request.value_type].rounding) * unit,
        "value_type": request.value_type,
        "residual": found.residual,
        "error": found.error,
        "bytes": found.table_bytes,
        "seconds": found.seconds,
        "resumed_blocks": found.resumed_blocks,
        "sweeps": found.sweeps,
    }


def facts_of_present(output: pathlib.Path) -> dict[str, Any]:
    """The same of a table that was there already: nothing is known of a solve of now."""
    with Table(output) as table:
        info = table.info()
        same = (
            "left",
            "positions",
            "value",
            "opening_value",
            "tolerance",
            "value_type",
            "residual",
            "error",
            "bytes",
        )
        return {
            "rules": table.rules.name,
            "pieces": table.rules.pieces,
            "path": str(output),
            "solved": False,
            **{key: info[key] for key in same},
            "seconds": None,
            "resumed_blocks": None,
            "sweeps": None,
        }


def report(request: Request, found: Finished) -> str:
    """A finished solve for people."""
    rules, unit = request.rules, request.part.space.unit
    proven = (
        ""
        if found.error is None
        else f"  no value is off by more than {proven_text(found.error, rules)}, proven\n"
    )
    text = partial(rules.payoff.text, tolerance=request.tolerance * unit)
    opening = _opening_value(found)
    if found.value is None or opening is None:
        head = f"{rules.title}: {found.part.scope}"
    else:
        head = f"{rules.title}: the first player {rules.payoff.verb} {text(opening)}"
        if not rules.mechanics.has_free_first_throw:
            head += f"\n  with a free first throw {text(found.value)}"
    return (
        f"{head}\n"
        f"  {counted(found.positions, 'position')} in {time_text(found.seconds)}, largest "
        f"residual {found.residual:.3g}\n{proven}"
        f"  {found.path}, {size_text(found.table_bytes)}"
    )


def _opening_value(found: Finished) -> float | None:
    """The first player's value, if the table has the start."""
    if found.value is None:
        return None
    with Table(found.path) as table:
        return table.opening_value()


def check_proven(request: Request, found: Finished) -> None:
    """Fail if a table is certified to less than the tolerance.

    Raises
    ------
    CertificateError
    """
    tolerance, unit = request.tolerance, request.part.space.unit
    if found.error is not None and found.error > tolerance * unit:
        raise CertificateError(
            f"{found.path} is whole, but proven only to {bound_text(found.error)}, not to "
            f"the tolerance of {tolerance * unit:.3g}: {_worst_blocks(found.path, tolerance)}"
        )


def _worst_blocks(output: pathlib.Path, tolerance: float) -> str:
    """Where the proven error is above the tolerance."""
    with TableFile(output) as table:
        above = table.blocks["error"] > tolerance
        first = table.blocks[above][0]
        return (
            f"the bound is above it in {above.sum()} of {counted(len(table.blocks), 'block')}, the "
            f"first of them block {first['index']} with "
            f"{bound_text(first['error'] * table.space.unit)}"
        )
