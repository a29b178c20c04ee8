"""The examples of the page on rule sets of one's own."""

from __future__ import annotations

import pathlib
import re

import pytest

from tests.solving import solve
from ur_solver.rules import CATALOGUE, SQUARE_RULES, RuleSet
from ur_solver.space import space_of

PAGE = (pathlib.Path(__file__).parents[2] / "docs" / "custom-rules.md").read_text()
EXAMPLES = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)
JSON = [text for kind, text in EXAMPLES if kind == "json"]


@pytest.mark.parametrize("text", JSON)
def test_json(text):
    rules = RuleSet.from_json(text)
    assert RuleSet.from_json(rules.to_json()) == rules
    values = solve(space_of(rules.with_pieces(1)), tolerance=1e-9)
    assert 0 <= values.min() < values.max() <= 1


def test_python(monkeypatch):
    for known in (CATALOGUE, SQUARE_RULES):
        for name in ("finkel-d4", "guarded"):
            # gone after the test, whether or not it was there
            monkeypatch.setitem(known, name, None)
            del known[name]
    names: dict[str, object] = {}
    for kind, text in EXAMPLES:
        if kind == "python":
            exec(text, names)
    assert CATALOGUE["finkel-d4"].dice.name == "d4"
    assert names["guarded"].name == "finkel-B4-guarded"


def test_every_kind_of_square_has_a_row():
    reported = set(re.findall(r"^\| `([\w-]+)` \|", PAGE, re.MULTILINE))
    assert reported == {*SQUARE_RULES}
