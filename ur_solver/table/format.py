"""The file format of solution tables.

A table is an HDF5 file (suffix ``.h5``), which any HDF5 program can open. Its values are compressed
by the Bitshuffle filter with LZ4 (registered as 32008). This program has it built in
(`ur_solver.table.hdf5`); other programs that use HDF5 find it in the package `hdf5plugin`: h5py
once that is imported, HDFView by ``HDF5_PLUGIN_PATH=hdf5plugin.PLUGIN_PATH``.

    /            attributes, all scalar; texts are ASCII of fixed length
        format       text     "ur-solver table"
        version      int64    of this specification: 3, 4 for a part of a game, 5 for a table
                              with `level_errors`; 6 where pieces have numbers; 7 of the race
                              family, of paths that end where they begin and of those with more
                              than four safe squares at their end; 8 with an `objective`
        rules        text     the rule set as JSON, as `RuleSet.to_json` writes it
        value_type   text     "float64", "float32" or "uint16"
        tolerance    float64  how far a value may be off as the solver estimates it: the
                              tolerance solved to, plus the rounding to the value type
        residual     float64  the largest residual of the blocks
        error        float64  how far a value is proven to be off at most: the largest error
                              of the blocks; NaN if nothing is proven
        positions    int64    the number of values that the table holds
        cut_error    float64  with stakes, how far the cut after the last level of fines may
                              change a value (see `ur_solver.space.stakes`)
        cut_growth   float64  with stakes, by how much more for each fine past that level
        level_errors text     with stakes, where they are proven: how far a value is off at most
                              at each number of fines, that cut included, as a JSON list
        objective    text     only if values are lengths of games, not chances of winning:
                              "length" under best play, "length-max" of the longest game
        seconds      float64  the duration of the solve, or of its last run if it was resumed
        made         text     when it was finished, ISO 8601, UTC
        program      text     the version of the program that made it
        digest       text     SHA-256, hexadecimal, over all of the above but itself, over
                              `blocks` and over `checksums` (see `digest`)
    /blocks      compound, shape (blocks,): a row for each block that the table holds, in the
                 order of the state space; `BLOCK_DTYPE` names the fields. Those are all
                 blocks or, from version 4 on, all or some of them, with each block all that its
                 moves lead to. Ranks are those of the whole space. `error` is proven of the
                 values as they are read back, which includes the rounding to the value type
    /values      value type, shape (chunks * chunk length,): the win probability of the side
                 about to throw, by rank; with stakes, the values that `ur_solver.space.stakes`
                 names for each position, with money in the unit given there; with an
                 `objective`, the expected number of throws to come (docs/length.md), and what
                 is said of errors holds in throws. Every block
                 begins a chunk. The rest of its last chunk is padding without
                 meaning. uint16 holds round(65535 v).
    /checksums   uint32, shape (chunks,): CRC-32 of each chunk's values, little endian, before
                 compression and without padding

Every dataset, and the file, has an attribute `description` besides, and `values` the attributes
`scale` (float64) and `chunk_length` (int64), so that a reader without this program knows
their contents (`descriptions`). They repeat this text; this program does not read them.

All numbers are little endian. docs/file-formats.md defines which position of a rule set a rank
stands for; the file holds no keys.

The filters were chosen by scripts/measure_filters.py. For the float64 values of finkel 5 in chunks
of 32768 values, on one core of a shared machine, it measured:

    filter                  size     write     read of a chunk
    none                    1.00    528 MB/s     50 us
    bitshuffle lz4          0.83    770         125
    the same, fletcher      0.83    652         161
    blosc2 lz4, bits        0.82    522         163
    blosc2 zstd, bytes      0.79    338         178
    blosc2 zstd, bits       0.82    310         180
    shuffle, zstd 1         0.81    377         231
    bitshuffle zstd 1       0.82    224         650
    shuffle, gzip 1         0.80     65         411

The low bits are noise that no filter compresses, so the speed of writing decided.

A flipped bit is detected wherever it matters. HDF5 itself checks its metadata (the file is written
with ``libver="latest"``, whose structures have checksums), `digest` covers the attributes and the
small datasets, and `checksums` covers the values. In addition, a Fletcher-32 filter over the
compressed chunks keeps damaged bytes from the decompressor. A reader must keep forged bytes from it
too (`chunk.decode`). The file gets its name only when it is complete.

Version history

1   The first version. No file of it is read, as positions of every rule set have other numbers
    since then.
2   Adds the attribute `error` and the field `error` of `blocks`: proven bounds. No file of it is
    read either.
3   The positions of rule sets outside the race family, and with stakes, are numbered by tiles.
    Later versions that number positions otherwise name the rule sets (`Space.first_version`);
    files of others are read as they were.
4   Tables that hold a part of the blocks. Whole tables are still written as version 3.
5   Adds the attribute `level_errors`. Tables without it are still written as version 3 or 4.
6   The positions of rule sets whose pieces have numbers (birds) are numbered by tiles that do not
    distinguish these. Tables of them, whole or not, are written as version 6, and earlier ones are
    refused. Nothing changes for other rule sets.
7   The positions of the race family are numbered by tiles as those of all other rule sets are, and
    where a path ends on squares on which it begins, or has more than four safe squares at its end,
    side configs hold its contents. Tables of such rule sets, whole or not, are written as
    version 7, and earlier ones are refused. Nothing changes for other rule sets.
8   Adds the attribute `objective`. Tables of chances and of money, which lack it, are still
    written as the versions above.

A table as a folder: the block files of its solve, and the files that complete it.

Besides the files of `ur_solver.blocks.folder`, the folder of a complete table holds

    table.json       the attributes of `ur_solver.table.format`, among them version and digest
    checksums.bin    the checksums of all chunks, uint32, in the order of ``/checksums``

The manifest has the data of ``/blocks``, and zeros for blocks outside the table. So the digest is
that of the same table in one file, and `ur pack` converts one to the other.
table.json is written last.
"""

