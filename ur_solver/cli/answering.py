"""What answers a command: a table if there is one, or an estimator; and how both write values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

from ur_solver.answers.locate import SOLVED_ON_THE_SPOT, find_file, is_rule_set, open_file
from ur_solver.answers.query import EvaluatedMove
from ur_solver.api.table import Table
from ur_solver.cli.output import say
from ur_solver.errors import MissingTableError, NotATableError
from ur_solver.estimators import DEFAULT_PLIES, MOST_PLIES
from ur_solver.rules import Position, named_rules
from ur_solver.space import space_of

if TYPE_CHECKING:  # what a table answers needs none of it
    from ur_solver.estimators.estimator import Estimator

Answering: TypeAlias = "Table | Estimator"

_F = TypeVar("_F", bound=Callable[..., Any])


def plies_option(default: int = DEFAULT_PLIES) -> Callable[[_F], _F]:
    """The option ``--plies``."""
    return click.option(
        "--plies",
        type=click.IntRange(1, MOST_PLIES),
        default=default,
        show_default=True,
        help="Look this many plies ahead where an estimator answers.",
    )


def open_answering(word: str, position: str | None = None, plies: int = DEFAULT_PLIES) -> Answering:
    """The table that a word asks for; where there is none of the whole game, an estimator.

    An estimator asks a table of endings for what that holds. Small games are solved instead. Raises
    as `open_file` does, where there is no estimator either.
    """
    if not is_rule_set(word):
        try:
            return Table(open_file(word))
        except NotATableError as error:
            return _estimator_at(word, plies, error)
    rules = named_rules(word)
    file = find_file(rules)
    if file is not None:
        return Table(file)
    if space_of(rules).n_positions > SOLVED_ON_THE_SPOT:
        from ur_solver.estimators.finding import find_estimator  # noqa: PLC0415 - as above

        found = find_estimator(rules, plies)
        if found is not None:
            return found
    try:
        return Table(open_file(word, say=say, position=position))
    except MissingTableError as error:
        train = f"'ur train {word.partition(':')[0]} -n {rules.pieces}'"
        raise MissingTableError(f"{error}; {train} makes an estimator of it") from None


def _estimator_at(path: str, plies: int, error: NotATableError) -> Estimator:
    """The estimator of a file that is no table; raises the error if it is none either."""
    from ur_solver.estimators.estimator import Estimator  # noqa: PLC0415 - as above
    from ur_solver.estimators.file import is_estimator_file  # noqa: PLC0415
    from ur_solver.estimators.finding import with_table  # noqa: PLC0415

    if not is_estimator_file(path):
        raise error
    return with_table(Estimator(path, plies=plies))


def open_playing(word: str, plies: int, purpose: str | None) -> Answering:
    """What plays the whole game of a word: its table or, which is said, an estimator.

    Raises as `open_answering` does, or if a table holds only a part of the game and the purpose
    takes all of it.
    """
    found = open_answering(word, plies=plies)
    if isinstance(found, Table):
        if purpose is not None:
            found.file.check_whole(purpose)
    else:
        say(f"there is no table of {found.rules.title}: an estimator plays, {plies}-ply")
    return found


def error_of(answering: Answering, value: float, position: Position) -> float:
    """Half the width of the interval of a value; 0 where it is exact but for a tolerance."""
    if isinstance(answering, Table) or answering.is_exact(position):
        return 0.0
    return answering.error_of(value, position)


def exactness(answering: Answering, value: float, position: Position) -> dict[str, Any]:
    """What JSON says of an estimator's value: ``exact`` and, of an estimate, ``error``."""
    if isinstance(answering, Table):
        return {}
    error = error_of(answering, value, position)
    return {"exact": True} if error == 0 else {"exact": False, "error": error}


def value_text(answering: Answering, value: float, position: Position) -> str:
    """A value of a position for people: exact, or with half the width of its interval."""
    return text_of(answering, value, error_of(answering, value, position))


def text_of(answering: Answering, value: float, error: float) -> str:
    """A value with the digits that it has, ``53 % ± 2``; without an error, an exact one."""
    payoff = answering.rules.payoff
    if error == 0:
        return payoff.text(value, tolerance_of(answering))
    scale, mark = (1, "") if payoff.has_fines else (100, " %")
    decimals = max(0, -math.floor(math.log10(scale * error)))
    return f"{scale * value:.{decimals}f}{mark} ± {scale * error:.{decimals}f}"


def tolerance_of(answering: Answering) -> float:
    """The tolerance of what is exact."""
    if isinstance(answering, Table):
        return answering.tolerance
    return 0.0 if answering.exact is None else answering.exact.tolerance


def is_sure(answering: Answering, best: EvaluatedMove, other: EvaluatedMove) -> bool:
    """Whether the difference of two moves is beyond the errors of their values."""
    errors = (error_of(answering, each.value, each.move.position) for each in (best, other))
    return best.value - other.value > math.hypot(*errors)


def note_of(answering: Answering) -> str:
    """What a page says below estimates; nothing of a table."""
    if isinstance(answering, Table):
        return ""
    return (
        f"\n\n  values with ± are estimates, by a search of {answering.plies} plies, with their "
        "95 % intervals"
    )
