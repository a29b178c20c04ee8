"""What a decision is worth: choices before a throw, throws and moves, of many states at once.

A state before a throw has *choices* (most rule sets have one, which is none), each choice has
*throws*, and each throw has *options*: its legal moves, or the pass. `decide` puts those of many
states side by side in arrays and asks a source of values (`Values`) once; `Decisions` are what
follows. Every value is to the side that decides: a win probability, or with stakes the money to
come. So

    worth of a move    = value after it to the side that has made it, less its fine
    value of a throw   = worth of its best option
    value of a choice  = mean over its throws
    loss               = what an alternative is worth less than the best
    luck of a throw    = its value, less that before it (of the choice, if the rules have any)

Values may be estimates, with *errors*: half the widths of their 95 % intervals, 0 where a value is
exact. The interval of a best alternative reaches as far as that of any alternative, since another
may be the best in truth; one that is worse by more than its error adds nothing. The throws of a
choice are fully correlated, as their values come from one network. The errors of two alternatives
may go together, too: the square of the error of what they differ by (`Ranked.loss_error`) is the
sum of their squares, less twice their product times `Values.agreement`. An alternative is the best
if it loses no more than a millionth of what there is to win (`TIE`), worse if it loses more than
that error, and otherwise too close to call (`Verdict`).

`ur_solver.answers.query.decision` is the same of one position, as objects for people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ur_solver.errors import InputError
from ur_solver.rules import FREE_THROW, Payoff, Position, RuleSet
from ur_solver.rules.turns import Value
from ur_solver.space import space_of

if TYPE_CHECKING:  # for many states; one needs no tables of moves
    from ur_solver.moves import MoveGenerator, TurnBatch

Rows = npt.NDArray[Any]
"""Encoded states, shape (states, state width), seen from the side about to throw."""

Floats = npt.NDArray[np.float64]

if TYPE_CHECKING:
    _lazy = cached_property
else:

    class _lazy:  # noqa: N801 - a decorator
        """As `cached_property`, which in Python 3.11 has one lock for all objects of a class.

        Threads that decide at once would wait for each other: training took 1.6 times as long.
        """

        def __init__(self, function):
            self._function, self.__doc__ = function, function.__doc__

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            found = instance.__dict__[self._function.__name__] = self._function(instance)
            return found


TIE = 1e-6
"""Alternatives whose values differ by no more than this share of what there is to win are equally
good. Tables hold digits beyond their tolerance, and a millionth of a game does not matter."""


class Values(Protocol):
    """A source of values: a table, an estimator, a table of lengths, or one of your own.

    A class that inherits from this one has to have `rules` and `state_values`; the rest is by
    default what a source of exact values of a whole game says.
    """

    if TYPE_CHECKING:  # an attribute or a property

        @property
        def rules(self) -> RuleSet:
            """The rule set."""

    @property
    def are_exact(self) -> bool:
        """Whether no value is an estimate."""
        return True

    @property
    def is_shared(self) -> bool:
        """Whether values are lengths: the same to both sides, to which each turn adds 1.

        Others sum to 1, or to the pot.
        """
        return False

    @property
    def tolerance(self) -> float:
        """By how much exact values may be off."""
        return 0.0

    @property
    def agreement(self) -> float:
        """How the errors of the values of two moves go together: their correlation."""
        return 0.0

    def state_values(self, states: Rows) -> Floats:
        """The value of each encoded state to its side about to throw, shape (states,)."""
        ...

    def state_margins(self, states: Rows, values: Floats) -> Floats:
        """Half the width of the 95 % interval of each of these values; 0 of exact ones."""
        return np.zeros(len(states))

    def state_chances(self, states: Rows) -> Floats:
        """The chance to win if both sides play for nothing else; NaN where it is not known.

        The same as `state_values` without stakes.
        """
        if self.rules.payoff.has_fines:
            return np.full(len(states), np.nan)
        return self.state_values(states)

    def holds_states(self, states: Rows) -> npt.NDArray[np.bool_]:
        """For each encoded state, whether it has a value."""
        return np.ones(len(states), dtype=bool)

    def check(self, position: Position) -> bool:
        """Whether the game goes on in a position.

        Raises RuleSetMismatchError or IllegalPositionError if it is none of the rule set, and
        BeyondTableError if it has no value.
        """
        self.rules.check_position(position)
        return position.winner is None

    def error(self, position: Position) -> float | None:
        """By how much a position's value is proven to be off at most; None if nothing is proven."""
        return None

    def cut_error(self, position: Position) -> float:
        """The largest error due to the cut of the fines; 0 without stakes."""
        return 0.0


