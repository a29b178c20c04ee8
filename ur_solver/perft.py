"""Counts of what can happen from a position: the classic test of move generators.

A ply is a throw with its move or pass, and what was said before it where a rule set asks
(in birds an *enter* with both its throws is one ply).
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from ur_solver.moves import pass_turn
from ur_solver.position import Position
from ur_solver.rules import RuleSet
from ur_solver.turns import turn


class Perft(NamedTuple):
    """What can happen in so many plies.

    Attributes
    ----------
    n_sequences : int
        Ways to play them; a game that is over before has none.
    n_positions : int
        Distinct positions that they lead to.
    """

    n_sequences: int
    n_positions: int


def divide(rules: RuleSet, position: Position) -> Counter[tuple[str, Position]]:
    """Every ply from `position`, as ``<choice> <throws> <move or pass>`` and where it leads."""
    plies: Counter[tuple[str, Position]] = Counter()
    for choice in turn(rules, position):
        for outcome in choice.outcomes:
            thrown = f"{choice.name} {'+'.join(map(str, outcome.throws))}".lstrip()
            for move in outcome.moves:
                plies[f"{thrown} {move.text}", move.position] += 1
            if not outcome.moves:
                plies[f"{thrown} pass", pass_turn(position)] += 1
    return plies


def perft(rules: RuleSet, position: Position, depth: int) -> Perft:
    """How many sequences of `depth` plies there are, and to how many positions they lead."""
    reached = Counter({position: 1})
    for _ in range(depth):
        following: Counter[Position] = Counter()
        for before, ways in reached.items():
            for (_, after), times in divide(rules, before).items():
                following[after] += ways * times
        reached = following
    return Perft(reached.total(), len(reached))
