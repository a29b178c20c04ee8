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
choice are fully correlated, as their values come from one network. What two alternatives differ by
has the root of the sum of their squared errors (`Ranked.loss_error`). An alternative counts as the
best if it loses no more than that, or a millionth of what there is to win (`TIE`).

`decision` is the same of one position, as objects for people, by the readable rules; its
`Decision.to_json` is the JSON of commands, audits and the HTTP interface.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ur_solver.answers.positions import PositionLike, position_from, value_when_over
from ur_solver.errors import InputError
from ur_solver.rules import FREE_THROW, HOME, SIDE_NAMES, Move, Payoff, Position, RuleSet, opponent
from ur_solver.rules.moves import legal_moves
from ur_solver.rules.turns import Choice, Outcome, total, turn
from ur_solver.space import space_of

if TYPE_CHECKING:  # for many states; one needs no tables of moves
    from ur_solver.moves import MoveGenerator, TurnBatch

Rows = npt.NDArray[Any]
"""Encoded states, shape (states, state width), seen from the side about to throw."""

Floats = npt.NDArray[np.float64]

TIE = 1e-6
"""Alternatives whose values differ by no more than this share of what there is to win are equally
good. Tables hold digits beyond their tolerance, and a millionth of a game does not matter."""


class Values(Protocol):
    """A source of values: a table, an estimator, a table of lengths, or one of your own.

    A class that inherits from this one has to have `rules` and `state_values`; the rest is by
    default what a source of exact values of a whole game says.
    """

    if TYPE_CHECKING:  # attributes or properties

        @property
        def rules(self) -> RuleSet:
            """The rule set."""

        @property
        def are_exact(self) -> bool:
            """Whether no value is an estimate."""

        @property
        def is_shared(self) -> bool:
            """Whether values are lengths: the same to both sides, to which each turn adds 1.

            Others sum to 1, or to the pot.
            """

        @property
        def tolerance(self) -> float:
            """By how much exact values may be off."""
    else:
        are_exact, is_shared, tolerance = True, False, 0.0

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


def totals_of(payoff: Payoff, states: Rows) -> Floats:
    """What the two sides' values sum to in each state: 1, or with stakes the pot."""
    if not payoff.has_fines:
        return np.ones(len(states))
    return payoff.total(0) + states[:, -1].astype(float) * (payoff.total(1) - payoff.total(0))


class Mark(StrEnum):
    """How bad a move is."""

    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


class _Judged(Protocol):
    """What `Thresholds.mark` takes: an `ur_solver.JudgedPly`."""

    if TYPE_CHECKING:

        @property
        def is_choice(self) -> bool: ...

        @property
        def loss(self) -> float: ...

        @property
        def loss_margin(self) -> float: ...

        @property
        def lost_share(self) -> float: ...


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

    def mark(self, judged: _Judged) -> Mark | None:
        """The mark of a ply; None if its loss is small or not sure, or if there was no choice."""
        is_sure = judged.loss > judged.loss_margin
        return self.mark_of(judged.lost_share) if judged.is_choice and is_sure else None

    def mark_of(self, loss: float) -> Mark | None:
        """The mark of a choice by its loss as a share of both sides' values; None if small."""
        if loss < self.inaccuracy:
            return None
        if loss < self.mistake:
            return Mark.INACCURACY
        return Mark.MISTAKE if loss < self.blunder else Mark.BLUNDER


USUAL = Thresholds()
"""The thresholds of marks where nobody asks for others."""