def states_of(rules: RuleSet, rows: Sequence[bytes]) -> Rows:
    """Encoded states in bytes as an array, a row each."""
    space = space_of(rules)
    states = np.frombuffer(b"".join(rows), dtype=space.state_dtype)
    return states.reshape(len(rows), space.state_width)


def encoded(rules: RuleSet, positions: Sequence[Position]) -> Rows:
    """Positions as encoded states."""
    space = space_of(rules)
    return np.array([list(space.encode(each)) for each in positions], dtype=space.state_dtype)


def position_values(values: Values) -> Value:
    """The value of a position to the side about to throw, by those of states; asked for once."""

    @cache
    def value(position: Position) -> float:
        return float(values.state_values(encoded(values.rules, [position]))[0])

    return value


def totals_of(payoff: Payoff, states: Rows) -> Floats:
    """What the two sides' values sum to in each state: 1, or with stakes the pot."""
    if not payoff.has_fines:
        return np.ones(len(states))
    return payoff.total(0) + states[:, -1].astype(float) * (payoff.total(1) - payoff.total(0))


def to_side(value: float, is_own: bool, total: float) -> float:
    """A value to the other side, unless it is a side's own, as one to that side."""
    return value if is_own else total - value


def to_sides(values: Floats, is_own: npt.NDArray[np.bool_], totals: Floats | float) -> Floats:
    """The same of many values."""
    return np.where(is_own, values, totals - values)


def at_stake(totals: Floats | float) -> Floats:
    """What there is to win, by which losses are measured: the total, or 1 of an empty pot."""
    return np.where(np.asarray(totals) > 0, totals, 1.0)


def counts_as_best(losses: Floats | float, totals: Floats | float) -> npt.NDArray[np.bool_]:
    """Whether alternatives with these losses count as the best, by the values as they are.

    `totals` are the sums of both sides' values.
    """
    return np.asarray(losses <= TIE * at_stake(totals))


class Verdict(StrEnum):
    """What values say of an alternative; exact values never say that it is too close to call."""

    BEST = "best"
    CLOSE = "close"
    WORSE = "worse"

    @property
    def words(self) -> str:
        """What people read: ``best``, ``too close to call``, ``worse``."""
        return "too close to call" if self is Verdict.CLOSE else self.value

    @property
    def doubt(self) -> str:
        """What follows a loss: ``, too close to call``, or nothing where it is sure."""
        return f", {self.words}" if self is Verdict.CLOSE else ""


def verdict_of(loss: float, error: float, total: float) -> Verdict:
    """The verdict on an alternative, by its loss and the error of the loss.

    `total` is the sum of both sides' values. It is `BEST` where `counts_as_best` holds.
    """
    if loss <= TIE * (total if total > 0 else 1.0):
        return Verdict.BEST
    return Verdict.CLOSE if loss <= error else Verdict.WORSE


class Mark(StrEnum):
    """How bad a move is."""

    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


@dataclass(frozen=True)
class Thresholds:
    """The loss of win probability, or with stakes of the pot, from which on a move has each mark.

    The defaults are near the quartiles of the loss of a wrong move that is picked at random:
    0.0129, 0.0301 and 0.0626 in finkel with seven pieces (scripts/measure_losses.py). They are
    rounded so that each is twice the one before. So a mistake is among the worse half of all
    wrong moves, and a blunder among the worst quarter. Of the choices of a player who loses 0.005
    per choice, 12 % are marked, 3.5 % as mistakes or worse, 0.4 % as blunders; of random moves 45,
    31 and 17 %.
    """

    inaccuracy: float = 0.015
    mistake: float = 0.03
    blunder: float = 0.06

    def __post_init__(self) -> None:
        if not 0 < self.inaccuracy <= self.mistake <= self.blunder <= 1:
            raise InputError(
                f"thresholds {self.inaccuracy}, {self.mistake}, {self.blunder}: expected three "
                "ascending numbers above 0 and up to 1, such as 0.015, 0.03, 0.06"
            )

    def mark(self, judged: Any) -> Mark | None:
        """The mark of a `JudgedPly`; None of a small or uncertain loss, or without a choice."""
        is_sure = judged.verdict is Verdict.WORSE
        return self.mark_of(judged.lost_share) if is_sure else None

    def mark_of(self, loss: float) -> Mark | None:
        """The mark of a choice by its loss as a share of both sides' values; None if small."""
        if loss < self.inaccuracy:
            return None
        if loss < self.mistake:
            return Mark.INACCURACY
        return Mark.MISTAKE if loss < self.blunder else Mark.BLUNDER


