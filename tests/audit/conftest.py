from __future__ import annotations

import pytest

from tests.serve.browser import launched


@pytest.fixture(scope="module")  # Playwright's event loop keeps others from theirs
def browser():
    with launched() as found:
        yield found
