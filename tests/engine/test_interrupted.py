"""A solve as a process that is interrupted and resumed. More severe faults are in tests/faults."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from tests.checkpoints import finished_blocks
from tests.solving import make_table
from ur_solver.rules import named_rules
from ur_solver.table.reader import TableFile

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="no such signals on Windows"),
    pytest.mark.slow,
]

WORD = "finkel:4"
RULES = named_rules(WORD)
COMMAND = [sys.executable, "-m", "ur_solver", "solve", WORD, "--threads", "1", "-o"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    path = tmp_path_factory.mktemp("whole") / "table.h5"
    make_table(RULES, path, threads=1)
    with TableFile(path) as table:
        return np.asarray(table.load())


def started(output: pathlib.Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, str(output)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for_blocks(output: pathlib.Path, process: subprocess.Popen[str], count: int) -> None:
    while process.poll() is None and len(finished_blocks(output)) < count:
        time.sleep(0.001)


def assert_finishes(output: pathlib.Path, whole: np.ndarray, kept: int) -> None:
    process = started(output)
    printed, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    assert printed.startswith("finkel with 4 pieces: the first player wins 51.6159233557")
    if kept:
        assert f"resuming from {kept} of 120 blocks" in said
    with TableFile(output) as table:
        assert np.array_equal(table.load(), whole)  # one thread: bit for bit
    assert os.listdir(output.parent) == [output.name]


def test_ctrl_c_says_how_to_go_on(tmp_path, whole):
    output = tmp_path / "table.h5"
    process = started(output)
    wait_for_blocks(output, process, 3)
    process.send_signal(signal.SIGINT)
    printed, said = process.communicate(timeout=300)
    if process.returncode != 0:
        assert process.returncode == 130
        assert printed == ""
        assert "interrupted; the same command resumes from the blocks that are finished" in said
        assert "Traceback" not in said
        assert not output.exists()
        assert_finishes(output, whole, len(finished_blocks(output)))