USUAL = Thresholds()
"""The thresholds of marks where nobody asks for others."""


def mark_of(loss: float, loss_error: float, whole: int, n: int) -> Mark | None:
    """The mark of one of `n` alternatives, by what there is to win; None if it is not sure."""
    if n < 2 or verdict_of(loss, loss_error, whole) is not Verdict.WORSE:
        return None
    return USUAL.mark_of(loss / (whole or 1))


def error_of_difference(one: Floats, other: Floats, agreement: float) -> Floats:
    """The errors of what two values differ by, by theirs and by how those go together."""
    return np.asarray(np.sqrt(np.maximum(one**2 + other**2 - 2 * agreement * one * other, 0.0)))


class Ranked:
    """Alternatives in groups, of each of which the side that decides takes the best.

    Options are the alternatives of a throw, choices those of a state. No group is empty: the
    alternatives of group k are `starts[k]` to `starts[k + 1]`, and arrays of alternatives are
    float64 as `worth`. `errors` gives the errors of `worth`, and is called once, if they are asked
    for; `agreement` is how they go together (`Values.agreement`).
    """

    def __init__(
        self,
        worth: Floats,
        starts: npt.NDArray[np.int64],
        errors: Callable[[], Floats],
        agreement: float = 0.0,
    ) -> None:
        self.worth, self.starts, self._errors = worth, starts, errors
        self._agreement = agreement

    @_lazy
    def sizes(self) -> npt.NDArray[np.int64]:
        """The number of alternatives of each group."""
        return np.diff(self.starts)

    @_lazy
    def value(self) -> Floats:
        """What the best of each group is worth."""
        return np.asarray(np.maximum.reduceat(self.worth, self.starts[:-1]))

    @_lazy
    def loss(self) -> Floats:
        """By how much each alternative is worth less than the best of its group."""
        return np.asarray(self.value.repeat(self.sizes) - self.worth)

    @_lazy
    def best(self) -> npt.NDArray[np.int64]:
        """The first of the best alternatives of each group."""
        from ur_solver.moves import _options  # noqa: PLC0415 - exact values need it for many only

        best = np.empty(len(self.starts) - 1, dtype=np.int64)
        _options.first_best(self.worth, self.starts, best)
        return best

    @_lazy
    def order(self) -> npt.NDArray[np.int64]:
        """All alternatives, those of a group where they were, best first; equal ones in order."""
        from ur_solver.moves import _options  # noqa: PLC0415 - one state is put in order without

        order = np.empty(len(self.worth), dtype=np.int64)
        _options.best_first(self.worth, self.starts, order, np.empty(len(order)))
        return order

    @_lazy
    def error(self) -> Floats:
        """The error of each alternative."""
        return self._errors()

    @_lazy
    def reach(self) -> Floats:
        """The error of `value`: how far the interval of any alternative reaches above it."""
        return np.asarray(np.maximum.reduceat(self.error - self.loss, self.starts[:-1]))

    @_lazy
    def loss_error(self) -> Floats:
        """The error of each loss; 0 for the best alternative, which is compared with itself."""
        if not self.error.any():
            return np.zeros(len(self.worth))
        found = error_of_difference(
            self.error, self.error[self.best].repeat(self.sizes), self._agreement
        )
        found[self.best] = 0
        return found

    def equals(self, totals: Floats) -> npt.NDArray[np.bool_]:
        """Which alternatives are as good as the best, where they are worth what is said.

        `totals` is what there is to win in each group, shape (groups,).
        """
        return counts_as_best(self.loss, totals.repeat(self.sizes))


