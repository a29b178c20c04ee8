"""Annotated games: what an audit found, as comments that every notation keeps.

The findings on a turn are commands at the head of its comment, as PGN has them for clocks, such as
``[%chance 49.81 %] [%best A3A1*] [%loss 3.29] [%mark mistake]``:

- ``chance``: light's, after the turn; with stakes ``money``, which light can still expect;
- ``best`` and ``loss``: the best move and what the played one lost, in points or money, if there
  was a better one;
- ``mark``: ``inaccuracy``, ``mistake`` or ``blunder``, if it lost much;
- ``best_choice``, ``choice_loss`` and ``choice_mark``: the same of the choice before the throw.

The comment before the first turn has the value at the start. In RoyalUr's JSON these commands are
entries in the metadata of states.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ur_solver.audit.game_audit import GameAudit, JudgedPly
from ur_solver.audit.summary import Thresholds
from ur_solver.records import GameRecord
from ur_solver.records.parts import comment_of_metadata, metadata_of_comment
from ur_solver.rules.payoff import MONEY

CHANCE, GAIN = "chance", "money"
_FOUND = ("best", "loss", "mark")
_OF_CHOICE = ("best_choice", "choice_loss", "choice_mark")
_OWN = (CHANCE, GAIN, *_FOUND, *_OF_CHOICE)


def annotated(audit: GameAudit, thresholds: Thresholds) -> GameRecord:
    """The record of an audited game with the findings in its comments.

    Its own comments stay; the findings of an earlier audit are replaced.

    Parameters
    ----------
    audit : GameAudit
    thresholds : Thresholds
        Of the marks.
    """
    comments = dict(audit.record.comments)
    for n_plies, commands in _findings(audit, thresholds):
        entries = metadata_of_comment(comments.get(n_plies, ""))
        others = {name: text for name, text in entries.items() if name not in _OWN}
        comments[n_plies] = comment_of_metadata({**commands, **others})
    return replace(audit.record, comments=dict(sorted(comments.items())))


def _findings(audit: GameAudit, thresholds: Thresholds) -> Iterator[tuple[int, dict[str, str]]]:
    """The commands by the number of plies before them."""
    n_plies = audit.first
    yield n_plies, _worth(audit, _after(audit, -1))
    of_choice: dict[str, str] = {}
    for index, judged in enumerate(audit.plies):
        found = _better(audit, judged, thresholds)
        if judged.is_before_throw:
            of_choice = dict(zip(_OF_CHOICE, found, strict=False))
            continue
        n_plies += 1
        of_move = dict(zip(_FOUND, found, strict=False))
        yield n_plies, {**_worth(audit, _after(audit, index)), **of_choice, **of_move}
        of_choice = {}


def _worth(audit: GameAudit, value: float) -> dict[str, str]:
    units = audit.units
    is_money = audit.record.rules.payoff.units is MONEY
    digits = units.digits + 1 if audit.is_exact else units.digits
    return {GAIN if is_money else CHANCE: units.value(value, digits)}


def _after(audit: GameAudit, index: int) -> float:
    """What light has after a ply; after -1, before the first one."""
    if index + 1 == len(audit.plies):
        return audit.end_value
    judged = audit.plies[index + 1]
    return judged.to_light(judged.value)


def _better(audit: GameAudit, judged: JudgedPly, thresholds: Thresholds) -> list[str]:
    """The best option, the loss and the mark of a choice; empty if no option was better."""
    if not judged.is_choice or judged.is_best:
        return []
    units = audit.units
    loss = units.mean(judged.loss) if audit.is_exact else units.amount(judged.loss)
    mark = thresholds.mark(judged)
    return [audit.best_text(judged) or "", loss, *([str(mark)] if mark else [])]
