"""Several tables of gigabytes, served by one process within the memory that it was given."""

from __future__ import annotations

import http.client
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

from tests.serve.conftest import position_path
from ur_solver.blocks.folder import BlockRecord, BlockResult
from ur_solver.rules import named_rules
from ur_solver.space import space_of
from ur_solver.table.reader import TableFile
from ur_solver.table.writer import write_table

pytestmark = pytest.mark.slow

RULES = named_rules("finkel")
TABLES, MEMORY, POSITIONS = 3, 64 << 20, 40

SLACK = 48 << 20
"""What answering itself takes: answers that are kept, buffers, chunks that are being decoded."""


@pytest.fixture
def paths(tmp_path):
    """Tables of as many values as finkel has, all alike, so that they take little disk."""
    space = space_of(RULES)
    same = np.full(max(block.size for block in space.blocks), 0.5)
    results = (
        BlockResult(BlockRecord(block.index, 0.0, 1, 0.5), same[: block.size])
        for block in space.blocks
    )
    first = tmp_path / "table-0.h5"
    write_table(first, RULES, results, tolerance=1e-12, seconds=1.0)
    others = [tmp_path / f"table-{k}.h5" for k in range(1, TABLES)]
    for path in others:
        os.link(first, path)
    return [first, *others]


def peak(pid: int) -> int:
    """The most memory that a process has had, in bytes."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) << 10


@pytest.mark.skipif(not pathlib.Path("/proc/self/status").exists(), reason="needs Linux's /proc")
def test_tables_of_gigabytes_are_served_within_the_memory_limit(paths):
    decoded = []
    for path in paths:
        with TableFile(path) as file:
            decoded.append(file.n_decoded_bytes)
    assert sum(decoded) > 3e9
    command = [sys.executable, "-m", "ur_solver", "serve", *map(str, paths), "--port", "0"]
    with subprocess.Popen(
        [*command, "--memory", f"{MEMORY >> 20}MiB"], stderr=subprocess.PIPE, text=True
    ) as server:
        port = int(re.search(r":(\d+)/", server.stderr.readline())[1])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)

        def ask(name: str, notation: str) -> None:
            connection.request("GET", position_path(name, notation))
            reply = connection.getresponse()
            reply.read()
            assert reply.status == 200

        start = RULES.start().notation
        for path in paths:
            ask(path.stem, start)
        before = peak(server.pid)
        space, rng = space_of(RULES), np.random.default_rng(1)
        for rank in rng.integers(0, space.n_positions, POSITIONS).tolist():
            for path in paths:
                ask(path.stem, space.unrank(rank).notation)
        grown = peak(server.pid) - before
        connection.close()
        server.terminate()
    assert grown <= MEMORY + SLACK
