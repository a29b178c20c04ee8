"""What rules of thumb would have played in the choices of audited games, and would have lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from ur_solver.answers.values import Values, row_estimates
from ur_solver.audit.game_audit import TIE, GameAudit, JudgedPly, ThumbPlay
from ur_solver.audit.worth import option_estimate, option_rows
from ur_solver.players.player import Asked, Player
from ur_solver.players.policies import policy_of
from ur_solver.rules import FREE_THROW


def thumb_plays(
    audits: Sequence[GameAudit], values: Values, name: str
) -> list[list[ThumbPlay | None]]:
    """What a rule of thumb plays in every choice of some games.

    Parameters
    ----------
    audits : sequence of GameAudit
        Of one rule set.
    values : Table or Estimator
        That judged them.
    name : str
        A player such as ``greedy`` or ``first``, or priorities such as ``capture+safe+furthest``.

    Returns
    -------
    list
        For each game, one for each of its judged plies; None where there was no choice.

    Raises
    ------
    InputError
        If there is no such rule of thumb.
    """
    policy = policy_of(name, values)
    if not audits:
        return []
    player = Player(audits[0].record.rules, policy)
    choices = [
        (number, index, judged)
        for number, audit in enumerate(audits)
        for index, judged in enumerate(audit.plies)
        if judged.is_choice
    ]
    asked = [_asked(audits[number], judged) for number, _, judged in choices]
    taken = player.choose(asked, np.random.default_rng(1)) if asked else []
    options = [judged.options[index] for (*_, judged), index in zip(choices, taken, strict=True)]
    found = row_estimates(values, [row for option in options for row in option_rows(option)])
    plays: list[list[ThumbPlay | None]] = [[None] * len(audit.plies) for audit in audits]
    for (number, at, judged), index, option in zip(choices, taken, options, strict=True):
        loss = judged.best_value - option_estimate(option, found)[0]
        is_best = index == judged.best or loss <= TIE * (judged.total or 1)
        plays[number][at] = ThumbPlay(index, 0.0 if is_best else loss)
    return plays


def with_thumbs(audit: GameAudit, values: Values, names: Iterable[str]) -> GameAudit:
    """An audit that holds what rules of thumb would have played; see `thumb_plays`."""
    plays = {name: tuple(thumb_plays([audit], values, name)[0]) for name in names}
    return replace(audit, thumbs=plays)


def _asked(audit: GameAudit, judged: JudgedPly) -> Asked:
    ply = judged.ply
    if judged.is_before_throw:
        return Asked(ply.state)
    roll = audit.record.stepper.rolls(ply.state, ply.choice).of(ply.throws)
    moves_by = ply.throw if roll is None else roll.moves_by
    return Asked(ply.state, moves_by, ply.choice or FREE_THROW)
