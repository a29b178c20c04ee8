"""What answers a command: a table if there is one, or an estimator; and how both write values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

from ur_solver.answers.decisions import Verdict, verdict_of
from ur_solver.answers.locate import is_rule_set
from ur_solver.cli.options import number_option
from ur_solver.cli.output import columns, echo, gib_text, say, time_text, worth_bar
from ur_solver.common.text import counted
from ur_solver.errors import BeyondTableError, MissingTableError, UrError
from ur_solver.estimators import DEFAULT_PLIES, MOST_PLIES
from ur_solver.estimators.evaluator import TRAINING_MINUTES, Evaluator, evaluator_of, open_evaluator
from ur_solver.rules import Position, RuleSet, named_rules
from ur_solver.rules.turns import total

if TYPE_CHECKING:
    from ur_solver.answers.query import EvaluatedChoice, EvaluatedMove
    from ur_solver.cli.plan import Cost
    from ur_solver.solving.request import Request
    from ur_solver.study.practise import Weighed

_F = TypeVar("_F", bound=Callable[..., Any])


def plies_option(default: int = DEFAULT_PLIES) -> Callable[[_F], _F]:
    """The option ``--plies``."""
    return number_option(
        "--plies",
        within=(1, MOST_PLIES),
        default=default,
        help="Look N plies ahead when an estimator is used.",
    )


tables_option = click.option(
    "--tables",
    type=click.Choice(["all", "endings", "none"]),
    help="Ask these tables before an estimator; by default all of a rule set, and none of a file.",
)


def open_answering(
    word: str,
    position: str | None = None,
    plies: int = DEFAULT_PLIES,
    tables: str | None = None,
) -> Evaluator:
    """The table that a word asks for; where there is none of the whole game, an estimator.

    Small games are solved instead. `tables` are as for `open_evaluator`. Raises as that does; the
    text of a MissingTableError says what a solve and a training would take.
    """
    if not is_rule_set(word) or tables not in (None, "all"):
        return open_evaluator(word, plies=plies, tables=tables)
    return answering_of(named_rules(word), plies, word.partition(":")[0], position)


def answering_of(
    rules: RuleSet, plies: int, word: str | None = None, position: str | None = None
) -> Evaluator:
    """The same for a rule set; `word` and `position` as for `evaluator_of`."""
    try:
        return evaluator_of(rules, word, plies=plies, say=say, position=position)
    except MissingTableError as error:
        from ur_solver.cli.plan import cost_of  # noqa: PLC0415 - the kernels, for what is missing
        from ur_solver.solving.request import Request  # noqa: PLC0415 - same

        request = Request.of(rules)
        cost = cost_of(request)
        if _is_wanted_now(request, cost):
            from ur_solver.cli.solve import solve_now  # noqa: PLC0415 - same

            return solve_now(request)
        raise MissingTableError(f"{error}{_times(cost)}") from None


_MOST_SECONDS = 60
"""How long a solve may take that is offered at once."""


def _is_wanted_now(request: Request, cost: Cost) -> bool:
    """Whether a person wants to wait for a solve, which takes no longer than a minute."""
    from ur_solver.cli.asking import agrees, is_conversation  # noqa: PLC0415 - as above
    from ur_solver.solving.plan import path_of  # noqa: PLC0415 - as above

    if cost.seconds is None or cost.seconds > _MOST_SECONDS or not is_conversation():
        return False
    echo(f"there is no table of {request.rules.title} yet; it goes into {path_of(request)}")
    return agrees(f"Solve it now ({max(1, round(cost.seconds))} s)?", default=True)


def _times(cost: Cost) -> str:
    """What a solve and a training take, to follow the commands that do them."""
    training = f"some {TRAINING_MINUTES} minutes"
    if cost.seconds is None:  # the reason is there
        return f", in {training}"
    solving = f"some {time_text(cost.seconds)} and {gib_text(cost.memory_bytes)} of memory"
    return f"; solving takes {solving} here, training {training}"


def open_playing(word: str, plies: int, purpose: str | None) -> Evaluator:
    """What plays the whole game of a word: its table, or an estimator, which is reported.

    Raises as `open_answering` does, or if a table holds only a part of the game and the purpose
    takes all of it.
    """
    found = open_answering(word, plies=plies)
    if purpose is not None:
        found.check_whole(purpose)
    if not found.are_exact:
        say(f"there is no table of {found.rules.title}: an estimator plays, {plies}-ply")
    return found


def playing_if_any(word: str, plies: int) -> tuple[Evaluator | None, UrError | None]:
    """What gives hints and audits games of a word; or None, and the error that says why.

    Raises as `open_playing` does if the word is a file.
    """
    try:
        return open_playing(word, plies, "play"), None
    except (MissingTableError, BeyondTableError) as error:
        if not is_rule_set(word):
            raise
        return None, error


def text_of(evaluator: Evaluator, value: float, error: float) -> str:
    """A value with the digits that it has, ``53 % ± 2``; without an error, an exact one."""
    payoff = evaluator.rules.payoff
    if error == 0:
        return payoff.text(value, evaluator.tolerance)
    return payoff.units.estimate(value, error)


Worth: TypeAlias = "EvaluatedMove | EvaluatedChoice | Weighed"
"""An option of a decision with its worth to the side that decides."""


def options_text(
    position: Position,
    options: Iterable[tuple[str, Worth]],
    value_text: Callable[[Worth], str],
    lost_text: Callable[[Worth], str],
    *,
    are_numbered: bool = False,
) -> str:
    """The options of a decision as a table, in words, with what each is worth and loses."""
    whole = total(position)

    def loss(worth: Worth) -> str:
        verdict = verdict_of(worth.loss, worth.loss_error, whole)
        is_best = verdict is Verdict.BEST
        return verdict.words if is_best else f"-{lost_text(worth)}{verdict.doubt}"

    rows = [
        [
            *([f"  {number}", text] if are_numbered else [f"  {text}"]),
            value_text(worth),
            loss(worth),
            worth_bar(position, worth.value),
        ]
        for number, (text, worth) in enumerate(options, start=1)
    ]
    return columns(rows, "><>><" if are_numbered else "<>><")


def plies_text(plies: int) -> str:
    """How far a search looks."""
    return f"a search of {counted(plies, 'ply', 'plies')}"


def note_of(evaluator: Evaluator, search: str | None = None) -> str:
    """What a page says below estimates, by a search in words; nothing of a table."""
    if evaluator.are_exact:
        return ""
    search = search or plies_text(evaluator.plies)
    return f"\n\n  values with ± are estimates, by {search}, with their 95 % intervals"
