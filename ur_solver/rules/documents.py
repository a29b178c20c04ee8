"""The documents that the rule sets come from, and the search for a rule set by their words.

A reader knows a game by its author, by a number ("version 2") or by a word of the document's own
language. `MENTIONS` lists what each document calls its games; `find_rules` searches it.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from ur_solver.rules.plugins import load_plugins
from ur_solver.rules.registry import CATALOGUE, OLD_NAMES, catalogued
from ur_solver.rules.ruleset import RuleSet


@dataclass(frozen=True)
class Mention:
    """A game in a document.

    Parameters
    ----------
    document : str
    title : str
        What the document calls the game, in English.
    name : str
        The rule set of the catalogue that it is.
    words : str
        Other words by which its readers know it, most of them in the document's language.
    """

    document: str
    title: str
    name: str
    words: str = ""


_SKIRIUK = "Skiriuk's article, 2011 (Russian)"
_SUMMARY = "summary of three games (Russian)"
_LEAFLET = "leaflet with three versions (French)"
_ARTICLE = "article on four games (Dutch, Spanish)"
_ROYALUR = "RoyalUr's presets"

_BIRDS = "hirondelle oiseau-tempête corbeau coq aigle oiseaux swallow raven rooster eagle"
_MUSEUM = "Brits Museum, Museo Británico, Музей"
_CONVENTIONAL = "conventioneel, conventionele, convencional, Parlett, Masters Games"
_STAKES = "inzet, pot, boete, apuesta, bote, multa, enjeu, mise"
_WORDS_OF_DOCUMENTS = {
    _SKIRIUK: "русский, царская игра, правила игры, Дмитрий Скирюк, Скириук, Skiryuk, Skyruk",
    _SUMMARY: "русский, царская игра, правила игры",
    _LEAFLET: "français, dépliant, jeu royal d'Ur, règles du jeu",
    _ARTICLE: "Nederlands, koninklijk spel van Ur, regels van het spel, "
    "español, juego real de Ur, reglas del juego",
}

MENTIONS: tuple[Mention, ...] = (
    Mention(_SKIRIUK, "the game, with three sticks", "skiriuk", "Tjau, Шумерская игра"),
    Mention(_SKIRIUK, "the game, with a four-sided die", "skiriuk-d4", "Шумерская игра, d4"),
    Mention(_SUMMARY, "Skiriuk's game", "skiriuk", "Скирюк"),
    Mention(_SUMMARY, "Finkel's game", "finkel-3dice", "Финкель, Финкеля"),
    Mention(_SUMMARY, "Murray's game", "murray-0-to-3", "Мюррей, Мюррея, Мёррей, Мюррэй"),
    Mention(_LEAFLET, "version 1", "casual"),
    Mention(_LEAFLET, "version 1, with one die", "casual-d4"),
    Mention(_LEAFLET, "version 1, throwing again on rosettes", "casual-roll-again", "rejouer"),
    Mention(_LEAFLET, "version 1, with birds", "birds", _BIRDS),
    Mention(_LEAFLET, "version 1, with birds and one die", "birds-d4", _BIRDS),
    Mention(_LEAFLET, "version 2, Ben's game", "ben"),
    Mention(_LEAFLET, "version 2, Ben's game, with four dice", "ben-4dice"),
    Mention(_LEAFLET, "version 2, Ben's game, with one die", "ben-d4"),
    Mention(_LEAFLET, "version 3", "four-again", "Parlett, Masters Games"),
    Mention(_LEAFLET, "version 3, with one die", "four-again-d4", "Parlett, Masters Games"),
    Mention(_ARTICLE, "the conventional game", "conventional", _CONVENTIONAL),
    Mention(_ARTICLE, "Murray's game", "murray"),
    Mention(_ARTICLE, "the British Museum's game", "british-museum", _MUSEUM),
    Mention(_ARTICLE, "Bell's game", "bell"),
    Mention(_ARTICLE, "Bell's game, with fines", "bell-stakes", _STAKES),
    Mention(_ROYALUR, "Finkel", "finkel"),
    Mention(_ROYALUR, "Masters", "masters", "James Masters"),
    Mention(_ROYALUR, "Masters, with four dice", "masters-4dice", "James Masters"),
    Mention(_ROYALUR, "Blitz", "blitz"),
    Mention(_ROYALUR, "Aseb", "aseb"),
)
"""What each document calls its games."""

_STEM = 4
"""The letters from which on two words may differ by their endings."""

_FEW = 5
"""The most rule sets that an error suggests."""


def mentions_of(rules: RuleSet) -> tuple[Mention, ...]:
    """Where a rule set comes from; empty if no document has it under its name."""
    name = OLD_NAMES.get(rules.name, rules.name)
    return tuple(each for each in MENTIONS if each.name == name)


def find_rules(text: str) -> list[RuleSet]:
    """The rule sets that a text names: by name in any case, or by words of the documents.

    Parameters
    ----------
    text : str
        A name, or words that are all found in what is known of a rule set: its name, the
        document, its language, the game's title, its author. Case and accents do not matter.

    Returns
    -------
    list of RuleSet
        Empty if there is none; in the order of the catalogue.
    """
    name = text.strip().lower()
    if catalogued(name) is None:
        load_plugins()
    named = catalogued(name)
    if named is not None:
        return [named]
    asked = _words_in(text)
    names = {
        name
        for name, words in _searched()
        if asked and all(_is_among(each, words) for each in asked)
    }
    return [rules for name, rules in CATALOGUE.items() if name in names]


def did_you_mean_rules(text: str) -> str:
    """The end of a sentence about a text that is no rule set's name: what it may mean, if any."""
    from difflib import get_close_matches  # noqa: PLC0415 - most commands do without

    found = find_rules(text)
    if not found:
        words = {word for _, found_by in _searched() for word in found_by}
        near = get_close_matches(text.strip().casefold(), sorted(words | {*CATALOGUE}), n=1)
        found = find_rules(near[0]) if near else []
    names = " or ".join(repr(rules.name) for rules in found)
    return f"; did you mean {names}?" if 0 < len(found) <= _FEW else ""


def _is_among(asked: str, words: list[str]) -> bool:
    """Whether a word is among others, perhaps with another ending."""
    return asked in words or any(
        min(len(asked), len(word)) >= _STEM and (asked.startswith(word) or word.startswith(asked))
        for word in words
    )


def _searched() -> list[tuple[str, list[str]]]:
    """For each rule set's name and each mention of it the words that find it."""
    texts = [(name, name) for name in CATALOGUE]
    texts += [
        (
            each.name,
            f"{each.name} {each.document} {each.title} {each.words} "
            f"{_WORDS_OF_DOCUMENTS.get(each.document, '')}",
        )
        for each in MENTIONS
    ]
    return [(name, _words_in(text)) for name, text in texts]


def _words_in(text: str) -> list[str]:
    """The words of a text without case and accents; a possessive ending is left out."""
    plain = "".join(
        letter
        for letter in unicodedata.normalize("NFKD", text.casefold())
        if not unicodedata.combining(letter)
    )
    return re.findall(r"\w+", plain.replace("'s", " "))
