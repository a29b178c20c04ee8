"""The named orders in plain Python, for moves of the readable rules and for options of games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ur_solver.moves.tables import PieceChoice
from ur_solver.rules import Move


def greedy(options: Sequence[Any]) -> int:
    """The option that wins, else captures, else throws again, else goes furthest.

    Parameters
    ----------
    options : sequence of Move, Step, PieceChoice or str
        All of one kind; a str is the name of what may be said before throwing.

    Returns
    -------
    int
        Its place; of choices, that of *move*.
    """
    if _are_said(options):
        return _names(options).index("move")
    return max(
        range(len(options)),
        key=lambda k: (
            _wins(options[k]),
            options[k].is_capture,
            options[k].again,
            options[k].target,
        ),
    )


def first(options: Sequence[Any]) -> int:
    """The option of the rearmost piece; of choices, *enter*. Otherwise as `greedy` has it."""
    if _are_said(options):
        return _names(options).index("enter")
    return min(range(len(options)), key=lambda k: options[k].source)


ORDERS: dict[str, Callable[[Sequence[Any]], int]] = {"greedy": greedy, "first": first}


def _are_said(options: Sequence[Any]) -> bool:
    return isinstance(options[0], (str, PieceChoice))


def _names(options: Sequence[Any]) -> list[str]:
    return [getattr(option, "name", option) for option in options]


def _wins(option: Any) -> bool:
    return option.position.winner is not None if isinstance(option, Move) else option.is_win
