"""`ur moves`; and what it and `ur best` are asked: a position, perhaps a choice and throws.

A turn begins with a choice in some rule sets only: in birds with *move* or *enter*. Without a
choice, or without throws, all that the rules allow are answered. Questions may come from standard
input, one a line, and are answered as they arrive.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar, cast

import click

from ur_solver.cli.options import (
    json_option,
    pieces_option,
    position_argument,
    position_of,
    rules_argument,
)
from ur_solver.cli.output import chance_text, columns, draw_position, echo
from ur_solver.common.files import standard_input
from ur_solver.common.text import StreamDecoder, counted, json_text
from ur_solver.errors import InputError
from ur_solver.rules import Move, Position, RuleSet, named_rules
from ur_solver.rules.turns import Outcome, has_choices, turn

_T = TypeVar("_T")

STDIN = "-"
"""The argument that stands for standard input."""

_READ = 1 << 16
_MAX_LINE = 1000
_SHOWN = 80
"""Characters of a line that are repeated where it cannot be answered."""


class Line(NamedTuple):
    """A line that is not blank, stripped, and its number, from 1."""

    number: int
    text: str


class BatchError(InputError):
    """Some lines could not be answered; the others have been."""


def answer_batch(
    parse: Callable[[str], _T], answer: Callable[[list[_T]], Sequence[str]], *, as_json: bool
) -> None:
    """Answer the lines of standard input, a line each, in the groups in which they arrive.

    Each read takes what is available, up to 64 KiB: a program at the other end of a pipe gets its
    answers before it asks more, and a file is read in large groups. Blank lines are skipped.

    `parse` raises InputError for an invalid line, which is answered by its text and the message, in
    JSON by ``{"line", "input", "message"}``; BatchError follows at the end. `answer` takes several
    parsed lines.
    """
    n_lines = n_faults = 0
    first = ""
    for lines in _groups():
        parsed, answers = [], []
        for line in lines:
            n_lines += 1
            try:
                parsed.append(_parsed(line, parse))
                answers.append("")
            except InputError as error:
                answers.append(_fault(line, str(error), as_json))
                n_faults += 1
                first = first or f"line {line.number}: {error}"
        found = iter(answer(parsed) if parsed else ())
        if answers:
            echo("\n".join(each or next(found) for each in answers), raw=True)
    if n_faults:
        raise BatchError(
            f"{counted(n_faults, 'line')} of {n_lines:,} could not be answered; {first}"
        )


def _parsed(line: Line, parse: Callable[[str], _T]) -> _T:
    if len(line.text) > _MAX_LINE:
        raise InputError(f"longer than {_MAX_LINE} characters")
    return parse(line.text)


def _fault(line: Line, message: str, as_json: bool) -> str:
    shown = line.text[:_SHOWN]
    if as_json:
        return json_text({"line": line.number, "input": shown, "message": message})
    return f"{shown}\terror: {message}"


def _groups() -> Iterator[list[Line]]:
    # buffered it is, unlike what the type of `buffer` promises
    stream = cast(io.BufferedReader, standard_input())
    decoder = StreamDecoder()
    number, rest = 1, ""
    while block := stream.read1(_READ):
        lines = (rest + decoder.decode(block)).split("\n")
        # keep no more of an endless line than shows that it is too long
        rest = lines.pop()[: 4 * _MAX_LINE]
        yield _numbered(lines, number)
        number += len(lines)
    yield _numbered((rest + decoder.decode(b"", final=True)).split("\n"), number)


def _numbered(lines: list[str], first: int) -> list[Line]:
    texts = (line.strip() for line in lines)
    return [Line(number, text) for number, text in enumerate(texts, start=first) if text]


_MOST_THROWS = 2

throw_argument = click.argument("throw", nargs=-1, metavar="[THROW]")


class ChosenRoll(NamedTuple):
    """A choice before the throw, and what may be thrown after it."""

    choice: str
    outcome: Outcome

    @property
    def words(self) -> str:
        """As a record has them: ``enter 3 2``; without choices the throw alone."""
        return " ".join(filter(None, (self.choice, *map(str, self.outcome.throws))))

    @property
    def passing(self) -> str:
        """In words, where there is no move."""
        throws = " ".join(map(str, self.outcome.throws))
        return f"{self.choice or 'throw'} {throws}: no move, the turn passes"

    @property
    def heading(self) -> str:
        """As a heading: ``enter, throw 3 and 2, 6.25 %``."""
        throws = " and ".join(map(str, self.outcome.throws))
        choice = f"{self.choice}, " if self.choice else ""
        return f"{choice}throw {throws}, {chance_text(self.outcome.probability)}"

    def to_json(self) -> dict[str, Any]:
        """As JSON values: the throws are a list where there may be two."""
        throws = list(self.outcome.throws)
        shown = {"choice": self.choice, "throws": throws} if self.choice else {"throw": throws[0]}
        return shown | {"probability": float(self.outcome.probability)}


class Question(NamedTuple):
    """A position, the choice and throws that were given, and the rolls that begin with them.

    There is no roll if the game is over.
    """

    position: Position
    choice: str | None
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


def _parse_question(rules: RuleSet, text: str) -> Question:
    """Parse a line: a position, or a position, a tab, and the choice and throws."""
    position, _, words = text.partition("\t")
    return question_of(rules.position(position), words.split())


def question_of(position: Position, words: Sequence[str]) -> Question:
    """What is asked by a choice, which may be missing, and throws, of which there may be none.

    Raises ThrowError if the dice cannot show a throw, and InputError for too many throws, a choice
    that the rules do not allow here, and throws that no turn has.
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
    return Question(position, choice, throws, _rolls(position, choice, throws))


