"""What a solve will take: memory, disk, time, and whether that is there."""

from ur_solver.estimates.cost import Estimate, check_memory, estimate, expected_seconds
from ur_solver.estimates.memory import available_bytes, peak_live, peak_together

__all__ = [
    "Estimate",
    "available_bytes",
    "check_memory",
    "estimate",
    "expected_seconds",
    "peak_live",
    "peak_together",
]
