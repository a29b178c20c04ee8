"""How dense samples are."""

from __future__ import annotations

import pytest

from ur_solver.kernel.sampling import sample_step


@pytest.mark.parametrize(
    ("n_parts", "n_values", "step"),
    [
        (1, 1, 1),
        (33, 33, 1),
        (100, 100, 5),
        (1000, 1000, 17),
        (1_000_000, 1_000_000, 17),
        (2_000_000, 150_000_000, 143),  # masters 7's largest block, about
    ],
)
def test_small_blocks_are_sampled_densely_and_large_ones_to_a_limit(n_parts, n_values, step):
    assert sample_step(n_parts, n_values) == step
