"""Dice: the throws they can show, with exact probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb
from numbers import Integral
from typing import NamedTuple

from ur_solver.errors import RuleSetError, ThrowError
from ur_solver.rules.limits import MAX_THROW


class Look(NamedTuple):
    """How dice are drawn.

    Attributes
    ----------
    kind : str
        ``pyramids`` with marked tips, ``sticks`` with a marked side, a ``die`` with pips; or a
        ``number``, where no usual dice have these throws.
    n_dice : int
        How many there are.
    marks : dict of int to int
        For each throw how many of them show their mark; for a die its pips.
    """

    kind: str
    n_dice: int
    marks: dict[int, int]


@dataclass(frozen=True)
class Dice:
    """Dice by name; `probabilities[n]` is the chance of throwing n, 0 included."""

    name: str
    probabilities: tuple[Fraction, ...]

    @cached_property
    def throws(self) -> tuple[int, ...]:
        """The throws that can happen, ascending."""
        return tuple(n for n, chance in enumerate(self.probabilities) if chance)

    @property
    def is_ordinary(self) -> bool:
        """Whether these are ordinary dice, like all dice of the sources.

        No throw has a probability above one half, and three of the throws 1 to 4 have at
        least one eighth each. With such dice sweeps contract fast, and play comes to an end.
        """
        often = [chance for chance in self.probabilities[1:5] if chance >= Fraction(1, 8)]
        return max(self.probabilities) <= Fraction(1, 2) and len(often) >= 3

    @property
    def look(self) -> Look:
        """Usual dice that have these throws with these probabilities.

        Where a throw without a mark counts as one more than all marks, the dice are sticks.
        """
        throws, count = self.throws, len(self.throws) - 1
        by_marks = [Fraction(comb(count, n), 2**count) for n in range(count + 1)]
        if throws == (0, *range(1, count + 1)) and list(self.probabilities) == by_marks:
            return Look("pyramids", count, {n: n for n in throws})
        if throws == tuple(range(1, count + 2)):
            chances = list(self.probabilities[1:])
            if chances == [*by_marks[1:], by_marks[0]]:
                return Look("sticks", count, {n: n % (count + 1) for n in throws})
            if len(set(chances)) == 1:
                return Look("die", 1, {n: n for n in throws})
        return Look("number", 1, {n: n for n in throws})

    def check(self, throw: int) -> None:
        """Raise ThrowError if the dice cannot show `throw`."""
        if not isinstance(throw, Integral) or throw not in self.throws:
            raise ThrowError(f"throw {throw!r}: {self.name} dice show {self._shown}")

    def parse(self, text: str) -> int:
        """Parse a throw; ThrowError if the dice cannot show it."""
        if not (text.isascii() and text.isdigit() and len(text) < 3):
            raise ThrowError(f"throw {text!r}: expected one of {self._shown}")
        throw = int(text)
        self.check(throw)
        return throw

    @property
    def _shown(self) -> str:
        return ", ".join(map(str, self.throws))

    @staticmethod
    def of(name: str, chances: Mapping[int, Fraction]) -> Dice:
        """Dice from a mapping of throw to probability.

        Raises
        ------
        RuleSetError
            If a throw is out of range, a chance is not positive, or they do not sum to 1.
        """
        for throw, chance in chances.items():
            if not 0 <= throw <= MAX_THROW:
                raise RuleSetError(f"dice: throw {throw} is not between 0 and {MAX_THROW}")
            if chance <= 0:
                raise RuleSetError(f"dice: the chance of {throw} is {chance}, not above 0")
        total = sum(chances.values(), Fraction(0))
        if total != 1:
            raise RuleSetError(f"dice: the chances of {sorted(chances)} sum to {total}, not to 1")
        if not any(chances):
            raise RuleSetError("dice: no throw moves a piece")
        return Dice(name, tuple(chances.get(n, Fraction(0)) for n in range(max(chances) + 1)))


def _dice(name: str, weights: tuple[int, ...]) -> Dice:
    total = sum(weights)
    return Dice(name, tuple(Fraction(weight, total) for weight in weights))


DICE: dict[str, Dice] = {
    dice.name: dice
    for dice in (
        _dice("4-binary", (1, 4, 6, 4, 1)),
        _dice("3-binary", (1, 3, 3, 1)),
        _dice("3-binary-0as4", (0, 3, 3, 1, 1)),
        _dice("d4", (0, 1, 1, 1, 1)),
        _dice("d6", (0, 1, 1, 1, 1, 1, 1)),
        _dice("bell", (1, 3, 3, 1)),
    )
}
"""The dice of the literature, by name; the family bell defines the effect of its throws."""
