"""`ur query` and `ur best`: the value of a position, and its moves, best first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, Any

import click

from ur_solver.answers.locate import is_rule_set
from ur_solver.answers.query import (
    Decision,
    EvaluatedMove,
    ThrowValue,
    decision,
    exactness,
    position_json,
)
from ur_solver.api.table import Table
from ur_solver.cli.answering import (
    Worth,
    note_of,
    open_answering,
    options_text,
    plies_option,
    plies_text,
    tables_option,
    text_of,
)
from ur_solver.cli.moves import (
    STDIN,
    Forms,
    Question,
    answer_batch,
    answer_questions,
    check_arguments,
    throw_argument,
)
from ur_solver.cli.objective import objective_option, refuse_options
from ur_solver.cli.options import (
    FiniteFloat,
    json_option,
    memory_option,
    number_option,
    position_argument,
    position_of,
    table_argument,
)
from ur_solver.cli.output import (
    bar,
    bound_text,
    chance_text,
    columns,
    draw_position,
    echo,
    say,
    side_name,
    worth_bar,
)
from ur_solver.common.progress import shown_task
from ur_solver.common.text import counted, json_text
from ur_solver.estimators import MOST_SECONDS, Ended
from ur_solver.estimators.evaluator import Evaluator
from ur_solver.rules import SIDE_NAMES, Position, named_rules
from ur_solver.rules.payoff import CHANCES
from ur_solver.rules.turns import has_choices, total
from ur_solver.table.format import WIN

if TYPE_CHECKING:
    from ur_solver.study.estimates import IntervalEstimate


@click.command()
@table_argument
@position_argument
@objective_option
@click.option(
    "--throws",
    "with_throws",
    is_flag=True,
    help="Include the values of throws with '-' and --json.",
)
@click.option(
    "--solve",
    "is_solved",
    is_flag=True,
    help="If no table holds POSITION, solve all positions it can reach, and keep them.",
)
@memory_option()
@plies_option()
@tables_option
@number_option(
    "--rollouts",
    within=(2, None),
    help="Value POSITION by N games of an estimator with itself, too.",
)
@click.option(
    "--within",
    type=FiniteFloat(0, min_open=True),
    metavar="POINTS",
    help="Play rollouts until half their 95 % interval is this narrow.",
)
@number_option(
    "--cut",
    within=(1, None),
    metavar="PLIES",
    help="Cut rollouts after this many plies: quicker, and nearer to the optimum.",
)
@json_option
def query_command(
    word: str,
    position: str | None,
    objective: str,
    with_throws: bool,
    is_solved: bool,
    memory: int | None,
    plies: int,
    tables: str | None,
    rollouts: int | None,
    within: float | None,
    cut: int | None,
    as_json: bool,
) -> None:
    """Show the value of POSITION to the side about to throw, by TABLE.

    POSITION defaults to the start. TABLE is a file or a rule set, such as finkel or finkel:3.
    POSITION '-' reads positions from standard input, one per line; the values of throws, which
    take much longer, are then off by default. An invalid line produces an error in its place;
    the rest is still answered, and the exit code is 2. Without a table, an estimator answers
    ('ur train'), and every value has its 95 % interval.

    With --solve, TABLE is a rule set. The positions that POSITION can reach are solved, if they
    fit, and kept in the folder of tables. Later queries use them and add to them.

    \b
    ur query finkel:3 '....__../......../....__.. L 3 3'
    """
    if objective != WIN:
        refuse_options(_NOT_OF_LENGTHS, "lengths of games")
        from ur_solver.cli.lengths import query  # noqa: PLC0415 - chances need none of it

        query(word, objective, position, as_json=as_json)
        return
    with _opened(word, position, is_solved, memory, plies, tables) as table:
        rolled = _rolled_out(table, position, rollouts, within, cut)
        if position == STDIN:
            lines = (
                partial(_query_json_lines, table, with_throws)
                if as_json
                else partial(_query_lines, table)
            )
            answer_batch(partial(_parse, table), lines, as_json=as_json)
        elif as_json:
            asked = position_of(table.rules, position)
            answer = _decision_json(table, asked)
            if rolled is not None:
                answer["rollouts"] = asdict(rolled)
            echo(json_text(answer), raw=True)
        else:
            echo(_query_page(table, position_of(table.rules, position), rolled))


_NOT_OF_LENGTHS = (
    "with_throws",
    "is_solved",
    "memory",
    "plies",
    "tables",
    "rollouts",
    "within",
    "cut",
)
"""Options of chances alone."""


def _rolled_out(
    table: Evaluator,
    position: str | None,
    rollouts: int | None,
    within: float | None,
    cut: int | None,
) -> IntervalEstimate | None:
    """The value by rollouts, if they are requested."""
    if rollouts is None and within is None:
        if cut is not None:
            raise click.UsageError("--cut needs --rollouts or --within")
        return None
    if rollouts is not None and within is not None:
        raise click.UsageError("--rollouts and --within exclude each other: give one")
    if position == STDIN:
        raise click.UsageError("rollouts take one position, not '-'")
    if table.are_exact:
        raise click.UsageError("rollouts need an estimator, but a table answers exactly")
    if within is not None and not table.rules.payoff.has_fines:
        within /= 100
    asked = position_of(table.rules, position)
    with shown_task("playing rollouts"):
        return table.rollout(asked, rollouts, within=within, plies=cut)


def _opened(
    word: str,
    position: str | None,
    is_solved: bool,
    memory: int | None,
    plies: int,
    tables: str | None,
) -> Evaluator:
    """The table or estimator that answers; with --solve a table is made if it is missing."""
    if not is_solved:
        if memory is not None:
            raise click.UsageError("--memory needs --solve")
        return open_answering(word, None if position == STDIN else position, plies, tables)
    if position == STDIN:
        raise click.UsageError("--solve takes one position, not '-'")
    if tables is not None:
        raise click.UsageError("--solve and --tables exclude each other: give one")
    if not is_rule_set(word):
        raise click.UsageError(f"--solve takes a rule set, such as finkel:3, not {word!r}")
    from ur_solver.answers.reach import table_from  # noqa: PLC0415 - the solver, rarely needed here

    rules = named_rules(word)
    with shown_task("solving"):
        return Table(table_from(rules, position_of(rules, position), memory=memory, say=say))


def _parse(table: Evaluator, text: str) -> Position:
    """Parse a line of standard input."""
    position = table.rules.position(text)
    table.check(position)
    return position


def _query_lines(table: Evaluator, positions: list[Position]) -> list[str]:
    answers = zip(positions, table.values(positions).tolist(), strict=True)
    return [
        f"{position.notation}\t{text_of(table, value, table.error_of(value, position))}"
        for position, value in answers
    ]


def _query_json_lines(table: Evaluator, with_throws: bool, positions: list[Position]) -> list[str]:
    answers = zip(positions, table.values(positions).tolist(), strict=True)
    return [json_text(_query_json(table, *answer, with_throws)) for answer in answers]


def _query_json(
    table: Evaluator, position: Position, value: float, with_throws: bool
) -> dict[str, Any]:
    """The answer to a line; all that follows from a position takes much longer than its value."""
    if with_throws:
        return _decision_json(table, position)
    answer = position_json(table, position, value, table.error_of(value, position))
    choices = table.choices(position)
    return _with_opening(table, position, answer | ({"choices": choices} if choices else {}))


def _decision_json(table: Evaluator, position: Position) -> dict[str, Any]:
    return _with_opening(table, position, table.decision(position).to_json())


def _with_opening(table: Evaluator, position: Position, answer: dict[str, Any]) -> dict[str, Any]:
    """An answer, of the start with the value to the first player."""
    if position == table.rules.start():
        answer["opening_value"] = table.opening_value()
    return answer


def _query_page(table: Evaluator, position: Position, rolled: IntervalEstimate | None) -> str:
    found = table.decision(position)
    rules, verb, error = table.rules, table.rules.payoff.verb, found.error
    rows = [
        [f"  {side_name(side)} {verb}", text_of(table, value, error), worth_bar(position, value)]
        for side, value in found.by_side.items()
    ]
    if position == rules.start() and not rules.mechanics.has_free_first_throw:
        opening = table.opening_value()
        rows = [
            [f"  the first player {verb}", text_of(table, opening, error), bar(opening)],
            ["  with a free first throw", "", ""],
            *rows,
        ]
    proven = None if error else table.error(position)
    if proven is not None:
        rows.append(["  proven within", bound_text(proven), ""])
        if rules.payoff.has_fines:
            cut = table.cut_error(position)
            rows.append(["  cut of the fines within", bound_text(cut), ""])
    if rolled is not None:
        rows.append(["  by rollouts", text_of(table, rolled.value, rolled.margin), ""])
    parts = [draw_position(position), columns(rows, "<><")]
    if has_choices(rules):
        parts.append(_choices_text(table, found))
    elif found.throws:
        head = ["  throw", "chance", f"{SIDE_NAMES[position.side]} then {verb}", "best move"]
        rows = [
            [
                str(each.throw),
                chance_text(each.probability),
                text_of(table, each.value, each.error),
                each.best.text if each.best else "none: the turn passes",
            ]
            for each in found.throws
        ]
        parts.append(columns([head, *rows], ">>><"))
    return "\n\n".join(parts) + note_of(table)


def _choices_text(table: Evaluator, found: Decision) -> str:
    """What each choice of the rules is worth, and which is not allowed here."""
    made = {each.name: each for each in found.choices}
    rows = []
    for name in table.rules.mechanics.choices(1, 1):
        each = made.get(name)
        text = "not allowed here" if each is None else text_of(table, each.value, each.error)
        rows.append([f"  {name}", text, "" if each is None else bar(each.value)])
    return columns(rows, "<><")


@click.command()
@table_argument
@position_argument
@throw_argument
@objective_option
@plies_option()
@click.option(
    "--sure",
    is_flag=True,
    help="Search deeper until the best move is sure, when an estimator is used.",
)
@click.option(
    "--seconds",
    type=FiniteFloat(0, min_open=True),
    default=MOST_SECONDS,
    show_default=True,
    metavar="S",
    help="Stop the search of --sure after S seconds.",
)
@tables_option
@json_option
def best_command(
    word: str,
    position: str | None,
    throw: tuple[str, ...],
    objective: str,
    plies: int,
    sure: bool,
    seconds: float,
    tables: str | None,
    as_json: bool,
) -> None:
    """Rank the legal moves of POSITION with THROW, or with every throw, best first, by TABLE.

    POSITION defaults to the start. In birds THROW begins with the choice before the throw, move or
    enter; after enter it may include the second throw: enter 3 2. Without a choice both are
    answered.

    Each move is shown with the chance to win after it and its loss against the best move. With
    stakes, the money to come is shown, and the move that wins most often if that is another one.
    TABLE is a file or a rule set, such as finkel or finkel:3. Without a table, an estimator answers
    ('ur train'), and every value has its 95 % interval. POSITION '-' reads lines from standard
    input: a position, or a position, a tab and a throw. An invalid line produces an error in its
    place; the rest is still answered, and the exit code is 2. With --objective the longest moves
    come first, each with the expected number of throws after it.

    With --sure the search goes on, from 1 ply to 4, until every other move is worse by more than
    the error, or for some seconds. It leaves out moves that cannot be the best, and says how far it
    looked and what ended it.

    \b
    ur best finkel:3 'L...__../..D...../....__.. L 2 2' 2
    """
    check_arguments(position, throw)
    if objective != WIN:
        refuse_options(["plies", "sure", "seconds", "tables"], "lengths of games")
        from ur_solver.cli.lengths import best  # noqa: PLC0415 - chances need none of it

        best(word, objective, position, throw, as_json=as_json)
        return
    if sure:
        refuse_options(["plies"], "a search with --sure")
    else:
        refuse_options(["seconds"], "a search without --sure")
    asked_for = None if position == STDIN else position
    with open_answering(word, asked_for, plies, tables) as table:
        thrown = partial(_thrown, table, seconds if sure else None)
        forms = Forms(
            json=lambda asked: [_thrown_json(table, *each) for each in thrown(asked)],
            over=partial(_over_json, table),
            line=lambda asked: [_moves_line(table, *each) for each in thrown(asked)],
            page=lambda asked: _moves_pages(table, asked, thrown(asked)),
        )
        note = note_of(table, "searches of the plies in brackets" if sure else None)
        answer_questions(
            table.rules, position, throw, forms, as_json=as_json, check=table.check, note=note
        )


def _thrown(
    table: Evaluator, seconds: float | None, asked: Question
) -> list[tuple[ThrowValue, Ended | None]]:
    """What each roll of a question is worth; with seconds, by a search until it is sure.

    With what ended that search; None of a table, which does not search.
    """
    about = asked.position, asked.choice, asked.throws
    ended: Iterable[Ended | None] = repeat(None)
    if seconds is None or table.are_exact:
        found = decision(table, *about)
    else:
        found, ended = table.until_sure(*about, seconds=seconds)
    worth = {
        (each.choice, each.throws): (each, how)
        for each, how in zip(found.throws, ended, strict=False)
    }
    return [worth[each.choice, each.outcome.throws] for each in asked.rolls]


def _thrown_json(table: Evaluator, thrown: ThrowValue, ended: Ended | None) -> dict[str, Any]:
    return thrown.to_json(table) | ({} if ended is None else {"ended": ended})


def _over_json(table: Evaluator, position: Position) -> dict[str, Any]:
    value = table.value(position)
    return {"value": value} | exactness(table, table.error_of(value, position)) | {"moves": []}


def _moves_line(table: Evaluator, thrown: ThrowValue, ended: Ended | None) -> str:
    moves = (f"{each.move.text} {text_of(table, each.value, each.error)}" for each in thrown.moves)
    how = f" ({_ended_text(thrown, ended)})" if thrown.options and ended is not None else ""
    return (", ".join(moves) or "no move") + how


def _ended_text(thrown: ThrowValue, ended: Ended) -> str:
    """What ended a search, and how far it looked; moves that are exact take none."""
    plies = max((each.plies or 0 for each in thrown.options), default=0)
    by = f" by {plies_text(plies)}" if plies else ""
    return {
        Ended.SURE: f"sure{by}",
        Ended.SECONDS: f"not sure{by} when the time was over",
        Ended.PLIES: f"not sure{by}, the deepest",
    }[ended]


def _with_plies(each: EvaluatedMove) -> str:
    """A move, with the plies of its own search if it has one."""
    text = each.move.text
    return text if each.plies is None else f"{text} ({counted(each.plies, 'ply', 'plies')})"


def _moves_pages(
    table: Evaluator, asked: Question, found: list[tuple[ThrowValue, Ended | None]]
) -> list[str]:
    def value(each: Worth) -> str:
        return text_of(table, each.value, each.error)

    def lost(each: Worth) -> str:
        tolerance = 1e-4 * total(asked.position) if each.loss_error else table.tolerance
        return table.rules.payoff.text(each.loss, tolerance)

    pages = []
    for rolled, (thrown, ended) in zip(asked.rolls, found, strict=True):
        if moves := thrown.moves:
            options = [(_with_plies(each), each) for each in moves]
            page = options_text(asked.position, options, value, lost)
            how = "" if ended is None else f"\n\n  the best move is {_ended_text(thrown, ended)}"
            pages.append(page + _winning_note(table, moves) + how)
        else:
            pages.append(f"  {rolled.passing}: {text_of(table, thrown.value, thrown.error)}")
    return pages


def _winning_note(table: Evaluator, moves: list[EvaluatedMove]) -> str:
    """With stakes, the move that wins more often than the best."""
    if not table.are_exact:
        return ""
    best, winning = moves[0], max(moves, key=lambda each: each.chance)
    tolerance = table.header.tolerance
    if winning.chance - best.chance <= 2 * tolerance:
        return ""
    return (
        f"\n\n  {winning.move.text} wins more often: {CHANCES.text(winning.chance, tolerance)}, "
        f"after {best.move.text} {CHANCES.text(best.chance, tolerance)}"
    )
