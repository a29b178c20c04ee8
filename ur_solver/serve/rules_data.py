"""A rule set as data: described for people, and complete, for the page and for programs.

There are no rules in the page: it looks moves up in the tables that the compiled generator uses
(`ur_solver.moves.tables`), and notations, faults and drawings in what `rules_data` writes, be it
for a server or for a site of files. Its keys:

``version``
    `VERSION`.
``about``
    What is said of the rule set (`rules_values`), and of a table of it (`whole_table_values`).
``contents``
    By square, in the order of `Board.squares`, what it may hold, by number.
``tables``
    Arrays of `MoveTables` as lists, by name.
``has_rests``
    Whether a piece ever rests.
``movers``
    Pieces and their path indices, as `MoveTables.movers`.
``types``
    By turn type its choices, each ``{"name", "may", "chances", "passes"}`` as
    `PieceChoice` has them.
``rolls``
    By choice and by the number of the piece that would enter, empty if pieces have
    none: ``[probability, throws, the throw that a piece is moved by or null]``.
``decision_marks``
    What follows a move where an extra throw may be declined: declined, and made.
``payoff``
    ``total``, what both sides' values sum to without fines; ``fine``, what a fine adds to
    it; ``cost``, what landing on a rosette costs; ``most_fines``, null without stakes.
``faults``
    By square: by sentence, the contents that cannot be there for that reason, each one
    piece more than a content that can.
``opening``
    The rounds by which the first player is found; null if there are none. ``share`` is the
    chance that light is the first player where it does not depend on where the game
    begins; ``rounds`` has, by the square of light's marker, empty before it enters, the
    ``marker``, the ``board`` as a position and the ``throws`` of a round: light's and dark's
    ``throws``, their ``probability``, the ``chooser`` if a side may choose, and the ``outcomes``:
    the ``round`` as a record writes it, the ``move`` of the side that chooses, and the ``marker``
    of the next round or the ``position`` in which the game begins.
``rgn``
    `rgn_texts`.
``stacks``
    Squares on which the order of pieces matters.
``drawing``
    ``light`` and ``dark``, the side on top: `board_template`; ``sizes``: `board_sizes`;
    ``marks``: by square, `square_mark`.
``said``
    By text, of those above that the page has in other languages too, its sentences, each a
    key and its arguments (`ur_solver.common.sayings`).
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from typing import Any

from ur_solver.answers.openings import sources_of
from ur_solver.common.sayings import say, sentences_in, together
from ur_solver.errors import InputError
from ur_solver.estimators.evaluator import Evaluator
from ur_solver.moves import generator_of
from ur_solver.players.policies import TEMPERATURES
from ur_solver.records import NOTATIONS, round_text, rules_text
from ur_solver.records.rgn import rgn_texts
from ur_solver.records.settings import settings_or_none
from ur_solver.rules import (
    CATALOGUE,
    DARK,
    FREE_THROW,
    HOME,
    LIGHT,
    SIDE_NAMES,
    Position,
    RuleSet,
    named_rules,
)
from ur_solver.rules.board import Look
from ur_solver.rules.contents import awake, split
from ur_solver.rules.descriptions import Section, card_of, mentions_of, sections_of
from ur_solver.rules.family import ENTER, FREE_OPENING
from ur_solver.rules.game import OLD_NAMES, is_catalogued
from ur_solver.rules.openings import Opening, chooser, level, opening_of
from ur_solver.rules.payoff import Stakes
from ur_solver.rules.position_text import MAX_FINES
from ur_solver.rules.svg import board_sizes, board_svg, board_template, square_mark
from ur_solver.space import positions_of

Json = dict[str, Any]

VERSION = 3
"""Of these data; a page refuses others."""

_TABLES = (
    "throws", "mover_cell", "mover_part", "lift_start", "lift", "step_start", "step_target",
    "step_landing", "landing_cell", "landing_start", "landing_content", "landing_taken", "again",
    "is_rosette", "first_content", "mirror_cell", "mirror_content", "awake", "n_mine",
    "stock_count", "type_of",
)  # fmt: skip
"""The arrays of `MoveTables` that a page needs."""


def rules_data(rules: RuleSet, table: Json | None = None) -> Json:
    """A rule set's moves, positions and drawings; see the module's head.

    What is said of a table besides (`whole_table_values`) is added to ``about``.
    """
    tables, positions = generator_of(rules).tables, positions_of(rules)
    empty = Position(rules, ("",) * len(rules.board.squares), LIGHT, 0, 0)
    return with_sentences(
        {
            "version": VERSION,
            "about": rules_values(rules) | (table or {}),
            "contents": [list(contents) for contents in positions.contents],
            "tables": {name: getattr(tables, name).tolist() for name in _TABLES},
            "has_rests": tables.may_rest,
            "movers": [list(mover) for mover in tables.movers],
            "types": [
                [
                    {
                        "name": choice.name,
                        "may": choice.may,
                        "chances": choice.chances,
                        "passes": choice.passes,
                    }
                    for choice in choices
                ]
                for choices in tables.types
            ],
            "rolls": _rolls(rules),
            "decision_marks": rules.mechanics.decision_marks,
            "payoff": _payoff(rules),
            "faults": [dict(_faults(rules, square)) for square in positions.squares],
            "opening": _opening(rules),
            "rgn": rgn_texts(rules),
            "stacks": [
                square for square in positions.squares if rules.mechanics.squares[square].is_stack
            ],
            "drawing": {
                **{SIDE_NAMES[side]: board_template(empty, side) for side in (LIGHT, DARK)},
                "sizes": board_sizes(rules),
                "marks": _marks(rules),
            },
        }
    )


def _marks(rules: RuleSet) -> dict[str, str]:
    """The markings of squares, of those that have one."""
    found = {
        square: square_mark(rules.board, rules.mechanics.marks, square)
        for square in rules.board.squares
    }
    return {square: mark for square, mark in found.items() if mark}


def with_sentences(values: Json) -> Json:
    """Values, and in ``said`` what their texts are made of, so that the page can translate them."""
    return values | {"said": sentences_in(values)}


def _rolls(rules: RuleSet) -> dict[str, Json]:
    family = rules.mechanics
    candidates = [None, *range(1, rules.pieces + 1)] if family.is_numbered else [None]
    return {
        choice: {
            str(candidate or ""): [
                [float(roll.probability), roll.throws, roll.moves_by]
                for roll in family.rolls(choice, candidate)
            ]
            for candidate in candidates
        }
        for choice in family.choices(1, 1)
    }


def _payoff(rules: RuleSet) -> Json:
    payoff = rules.payoff
    return {
        "total": payoff.total(0),
        "fine": payoff.total(1) - payoff.total(0),
        "cost": payoff.cost(True),
        "most_fines": MAX_FINES if payoff.has_fines else None,
    }


def _opening(rules: RuleSet) -> Json | None:
    opening = opening_of(rules)
    if opening is None:
        return None
    rounds = {
        marker or "": {
            "marker": marker,
            "board": level(rules, source).notation,
            "throws": [_round(opening, source, thrown) for thrown in opening.throws],
        }
        for marker, source in sources_of(opening).items()
    }
    whole = rules.payoff.total(0)
    # as if the first player had everything
    share = opening.value(lambda position: whole if position.side == LIGHT else 0) / (whole or 1)
    return {"share": share, "rounds": rounds}


def _round(opening: Opening, source: int, thrown: tuple[int, ...]) -> Json:
    """A throw of a round from a path index, and what may come of it."""
    rounds = opening.rounds(source, thrown)
    side = chooser(rounds) if len(rounds) > 1 else None
    path = opening.rules.path.light
    return {
        "throws": list(thrown),
        "probability": float(opening.throws[thrown]),
        "chooser": None if side is None else SIDE_NAMES[side],
        "outcomes": [
            {
                "round": round_text(each),
                "move": None if side is None else each.text.split()[side == DARK],
                "marker": None if each.position or each.then == HOME else path[each.then],
                "position": each.position.notation if each.position else None,
            }
            for each in rounds
        ],
    }


def _faults(rules: RuleSet, square: str) -> Iterator[tuple[str, list[str]]]:
    """The sentences of a square's faults, each with the contents that have it."""
    family = rules.mechanics
    rule = family.squares[square]
    found: dict[str, dict[str, None]] = {}
    pieces = dict.fromkeys(map(awake, family.pieces_on[square]))
    for content in dict.fromkeys(map(awake, family.contents_on(square))):
        for piece in pieces:
            taller = family.arranged(square, (*split(content), piece))
            if fault := rule.fault(split(taller)):
                found.setdefault(fault, {})[taller] = None
    yield from ((fault, [*contents]) for fault, contents in found.items())