from __future__ import annotations

import hashlib
import json
import math
import pathlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.blocks.stored import chunk_length_for, chunks_in
from ur_solver.common.text import json_text
from ur_solver.rules import RuleSet
from ur_solver.space import Part, space_of

FORMAT = "ur-solver table"
ESTIMATOR_FORMAT = "ur-solver estimator"
"""The format of estimators (`ur_solver.estimators.file`), which may lie where a table should."""
VERSION = 8
FIRST_VERSION = 3
_VERSION_OF_LENGTHS = 8
_VERSION_OF_LEVELS = 5
_VERSION_OF_PART = 4
_VERSION_OF_WHOLE = 3

WIN, LENGTH, LONGEST = OBJECTIVES = "win", "length", "length-max"
"""What the values of a table are: chances of winning (or money), or lengths of games."""

MAX_TEXT = 1 << 16
"""The longest text attribute that is read, in bytes."""

BLOCK_DTYPE = np.dtype(
    [
        ("index", "<i4"),
        ("mine", "<i4"),  # side configs of the block's first half, as `Space.configs` counts
        ("theirs", "<i4"),
        ("first_rank", "<i8"),
        ("size", "<i8"),  # in values
        ("first_chunk", "<i8"),
        ("residual", "<f8"),
        ("sweeps", "<i4"),
        ("seconds", "<f8"),
        ("error", "<f8"),
    ]
)

ATTRIBUTES: dict[str, type] = {
    **dict.fromkeys(("rules", "value_type", "made", "program", "digest"), str),
    **dict.fromkeys(("tolerance", "residual", "error", "seconds"), float),
    "positions": int,
    **dict.fromkeys(("cut_error", "cut_growth"), float),
    **dict.fromkeys(("level_errors", "objective"), str),
}
"""The attributes besides format and version, by type."""

OPTIONAL = ("cut_error", "cut_growth", "level_errors", "objective")
"""Those that not all tables have."""

_LAYOUT_FIELDS = ["index", "mine", "theirs", "first_rank", "size", "first_chunk"]


@dataclass(frozen=True)
class Header:
    """The attributes of a table except format, version and digest; see the module's docstring.

    `error` and `level_errors` are None if nothing is proven; `objective` is None for chances of
    winning and for money.
    """

    rules: RuleSet
    value_type: str
    tolerance: float
    residual: float
    error: float | None
    positions: int
    seconds: float
    made: str
    program: str
    cut_error: float | None = None
    cut_growth: float | None = None
    level_errors: tuple[float, ...] | None = None
    objective: str | None = None

    def attributes(self) -> dict[str, str | int | float]:
        """The attributes as they are stored."""
        given = {name: getattr(self, name) for name in self.__annotations__}
        values: dict[str, Any] = {name: each for name, each in given.items() if each is not None}
        values["rules"] = json_text(self.rules.to_json())
        values["error"] = math.nan if self.error is None else self.error
        if self.level_errors is not None:
            values["level_errors"] = json_text(self.level_errors)
        return values


