"""Solution tables as HDF5 files; the only room that knows HDF5."""