# What is said of a rule set, and of what answers for it.


def rules_values(rules: RuleSet) -> Json:
    """A rule set: its data, its board, and the options of players.

    Probabilities are in [0, 1]. ``pieces_on`` lists the legal contents by square, in the
    notation of positions; ``steps`` is how far a throw moves a piece, 0 if it moves none.
    """
    family = rules.mechanics
    dice = rules.dice
    choices = family.choices(1, 1)
    return {
        "word": rules.word,
        **game_values(rules),
        "rules": rules.to_json(),
        "board": {
            "rows": list(rules.board.rows),
            "rosettes": sorted(rules.rosettes),
            "pieces_on": {square: list(family.pieces_on[square]) for square in rules.board.squares},
            "words": square_words(rules),
            "shared": [square for square in rules.board.squares if _is_shared(rules, square)],
        },
        "paths": {name: list(rules.path.squares(side)) for side, name in SIDE_NAMES.items()},
        "dice": [
            {
                "throw": throw,
                "probability": float(dice.probabilities[throw]),
                "fraction": str(dice.probabilities[throw]),
                "steps": family.steps(throw),
            }
            for throw in dice.throws
        ],
        "look": dice_values(dice.look),
        "start": rules.start().notation,
        "opening": rules.switches.get(FREE_OPENING.key),
        "opening_throw": family.opening_throw,
        "choices": [] if choices == (FREE_THROW,) else list(choices),
        "is_numbered": family.is_numbered,
        "stakes": None if rules.stakes is None else _stakes(rules.stakes, rules.pieces),
        "record_rules": rules_text(rules),
        "notations": [each.name for each in NOTATIONS.values() if each.fault(rules) is None],
    }


