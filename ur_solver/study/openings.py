"""The first turns of a game, as the table plays them."""

from __future__ import annotations

from typing import Any

from ur_solver.query import Answers
from ur_solver.rules import FREE_THROW, LIGHT, Position
from ur_solver.rules.turns import move_value, pass_value, total


def opening_tree(table: Answers, depth: int = 3) -> list[dict[str, Any]]:
    """What the first throws come to: a branch for every throw, and branches of it.

    Parameters
    ----------
    table : Answers
    depth : int
        How many throws.

    Returns
    -------
    list of dict
        By throw: ``throw``, its ``chance``, the best ``move`` (None for a pass), light's
        ``value`` after it, what the ``second`` best move loses (None if there is none), the
        ``position`` that it leads to and ``then``, the branches from there. Empty where
        something is said before throwing.
    """
    rules = table.rules
    if rules.mechanics.choices(1, 1) != (FREE_THROW,):
        return []
    throw = rules.mechanics.opening_throw
    return _branches(table, rules.start(), depth, None if throw is None else (throw,))


def _branches(
    table: Answers, position: Position, depth: int, only: tuple[int, ...] | None = None
) -> list[dict[str, Any]]:
    if depth == 0 or position.winner is not None:
        return []
    found = []
    for throw in only or table.rules.dice.throws:
        moves = table.moves(position, throw)
        chance = 1.0 if only else float(table.rules.dice.probabilities[throw])
        if moves:
            best = moves[0].move
            value, reached = move_value(best, table.value), best.position
        else:
            best = None
            value, reached = pass_value(position, table.value), position.pass_turn()
        mine = value
        if position.side != LIGHT:
            mine = total(position) - value
        found.append(
            {
                "throw": throw,
                "chance": chance,
                "move": None if best is None else best.text,
                "value": mine,
                "second": moves[1].loss if len(moves) > 1 else None,
                "position": reached.notation,
                "then": _branches(table, reached, depth - 1),
            }
        )
    return found
