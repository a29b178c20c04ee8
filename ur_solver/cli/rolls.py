"""What `ur moves` and `ur best` are asked: a position and, perhaps, the choice and the throws.

A turn begins with a choice in some rule sets only: in birds with *move* or *enter*. Without a
choice, or without throws, all that the rules allow are answered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import click

from ur_solver.cli.batch import STDIN, answer_batch
from ur_solver.cli.options import position_of
from ur_solver.cli.output import chance_text, draw_position, echo
from ur_solver.common.text import counted
from ur_solver.errors import InputError
from ur_solver.rules import FREE_THROW, Position, RuleSet
from ur_solver.rules.family import Roll

_MOST_THROWS = 2

throw_argument = click.argument("throw", nargs=-1, metavar="[THROW]")


class ChosenRoll(NamedTuple):
    """A choice before the throw, and a roll after it."""

    choice: str
    roll: Roll

    @property
    def words(self) -> str:
        """As a record has them: ``enter 3 2``; without choices the throw alone."""
        return " ".join(filter(None, (self.choice, *map(str, self.roll.throws))))

    @property
    def passing(self) -> str:
        """In words, where there is no move."""
        throws = " ".join(map(str, self.roll.throws))
        return f"{self.choice or 'throw'} {throws}: no move, the turn passes"


class Question(NamedTuple):
    """A position, the throws that were given, and the rolls that begin with them.

    There is no roll if the game is over.
    """

    position: Position
    throws: tuple[int, ...]
    rolls: tuple[ChosenRoll, ...]


def check_arguments(position: str | None, throw: Sequence[str]) -> None:
    """Refuse a throw together with ``-``, and a position that a shell has split."""
    if position is None or not throw:
        return
    if position == STDIN:
        raise click.UsageError("with '-' each line has its own throw: omit the argument 'THROW'")
    if "/" in position and " " not in position:
        raise click.UsageError("quote a position, as it contains spaces")


def has_choices(rules: RuleSet) -> bool:
    """Whether turns of a rule set begin with a choice."""
    return rules.mechanics.choices(1, 1) != (FREE_THROW,)


def _parse_question(rules: RuleSet, text: str) -> Question:
    """Parse a line: a position, or a position, a tab, and the choice and throws."""
    position, _, words = text.partition("\t")
    return _question_of(rules.position(position), words.split())


def _question_of(position: Position, words: Sequence[str]) -> Question:
    """What is asked by a choice, which may be missing, and throws, of which there may be none.

    Raises
    ------
    ThrowError
        If the dice cannot show a throw.
    InputError
        If there are too many throws, the rules do not allow the choice here, or no turn has
        these throws.
    """
    family = position.rules.mechanics
    is_choice = has_choices(position.rules) and words[:1] and words[0] in family.choices(1, 1)
    choice, shown = (words[0], words[1:]) if is_choice else (None, words)
    most = _MOST_THROWS if has_choices(position.rules) else 1
    if len(shown) > most:
        raise InputError(
            f"{' '.join(shown)!r:.60}: a turn of {position.rules.name} has "
            f"{counted(most, 'throw')} at most"
        )
    if most > 1 and shown and not (is_choice or shown[0].isdecimal()):
        expected = ", ".join(family.choices(1, 1))
        raise InputError(f"{shown[0]!r:.60}: expected a throw or a choice, one of {expected}")
    throws = tuple(map(position.rules.dice.parse, shown))
    if position.winner is not None:
        return Question(position, throws, ())
    return Question(position, throws, tuple(_rolls(position, choice, throws)))


def _rolls(position: Position, choice: str | None, throws: tuple[int, ...]) -> list[ChosenRoll]:
    family, side = position.rules.mechanics, position.side
    allowed = family.choices(position.home(side), position.on_board(side))
    if choice not in (None, *allowed):
        raise InputError(
            f"{choice!r} is not allowed in {position.notation!r}; allowed: {', '.join(allowed)}"
        )
    candidate = min(position.numbers(side), default=None)
    found = [
        ChosenRoll(each, roll)
        for each in allowed
        if choice in (None, each)
        for roll in family.rolls(each, candidate)
        if roll.throws[: len(throws)] == throws
    ]
    if not found:
        shown = " and ".join(map(str, throws))
        raise InputError(f"no turn has throws of {shown} in {position.notation!r}")
    return found


class Forms(NamedTuple):
    """How a command writes the moves of one roll.

    Attributes
    ----------
    json : callable
        As keys and values of JSON.
    over : callable
        The same of a finished game.
    line, page : callable
        In a line, and for people.
    """

    json: Callable[[Position, ChosenRoll], dict[str, Any]]
    over: Callable[[Position], dict[str, Any]]
    line: Callable[[Position, ChosenRoll], str]
    page: Callable[[Position, ChosenRoll], str]


def answer_questions(
    rules: RuleSet,
    position: str | None,
    throw: Sequence[str],
    forms: Forms,
    *,
    as_json: bool,
    check: Callable[[Position], object] = lambda position: None,
    note: str = "",
) -> None:
    """Print the answer to the question of a command, or to those of standard input's lines.

    Parameters
    ----------
    rules : RuleSet
    position : str or None
        The start if it is None; ``-`` for standard input.
    throw : sequence of str
    forms : Forms
    as_json : bool
    check : callable
        Raises InputError for a position that cannot be answered.
    note : str
        What follows an answer for people.
    """

    def line(asked: Question) -> str:
        return _json(asked, forms) if as_json else _line(asked, forms.line)

    def parse(text: str) -> Question:
        asked = _parse_question(rules, text)
        check(asked.position)
        return asked

    if position == STDIN:
        answer_batch(parse, lambda group: [line(each) for each in group], as_json=as_json)
        return
    asked = _question_of(position_of(rules, position), throw)
    echo(_json(asked, forms) if as_json else _page(asked, forms.page) + note)


def _json(asked: Question, forms: Forms) -> str:
    position, throws, found = asked
    of = forms.json
    answer: dict[str, Any] = {"position": position.notation}
    if has_choices(position.rules):
        answer["turns"] = [
            {
                "choice": each.choice,
                "throws": list(each.roll.throws),
                "probability": float(each.roll.probability),
                **of(position, each),
            }
            for each in found
        ]
    elif throws:
        answer["throw"] = throws[0]
        answer |= of(position, found[0]) if found else forms.over(position)
    else:
        answer["throws"] = [
            {
                "throw": each.roll.throws[0],
                "probability": float(each.roll.probability),
                **of(position, each),
            }
            for each in found
        ]
    return json.dumps(answer)


def _line(asked: Question, of: Callable[[Position, ChosenRoll], str]) -> str:
    position, throws, found = asked
    if throws and found and not has_choices(position.rules):
        return f"{position.notation}\t{throws[0]}\t{of(position, found[0])}"
    turns = "; ".join(f"{each.words}: {of(position, each)}" for each in found)
    return f"{position.notation}\t{turns or 'the game is over'}"


def _page(asked: Question, of: Callable[[Position, ChosenRoll], str]) -> str:
    """The answer for people, under the board."""
    position, throws, found = asked
    parts = [draw_position(position)]
    if not found:
        parts.append("  the game is over")
    elif len(found) == 1 and throws:
        parts.append(of(position, found[0]))
    else:
        for each in found:
            chance = chance_text(each.roll.probability)
            shown = " and ".join(map(str, each.roll.throws))
            choice = f"{each.choice}, " if each.choice else ""
            parts.append(f"{choice}throw {shown}, {chance}\n{of(position, each)}")
    return "\n\n".join(parts)