def _is_shared(rules: RuleSet, square: str) -> bool:
    """Whether a square may hold more than one piece."""
    family = rules.mechanics
    pieces, rule = family.pieces_on[square], family.squares[square]
    return any(rule.fault((one, other)) is None for one in pieces for other in pieces)


def _stakes(stakes: Stakes, pieces: int) -> dict[str, int]:
    return {"ante": stakes.ante, "fine": stakes.fine, "reach": stakes.reach_of(pieces)}


def answering_values(name: str, table: Evaluator) -> Json:
    """A table and the game of the catalogue that it answers for; None for any other game."""
    rules = table.rules
    game = OLD_NAMES.get(rules.name, rules.name) if is_catalogued(rules) else None
    return {"id": name, "game": game, "pieces": rules.pieces, "exact": table.are_exact}


def table_values(name: str, table: Evaluator) -> Json:
    """A table in a list of tables: its rule set, the value of the start, the error of values.

    Of an estimator the error is that of the value of the start, half the width of its interval;
    the value of an opening in which both sides enter is left out.
    """
    start = table.rules.start()
    values: Json = {
        "id": name,
        "word": table.rules.word,
        "name": table.rules.name,
        "pieces": table.rules.pieces,
        "positions": table.space.n_positions,
        "value_type": table.header.value_type if table.are_exact else None,
        "tolerance": table.tolerance if table.are_exact else None,
        "error": table.max_error if table.are_exact else table.error(start),
        "digest": table.digest if table.are_exact else table.stored.digest,
        "value": table.value(start),
    }
    if not table.are_exact:
        values |= {"exact": False, "plies": table.plies, "agreement": table.agreement}
    # by an estimator an opening in which both sides enter takes as long as thousands of positions
    if table.are_exact or not table.rules.mechanics.both_enter:
        values["opening_value"] = table.opening_value()
    return values


def whole_table_values(name: str, table: Evaluator) -> Json:
    """The same, and the temperatures of the players that play by a table."""
    return table_values(name, table) | {"players": dict(TEMPERATURES)}


_FENCE = "```"
_ITEM = re.compile(r"- (.*)")
_SPAN = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*")
_FOR_RECORDS = ("4.2", "4.3")
"""The sections on notation, which nobody needs to play."""

# Games to choose from.


