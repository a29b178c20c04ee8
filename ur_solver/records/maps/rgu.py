"""Files of RoyalUr's solved maps: read into the blocks of a table, written from a table.

    bytes 0-2    "RGU"
    byte 3       the version, 0
    int32        length of the metadata
    metadata     compact JSON: ``value_type`` (``percent16``, ``f32`` or ``f64``; percent16
                 if it is left out), ``game_settings`` as in the JSON notation, and entries for
                 people, such as ``author``
    int32        number of maps
    int32 ...    number of entries of each map
    uint32 ...   all keys, ascending within each map, the maps in order (`MapKeys`)
    values ...   in the order of the keys: percent16 is a uint16, the win probability of the
                 side to throw times 65535; f32 and f64 are the probability itself

All numbers are big-endian. Positions that the side to throw has won have the value 1. In some maps
of f32 or f64 they have the value 100; these maps hold percentages and are read as such.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from ur_solver.answers.values import Values
from ur_solver.blocks.block_record import BlockResult
from ur_solver.common.files import new_file
from ur_solver.common.text import decoded, encoded, json_values
from ur_solver.errors import MapError, RecordError, RuleSetError
from ur_solver.kernel import ArrayBlocks, kernel_of
from ur_solver.records import rules_from_settings, settings_of
from ur_solver.records.maps.keys import MapKeys
from ur_solver.rules import RuleSet
from ur_solver.space import space_of

MAGIC = b"RGU"
VERSION = 0
VALUE_TYPES: dict[str, np.dtype[Any]] = {
    "percent16": np.dtype(">u2"),
    "f32": np.dtype(">f4"),
    "f64": np.dtype(">f8"),
}
"""The value types, by the name that the metadata gives them."""

_KEY = np.dtype(">u4")
_SCALE = 65535
_MAX_METADATA = 1 << 20
_MAX_MAPS = 64
_CHUNK = 1 << 20
"""Entries that are read and converted at once; they take some 100 MB."""

_PROBABILITY_SLACK = 1e-6
"""In f32, values that should be 1 exceed it by less than this."""


@dataclass(frozen=True)
class MapHeader:
    """The part of a file before the keys.

    Attributes
    ----------
    path : Path
    rules : RuleSet
    value_type : str
    metadata : dict
        As it was read.
    entries : tuple of int
        The number of entries of each map.
    keys_offset : int
        The byte of the file at which the keys begin.
    """

    path: Path
    rules: RuleSet
    value_type: str
    metadata: dict[str, Any]
    entries: tuple[int, ...]
    keys_offset: int

    @property
    def values_offset(self) -> int:
        """The byte of the file at which the values begin."""
        return self.keys_offset + _KEY.itemsize * sum(self.entries)

    @property
    def n_bytes(self) -> int:
        """The size that the file must have."""
        return self.values_offset + VALUE_TYPES[self.value_type].itemsize * sum(self.entries)


def read_header(path: Path) -> MapHeader:
    """The header of a map, after checking the file's size against it.

    Raises
    ------
    MapError
        If the file is not a map, is truncated, or is of rules for which maps have no keys.
    """
    try:
        with path.open("rb") as file:
            header = _read_header(path, file)
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise MapError(f"map {str(path)!r}: {error.strerror}") from None
    if size != header.n_bytes:
        raise _fault(path, f"has {size:,} bytes, expected {header.n_bytes:,}")
    return header


def _fault(path: Path, text: str) -> MapError:
    return MapError(f"map {str(path)!r} {text}")


def _read_header(path: Path, file: BinaryIO) -> MapHeader:
    if file.read(3) != MAGIC:
        raise _fault(path, "is not a solved map: it does not begin with 'RGU'")
    version = file.read(1)
    if version != bytes((VERSION,)):
        raise _fault(path, f"has version {version!r}, expected {VERSION}")
    length = _int32(path, file, "the length of its metadata", _MAX_METADATA)
    try:
        metadata = json_values(decoded(file.read(length)))
    except (ValueError, RecursionError):  # an InputError is a ValueError
        raise _fault(path, "has metadata that is not JSON") from None
    if not isinstance(metadata, dict):
        raise _fault(path, "has metadata that is not an object")
    value_type = metadata.get("value_type", "percent16")
    if not isinstance(value_type, str) or value_type not in VALUE_TYPES:
        raise _fault(path, f"has values of {value_type!r:.40}; known: {', '.join(VALUE_TYPES)}")
    try:
        rules = rules_from_settings(metadata.get("game_settings"))
    except RecordError as error:
        raise _fault(path, f"has unknown rules: {error}") from None
    expected = MapKeys(rules).n_maps
    n_maps = _int32(path, file, "its number of maps", _MAX_MAPS)
    if n_maps != expected:
        raise _fault(path, f"holds {n_maps} maps, expected {expected} by its rules")
    entries = tuple(_int32(path, file, "a map's entries", 1 << 31) for _ in range(n_maps))
    return MapHeader(path, rules, value_type, metadata, entries, file.tell())


def _int32(path: Path, file: BinaryIO, name: str, most: int) -> int:
    content = file.read(4)
    value = int.from_bytes(content, "big", signed=True)
    if len(content) < 4 or not 0 <= value <= most:
        raise _fault(path, f"gives {value if len(content) == 4 else 'nothing'} as {name}")
    return value


def read_values(header: MapHeader, values: npt.NDArray[np.float64]) -> None:
    """Fill `values` with the values of a map.

    Parameters
    ----------
    header : MapHeader
    values : float64, shape (positions,), OUT
        By rank. The caller decides whether the array is in memory or, as `numpy.memmap`, in a
        file.

    Raises
    ------
    MapError
        If keys do not ascend, are not those of positions of the rules, or are missing, or if a
        value is not a probability.
    """
    keys = MapKeys(header.rules)
    n_read = 0
    with header.path.open("rb") as file:
        scale = _scale(header, keys, file)
        for chunk, stored in _entries(header, file):
            states = keys.decode(chunk)
            with np.errstate(invalid="ignore"):  # a signalling NaN is refused below, as any NaN is
                found = stored.astype(np.float64) / scale
            if not (found.min() >= 0 and found.max() <= 1 + _PROBABILITY_SLACK):
                raise _fault(header.path, f"has values from {found.min()} to {found.max()}")
            ranks = keys.space.rank_states(states)
            is_won = keys.is_won(states)
            is_bad = (ranks < 0) != is_won
            if is_bad.any():
                bad = int(chunk[np.argmax(is_bad)])
                raise _fault(header.path, f"has the key {bad}, which its rules do not have")
            if (np.abs(found[is_won] - 1) > _PROBABILITY_SLACK).any():
                raise _fault(header.path, "has a won position whose value is not 1")
            values[ranks[~is_won]] = np.minimum(found[~is_won], 1.0)
            n_read += int((~is_won).sum())
    # Keys ascend and no two have the same rank, so that none is missing if the count is right.
    if n_read != len(values):
        raise _fault(header.path, f"holds {n_read:,} of {len(values):,} positions")


def block_results(rules: RuleSet, values: npt.NDArray[np.float64]) -> Iterator[BlockResult]:
    """The values of all positions as blocks for a table, each with its residual.

    Parameters
    ----------
    rules : RuleSet
    values : float64, shape (positions,)
        By rank.
    """
    space = space_of(rules)
    kernel, stored = kernel_of(space), ArrayBlocks(space, values)
    for block in space.blocks:
        begin = time.perf_counter()
        own = stored.values_of(block.index)
        yield BlockResult(
            index=block.index,
            values=own,
            residual=kernel.block_residual(block, own, stored),
            sweeps=0,
            seconds=time.perf_counter() - begin,
        )


def _entries(header: MapHeader, file: BinaryIO) -> Iterator[tuple[npt.NDArray[np.int64], Any]]:
    """Arrays of keys, with their map's number as upper bits, and of the stored values."""
    dtype = VALUE_TYPES[header.value_type]
    first = 0
    for number, entries in enumerate(header.entries):
        last = -1
        for at in range(0, entries, _CHUNK):
            count = min(_CHUNK, entries - at)
            chunk = _read(file, header.keys_offset + 4 * (first + at), _KEY, count)
            keys = chunk.astype(np.int64)
            if keys[0] <= last or (np.diff(keys) <= 0).any():
                raise _fault(header.path, f"has keys that do not ascend, after {last}")
            last = int(keys[-1])
            place = header.values_offset + dtype.itemsize * (first + at)
            yield keys | number << 32, _read(file, place, dtype, count)
        first += entries


