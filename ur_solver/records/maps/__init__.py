"""RoyalUr's solved maps (``.rgu``): their keys, and how they are read and written."""

from ur_solver.records.maps.keys import MapKeys
from ur_solver.records.maps.rgu import (
    VALUE_TYPES,
    MapHeader,
    block_results,
    read_header,
    read_values,
    write_map,
)

__all__ = [
    "VALUE_TYPES",
    "MapHeader",
    "MapKeys",
    "block_results",
    "read_header",
    "read_values",
    "write_map",
]