@lru_cache(maxsize=1)
def measured() -> dict[str, Json]:
    """What was measured of the rule sets' games, by name: the atlas's figures in short.

    ``pieces`` a side; ``throws`` a game on average; ``greedy`` the share of games that the
    policy greedy wins against best play, and ``forced`` that of throws that leave at most one move,
    in [0, 1].
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
        "settings": settings_or_none(rules),
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
    if look.kind == "pyramids":
        return say("rule.pyramids", count=look.n_dice)
    if look.kind == "sticks":
        none = next(throw for throw, marks in look.marks.items() if not marks)
        return say("rule.sticks", count=look.n_dice, none=none)
    if look.kind == "die":
        return say("rule.die", most=max(look.marks))
    return say("rule.throws", throws=rules.dice.throws)


def _throw_words(rules: RuleSet) -> list[str]:
    family = rules.mechanics
    steps = {throw: family.steps(throw) for throw in rules.dice.throws}
    words: list[str] = [say("rule.move")]
    if any(step not in (0, throw) for throw, step in steps.items()):
        each = (
            say("rule.step", throw=throw, count=step)
            if step
            else say("rule.step.none", throw=throw)
            for throw, step in steps.items()
        )
        words = [together(say("rule.steps"), *each)]
    entering = [throw for throw in rules.dice.throws if family.may_enter(throw) and steps[throw]]
    if ENTER in family.choices(1, 1):
        words.append(say("rule.choose"))
    elif len(entering) < sum(map(bool, steps.values())):
        words.append(say("rule.enter.only", throws=entering))
    else:
        words.append(say("rule.enter"))
    return words


def short_words(rules: RuleSet) -> list[str]:
    """A rule set in a few sentences, enough to begin a game; the prose has the rest."""
    words = [
        card_of(rules).sentence,
        say("rule.aim", count=rules.pieces),
        _dice_words(rules),
        *_throw_words(rules),
        say("rule.must"),
        say("rule.exact"),
    ]
    return [*words, *_kinds_words(rules)]


def _kinds_words(rules: RuleSet) -> list[str]:
    """The kinds of squares where both sides meet or something happens, the commonest last."""
    kinds: dict[str, list[str]] = {}
    for square in rules.board.squares:
        marking, walkers, effects = _square_words(rules, square)
        if square[0] != "C" and effects:
            kinds.setdefault(together(marking, walkers, *effects), []).append(square)
    commonest = max(kinds, key=lambda sentence: len(kinds[sentence]), default="")
    words: list[str] = [
        together(say("rule.on", squares=squares), sentence)
        for sentence, squares in kinds.items()
        if sentence != commonest
    ]
    if commonest:
        words.append(together(say("rule.elsewhere"), commonest))
    do_meet = bool({*rules.path.light} & {*rules.path.dark})
    return [*words, say("rule.captured" if do_meet else "rule.apart")]


# Squares.


def square_words(rules: RuleSet) -> dict[str, str]:
    """What each square means, by its name, in a sentence or two."""
    found = {square: _square_words(rules, square) for square in rules.board.squares}
    return {
        square: together(marking, walkers, *effects)
        for square, (marking, walkers, effects) in found.items()
    }


def _square_words(rules: RuleSet, square: str) -> tuple[str, str, list[str]]:
    """The marking of a square, who comes there if not both, and what happens there."""
    family, rule = rules.mechanics, rules.mechanics.squares[square]
    walkers = [name for side, name in SIDE_NAMES.items() if square in rules.path.squares(side)]
    mark = square_mark(rules.board, family.marks, square)
    marking = say(f"square.{mark}") if mark else ""
    if not walkers:
        return marking, say("square.nobody"), []
    effects = []
    if len(walkers) == 2 or rule.fault(("L", "L")) is None:
        effects.append(rule.words)
    throws = [throw for throw in rules.dice.throws if family.steps(throw)]
    given = [
        all(any(family.again(throw, each, False)) for throw in throws)
        for each in (square, *rules.board.squares)
    ]
    if given[0] and not all(given):
        effects.append(say(f"square.again{'.may' * family.may_decline}"))
    return marking, "" if len(walkers) == 2 else say(f"square.only.{walkers[0]}"), effects


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
    return with_sentences(
        {
            "word": rules.word,
            "title": card_of(rules).title,
            "short": short_words(rules),
            "sources": list(dict.fromkeys(each.document for each in mentions_of(rules))),
            "sections": [_section_values(each) for each in (*own[::-1], *rest, *notation)],
        }
    )


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