class Ranked:
    """Alternatives in groups, of each of which the side that decides takes the best.

    Options are the alternatives of a throw, choices those of a state. No group is empty.

    Parameters
    ----------
    worth : float64, shape (alternatives,)
    starts : int64, shape (groups + 1,)
        The alternatives of group k are `starts[k]` to `starts[k + 1]`.
    errors : callable
        Gives the errors of `worth`, same shape; called once, if errors are asked for.
    """

    def __init__(
        self, worth: Floats, starts: npt.NDArray[np.int64], errors: Callable[[], Floats]
    ) -> None:
        self.worth, self.starts, self._errors = worth, starts, errors

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        """The number of alternatives of each group."""
        return np.diff(self.starts)

    @cached_property
    def value(self) -> Floats:
        """What the best of each group is worth."""
        return np.asarray(np.maximum.reduceat(self.worth, self.starts[:-1]))

    @cached_property
    def loss(self) -> Floats:
        """By how much each alternative is worth less than the best of its group."""
        return np.asarray(self.value.repeat(self.sizes) - self.worth)

    @cached_property
    def best(self) -> npt.NDArray[np.int64]:
        """The first of the best alternatives of each group."""
        best = np.flatnonzero(self.loss == 0)
        return np.asarray(best[np.searchsorted(best, self.starts[:-1])])

    @cached_property
    def order(self) -> npt.NDArray[np.int64]:
        """All alternatives, those of a group where they were, best first; equal ones in order."""
        from ur_solver.moves import _options  # noqa: PLC0415 - one state is put in order without

        order = np.empty(len(self.worth), dtype=np.int64)
        _options.best_first(self.worth, self.starts, order, np.empty(len(order)))
        return order

    @cached_property
    def error(self) -> Floats:
        """The error of each alternative."""
        return self._errors()

    @cached_property
    def reach(self) -> Floats:
        """The error of `value`: how far the interval of any alternative reaches above it."""
        return np.asarray(np.maximum.reduceat(self.error - self.loss, self.starts[:-1]))

    @cached_property
    def loss_error(self) -> Floats:
        """The error of each loss; 0 for the best alternative, which is compared with itself."""
        found = np.hypot(self.error, self.error[self.best].repeat(self.sizes))
        found[self.best] = 0
        return np.asarray(found)

    def equals(self, totals: Floats) -> npt.NDArray[np.bool_]:
        """Which alternatives are as good as the best, where they are worth what is said.

        `totals` is what there is to win in each group, shape (groups,).
        """
        return np.asarray(self.loss <= TIE * np.where(totals > 0, totals, 1.0).repeat(self.sizes))

    def ties(self, totals: Floats) -> npt.NDArray[np.bool_]:
        """Which alternatives count as the best: equal ones, and those that may be the best."""
        return np.asarray(self.equals(totals) | (self.loss <= self.loss_error))


class Branches(NamedTuple):
    """What may come of some states: choices, throws and options side by side.

    Attributes
    ----------
    rows : unsigned, shape (states, state width)
        States that are not over.
    choice_starts : int64, shape (states + 1,)
        Where the choices of each state begin.
    throw_starts : int64, shape (choices + 1,)
        Where the throws of each choice begin.
    chances : float64, shape (throws,)
        Their probabilities, which sum to 1 in every choice.
    option_starts : int64, shape (throws + 1,)
        Where the options of each throw begin.
    after : unsigned, shape (options, state width)
        As `TurnBatch.after`: the state after an option, seen from the side that throws next; the
        state before one that wins.
    again, won, fined : bool, shape (options,)
        Whether the same side throws again, has won, has landed on a rosette.
    by_choice : bool
        Whether the rules have choices, all throws of which are here.
    turns : TurnBatch or None
        The same throws and options with all that is known of them; None of positions.
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

    Parameters
    ----------
    values : Values
    branches : Branches
    others : Values, optional
        The values where the other side throws, if they are not the same.
    """

    def __init__(self, values: Values, branches: Branches, others: Values | None = None) -> None:
        self.values, self.branches, self._others = values, branches, others

    @cached_property
    def value(self) -> Floats:
        """The value of each state, as its source gives it."""
        return self.values.state_values(self.branches.rows)

    @cached_property
    def error(self) -> Floats:
        """The error of `value`."""
        return self.values.state_margins(self.branches.rows, self.value)

    @cached_property
    def total(self) -> Floats:
        """What both sides' values sum to in each state."""
        return totals_of(self.values.rules.payoff, self.branches.rows)

    @property
    def backup(self) -> Floats:
        """The value of each state by those after its options: that of its best choice."""
        return self.choices.value

    @cached_property
    def options(self) -> Ranked:
        """The options of each throw; `value` and `reach` are those of throws."""
        values, branches, found = self.values, self.branches, self._found

        def errors() -> Floats:  # without `self`, so that no cycle keeps large arrays
            return np.where(branches.won, 0.0, values.state_margins(branches.after, found))

        return Ranked(self._worth, branches.option_starts, errors)

    @cached_property
    def choices(self) -> Ranked:
        """The choices of each state."""
        of, chances = self.options, self.branches.chances
        starts = self.branches.throw_starts[:-1]
        return Ranked(
            np.add.reduceat(chances * of.value, starts) + float(self.values.is_shared),
            self.branches.choice_starts,
            lambda: np.asarray(np.add.reduceat(chances * of.reach, starts)),
        )

    @cached_property
    def luck(self) -> Floats:
        """What each throw gains; over the throws of a choice the mean is 0."""
        if self.branches.by_choice:
            before = self.choices.worth
        else:
            before = self.value.repeat(np.diff(self.branches.choice_starts))
        return self.options.value - before.repeat(np.diff(self.branches.throw_starts))

    @cached_property
    def chance(self) -> Floats:
        """The chance to win after each option if both sides play for nothing else."""
        if not self.values.rules.payoff.has_fines:
            return self._worth
        return self._to_mover(self.values.state_chances(self.branches.after), 1.0)

    @cached_property
    def _found(self) -> Floats:
        """The values after the options, to the side that throws there."""
        after, again = self.branches.after, self.branches.again
        if self._others is None:
            return self.values.state_values(after)
        found = np.empty(len(again))
        found[again] = self.values.state_values(after[again])
        found[~again] = self._others.state_values(after[~again])
        return found

    @cached_property
    def _worth(self) -> Floats:
        payoff = self.values.rules.payoff
        if self.values.is_shared:
            return np.where(self.branches.won, 0.0, self._found)
        total = totals_of(payoff, self.branches.after) if payoff.has_fines else 1.0
        worth = self._to_mover(self._found, total)
        if payoff.has_fines:
            worth -= np.where(self.branches.fined, float(payoff.cost(True)), 0.0)
        return worth

    def _to_mover(self, found: Floats, total: Floats | float) -> Floats:
        """Values to the side that throws next as those to the side that has moved."""
        worth = np.where(self.branches.again, found, total - found)
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


