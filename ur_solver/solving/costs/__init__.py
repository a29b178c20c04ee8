"""What a solve will take: memory, disk, time, and whether that is there."""

from ur_solver.solving.costs.cost import Estimate, estimate, expected_seconds
from ur_solver.solving.costs.disk import check_disk, disk_bytes, free_bytes, nearest_place
from ur_solver.solving.costs.memory import available_bytes, budget_of, peak_live, peak_together
from ur_solver.solving.costs.room import Room, room_for
from ur_solver.solving.costs.schedule import Schedule, Span, Speed, measured_speed, schedule_of

__all__ = [
    "Estimate",
    "Room",
    "Schedule",
    "Span",
    "Speed",
    "available_bytes",
    "budget_of",
    "check_disk",
    "disk_bytes",
    "estimate",
    "expected_seconds",
    "free_bytes",
    "measured_speed",
    "nearest_place",
    "peak_live",
    "peak_together",
    "room_for",
    "schedule_of",
]
