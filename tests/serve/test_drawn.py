"""Exercises over the interface: stateless, drawn by a seed, and limited."""

from __future__ import annotations

import pytest

from ur_solver.study.exercises import exercises

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
