"""What samples hold; those of tiles are in test_tiled.py."""

from __future__ import annotations

import numpy as np
import pytest

from ur_solver.kernel._workspace import Workspace
from ur_solver.kernel.interface import ArrayBlocks
from ur_solver.kernel.kernels import kernel_of
from ur_solver.kernel.sampling import sample_bytes, sample_step
from ur_solver.rules import Stakes, named_rules
from ur_solver.space import space_of

pytestmark = pytest.mark.memory


@pytest.mark.parametrize(
    ("n_parts", "n_values", "step"),
    [
        (1, 1, 1),
        (33, 33, 1),
        (100, 100, 5),
        (120, 120, 7),
        (1000, 1000, 17),
        (1_000_000, 1_000_000, 17),
        (2_000_000, 150_000_000, 573),  # masters 7's largest block, about
        (16 << 18, 16 << 18, 17),
        (22 << 18, 22 << 18, 23),
    ],
)
def test_small_blocks_are_sampled_densely_and_large_ones_to_a_limit(n_parts, n_values, step):
    assert sample_step(n_parts, n_values) == step


@pytest.mark.parametrize(
    "rules",
    [named_rules("ben:1"), named_rules("bell:2").changed(stakes=Stakes(10, 1, 2))],
    ids=["row", "levels"],
)
def test_a_sample_is_a_copy_of_values_at_equal_steps(rules):
    space = space_of(rules)
    values = np.random.default_rng(3).random(space.n_values)
    block = max(space.blocks, key=lambda block: block.size)
    work = kernel_of(space).lay_out(block, ArrayBlocks(space, values), Workspace())
    own = np.empty(block.size)
    work.sweep(1)
    work.store(own)
    first, expected = work.sample(), own[:: sample_step(block.size, block.size)].copy()
    assert len(first) > block.size / 20
    assert sample_bytes(block.size, block.size) == 3 * first.nbytes
    work.sweep(1)
    assert np.array_equal(first, expected)
    assert (work.sample() != first).mean() > 0.3
