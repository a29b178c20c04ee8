"""The rule sets in plain words."""

from __future__ import annotations

from ur_solver.rules import CATALOGUE, named_rules
from ur_solver.rules.descriptions import CARDS, card_of


def test_every_rule_set_of_the_catalogue_has_a_card_of_its_own():
    assert list(CARDS) == [name for name in CATALOGUE if name in CARDS]
    assert set(CARDS) >= set(CATALOGUE)
    assert len({card.title for card in CARDS.values()}) == len(CARDS)
    for card in CARDS.values():
        assert card.sentence[0].isupper()
        assert card.sentence.endswith(".")


def test_a_card_is_found_by_an_old_name_and_with_any_count_of_pieces():
    assert card_of(named_rules("masters-games:2")) == CARDS["four-again"]
    assert card_of(named_rules("finkel:3")) == CARDS["finkel"]


def test_a_rule_set_of_somebody_else_has_the_summary_of_its_family():
    rules = named_rules("finkel").changed(safe_rosettes=False)
    card = card_of(rules)
    assert card.title == rules.name
    assert card.sentence == "Unsafe rosettes; extra throws for rosettes."
