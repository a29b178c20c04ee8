"""Decisions to practise: their options with values, and what makes the difference.

`exercises` draws decisions from play in which all options but the best lose something; `mistakes`
are those of audited games. Both have the values of all options, and the values after each next
throw.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ur_solver.answers.openings import sources_of
from ur_solver.answers.values import Values, row_estimates, totals_of
from ur_solver.audit import GameAudit, JudgedPly
from ur_solver.audit.audits import Option, option_values, outcome_estimate, outcome_rows
from ur_solver.audit.judge import judged_rounds, worth_of_rounds
from ur_solver.common.text import whole_number
from ur_solver.errors import InputError
from ur_solver.moves import TurnBatch
from ur_solver.players.policies import PolicyLike, TablePolicy, policy_of
from ur_solver.records import Step, Stepper, stepper_of
from ur_solver.rules import DARK, FREE_THROW, LIGHT, SIDE_NAMES, Position, opponent
from ur_solver.rules.openings import Round, chooser, level, opening_of
from ur_solver.rules.turns import total
from ur_solver.study.match import Choices, Snapshots, choices_of, first_states, play

_TIE = 1e-9
"""The loss below which two options are equally good."""


class Exercise(NamedTuple):
    """A decision of the side to throw in a position before the throw.

    `choice` is the choice before the throw; empty if there is none, or if that is the decision.
    `throws` are what the dice show; empty if the decision is the choice before the throw. `cost` is
    what the second best option loses, a share of what there is to win. Where a square is chosen in
    an opening, `source` is the path index that both markers are on, and the throws are both sides',
    light's first.
    """

    position: Position
    choice: str
    throws: tuple[int, ...]
    cost: float
    source: int | None = None


def exercises(
    values: Values,
    count: int,
    *,
    seed: int = 1,
    cost: float = 0.02,
    players: PolicyLike = "greedy",
    games: int = 500,
    has_openings: bool = False,
) -> list[Exercise]:
    """Decisions in games between two equal players, all different, in random order.

    At most `count`, in which an option other than the best loses `cost` at least, a share in [0, 1)
    of what there is to win. Each of the `games` gives one decision, or two if the rules have a
    choice before the throw; those that cost less are left out. With `has_openings` the squares that
    a side may choose in an opening are among the decisions. InputError if a number is out of its
    range.
    """
    whole_number("count", count)
    if not 0 <= cost < 1:
        raise InputError(f"cost {cost!r:.40}: expected a share from 0 to 1, such as 0.02")
    policy = policy_of(players, values)
    played = play(
        values.rules,
        policy,
        policy,
        whole_number("games", games, 1),
        seed=whole_number("seed", seed),
        observers=(Snapshots,),
        first=first_states(values),
    )
    rng = np.random.default_rng(seed)
    found = [
        exercise
        for decisions in _decisions(played.notes, TablePolicy(values))
        for exercise in _costly(decisions, max(cost, _TIE), rng)
    ]
    if has_openings:
        found += _of_openings(values, max(cost, _TIE), rng)
    return [found[k] for k in rng.permutation(len(found))[:count].tolist()]


def _of_openings(values: Values, cost: float, rng: np.random.Generator) -> Iterator[Exercise]:
    """The choices of a square in an opening where the second best loses that.

    Dark's choices mirror light's: of the two one is drawn.
    """
    rules = values.rules
    opening = opening_of(rules)
    if opening is None:
        return
    for source in sources_of(opening).values():
        for throws in opening.throws:
            rounds = opening.rounds(source, throws)
            if len(rounds) < 2 or chooser(rounds) == DARK:
                continue
            second, best = sorted(value for value, _ in worth_of_rounds(rules, rounds, values))[-2:]
            lost = (best - second) / (total(rules.start()) or 1)
            if lost >= cost:
                is_dark = rng.random() < 0.5
                position = replace(level(rules, source), side=DARK if is_dark else LIGHT)
                thrown = throws[::-1] if is_dark else throws
                yield Exercise(position, FREE_THROW, thrown, lost, source)


def _decisions(notes: dict[str, npt.NDArray[Any]], policy: TablePolicy) -> Iterator[Choices]:
    """The decisions that `Snapshots` noted: moves, and choices before a throw."""
    moves = choices_of(notes, policy)
    if moves is not None:
        yield moves
    generator = policy.generator
    if generator.has_choices:
        rows = np.ascontiguousarray(notes["row"])
        for choices, members in generator.by_choices(rows):
            if len(choices) > 1:
                turns = generator.before_throw(rows[members], choices)
                yield Choices(turns, policy.option_values(turns))


def _costly(decisions: Choices, cost: float, rng: np.random.Generator) -> Iterator[Exercise]:
    """Those in which the second best option loses that much, each by light or by dark."""
    turns = decisions.turns
    lost = _next_best(decisions)
    costly = np.flatnonzero(lost >= cost)
    keys = np.column_stack([turns.rows, turns.throws, turns.may])[costly]
    _, first = np.unique(keys, axis=0, return_index=True)
    is_dark = rng.random(len(first)) < 0.5
    for turn, dark in zip(costly[first].tolist(), is_dark.tolist(), strict=True):
        yield _exercise(turns, turn, DARK if dark else LIGHT, float(lost[turn]))


def _next_best(decisions: Choices) -> npt.NDArray[np.float64]:
    """What the second best option of each decision loses, as a share of both sides' values."""
    turns = decisions.turns
    parts = np.split(decisions.worth, turns.starts[1:-1])
    losses = [best - second for second, best in (np.sort(part)[-2:] for part in parts)]
    payoff = turns.generator.rules.payoff
    return np.array(losses) / np.maximum(totals_of(payoff, turns.rows), 1)


