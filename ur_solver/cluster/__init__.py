"""Solving on the workers of a cluster, with Dask distributed as the executor.

It is installed by ``pip install ur-solver[cluster]``; `runner` and `start` import it, and are
imported only where it is asked for.
"""

from ur_solver.cluster.choice import Cluster
from ur_solver.cluster.task import FolderTask

__all__ = ["Cluster", "FolderTask"]
