"""What is played for: a chance of winning, or money.

A payoff says what the values of a game's positions are: what the two sides' values sum to,
what a move costs, what a value is written as. Everything else (turns, queries, the command
line) asks it and knows neither of the two kinds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from ur_solver.common.text import counted
from ur_solver.errors import RuleSetError

MAX_STAKE = 1_000_000
"""The largest ante or fine; only their ratio matters to the play."""

MAX_REACH = 58
"""The most fines that a table can have values of their own for."""

_REACH, _REACH_OF_MANY, _MANY = 26, 10, 5
"""As memory allows: 32 numbers a position, or 16 from five pieces on, which fill cache lines."""

MINUS = "\N{MINUS SIGN}"
_DECIMALS = 2, 12
"""The fewest and the most decimals that a value is written with."""


def signed(value: float, decimals: int) -> str:
    """A change with its sign, a minus as printed: ``+1.25``; ``+0.00`` where nothing is left."""
    rounded = round(value, decimals) + 0.0  # which turns -0.0 into 0.0
    return f"{rounded:+.{decimals}f}".replace("-", MINUS)


def sure_decimals(error: float) -> int:
    """How many decimals the first digit of an error, above 0, leaves to a number."""
    return max(0, -math.floor(math.log10(error)))


class Units(NamedTuple):
    """How people are shown values: in points, hundredths of the chance to win, or as money."""

    scale: int  # what a value is multiplied by when it is written
    digits: int  # the decimals of luck and losses
    exact_digits: int  # the decimals of exact values, where small differences matter
    mark: str  # what follows a value
    name: str  # what losses are counted in
    losing: str  # what follows a loss
    worth: str  # what a value is
    share: str  # what the graph of a game shows, in [0, 1]
    short_share: str  # the same in a word

    def number(self, value: float, digits: int) -> str:
        """A loss, or a value, without its mark, with any number of decimals."""
        return f"{self.scale * value:.{digits}f}"

    def amount(self, value: float) -> str:
        """A loss, or a value, without its mark."""
        return self.number(value, self.digits)

    def mean(self, value: float) -> str:
        """A loss a choice, which has a digit more."""
        return self.number(value, self.digits + 1)

    def signed(self, value: float) -> str:
        """A gain or a loss with its sign."""
        return signed(self.scale * value, self.digits)

    def gain(self, value: float) -> str:
        """The same of a sum, of which ``0`` says that nothing was gained or lost."""
        text = self.signed(value)
        return text if text.strip("+0.") else "0"

    def value(self, value: float, digits: int | None = None) -> str:
        """What a move is worth: ``23.4 %``, or ``9.87``."""
        return self.number(value, self.digits if digits is None else digits) + self.mark

    def lost(self, value: float, margin: float = 0.0) -> str:
        """A loss as a phrase: ``11.7 points lost``, ``0.85 lost``, or ``12 ± 3 points lost``."""
        return f"{self.amount(value)}{self.give(margin)} {self.losing}"

    def give(self, margin: float) -> str:
        """What follows a number whose 95 % interval has this half-width: `` ± 3``, or nothing."""
        return f" \N{PLUS-MINUS SIGN} {self.amount(margin)}" if margin else ""

    def estimate(self, value: float, margin: float) -> str:
        """A value with the decimals that its error leaves: ``53 % ± 2``, or ``9.9 ± 0.2``."""
        digits = sure_decimals(self.scale * margin)
        return f"{self.value(value, digits)} \N{PLUS-MINUS SIGN} {self.number(margin, digits)}"

    def within(self, margin: float) -> Units:
        """The same units with no more decimals than an error leaves; 0 leaves all."""
        if margin == 0:
            return self
        return self._replace(digits=min(self.digits, sure_decimals(self.scale * margin)))


POINTS = Units(
    scale=100,
    digits=1,
    exact_digits=2,
    mark=" %",
    name="points",
    losing="points lost",
    worth="chance",
    share="chance to win",
    short_share="chance",
)
MONEY = Units(
    scale=1,
    digits=2,
    exact_digits=4,
    mark="",
    name="money",
    losing="lost",
    worth="money to come",
    share="share of the pot",
    short_share="share",
)


class Payoff:
    """What the two sides play for; by itself the chance of winning.

    The winner's is 1, and a draw's 1/2. `Stakes` are another.

    Attributes
    ----------
    has_fines : bool
        Whether positions count fines paid, which their notation then shows.
    verb : str
        What a side does with its value: it *wins* so often, or *gets* so much.
    figures : tuple of str
        What there is to say of a position besides its value and its error, as the methods of
        tables, the keys of JSON and the columns of data frames are named.
    units : Units
        In which values, losses and luck are written.
    noun : str
        What one value is, with its article.
    stored : str
        What the values of a table are, for whoever has the file alone.
    """

    has_fines: ClassVar[bool] = False
    verb: ClassVar[str] = "wins"
    figures: ClassVar[tuple[str, ...]] = ()
    units: ClassVar[Units] = POINTS
    noun: ClassVar[str] = "a probability"
    stored: ClassVar[str] = "The chance of winning, from 0 to 1, of the side about to throw"

    def total(self, fines: int) -> int:
        """What the two sides' values sum to once `fines` were paid."""
        return 1

    def cost(self, is_rosette: bool) -> int:
        """What a move costs the side that makes it; one that costs anything is a fine."""
        return 0

    def unit(self, pieces: int) -> int:
        """What a stored value of 1 stands for in a table of this many pieces a side."""
        return 1

    def text(self, value: float, tolerance: float) -> str:
        """A value for people, with the decimals that `tolerance` leaves sure."""
        fewest, most = _DECIMALS
        if tolerance > 0:
            sure = math.floor(-math.log10(tolerance) - math.log10(self.units.scale))
            most = max(fewest, min(most, sure))
        return self.units.value(value, most)

    def won(self, total: int) -> str:
        """What the winner did, where the two sides' values sum to `total`."""
        return "won"

    def words(self, pieces: int) -> list[str]:
        """What is played for, in sentences; none where it is the chance of winning."""
        return []

    def limits(self, pieces: int) -> list[str]:
        """How far a table of these rules reaches, in sentences; none if it holds everything."""
        return []


