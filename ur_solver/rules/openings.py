"""How a game begins, and what it is worth to the first player (rules, sections 4.1, 5.4 and 5.5).

An opening is a small game before the game. It goes in *rounds* of throws until one decides who the
first player is and where the game begins. By lots there are no rounds; by the highest throw both
throw; Skiriuk's players throw in turn for a 1; and in Ben's game both throw and enter a marker,
until one is further along its path than the other: its owner is the first player, and both play on
from there.

The *opening value* is the value of the game to the first player. Lots and the highest throw favour
neither side, so that it is the value of the start. Skiriuk's first player has thrown a 1.
"""

from __future__ import annotations

import itertools
from bisect import bisect
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from ur_solver.rules.contents import DARK, LIGHT, swap_sides
from ur_solver.rules.family import BEN, FREE_OPENING, HIGHEST, HOME, ONE
from ur_solver.rules.game import Position, RuleSet, legal_moves, move_text
from ur_solver.rules.turns import Value, throw_value, total

NO_MOVE = "--"
"""What stands for the move of a marker that cannot make its throw, as in records of games."""


class Round(NamedTuple):
    """A round of an opening: what was thrown, and what came of it."""

    throws: tuple[int, ...]  # light's and dark's; light's alone where that decides
    # the path index that both markers were on; `HOME` before they enter, and without markers
    source: int
    # the path indices to which light's and dark's marker went; `source` for none
    targets: tuple[int, int]
    text: str = ""  # both moves, light's first; empty if no marker moved
    then: int = HOME  # the path index that both markers are on in the next round
    # where the game begins, with the first player to throw; None if another round follows
    position: Position | None = None


class Opening:
    """The rounds by which a rule set finds the first player, without markers."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules

    @cached_property
    def throws(self) -> Mapping[tuple[int, ...], Fraction]:
        """What may be thrown in a round, with its probability."""
        dice = self.rules.dice
        return {
            (one, other): dice.probabilities[one] * dice.probabilities[other]
            for one in dice.throws
            for other in dice.throws
        }

    def thrown(self, chance: float) -> tuple[int, ...]:
        """What a uniform random number in [0, 1) throws in a round."""
        sums = list(itertools.accumulate(map(float, self.throws.values())))
        return list(self.throws)[min(bisect(sums, chance), len(sums) - 1)]

    def rounds(self, source: int, throws: tuple[int, ...]) -> tuple[Round, ...]:
        """What may come of throws: one round, or one for each square that a side may choose.

        `source` is the path index that both markers are on.
        """
        first = self._first(throws)
        begin = None if first is None else replace(self.rules.start(), side=first)
        return (Round(throws, source, (source, source), position=begin),)

    def _first(self, throws: tuple[int, ...]) -> str | None:
        """The first player by the throws of a round; None if another round follows."""
        raise NotImplementedError

    def value(self, value: Value) -> float:
        """The value to light before a round: one half of all, where neither side is favoured."""
        return total(self.rules.start()) / 2

    def worth(self, each: Round, value: Value) -> float:
        """The value to light after a round."""
        if each.position is None:
            return self.value(value)
        first = begin_value(each.position, value)
        return first if each.position.side == LIGHT else total(each.position) - first

    def halfway(self, before: float, best: float, each: Round, value: Value) -> float:
        """The value to light by its throw in a round alone: both have half of what they change.

        `before` and `best` are the values to light before the round, and after its best outcome by
        these throws.
        """
        return (before + best) / 2

    def best(self, rounds: tuple[Round, ...], value: Value) -> Round:
        """The round that the side which chooses likes best, the nearest square of equal ones."""
        if len(rounds) == 1:
            return rounds[0]
        sign = 1 if chooser(rounds) == LIGHT else -1
        return max(rounds, key=lambda each: sign * self.worth(each, value))


class HigherThrow(Opening):
    """The higher throw decides who is the first player."""

    def _first(self, throws: tuple[int, ...]) -> str | None:
        one, other = throws
        return None if one == other else LIGHT if one > other else DARK


class FirstOne(Opening):
    """The players throw in turn, light first, for a 1, by which the first player then moves."""

    @cached_property
    def throws(self) -> Mapping[tuple[int, ...], Fraction]:
        """A 1 of light ends the round."""
        both = {throws: chance for throws, chance in super().throws.items() if throws[0] != 1}
        return {(1,): self.rules.dice.probabilities[1]} | both

    def _first(self, throws: tuple[int, ...]) -> str | None:
        return None if throws[-1] != 1 else LIGHT if len(throws) == 1 else DARK

    def value(self, value: Value) -> float:
        """Light is the first player, or else dark, or else another round follows."""
        p = float(self.rules.dice.probabilities[1])
        light, dark = p, (1 - p) * p
        first = begin_value(self.rules.start(), value)
        return (light * first + dark * (total(self.rules.start()) - first)) / (light + dark)

    def halfway(self, before: float, best: float, each: Round, value: Value) -> float:
        """Light's 1 decides; after another throw dark throws a 1, or another round follows."""
        if len(each.throws) == 1:
            return best
        p = float(self.rules.dice.probabilities[1])
        first = begin_value(self.rules.start(), value)
        return p * (total(self.rules.start()) - first) + (1 - p) * before


