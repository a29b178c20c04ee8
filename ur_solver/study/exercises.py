"""Exercises: decisions drawn from play in which all options but the best lose something."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ur_solver.answers.openings import sources_of
from ur_solver.answers.values import Values, totals_of
from ur_solver.audit.opening import worth_of_rounds
from ur_solver.common.text import whole_number
from ur_solver.errors import InputError
from ur_solver.moves import TurnBatch
from ur_solver.players.policies import PolicyLike, TablePolicy, policy_of
from ur_solver.records import stepper_of
from ur_solver.rules import DARK, FREE_THROW, LIGHT, Position
from ur_solver.rules.openings import chooser, level, opening_of
from ur_solver.rules.turns import total
from ur_solver.study.first_states import first_states
from ur_solver.study.match import play
from ur_solver.study.observers import Snapshots
from ur_solver.study.thumbs import Choices, choices_of

_TIE = 1e-9
"""The loss below which two options are equally good."""


class Exercise(NamedTuple):
    """A decision of the side to throw in a position.

    Attributes
    ----------
    position : Position
        Before the throw.
    choice : str
        The choice before the throw; empty if there is none, or if that is the decision.
    throws : tuple of int
        As the dice show them; empty if the decision is the choice before the throw.
    cost : float
        What the second best option loses, a share of what there is to win.
    source : int or None
        Where a square is chosen in an opening, the path index that both markers are on; the throws
        are then both sides', light's first.
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

    Parameters
    ----------
    values : Table or Estimator
    count : int
        The most exercises.
    seed : int
        Of the games and of all that is drawn.
    cost : float
        The least that an option other than the best loses, a share of what there is to win in
        [0, 1).
    players : str, function or Policy
        Who plays both sides.
    games : int
        The number of games. Each gives one decision, or two if the rules have a choice before
        the throw; those that cost less are left out.
    has_openings : bool
        Whether the squares that a side may choose in an opening are among the decisions.

    Raises
    ------
    InputError
        If a number is out of its range.
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
