"""Numbers that callers choose: refused by their name, in Python and on the command line."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

import ur_solver as ur
from ur_solver.cli import cli
from ur_solver.common.text import whole_number
from ur_solver.errors import InputError
from ur_solver.study import evaluate, study

pytestmark = pytest.mark.usefixtures("finkel2")


@pytest.mark.parametrize("seed", [-1, 0.5, float("nan"), "1", None])
def test_seeds_are_checked_by_every_function(seed):
    table = ur.solve("finkel:2")
    for ask in (
        lambda: ur.sample(table, 1, seed=seed),
        lambda: evaluate(table, games=2, seed=seed),
        lambda: study(table, games=2, seed=seed),
        lambda: table.verify(seed=seed),
    ):
        with pytest.raises(InputError, match=r"^seed is "):
            ask()


def test_numbers_of_numpy_are_whole_numbers():
    assert whole_number("seed", np.int64(3)) == 3


@pytest.mark.parametrize(
    "words",
    [
        *(["sample", "finkel:2", "--seed", seed] for seed in ("-1", "x", "1e3", "9" * 5000)),
        ["study", "finkel:2", "--seed", "-1"],
        ["evaluate", "finkel:2", "--seed", "-1"],
        ["compare", "finkel:2", "--seed", "-1"],
        ["play", "finkel:2", "--seed", "-1"],
        *(["solve", "finkel:1", "--tolerance", text] for text in ("nan", "inf", "-1", "1e999")),
        *(["audit", "g.rgn", f"--{name}", text] for name in ("mistake", "inaccuracy", "blunder")
          for text in ("nan", "inf", "-0.1", "2")),
        ["audit", "g.rgn", "--worst", "-1"],
        *(["solve", "finkel:1", "--memory", text] for text in ("0", "-1", "9" * 400, "nan", "1e3")),
        ["plan", "finkel:1", "--memory", "999999999999999T"],
        *(["solve", "finkel:1", "--threads", text] for text in ("0", "-1", "1000000000")),
        ["solve", "finkel:1", "--workers", "1000000000"],
        ["plan", "finkel:1", "--workers", "1000000000"],
        ["verify", "finkel:2", "--sample", "-1"],
        ["serve", "--port", "65536"],
        ["solve", "finkel:1", "--left", "0"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_numbers_are_refused_by_the_options_name(words):
    result = CliRunner().invoke(cli, words)
    option = next(word for word in words if word.startswith("--"))
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith(f"Error: Invalid value for '{option}'"), (
        result.stderr
    )
