"""Solution tables as HDF5 files, or as folders. Only `estimators.file` uses HDF5 too.

`ur_solver.table.format` specifies the file, `ur_solver.table.format` the folder.
"""
