"""A judged game, its plies and its players: values, luck, losses, marks and totals.

`ur_solver.audit.judge` explains and makes them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import USUAL, Mark, Thresholds, Verdict, to_side, verdict_of
from ur_solver.moves.tables import PieceChoice
from ur_solver.records import Ending, GameRecord, Ply, Step
from ur_solver.rules import DARK, LIGHT, SIDE_NAMES, RuleSet
from ur_solver.rules.payoff import Units, signed

Option = Step | PieceChoice
"""A move, or a choice before the throw."""


class JudgedPly(NamedTuple):
    """A ply, or the choice before its throw, with values to the side that threw.

    Attributes
    ----------
    ply : Ply
    value : float
        Before the throw.
    best_value : float
        After the best move with the throw, or after the pass.
    played_value : float
        After the move that was played; `best_value` if there was none.
    best : int
        The index of the best option, which is the one taken if that is as good; -1 for a pass.
    is_before_throw : bool
        Whether this judges the choice before the throw. The options are then the ply's choices,
        and the dice have not been thrown yet.
    total : int
        The sum of both sides' values before the move: 1, or with stakes the pot.
    margin : float
        Half the width of the 95 % interval of `value`; 0 if that is exact.
    played_margin : float
        The same of `played_value`.
    loss_margin : float
        The same of what the best option and the one taken differ by.
    """

    ply: Ply
    value: float
    best_value: float
    played_value: float
    best: int
    is_before_throw: bool = False
    total: int = 1
    margin: float = 0.0
    played_margin: float = 0.0
    loss_margin: float = 0.0

    @property
    def options(self) -> Sequence[Option]:
        """The options: the legal moves, or the choices before the throw."""
        return self.ply.choices if self.is_before_throw else self.ply.steps

    @property
    def taken(self) -> int:
        """The index of the option that was taken; -1 for none."""
        return self.ply.chosen if self.is_before_throw else self.ply.played

    @property
    def luck(self) -> float:
        """The gain by the throw; the mean over all throws is 0."""
        return self.best_value - self.value

    @property
    def loss(self) -> float:
        """The loss of the played move."""
        return self.best_value - self.played_value

    @property
    def cost(self) -> int:
        """The fine of the played move; 0 without stakes."""
        option = None if self.taken < 0 else self.options[self.taken]
        return option.cost if isinstance(option, Step) else 0

    @property
    def lost_share(self) -> float:
        """The loss as a share of what there is to win."""
        return self.loss / (self.total or 1)

    @property
    def is_choice(self) -> bool:
        """Whether there was more than one option, and one was taken."""
        return len(self.options) > 1 and self.taken >= 0

    @property
    def is_best(self) -> bool:
        """Whether there was no better option, by the values."""
        return self.best == self.taken

    @property
    def verdict(self) -> Verdict | None:
        """Whether the option taken was the best, worse, or too close to call; None of no choice."""
        if not self.is_choice:
            return None
        return verdict_of(self.loss, self.loss_margin, self.total)

    def to_light(self, value: float) -> float:
        """A value to the side that threw as one to light."""
        return to_side(value, self.ply.side == LIGHT, self.total)


class ThumbPlay(NamedTuple):
    """The option that a rule of thumb takes in a choice, by its index among those of the choice.

    `loss` is what it loses against the best option, in the units of values; 0 if it is as good.
    `verdict` is that on the option.
    """

    option: int
    loss: float
    verdict: Verdict


@dataclass(frozen=True, repr=False)
class GameAudit:
    """A judged game.

    Attributes
    ----------
    record : GameRecord
    plies : tuple of JudgedPly
        In order; a choice before a throw, where there was more than one, has an entry before it.
    start_value, end_value : float
        To light: before the first throw that is judged (with it made, where the rules give it),
        and where the record stops.
    start_total, end_total : int
        The sum of both sides' values there: 1, or with stakes the pot.
    first : int
        How many plies of the record are before those that are judged: 0 unless the table holds
        a part of the game.
    start_margin : float
        Half the width of the 95 % interval of `start_value`; 0 if that is exact.
    opening : tuple of JudgedPly
        Both sides' throws in the rounds of the opening, where the record has it; they come before
        `plies`, and `start_value` is before the first of them.
    thumbs : mapping of str to tuple
        What rules of thumb would have played in each of `plies`, by name, if they were asked
        (`with_thumbs`); None where there was no choice.
    """

    record: GameRecord
    plies: tuple[JudgedPly, ...]
    start_value: float
    end_value: float
    start_total: int = 1
    end_total: int = 1
    first: int = 0
    start_margin: float = 0.0
    opening: tuple[JudgedPly, ...] = ()
    thumbs: Mapping[str, tuple[ThumbPlay | None, ...]] = field(default_factory=dict)

    @property
    def is_exact(self) -> bool:
        """Whether no value is an estimate: what follows an exact one is exact, too."""
        return self.start_margin == 0 and not any(each.played_margin for each in self.opening)

    @property
    def all_plies(self) -> tuple[JudgedPly, ...]:
        """The plies of the opening and of the game."""
        return self.opening + self.plies

    @cached_property
    def margin(self) -> float:
        """Half the width of the widest 95 % interval of a value; 0 if all are exact."""
        opening = (judged.played_margin for judged in self.opening)
        return max([self.start_margin, *opening, *(judged.margin for judged in self.plies)])

    @cached_property
    def units(self) -> Units:
        """How values, luck and losses are written: with the decimals that they have."""
        return self.record.rules.payoff.units.within(self.margin)

    @cached_property
    def light(self) -> PlayerSummary:
        """The summary of light, with the default thresholds of marks."""
        return self.summary(LIGHT, Thresholds())

    @cached_property
    def dark(self) -> PlayerSummary:
        """The summary of dark, with the default thresholds of marks."""
        return self.summary(DARK, Thresholds())

    def summary(self, side: str, thresholds: Thresholds) -> PlayerSummary:
        """The summary of a side."""
        return summarise(self.of_side(side), thresholds, self.conceded(side))

    def conceded(self, side: str) -> float:
        """The value of the position to a side that resigned or lost on time; otherwise 0."""
        if self.record.conceded_by != side:
            return 0.0
        return to_side(self.end_value, side == LIGHT, self.end_total)

    @property
    def result_value(self) -> float:
        """Light's result: the end value, or all or nothing if a side conceded."""
        return self.end_value - self.conceded(LIGHT) + self.conceded(DARK)

    def __repr__(self) -> str:
        return (
            f"GameAudit({self.record.title!r}, light lost {self.light.loss:.4f}, dark lost "
            f"{self.dark.loss:.4f})"
        )

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """The judged plies after the opening, a row each, as columns of a data frame.

        Returns
        -------
        dict of str to array
            ``side`` (``"light"`` or ``"dark"``), ``position`` (notation), ``throw`` (text, as two
            throws may be made), ``move`` and ``best`` (None for a pass), ``value`` (before the
            throw), ``best_value``, ``loss``, ``luck``, all to that side, ``choice`` (whether there
            was one) and ``mark`` (None, or ``"inaccuracy"``, ``"mistake"`` or ``"blunder"``). Of
            estimates also ``error``, half the width of the interval of ``value``, and
            ``loss_error``, that of ``loss``.
        """
        return _played_columns([self]) | _judged_columns([self])

    def of_side(self, side: str) -> Iterator[JudgedPly]:
        """The plies of one side, with those of the opening."""
        return (ply for ply in self.all_plies if ply.ply.side == side)

    @cached_property
    def curve(self) -> tuple[float, ...]:
        """Light's win probability before each of `all_plies`, then where the record stops.

        With stakes, light's share of the pot; one half of an empty pot.
        """
        return (
            *(_share(each.to_light(each.value), each.total) for each in self.all_plies),
            _share(self.end_value, self.end_total),
        )

    def number_of_throw(self, index: int) -> int:
        """The number in the record of the throw of one of `all_plies`; 0 in the opening."""
        if index < len(self.opening):
            return 0
        return int(self.numbers[index - len(self.opening)])

    @cached_property
    def numbers(self) -> npt.NDArray[np.int64]:
        """The number in the record of the throw of each of `plies`, from 1; shape (plies,)."""
        thrown = np.array([not each.is_before_throw for each in self.plies], dtype=np.int64)
        return np.asarray(self.first + np.cumsum(thrown) - thrown + 1)

    def taken_text(self, judged: JudgedPly) -> str | None:
        """The move or the choice made in one of its plies; None for a turn without a move."""
        return self.option_text(judged, judged.taken)

    def best_text(self, judged: JudgedPly) -> str | None:
        """The best move or choice in one of its plies; None for a pass."""
        return self.option_text(judged, judged.best)

    def option_text(self, judged: JudgedPly, index: int) -> str | None:
        """An option of one of its plies by its index there; None for -1."""
        if index < 0:
            return None
        option = judged.options[index]
        if isinstance(option, PieceChoice):
            return option.name
        return self.record.stepper.text(judged.ply.side, option)


