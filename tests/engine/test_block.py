"""Blocks solved one by one, each in a process that knows nothing but what the block reads."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from tests.solving import solve
from ur_solver.engine.block import Lease, StoppedError, solve_block
from ur_solver.engine.solve import goal_of
from ur_solver.engine.store import MemoryStore
from ur_solver.errors import MissingBlockError
from ur_solver.kernel._workspace import Workspace
from ur_solver.kernel.kernels import kernel_of
from ur_solver.rules import Stakes, named_rules
from ur_solver.space import space_of

pytestmark = pytest.mark.medium

TOLERANCE = 1e-12

FRESH = """
import json, pathlib, sys
import numpy as np
from ur_solver.engine.solve import goal_of
from ur_solver.engine.block import solve_block
from ur_solver.kernel.kernels import kernel_of
from ur_solver.rules import RuleSet
from ur_solver.space import space_of

rules, number, folder = RuleSet.from_json(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3])

class Folder:
    def values_of(self, index):
        path = folder / f"{index}.npy"
        return np.load(path) if path.exists() else None

space = space_of(rules)
goal = goal_of(space, 1e-12, certify=False)
result = solve_block(kernel_of(space), number, Folder(), goal=goal)
np.save(folder / f"{number}.npy", result.values)
"""

GAMES = [
    named_rules("finkel:1"),
    named_rules("murray:1"),
    named_rules("casual:1"),
    named_rules("ben:1"),
    named_rules("bell:1").changed(stakes=Stakes(10, 1, 2)),
]


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_a_fresh_process_solves_a_block_to_the_same_bits(rules, tmp_path):
    space = space_of(rules)
    expected = solve(space, tolerance=TOLERANCE, threads=1)
    for block in space.blocks:
        np.save(tmp_path / f"{block.index}.npy", expected[block.offset : block.offset + block.size])
    for block in space.blocks[:: 1 + len(space.blocks) // 4]:
        (tmp_path / f"{block.index}.npy").unlink()
        arguments = [json.dumps(rules.to_json()), str(block.index), str(tmp_path)]
        subprocess.run([sys.executable, "-c", FRESH, *arguments], check=True)
        found = np.load(tmp_path / f"{block.index}.npy")
        assert np.array_equal(found, expected[block.offset : block.offset + block.size])


@pytest.mark.parametrize("word", ["finkel:1", "skiriuk:2"])
def test_a_block_whose_inputs_are_not_there_is_refused(word):
    space = space_of(named_rules(word))
    last = len(space.blocks) - 1
    with pytest.raises(
        MissingBlockError,
        match=rf"block {last} of {word} reads block \d+, whose values are not there",
    ):
        solve_block(kernel_of(space), last, MemoryStore(), goal=1e-13)


@pytest.mark.parametrize("most", range(6))
def test_a_lease_can_stop_the_work(most):
    space = space_of(named_rules("finkel:1"))
    kernel, goal = kernel_of(space), goal_of(space, TOLERANCE, certify=False)
    asked = 0

    def threads():
        nonlocal asked
        if asked == most:
            raise StoppedError
        asked += 1
        return 1

    with pytest.raises(StoppedError):
        solve_block(kernel, 0, MemoryStore(), goal=goal, lease=Lease(Workspace(), threads))
    assert asked == most


@pytest.mark.parametrize("word", ["ben:2", "skiriuk:2"])
def test_a_block_without_memory_for_policies_is_solved_without_them(word):
    space = space_of(named_rules(word))
    kernel, store = kernel_of(space), MemoryStore()
    *before, last = range(len(space.blocks))
    for index in before:
        store.put(solve_block(kernel, index, store, goal=1e-13))
    without = Lease(Workspace(), policies=False)
    few = solve_block(kernel, last, store, goal=1e-13, lease=without)
    many = solve_block(kernel, last, store, goal=1e-13)
    assert many.record.sweeps != few.record.sweeps
    assert np.abs(few.values - many.values).max() < 1e-12
