"""What Dask leaves open is closed before tests to which a ResourceWarning is an error."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def _sockets_of_dask() -> Iterator[None]:
    """Collect the sockets of a module's clusters while its last test still ignores the warnings."""
    yield
    gc.collect()
