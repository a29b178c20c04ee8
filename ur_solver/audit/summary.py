"""The audit of each player: marks, totals, the luckiest throws and the worst moves."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from ur_solver.errors import InputError

if TYPE_CHECKING:
    from ur_solver.audit.game_audit import GameAudit, JudgedPly


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

    def mark(self, judged: JudgedPly) -> Mark | None:
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


@dataclass(frozen=True)
class PlayerSummary:
    """One player in one game, or in several.

    Attributes
    ----------
    choices, best : int
        The number of choices, and of those in which no option was better than the one taken.
    loss, luck : float
        Totals, in win probability; with stakes in money.
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
        loss=sum(judged.loss for judged in choices),
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


MIN_CHOICES = 10
"""The fewest choices for a strength."""


class Strength(NamedTuple):
    """How a player chooses: 0 as badly as random moves, 1 as what judges.

    Attributes
    ----------
    value : float
        Below 0 for a player who loses more than random moves do.
    error : float
        Half the width of its 95 % confidence interval.
    """

    value: float
    error: float


def strength(summary: PlayerSummary, references: Mapping[str, float]) -> Strength | None:
    """A player's strength by the loss per choice; None with fewer than `MIN_CHOICES` choices.

    The interval is that of the mean of the losses, as if there had been one more choice in which
    the player moved at random: a player who found every best move in a dozen choices may still
    miss one in the next. What estimated losses may be off by is added to it.

    Parameters
    ----------
    summary : PlayerSummary
    references : mapping of str to float
        The reference players' mean loss per choice in win probability; ``random`` must be among
        them.
    """
    random, n = references["random"], summary.choices
    if n < MIN_CHOICES or not random:
        return None
    mean = summary.mean_loss
    squares = max(0.0, summary.squared_loss - n * mean**2) + (random - mean) ** 2
    error = math.hypot(1.96 * math.sqrt(squares) / n, summary.mean_margin)
    return Strength(1 - mean / random, error / random)
