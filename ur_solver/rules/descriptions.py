"""Rule sets described for people: in a sentence (`card_of`), by their sources, and in full.

A reader knows a game by its author, by a number ("version 2") or by a word of a document's own
language: `find_rules` searches what documents call their games (`MENTIONS`). `rules.md` has the
full rules; its headings have the names that boards, paths, dice, families and rule sets have in
the code, so that the sections of a rule set can be found.
"""

from __future__ import annotations

import inspect
import pathlib
import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from ur_solver.common.sayings import is_said, say
from ur_solver.rules.board import DICE, PATHS, Dice, Path
from ur_solver.rules.drawing import squares_text
from ur_solver.rules.game import CATALOGUE, OLD_NAMES, RuleSet, catalogued, is_catalogued
from ur_solver.rules.registry import load_plugins


class Card(NamedTuple):
    """A rule set in plain words."""

    title: str
    sentence: str  # what sets it apart


_ONE_DIE = ("four-again-d4", "casual-d4", "skiriuk-d4")
"""Rule sets that differ from others by their die alone."""


def card_of(rules: RuleSet) -> Card:
    """The card of a rule set; one made of its name and its family's sentences if it has none."""
    name = OLD_NAMES.get(rules.name, rules.name)
    if is_catalogued(rules) and is_said(f"card.{name}"):
        what = "card.one-die" if name in _ONE_DIE else f"card.{name}.what"
        return Card(say(f"card.{name}"), say(what))
    return Card(rules.name, rules.mechanics.sentences)


@dataclass(frozen=True)
class Mention:
    """A game in a document."""

    source: str  # the document, in short
    title: str  # what it calls the game, in English
    name: str  # the rule set of the catalogue that it is
    words: str = ""  # others by which its readers know it, most of them in its language

    @property
    def document(self) -> str:
        """The document."""
        return say(f"source.{self.source}")


_SKIRIUK = "skiriuk"
_SUMMARY = "summary"
_LEAFLET = "leaflet"
_ARTICLE = "article"
_ROYALUR = "royalur"
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
    """The rule sets that a text names, in the order of the catalogue.

    The text is a name, or words that are all found in what is known of a rule set: its name, the
    document, its language, the game's title, its author. Case and accents do not matter.
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
            f"{_WORDS_OF_DOCUMENTS.get(each.source, '')}",
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


FILE = pathlib.Path(__file__).with_name("rules.md")
"""The prose, which is installed with the package."""

_HEADING = re.compile(r"^#+ (?:([0-9.]+) )?(.+)$", re.MULTILINE)
_FOR_ALL = ("1", "2", "3", "4.1", "4.2", "4.3")
"""The numbers of the sections that every rule set needs."""


@dataclass(frozen=True)
class Section:
    """A heading and the text between it and the next one."""

    number: str  # such as ``5.4``; empty if the heading has none
    title: str  # a name of the code behind the kind of thing: ``Family ben``
    text: str  # Markdown, without headings


@cache
def all_sections() -> tuple[Section, ...]:
    """The sections of `rules.md`, in the order of the file."""
    _, *parts = _HEADING.split(FILE.read_text(encoding="utf-8"))
    numbers, titles, texts = parts[::3], parts[1::3], parts[2::3]
    return tuple(
        Section(number or "", title, text.strip("\n"))
        for number, title, text in zip(numbers, titles, texts, strict=True)
    )


def sections_of(rules: RuleSet) -> tuple[Section, ...]:
    """The sections that apply to `rules`, in the order of the file.

    The rules of every game; those of the rule set's board, path, dice and family; the notation;
    and the rule set's own section if it is one of the catalogue, with any count of pieces. A path
    and dice that are not in the file get a section made from their data, a family one made from
    its docstring.
    """
    path, dice = rules.path, rules.dice
    family = f"Family {rules.family}"
    wanted = {f"Board {rules.board.name}", family}
    made = {}
    if all(section.title != family for section in all_sections()):
        paragraph, _, _ = (inspect.getdoc(rules.mechanics) or "").partition("\n\n")
        made["4.3"] = Section("", family, paragraph)
    if PATHS.get(path.name) == path:
        wanted.add(f"Path {path.name}")
    else:
        drawn = f"{path_words(path)}\n\n```\n{path_text(path)}\n```"
        made["2"] = Section("", f"Path {path.name}", drawn)
    if DICE.get(dice.name) == dice:
        wanted.add(f"Dice {dice.name}")
    else:
        made["3"] = Section("", f"Dice {dice.name}", dice_words(dice))
    if is_catalogued(rules):
        wanted.add(f"Rule set {OLD_NAMES.get(rules.name, rules.name)}")
    chosen = []
    for section in all_sections():
        if section.number in _FOR_ALL or section.title in wanted:
            chosen.append(section)
        if section.number in made:
            chosen.append(made[section.number])
    return tuple(chosen)


def path_words(path: Path) -> str:
    """A path's squares in order, as in `rules.md`."""
    return f"{' '.join(path.light)}, off: {len(path)} squares."


def dice_words(dice: Dice) -> str:
    """The throws of dice and their probabilities, as in `rules.md`."""
    chances = ", ".join(f"{throw} ({dice.probabilities[throw]})" for throw in dice.throws)
    return f"Throws and their probabilities: {chances}."


def path_text(path: Path) -> str:
    """The board with the path index of each square on light's path, ``*`` behind a rosette's.

    A square that the path visits twice has two numbers, one that it does not visit a dot.
    """
    marks = {}
    for square in path.board.squares:
        indices = ",".join(str(index) for index, each in enumerate(path.light) if each == square)
        marks[square] = f"{indices}*" if square in path.board.rosettes else indices or "."
    width = max(map(len, marks.values()))
    cells = {square: mark.ljust(width) for square, mark in marks.items()}
    return squares_text(path.board, cells, width)
