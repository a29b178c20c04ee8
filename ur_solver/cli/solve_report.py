"""What `ur solve` says: events while it runs, and what it has found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from ur_solver.api.table import Table
from ur_solver.cli.messages import Messages
from ur_solver.cli.output import bound_text, gib_text, proven_text, size_text, time_text
from ur_solver.common.progress import Progress
from ur_solver.common.text import counted
from ur_solver.errors import CertificateError
from ur_solver.solving import (
    Begun,
    BlockDone,
    Event,
    Finished,
    FolderMade,
    Resumed,
    RoomShort,
    WorkersChanged,
)


@contextmanager
def show_events(messages: Messages) -> Iterator[Callable[[Event], None]]:
    """A receiver of the events of a run, which prints each of them on standard error.

    Progress is shown from the event that the solve begins until it is finished or the context ends.
    """
    with ExitStack() as stack:
        progress: Progress | None = None

        def show(event: Event) -> None:
            nonlocal progress
            match event:
                case FolderMade(folder):
                    messages.say(f"made the folder {folder}", "folder", path=str(folder))
                case Begun(positions):
                    progress = stack.enter_context(messages.progress("solving", positions))
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
                        f"{gib_text(budget)} may be taken: finished blocks are read from their "
                        "files",
                        "from_files",
                        memory_bytes=budget,
                        needed_bytes=needed,
                    )
                case WorkersChanged(count):
                    text = counted(count, "worker") if count else "no workers yet; waiting for one"
                    messages.say(text, "workers", workers=count)
                case BlockDone(done, total) if progress is not None:
                    progress(done, total)
                case Finished(replaced=replaced):
                    stack.close()
                    if replaced is not None:
                        messages.say(f"replaced {replaced}", "replaced", replaced=replaced)

        yield show


_SAME = (
    *("left", "positions", "value", "opening_value", "tolerance", "value_type"),
    *("residual", "error", "bytes"),
)
"""What `ur solve --json` says as `ur info --json` does."""


def facts(table: Table, found: Finished | None) -> dict[str, Any]:
    """A solved table as JSON values; without `found` one that was there already."""
    info = table.info()
    return {
        "rules": table.rules.name,
        "pieces": table.rules.pieces,
        "path": str(table.path),
        "solved": found is not None,
        **{key: info[key] for key in _SAME},
        "seconds": found and found.seconds,
        "resumed_blocks": found and found.resumed_blocks,
        "sweeps": found and found.sweeps,
    }


def report(table: Table, found: Finished) -> str:
    """A finished solve for people."""
    rules, value, bound = table.rules, table.start_value, table.max_error
    text = partial(rules.payoff.text, tolerance=table.tolerance)
    if value is None:
        head = f"{rules.title}: {found.part.scope}"
    else:
        head = f"{rules.title}: the first player {rules.payoff.verb} {text(table.opening_value())}"
        if not rules.mechanics.has_free_first_throw:
            head += f"\n  with a free first throw {text(value)}"
    proven = (
        ""
        if bound is None
        else f"  no value is off by more than {proven_text(bound, rules)}, proven\n"
    )
    return (
        f"{head}\n"
        f"  {counted(found.positions, 'position')} in {time_text(found.seconds)}, largest "
        f"residual {table.header.residual * table.space.unit:.3g}\n{proven}"
        f"  {table.path}, {size_text(table.file.n_bytes)}"
    )


def check_proven(table: Table, tolerance: float) -> None:
    """Fail if a table is certified to less than the tolerance that was asked for.

    Raises
    ------
    CertificateError
    """
    unit, errors = table.space.unit, table.file.blocks["error"]
    above = table.file.blocks[errors > tolerance]
    if table.max_error is not None and len(above):
        raise CertificateError(
            f"{table.path} is whole, but proven only to {bound_text(table.max_error)}, not to the "
            f"tolerance of {tolerance * unit:.3g}: the bound is above it in {len(above)} of "
            f"{counted(len(errors), 'block')}, the first of them block {above[0]['index']} with "
            f"{bound_text(above[0]['error'] * unit)}"
        )
