"""A few of the rule sets that scripts/random_rules.py draws by the hundred."""

from __future__ import annotations

import random

import pytest

from tests.random_rules import OWN_FAMILIES, check_site, drawn_rules, tried

pytestmark = pytest.mark.medium


@pytest.mark.parametrize("family", OWN_FAMILIES)
def test_drawn_rule_sets_are_refused_in_a_sentence_or_taken_all_the_way(family, tmp_path):
    cases = []
    for number in range(4):
        rng = random.Random(f"{family} suite {number}")
        folder = tmp_path / str(number)
        folder.mkdir()
        cases.append(tried(drawn_rules(family, rng), folder, rng))
    solved = [case for case in cases if case.table is not None]
    assert solved
    assert check_site(solved, tmp_path) == []
    for case in solved:
        case.table.close()
