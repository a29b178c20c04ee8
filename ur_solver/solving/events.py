"""What happens in a run, as events in the order of time."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from dataclasses import dataclass

from ur_solver.common.progress import Progress
from ur_solver.space import Part


@dataclass(frozen=True)
class FolderMade:
    """The default folder of tables did not exist and was made."""

    folder: pathlib.Path


@dataclass(frozen=True)
class Begun:
    """The solve begins.

    Attributes
    ----------
    positions, blocks : int
        The totals to be solved, what an earlier solve finished included.
    """

    positions: int
    blocks: int


@dataclass(frozen=True)
class RoomShort:
    """There is no room for all values in memory: finished blocks are read from their files.

    Attributes
    ----------
    budget : int
        The bytes that the solve may take.
    needed : int
        The bytes that all values would take.
    """

    budget: int
    needed: int


@dataclass(frozen=True)
class Resumed:
    """An earlier solve finished `blocks` of `total` blocks, which are not solved again."""

    blocks: int
    total: int


@dataclass(frozen=True)
class WorkersChanged:
    """The cluster has `count` workers now."""

    count: int


@dataclass(frozen=True)
class BlockDone:
    """A block is finished: now `done` of `total` positions are."""

    done: int
    total: int


@dataclass(frozen=True)
class Finished:
    """The table is complete.

    Attributes
    ----------
    path : Path
    part : Part
        What was solved.
    seconds : float
        The time of this run, resumed or not.
    error : float or None
        The proven error of the values, in their units: with stakes money; None unless certified.
    resumed_blocks : int
        The number of blocks that an earlier run had finished.
    sweeps : float
        The mean over all positions.
    replaced : str or None
        What the table has replaced, in words.
    """

    path: pathlib.Path
    part: Part
    seconds: float
    error: float | None
    resumed_blocks: int
    sweeps: float
    replaced: str | None

    @property
    def positions(self) -> int:
        """The number of positions; with stakes, not counting the fines."""
        return self.part.n_positions


Event = FolderMade | Begun | RoomShort | Resumed | WorkersChanged | BlockDone | Finished


def counts_for(progress: Progress | None) -> Callable[[Event], None]:
    """A receiver of events that calls `progress` with the counts of each finished block."""

    def receive(event: Event) -> None:
        if progress is not None and isinstance(event, BlockDone):
            progress(event.done, event.total)

    return receive