def _unjudged(record: GameRecord) -> GameAudit:
    """A game whose values nobody knows: all of them are NaN."""
    nan = math.nan
    plies = [
        JudgedPly(ply, nan, nan, nan, -1, is_before_throw)
        for ply in record.plies
        for is_before_throw in ([True] * (len(ply.choices) > 1) + [False])
    ]
    return GameAudit(record, tuple(plies), nan, nan)


def columns_of(games: Iterable[GameRecord | GameAudit]) -> dict[str, npt.NDArray[Any]]:
    """The plies of many games as columns: see `ur_solver.api.games.ply_columns`."""
    given = list(games)
    audits = [each if isinstance(each, GameAudit) else _unjudged(each) for each in given]
    sizes = [len(audit.plies) for audit in audits]
    records = [audit.record for audit in audits]
    texts = {
        "rules": [record.rules.word for record in records],
        "title": [record.title for record in records],
    }
    players = [
        record.player(judged.ply.side)
        for record, audit in zip(records, audits, strict=True)
        for judged in audit.plies
    ]
    found = {
        "game": np.repeat(np.arange(len(audits)), sizes),
        **{name: np.repeat(_objects(column), sizes) for name, column in texts.items()},
        "ply": np.concatenate([np.empty(0, np.int64), *(each.numbers for each in audits)]),
        "player": _objects(players),
        "time": np.array(
            [each.ply.time for audit in audits for each in audit.plies], dtype=np.int64
        ),
        **_played_columns(audits),
    }
    if all(isinstance(each, GameAudit) for each in given):
        found |= _judged_columns(audits)
    return found


