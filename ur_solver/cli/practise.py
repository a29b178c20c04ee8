"""`ur practise`: decisions asked in the terminal, or written as flash cards.

The answer stays hidden, is tried again and is explained in numbers. Cards are CSV that Anki takes,
with pictures if they are asked for.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

import click

from ur_solver.answers.decisions import Verdict
from ur_solver.audit.audits import GameAudit
from ur_solver.cli.answering import note_of, plies_option
from ur_solver.cli.asking import ask, interrupt_of
from ur_solver.cli.audit import Judges, table_and_files
from ur_solver.cli.completion import complete_table
from ur_solver.cli.options import (
    OUTPUT_FILE,
    FiniteFloat,
    json_option,
    number_option,
    seed_option,
)
from ur_solver.cli.output import columns, draw_position, echo, report_left_out, say, say_written
from ur_solver.cli.playing import QuitError, chosen_index, worth_text
from ur_solver.common.files import check_outputs, make_folder, write_file
from ur_solver.common.progress import shown_task
from ur_solver.common.text import counted, json_text, printable
from ur_solver.errors import InputError
from ur_solver.estimators.evaluator import Evaluator
from ur_solver.rules import DARK, LIGHT, SIDE_NAMES
from ur_solver.rules.drawing import position_text
from ur_solver.rules.svg import board_picture
from ur_solver.study.practise import (
    Problem,
    Weighed,
    exercises,
    mistakes,
    next_throws,
    opening_problem,
    problem,
)

_HELP = "'show' shows the answer, 'skip' passes on, 'quit' ends"


class Quiz:
    """Asks decisions, each until it is answered rightly, shown or skipped."""

    def __init__(self, asked: Sequence[tuple[Problem, Evaluator]]) -> None:
        self._asked = asked
        self._n_asked = 0
        self._first: Counter[Verdict] = Counter()
        self._lost = 0.0  # by first answers, as shares of what there was to win

    def ask(self) -> None:
        """Ask all of them, then say how it went; the end of the input ends it, too.

        Ctrl-C raises KeyboardInterrupt after the score.
        """
        stop = None
        try:
            for number, (decision, evaluator) in enumerate(self._asked, start=1):
                self._ask(number, decision, evaluator)
        except (QuitError, click.Abort) as left:
            stop = interrupt_of(left)
        if self._asked:
            echo(f"\n{self._sum()}")
        if stop is not None:
            raise stop

    def _sum(self) -> str:
        """How it went, in words."""
        if not self._n_asked:
            return "you have answered no decision"
        decisions = counted(self._n_asked, "decision")
        has_pot = any(each.position.rules.payoff.has_fines for each, _ in self._asked)
        close = self._first[Verdict.CLOSE]
        return (
            f"{self._first[Verdict.BEST]} of {decisions} right at the first try"
            f"{f', {close} {Verdict.CLOSE.words}' if close else ''}; your first answers cost "
            f"{100 * self._lost / self._n_asked:.1f} {'% of the pot' if has_pot else 'points'} each"
        )

    def _ask(self, number: int, decision: Problem, evaluator: Evaluator) -> None:
        rules, source = decision.position.rules, decision.source
        where = f", {source}" if source else ""
        echo(f"\n{number} of {len(self._asked)}: {rules.word}{where}\n")
        echo(draw_position(decision.position))
        texts = [each.text for each in decision.options]
        listed = "   ".join(f"{k} {text}" for k, text in enumerate(texts, start=1))
        echo(f"\n{decision.question}\n  {listed}")
        is_first = True
        while True:
            answer = ask("best", lambda _line: [*texts, "show", "skip", "quit", "help"])
            word = answer.lower()
            if word == "quit":
                raise QuitError
            if word == "skip":
                return
            if word == "show":
                self._count(decision, None, is_first=is_first)
                echo(_answer_text(decision, decision.best, evaluator))
                return
            index = chosen_index(answer, texts)
            if index is None:
                is_help = word in ("help", "h", "?")
                said = (
                    "type a move or its number"
                    if is_help
                    else f"{answer[:40]!r} is not a move here"
                )
                say(f"{said}: {listed.strip()}; {_HELP}")
                continue
            chosen = decision.options[index]
            self._count(decision, chosen, is_first=is_first)
            is_first = False
            if chosen in decision.answers:
                echo(_answer_text(decision, chosen, evaluator))
                return
            echo(_wrong_text(decision, chosen, evaluator))

    def _count(self, decision: Problem, chosen: Weighed | None, *, is_first: bool) -> None:
        if not is_first:
            return
        self._n_asked += 1
        if chosen is not None:
            self._first[decision.verdict(chosen)] += 1
            self._lost += chosen.loss / (decision.total or 1)
        else:
            self._lost += decision.cost


def _wrong_text(decision: Problem, chosen: Weighed, evaluator: Evaluator) -> str:
    """What a wrong answer loses and what the next throws make of it; the best stays hidden."""
    units = decision.position.rules.payoff.units
    lost = f"{chosen.text} is worth {units.value(chosen.value)}: {units.lost(chosen.loss)}"
    return f"{lost}{_next_text(decision, [chosen], evaluator)}\ntry again"


def _answer_text(decision: Problem, chosen: Weighed, evaluator: Evaluator) -> str:
    """The verdict on an answer; all values, and what the next throws make of the best two."""
    options = [(each.text, each) for each in decision.options]
    played = f"\nin the game {decision.played} was played" if decision.played else ""
    found = f"{decision.best.text} is the best"
    if (verdict := decision.verdict(chosen)) is Verdict.CLOSE:
        found = f"{chosen.text} is {verdict.words}, and {decision.best.text} may be better"
    return (
        f"{found}:\n{worth_text(decision.position, options)}{played}"
        f"{_next_text(decision, decision.ranked[:2], evaluator)}{note_of(evaluator)}"
    )


def _next_text(decision: Problem, options: Sequence[Weighed], evaluator: Evaluator) -> str:
    """What each next throw makes of some options, as a table; nothing where nobody throws."""
    units = decision.position.rules.payoff.units
    parts = []
    for each in options:
        side, throws = next_throws(evaluator, decision.position, each)
        if not throws:
            continue
        rows = [
            [f"  after {each.text}, {SIDE_NAMES[side]} throws"]
            + [" ".join(map(str, one.throws)) for one in throws],
            ["  with a chance of"] + [f"{100 * one.probability:.1f} %" for one in throws],
            [f"  {SIDE_NAMES[decision.position.side]} then has"]
            + [units.value(one.value) for one in throws],
        ]
        parts.append(columns(rows, "<" + ">" * len(throws)))
    return "".join(f"\n\n{part}" for part in parts)


_HEAD = "#separator:Comma\n#html:true\n#columns:Front,Back,Tags\n#tags column:3\n"
"""Anki reads these lines; other programs take them for comments."""


def write_cards(decisions: Sequence[Problem], path: Path, pictures: Path | None = None) -> None:
    """Write flash cards as CSV, a row each: front, back and tags; OutputError if that fails.

    Every front and back begins with a tag of HTML, so that no program of tables takes a field for a
    formula. With a folder for `pictures`, which is made, fronts show them in place of a board of
    text.
    """
    if pictures is not None:
        make_folder(pictures)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for each in decisions:
        board = f"<pre>{escape(position_text(each.position))}</pre>"
        if pictures is not None:
            picture = board_picture(each.position)
            # the same picture has the same name
            name = f"ur-{hashlib.sha256(picture.encode()).hexdigest()[:16]}.svg"
            write_file(pictures / name, picture)
            board = f'<img src="{name}">'
        word = each.position.rules.word
        question = f"{word}: {each.question}. What is best?"
        options = ", ".join(one.text for one in each.options)
        front = f"{board}<p>{escape(question)}<br>{escape(options)}</p>"
        writer.writerow([front, _back(each), f"ur {word.replace(':', '-')}"])
    write_file(path, _HEAD + out.getvalue())


def _back(decision: Problem) -> str:
    """The back of a card, as HTML: the best options, all with their values, what was played."""
    units = decision.position.rules.payoff.units
    rows = "".join(
        f"<tr><td>{escape(each.text)}</td><td>{units.value(each.value)}</td>"
        f"<td>{_back_loss(decision, each)}</td></tr>"
        for each in decision.ranked
    )
    source = f", {printable(decision.source)}" if decision.source else ""
    played = f"<p>{escape(f'played: {decision.played}{source}')}</p>" if decision.played else ""
    best, close = (
        " or ".join(
            f"<b>{escape(each.text)}</b>"
            for each in decision.ranked
            if decision.verdict(each) is kind
        )
        for kind in (Verdict.BEST, Verdict.CLOSE)
    )
    doubtful = f"; {Verdict.CLOSE.words}: {close}" if close else ""
    return f"<p>{best}{doubtful}</p><table>{rows}</table>{played}"


def _back_loss(decision: Problem, option: Weighed) -> str:
    """What an option loses, or that it is the best."""
    verdict = decision.verdict(option)
    if verdict is Verdict.BEST:
        return verdict.words
    return decision.position.rules.payoff.units.lost(option.loss) + verdict.doubt


Asked = tuple[Problem, Evaluator]
"""A decision, and what judges it."""


@click.command()
@click.argument(
    "words", nargs=-1, required=True, metavar="[TABLE] [FILE...]", shell_complete=complete_table
)
@number_option("--count", within=(1, 10_000), default=10, help="Ask at most N decisions.")
@click.option(
    "--cost",
    type=FiniteFloat(0, 1, max_open=True),
    default=0.02,
    show_default=True,
    help="Leave out decisions in which a mistake costs less.",
)
@click.option(
    "--player", metavar="NAME", help="Ask the mistakes of one player, or of light or dark."
)
@seed_option("Seed the games that decisions are drawn from.")
@click.option("--cards", type=OUTPUT_FILE, help="Write flash cards as CSV for Anki; ask nothing.")
@click.option(
    "--pictures",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write a picture for each flash card into this folder.",
)
@json_option
@plies_option()
def practise_command(
    words: tuple[str, ...],
    count: int,
    cost: float,
    player: str | None,
    seed: int,
    cards: Path | None,
    pictures: Path | None,
    as_json: bool,
    plies: int,
) -> None:
    """Practise the mistakes of the games in FILE..., the worst first, or decisions of TABLE.

    TABLE is a file or a rule set, such as finkel:3. With files it judges their games; alone, the
    decisions are drawn from play, and --seed draws others. A folder stands for all games in it. The
    answer stays hidden until you find it or type show; a wrong answer is explained, and you try
    again. skip goes to the next decision, quit ends. In Ben's game the squares to choose in the
    opening are asked too. --cost is a chance, such as 0.02, or a share
    of the pot: what the played move lost, or in drawn decisions what the second best move loses.

    \b
    ur practise finkel:3
    ur practise evening.ur --player Ann
    ur practise evening.ur --cards mistakes.csv --pictures media
    """
    word, files = table_and_files(words)
    if pictures is not None and cards is None:
        raise click.UsageError("Option '--pictures' needs '--cards': the cards to illustrate.")
    if player is not None and not files:
        raise click.UsageError("Option '--player' needs FILE...: the games with the mistakes.")
    check_outputs({"--cards": cards}, files if word is None else [word, *files])
    with Judges(word, plies) as judges:
        with shown_task("looking for decisions"):
            if judges.only is None or files:
                asked = _worst(_mistakes(judges, files, cost, player), count)
            else:
                asked = _drawn(judges.only, count, seed, cost)
        check_outputs({"--cards": cards}, judges.paths)
        if not asked and not judges.faults:
            say(f"there is no decision in which a mistake costs {cost:g} or more")
        if asked and cards is not None:
            write_cards([each for each, _ in asked], cards, pictures)
            say_written(counted(len(asked), "card"), cards)
        if as_json:
            for each, _ in asked:
                echo(json_text(each.to_json()), raw=True)
        elif cards is None:
            Quiz(asked).ask()
    report_left_out(judges.faults, "not judged", judges.warnings)


def _drawn(table: Evaluator, count: int, seed: int, cost: float) -> list[Asked]:
    """Decisions drawn from play."""
    # an estimator judges by its network alone: a search takes as long as thousands of positions
    found = exercises(table.looking(1), count, seed=seed, cost=cost, has_openings=True)
    return [
        (
            problem(table, each.position, each.choice, each.throws)
            if each.source is None
            else opening_problem(table, each.source, each.throws),
            table,
        )
        for each in found
    ]


def _mistakes(judges: Judges, files: list[str], cost: float, player: str | None) -> Iterator[Asked]:
    """The mistakes in the games of files; InputError if no game has this player."""
    is_found = player is None
    for audit in judges.audits(files):
        sides = _sides_of(audit, player)
        is_found = is_found or bool(sides)
        table = judges.of(audit.record.rules)
        for each in mistakes(audit, table, cost=cost, sides=sides):
            yield each, table
    if not is_found:
        raise InputError(f"{player!r:.60} plays in none of the games")


def _sides_of(audit: GameAudit, player: str | None) -> str:
    """The sides that a player, if one is named, has in a game."""
    if player is None:
        return LIGHT + DARK
    wanted = player.casefold()
    names = {side: (SIDE_NAMES[side], audit.record.player(side) or "") for side in (LIGHT, DARK)}
    return "".join(side for side in names if wanted in map(str.casefold, names[side]))


def _worst(found: Iterable[Asked], count: int) -> list[Asked]:
    """The costliest of different decisions; of the same ones the first."""
    different: dict[tuple[object, ...], Asked] = {}
    for each, table in found:
        key = (each.position, each.choice, each.throws)
        different.setdefault(key, (each, table))
    return sorted(different.values(), key=lambda asked: -asked[0].cost)[:count]