def _read(file: BinaryIO, offset: int, dtype: np.dtype[Any], count: int) -> npt.NDArray[Any]:
    file.seek(offset)
    return np.frombuffer(file.read(count * dtype.itemsize), dtype=dtype)


def _scale(header: MapHeader, keys: MapKeys, file: BinaryIO) -> float:
    """The number that a value of 1 is stored as."""
    if header.value_type == "percent16":
        return _SCALE
    # The lowest key is that of a won position: light has no piece left, dark has one.
    if not header.entries[0]:
        raise _fault(header.path, "has no entries")
    first = _read(file, header.keys_offset, _KEY, 1).astype(np.int64)
    stored = float(_read(file, header.values_offset, VALUE_TYPES[header.value_type], 1)[0])
    if not keys.is_won(keys.decode(first))[0] or stored not in (1.0, 100.0):
        raise _fault(
            header.path, f"begins with the key {first[0]} and value {stored}, not a won position"
        )
    return stored


def write_map(
    path: Path, values: Values, value_type: str = "percent16", author: str | None = None
) -> int:
    """Write a table as a map.

    Parameters
    ----------
    path : Path
        An existing file is replaced once the map is complete.
    values : Values
        Those of a table.
    value_type : str
        One of `VALUE_TYPES`.
    author : str, optional
        For the metadata.

    Returns
    -------
    int
        The number of entries of the map.

    Raises
    ------
    MapError
        If the rule set has no maps.
    OutputError
        If the file cannot be written.
    """
    rules = values.rules
    try:
        settings = settings_of(rules)
    except RuleSetError as error:
        raise MapError(str(error).partition(";")[0]) from None
    keys = MapKeys(rules)
    metadata = {"value_type": value_type, **({"author": author} if author else {})}
    head = encoded(
        json.dumps(
            {**metadata, "game_settings": settings}, ensure_ascii=False, separators=(",", ":")
        )
    )
    entries = [0] * keys.n_maps
    with new_file(path) as file:
        file.write(MAGIC + bytes((VERSION,)) + _big(len(head)) + head + _big(keys.n_maps))
        counts_offset = file.tell()
        file.write(bytes(4 * keys.n_maps))
        keys_offset = file.tell()
        for found in keys.all_keys():
            upper, count = np.unique(found >> 32, return_counts=True)
            for number, n_keys in zip(upper.tolist(), count.tolist(), strict=True):
                entries[number] += n_keys
            file.write((found & 0xFFFFFFFF).astype(_KEY).tobytes())
        header = MapHeader(path, rules, value_type, metadata, tuple(entries), keys_offset)
        for chunk, _ in _entries(header, file):
            file.seek(0, os.SEEK_END)
            file.write(_stored_values(keys, chunk, values, value_type))
        file.seek(counts_offset)
        file.write(b"".join(map(_big, entries)))
    return sum(entries)


def _big(value: int) -> bytes:
    return value.to_bytes(4, "big")


def _stored_values(
    keys: MapKeys, chunk: npt.NDArray[np.int64], values: Values, value_type: str
) -> bytes:
    states = keys.decode(chunk)
    is_open = ~keys.is_won(states)
    found = np.ones(len(chunk))
    found[is_open] = values.state_values(states[is_open])
    if value_type == "percent16":
        found = np.rint(found * _SCALE)
    return found.astype(VALUE_TYPES[value_type]).tobytes()
