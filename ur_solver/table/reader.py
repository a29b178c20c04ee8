"""Reading a table: one value, many values, a block, or the header."""

from __future__ import annotations

import bisect
import os
import pathlib
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache, partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ur_solver.blocks.stored import VALUE_TYPES, Possible, checksum, chunks_in
from ur_solver.common.files import Closing, path_text
from ur_solver.common.machine import free_memory, usable_processors
from ur_solver.common.progress import Form, Progress, is_watched, shown_progress
from ur_solver.errors import (
    BeyondTableError,
    ClosedTableError,
    IllegalPositionError,
    ObjectiveError,
    UrError,
)
from ur_solver.rules import Position, RuleSet
from ur_solver.space import Part, Space
from ur_solver.table.format import WIN, Header, disk_bytes
from ur_solver.table.hdf5 import Contents, Hdf5Source, damaged


class Source(Protocol):
    """An open table."""

    contents: Contents

    def read(self, chunk: int, out: npt.NDArray[Any]) -> None:
        """Decode a chunk into `out`, which may end before its padding; unchecked.

        ValueError if it cannot be decoded.
        """

    def close(self) -> None:
        """Close it."""


def open_source(path: pathlib.Path, objectives: Collection[str]) -> Source:
    """Open a table of either kind, with one of some objectives; raises as `TableFile` does."""
    source: Source
    if os.path.isdir(path):
        from ur_solver.table.folder_source import FolderSource  # noqa: PLC0415 - few are folders

        source = FolderSource(path)
    else:
        source = Hdf5Source(path)
    found = source.contents.header.objective or WIN
    if found not in objectives:
        source.close()
        if found == WIN:
            advice = "leave out --objective"
        else:
            advice = f"'ur query', 'ur best' and 'ur verify' read it with --objective {found}"
        raise ObjectiveError(
            f"table {str(path)!r} has the objective {found!r}, not "
            f"{' or '.join(map(repr, objectives))}; {advice}"
        )
    return source


_LONG = 1 << 26
"""The bytes above which there is a bar."""


def load_blocks(load: Callable[[int], object], ends: Sequence[int], progress: Progress) -> None:
    """Load the blocks of a table, each by one call in any thread; the first error stops it.

    `ends` says by block how many values there are up to its end, which `progress` is called with
    when all blocks up to that one are loaded, and their total.
    """
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - 2 ms; a query reads little

    # most of it runs without Python's lock
    with ThreadPoolExecutor(usable_processors()) as pool:
        loads = [pool.submit(load, number) for number in range(len(ends))]
        try:
            for each, end in zip(loads, ends, strict=True):
                each.result()
                progress(end, ends[-1])
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def loading_bar(n_values: int, n_bytes: int) -> AbstractContextManager[Progress]:
    """A bar on a terminal, for tables that take long."""
    form = Form.BAR if n_bytes > _LONG and is_watched() else Form.NONE
    return shown_progress("reading the table", n_values, form, unit="values")


def has_room(n_bytes: int, limit: int | None) -> bool:
    """Whether all values may be kept: within a limit, or else in half of the free memory.

    No more than the cache of chunks may take is kept without asking how much is free.
    """
    if limit is not None:
        return n_bytes <= limit
    return n_bytes <= _CACHED_BYTES or n_bytes < free_memory() / 2


CACHED_CHUNKS, _CACHED_BYTES = 256, 1 << 26
"""The decoded chunks that `TableFile.read_one` caches: 64 MiB of float64."""

_FEW = 64
"""The most values to read through the cache of chunks: a position has some twenty successors."""