def _rolls(
    position: Position, choice: str | None, throws: tuple[int, ...]
) -> tuple[ChosenRoll, ...]:
    choices = turn(position)
    if not choices:
        return ()
    allowed = [each.name for each in choices]
    if choice not in (None, *allowed):
        raise InputError(
            f"{choice!r} is not allowed in {position.notation!r}; allowed: {', '.join(allowed)}"
        )
    found = tuple(
        ChosenRoll(each.name, outcome)
        for each in choices
        if choice in (None, each.name)
        for outcome in each.outcomes
        if outcome.throws[: len(throws)] == throws
    )
    if not found:
        shown = " and ".join(map(str, throws))
        raise InputError(f"no turn has throws of {shown} in {position.notation!r}")
    return found


class Forms(NamedTuple):
    """How a command writes what it finds of each roll: as JSON, in a line, on a page.

    `over` gives the JSON of a finished game.
    """

    json: Callable[[Question], list[dict[str, Any]]]
    over: Callable[[Position], dict[str, Any]]
    line: Callable[[Question], list[str]]
    page: Callable[[Question], list[str]]


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
    """Print the answer to the question of a command, or to those of standard input's lines (``-``).

    Without a position it is about the start. `check` raises InputError for a position that cannot
    be answered; `note` follows an answer for people.
    """

    def line(asked: Question) -> str:
        return _question_json(asked, forms) if as_json else _question_line(asked, forms)

    def parse(text: str) -> Question:
        asked = _parse_question(rules, text)
        check(asked.position)
        return asked

    if position == STDIN:
        answer_batch(parse, lambda group: [line(each) for each in group], as_json=as_json)
        return
    asked = question_of(position_of(rules, position), " ".join(throw).split())
    echo(
        _question_json(asked, forms) if as_json else _question_page(asked, forms) + note,
        raw=as_json,
    )


def _question_json(asked: Question, forms: Forms) -> str:
    answer: dict[str, Any] = {"position": asked.position.notation}
    found = forms.json(asked) if asked.rolls else []
    has_names = has_choices(asked.position.rules)
    if asked.throws and not has_names:
        answer["throw"] = asked.throws[0]
        answer |= found[0] if found else forms.over(asked.position)
    else:
        rolls = zip(asked.rolls, found, strict=True)
        answer["turns" if has_names else "throws"] = [each.to_json() | more for each, more in rolls]
    return json_text(answer)


def _question_line(asked: Question, forms: Forms) -> str:
    notation, found = asked.position.notation, forms.line(asked) if asked.rolls else []
    if asked.throws and found and not has_choices(asked.position.rules):
        return f"{notation}\t{asked.throws[0]}\t{found[0]}"
    turns = (f"{each.words}: {text}" for each, text in zip(asked.rolls, found, strict=True))
    return f"{notation}\t{'; '.join(turns) or 'the game is over'}"


def _question_page(asked: Question, forms: Forms) -> str:
    """The answer for people, under the board."""
    found = forms.page(asked) if asked.rolls else ["  the game is over"]
    if asked.rolls and not (len(found) == 1 and asked.throws):
        found = [f"{each.heading}\n{text}" for each, text in zip(asked.rolls, found, strict=True)]
    return "\n\n".join([draw_position(asked.position), *found])


@click.command()
@rules_argument
@position_argument
@throw_argument
@pieces_option
@json_option
def moves_command(
    rules: str, position: str | None, throw: tuple[str, ...], pieces: int | None, as_json: bool
) -> None:
    """List the legal moves of POSITION with THROW, or with every throw, and their successors.

    POSITION defaults to the start. In birds THROW begins with the choice before the throw, move or
    enter; after enter it may include the second throw: enter 3 2. Without a choice both are listed.

    RULES is a rule set, such as finkel or finkel:3, or a JSON file that holds one; no table is
    needed. POSITION '-' reads lines from standard input: a position, or a position, a tab and a
    throw. An invalid line produces an error in its place; the rest is still answered, and the
    exit code is 2.

    \b
    ur moves finkel:3 'L...__../..D...../....__.. L 2 2' 2
    """
    chosen = named_rules(rules, pieces)
    check_arguments(position, throw)
    forms = Forms(
        json=lambda asked: [_moves_json(each.outcome.moves) for each in asked.rolls],
        over=lambda _position: _moves_json(()),
        line=lambda asked: [_moves_line(each.outcome.moves) for each in asked.rolls],
        page=lambda asked: [_moves_page(each) for each in asked.rolls],
    )
    answer_questions(chosen, position, throw, forms, as_json=as_json)


def _moves_json(moves: Sequence[Move]) -> dict[str, Any]:
    return {
        "moves": [
            {"move": move.text, "position": move.position.notation, "again": move.again}
            for move in moves
        ]
    }


def _moves_line(moves: Sequence[Move]) -> str:
    return ", ".join(move.text for move in moves) or "no move"


def _moves_page(rolled: ChosenRoll) -> str:
    rows = [
        [f"  {move.text}", move.position.notation, "throws again" if move.again else ""]
        for move in rolled.outcome.moves
    ]
    return columns(rows, "<<<") if rows else f"  {rolled.passing}"
