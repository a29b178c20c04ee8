"""Many audited games together: over time, by the first choices, and next to rules of thumb."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ur_solver.answers.decisions import Mark, Thresholds, Values, Verdict
from ur_solver.audit.audits import GameAudit, JudgedPly, summarise
from ur_solver.audit.judge import judged_rounds, thumb_plays
from ur_solver.records import Step
from ur_solver.records.dates import day_of
from ur_solver.rules import DARK, LIGHT, SIDE_NAMES

PERIODS = {"year": 4, "month": 7, "day": 10}
"""How much of a date such as 2026-11-27 names each."""

UNKNOWN = "unknown"


def over_time(
    audits: Iterable[GameAudit], thresholds: Thresholds, by: str | int
) -> list[dict[str, Any]]:
    """How each player did over time, by name, or by side where a record has no names.

    `by` is one of `PERIODS`, or how many of a player's games make a row; the audits are then in the
    order in which they were played. The JSON values, by player in order of time, are ``over_time``
    of ``ur review``.
    """
    played: dict[str, dict[str | int, list[tuple[GameAudit, str]]]] = {}
    numbers: dict[str, int] = {}
    for audit in audits:
        for side in (LIGHT, DARK):
            player = audit.record.player(side) or SIDE_NAMES[side]
            number = numbers[player] = numbers.get(player, 0) + 1
            period: str | int
            if isinstance(by, int):
                period = (number - 1) // by * by + 1
            else:
                day = day_of(audit.record) or ""
                period = day[: PERIODS[by]] if len(day) >= PERIODS[by] else UNKNOWN
            played.setdefault(player, {}).setdefault(period, []).append((audit, side))
    return [
        {"player": player, "period": _named(period, of_period), **_together(of_period, thresholds)}
        for player, by_period in played.items()
        for period, of_period in (
            by_period.items() if isinstance(by, int) else sorted(by_period.items())
        )
    ]


def _named(period: str | int, games: Sequence[object]) -> str:
    """A period; of numbers the first game's is given."""
    if isinstance(period, str):
        return period
    return f"games {period} to {period + len(games) - 1}" if len(games) > 1 else f"game {period}"


def _together(games: Sequence[tuple[GameAudit, str]], thresholds: Thresholds) -> dict[str, Any]:
    plies = [judged for audit, side in games for judged in audit.of_side(side)]
    summary = summarise(plies, thresholds)
    return {
        "games": len(games),
        "won": sum(audit.record.winner == side for audit, side in games),
        "choices": summary.choices,
        "best": summary.best,
        "close": summary.close,
        "worse": summary.worse,
        "loss": summary.loss,
        "mean_loss": summary.mean_loss if summary.choices else None,
        "luck": summary.luck,
        "mistakes": summary.marks[Mark.MISTAKE] + summary.marks[Mark.BLUNDER],
    }


def first_choices(audits: Iterable[GameAudit], throws: int) -> list[dict[str, Any]]:
    """The choices in the first throws of games, by position and throw, the most frequent first.

    The games are of one rule set; `throws` of both sides count as the first of each, and the rounds
    of an opening come before them: their ``throw`` is that of the side which chooses, then the
    other's. A choice of dark is counted with that of light in the mirrored position.
    """
    found: dict[tuple[bytes, str], dict[str, Any]] = {}
    for audit in audits:
        stepper = audit.record.stepper
        for judged, throw in _first_plies(audit, throws):
            if not judged.is_choice:
                continue
            values = found.setdefault(
                (judged.ply.state, throw),
                {
                    "position": stepper.notation(judged.ply.state, LIGHT),
                    "throw": throw,
                    "times": 0,
                    "played": {},
                    "best": _as_light(judged, judged.best),
                    "loss": 0.0,
                },
            )
            option = _as_light(judged, judged.taken)
            values["times"] += 1
            values["played"][option] = values["played"].get(option, 0) + 1
            values["loss"] += judged.loss
            if judged.best != judged.taken:
                values["best"] = _as_light(judged, judged.best)
    return sorted(found.values(), key=lambda each: (-each["times"], -each["loss"]))


def _first_plies(audit: GameAudit, throws: int) -> Iterator[tuple[JudgedPly, str]]:
    """The rounds of an opening and the first throws, each with what was thrown, as text."""
    for each, judged in judged_rounds(audit):
        both = each.throws if judged.ply.side == LIGHT else each.throws[::-1]
        yield judged, "-".join(map(str, both))
    n_throws = audit.first
    for judged in audit.plies:
        n_throws += not judged.is_before_throw
        if n_throws > throws:
            return
        words = () if judged.is_before_throw else (judged.ply.choice, judged.ply.throw_text)
        yield judged, " ".join(part for part in words if part)


def _as_light(judged: JudgedPly, index: int) -> str:
    """An option as light writes it."""
    option = judged.options[index]
    return option.text if isinstance(option, Step) else option.name


def against_thumbs(
    audits: Sequence[GameAudit], values: Values, names: Iterable[str]
) -> list[dict[str, Any]]:
    """What rules of thumb would have lost in the choices of each player, as in `thumb_plays`.

    The JSON values are for each player (or side, where a record has no names) and rule of thumb.
    """
    rows: list[dict[str, Any]] = []
    for name in names:
        by_player: dict[str, dict[str, Any]] = {}
        for audit, plays in zip(audits, thumb_plays(audits, values, name), strict=True):
            for judged, play in zip(audit.plies, plays, strict=True):
                if play is None:
                    continue
                side = judged.ply.side
                player = audit.record.player(side) or SIDE_NAMES[side]
                row = by_player.setdefault(
                    player,
                    {"player": player, "thumb": name, "choices": 0, "same": 0}
                    | dict.fromkeys(Verdict, 0)
                    | {"mean_loss": 0.0, "player_mean_loss": 0.0},
                )
                row["choices"] += 1
                row["same"] += play.option == judged.taken
                row[play.verdict] += 1
                row["mean_loss"] += play.loss
                row["player_mean_loss"] += judged.loss
        for row in by_player.values():
            for key in ("mean_loss", "player_mean_loss"):
                row[key] /= row["choices"]
        rows += by_player.values()
    return rows
