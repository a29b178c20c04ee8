"""The resources that a block is solved with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ur_solver.kernel import Workspace


class Lease(Protocol):
    """The resources that a block is solved with: a workspace and threads."""

    @property
    def workspace(self) -> Workspace:
        """Memory that no other block uses meanwhile."""

    @property
    def threads(self) -> int:
        """The number of threads that may lay the block out and sweep it."""

    def spare(self) -> int:
        """The number of further threads that the next sweep may use."""

    def check_stop(self) -> None:
        """Raise StoppedError if the block is to be abandoned."""


@dataclass
class OwnLease:
    """A lease that is never stopped and gets no further threads.

    Attributes
    ----------
    workspace : Workspace
    threads : int
    """

    workspace: Workspace
    threads: int = 1

    def spare(self) -> int:
        """0: there are no further threads."""
        return 0

    def check_stop(self) -> None:
        """Return; this lease is never stopped."""
