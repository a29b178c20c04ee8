"""The first turns of a game, as the table plays them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from ur_solver.answers.values import PositionValues, margin_of
from ur_solver.rules import FREE_THROW, LIGHT, Move, Position
from ur_solver.rules.turns import Outcome, choice_value, move_value, pass_value, total, turn
from ur_solver.study.estimates import IntervalEstimate

_Throws = tuple[int, ...]


def opening_tree(table: PositionValues, depth: int = 3) -> list[dict[str, Any]]:
    """The tree of the first throws: a branch for every throw, and branches of it.

    Parameters
    ----------
    table : PositionValues
    depth : int
        The number of throws.

    Returns
    -------
    list of dict
        ``say`` is the best choice before the throw, and ``other_loses`` the loss of the other
        (None if there is none). ``throws`` are those that lead to the branch, each as a
        list of what the dice show; all that pass are one branch. Then their ``chance``, the best
        ``move`` (None for a pass), light's ``value`` after it, what the ``second`` best move loses
        (None if there is none), the ``position`` that it leads to and ``then``, the branches from
        there. Estimated values and losses are objects with their 95 % intervals.
    """
    start = table.rules.start()
    throw = table.rules.mechanics.opening_throw
    if throw is None:
        return _branches(table, start, depth)
    moves = tuple(table.rules.legal_moves(start, throw))
    chosen = {"say": None, "other_loses": None}
    return [chosen | _branch(table, start, depth, [(throw,)], Fraction(1), moves)]


def _branches(table: PositionValues, position: Position, depth: int) -> list[dict[str, Any]]:
    if depth == 0 or position.winner is not None:
        return []
    choices = turn(position)
    best = choices[0]
    chosen: dict[str, Any] = {"say": None, "other_loses": None}
    if best.name != FREE_THROW:
        worth = [choice_value(position, choice, table.value) for choice in choices]
        at = max(range(len(choices)), key=worth.__getitem__)
        best = choices[at]
        margin = margin_of(table, position)  # a value before the throw is that of its best choice
        chosen = {"say": best.name, "other_loses": _least_loss(worth, at, [margin] * len(worth))}
    return [
        chosen | _branch(table, position, depth, throws, chance, moves)
        for throws, chance, moves in _by_moves(best.outcomes)
    ]


def _by_moves(
    outcomes: tuple[Outcome, ...],
) -> list[tuple[list[_Throws], Fraction, tuple[Move, ...]]]:
    """Outcomes with their moves; those that leave the same are one."""
    found: dict[tuple[Move, ...], tuple[list[_Throws], Fraction]] = {}
    for outcome in outcomes:
        throws, chance = found.get(outcome.moves, ([], Fraction(0)))
        found[outcome.moves] = [*throws, outcome.throws], chance + outcome.probability
    return [(throws, chance, moves) for moves, (throws, chance) in found.items()]


def _branch(
    table: PositionValues,
    position: Position,
    depth: int,
    throws: list[_Throws],
    chance: Fraction,
    moves: tuple[Move, ...],
) -> dict[str, Any]:
    value, reached = pass_value(position, table.value), position.pass_turn()
    text: str | None = None
    second: Any = None
    if moves:
        worth = [move_value(move, table.value) for move in moves]
        value = max(worth)
        at = worth.index(value)
        text, reached = moves[at].text, moves[at].position
        second = _least_loss(worth, at, [margin_of(table, move.position) for move in moves])
    to_light = value if position.side == LIGHT else total(position) - value
    return {
        "throws": [list(each) for each in throws],
        "chance": float(chance),
        "move": text,
        "value": IntervalEstimate.within(to_light, margin_of(table, reached)).to_json(),
        "second": second,
        "position": reached.notation,
        "then": _branches(table, reached, depth - 1),
    }


def _least_loss(worth: list[float], best: int, margins: list[float]) -> Any:
    """What the second best option loses, as JSON; None without one."""
    others = [k for k in range(len(worth)) if k != best]
    if not others:
        return None
    second = max(others, key=worth.__getitem__)
    margin = math.hypot(margins[best], margins[second])
    return IntervalEstimate.within(worth[best] - worth[second], margin).to_json()