class Branches(NamedTuple):
    """What may come of some states: choices, throws and options side by side.

    The states, `rows`, are not over. `choice_starts`, `throw_starts` and `option_starts` say where
    the choices of each state, the throws of each choice and the options of each throw begin, and
    where the last of them end; `chances` are the probabilities of throws, which sum to 1 in every
    choice. Of each option there is the state `after` it as `TurnBatch.after` has it, seen from the
    side that throws next (or the state before one that wins), and whether the same side throws
    `again`, has `won`, has landed on a rosette and is `fined`. `by_choice` says whether the rules
    have choices, all throws of which are here; `turns` has the throws and options with all that is
    known of them, but for positions.
    """

    rows: Rows
    choice_starts: npt.NDArray[np.int64]
    throw_starts: npt.NDArray[np.int64]
    chances: Floats
    option_starts: npt.NDArray[np.int64]
    after: Rows
    again: npt.NDArray[np.bool_]
    won: npt.NDArray[np.bool_]
    fined: npt.NDArray[np.bool_]
    by_choice: bool = False
    turns: TurnBatch | None = None


def branches_of(generator: MoveGenerator, rows: Rows) -> Branches:
    """Every throw of every choice of some states, by the compiled rules.

    Throws that move the same are one: a throw is an outcome of `PieceChoice.outcomes`.
    """
    groups = generator.by_choices(rows)
    kind = np.zeros(len(rows), dtype=np.int64)
    for number, (_, members) in enumerate(groups):
        kind[members] = number
    of_kind = [choices for choices, _ in groups]
    n_choices = np.array([len(choices) for choices in of_kind])
    made = [choice for choices in of_kind for choice in choices]
    n_throws = np.array([len(choice.outcomes) for choice in made])
    numbers = np.array([each for choice in made for each, _ in choice.outcomes], dtype=np.int32)
    chances = np.array([chance for choice in made for _, chance in choice.outcomes])
    may = np.array([choice.may for choice in made for _ in choice.outcomes], dtype=np.uint8)
    choice_starts, choices = _spread(n_choices, kind)
    throw_starts, throws = _spread(n_throws, choices)
    state_of = np.arange(len(rows)).repeat(np.diff(throw_starts[choice_starts]))
    turns = generator.successors(rows[state_of], numbers[throws], may[throws])
    starts = choice_starts, throw_starts
    return _branches(rows, *starts, chances[throws], turns, generator.has_choices)