class TableFile(Closing):
    """A solution table, open for reading by rank.

    Opening reads and checks everything but the values. A chunk of values is read, and its checksum
    compared, when one of its values is asked for. A table can be used from several threads and,
    after a fork, from several processes. `objectives` says what its values may be: by default
    chances of winning, or money.

    MissingTableError if there is no file; NotATableError if it is no solution table;
    TableVersionError if this program does not read its format version; DamagedTableError if it is
    truncated, incomplete or changed; TableInUseError if another program is writing to it;
    UnregisteredError if its rule set has a family or a square rule that is not registered here;
    ObjectiveError if its values are none of the objectives.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        objectives: Collection[str] = (WIN,),
    ) -> None:
        self.path = pathlib.Path(path_text(path))
        self._objectives = tuple(objectives)
        self._source: Source = open_source(self.path, objectives)
        self.is_closed = False
        contents = self._source.contents
        self.header: Header = contents.header
        self.part: Part = contents.part
        self.space: Space = self.part.space
        self.blocks = contents.blocks
        self.chunk_length: int = contents.chunk_length
        self.digest: str = contents.digest
        self._checksums = contents.checksums
        self._first_ranks: list[int] = self.blocks["first_rank"].tolist()
        self._first_values = np.cumsum(self.blocks["size"]) - self.blocks["size"]
        self._is_whole = self.part.is_whole
        self._first_chunks: list[int] = self.blocks["first_chunk"].tolist()
        self._errors: list[float] = self.blocks["error"].tolist()
        self._kind = VALUE_TYPES[self.header.value_type]
        self._scale = self._kind.scale
        self._possible = Possible(self.space, are_lengths=self.header.objective is not None)
        self._memory: int | None = None
        self._keep_chunks(CACHED_CHUNKS)
        self._flat: npt.NDArray[Any] | None = None
        self._chunks_asked = 0
        self._lock = threading.Lock()
        self._process = os.getpid()

    def __reduce__(self) -> tuple[type[TableFile], tuple[str, tuple[str, ...]]]:
        return TableFile, (str(self.path.absolute()), self._objectives)

    def facts(self) -> dict[str, Any]:
        """What the table says of itself, as JSON values; errors are of the values as stored."""
        header = self.header
        return header.attributes() | {
            "path": str(self.path),
            "rules": header.rules.to_json(),
            "error": header.error,
            "block_errors": None if header.error is None else self.blocks["error"].tolist(),
            "bytes": self.n_bytes,
            "digest": self.digest,
            "is_whole": self.part.is_whole,
            "left": self.part.left,
            "blocks": len(self.blocks),
            "of_blocks": len(self.space.blocks),
            "of_positions": self.space.n_positions,
            "chunks": self.n_chunks,
        }

    @property
    def rules(self) -> RuleSet:
        """The rule set that the table solves."""
        return self.header.rules

    @property
    def n_chunks(self) -> int:
        """The number of chunks that hold the values."""
        return len(self._checksums)

    @property
    def n_bytes(self) -> int:
        """The size of the file, or of all files of a folder."""
        return disk_bytes(self.path)

    @property
    def n_decoded_bytes(self) -> int:
        """The bytes of all decoded values."""
        return self.header.positions * self._kind.dtype.itemsize

    def limit_memory(self, limit: int) -> None:
        """Limit decoded values to `limit` bytes, but at least a chunk.

        Without a limit they take 64 MiB as float64, until the whole table is kept (`read_many`).
        """
        self._memory = limit
        chunk = self.chunk_length * self._kind.dtype.itemsize
        self._keep_chunks(max(1, limit // chunk))

    def _keep_chunks(self, count: int) -> None:
        """Set the number of decoded chunks to cache, and empty the cache."""
        self._n_cached = count
        self._chunk: Callable[[int], npt.NDArray[Any]] = lru_cache(count)(self._load_chunk)

    def is_same(self, other: TableFile) -> bool:
        """Whether another file has the same values and the same header."""
        return self.digest == other.digest

    def close(self) -> None:
        """Close the file; reading from the table afterwards raises ClosedTableError."""
        self._source.close()
        self.is_closed = True
        self._flat = None
        self._keep_chunks(1)

    def holds(self, rank: int) -> bool:
        """Whether the table has the value of a rank."""
        if self._is_whole:
            return 0 <= rank < self.space.n_values
        row = self._row_of(rank)
        return row >= 0 and rank < self._first_ranks[row] + self.part.blocks[row].size

    def holds_position(self, position: Position) -> bool:
        """Whether the table has the value of a position.

        True for one without a rank, as the game is over or it is illegal; such positions need no
        value.
        """
        try:
            return self.holds(self.space.rank(position))
        except IllegalPositionError:
            return True

    def _row_of(self, rank: int) -> int:
        """The row of the last block that begins at a rank or before; -1 if none does."""
        return bisect.bisect_right(self._first_ranks, rank) - 1

    def holds_many(self, ranks: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """For each rank, whether the table has its value."""
        rows = self._rows_of(ranks)
        ends = self.blocks["first_rank"][rows] + self.blocks["size"][rows]
        is_held: npt.NDArray[np.bool_] = (rows >= 0) & (ranks < ends)
        return is_held

    def check_holds(self, rank: int, position: Position | None = None) -> None:
        """Raise BeyondTableError if the table has no value of a rank, with the position."""
        if not self.holds(rank):
            position = position or self.space.unrank(rank)
            raise BeyondTableError(
                f"position {position.notation!r} is beyond table {str(self.path)!r}, which holds "
                f"{self.part.scope} of {self.rules.title}"
            )

    def check_all_held(self, ranks: npt.NDArray[Any]) -> None:
        """Raise BeyondTableError for the first rank, -1 aside, that the table has no value of."""
        if not self._is_whole:
            for rank in ranks[(ranks >= 0) & ~self.holds_many(ranks)]:
                self.check_holds(int(rank))

    def check_whole(self, purpose: str) -> None:
        """Raise BeyondTableError if the table holds a part; `purpose` begins the sentence."""
        if not self._is_whole:
            raise BeyondTableError(
                f"{purpose} takes the whole game, and table {str(self.path)!r} holds "
                f"{self.part.scope} of {self.rules.title}"
            )

    def _rows_of(self, ranks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The row of the block of each rank that the table holds; of others any, or -1."""
        return np.searchsorted(self.blocks["first_rank"], ranks, side="right") - 1

    def read_one(self, rank: int) -> float:
        """The value of a rank, from 0 to `Space.n_values` - 1, in units of `Space.unit`.

        Takes a microsecond if the chunk is in the cache, and some hundred if it is read. IndexError
        if there is no such rank; BeyondTableError if the table holds a part, and the rank is not in
        it; DamagedTableError if its chunk cannot be read or does not match its checksum.
        """
        self._check_rank(rank)
        if self._flat is not None and self._is_whole:
            return self._flat.item(rank) / self._scale  # type: ignore[no-any-return]
        row = self._row_of(rank)
        at = rank - self._first_ranks[row]
        if self._flat is not None:
            stored = self._flat.item(int(self._first_values[row]) + at)
        else:
            chunk, at = divmod(at, self.chunk_length)
            stored = self._chunk(self._first_chunks[row] + chunk).item(at)
        return stored / self._scale  # type: ignore[no-any-return]

    def read_worth(self, rank: int, fines: int) -> float:
        """The value of a rank, with stakes in money; raises as `read_one`.

        Past the fines that the table reaches it is a straight line (`ur_solver.space.stakes`).
        """
        space = self.space
        value = self.read_one(rank) * space.unit
        past = fines - space.reach
        if past <= 0:
            return value
        return value + past * space.fine * self.read_one(space.chance_rank(rank))

    def error_of(self, rank: int) -> float | None:
        """The proven error of a rank's value, which is that of its block; None without a
        certificate.

        IndexError and BeyondTableError as `read_one`.
        """
        self._check_rank(rank)
        if self.header.error is None:
            return None
        return self._errors[self._row_of(rank)]

    def errors_of(self, ranks: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """The errors of many ranks that the table holds, 0 for -1: float64, shape of `ranks`.

        NaN without a certificate.
        """
        return np.where(ranks < 0, 0.0, self.blocks["error"][self._rows_of(ranks)])

    def _check_rank(self, rank: int) -> None:
        if not 0 <= rank < self.space.n_values:
            raise IndexError(f"rank {rank!r}: ranks run from 0 to {self.space.n_values - 1}")
        if not self._is_whole:
            self.check_holds(rank)

    def read_many(self, ranks: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The values of many ranks, an array of any shape; raises as `read_one`.

        Once as many chunks have been read as the table has, the whole table is decoded and kept in
        memory in its value type, if that takes less than half of the free memory, or at most
        `limit_memory`; otherwise as many chunks as fit there. Until then a few values are read as
        `read_one` reads them.
        """
        ranks = np.asarray(ranks)
        if ranks.size == 0:
            return np.empty(ranks.shape)
        if ranks.dtype.kind not in "iu":
            raise IndexError(f"ranks of dtype {ranks.dtype}, expected whole numbers")
        if ranks.min() < 0 or ranks.max() >= self.space.n_values:
            raise IndexError(f"ranks run from 0 to {self.space.n_values - 1}")
        self.check_all_held(ranks.ravel())
        if self._flat is None:
            self._chunks_asked += min(ranks.size, self.n_chunks)
            if self._chunks_asked >= self.n_chunks:
                self._keep_more()
        if self._flat is None:
            flat = ranks.ravel()
            if flat.size <= _FEW:
                values = np.array([self.read_one(rank) for rank in flat.tolist()])
            else:
                values = self._gather(flat)
            return values.reshape(ranks.shape)
        return self._kind.decode(np.take(self._flat, self._places(ranks)))

    def _keep_more(self) -> None:
        """Keep the whole table, or, where there is no room for it, the chunks that there is for."""
        if has_room(self.n_decoded_bytes, self._memory):
            self.load()
        elif self._memory is None and self._n_cached == CACHED_CHUNKS:
            chunk = self.chunk_length * self._kind.dtype.itemsize
            self._keep_chunks(max(CACHED_CHUNKS, free_memory() // 2 // chunk))

    def _places(self, ranks: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The indices of ranks in `_flat`."""
        if self._is_whole:
            return ranks
        rows = self._rows_of(ranks)
        places: npt.NDArray[np.int64] = self._first_values[rows] - self.blocks["first_rank"][rows]
        return ranks + places

    def _gather(self, ranks: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        # One chunk at a time, so that each is decoded once. More than the cache holds would only
        # flush it: they are decoded into one buffer.
        buffer = np.empty(self.chunk_length, dtype=self._kind.dtype)
        rows = self._rows_of(ranks)
        chunk, at = np.divmod(ranks - self.blocks["first_rank"][rows], self.chunk_length)
        chunk += self.blocks["first_chunk"][rows]
        order = np.argsort(chunk, kind="stable")
        values = np.empty(len(ranks))
        wanted, starts = np.unique(chunk[order], return_index=True)
        read = self._chunk
        if len(wanted) > self._n_cached:
            read = partial(self._load_chunk, buffer=buffer)
        for number, members in zip(wanted.tolist(), np.split(order, starts[1:]), strict=True):
            values[members] = self._kind.decode(read(number)[at[members]])
        return values

    def read_block(self, index: int) -> npt.NDArray[np.float64]:
        """The values of a block: float64, shape (block size,), in rank order.

        IndexError if there is no such block, or the table does not hold it; DamagedTableError as
        `read_one`.
        """
        row = bisect.bisect_left(self.part.indices, index)
        if row == len(self.blocks) or self.part.indices[row] != index:
            raise IndexError(
                f"block {index!r}: the table has {len(self.blocks)}, from "
                f"{self.part.indices[0]} to {self.part.indices[-1]}"
            )
        return self._kind.decode(self._load_block(row))

    def read_runs(
        self, first: int, stop: int, size: int
    ) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]]:
        """The ranks from `first` up to `stop` that the table holds, with their values, in order.

        `size` at a time, in the last run fewer. The whole table is not loaded for them.
        """
        ranks, stored, n = [], [], 0
        for row, begin in enumerate(self._first_ranks):
            end = min(stop, begin + int(self.blocks["size"][row]))
            at = max(first, begin)
            while at < end:
                step = min(size - n, end - at)
                ranks.append(np.arange(at, at + step))
                stored.append(self._run(row, at - begin, step))
                at, n = at + step, n + step
                if n == size:
                    yield np.concatenate(ranks), self._kind.decode(np.concatenate(stored))
                    ranks, stored, n = [], [], 0
        if n:
            yield np.concatenate(ranks), self._kind.decode(np.concatenate(stored))

    def _run(self, row: int, first: int, n: int) -> npt.NDArray[Any]:
        """The `n` stored numbers of a block from its number `first` on."""
        if self._flat is not None:
            at = int(self._first_values[row]) + first
            return self._flat[at : at + n]
        pieces = []
        for chunk in range(first // self.chunk_length, chunks_in(first + n, self.chunk_length)):
            begin = chunk * self.chunk_length
            stored = self._chunk(self._first_chunks[row] + chunk)
            pieces.append(stored[max(0, first - begin) : first + n - begin])
        return np.concatenate(pieces)

    def load(self, progress: Progress | None = None) -> npt.NDArray[Any]:
        """Decode, check and keep the whole table: its stored numbers, value type, shape
        (positions,).

        They are in order of blocks, which in a whole table is by rank, and must not be changed;
        uint16 holds round(65535 v). `progress` is called with the values that are read and their
        total; by default there is a bar, if standard error is a terminal and it takes longer than
        two seconds. DamagedTableError as `read_one`.
        """
        with self._process_lock():
            if self._flat is None:
                self._keep_chunks(1)  # all of them are in what is read now
                flat = np.empty(self.header.positions, dtype=self._kind.dtype)
                parts = np.split(flat, self._first_values[1:])
                ends = [*self._first_values[1:].tolist(), len(flat)]
                bar = loading_bar(len(flat), self.n_decoded_bytes)
                with nullcontext(progress) if progress else bar as shown:
                    load_blocks(lambda row: self._load_block(row, parts[row]), ends, shown)
                self._flat = flat
            return self._flat

    def _process_lock(self) -> threading.Lock:
        # A fork copies a lock in the state that another thread has left it in. The child does not
        # have that thread, so it starts with a new lock.
        if self._process != os.getpid():
            self._process = os.getpid()
            self._lock = threading.Lock()
        return self._lock

    def _load_block(self, row: int, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
        block = self.blocks[row]
        size, first = int(block["size"]), int(block["first_chunk"])
        if out is None:
            out = np.empty(size, dtype=self._kind.dtype)
        for k in range(chunks_in(size, self.chunk_length)):
            self._read(first + k, out[k * self.chunk_length : (k + 1) * self.chunk_length])
        return out

    def _load_chunk(self, chunk: int, buffer: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
        row, before = self._place_of(chunk)
        size = min(self.chunk_length, int(self.blocks[row]["size"]) - before)
        stored = np.empty(size, self._kind.dtype) if buffer is None else buffer[:size]
        self._read(chunk, stored)
        return stored

    def _read(self, chunk: int, out: npt.NDArray[Any]) -> None:
        """Decode a chunk into `out`, which may end before its padding, and check it."""
        if self.is_closed:
            raise ClosedTableError(f"table {str(self.path)!r} is closed: open it again to ask it")
        try:
            self._source.read(chunk, out)
        except ValueError:
            raise self._fault(chunk, "cannot be decoded") from None
        if checksum(out) != self._checksums[chunk]:
            raise self._fault(chunk, "fail their checksum")
        at = self._possible.fault(out, self._place_of(chunk)[1])
        if at is not None:
            fault = f"have {out.item(at)!r} there, which is not {self._possible.noun}"
            raise self._fault(chunk, fault, at)

    def _place_of(self, chunk: int) -> tuple[int, int]:
        """The row of a chunk's block, and where in the block it begins."""
        row = bisect.bisect_right(self._first_chunks, chunk) - 1
        return row, (chunk - self._first_chunks[row]) * self.chunk_length

    def _fault(self, chunk: int, fault: str, at: int = 0) -> UrError:
        row, first = self._place_of(chunk)
        position = self.space.unrank(self._first_ranks[row] + first + at)
        return damaged(
            self.path,
            f"the values of chunk {chunk}, in block {self.part.indices[row]}, from position "
            f"{position.notation!r} on, {fault}",
        )
