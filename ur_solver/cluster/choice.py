"""Which workers are to solve."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cluster:
    """Which workers are to solve.

    Attributes
    ----------
    scheduler : str or None
        The address of a scheduler that the user started.
    workers : int or None
        How many workers to start here, if there is no scheduler.
    threads : int or None
        The most threads for one block; a worker started here has as many, by default its share of
        the processors.
    silence : float
        Seconds after which a worker that says nothing is taken for lost.
    """

    scheduler: str | None = None
    workers: int | None = None
    threads: int | None = None
    silence: float = 60.0
