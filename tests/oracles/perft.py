"""Perft, the classic test of move generators: counts of the plies possible from a position.

A ply is a throw with its move or pass, and what was said before it where the rules ask for it. In
birds an *enter* with both its throws is one ply.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from ur_solver.rules import Position
from ur_solver.rules.turns import turn


class Perft(NamedTuple):
    """The counts for a given number of plies.

    Attributes
    ----------
    n_sequences : int
        The sequences of that many plies; games that end earlier are not counted.
    n_positions : int
        The distinct positions that the sequences lead to.
    """

    n_sequences: int
    n_positions: int


def divide(position: Position) -> Counter[tuple[str, Position]]:
    """Every ply from `position`, as ``<choice> <throws> <move or pass>``, with where it leads."""
    plies: Counter[tuple[str, Position]] = Counter()
    for choice in turn(position):
        for outcome in choice.outcomes:
            thrown = f"{choice.name} {'+'.join(map(str, outcome.throws))}".lstrip()
            for move in outcome.moves:
                plies[f"{thrown} {move.text}", move.position] += 1
            if not outcome.moves:
                plies[f"{thrown} pass", position.pass_turn()] += 1
    return plies


def perft(position: Position, depth: int) -> Perft:
    """The number of sequences of `depth` plies and of the positions that they lead to."""
    reached = Counter({position: 1})
    for _ in range(depth):
        following: Counter[Position] = Counter()
        for before, ways in reached.items():
            for (_, after), times in divide(before).items():
                following[after] += ways * times
        reached = following
    return Perft(reached.total(), len(reached))
