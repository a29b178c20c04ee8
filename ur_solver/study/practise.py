"""Decisions to practise: their options with values, and what makes the difference.

`exercises` draws decisions from play in which all options but the best lose something; `mistakes`
are those of audited games. Both have the values of all options, and the values after each next
throw.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ur_solver.answers import query
from ur_solver.answers.decisions import (
    Values,
    Verdict,
    at_stake,
    counts_as_best,
    totals_of,
    verdict_of,
)
from ur_solver.answers.openings import decide_rounds, known_opening, sources_of
from ur_solver.audit.audits import GameAudit, JudgedPly
from ur_solver.audit.judge import judged_rounds
from ur_solver.common.text import whole_number
from ur_solver.errors import InputError
from ur_solver.moves import TurnBatch
from ur_solver.players.policies import PolicyLike, TablePolicy, policy_of
from ur_solver.records import stepper_of
from ur_solver.rules import DARK, FREE_THROW, LIGHT, SIDE_NAMES, Move, Position
from ur_solver.rules.openings import chooser, level, opening_of
from ur_solver.rules.turns import total, turn
from ur_solver.study.match import Choices, Snapshots, choices_of, first_states, play

_GAMES, _GAMES_OF_ESTIMATES = 500, 60
"""The number of games that exercises are drawn from, by default."""


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
    games: int | None = None,
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
    if games is None:
        games = _GAMES if values.are_exact else _GAMES_OF_ESTIMATES
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
        for exercise in _costly(decisions, cost, rng)
    ]
    if has_openings:
        found += _of_openings(values, cost, rng)
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
            loss = float(np.sort(decide_rounds(values, rounds).loss)[1])
            whole = total(rules.start())
            lost = loss / float(at_stake(whole))
            if lost >= cost and not counts_as_best(loss, whole):
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
                yield Choices(turns, policy.ranked(turns))


def _costly(decisions: Choices, cost: float, rng: np.random.Generator) -> Iterator[Exercise]:
    """Those in which the second best option loses that much, each by light or by dark."""
    turns, options = decisions.turns, decisions.options
    totals = totals_of(turns.generator.rules.payoff, turns.rows)
    loss = options.loss[options.order[turns.starts[:-1] + 1]]
    lost = loss / at_stake(totals)
    costly = np.flatnonzero((lost >= cost) & ~counts_as_best(loss, totals))
    keys = np.column_stack([turns.rows, turns.throws, turns.may])[costly]
    _, first = np.unique(keys, axis=0, return_index=True)
    is_dark = rng.random(len(first)) < 0.5
    for number, dark in zip(costly[first].tolist(), is_dark.tolist(), strict=True):
        yield _exercise(turns, number, DARK if dark else LIGHT, float(lost[number]))


def _exercise(turns: TurnBatch, number: int, side: str, cost: float) -> Exercise:
    generator, state = turns.generator, turns.rows[number].tobytes()
    stepper = stepper_of(generator.rules)
    position = stepper.position(state, side)
    if turns.choices is not None:
        return Exercise(position, "", (), cost)
    names = [choice.name for choice in stepper.choices(state)] or [FREE_THROW]
    choice = next(name for name in names if generator.may(name) == turns.may[number])
    moves_by = generator.throws[turns.throws[number]]
    rolls = [roll for roll in stepper.rolls(state, choice) if roll.moves_by == moves_by]
    return Exercise(position, choice, max(rolls, key=attrgetter("probability")).throws, cost)


class Weighed(NamedTuple):
    """An option of a decision: a move, a choice before the throw, or a square in an opening.

    `value` is to the side that decides, `loss` what it is worth less than the best option; `error`
    and `loss_error` are half the widths of their 95 % intervals, 0 of exact ones. `after` is the
    position before the next throw; None after a win and a choice, and where another round of the
    opening follows.
    """

    text: str
    value: float
    loss: float
    error: float
    loss_error: float
    after: Position | None = None


@dataclass(frozen=True)
class Problem:
    """A decision to find the best option of; `position` is that before the throw.

    `choice` is the choice before the throw; empty if there is none, or if that is the decision.
    `throws` are what the dice show; empty if the decision is the choice before the throw; in an
    opening both sides', light's first. `options` are all, two or more, in the order of
    `legal_moves`, or of `Opening.rounds`. `total` is the sum of both sides' values: 1, or with
    stakes the pot. `played` is what was played in the game that it is from, `source` that game and
    the place in it.
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
        return min(self.options, key=lambda each: each.loss)

    def verdict(self, option: Weighed) -> Verdict:
        """Whether an option is the best, too close to call or worse."""
        return verdict_of(option.loss, option.loss_error, self.total)

    @cached_property
    def answers(self) -> list[Weighed]:
        """The options that are accepted, the best first: all that are not worse for sure."""
        return [each for each in self.ranked if self.verdict(each) is not Verdict.WORSE]

    @property
    def ranked(self) -> list[Weighed]:
        """The options, the best first."""
        return sorted(self.options, key=lambda each: each.loss)

    @property
    def cost(self) -> float:
        """What the played option lost, or else the second best one: a share of the total."""
        losses = {each.text: each.loss for each in self.options}
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
                    "loss": each.loss,
                    "verdict": self.verdict(each),
                    **({"error": each.error} if each.error else {}),
                }
                for each in self.ranked
            ],
            "cost": self.cost,
        }
        if self.is_opening:
            values["opening"] = True
        if self.played is not None:
            values |= {"played": self.played, "source": self.source}
        return values