def _spread(
    sizes: npt.NDArray[np.int64], kinds: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The members of groups of several kinds, by the number of members that each kind has.

    Returns where the members of each group begin, shape (groups + 1,), and the place of each in a
    list of the members of all kinds, kind after kind.
    """
    counts = sizes[kinds]
    starts = np.concatenate([[0], np.cumsum(counts)])
    first = np.concatenate([[0], np.cumsum(sizes)])[kinds] - starts[:-1]
    return starts, first.repeat(counts) + np.arange(starts[-1])


def _branches(
    rows: Rows,
    choice_starts: npt.NDArray[np.int64],
    throw_starts: npt.NDArray[np.int64],
    chances: Floats,
    turns: TurnBatch,
    by_choice: bool = False,
) -> Branches:
    from ur_solver.moves import AGAIN, ROSETTE, WIN  # noqa: PLC0415 - one state needs none of it

    return Branches(
        rows,
        choice_starts,
        throw_starts,
        chances,
        turns.starts,
        turns.after,
        turns.has(AGAIN),
        turns.has(WIN),
        turns.has(ROSETTE),
        by_choice,
        turns,
    )


class Decisions:
    """The decisions of some states; arrays are worked out when they are asked for.

    `others` are the values where the other side throws, if they are not the same.
    """

    def __init__(self, values: Values, branches: Branches, others: Values | None = None) -> None:
        self.values, self.branches, self._others = values, branches, others

    @_lazy
    def value(self) -> Floats:
        """The value of each state, as its source gives it."""
        return self.values.state_values(self.branches.rows)

    @_lazy
    def error(self) -> Floats:
        """The error of `value`."""
        return self.values.state_margins(self.branches.rows, self.value)

    @_lazy
    def total(self) -> Floats:
        """What both sides' values sum to in each state."""
        return totals_of(self.values.rules.payoff, self.branches.rows)

    @property
    def backup(self) -> Floats:
        """The value of each state by those after its options: that of its best choice."""
        return self.choices.value

    @_lazy
    def options(self) -> Ranked:
        """The options of each throw; `value` and `reach` are those of throws."""
        values, branches, found = self.values, self.branches, self.after

        def errors() -> Floats:  # without `self`, so that no cycle keeps large arrays
            return np.where(branches.won, 0.0, values.state_margins(branches.after, found))

        return Ranked(self._worth, branches.option_starts, errors, values.agreement)

    @_lazy
    def choices(self) -> Ranked:
        """The choices of each state."""
        of, chances = self.options, self.branches.chances
        starts = self.branches.throw_starts[:-1]
        return Ranked(
            np.add.reduceat(chances * of.value, starts) + float(self.values.is_shared),
            self.branches.choice_starts,
            lambda: np.asarray(np.add.reduceat(chances * of.reach, starts)),
            self.values.agreement,
        )

    @_lazy
    def luck(self) -> Floats:
        """What each throw gains; over the throws of a choice the mean is 0."""
        if self.branches.by_choice:
            before = self.choices.worth
        else:
            before = self.value.repeat(np.diff(self.branches.choice_starts))
        return self.options.value - before.repeat(np.diff(self.branches.throw_starts))

    @_lazy
    def fines(self) -> Floats:
        """What each option costs the side that takes it."""
        return np.where(self.branches.fined, float(self.values.rules.payoff.cost(True)), 0.0)

    @_lazy
    def chance(self) -> Floats:
        """The chance to win after each option if both sides play for nothing else."""
        if not self.values.rules.payoff.has_fines:
            return self._worth
        return self._to_mover(self.values.state_chances(self.branches.after), 1.0)

    @_lazy
    def after(self) -> Floats:
        """The value after each option, to the side that throws there; undefined after a win."""
        rows, again = self.branches.after, self.branches.again
        if self._others is None:
            return self.values.state_values(rows)
        found = np.empty(len(again))
        found[again] = self.values.state_values(rows[again])
        found[~again] = self._others.state_values(rows[~again])
        return found

    @_lazy
    def _worth(self) -> Floats:
        payoff = self.values.rules.payoff
        if self.values.is_shared:
            return np.where(self.branches.won, 0.0, self.after)
        total = totals_of(payoff, self.branches.after) if payoff.has_fines else 1.0
        worth = self._to_mover(self.after, total)
        return worth - self.fines if payoff.has_fines else worth

    def _to_mover(self, found: Floats, total: Floats | float) -> Floats:
        """Values to the side that throws next as those to the side that has moved."""
        worth = to_sides(found, self.branches.again, total)
        return np.where(self.branches.won, total, worth)


def decide(values: Values, rows: Rows, others: Values | None = None) -> Decisions:
    """The decisions of states that are not over, with every throw; see `Decisions`."""
    from ur_solver.moves import generator_of  # noqa: PLC0415 - one state needs none of it

    return Decisions(values, branches_of(generator_of(values.rules), rows), others)


def decide_thrown(values: Values, turns: TurnBatch, others: Values | None = None) -> Decisions:
    """The decisions of turns after their throws: a choice and a throw in each."""
    each = np.arange(len(turns) + 1)
    branches = _branches(turns.rows, each, each, np.ones(len(turns)), turns)
    return Decisions(values, branches, others)


_BATCH = 1 << 14
"""States whose moves are listed at once; those of one take some 2 KB."""


def decide_every_throw(values: Values, rows: Rows) -> Iterator[tuple[slice, Decisions]]:
    """Turns after every throw that the dice can show, in the order of `Dice.throws`; see above.

    Some of the rows at a time, and at least once. In birds they follow the choice of *move*.
    """
    from ur_solver.moves import generator_of  # noqa: PLC0415 - one state needs none of it

    generator, thrown = generator_of(values.rules), values.rules.dice.throws
    known = {throw: number for number, throw in enumerate(generator.throws)}
    numbers = np.array([known.get(throw, -1) for throw in thrown], dtype=np.int32)
    for first in range(0, max(1, len(rows)), _BATCH):
        some = slice(first, first + _BATCH)
        states = np.repeat(rows[some], len(thrown), axis=0)
        may = np.full(len(states), generator.may(FREE_THROW), dtype=np.uint8)
        turns = generator.successors(states, np.resize(numbers, len(states)), may)
        yield some, decide_thrown(values, turns)