def _played_columns(audits: Sequence[GameAudit]) -> dict[str, npt.NDArray[Any]]:
    """What was played in some games, a row for each ply and choice before a throw."""
    plies = [judged for audit in audits for judged in audit.plies]
    positions = [
        audit.record.stepper.notations(
            [each.ply.state for each in audit.plies], [each.ply.side for each in audit.plies]
        )
        for audit in audits
    ]
    return {
        "side": _objects([SIDE_NAMES[each.ply.side] for each in plies]),
        "position": np.concatenate([_objects([]), *positions]),
        "throw": _objects(["" if each.is_before_throw else each.ply.throw_text for each in plies]),
        "move": _objects([audit.taken_text(each) for audit in audits for each in audit.plies]),
        "choice": np.array([each.is_choice for each in plies], dtype=bool),
    }


def _judged_columns(audits: Sequence[GameAudit]) -> dict[str, npt.NDArray[Any]]:
    """What audits know of the same rows."""
    plies = [judged for audit in audits for judged in audit.plies]
    names = {name: name for name in ("value", "best_value", "loss", "luck")}
    if not all(audit.is_exact for audit in audits):
        names |= {"error": "margin", "loss_error": "loss_margin"}
    numbers = {
        name: np.array([getattr(judged, of) for judged in plies], dtype=np.float64)
        for name, of in names.items()
    }
    best = [audit.best_text(each) for audit in audits for each in audit.plies]
    marks = [USUAL.mark(judged) for judged in plies]
    return {
        "best": _objects(best),
        **numbers,
        "mark": _objects([mark and mark.value for mark in marks]),
    }