class BothEnter(Opening):
    """Both sides throw and enter a marker, until one is further than the other."""

    def rounds(self, source: int, throws: tuple[int, ...]) -> tuple[Round, ...]:
        """By the throws; a side that jumps, as the other does not, chooses its square."""
        if not any(throws):
            return (Round(throws, source, (source, source), then=source),)
        light, dark = (self.rules.mechanics.marker_targets(source, throw) for throw in throws)
        return tuple(self._round(throws, source, mine, theirs) for mine in light for theirs in dark)

    def _round(self, throws: tuple[int, ...], source: int, mine: int, theirs: int) -> Round:
        targets, family = (mine, theirs), self.rules.mechanics
        if targets == (source, source):
            return Round(throws, source, targets, then=source)
        texts = (
            NO_MOVE if target == source else move_text(path, side, source, target)
            for side, path, target in zip(
                (LIGHT, DARK), (self.rules.path.light, self.rules.path.dark), targets, strict=True
            )
        )
        is_shared = family.is_same_square(mine, theirs)
        return Round(
            throws,
            source,
            targets,
            " ".join(texts),
            HOME if is_shared else mine,
            None if is_shared or mine == theirs else _apart(self.rules, source, targets),
        )


_KINDS: dict[str, type[Opening]] = {HIGHEST: HigherThrow, ONE: FirstOne, BEN: BothEnter}


def opening_of(rules: RuleSet) -> Opening | None:
    """How a rule set finds the first player; None by lots, which need no throws."""
    kind = _KINDS.get(str(rules.switches.get(FREE_OPENING.key)))
    return None if kind is None else kind(rules)


def chooser(rounds: tuple[Round, ...]) -> str:
    """The side that chooses one of several rounds, by what `Opening.rounds` gives."""
    return DARK if len({each.targets[0] for each in rounds}) == 1 else LIGHT


def level(rules: RuleSet, source: int) -> Position:
    """Where an opening stands before a round, as a position with light to throw."""
    if source == HOME:
        return rules.start()
    return replace(_apart(rules, source, (source, source)), side=LIGHT)


def asked_of(judging: Callable[[Value], object]) -> tuple[Position, ...]:
    """The positions whose values a judgement of openings needs, to ask for all at once.

    Which they are may not depend on the values.
    """
    asked = dict[Position, None]()

    def ask(position: Position) -> float:
        asked[position] = None
        return 0.0

    judging(ask)
    return tuple(asked)


def opening_value(rules: RuleSet, value: Value) -> float:
    """The first player's value, where both sides play best."""
    if rules.mechanics.both_enter:
        return sum(each.probability * value(each.position) for each in beginnings(rules, value))
    return begin_value(rules.start(), value)


def begin_value(position: Position, value: Value) -> float:
    """The first player's value where a game begins: with the throw made that the rules give."""
    throw = position.rules.mechanics.opening_throw
    if throw is None:
        return value(position)
    return throw_value(position, legal_moves(position, throw), value)


class Beginning(NamedTuple):
    """A position in which the first player throws first, as light, and its probability."""

    probability: float
    position: Position


def beginnings(rules: RuleSet, value: Value) -> tuple[Beginning, ...]:
    """The positions in which the first player throws first, where both sides enter a marker.

    A side that may choose its square, after a throw that jumps, takes the best by `value`.
    """
    found: dict[Position, float] = {}
    back = _reached(BothEnter(rules), value, HOME, 1.0, found)
    return tuple(Beginning(chance / (1 - back), position) for position, chance in found.items())


def _reached(
    opening: BothEnter, value: Value, source: int, chance: float, found: dict[Position, float]
) -> float:
    """Add to `found` what follows once both markers are on path index `source`.

    Returns the probability that both go home and begin again; `chance` is that of being here.
    """
    back = 0.0
    rounds = {throws: opening.rounds(source, throws) for throws in opening.throws}
    # where no marker moves both throw again
    counting = {
        throws: each for throws, each in rounds.items() if each[0].targets != (source, source)
    }
    whole = sum(opening.throws[throws] for throws in counting)
    for throws, each in counting.items():
        weight = chance * float(opening.throws[throws] / whole)
        best = opening.best(each, value)
        begin = best.position
        if begin is not None:
            position = begin if begin.side == LIGHT else begin.mirror()
            found[position] = found.get(position, 0.0) + weight
        elif best.then == HOME:
            back += weight
        else:
            back += _reached(opening, value, best.then, weight, found)
    return back


def _apart(rules: RuleSet, source: int, targets: tuple[int, int]) -> Position:
    """The position in which markers that were on `source` are on other path indices.

    The first player, whose marker is further, is to throw.
    """
    family = rules.mechanics
    contents, homes = dict.fromkeys(rules.board.squares, ""), []
    for side, index in zip((LIGHT, DARK), targets, strict=True):
        homes.append(rules.pieces - (index != HOME))
        if index != HOME:
            letter = family.stands(family.marker_on(source), index)
            contents[rules.path.squares(side)[index]] += (
                letter if side == LIGHT else swap_sides(letter)
            )
    return replace(
        rules.start(),
        contents=tuple(contents.values()),
        side=LIGHT if targets[0] > targets[1] else DARK,
        light_home=homes[0],
        dark_home=homes[1],
    )
