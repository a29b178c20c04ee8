"""The golden values and their rule sets."""

from __future__ import annotations

import dataclasses
import json
import pathlib
from collections.abc import Iterable
from typing import Any

import pytest

from ur_solver.rules import CATALOGUE, PATHS, RuleSet, named_rules

FOLDER = pathlib.Path(__file__).parent / "data" / "golden"
STARTS: dict[str, Any] = json.loads((FOLDER / "starts.json").read_text())
NAMES = sorted(STARTS)
EQUIPMENT = ["four-again-d4", "casual-d4", "birds-d4", "ben-4dice", "ben-d4"]
"""The rule sets that are others with other dice: tests/rules/test_switches.py compares all their
positions with plain value iteration, and there are no values of independent programs."""

ALIKE = {
    *EQUIPMENT,
    "british-museum",
    "finkel-3dice",
    "masters-4dice",
    "murray-0-to-3",
    "skiriuk-d4",
}
"""The rule sets that differ from another in nothing but dice or the usual number of pieces."""

CHANCES = [
    name
    for name, rules in CATALOGUE.items()
    if not rules.payoff.has_fines and name not in EQUIPMENT
]
"""The rule sets with values of independent programs that are chances of winning, not money."""


def each_kind(parameters: Iterable[Any]) -> list[Any]:
    """Parameters of a test, marked long for rule sets of `ALIKE`: they run the same code as others.

    A parameter is a name, a rule set, or a tuple that begins with either.
    """

    def marked(each: Any) -> Any:
        first = each[0] if isinstance(each, tuple) else each
        if getattr(first, "name", first) not in ALIKE:
            return each
        return pytest.param(*(each if isinstance(each, tuple) else [each]), marks=pytest.mark.long)

    return [marked(each) for each in parameters]


def golden_rules(name: str, pieces: int) -> RuleSet:
    if name == "custom-murray-royalur":
        rules = named_rules("finkel", pieces)
        return dataclasses.replace(rules, name=name, path=PATHS["murray-royalur"])
    rules = named_rules(name, pieces)
    # the independent programs had the extra throw made
    return rules.changed(extra_throw="must") if name == "four-again" else rules


def golden_values(name: str) -> dict[str, float]:
    lines = (FOLDER / f"{name}-1.tsv").read_text().splitlines()
    return {text: float(value) for text, value in (line.split("\t") for line in lines)}