def _objects(texts: Sequence[str | None]) -> npt.NDArray[np.object_]:
    return np.array(texts, dtype=object)


def _share(value: float, total: int) -> float:
    return value / total if total else 0.5


@dataclass(frozen=True)
class PlayerSummary:
    """One player in one game, or in several.

    Attributes
    ----------
    choices, best : int
        The number of choices, and of those in which no option was better than the one taken.
    loss, luck : float
        Totals, in win probability; with stakes in money. `loss` is that of all choices, with
        those that are too close to call, so that luck and losses add up to the result.
    squared_loss : float
        The total of the choices' squared losses.
    cost : int
        The fines paid; 0 without stakes.
    loss_margin : float
        Half the width of the 95 % interval of `loss`, the errors of its terms taken for
        independent; 0 if values are exact.
    conceded : float
        The values of the positions in which it resigned or ran out of time; not included in
        `loss`, which is that of moves.
    close : int
        The number of choices that are too close to call: by an estimate another option was better,
        but by less than the error of the comparison.
    worse_loss : float
        The part of `loss` that is lost for sure, by choices that were `worse`.
    marks : Counter of Mark
    luckiest, unluckiest : JudgedPly or None
        The throws with the largest and the smallest luck.
    """

    choices: int
    best: int
    loss: float
    luck: float
    marks: Counter[Mark]
    luckiest: JudgedPly | None
    unluckiest: JudgedPly | None
    squared_loss: float
    cost: int = 0
    conceded: float = 0.0
    loss_margin: float = 0.0
    close: int = 0
    worse_loss: float = 0.0

    @property
    def worse(self) -> int:
        """The number of choices in which another option was better for sure."""
        return self.choices - self.best - self.close

    @property
    def mean_loss(self) -> float:
        """The loss per choice; 0 without choices."""
        return self.loss / self.choices if self.choices else 0.0

    @property
    def mean_margin(self) -> float:
        """Half the width of the 95 % interval of `mean_loss`; 0 if values are exact."""
        return self.loss_margin / self.choices if self.choices else 0.0

    @property
    def best_share(self) -> float:
        """The share of choices in which the best option was taken; 1 without choices."""
        return self.best / self.choices if self.choices else 1.0

    @property
    def shares(self) -> dict[Verdict, float]:
        """The share of choices that were the best, too close to call, and worse."""
        counts = {Verdict.BEST: self.best, Verdict.CLOSE: self.close, Verdict.WORSE: self.worse}
        return {verdict: count / (self.choices or 1) for verdict, count in counts.items()}


def summarise(
    plies: Iterable[JudgedPly], thresholds: Thresholds, conceded: float = 0.0
) -> PlayerSummary:
    """The summary of one player's plies, and of what that player conceded."""
    plies = list(plies)
    choices = [judged for judged in plies if judged.is_choice]
    thrown = [judged for judged in plies if not judged.is_before_throw]
    marks = Counter(mark for judged in choices if (mark := thresholds.mark(judged)))
    return PlayerSummary(
        choices=len(choices),
        best=sum(judged.is_best for judged in choices),
        close=sum(judged.verdict is Verdict.CLOSE for judged in choices),
        loss=sum(judged.loss for judged in choices),
        worse_loss=sum(judged.loss for judged in choices if judged.verdict is Verdict.WORSE),
        luck=sum(judged.luck for judged in plies),
        marks=marks,
        luckiest=max(thrown, key=lambda judged: judged.luck, default=None),
        unluckiest=min(thrown, key=lambda judged: judged.luck, default=None),
        squared_loss=sum(judged.loss**2 for judged in choices),
        cost=sum(judged.cost for judged in plies),
        conceded=conceded,
        loss_margin=math.hypot(*(judged.loss_margin for judged in choices)),
    )


