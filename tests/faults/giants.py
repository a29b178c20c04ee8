"""Files that claim or hold far more than fits into memory, given to commands with little of it."""

from __future__ import annotations

import json
import pathlib
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable

import h5py

from tests.faults.solves import is_one_sentence
from tests.faults.strangers import CORPUS
from tests.faults.tally import Tally

MEMORY = 2 << 30
"""The address space of a command; its libraries take some 200 MB."""

TIMEOUT = 300


def _sparse(path: pathlib.Path, head: bytes = b"", size: int = 1 << 30) -> None:
    with path.open("wb") as file:
        file.write(head)
        file.truncate(size)


def _huge_attribute(path: pathlib.Path) -> None:
    # HDF5 limits attributes to 64 KiB, but the size of their type can claim more
    with h5py.File(path, "r+") as file:
        del file.attrs["rules"]
        huge = h5py.h5t.C_S1.copy()
        huge.set_size(1 << 31)
        space = h5py.h5s.create(h5py.h5s.NULL)
        h5py.h5a.create(file.id, b"rules", huge, space)


def _huge_dataset(name: str) -> Callable[[pathlib.Path], None]:
    def make(path: pathlib.Path) -> None:
        with h5py.File(path, "r+") as file:
            dtype = file[name].dtype
            del file[name]
            file.create_dataset(name, (1 << 60,), dtype, chunks=(1 << 15,))

    return make


def _huge_map(entries: int, size: int) -> Callable[[pathlib.Path], None]:
    def make(path: pathlib.Path) -> None:
        content = path.read_bytes()
        length = int.from_bytes(content[4:8], "big")
        at = 8 + length + 4
        path.write_bytes(content[:at] + (entries & 0xFFFFFFFF).to_bytes(4, "big"))
        with path.open("r+b") as file:
            file.truncate(size or at + 4 + 8 * entries)

    return make


def _written(content: bytes) -> Callable[[pathlib.Path], None]:
    def make(path: pathlib.Path) -> None:
        path.write_bytes(content)

    return make


_DEEP = b"[" * 1000 + b"]" * 1000
_TABLE, _MAP = "tables/finkel-1.h5", "maps/finkel-1-f32.rgu"
_RULES = json.dumps({"name": "x", "path": "bell", "dice": "4-binary", "pieces": 1})
_START = "....__../......../....__.. L 1 1"

_AUDIT = ["audit", "{table}", "{file}"]
_QUERY = ["query", "{file}", _START]
_IMPORT = ["import", "{file}", "-o", "{file}.h5"]

GIANTS: dict[str, tuple[list[str], str, str | None, Callable[[pathlib.Path], None]]] = {
    "a record of a gigabyte": (_AUDIT, ".rgn", None, _sparse),
    "a JSON record of a gigabyte": (_AUDIT, ".json", None, lambda p: _sparse(p, b'{"a": [')),
    "ten million lines of '{'": (_AUDIT, ".jsonl", None, _written(b"{\n" * 10_000_000)),
    "a record a thousand levels deep": (_AUDIT, ".json", None, _written(b'{"a":' + _DEEP + b"}")),
    "a record a million levels deep": (_AUDIT, ".json", None, _written(b'{"a":' + b"[" * 10**6)),
    "rules of a gigabyte": (["rules", "{file}"], ".json", None, _sparse),
    "rules a thousand levels deep": (["rules", "{file}"], ".json", None, _written(_DEEP)),
    "rules with a chance of 1e-999999999": (
        ["rules", "{file}"],
        ".json",
        None,
        _written(
            _RULES.replace('"4-binary"', '{"name": "x", "throws": {"1": "1e-999999999"}}').encode()
        ),
    ),
    "a table that is a gigabyte of nothing": (_QUERY, ".h5", None, _sparse),
    "an attribute of a type of 2^31 bytes": (_QUERY, ".h5", _TABLE, _huge_attribute),
    "values of 2^60 entries": (_QUERY, ".h5", _TABLE, _huge_dataset("values")),
    "blocks of 2^60 entries": (_QUERY, ".h5", _TABLE, _huge_dataset("blocks")),
    "checksums of 2^60 entries": (_QUERY, ".h5", _TABLE, _huge_dataset("checksums")),
    "a map that claims 2^31 - 1 entries": (_IMPORT, ".rgu", _MAP, _huge_map((1 << 31) - 1, 4000)),
    "a map that claims 2^31 entries": (_IMPORT, ".rgu", _MAP, _huge_map(1 << 31, 4000)),
    "a map of 2^31 - 1 entries, all there": (_IMPORT, ".rgu", _MAP, _huge_map((1 << 31) - 1, 0)),
    "a map of 2^20 zeros": (_IMPORT, ".rgu", _MAP, _huge_map(1 << 20, 0)),
}
"""By description: the command, the file's suffix, the corpus file to begin from, and the maker."""


def giant(folder: pathlib.Path, name: str, tally: Tally) -> None:
    """Give a giant to its command, which must refuse it with one sentence, in time and memory."""
    command, suffix, seed, make = GIANTS[name]
    path = folder / f"giant{suffix}"
    if seed is not None:
        shutil.copy(CORPUS / seed, path)
    make(path)
    words = [word.format(file=path, table=CORPUS / _TABLE) for word in command]
    try:
        result = subprocess.run(
            [sys.executable, "-m", "ur_solver", *words],
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        )
    except subprocess.TimeoutExpired:
        tally.count(case=f"{name}: no end after {TIMEOUT} s")
        return
    finally:
        path.unlink()
    last = result.stderr.strip().rpartition("\n")[2]
    is_clear = result.returncode in (1, 2) and is_one_sentence(last)
    is_clear = is_clear and "Traceback" not in result.stderr and "enough memory" not in last
    tally.count(detected=is_clear, case=f"{name}: {result.returncode}: {result.stderr[-300:]}")


def giants(folder: pathlib.Path) -> Tally:
    """Try all of `GIANTS`."""
    tally = Tally(
        "files that claim or hold far more than fits into memory, commands limited to 2 GiB"
    )
    for name in GIANTS:
        giant(folder, name, tally)
    return tally
