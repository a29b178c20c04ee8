"""How audits write gains and losses: in points, hundredths of the chance to win, or as money."""

from __future__ import annotations

from dataclasses import dataclass

from ur_solver.rules import RuleSet
from ur_solver.rules.payoff import signed


@dataclass(frozen=True)
class Units:
    """The words and digits of a rule set's values.

    Attributes
    ----------
    is_money : bool
        Whether the game has stakes.
    """

    is_money: bool

    @classmethod
    def of(cls, rules: RuleSet) -> Units:
        """Those of the games of a rule set."""
        return cls(not rules.payoff.is_chance)

    @property
    def scale(self) -> int:
        """The factor of a value in text."""
        return 1 if self.is_money else 100

    @property
    def digits(self) -> int:
        """The decimals of luck and losses."""
        return 2 if self.is_money else 1

    @property
    def worth(self) -> str:
        """What a value is."""
        return "money to come" if self.is_money else "chance"

    @property
    def share(self) -> str:
        """The value on the graph of a game, in [0, 1]."""
        return "share of the pot" if self.is_money else "chance to win"

    def amount(self, value: float, more_digits: int = 0) -> str:
        """A loss, or a value, without its unit."""
        return f"{self.scale * value:.{self.digits + more_digits}f}"

    def mean(self, value: float) -> str:
        """A loss a choice, which has a digit more."""
        return self.amount(value, 1)

    def signed(self, value: float) -> str:
        """A gain or a loss with its sign."""
        return signed(self.scale * value, self.digits)

    def value(self, value: float, more_digits: int = 0) -> str:
        """The value of a move: ``23.4 %``, or ``9.87``."""
        amount = self.amount(value, more_digits)
        return amount if self.is_money else f"{amount} %"

    def lost(self, value: float) -> str:
        """A loss as a phrase: ``11.7 points lost``, or ``0.85 lost``."""
        return f"{self.amount(value)} {'lost' if self.is_money else 'points lost'}"
