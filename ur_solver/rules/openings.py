"""How a game begins, and what it is worth to the first player (rules, sections 4.1, 5.4 and 5.5).

The *opening value* is the value of the game to the first player. Lots and the highest throw favour
neither side, so that it is the value of the start. Skiriuk's first player has thrown a 1. In Ben's
game both sides throw and enter a marker, until one is further along its path than the other: its
owner is the first player, and both play on from there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ur_solver.rules.contents import DARK, LIGHT
from ur_solver.rules.families import HOME
from ur_solver.rules.moves import legal_moves
from ur_solver.rules.position import Position
from ur_solver.rules.turns import Value, throw_value, total

if TYPE_CHECKING:
    from ur_solver.rules.ruleset import RuleSet


class Beginning(NamedTuple):
    """A position in which the first player throws first, as light, and its probability."""

    probability: float
    position: Position


def opening_value(rules: RuleSet, value: Value) -> float:
    """The first player's value, where both sides play best.

    Parameters
    ----------
    rules : RuleSet
    value : callable
        The value of a position to the side about to throw there.
    """
    if rules.mechanics.both_enter:
        return sum(each.probability * value(each.position) for each in beginnings(rules, value))
    start, throw = rules.start(), rules.mechanics.opening_throw
    if throw is None:
        return value(start)
    return throw_value(start, legal_moves(start, throw), value)


def beginnings(rules: RuleSet, value: Value) -> tuple[Beginning, ...]:
    """The positions in which the first player throws first, where both sides enter a marker.

    A side that may choose its square, after a throw that jumps, takes the best by `value`.
    """
    found: dict[Position, float] = {}
    back = _reached(rules, value, HOME, 1.0, found)
    return tuple(Beginning(chance / (1 - back), position) for position, chance in found.items())


def _reached(
    rules: RuleSet, value: Value, index: int, chance: float, found: dict[Position, float]
) -> float:
    """Add to `found` what follows once both markers are on path index `index`.

    Returns the probability that both go home and begin again; `chance` is that of being here.
    """
    light, dark = rules.path.light, rules.path.dark
    back = 0.0
    for probability, throws in throws_of_both(rules):
        weight = chance * float(probability)
        mine, theirs = _entered(rules, value, index, throws)
        if mine != theirs:
            position = apart(rules, max(mine, theirs), min(mine, theirs))
            found[position] = found.get(position, 0.0) + weight
        elif light[mine] == dark[mine]:
            back += weight
        else:
            back += _reached(rules, value, mine, weight, found)
    return back


def throws_of_both(rules: RuleSet) -> Iterator[tuple[Fraction, tuple[int, int]]]:
    """What both sides throw at once, with its probability.

    Where neither throw brings a marker to a certain square, as both jump, both throw again.
    """
    dice = rules.dice
    pairs = {
        (one, other): dice.probabilities[one] * dice.probabilities[other]
        for one in dice.throws
        for other in dice.throws
        if one or other
    }
    counting = sum(pairs.values())
    for throws, probability in pairs.items():
        yield probability / counting, throws


def _entered(rules: RuleSet, value: Value, index: int, throws: tuple[int, int]) -> tuple[int, int]:
    """Where both markers go from `index`; a side that jumps goes to the best square."""
    mine, theirs = (targets(rules, index, throw) for throw in throws)
    if len(theirs) == 1:
        (other,) = theirs
        return max(mine, key=lambda target: standing_value(rules, value, target, other)), other
    (own,) = mine
    return own, max(theirs, key=lambda target: standing_value(rules, value, target, own))


def targets(rules: RuleSet, index: int, throw: int) -> tuple[int, ...]:
    """The path indices to which a marker on `index` may go by `throw` in the opening."""
    return rules.mechanics.targets(LIGHT, index, throw)


def standing_value(rules: RuleSet, value: Value, mine: int, theirs: int) -> float:
    """The value of the opening to a side whose marker stands on path index `mine`.

    One half of all where both are equally far, whether they go on from there or begin again.
    """
    if mine == theirs:
        return total(rules.start()) / 2
    ahead = value(apart(rules, max(mine, theirs), min(mine, theirs)))
    return ahead if mine > theirs else total(rules.start()) - ahead


def apart(rules: RuleSet, first: int, second: int) -> Position:
    """The position after the opening, light being the first player, by their path indices."""
    contents = dict.fromkeys(rules.board.squares, "")
    for side, index in ((LIGHT, first), (DARK, second)):
        square = rules.path.squares(side)[index]
        contents[square] += rules.mechanics.stands(side, index)
    return replace(
        rules.start(),
        contents=tuple(contents.values()),
        light_home=rules.pieces - 1,
        dark_home=rules.pieces - 1,
    )
