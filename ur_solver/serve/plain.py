"""A rule set for somebody who wants to play it: in short, square by square, and its prose.

The prose is that of `rules.md`, as data: a page makes paragraphs of it, so that no text becomes
markup on the way.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from typing import Any

from ur_solver.common.text import counted
from ur_solver.errors import InputError
from ur_solver.rules import CATALOGUE, SIDE_NAMES, RuleSet, named_rules
from ur_solver.rules.board import Look
from ur_solver.rules.descriptions import Section, card_of, mentions_of, sections_of
from ur_solver.rules.family import ENTER
from ur_solver.rules.svg import board_svg, square_word

Json = dict[str, Any]

_FENCE = "```"
_ITEM = re.compile(r"- (.*)")
_SPAN = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*")
_FOR_RECORDS = ("4.2", "4.3")
"""The sections on notation, which nobody needs to play."""

_COUNTS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}


# Games to choose from.


@lru_cache(maxsize=1)
def measured() -> dict[str, Json]:
    """What was measured of the rule sets' games, by name: the atlas's figures in short.

    ``pieces`` a side; ``throws`` a game on average; ``greedy`` the share of games that the
    policy greedy wins against best play, in [0, 1].
    """
    file = resources.files("ur_solver.serve") / "measured.json"
    found: dict[str, Json] = json.loads(file.read_text(encoding="utf-8"))
    return found


def game_values(rules: RuleSet) -> Json:
    """A rule set on a list of games to choose from: its card, its source, what was measured."""
    title, sentence = card_of(rules)
    return {
        "name": rules.name,
        "pieces": rules.pieces,
        "title": title,
        "sentence": sentence,
        "sources": list(dict.fromkeys(each.document for each in mentions_of(rules))),
        "measured": measured().get(rules.name),
    }


def games_values() -> list[Json]:
    """All rule sets of the catalogue."""
    return [game_values(rules) for rules in CATALOGUE.values()]


# A rule set in short.


def dice_values(look: Look) -> Json:
    """How dice are drawn, as JSON: an object's keys are texts there."""
    marks = {str(throw): count for throw, count in look.marks.items()}
    return {"kind": look.kind, "count": look.n_dice, "marks": marks}


def _dice_words(rules: RuleSet) -> str:
    look = rules.dice.look
    count = _COUNTS.get(look.n_dice, str(look.n_dice))
    if look.kind == "pyramids":
        return f"Throw {count} pyramids. The throw is the number of marked tips on top."
    if look.kind == "sticks":
        none = next(throw for throw, marks in look.marks.items() if not marks)
        return (
            f"Throw {count} sticks. The throw is the number of marked sides on top; "
            f"none counts as {none}."
        )
    if look.kind == "die":
        return f"Throw one die, numbered 1 to {max(look.marks)}."
    return f"The throws are {', '.join(map(str, rules.dice.throws))}."


def _throw_words(rules: RuleSet) -> list[str]:
    family = rules.mechanics
    steps = {throw: family.steps(throw) for throw in rules.dice.throws}
    words = []
    if any(step not in (0, throw) for throw, step in steps.items()):
        each = (f"{throw} moves {step or 'nothing'}" for throw, step in steps.items())
        words.append(f"What a throw does is not its number: {', '.join(each)}.")
    else:
        words.append("Move one of your pieces forward along your path, as far as the throw says.")
    entering = [throw for throw in rules.dice.throws if family.may_enter(throw) and steps[throw]]
    if ENTER in family.choices(1, 1):
        words.append("Before you throw, choose whether to move a piece or to enter one.")
    elif len(entering) < sum(map(bool, steps.values())):
        words.append(f"A piece enters only with {' or '.join(map(str, entering))}.")
    else:
        words.append("A waiting piece enters in the same way.")
    return words


def short_words(rules: RuleSet) -> list[str]:
    """A rule set in a few sentences, enough to begin a game; the prose has the rest."""
    card = card_of(rules)
    pieces = counted(rules.pieces, "piece")
    words = [
        card.sentence,
        f"Each side has {pieces}. Take them all along your path and off the board: the first to "
        "do so wins.",
        _dice_words(rules),
        *_throw_words(rules),
        "If you can move, you must. If you cannot, the turn passes to the other side.",
        "To leave the board a piece needs the exact throw: one more than the squares ahead of it.",
    ]
    return [*words, *_kinds_words(rules)]


