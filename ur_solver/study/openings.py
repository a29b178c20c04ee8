"""The first turns of a game, as the table plays them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ur_solver.answers.values import PositionValues
from ur_solver.rules import FREE_THROW, LIGHT, Move, Position
from ur_solver.rules.turns import Outcome, choice_value, move_value, pass_value, total, turn

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
        there.
    """
    start = table.rules.start()
    throw = table.rules.mechanics.opening_throw
    if throw is None:
        return _branches(table, start, depth)
    moves = tuple(table.rules.legal_moves(start, throw))
    said = {"say": None, "other_loses": None}
    return [said | _branch(table, start, depth, [(throw,)], Fraction(1), moves)]


def _branches(table: PositionValues, position: Position, depth: int) -> list[dict[str, Any]]:
    if depth == 0 or position.winner is not None:
        return []
    choices = turn(position)
    best = choices[0]
    said: dict[str, Any] = {"say": None, "other_loses": None}
    if best.name != FREE_THROW:
        worth = [choice_value(position, choice, table.value) for choice in choices]
        at = max(range(len(choices)), key=worth.__getitem__)
        others = [worth[at] - each for k, each in enumerate(worth) if k != at]
        best = choices[at]
        said = {"say": best.name, "other_loses": min(others, default=None)}
    return [
        said | _branch(table, position, depth, throws, chance, moves)
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
    second: float | None = None
    if moves:
        worth = [move_value(move, table.value) for move in moves]
        value = max(worth)
        best = moves[worth.index(value)]
        text, reached = best.text, best.position
        second = value - sorted(worth)[-2] if len(worth) > 1 else None
    return {
        "throws": [list(each) for each in throws],
        "chance": float(chance),
        "move": text,
        "value": value if position.side == LIGHT else total(position) - value,
        "second": second,
        "position": reached.notation,
        "then": _branches(table, reached, depth - 1),
    }
