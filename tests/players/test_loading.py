"""Policies from files and modules."""

from __future__ import annotations

import numpy as np
import pytest

from ur_solver.errors import InputError
from ur_solver.moves import generator_of
from ur_solver.players.policies import policy_from

FIRST = "def policy(position, options):\n    return options[0]\n"


@pytest.fixture
def turns(query2):
    generator = generator_of(query2.rules)
    return generator.every_throw(generator.start(), *generator.by_choices(generator.start())[0][0])


def weights(tmp_path, code, query, turns, name=""):
    path = tmp_path / "mine.py"
    path.write_text(code)
    return policy_from(f"{path}{name}", query).weights(turns)


def test_functions_objects_and_names(tmp_path, query2, turns, monkeypatch):
    first = weights(tmp_path, FIRST, query2, turns)
    assert first.tolist() == [1.0] * len(turns)
    code = (
        "import numpy as np\nclass Even:\n    def weights(self, turns):\n"
        "        return np.repeat(1 / turns.n_options, turns.n_options)\n"
        "even = Even()\n"
    )
    assert np.allclose(weights(tmp_path, code, query2, turns, ":even"), first)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert policy_from("mine:even", query2).weights(turns).shape == first.shape
    assert policy_from("capture+safe", query2).weights(turns).shape == first.shape


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("policy = 3", "has no policy 'policy'"),
        ("1 / 0", "ZeroDivisionError"),
        ("def policy(", "SyntaxError"),
        ("class policy:\n    weights = lambda turns: 1 / 0", "has failed: ZeroDivisionError"),
        ("class policy:\n    weights = lambda turns: [1.0]", "weights of shape"),
        ("class policy:\n    weights = lambda turns: turns.source * 0.0", "sum to 1"),
        ("policy = lambda position, options: 'A9'", None),
    ],
)
def test_faults(code, fault, tmp_path, query2, turns):
    if fault is None:  # turns without a choice are not asked
        assert weights(tmp_path, code, query2, turns).tolist() == [1.0] * len(turns)
        return
    with pytest.raises(InputError, match=fault):
        weights(tmp_path, code, query2, turns)


def test_what_is_not_there(query2):
    with pytest.raises(InputError, match="no file"):
        policy_from("nowhere.py", query2)
    with pytest.raises(InputError, match="built in"):
        policy_from("no_such_module", query2)
