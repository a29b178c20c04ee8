"""A reader of a document finds its game, and old names of rule sets keep their meaning."""

from __future__ import annotations

import json

import pytest

from ur_solver.errors import RuleSetError
from ur_solver.records.settings import rules_of_text, rules_text
from ur_solver.rules import CATALOGUE, RuleSet, digest_of, named_rules, register_rules
from ur_solver.rules.descriptions import MENTIONS, find_rules, mentions_of
from ur_solver.rules.game import OLD_NAMES


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("version 1", ["casual", "casual-d4", "casual-roll-again", "birds", "birds-d4"]),
        ("Version 2", ["ben", "ben-4dice", "ben-d4"]),
        ("version 3", ["four-again", "four-again-d4"]),
        ("hirondelle", ["birds", "birds-d4"]),
        ("version 2 four dice", ["ben-4dice"]),
        ("français murray", []),
        ("Francais version 2 one die", ["ben-d4"]),
        ("SKIRIUK", ["skiriuk"]),
        ("Skiriuk's", ["skiriuk", "skiriuk-d4"]),
        ("Скирюк", ["skiriuk", "skiriuk-d4"]),
        ("скирюка", ["skiriuk", "skiriuk-d4"]),  # in the genitive
        ("Финкель", ["finkel-3dice"]),
        ("Мюррей", ["murray-0-to-3"]),
        ("parlett", ["conventional", "four-again", "four-again-d4"]),
        ("Museum", ["british-museum"]),
        ("museo británico", ["british-museum"]),
        ("Español murray", ["murray"]),
        ("jeu royal version 2", ["ben", "ben-4dice", "ben-d4"]),
        ("reglas convencionales", ["conventional"]),
        ("regels Brits museum", ["british-museum"]),
        ("koninklijk spel Murray", ["murray"]),
        ("multa", ["bell-stakes"]),
        ("boetes", ["bell-stakes"]),
        ("enjeux", ["bell-stakes"]),
        ("правила Мюррея", ["murray-0-to-3"]),
        ("four-again", ["four-again"]),
        ("masters-games", ["masters-games"]),
        ("version 4", []),
        ("", []),
    ],
)
def test_a_rule_set_is_found_by_words_of_its_document(text, names):
    assert [rules.name for rules in find_rules(text)] == names


def test_every_rule_set_comes_from_a_document():
    assert {each.name for each in MENTIONS} == set(CATALOGUE)
    for name in ("murray-0-to-3", "murray-3dice"):
        (mention,) = mentions_of(named_rules(name, 2))
        assert mention.title == "Murray's game"


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("finkle", "did you mean 'finkel'"),
        ("hirondele", "did you mean 'birds' or 'birds-d4'"),
        ("version 3", "did you mean 'four-again' or 'four-again-d4'"),
        ("Скирук", "did you mean 'skiriuk' or 'skiriuk-d4'"),
    ],
)
def test_other_commands_name_the_nearest(word, meant):
    with pytest.raises(RuleSetError, match=meant):
        named_rules(word)


@pytest.mark.parametrize(("old", "new"), OLD_NAMES.items())
def test_an_old_name_is_the_same_game(old, new):
    before, now = named_rules(old, 1), named_rules(new, 1)
    assert (before.name, now.name) == (old, new)
    assert before.is_same_game(now)
    assert digest_of(before) == digest_of(now)
    assert RuleSet.from_json(json.dumps(before.to_json())) == before
    for rules in (before, now):
        assert rules_text(rules) == f"{rules.name}:1"
        assert rules_of_text(rules_text(rules)) == rules
    changed = before.changed(extra_on_capture=True)
    assert changed.name == f"{old}-extra-on-capture"
    assert changed.changed(extra_on_capture=False) == before


def test_the_digest_is_that_of_the_versions_that_had_the_old_name_only():
    assert digest_of(named_rules("murray-3dice", 1)) == "9eb0506084172fdd"


def test_an_old_name_is_not_free():
    with pytest.raises(RuleSetError, match="the name is already taken"):
        register_rules(named_rules("finkel").changed(name="masters-games"))