def decide_every_throw(values: Values, rows: Rows) -> Decisions:
    """Turns after every throw that the dice can show, in the order of `Dice.throws`; see above.

    In birds they follow the choice of *move*.
    """
    from ur_solver.moves import generator_of  # noqa: PLC0415 - one state needs none of it

    generator, thrown = generator_of(values.rules), values.rules.dice.throws
    known = {throw: number for number, throw in enumerate(generator.throws)}
    numbers = np.array([known.get(throw, -1) for throw in thrown], dtype=np.int32)
    may = np.full(len(rows) * len(thrown), generator.may(FREE_THROW), dtype=np.uint8)
    turns = generator.successors(
        np.repeat(rows, len(thrown), axis=0), np.tile(numbers, len(rows)), may
    )
    return decide_thrown(values, turns)


def has_choices(rules: RuleSet) -> bool:
    """Whether turns begin with a choice."""
    return bool(rules.mechanics.choices(1, 1) != (FREE_THROW,))


# One decision, for people.


def exactness(values: Values, error: float) -> dict[str, Any]:
    """What JSON says of the exactness of an estimator's value; nothing of a table's."""
    if values.are_exact:
        return {}
    return {"exact": True} if error == 0 else {"exact": False, "error": error}


class EvaluatedMove(NamedTuple):
    """A legal move with its worth.

    Attributes
    ----------
    move : Move
    value : float
        The win probability, after it, of the side that makes it; with stakes the expected
        money, less the fine that the move costs.
    loss : float
        The difference from the value of the best move; 0 for the best.
    chance : float
        The win probability after it, if both sides play for nothing else from then on; the
        same as `value` unless there are stakes.
    error, loss_error : float
        Half the widths of the 95 % intervals of `value` and `loss`; 0 of exact ones.
    mark : Mark or None
        Of a loss that is large and sure, where there are several moves.
    """

    move: Move
    value: float
    loss: float
    chance: float
    error: float = 0.0
    loss_error: float = 0.0
    mark: Mark | None = None

    def to_json(self, values: Values) -> dict[str, Any]:
        """As JSON values."""
        move = self.move
        side = move.position.side if move.again else opponent(move.position.side)
        path = move.position.rules.path.squares(side)
        found: dict[str, Any] = {
            "move": move.text,
            "from": "home" if move.source == HOME else path[move.source],
            "to": "off" if move.target == len(path) else path[move.target],
            "again": move.again,
            "capture": move.is_capture,
            "position": move.position.notation,
            **({"cost": move.cost} if move.cost else {}),
            "value": self.value,
            **exactness(values, self.error),
        }
        if not np.isnan(self.chance) and "chance" in values.rules.payoff.figures:
            found["chance"] = self.chance
        found["loss"] = self.loss
        if not values.are_exact:
            found["loss_error"] = self.loss_error
        return found | {"mark": self.mark}


