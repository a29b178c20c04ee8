from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import quote

import pytest

from tests.serve.asking import Asker
from ur_solver.api.table import Table
from ur_solver.rules import named_rules
from ur_solver.serve.app import make_app

WORDS = (
    "finkel:1", "finkel:3", "murray-3dice:1", "aseb:1", "casual-roll-again:1", "birds:1",
    "birds:2", "skiriuk:1", "ben:1", "bell:1", "bell-stakes:1",
)  # fmt: skip


@pytest.fixture(scope="session")
def tables(solved) -> Iterator[dict[str, Table]]:
    """Small tables of every kind of rule set, by id."""
    with ExitStack() as stack:
        yield {
            word.replace(":", "-"): stack.enter_context(Table(solved(named_rules(word))))
            for word in WORDS
        }


@pytest.fixture(scope="session")
def asker(tables) -> Iterator[Asker]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ur_solver.serve.app.BODY_SECONDS", 0.2)
        asker = Asker(make_app(tables))
        yield asker
        asker.close()


def position_path(name: str, position: str, kind: str = "tables") -> str:
    return f"/api/v1/{kind}/{name}/position?position={quote(position, safe='')}"
