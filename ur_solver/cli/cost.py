"""The cost of a solve, as text and as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from ur_solver.cli.output import size_text, time_text
from ur_solver.errors import DiskLimitError, MemoryLimitError
from ur_solver.solving import Request, path_of
from ur_solver.solving.costs import (
    budget_of,
    check_disk,
    disk_bytes,
    estimate,
    expected_seconds,
    free_bytes,
    nearest_place,
    room_for,
)


@dataclass(frozen=True)
class Cost:
    """The memory, disk and time of a solve, and the memory and disk that are free.

    Attributes
    ----------
    positions : int
    memory_bytes, memory_free_bytes : int
    table_bytes : int
    disk_bytes, disk_free_bytes : int
        Used during the solve, and free in the folder of the table.
    seconds : float or None
        None if the solve does not fit or is not timed.
    reason : str or None
        Why the solve does not fit; None if it does.
    """

    positions: int
    memory_bytes: int
    memory_free_bytes: int
    table_bytes: int
    disk_bytes: int
    disk_free_bytes: int
    seconds: float | None
    reason: str | None

    def to_json(self) -> dict[str, Any]:
        """The figures by name, and whether the solve fits."""
        return {**asdict(self), "fits": self.reason is None}

    def rows(self) -> list[list[str]]:
        """The figures as rows of two columns."""
        if self.reason is not None:
            solving = f"not on this machine: {self.reason}"
        else:
            time = "" if self.seconds is None else f"some {time_text(self.seconds)}, "
            solving = (
                f"{time}{size_text(self.memory_bytes)} of memory, "
                f"{size_text(self.disk_bytes)} of disk on the way"
            )
        return [
            ["  positions", f"{self.positions:,}"],
            ["  table", f"some {size_text(self.table_bytes)} on disk"],
            ["  to solve", solving],
        ]


def cost_of(request: Request, *, is_timed: bool = True) -> Cost:
    """The cost of a solve in this process; the output's folder need not exist yet.

    With `is_timed`, the time is estimated by solving the rules with fewer pieces, which takes some
    tenths of a second.
    """
    place, free = nearest_place(path_of(request)), budget_of(request)
    request, reason = replace(request, memory=free), None
    try:
        room_for(request)
        check_disk(request, place)
    except (MemoryLimitError, DiskLimitError) as error:
        reason = str(error)
    found = estimate(request)
    is_timed = is_timed and reason is None
    return Cost(
        positions=found.positions,
        memory_bytes=max(found.least_bytes, min(found.memory_bytes, free)),
        memory_free_bytes=free,
        table_bytes=found.table_bytes,
        disk_bytes=disk_bytes(request),
        disk_free_bytes=free_bytes(place),
        seconds=expected_seconds(request) if is_timed else None,
        reason=reason,
    )
