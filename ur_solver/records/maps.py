"""RoyalUr's solved maps (``.rgu``), read into the blocks of a table and written from a table.

A key stands for a position with light to throw, or for the mirror of one with dark to throw. From
the lowest bit upwards it holds

    dark's private squares     one bit each, by column from the left
    the shared squares         in segments, the last one lowest
    light's private squares    one bit each, by column from the left
    dark's home count          3 bits
    light's home count         3 bits

The shared squares are ordered by column, and within a column by row A, B, C. They are divided into
equal segments of at most 8 squares: one of 8 on the path bell, two of 6 on the paths masters and
aseb. A segment is a number in base 4 whose most significant digit is its first square: 0 empty, 1
dark, 2 light. The key holds the rank of that number among those with at most N pieces a side, in
as many bits as the largest rank needs.

A map has a key for every position that is not over, and for those that light has won. Keys of more
than 32 bits are split: the upper bits are the number of the map, the lower 32 are stored.

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

import itertools
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import Values
from ur_solver.blocks.folder import BlockRecord, BlockResult
from ur_solver.common.files import new_file
from ur_solver.common.text import decoded, dumped, json_values
from ur_solver.errors import MapError, RecordError, RuleSetError
from ur_solver.kernel.interface import ArrayBlocks
from ur_solver.kernel.kernels import kernel_of
from ur_solver.records import rules_from_settings, rules_word, settings_of
from ur_solver.rules import RuleSet
from ur_solver.rules.contents import DARK, LIGHT
from ur_solver.space import positions_of, space_of

Keys = npt.NDArray[np.int64]

_MAX_SEGMENT = 8
_HOME_BITS = 3
_CONTENTS = ("", DARK, LIGHT)
"""Of a shared square; the index here is the digit."""


class MapKeys:
    """The keys of one rule set's map.

    MapError if the path visits a square twice, or there are more than 7 pieces, since such rule
    sets have no maps.
    """

    def __init__(self, rules: RuleSet) -> None:
        if rules.path.second_leg < len(rules.path):
            raise MapError(
                f"{rules.name}: RoyalUr's maps have no keys for the path {rules.path.name!r}, "
                "which visits a square twice"
            )
        if rules.pieces >= 1 << _HOME_BITS:
            raise MapError(
                f"{rules.word}: RoyalUr's maps have keys for at most {(1 << _HOME_BITS) - 1} pieces"
            )
        self.rules = rules
        self.space = space = positions_of(rules)
        by_column = sorted(rules.board.squares, key=lambda square: (int(square[1:]), square[0]))
        cell = {square: k for k, square in enumerate(rules.board.squares)}
        light, dark = set(rules.path.light), set(rules.path.dark)
        self._light_cells = [cell[square] for square in by_column if square in light - dark]
        self._dark_cells = [cell[square] for square in by_column if square in dark - light]
        shared = [cell[square] for square in by_column if square in light & dark]
        self._number_of = {
            at: np.array([space.content_numbers[at][held] for held in _CONTENTS]) for at in shared
        }
        self._mine = np.array([numbers.get(LIGHT, -1) for numbers in space.content_numbers])
        self._theirs = np.array([numbers.get(DARK, -1) for numbers in space.content_numbers])
        n_segments = -(-len(shared) // _MAX_SEGMENT)
        length = -(-len(shared) // n_segments)
        self._segments = [shared[at : at + length] for at in range(0, len(shared), length)]
        self._raw = _segment_numbers(length, rules.pieces)
        self._segment_bits = int(len(self._raw) - 1).bit_length()
        self._shared_bits = len(self._segments) * self._segment_bits
        self._light_shift = len(self._dark_cells) + self._shared_bits
        self._dark_home_shift = self._light_shift + len(self._light_cells)
        self._light_home_shift = self._dark_home_shift + _HOME_BITS

    @property
    def n_maps(self) -> int:
        """The number of maps into which the keys are split."""
        return (self.rules.pieces << self._light_home_shift >> 32) + 1

    def decode(self, keys: Keys) -> npt.NDArray[np.uint16]:
        """The states of keys: uint16, shape (n, `Space.state_width`).

        They are seen by the side to throw, which keys call light. MapError if a segment of a key is
        out of range, or the key has too many bits.
        """
        states = np.zeros((len(keys), self.space.state_width), dtype=self.space.state_dtype)
        for bit, cell in enumerate(self._dark_cells):
            states[:, cell] = (keys >> bit & 1) * self._theirs[cell]
        mask = (1 << self._segment_bits) - 1
        for k, cells in enumerate(self._segments):
            shift = len(self._dark_cells) + (len(self._segments) - 1 - k) * self._segment_bits
            rank = keys >> shift & mask
            if len(rank) and rank.max() >= len(self._raw):
                bad = int(keys[np.argmax(rank)])
                most = len(self._raw)
                raise MapError(f"key {bad}: its segment {k} is {rank.max()}, not below {most}")
            raw = self._raw[rank]
            for at, cell in enumerate(cells):
                digit = raw >> 2 * (len(cells) - 1 - at) & 3
                states[:, cell] = self._number_of[cell][digit]
        for bit, cell in enumerate(self._light_cells):
            states[:, cell] = (keys >> (self._light_shift + bit) & 1) * self._mine[cell]
        states[:, -1] = keys >> self._dark_home_shift & 7
        states[:, -2] = keys >> self._light_home_shift & 7
        if len(keys) and keys.max() >> self._light_home_shift + _HOME_BITS:
            raise MapError(f"key {int(keys.max())} has more bits than the rule set's keys")
        return states

    def is_won(self, states: npt.NDArray[np.uint16]) -> npt.NDArray[np.bool_]:
        """Whether the side to throw has borne off all its pieces: bool, shape (n,)."""
        is_won: npt.NDArray[np.bool_] = (states[:, -2] == 0) & ~(states[:, :-2] == self._mine).any(
            axis=1
        )
        return is_won

    @cached_property
    def _shared_counts(self) -> tuple[Keys, npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        """All fillings of the shared squares, ascending: their bits, light's and dark's pieces."""
        width = 2 * len(self._segments[0])
        digits = self._raw[:, None] >> np.arange(0, width, 2) & 3
        light = (digits == 2).sum(axis=1).astype(np.int8)
        dark = (digits == 1).sum(axis=1).astype(np.int8)
        bits = np.arange(len(self._raw), dtype=np.int64)
        all_bits, all_light, all_dark = bits, light, dark
        for _ in self._segments[1:]:
            all_bits = (all_bits[:, None] << self._segment_bits | bits).ravel()
            all_light = (all_light[:, None] + light).ravel()
            all_dark = (all_dark[:, None] + dark).ravel()
        return all_bits, all_light, all_dark

    def all_keys(self) -> Iterator[Keys]:
        """All keys of the map, ascending, in arrays of at most some ten million."""
        pieces, n_dark = self.rules.pieces, len(self._dark_cells)
        bits, light_on, dark_on = self._shared_counts
        dark_masks = np.arange(1 << n_dark, dtype=np.int64)
        dark_count = np.bitwise_count(dark_masks)
        homes = itertools.product(range(pieces + 1), repeat=2)
        for light_home, dark_home in homes:
            head = light_home << self._light_home_shift | dark_home << self._dark_home_shift
            for light_mask in range(1 << len(self._light_cells)):
                light_rest = pieces - light_home - light_mask.bit_count()
                if light_rest < 0:
                    continue
                fits = (light_on <= light_rest) & (dark_on <= pieces - dark_home)
                rest = pieces - dark_home - dark_on[fits]
                base = (head | light_mask << self._light_shift) + (bits[fits] << n_dark)
                # Keys ascend by the filling of the shared squares, then by dark's squares.
                is_key = dark_count <= rest[:, None]
                if dark_home == 0:
                    # Where dark has no piece left it has won, and light does not throw.
                    is_key[:, 0] &= dark_on[fits] > 0
                row, mask = np.nonzero(is_key)
                if len(row):
                    yield base[row] | dark_masks[mask]


def _segment_numbers(length: int, pieces: int) -> npt.NDArray[np.int64]:
    """The base-4 numbers of a segment with at most `pieces` pieces a side, ascending."""
    digits = np.array(list(itertools.product(range(3), repeat=length)), dtype=np.int64)
    fits = ((digits == 1).sum(axis=1) <= pieces) & ((digits == 2).sum(axis=1) <= pieces)
    weights = 4 ** np.arange(length - 1, -1, -1, dtype=np.int64)
    numbers: npt.NDArray[np.int64] = digits[fits] @ weights
    return numbers


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
    """The part of a file before the keys."""

    path: Path
    rules: RuleSet
    value_type: str
    metadata: dict[str, Any]  # as it was read
    entries: tuple[int, ...]  # the number of entries of each map
    keys_offset: int  # the byte of the file at which the keys begin

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

    MapError if the file is not a map, is truncated, or is of rules for which maps have no keys.
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
    """Fill `values`, float64 by rank, with those of a map.

    The array may be in a file (`numpy.memmap`). MapError if keys do not ascend, are not those of
    positions of the rules, or are missing, or if a value is not a probability.
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
    """The values of all positions, by rank, as blocks for a table, each with its residual."""
    space = space_of(rules)
    kernel, stored = kernel_of(space), ArrayBlocks(space, values)
    for block in space.blocks:
        begin = time.perf_counter()
        own = stored.values_of(block.index)
        residual = kernel.block_residual(block, own, stored)
        record = BlockRecord(block.index, residual, sweeps=0, seconds=time.perf_counter() - begin)
        yield BlockResult(record, own)


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


def settings_and_keys(rules: RuleSet) -> tuple[dict[str, Any], MapKeys]:
    """RoyalUr's settings for a rule set, and the keys of its map; MapError if it has no map."""
    try:
        return settings_of(rules), MapKeys(rules)
    except (RuleSetError, MapError) as error:
        reason = str(error).partition(";")[0]
        raise MapError(
            f"{rules_word(rules)} has no map in RoyalUr's format: {reason}; --parquet, --arrow and "
            "--npy export any table"
        ) from None


def write_map(
    path: Path, values: Values, value_type: str = "percent16", author: str | None = None
) -> int:
    """Write a table as a map, and return the number of its entries.

    An existing file is replaced once the map is complete; `author` is for the metadata. MapError if
    the rule set has no maps; OutputError if the file cannot be written.
    """
    rules = values.rules
    settings, keys = settings_and_keys(rules)
    metadata = {"value_type": value_type, **({"author": author} if author else {})}
    head = dumped({**metadata, "game_settings": settings})
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
