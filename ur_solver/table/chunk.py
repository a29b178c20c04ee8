"""Chunks of values as HDF5 stores them: through Bitshuffle with LZ4, then Fletcher-32.

They are encoded and decoded here, and HDF5 gets the stored bytes. So no filter must be registered
with the library, and any program with Bitshuffle reads the file.

A stored chunk holds, with all numbers big-endian but the last: the size of its values (uint64); the
size of a Bitshuffle block (uint32); each block as its length (uint32) and LZ4 data; the values that
do not fill a group of eight; and the Fletcher-32 checksum of all that (uint32, little-endian).
"""

from __future__ import annotations

import struct
from functools import cache
from typing import Any

import h5py
import lz4.block
import numpy as np
import numpy.typing as npt

from ur_solver.table import _bits

BITSHUFFLE = 32008
"""The number under which Bitshuffle is registered with the HDF Group."""

_FORMAT = (0, 4)
"""The version of Bitshuffle's format: its first two parameters."""

_BLOCK_AND_LZ4 = (0, 2)
"""Its last two parameters: blocks of the usual size, compressed by LZ4."""

_HEAD = struct.Struct(">QI")
_LENGTH = struct.Struct(">I")
_CHECKSUM = struct.Struct("<I")
_BLOCK_BYTES = 8192
"""The usual size of a block of Bitshuffle's."""

_MAX_FRAME = 1 << 12
"""An upper limit of the bytes of sizes and checksums in the smallest chunk."""


def compressed(itemsize: int) -> dict[str, Any]:
    """Arguments of h5py's `create_dataset` for chunks of `encode`, of numbers of `itemsize` bytes.

    Where the process has registered Bitshuffle, as hdf5plugin does, the filter itself puts its
    first three parameters before the others.
    """
    first = () if h5py.h5z.filter_avail(BITSHUFFLE) else (*_FORMAT, itemsize)
    return {
        "compression": BITSHUFFLE,
        "compression_opts": (*first, *_BLOCK_AND_LZ4),
        "allow_unknown_filter": True,
    }


def are_parameters(found: tuple[int, ...], itemsize: int) -> bool:
    """Whether a file's parameters of Bitshuffle are those of `compressed`, in any version."""
    return found[len(_FORMAT) :] == (itemsize, *_BLOCK_AND_LZ4)


def max_stored(length: int, itemsize: int) -> int:
    """An upper limit of the stored bytes of a chunk of `length` numbers."""
    return 2 * length * itemsize + _MAX_FRAME


def encode(numbers: npt.NDArray[Any], length: int) -> bytes:
    """The stored bytes of a chunk.

    Parameters
    ----------
    numbers : array, shape (n,), little-endian and contiguous
        Of no more than `length` numbers; the rest of the chunk is zeros.
    length : int
        The numbers in a chunk.
    """
    itemsize = numbers.dtype.itemsize
    size, end = length * itemsize, length // 8 * 8 * itemsize
    # blocks behind the last number are the same in all chunks: most of a small block of positions
    used = min(size, -(-numbers.nbytes // _BLOCK_BYTES) * _BLOCK_BYTES)
    content = np.zeros(used, dtype=np.uint8)
    content[: numbers.nbytes] = numbers.view(np.uint8)
    rows = np.empty(min(used, end), dtype=np.uint8)
    _bits.shuffle(content[: len(rows)], rows, itemsize, _BLOCK_BYTES // itemsize)
    parts = [_HEAD.pack(size, _BLOCK_BYTES)]
    for at in range(0, end, _BLOCK_BYTES):
        if at < used:
            parts += _packed(rows[at : at + _BLOCK_BYTES].data)
        else:
            parts += _packed_zeros(min(_BLOCK_BYTES, end - at))
    parts.append(content[end:].tobytes().ljust(size - end, b"\0"))
    stored = b"".join(parts)
    checksum = _bits.fletcher32(np.frombuffer(stored, dtype=np.uint8))
    return stored + _CHECKSUM.pack(checksum)


def _packed(block: memoryview | bytes) -> tuple[bytes, bytes]:
    """A Bitshuffle block as its length and LZ4 data."""
    data = lz4.block.compress(block, store_size=False)
    return _LENGTH.pack(len(data)), data


@cache
def _packed_zeros(size: int) -> tuple[bytes, bytes]:
    return _packed(bytes(size))


def decode(stored: bytes, numbers: npt.NDArray[Any]) -> None:
    """Decode a stored chunk, which may be malicious, without checking its checksum.

    Parameters
    ----------
    stored : bytes
    numbers : array, shape (length,), little-endian and contiguous
        Out: all numbers of the chunk.

    Raises
    ------
    ValueError
        If this is not an encoded chunk of that length.
    """
    content, itemsize = numbers.view(np.uint8), numbers.dtype.itemsize
    end = len(numbers) // 8 * 8 * itemsize
    try:
        if _HEAD.unpack_from(stored) != (len(content), _BLOCK_BYTES):
            raise ValueError("its sizes are not those of its dataset")
        blocks, at = [], _HEAD.size
        view = memoryview(stored)
        for start in range(0, end, _BLOCK_BYTES):
            (length,) = _LENGTH.unpack_from(stored, at)
            at += _LENGTH.size
            size = min(_BLOCK_BYTES, end - start)
            block = lz4.block.decompress(view[at : at + length], uncompressed_size=size)
            if len(block) != size:
                raise ValueError("a block has another size")
            blocks.append(block)
            at += length
    except (struct.error, lz4.block.LZ4BlockError) as error:
        raise ValueError(str(error)) from error
    rest = view[at : len(stored) - _CHECKSUM.size]
    if len(rest) != len(content) - end:
        raise ValueError("it is longer or shorter than its blocks")
    rows = np.frombuffer(b"".join(blocks), dtype=np.uint8)
    _bits.restore(rows, content[:end], itemsize, _BLOCK_BYTES // itemsize)
    content[end:] = rest