def _kinds_words(rules: RuleSet) -> list[str]:
    """The kinds of squares where both sides meet or something happens, the commonest last."""
    kinds: dict[str, list[str]] = {}
    for square, sentence in square_words(rules).items():
        if square[0] != "C" and not re.fullmatch(r"(Only|No) [^.]* here\.", sentence):
            kinds.setdefault(sentence, []).append(square)
    commonest = max(kinds, key=lambda sentence: len(kinds[sentence]))
    words = [
        f"{', '.join(squares)}: {sentence}"
        for sentence, squares in kinds.items()
        if sentence != commonest
    ]
    return [
        *words,
        f"Elsewhere: {commonest}",
        "A captured piece waits again, and may enter as before.",
    ]


# Squares.


def square_words(rules: RuleSet) -> dict[str, str]:
    """What each square means, by its name, in a sentence or two."""
    return {square: _square_words(rules, square) for square in rules.board.squares}


def _square_words(rules: RuleSet, square: str) -> str:
    family, rule = rules.mechanics, rules.mechanics.squares[square]
    walkers = [name for side, name in SIDE_NAMES.items() if square in rules.path.squares(side)]
    kind = square_word(rules.board, family.marks, square)
    words = [f"{kind.capitalize()}."] if kind else []
    if not walkers:
        return " ".join([*words, "No piece comes here."])
    if len(walkers) == 1:
        words.append(f"Only {walkers[0]} comes here.")
    if len(walkers) == 2 or rule.fault(("L", "L")) is None:
        words.append(rule.words)
    throws = [throw for throw in rules.dice.throws if family.steps(throw)]
    given = [
        all(any(family.again(throw, each, False)) for throw in throws)
        for each in (square, *rules.board.squares)
    ]
    if given[0] and not all(given):
        may = ", which you may decline" if family.may_decline else ""
        words.append(f"Landing here gives another throw{may}.")
    return " ".join(words)


# The prose.


def prose_values(rules: RuleSet) -> Json:
    """The rules of a rule set as paragraphs: in short, then its sections of `rules.md`.

    A block has a ``kind``: ``p`` and ``li`` with ``runs``, each a style (empty, ``code``,
    ``strong``, ``em``) and a text; ``pre`` with ``text``; ``board`` with ``svg``.
    """
    sections = sections_of(rules)
    own = [each for each in sections if each.title.startswith(("Rule set", "Family"))]
    rest = [each for each in sections if each not in own and each.number not in _FOR_RECORDS]
    notation = [each for each in sections if each.number in _FOR_RECORDS]
    return {
        "word": rules.word,
        "title": card_of(rules).title,
        "short": short_words(rules),
        "sources": list(dict.fromkeys(each.document for each in mentions_of(rules))),
        "sections": [_section_values(each) for each in (*own[::-1], *rest, *notation)],
    }


def _section_values(section: Section) -> Json:
    return {"title": section.title, "blocks": list(_blocks(section.text))}


def _blocks(markdown: str) -> Iterator[Json]:
    lines: list[str] = []
    is_code = False
    for line in [*markdown.splitlines(), ""]:
        if line.startswith(_FENCE) or not (line or is_code):
            yield from _code(lines) if is_code else _prose(lines)
            lines = []
            is_code ^= line.startswith(_FENCE)
        else:
            lines.append(line)


def _prose(lines: list[str]) -> Iterator[Json]:
    """A paragraph, the items of a list, or the rows of a table."""
    if lines and lines[0].startswith("|"):
        yield {"kind": "pre", "text": "\n".join(lines)}
        return
    kind, text = "p", ""
    for line in lines:
        item = _ITEM.match(line)
        if item is None:
            text = f"{text} {line.strip()}".lstrip()
            continue
        if text:
            yield {"kind": kind, "runs": _runs(text)}
        kind, text = "li", item[1]
    if text:
        yield {"kind": kind, "runs": _runs(text)}


def _runs(text: str) -> list[list[str]]:
    runs, end = [], 0
    for span in _SPAN.finditer(text):
        code, strong, emphasis = span.groups()
        style = "code" if code else "strong" if strong else "em"
        runs += [["", text[end : span.start()]], [style, code or strong or emphasis]]
        end = span.end()
    return [run for run in (*runs, ["", text[end:]]) if run[1]]


def _code(lines: list[str]) -> Iterator[Json]:
    """An example of `ur moves` as the board that it shows, and its answer; other code as it is."""
    drawn = _example(lines[0]) if lines else None
    if drawn is not None:
        yield {"kind": "board", "svg": drawn}
        blank = [k for k, line in enumerate(lines) if not line]
        lines = lines[blank[1] + 1 :] if len(blank) > 1 else lines
    yield {"kind": "pre", "text": "\n".join(lines)}


def _example(line: str) -> str | None:
    """The drawing of the position in a call of `ur moves`."""
    if not line.startswith("$ ur moves "):
        return None
    _, _, _, name, position, *_ = shlex.split(line)
    try:
        return str(board_svg(named_rules(name).position(position)))
    except InputError:  # pragma: no cover - the examples are tested
        return None
