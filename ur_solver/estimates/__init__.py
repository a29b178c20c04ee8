"""What a solve will take: memory, disk, time, and whether that is there."""

from ur_solver.estimates.cost import Estimate, check_memory, estimate, expected_seconds
from ur_solver.estimates.disk import check_disk, disk_bytes, free_bytes
from ur_solver.estimates.memory import available_bytes, peak_live, peak_together

__all__ = [
    "Estimate",
    "available_bytes",
    "check_disk",
    "check_memory",
    "disk_bytes",
    "estimate",
    "expected_seconds",
    "free_bytes",
    "peak_live",
    "peak_together",
]
