"""The page's values: all positions with one piece, and 10,000 of play at full size."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.games import played_rows
from tests.publish.conftest import Site
from tests.publish.test_values import check_estimates, check_table
from tests.serve.browser import needs_browser
from ur_solver.api.table import Table
from ur_solver.estimators.estimator import SHIPPED, Estimator
from ur_solver.estimators.evaluator import Evaluator
from ur_solver.publish.site import PLIES, publish
from ur_solver.rules import CATALOGUE, named_rules

pytestmark = [needs_browser, pytest.mark.long]

TABLES = [f"{name}-1" for name in CATALOGUE]
ESTIMATORS = sorted(path.stem for path in SHIPPED.glob("*.h5"))


@pytest.fixture(scope="module")
def site(solved, tmp_path_factory) -> Iterator[Site]:
    """A site of a table and an estimator of every rule set."""
    folder = tmp_path_factory.mktemp("all") / "games" / "ur"
    with ExitStack() as stack:
        tables = [Table(solved(named_rules(f"{name}:1"))) for name in CATALOGUE]
        values: dict[str, Evaluator] = dict(
            zip(TABLES, map(stack.enter_context, tables), strict=True)
        )
        values |= {name: Estimator(SHIPPED / f"{name}.h5", plies=PLIES) for name in ESTIMATORS}
        publish(folder, [*values.values()])
        yield Site(folder, values)


@pytest.mark.parametrize("name", TABLES)
def test_every_value_with_one_piece(asked, site, name):
    check_table(asked, name, site.values[name])


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimates_of_10_000_positions(asked, site, name):
    estimator = site.values[name]
    rows = played_rows(estimator.rules, 10_000)
    assert check_estimates(asked, name, estimator, rows) < 1e-5
