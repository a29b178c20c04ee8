"""Solution tables as HDF5 files; the only room that knows HDF5.

`ur_solver.table.format` specifies the file.
"""

from ur_solver.table.format import VALUE_TYPES, Header
from ur_solver.table.reader import Table
from ur_solver.table.writer import TableWriter, add_certificate, write_table

__all__ = ["VALUE_TYPES", "Header", "Table", "TableWriter", "add_certificate", "write_table"]
