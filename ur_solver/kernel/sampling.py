"""The choice of a block's values that are sampled for extrapolation."""

from __future__ import annotations

_STEP = 17
"""The usual step: odd and prime, so that it shares no period with vectors or tiles."""

_MOST_VALUES = 1 << 18
"""About this many values suffice for any block; one thread copies and sums them."""

_SAMPLES = 3
"""The number of samples that exist at a time."""


def sample_step(n_parts: int, n_values: int) -> int:
    """The step between the sampled parts of a block, its tiles for example.

    1 to 17, less in blocks of few parts; more where samples would exceed about a quarter of a
    million values. Odd.
    """
    return max(1, min(_STEP, n_parts // _STEP), n_values // _MOST_VALUES) | 1


def sample_bytes(n_parts: int, n_values: int) -> int:
    """The approximate number of bytes that the samples of a block take."""
    return _SAMPLES * 8 * -(-n_values // sample_step(n_parts, n_values))
