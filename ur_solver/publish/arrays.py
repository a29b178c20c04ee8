"""Files of numbers that a page reads: a head of JSON, then arrays, all little endian.

    bytes 0 to 3    the length of the head, as a whole number
    the head        JSON, UTF-8: ``{"values": ..., "arrays": {name: {"type", "size", "at"}}}``
    the arrays      from the next multiple of 8 on, each at its own ``at`` from there, a multiple
                    of 8 too; ``size`` numbers of a ``type`` such as ``float32``

``page/engine/arrays.js`` reads them as views of one buffer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

_ALIGNED = 8


def arrays_file(values: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """A file of some values and arrays.

    Parameters
    ----------
    values : mapping
        JSON values.
    arrays : mapping of str to array, any shape
        Of a type that pages know: floats, and whole numbers of at most 32 bits. Larger whole
        numbers are written as float64, which holds those up to 2**53.
    """
    heads, parts, at = {}, [], 0
    for name, array in arrays.items():
        is_long = array.dtype.itemsize == 8 and array.dtype.kind in "iu"
        kind = np.dtype(np.float64) if is_long else array.dtype
        data = np.ascontiguousarray(array, dtype=kind.newbyteorder("<")).tobytes()
        heads[name] = {"type": kind.name, "size": array.size, "at": at}
        parts.append(_padded(data))
        at += len(parts[-1])
    text = json.dumps({"values": dict(values), "arrays": heads}, separators=(",", ":")).encode()
    return b"".join([_padded(len(text).to_bytes(4, "little") + text), *parts])


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % _ALIGNED)
