"""Solving on the workers of a cluster, with Dask distributed as the executor.

``pip install ur-solver[cluster]`` installs it. `runner` and `start` import it, and are imported
only if needed.
"""

from ur_solver.engine.cluster.choice import Cluster
from ur_solver.engine.cluster.task import FolderTask

__all__ = ["Cluster", "FolderTask"]
