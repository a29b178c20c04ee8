"""Values of small games as exact fractions, from the readable rules alone."""

from __future__ import annotations

from fractions import Fraction

from ur_solver.moves import pass_turn
from ur_solver.position import LIGHT, Position
from ur_solver.space import Space
from ur_solver.turns import final_value, turn

Row = dict[int, Fraction]
CONSTANT = -1


def exact_values(space: Space, values) -> list[Fraction]:
    """The value of every rank where both sides play as `values` says is best.

    Only for a game whose players see at once what is best: which move that is must not
    depend on the last digits of `values`, float64 by rank.
    """
    rows = [_row(space, rank, values) for rank in range(space.n_positions)]
    # Each position is written by those after it only, the furthest on first, then filled in.
    order = list(range(space.n_positions))
    for rank in order:
        row = rows[rank]
        while (other := min((r for r in row if CONSTANT < r < rank), default=None)) is not None:
            _add(row, row.pop(other), rows[other])
        scale = 1 / (1 - row.pop(rank, Fraction(0)))
        rows[rank] = {r: scale * weight for r, weight in row.items()}
    solved: dict[int, Fraction] = {CONSTANT: Fraction(1)}
    for rank in reversed(order):
        solved[rank] = sum((weight * solved[r] for r, weight in rows[rank].items()), Fraction(0))
    return [solved[rank] for rank in order]


def _add(row: Row, factor: Fraction, other: Row) -> None:
    for rank, weight in other.items():
        row[rank] = row.get(rank, Fraction(0)) + factor * weight


def _row(space: Space, rank: int, values) -> Row:
    rules, position = space.rules, space.unrank(rank, LIGHT)
    final = final_value(rules, position)
    if final is not None:
        return {CONSTANT: Fraction(final)}
    best: tuple[float, Row] = (-1.0, {})
    for choice in turn(rules, position):
        row: Row = {}
        for outcome in choice.outcomes:
            reached = [_reached(space, move.position, move.again) for move in outcome.moves]
            reached = reached or [_reached(space, pass_turn(position), False)]
            _add(row, outcome.probability, max(reached, key=lambda each: _worth(each, values)))
        best = max(best, (_worth(row, values), row), key=lambda each: each[0])
    return best[1]


def _worth(row: Row, values) -> float:
    return sum(
        float(weight) * (1.0 if rank == CONSTANT else values[rank]) for rank, weight in row.items()
    )


def _reached(space: Space, position: Position, again: bool) -> Row:
    """What a position is worth to the side that has moved there."""
    final = final_value(space.rules, position)
    row: Row = {space.rank(position): Fraction(1)} if final is None else {}
    row[CONSTANT] = Fraction(0 if final is None else final)
    if not again:
        row = {rank: -weight for rank, weight in row.items()}
        row[CONSTANT] += 1
    return row