def _exercise(turns: TurnBatch, turn: int, side: str, cost: float) -> Exercise:
    generator, state = turns.generator, turns.rows[turn].tobytes()
    stepper = stepper_of(generator.rules)
    position = stepper.position(state, side)
    if turns.choices is not None:
        return Exercise(position, "", (), cost)
    names = [choice.name for choice in stepper.choices(state)] or [FREE_THROW]
    choice = next(name for name in names if generator.may(name) == turns.may[turn])
    moves_by = generator.throws[turns.throws[turn]]
    rolls = [roll for roll in stepper.rolls(state, choice) if roll.moves_by == moves_by]
    return Exercise(position, choice, max(rolls, key=attrgetter("probability")).throws, cost)


class Weighed(NamedTuple):
    """An option of a decision.

    Attributes
    ----------
    text : str
        A move, or a choice before the throw.
    option : Step, StateChoice or Round
    value : float
        To the side that decides: its chance to win, or with stakes its money to come.
    margin : float
        Half the width of the 95 % interval of the value; 0 if it is exact.
    """

    text: str
    option: Option | Round
    value: float
    margin: float


@dataclass(frozen=True)
class Decision:
    """A decision of the side to throw in a position.

    Attributes
    ----------
    position : Position
        Before the throw.
    choice : str
        The choice before the throw; empty if there is none, or if that is the decision.
    throws : tuple of int
        As the dice show them; empty if the decision is the choice before the throw. In an opening
        both sides', light's first.
    options : tuple of Weighed
        All of them, two or more, in the order of `legal_moves`; in an opening of `Opening.rounds`.
    total : int
        The sum of both sides' values: 1, or with stakes the pot.
    played : str or None
        What was played in the game that it is from.
    source : str or None
        That game, and the place in it.
    is_opening : bool
        Whether it is the choice of a square in an opening.
    """

    position: Position
    choice: str
    throws: tuple[int, ...]
    options: tuple[Weighed, ...]
    total: int = 1
    played: str | None = None
    source: str | None = None
    is_opening: bool = False

    @cached_property
    def best(self) -> Weighed:
        """The option with the highest value."""
        return max(self.options, key=lambda each: each.value)

    def loss(self, option: Weighed) -> float:
        """What an option loses against the best one, in the units of values."""
        return self.best.value - option.value

    @property
    def cost(self) -> float:
        """What the played option lost, or else the second best one: a share of the total."""
        losses = {each.text: self.loss(each) for each in self.options}
        lost = sorted(losses.values())[1] if self.played is None else losses[self.played]
        return lost / (self.total or 1)

    @property
    def question(self) -> str:
        """What is to be decided: ``light threw 3``, or ``light is about to throw``."""
        side = SIDE_NAMES[self.position.side]
        if self.is_opening:
            light, dark = self.throws
            return f"in the opening light threw {light} and dark {dark}; {side} chooses a square"
        if not self.throws:
            names = " and ".join(each.text for each in self.options)
            return f"{side} is about to throw and chooses between {names}"
        chose = f"chose {self.choice} and " if self.choice != FREE_THROW else ""
        return f"{side} {chose}threw {' and '.join(map(str, self.throws))}"

    def to_json(self) -> dict[str, Any]:
        """JSON values; the options best first."""
        values: dict[str, Any] = {
            "rules": self.position.rules.word,
            "position": self.position.notation,
            "choice": self.choice or None,
            "throws": list(self.throws),
            "options": [
                {
                    "move": each.text,
                    "value": each.value,
                    "loss": self.loss(each),
                    **({"error": each.margin} if each.margin else {}),
                }
                for each in sorted(self.options, key=lambda each: -each.value)
            ],
            "cost": self.cost,
        }
        if self.is_opening:
            values["opening"] = True
        if self.played is not None:
            values |= {"played": self.played, "source": self.source}
        return values


