"""Compare HDF5 filters and chunk lengths on the values of a solved table.

    python scripts/measure_filters.py tables/finkel-5.h5

For every value type, chunk length and filter: size relative to the plain values, write
rate, and the time of a cold read of one value's chunk. This is what the filter and the
chunk length of `ur_solver.table.format` were chosen by.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import tempfile
import time
from typing import Any

import h5py
import hdf5plugin
import numpy as np
import numpy.typing as npt

from ur_solver.blocks.stored import VALUE_TYPES
from ur_solver.table.reader import TableFile

_BLOSC_BITS, _BLOSC_BYTES = hdf5plugin.Blosc2.BITSHUFFLE, hdf5plugin.Blosc2.SHUFFLE

FILTERS: dict[str, dict[str, Any]] = {
    "none": {},
    "shuffle, gzip 1": {"shuffle": True, "compression": "gzip", "compression_opts": 1},
    "shuffle, zstd 1": {"shuffle": True, "compression": hdf5plugin.Zstd(clevel=1)},
    "blosc2 lz4 bits": {"compression": hdf5plugin.Blosc2("lz4", 5, _BLOSC_BITS)},
    "blosc2 zstd bits": {"compression": hdf5plugin.Blosc2("zstd", 1, _BLOSC_BITS)},
    "blosc2 zstd bytes": {"compression": hdf5plugin.Blosc2("zstd", 1, _BLOSC_BYTES)},
    "bitshuffle lz4": {"compression": hdf5plugin.Bitshuffle(cname="lz4")},
    "bitshuffle lz4, fletcher": {
        "compression": hdf5plugin.Bitshuffle(cname="lz4"),
        "fletcher32": True,
    },
    "bitshuffle zstd 1": {"compression": hdf5plugin.Bitshuffle(cname="zstd", clevel=1)},
}
CHUNK_LENGTHS = (1 << 14, 1 << 15, 1 << 16)
N_READS = 50


def measure(
    path: pathlib.Path, stored: npt.NDArray[Any], chunk_length: int, options: dict[str, Any]
) -> tuple[float, float, float]:
    """Size relative to plain, bytes a second written, seconds a read of one chunk."""
    began = time.perf_counter()
    with h5py.File(path, "w", libver="latest") as file:
        values = file.create_dataset(
            "values", shape=stored.shape, dtype=stored.dtype, chunks=(chunk_length,), **options
        )
        values[:] = stored
    rate = stored.nbytes / (time.perf_counter() - began)
    chunks = np.random.default_rng(0).integers(0, len(stored) // chunk_length, N_READS)
    with h5py.File(path, "r", rdcc_nbytes=0) as file:
        values = file["values"]
        began = time.perf_counter()
        for chunk in chunks:
            _ = values[chunk * chunk_length : (chunk + 1) * chunk_length]
        seconds = (time.perf_counter() - began) / N_READS
    return os.path.getsize(path) / stored.nbytes, rate, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", help="a float64 table of some millions of positions")
    arguments = parser.parse_args()
    with TableFile(arguments.table) as table:
        values = VALUE_TYPES[table.header.value_type].decode(table.load())
    print(f"{'type':8}  {'chunk':>6}  {'filter':25}  {'size':>5}  {'MB/s':>6}  {'read us':>7}")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "measured.h5"
        for kind in VALUE_TYPES.values():
            stored = kind.encode(values)
            for chunk_length in CHUNK_LENGTHS:
                for name, options in FILTERS.items():
                    size, rate, seconds = measure(path, stored, chunk_length, options)
                    print(
                        f"{kind.name:8}  {chunk_length:6}  {name:25}  {size:5.3f}  "
                        f"{rate / 1e6:6.0f}  {seconds * 1e6:7.0f}"
                    )


if __name__ == "__main__":
    main()