def problem(
    values: Values,
    position: Position,
    choice: str,
    throws: tuple[int, ...],
    *,
    played: str | None = None,
    source: str | None = None,
) -> Problem:
    """A problem with the values of its options; the other parameters are those of `Problem`.

    InputError if there is nothing to decide, or these throws are not possible.
    """
    options: list[Weighed] = []
    if throws:
        moves = _moves(position, choice, throws)
        found = query.evaluated_moves(values, position, throws[-1], choice) if moves else []
        for move in sorted(found, key=lambda each: moves.index(each.move)):
            after = None if move.move.position.winner else move.move.position
            options.append(_weighed(move.move.text, move, after))
    else:
        choices = query.decision(values, position).choices
        options = [_weighed(each.name, each) for each in choices]
    if len(options) < 2:
        raise InputError(
            f"there is nothing to decide in {position.notation!r} with throw "
            f"{' '.join(map(str, throws)) or 'still to come'}"
        )
    return Problem(position, choice, throws, tuple(options), total(position), played, source)


def _weighed(
    text: str, of: query.EvaluatedMove | query.EvaluatedChoice, after: Position | None = None
) -> Weighed:
    return Weighed(text, of.value, of.loss, of.error, of.loss_error, after)


def _moves(position: Position, choice: str, throws: tuple[int, ...]) -> tuple[Move, ...]:
    """The legal moves after these throws; none if they are not possible."""
    for each in turn(position):
        for outcome in each.outcomes if each.name == choice else ():
            if outcome.throws == throws:
                return outcome.moves
    return ()


def opening_problem(
    values: Values,
    source: int,
    throws: tuple[int, ...],
    *,
    played: str | None = None,
    place: str | None = None,
) -> Problem:
    """The choice of a square in a round of an opening, with the values of the squares.

    `source` is the path index that both markers are on, `HOME` before they enter; `throws` are
    light's and dark's, after which one of them may choose. `played` and `place` are
    `Problem.played` and `Problem.source`.
    """
    rules = values.rules
    opening = known_opening(rules)
    rounds = opening.rounds(source, throws)
    side, found = chooser(rounds), decide_rounds(values, rounds)
    columns = (each.tolist() for each in (found.worth, found.loss, found.error, found.loss_error))
    texts = [each.text.split()[side == DARK] for each in rounds]
    options = tuple(map(Weighed, texts, *columns, [each.position for each in rounds]))
    return Problem(
        replace(level(rules, source), side=side),
        FREE_THROW,
        throws,
        options,
        total(rules.start()),
        played,
        place,
        is_opening=True,
    )


def mistakes(
    audit: GameAudit, values: Values, *, cost: float = 0.02, sides: str = "LD"
) -> Iterator[Problem]:
    """The decisions of an audited game in which a better option was surely missed, in order.

    That is one that loses `cost` or more, a share of what there is to win. `sides` are those whose
    decisions are wanted: ``"L"``, ``"D"`` or both.
    """
    record = audit.record
    for each, judged in judged_rounds(audit):
        if judged.ply.side in sides and _is_mistake(judged, cost):
            played, place = audit.taken_text(judged), f"{record.title}, {judged.ply.place}"
            yield opening_problem(values, each.source, each.throws, played=played, place=place)
    for judged in audit.plies:
        if judged.ply.side in sides and _is_mistake(judged, cost):
            ply = judged.ply
            is_move = not judged.is_before_throw
            yield problem(
                values,
                record.stepper.position(ply.state, ply.side),
                ply.choice if is_move else FREE_THROW,
                ply.throws if is_move else (),
                played=audit.taken_text(judged),
                source=f"{record.title}, {ply.place or 'the end'}",
            )


def _is_mistake(judged: JudgedPly, cost: float) -> bool:
    return judged.verdict is Verdict.WORSE and judged.lost_share >= cost


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
    """The side that throws after an option of a decision, and what each throw makes of it.

    There are none after a win and a choice before the throw, and where another round of an opening
    follows. Their mean, weighted by probability, is the value of the option, up to the errors of
    values.
    """
    if weighed.after is None:
        return position.side, []
    found = query.decision(values, weighed.after)
    best = min(found.choices, key=lambda each: each.loss)
    sign = 1 if weighed.after.side == position.side else -1
    return weighed.after.side, [
        NextThrow(
            each.throws,
            float(each.probability),
            weighed.value + sign * (each.value - found.value),
        )
        for each in best.throws
    ]