def decision(
    values: Values,
    position: Position,
    choice: str,
    throws: tuple[int, ...],
    *,
    played: str | None = None,
    source: str | None = None,
) -> Decision:
    """A decision with the values of its options; the other parameters are those of `Decision`.

    Raises
    ------
    InputError
        If there is nothing to decide, or these throws are not possible.
    """
    stepper = stepper_of(position.rules)
    state = stepper.encode(position)
    options: Sequence[Option]
    if throws:
        roll = stepper.rolls(state, choice).of(throws)
        options = () if roll is None else stepper.steps_after(state, roll, choice)
    else:
        options = stepper.choices(state)
    if len(options) < 2:
        raise InputError(
            f"there is nothing to decide in {position.notation!r} with throw "
            f"{' '.join(map(str, throws)) or 'still to come'}"
        )
    texts = [_text(stepper, position.side, option) for option in options]
    worth = option_values(options, values)
    return Decision(
        position,
        choice,
        throws,
        tuple(
            Weighed(texts[k], options[k], value, margin) for k, (value, margin) in enumerate(worth)
        ),
        stepper.total(state),
        played,
        source,
    )


def opening_decision(
    values: Values,
    source: int,
    throws: tuple[int, ...],
    *,
    played: str | None = None,
    place: str | None = None,
) -> Decision:
    """The choice of a square in a round of an opening, with the values of the squares.

    Parameters
    ----------
    values : Table or Estimator
    source : int
        The path index that both markers are on; `HOME` before they enter.
    throws : tuple of int
        Light's and dark's, after which one of them may choose.
    played, place : str, optional
        `Decision.played` and `Decision.source`.
    """
    rules = values.rules
    opening = opening_of(rules)
    assert opening is not None
    rounds = opening.rounds(source, throws)
    side = chooser(rounds)
    worth = worth_of_rounds(rules, rounds, values)
    return Decision(
        replace(level(rules, source), side=side),
        FREE_THROW,
        throws,
        tuple(
            Weighed(each.text.split()[side == DARK], each, *of_it)
            for each, of_it in zip(rounds, worth, strict=True)
        ),
        total(rules.start()),
        played,
        place,
        is_opening=True,
    )


def _text(stepper: Stepper, side: str, option: Option) -> str:
    return stepper.text(side, option) if isinstance(option, Step) else option.name


def mistakes(
    audit: GameAudit, values: Values, *, cost: float = 0.02, sides: str = "LD"
) -> Iterator[Decision]:
    """The decisions of an audited game in which a better option was surely missed, in order.

    Parameters
    ----------
    audit : GameAudit
    values : Table or Estimator
        Of the rules of the game.
    cost : float
        The least loss, a share of what there is to win.
    sides : str
        Whose decisions: ``"L"``, ``"D"`` or both.
    """
    record = audit.record
    for each, judged in judged_rounds(audit):
        if judged.ply.side in sides and _is_mistake(judged, cost):
            played, place = audit.taken_text(judged), f"{record.title}, {judged.ply.place}"
            yield opening_decision(values, each.source, each.throws, played=played, place=place)
    for judged in audit.plies:
        if judged.ply.side in sides and _is_mistake(judged, cost):
            ply = judged.ply
            is_move = not judged.is_before_throw
            yield decision(
                values,
                record.stepper.position(ply.state, ply.side),
                ply.choice if is_move else FREE_THROW,
                ply.throws if is_move else (),
                played=audit.taken_text(judged),
                source=f"{record.title}, {ply.place or 'the end'}",
            )


def _is_mistake(judged: JudgedPly, cost: float) -> bool:
    is_sure = not judged.is_best and judged.loss > judged.loss_margin
    return judged.is_choice and is_sure and judged.lost_share >= cost


class NextThrow(NamedTuple):
    """What a next throw makes of an option.

    `value` is to the side that decides, after the best move with that throw.
    """

    throws: tuple[int, ...]
    probability: float
    value: float


def next_throws(
    values: Values, position: Position, weighed: Weighed
) -> tuple[str, list[NextThrow]]:
    """Who throws after a move, and what each throw then makes of it.

    Parameters
    ----------
    values : Table or Estimator
    position : Position
        Before the throw of the decision.
    weighed : Weighed
        One of the options of the decision.

    Returns
    -------
    side : str
        The side that throws next.
    throws : list of NextThrow
        Empty for a move that wins, for choices before a throw, and where another round of an
        opening follows. Their mean, weighted by probability, is the value of the option, up to the
        errors of values.
    """
    option, stepper = weighed.option, stepper_of(position.rules)
    if isinstance(option, Round) and option.position is not None:
        state, side = stepper.encode(option.position), option.position.side
    elif isinstance(option, Step) and not option.is_win:
        state = option.state
        side = position.side if option.again else opponent(position.side)
    else:
        return position.side, []
    choice = FREE_THROW
    if choices := stepper.choices(state):
        worth = option_values(choices, values)
        choice = choices[worth.index(max(worth))].name
    rolls, outcomes = stepper.rolls(state, choice), stepper.outcomes(state, choice)
    found = row_estimates(values, [row for each in outcomes for row in outcome_rows(each)])

    def worth_to_mover(value: float) -> float:
        if isinstance(option, Step):
            return option.worth(value)
        return value if side == position.side else stepper.total(state) - value

    return side, [
        NextThrow(
            roll.throws,
            outcome.probability,
            worth_to_mover(outcome_estimate(outcome, found)[0]),
        )
        for roll, outcome in zip(rolls, outcomes, strict=True)
    ]