def worst_plies(audit: GameAudit, thresholds: Thresholds, most: int) -> list[JudgedPly]:
    """At most `most` of a game's marked plies, those with the largest loss, the worst first."""
    marked = [judged for judged in audit.all_plies if thresholds.mark(judged)]
    return sorted(marked, key=lambda judged: -judged.loss)[:most]


References = Mapping[RuleSet, Mapping[str, float]]
"""By rule set and player, the mean loss per choice in win probability."""

MIN_CHOICES = 10
"""The fewest choices for a strength."""
_VAGUE = 0.5
"""The largest error of a strength that says anything: its interval is as wide as from 0 to 1."""


class Strength(NamedTuple):
    """How a player chooses: 0 as badly as random moves, 1 as what judges; below 0 for worse ones.

    `error` is half the width of its 95 % confidence interval.
    """

    value: float
    error: float


def strength(summary: PlayerSummary, references: Mapping[str, float]) -> Strength | None:
    """A player's strength by the loss per choice; None with fewer than `MIN_CHOICES` choices.

    The interval is that of the mean of the losses, as if there had been one more choice in which
    the player moved at random: a player who found every best move in a dozen choices may still miss
    one in the next. What estimated losses may be off by is added to it. `references` are the
    reference players' mean losses per choice, with ``random`` among them.
    """
    random, n = references["random"], summary.choices
    if n < MIN_CHOICES or not random:
        return None
    mean = summary.mean_loss
    squares = max(0.0, summary.squared_loss - n * mean**2) + (random - mean) ** 2
    error = math.hypot(1.96 * math.sqrt(squares) / n, summary.mean_margin)
    return Strength(1 - mean / random, error / random)


# Words for people.

NOTHING = "\N{EN DASH}"
"""Shown if there are too few choices."""


def loss_text(units: Units, judged: JudgedPly) -> str:
    """What a choice lost, of estimates with the error of the comparison: ``3 ± 2``."""
    return units.amount(judged.loss) + units.give(judged.loss_margin)


def lost_text(units: Units, judged: JudgedPly) -> str:
    """The same as a phrase: ``3 ± 2 points lost``, ``2 ± 3 points lost, too close to call``."""
    doubt = judged.verdict.doubt if judged.verdict else ""
    return units.lost(judged.loss, judged.loss_margin) + doubt


def mean_text(units: Units, summary: PlayerSummary) -> str:
    """What a player lost a choice, with its error: ``0.5 ± 0.2``."""
    margin = summary.mean_margin
    return units.mean(summary.mean_loss) + (
        f" \N{PLUS-MINUS SIGN} {units.mean(margin)}" if margin else ""
    )


ESTIMATES = (
    "values are estimates, not exact; a choice that loses no more than the error of the comparison "
    f"is {Verdict.CLOSE.words}: it counts neither as the best nor as worse, and never as a mistake"
)
"""What reports say of a game that an estimator judged."""


FEW = "too few choices"
"""Shown in place of a strength whose interval reaches from random moves to the best ones."""


def strength_text(summary: PlayerSummary, references: Mapping[str, float]) -> str:
    """A player's strength with its interval, ``82 ± 11``, or words that say why there is none."""
    found = strength(summary, references)
    if found is None:
        return FEW if summary.choices < MIN_CHOICES else NOTHING
    if found.error > _VAGUE:
        is_few = summary.mean_margin < found.error * references["random"] / 2
        return FEW if is_few else Verdict.CLOSE.words
    value = signed(100 * found.value, 0).removeprefix("+")
    return f"{value} \N{PLUS-MINUS SIGN} {100 * found.error:.0f}"