CHANCES = Payoff()
"""What every rule set without stakes is played for."""


@dataclass(frozen=True)
class Stakes(Payoff):
    """Money, of which players maximise what they may expect (rules, section 5.1).

    Parameters
    ----------
    ante : int
        What each player pays into the pot at the start.
    fine : int
        What a player pays each time a piece of theirs lands on a rosette.
    reach : int or None
        No rule but how far solving goes: the fines that a table has values of their own
        for. None takes what suits the count of pieces.

    Raises
    ------
    RuleSetError
        If an amount is out of range.
    """

    ante: int = 10
    fine: int = 1
    reach: int | None = None

    has_fines = True
    verb = "gets"
    figures = ("cut_error", "chance")
    units = MONEY
    noun = "money"
    stored = (
        "The money to come to the side about to throw, or its chance of winning "
        "(ur_solver.space.stakes)"
    )

    def __post_init__(self) -> None:
        limits = {"ante": (0, MAX_STAKE), "fine": (1, MAX_STAKE), "reach": (0, MAX_REACH)}
        for key, (lowest, highest) in limits.items():
            value = getattr(self, key)
            is_whole = isinstance(value, int) and not isinstance(value, bool)
            if not (is_whole and lowest <= value <= highest) and (key, value) != ("reach", None):
                raise RuleSetError(f"stakes: {key} is {value!r:.60}, not {lowest} to {highest}")

    def reach_of(self, pieces: int) -> int:
        """`reach`, or what suits the count of pieces."""
        if self.reach is not None:
            return self.reach
        return _REACH if pieces < _MANY else _REACH_OF_MANY

    def total(self, fines: int) -> int:
        """The pot.

        The winner takes the pot of the game's end, which is the pot now and the fines still
        to come; those are paid by the two sides, and so cancel.
        """
        return 2 * self.ante + fines * self.fine

    def cost(self, is_rosette: bool) -> int:
        """The fine for landing on a rosette."""
        return self.fine if is_rosette else 0

    def unit(self, pieces: int) -> int:
        """The pot with one fine more than the table reaches."""
        return self.total(self.reach_of(pieces) + 1)

    def won(self, total: int) -> str:
        """It won the pot."""
        return f"won the pot of {total}"

    def words(self, pieces: int) -> list[str]:
        """Who pays what."""
        return [
            f"Each player pays {self.ante} into the pot, and {self.fine} more for each landing on "
            "a rosette; the winner takes it.",
        ]

    def limits(self, pieces: int) -> list[str]:
        """How many fines a table distinguishes."""
        return [
            "Tables have values of their own for up to "
            f"{counted(self.reach_of(pieces), 'fine')} paid (--fines chooses how many).",
        ]
