"""Exercises drawn by a seed, and counts of throws, over the interface."""

from __future__ import annotations

import pytest

from ur_solver.audit.dice_test import compared_throws
from ur_solver.rules import named_rules
from ur_solver.study.practise import exercises

PATH = "/api/v1/tables/{}/exercises"


@pytest.mark.parametrize("name", ["finkel-3", "birds-2"])
def test_they_are_those_of_the_python_function(asker, tables, name):
    found = asker.get(f"{PATH.format(name)}?seed=5&count=4&cost=0.01").json
    expected = exercises(tables[name], 4, seed=5, cost=0.01)
    assert len(expected) == 4
    assert found["rules"] == tables[name].rules.word
    assert [each["position"] for each in found["exercises"]] == [
        each.position.notation for each in expected
    ]
    assert [tuple(each["throws"]) for each in found["exercises"]] == [
        each.throws for each in expected
    ]
    assert [each["choice"] or "" for each in found["exercises"]] == [
        each.choice for each in expected
    ]


@pytest.mark.parametrize(
    "query",
    ["seed=-1", "seed=x", "seed=99999999999", "count=51", "cost=1", "cost=nan", "cost=", "x=1"],
)
def test_other_numbers_are_refused(asker, query):
    sentence = asker.get(f"{PATH.format('finkel-3')}?{query}").sentence
    assert "expected" in sentence
    assert query.partition("=")[0] in sentence


@pytest.mark.parametrize("path", ["tables/finkel-3", "rules/finkel:7"])
def test_throws_are_compared_as_by_the_python_function(asker, path):
    sent = {"light": {"0": 3, "2": 9, "4": 1}, "dark": {"1": 12}}
    found = asker.post(f"/api/v1/{path}/dice", sent).json
    dice = named_rules("finkel").dice
    assert found == compared_throws(dice, {0: 3, 2: 9, 4: 1}, {1: 12})


@pytest.mark.parametrize(
    "light", [{"5": 1}, {"x": 1}, {"-1": 1}, {"1": -1}, {"1": 1.5}, {"1": True}, {"1": 10**13}, []]
)
def test_other_counts_are_refused(asker, light):
    assert asker.post("/api/v1/rules/finkel/dice", {"light": light, "dark": {}}).sentence