class ThrowValue(NamedTuple):
    """The value of a throw to the side that throws it.

    Attributes
    ----------
    throws : tuple of int
        What the dice show: one throw, or two where the first earns a second.
    probability : Fraction
    value : float
        The win probability after the best move, or after the pass.
    luck : float
        What the throw gains: `value` less the value before it.
    error : float
        Half the width of the 95 % interval of `value`; 0 if it is exact.
    options : tuple of EvaluatedMove
        In the order of `RuleSet.legal_moves`; empty where the turn passes.
    choice : str
        The choice before the throw; empty if the rules have none.
    """

    throws: tuple[int, ...]
    probability: Fraction
    value: float
    luck: float
    error: float = 0.0
    options: tuple[EvaluatedMove, ...] = ()
    choice: str = FREE_THROW

    @property
    def throw(self) -> int:
        """What the dice show first."""
        return self.throws[0]

    @property
    def moves(self) -> list[EvaluatedMove]:
        """The legal moves, the best first; equal ones in the order of `RuleSet.legal_moves`."""
        return sorted(self.options, key=lambda each: each.loss)

    @property
    def best(self) -> Move | None:
        """The best move; None where the turn passes without one."""
        return min(self.options, key=lambda each: each.loss).move if self.options else None

    def to_json(self, values: Values) -> dict[str, Any]:
        """As JSON values; two throws are an array."""
        return {
            **({"choice": self.choice} if has_choices(values.rules) else {}),
            "throw": self.throws[0] if len(self.throws) == 1 else list(self.throws),
            "probability": float(self.probability),
            "value": self.value,
            "luck": self.luck,
            **exactness(values, self.error),
            "best": None if self.best is None else self.best.text,
            "moves": [each.to_json(values) for each in self.moves],
        }


class EvaluatedChoice(NamedTuple):
    """A choice before the throw with its worth; the only one is `FREE_THROW` in most rule sets.

    Attributes
    ----------
    name : str
    value, loss : float
        The mean over its throws, and the difference from the best choice.
    error, loss_error : float
        Half the widths of their 95 % intervals; 0 of exact ones.
    mark : Mark or None
        As of moves.
    throws : tuple of ThrowValue
    """

    name: str
    value: float
    loss: float
    error: float
    loss_error: float
    mark: Mark | None
    throws: tuple[ThrowValue, ...]


class Decision(NamedTuple):
    """A decision of the side about to throw: its choices, throws and moves with their worth.

    Attributes
    ----------
    position : Position
    value : float
        To the side about to throw, before the throw.
    error : float
        Half the width of its 95 % interval; 0 if it is exact.
    choices : tuple of EvaluatedChoice
        Empty where the game is over.
    source : Table or Estimator
        Of the values.
    """

    position: Position
    value: float
    error: float
    choices: tuple[EvaluatedChoice, ...]
    source: Values

    @property
    def throws(self) -> tuple[ThrowValue, ...]:
        """The throws of all choices."""
        return tuple(throw for choice in self.choices for throw in choice.throws)

    @property
    def total(self) -> int:
        """What both sides' values sum to: 1, or with stakes the pot."""
        return total(self.position)

    @property
    def is_draw(self) -> bool:
        """Whether neither side can ever move again."""
        if self.position.winner is not None or any(each.options for each in self.throws):
            return False
        theirs = turn(self.position.pass_turn())
        return not any(outcome.moves for choice in theirs for outcome in choice.outcomes)

    def to_json(self) -> dict[str, Any]:
        """As JSON values: what commands, audits and the HTTP interface say of a position."""
        position, values = self.position, self.source
        found = position_json(values, position, self.value, self.error) | {
            "side": SIDE_NAMES[position.side],
            "winner": SIDE_NAMES[position.winner] if position.winner else None,
            "is_draw": self.is_draw,
            "total": self.total,
            "after_pass": position.pass_turn().notation,
        }
        if has_choices(values.rules):
            made = {each.name: each for each in self.choices}
            names = values.rules.mechanics.choices(1, 1)
            found["choices"] = {name: made[name].value if name in made else None for name in names}
            found["choice_marks"] = {name: each.mark for name, each in made.items()}
            if not values.are_exact:
                found["choice_errors"] = {name: each.error for name, each in made.items()}
                errors = {name: each.loss_error for name, each in made.items()}
                found["choice_loss_errors"] = errors
        return found | {"throws": [each.to_json(values) for each in self.throws]}


