"""The workers of a solve."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cluster:
    """The workers of a solve.

    Attributes
    ----------
    scheduler : str or None
        The address of a scheduler that the user started.
    workers : int or None
        The number of workers to start here, if there is no scheduler.
    threads : int or None
        The most threads for one block; a worker started here has as many, by default its share of
        the processors.
    silence : float
        Seconds after which a silent worker counts as lost.
    """

    scheduler: str | None = None
    workers: int | None = None
    threads: int | None = None
    silence: float = 60.0
