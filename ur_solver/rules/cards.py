"""The rule sets in plain words, for people who look for a game to play."""

from __future__ import annotations

from typing import NamedTuple

from ur_solver.rules.naming import is_catalogued
from ur_solver.rules.registry import OLD_NAMES
from ur_solver.rules.ruleset import RuleSet


class Card(NamedTuple):
    """A rule set in plain words.

    Attributes
    ----------
    title : str
    sentence : str
        What sets it apart.
    """

    title: str
    sentence: str


_ONE_DIE = "With one die of four faces, so that every throw counts."

CARDS: dict[str, Card] = {
    "finkel": Card(
        "Finkel's game",
        "The best-known way to play: on a flower a piece is safe, and you throw again.",
    ),
    "british-museum": Card(
        "The British Museum's game", "Finkel's game with five pieces instead of seven."
    ),
    "finkel-3dice": Card("Finkel's game, three dice", "Finkel's game with three dice, not four."),
    "conventional": Card(
        "The conventional game",
        "The way round the far end is longer, and a throw without a mark counts as four.",
    ),
    "four-again": Card(
        "Four throws again",
        "As the conventional game, but only a four gives another throw, and you may decline it.",
    ),
    "four-again-d4": Card("Four throws again, one die", _ONE_DIE),
    "murray": Card(
        "Murray's game", "All the way to the far end, and the whole middle row back again."
    ),
    "murray-0-to-3": Card(
        "Murray's game, 0 to 3", "Murray's game, but a throw without a mark moves nothing."
    ),
    "masters": Card(
        "Masters", "The longer way round; rosettes give another throw, but are not safe."
    ),
    "masters-4dice": Card("Masters, four dice", "Masters with four dice, not three."),
    "blitz": Card("Blitz", "Five pieces, no safe square, and captures give another throw too."),
    "aseb": Card("Aseb", "Another board: three rosettes on one long straight road."),
    "bell": Card(
        "Bell's game",
        "Only rare throws move far or bring a piece in; each move gives another throw.",
    ),
    "bell-stakes": Card(
        "Bell's game, for money", "Both pay into a pot, and a fine for each rosette; one takes all."
    ),
    "casual": Card(
        "The leaflet's first game",
        "Rosettes are shelters that both sides share; nothing gives another throw.",
    ),
    "casual-d4": Card("The leaflet's first game, one die", _ONE_DIE),
    "casual-roll-again": Card(
        "The leaflet's first game, throwing again",
        "Rosettes are shelters that both sides share; there you may throw again.",
    ),
    "birds": Card(
        "The game with birds",
        "Each piece is a bird with a number, and enters only when its number is thrown.",
    ),
    "birds-d4": Card("The game with birds, one die", "Four birds and one die of four faces."),
    "skiriuk": Card(
        "Skiriuk's game",
        "Pieces turn over half way, and only pieces of the same face capture each other.",
    ),
    "skiriuk-d4": Card("Skiriuk's game, one die", _ONE_DIE),
    "ben": Card(
        "Ben's game",
        "Pieces must be marked on a corner before they go back; a throw of nothing is a jump.",
    ),
    "ben-4dice": Card("Ben's game, four dice", "Ben's game with four dice, not three."),
    "ben-d4": Card("Ben's game, one die", "With one die of four faces: there are no jumps."),
}
"""By the catalogue's names."""


def card_of(rules: RuleSet) -> Card:
    """The card of a rule set; one made of its name and its family's summary if it has none."""
    known = CARDS.get(OLD_NAMES.get(rules.name, rules.name))
    if known is not None and is_catalogued(rules):
        return known
    summary = rules.mechanics.summary.rstrip(".")
    return Card(rules.name, f"{summary[:1].upper()}{summary[1:]}.")