def position_json(
    values: Values, position: Position, value: float, error: float = 0.0
) -> dict[str, Any]:
    """What JSON says of a position, except its choices and throws.

    `value` and `error` are those of the position; `tolerance` and `error` are told of values that
    are exact, the second as far as it is proven.
    """
    found = {"position": position.notation, "value": value, "tolerance": None}
    if error == 0:
        found |= {"tolerance": values.tolerance, "error": values.error(position)}
    if not values.are_exact:
        return found | exactness(values, error)
    if values.rules.payoff.has_fines:
        found["cut_error"] = values.cut_error(position)
        found["chance"] = float(values.state_chances(encoded(values.rules, [position]))[0])
    return found


def decision(
    values: Values, position: PositionLike, choice: str | None = None, throws: tuple[int, ...] = ()
) -> Decision:
    """The decision of one position, or its part with one choice, or with the throws that begin so.

    Where the rules have a choice before the throw, all throws of a choice are weighed, as they are
    its worth. Raises as `Values.check` does.
    """
    found = position_from(values.rules, position)
    if not values.check(found):
        return Decision(found, value_when_over(values.rules, found), 0.0, (), values)
    choices = tuple(each for each in turn(found) if choice in (None, each.name))
    if throws and not has_choices(values.rules):
        choices = tuple(_with(each, throws) for each in choices)
    of = _Weighed(values, [(found, choices)])
    made = tuple(of.choices(throws))
    return Decision(found, float(of.decisions.value[0]), float(of.decisions.error[0]), made, values)


def evaluated_moves(
    values: Values, position: Position, throw: int, choice: str = FREE_THROW
) -> list[EvaluatedMove]:
    """The legal moves of a throw with their worth, the best first; raises as `Values.check`."""
    values.check(position)
    moves = tuple(values.rules.legal_moves(position, throw, choice))
    if not moves:
        return []
    made = Choice(choice, (Outcome(Fraction(1), (throw,), moves),))
    return sorted(_Weighed(values, [(position, (made,))]).moves(0), key=lambda each: each.loss)


def evaluated_throws(values: Values, position: Position) -> list[ThrowValue]:
    """What the dice can show, weighed; in birds, as if it followed the choice of *move*.

    Empty where the game is over. Raises as `Values.check` does.
    """
    if not values.check(position):
        return []
    dice = values.rules.dice
    outcomes = [
        Outcome(dice.probabilities[throw], (throw,), tuple(legal_moves(position, throw)))
        for throw in dice.throws
    ]
    of = _Weighed(values, [(position, (Choice(FREE_THROW, tuple(outcomes)),))])
    return [throw for choice in of.choices(()) for throw in choice.throws]


def _with(choice: Choice, throws: tuple[int, ...]) -> Choice:
    """A choice with the throws alone that begin like these."""
    return Choice(
        choice.name,
        tuple(each for each in choice.outcomes if each.throws[: len(throws)] == throws),
    )