def descriptions(header: Header) -> dict[str, str]:
    """The description of the file and its datasets, for readers without this program."""
    stored = header.rules.payoff.stored
    if header.objective is not None:
        stored = f"the expected number of throws to come (objective {header.objective!r})"
    return {
        "/": "A solved rule set of the Royal Game of Ur, or a part of it: the value of every "
        "position, by rank. The attributes 'rules', 'tolerance' and 'error' say of which rules "
        "(JSON) and how far a value may be off: as estimated, and as proven (NaN if nothing is). "
        "Ranks come from ur_solver, which wrote the file: ur_solver.Table reads it.",
        "values": f"{stored}, before the throw: stored number times the "
        "attribute 'scale'. Block b of /blocks has the ranks from first_rank to first_rank "
        "+ size - 1; the value of rank r in it is at index first_chunk * chunk_length + r - "
        "first_rank. What follows the values of a block up to the next one is padding.",
        "blocks": "The blocks of positions that were solved one after the other; of a part of a "
        "game those that it holds. The number and the first rank in the whole game, the number "
        "of values, the chunk of /values in which they begin, the largest residual (difference "
        "between a value and what its moves are worth), sweeps and seconds of the solve, and how "
        "far a value is proven to be off (NaN if nothing is).",
        "checksums": "CRC-32 of the values of each chunk of /values, little endian, uncompressed, "
        "without padding.",
    }


def version_of(header: Header, n_blocks: int) -> int:
    """The version to write for a table with `n_blocks` blocks."""
    space = space_of(header.rules)
    version = _VERSION_OF_WHOLE if n_blocks == len(space.blocks) else _VERSION_OF_PART
    if header.level_errors is not None:
        version = _VERSION_OF_LEVELS
    if header.objective is not None:
        version = _VERSION_OF_LENGTHS
    return max(space.first_version, version)


def holds_all(version: int) -> bool:
    """Whether all tables of a version have all blocks."""
    return version <= _VERSION_OF_WHOLE


def empty_blocks(part: Part, chunk_length: int) -> npt.NDArray[Any]:
    """The rows of ``/blocks`` for an unsolved part."""
    rows = np.zeros(len(part.indices), BLOCK_DTYPE)
    rows["error"] = np.nan
    first_chunk = 0
    for row, block in zip(rows, part.blocks, strict=True):
        half = block.halves[0]
        place = (block.index, half.mine, half.theirs, block.offset, block.size, first_chunk)
        for name, value in zip(_LAYOUT_FIELDS, place, strict=True):
            row[name] = value
        first_chunk += chunks_in(block.size, chunk_length)
    return rows


def is_laid_out_alike(blocks: npt.NDArray[Any], expected: npt.NDArray[Any]) -> bool:
    """Whether two tables of blocks divide the values in the same way."""
    return all(np.array_equal(blocks[name], expected[name]) for name in _LAYOUT_FIELDS)


def n_chunks(blocks: npt.NDArray[Any], chunk_length: int) -> int:
    """The number of chunks that all of `blocks` take."""
    last = blocks[-1]
    return int(last["first_chunk"]) + chunks_in(int(last["size"]), chunk_length)


def table_error(blocks: npt.NDArray[Any]) -> float | None:
    """The largest error of the blocks; None unless all of them are proven."""
    largest = float(blocks["error"].max())  # NaN if any of them is
    return None if math.isnan(largest) else largest


def sealed(
    header: Header, blocks: npt.NDArray[Any], checksums: npt.NDArray[np.uint32]
) -> dict[str, str | int | float]:
    """The attributes of a table with its version and its digest."""
    attributes, version = header.attributes(), version_of(header, len(blocks))
    whole = digest(attributes, blocks, checksums, version)
    return attributes | {"version": version, "digest": whole}


def digest(
    attributes: dict[str, Any],
    blocks: npt.NDArray[Any],
    checksums: npt.NDArray[np.uint32],
    version: int,
) -> str:
    """SHA-256 over a table's attributes (as sorted JSON), its blocks and its checksums."""
    whole_head = {"format": FORMAT, "version": version} | attributes
    # hashed, not written: an error that is not proven is NaN in it
    text = json.dumps(whole_head, sort_keys=True)  # noqa: TID251
    whole = hashlib.sha256(text.encode())
    whole.update(blocks.tobytes())
    whole.update(checksums.tobytes())
    return whole.hexdigest()


TABLE, CHECKSUMS = "table.json", "checksums.bin"
_FILE_SUFFIXES = (".h5", ".hdf5")


def is_folder_name(path: pathlib.Path) -> bool:
    """Whether a table of this name is a folder: it has no suffix of a table file."""
    return path.suffix.lower() not in _FILE_SUFFIXES


def disk_bytes(path: pathlib.Path) -> int:
    """The bytes of a file, or of all files of a folder."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(each.stat().st_size for each in files if each.is_file())


def blocks_of_rows(part: Part, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The records of a part's blocks in a manifest, as the rows of ``/blocks``."""
    blocks = empty_blocks(part, chunk_length_for(part.space))
    for name in ("residual", "sweeps", "seconds", "error"):
        blocks[name] = rows[name][blocks["index"]]
    return blocks
