"""The resources that a block is solved with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ur_solver.kernel import Workspace


@dataclass(frozen=True)
class Lease:
    """The resources that a block is solved with.

    Attributes
    ----------
    workspace : Workspace
        Memory that no other block uses meanwhile.
    threads : int
        The number of threads that may lay the block out and sweep it.
    spare : callable
        Returns the number of further threads that the next sweep may use; 0 by default.
    check_stop : callable
        Raises StoppedError if the block is to be abandoned; by default it never is.
    """

    workspace: Workspace
    threads: int = 1
    spare: Callable[[], int] = lambda: 0
    check_stop: Callable[[], object] = lambda: None
