"""Solution tables as HDF5 files, or as folders. Only `estimators.file` uses HDF5 too.

`ur_solver.table.format` specifies the file, `ur_solver.table.table_folder` the folder.
"""

from ur_solver.blocks import VALUE_TYPES
from ur_solver.table.checked_file import is_table_file
from ur_solver.table.format import LENGTH, LONGEST, OBJECTIVES, WIN, Header, version_of
from ur_solver.table.pack import pack
from ur_solver.table.present import check_replaceable, contents_of, is_unfinished, refuse_table
from ur_solver.table.reader import TableFile
from ur_solver.table.table_folder import TABLE, FolderWriter, is_folder_name, set_aside
from ur_solver.table.writer import TableWriter, add_certificate, write_table

__all__ = [
    "LENGTH",
    "LONGEST",
    "OBJECTIVES",
    "TABLE",
    "VALUE_TYPES",
    "WIN",
    "FolderWriter",
    "Header",
    "TableFile",
    "TableWriter",
    "add_certificate",
    "check_replaceable",
    "contents_of",
    "is_folder_name",
    "is_table_file",
    "is_unfinished",
    "pack",
    "refuse_table",
    "set_aside",
    "version_of",
    "write_table",
]
