from __future__ import annotations

import os
import pathlib
import shutil
import signal

import filelock
import hypothesis
import pytest

from tests.solving import make_table
from ur_solver.api.table import Table
from ur_solver.rules import RuleSet, named_rules
from ur_solver.space import part_of
from ur_solver.table.names import FOLDER_VARIABLE, readable_name, table_name

# Tests that a script runs in the background ignore SIGINT, and so would what they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Nothing in the suite depends on timing or chance. UR_TEST_RANDOM=1 draws new examples.
hypothesis.settings.register_profile(
    "repeatable", deadline=None, derandomize="UR_TEST_RANDOM" not in os.environ
)
hypothesis.settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def _own_tables(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: pathlib.Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Keep all tests from reading, or adding to, the tables of the user or the checkout.

    The estimators that come with the program are out of the way too, except in processes.
    """
    folder = tmp_path_factory.getbasetemp() / "tables"
    folder.mkdir(exist_ok=True)
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    # what a command says must not depend on how busy the machine is
    monkeypatch.setattr("ur_solver.common.progress.LOG_SECONDS", 3600.0)
    monkeypatch.setattr("ur_solver.table.names.checkout_tables", lambda: None)
    monkeypatch.setattr("ur_solver.estimators.estimator.SHIPPED", tmp_path / "shipped")
    monkeypatch.setattr("platformdirs.user_data_path", lambda _name: tmp_path / "user")
    monkeypatch.setattr("platformdirs.user_cache_path", lambda _name: tmp_path / "cache")
    monkeypatch.setattr("platformdirs.user_state_path", lambda _name: tmp_path / "state")
    for variable in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):  # of processes
        monkeypatch.setenv(variable, str(tmp_path / variable))


@pytest.fixture(scope="session")
def solved(tmp_path_factory: pytest.TempPathFactory):
    """A function that returns the path of a rule set's table, which is solved once.

    Workers of pytest-xdist have a copy each, as tests list the folder that it is in.
    """
    base = tmp_path_factory.getbasetemp()
    folder = base / "tables"
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "solved"

    def path(rules: RuleSet) -> pathlib.Path:
        table = folder / table_name(readable_name(rules))
        if not table.exists():
            folder.mkdir(exist_ok=True)
            shared.mkdir(exist_ok=True)
            once = shared / table.name
            with filelock.FileLock(f"{once}.lock"):
                if not once.exists():
                    make_table(rules, once)
            shutil.copy(once, table)
        return table

    return path


@pytest.fixture
def finkel2(solved) -> pathlib.Path:
    return solved(named_rules("finkel:2"))


@pytest.fixture
def query2(finkel2: pathlib.Path):
    with Table(finkel2) as query:
        assert isinstance(query, Table)
        yield query


@pytest.fixture
def endings(tmp_path: pathlib.Path) -> pathlib.Path:
    """The table of the part of finkel:3 with at most two pieces left a side."""
    rules = named_rules("finkel:3")
    path = tmp_path / "tables" / "finkel-3-left-2.h5"
    path.parent.mkdir(exist_ok=True)
    make_table(rules, path, part=part_of(rules, 2), threads=1)
    return path
