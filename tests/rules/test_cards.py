"""The rule sets in plain words."""

from __future__ import annotations

from ur_solver.rules import CATALOGUE, DICE, PATHS, UR, Path, named_rules
from ur_solver.rules.descriptions import card_of


def test_every_rule_set_of_the_catalogue_has_a_card_of_its_own():
    cards = [card_of(rules) for rules in CATALOGUE.values()]
    assert len({card.title for card in cards}) == len(cards)
    for name, card in zip(CATALOGUE, cards, strict=True):
        assert card.title != name
        assert card.sentence[0].isupper()
        assert card.sentence.endswith(".")


def test_a_card_is_found_by_an_old_name_and_with_any_count_of_pieces():
    assert card_of(named_rules("masters-games:2")).title == "Four throws again"
    assert card_of(named_rules("finkel:3")) == card_of(named_rules("finkel"))


def test_a_rule_set_of_somebody_else_has_the_sentences_of_its_family():
    short = Path.of("short", UR, ["A4", "A3", "A2", "A1", "B1", "B2"])
    for name, changes, sentence in (
        (
            "finkel",
            {"safe_rosettes": False, "extra_on_capture": True},
            "A piece on a rosette is not safe. Landing on a rosette gives another throw. "
            "A capture gives another throw.",
        ),
        (
            "finkel",
            {"extra_on_rosette": False},
            "A piece on a rosette is safe. Nothing gives another throw.",
        ),
        (
            "ben",
            {"dice": DICE["4-binary"], "path": PATHS["masters"]},
            "Pieces must be marked on their way",
        ),
        ("skiriuk", {"path": short}, "No piece turns over."),
        ("casual", {"extra_throw": "must"}, "Rosettes are shelters that both sides share; there"),
    ):
        rules = named_rules(name).changed(**changes)
        card = card_of(rules)
        assert card.title == rules.name
        assert card.sentence.startswith(sentence)
