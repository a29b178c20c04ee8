"""Solves as processes: killed, interrupted, two at once, and gone on with."""

from __future__ import annotations

import os
import pathlib
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from ur_solver.make import make_table
from ur_solver.rules import named_rules
from ur_solver.table import Table

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no such signals on Windows")

WORD = "finkel:4"
COMMAND = [sys.executable, "-m", "ur_solver", "solve", WORD, "--threads", "1", "-o"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    path = tmp_path_factory.mktemp("whole") / "table.h5"
    make_table(named_rules(WORD), path, threads=1)
    with Table(path) as table:
        return np.asarray(table.load())


def started(output: pathlib.Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, str(output)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finished_blocks(output: pathlib.Path) -> dict[str, int]:
    """Block files by name, with what changes if they are written again."""
    folder = output.with_name(output.name + ".blocks")
    return {path.name: path.stat().st_ino for path in folder.glob("block-*.npz")}


def wait_for_blocks(output: pathlib.Path, process: subprocess.Popen[str], count: int) -> None:
    while process.poll() is None and len(finished_blocks(output)) < count:
        time.sleep(0.001)


def assert_finishes(output: pathlib.Path, whole: np.ndarray, kept: int) -> None:
    process = started(output)
    printed, said = process.communicate(timeout=120)
    assert process.returncode == 0, said
    assert printed.startswith("finkel with 4 pieces: the first to throw wins 51.6159233557")
    if kept:
        assert f"going on from {kept} of 120 blocks" in said
    with Table(output) as table:
        assert np.array_equal(table.load(), whole)  # one thread: bit for bit
    assert os.listdir(output.parent) == [output.name]


@pytest.mark.parametrize("seed", range(2))
def test_killed_again_and_again(seed, tmp_path, whole):
    dice = random.Random(seed)
    output = tmp_path / "table.h5"
    kept: dict[str, int] = {}
    for _ in range(3):
        process = started(output)
        wait_for_blocks(output, process, len(kept) + dice.randrange(1, 12))
        time.sleep(dice.random() * 0.05)
        process.kill()
        process.communicate()
        if process.returncode == 0:
            break
        assert not output.exists()
        after = finished_blocks(output)
        assert {name: after.get(name) for name in kept} == kept  # none was written twice
        kept = after
    else:
        assert kept
        assert_finishes(output, whole, len(kept))


def test_ctrl_c_says_how_to_go_on(tmp_path, whole):
    output = tmp_path / "table.h5"
    process = started(output)
    wait_for_blocks(output, process, 3)
    process.send_signal(signal.SIGINT)
    printed, said = process.communicate(timeout=60)
    if process.returncode != 0:
        assert process.returncode == 130
        assert printed == ""
        assert "interrupted; the same command goes on from the blocks that are finished" in said
        assert "Traceback" not in said
        assert not output.exists()
        assert_finishes(output, whole, len(finished_blocks(output)))


def test_two_at_once(tmp_path, whole):
    output = tmp_path / "table.h5"
    first = started(output)
    wait_for_blocks(output, first, 1)
    os.kill(first.pid, signal.SIGSTOP)  # so that it cannot be done before the second starts
    try:
        second = started(output)
        printed, said = second.communicate(timeout=60)
        assert (second.returncode, printed) == (1, "")
        assert said.splitlines()[-1].startswith("Error: another solve is writing to ")
    finally:
        os.kill(first.pid, signal.SIGCONT)
    assert first.communicate(timeout=120)[0].startswith("finkel with 4 pieces")
    with Table(output) as table:
        assert np.array_equal(table.load(), whole)