def account_text(audit: GameAudit) -> str:
    """How luck and moves led to the result: the terms of light's chance to win, in points.

    With stakes, they are those of light's expected money to come, which paid fines no longer
    reduce.
    """
    units = audit.units
    start = "at the start"
    if audit.first:
        start = f"at throw {audit.first + 1}, where the table begins"
    elif audit.opening:
        start = "before the opening"
    terms = [f"{units.amount(audit.start_value)}{units.give(audit.start_margin)} {start}"]
    for side, sign in ((LIGHT, 1), (DARK, -1)):
        plies = list(audit.of_side(side))
        name = SIDE_NAMES[side]
        luck = units.gain(sign * sum(judged.luck for judged in plies))
        lost = units.gain(-sign * sum(judged.loss for judged in plies))
        terms += [f"{name}'s dice {luck}", f"{name}'s moves {lost}"]
        if audit.record.rules.payoff.has_fines and side == LIGHT:
            terms.append(f"{name}'s fines paid {units.gain(sum(judged.cost for judged in plies))}")
    loser = audit.record.conceded_by
    if loser:
        conceded = units.gain(audit.result_value - audit.end_value)
        _, name = _CONCESSIONS[audit.record.ending]
        terms.append(f"{SIDE_NAMES[loser]}'s {name} {conceded}")
    return f"{', '.join(terms)}: {units.amount(audit.result_value)} at the end"


_CONCESSIONS = {
    Ending.RESIGNED: ("resigned", "resignation"),
    Ending.TIMEOUT: ("lost on time", "loss on time"),
    Ending.ENDED: ("gave up", "giving up"),
}
"""What a side did that conceded a game, as a verb and as a noun."""


def place_text(audit: GameAudit, judged: JudgedPly) -> str:
    """Where one of its plies is, in words: ``at throw 23``."""
    index = next(k for k, each in enumerate(audit.all_plies) if each is judged)
    number = audit.number_of_throw(index)
    return f"at throw {number}" if number else "in the opening"


def thrown_text(audit: GameAudit, judged: JudgedPly) -> str:
    """A throw with what it gained: ``a 2 at throw 23 (+9.4)``."""
    gain = audit.units.signed(judged.luck)
    return f"a {judged.ply.throw_text} {place_text(audit, judged)} ({gain})"


def action_text(audit: GameAudit, judged: JudgedPly) -> str:
    """The action of a side in one of its plies, as a phrase."""
    taken = audit.taken_text(judged)
    if judged.is_before_throw:
        return f"chose {taken}"
    return f"threw {judged.ply.throw_text} and played {taken}"


def result_text(audit: GameAudit) -> str:
    """How a game ended, as a phrase; the value of the position if it was not played out."""
    record, units = audit.record, audit.units
    winner = SIDE_NAMES[record.winner] if record.winner else ""
    left = SIDE_NAMES[record.loser_by_choice] if record.loser_by_choice else ""
    if record.ending is Ending.WON:
        return f"{winner} {record.rules.payoff.won(audit.end_total)}"
    loser = record.conceded_by
    if loser:
        deed, _ = _CONCESSIONS[record.ending]
        return f"{SIDE_NAMES[loser]} {deed} at {units.value(audit.conceded(loser))}"
    how = {
        Ending.ABANDONED: f", abandoned{' by ' + left if left else ''}",
        Ending.RESIGNED: f", {left} resigned",
        Ending.TIMEOUT: f", {left} ran out of time",
        Ending.ENDED: ", ended early",
    }.get(record.ending, "")
    return f"not finished{how}, light has {units.value(audit.end_value)}"
