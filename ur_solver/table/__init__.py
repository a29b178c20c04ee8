"""Solution tables as HDF5 files. No other room uses HDF5.

`ur_solver.table.format` specifies the file.
"""

from ur_solver.blocks import VALUE_TYPES
from ur_solver.table.format import Header
from ur_solver.table.opening import is_table_file
from ur_solver.table.reader import TableFile
from ur_solver.table.writer import TableWriter, add_certificate, write_table

__all__ = [
    "VALUE_TYPES",
    "Header",
    "TableFile",
    "TableWriter",
    "add_certificate",
    "is_table_file",
    "write_table",
]