class _Weighed:
    """Turns of positions by the readable rules, and their decisions."""

    def __init__(
        self, values: Values, unfolded: Sequence[tuple[Position, tuple[Choice, ...]]]
    ) -> None:
        self._made = [(position, each) for position, choices in unfolded for each in choices]
        self._thrown = [(before, each) for before, choice in self._made for each in choice.outcomes]
        options = [each for thrown in self._thrown for each in _options(values.rules, *thrown)]
        after, again, won, fined = zip(*options, strict=True)
        dtype = space_of(values.rules).state_dtype
        branches = Branches(
            encoded(values.rules, [position for position, _ in unfolded]),
            _starts(len(choices) for _, choices in unfolded),
            _starts(len(choice.outcomes) for _, choice in self._made),
            np.array([float(outcome.probability) for _, outcome in self._thrown]),
            _starts(max(1, len(outcome.moves)) for _, outcome in self._thrown),
            np.array(after, dtype=dtype),
            np.array(again, dtype=bool),
            np.array(won, dtype=bool),
            np.array(fined, dtype=bool),
            has_choices(values.rules),
        )
        self.decisions = Decisions(values, branches)

    def choices(self, shown: tuple[int, ...]) -> Iterator[EvaluatedChoice]:
        """All choices, each with those of its throws that begin like `shown`."""
        of, edges = self.decisions.choices, self.decisions.branches.throw_starts.tolist()
        columns = (each.tolist() for each in (of.worth, of.loss, of.error, of.loss_error))
        n = of.sizes.repeat(of.sizes).tolist()
        for k, (worth, loss, error, loss_error) in enumerate(zip(*columns, strict=True)):
            position, choice = self._made[k]
            mark = mark_of(loss, loss_error, total(position), n[k])
            thrown = tuple(
                self._throw(number, choice.name)
                for number in range(edges[k], edges[k + 1])
                if self._thrown[number][1].throws[: len(shown)] == shown
            )
            yield EvaluatedChoice(choice.name, worth, loss, error, loss_error, mark, thrown)

    @cached_property
    def _of_throws(self) -> tuple[list[float], list[float], list[float]]:
        of = self.decisions
        return of.options.value.tolist(), of.luck.tolist(), of.options.reach.tolist()

    def _throw(self, number: int, choice: str) -> ThrowValue:
        _, outcome = self._thrown[number]
        value, luck, error = (column[number] for column in self._of_throws)
        options = tuple(self.moves(number)) if outcome.moves else ()
        return ThrowValue(outcome.throws, outcome.probability, value, luck, error, options, choice)

    @cached_property
    def _of_options(self) -> tuple[list[float], ...]:
        of = self.decisions.options
        columns = of.worth, of.loss, self.decisions.chance, of.error, of.loss_error
        return tuple(each.tolist() for each in columns)

    def moves(self, number: int) -> Iterator[EvaluatedMove]:
        """The moves of a throw that has some."""
        position, outcome = self._thrown[number]
        first = int(self.decisions.branches.option_starts[number])
        for k, move in enumerate(outcome.moves, start=first):
            value, loss, chance, error, loss_error = (column[k] for column in self._of_options)
            mark = mark_of(loss, loss_error, total(position), len(outcome.moves))
            yield EvaluatedMove(move, value, loss, chance, error, loss_error, mark)


def mark_of(loss: float, loss_error: float, whole: int, n: int) -> Mark | None:
    """The mark of one of `n` alternatives, by what there is to win; None if it is not sure."""
    if n < 2 or loss <= loss_error:
        return None
    return USUAL.mark_of(loss / (whole or 1))


def _options(
    rules: RuleSet, position: Position, outcome: Outcome
) -> Iterator[tuple[list[int], bool, bool, bool]]:
    """The state after each option of an outcome; whether the side goes on, has won, pays a fine."""
    space = space_of(rules)
    if not outcome.moves:
        yield list(space.encode(position.pass_turn())), False, False, False
    for move in outcome.moves:
        won = move.position.winner is not None
        row = space.encode(position if won else move.position)
        yield list(row), move.again, won, move.cost > 0


def encoded(rules: RuleSet, positions: Sequence[Position]) -> Rows:
    """Positions as encoded states."""
    space = space_of(rules)
    return np.array([list(space.encode(each)) for each in positions], dtype=space.state_dtype)


def _starts(sizes: Iterable[int]) -> npt.NDArray[np.int64]:
    """Where groups of these sizes begin, and the end of the last."""
    return np.array([0, *sizes], dtype=np.int64).cumsum()
