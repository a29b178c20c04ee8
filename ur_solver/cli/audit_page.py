"""An audit in the terminal: tables, and boards for the worst moments."""

from __future__ import annotations

from collections.abc import Mapping

import click

from ur_solver.api.evaluator import Evaluator
from ur_solver.audit import (
    ESTIMATES,
    NOTHING,
    GameAudit,
    JudgedPly,
    Mark,
    PlayerSummary,
    References,
    Thresholds,
    account_text,
    action_text,
    mean_text,
    references_of,
    result_text,
    strength_text,
    summarise,
    worst_plies,
)
from ur_solver.cli.output import columns, draw_position, say, side_name
from ur_solver.common.text import counted
from ur_solver.records import GameRecord, opening_words, rules_word
from ur_solver.rules import DARK, LIGHT, RuleSet
from ur_solver.rules.payoff import Payoff, Units

FULL_PAGES = 3
"""With more games than this, each gets a line and not a page."""

_MARK_HEADERS = ("inaccuracies", "mistakes", "blunders")
_COLOURS = {Mark.INACCURACY: "yellow", Mark.MISTAKE: "bright_red", Mark.BLUNDER: "red"}


def audit_page(
    audits: list[GameAudit], thresholds: Thresholds, references: References, worst: int
) -> str:
    """Audited games as text, with the `worst` moments of one game, or of many, as boards.

    Each rule set gets its own section. A rule set without `references` gets no comparison.
    """
    by_rules: dict[RuleSet, list[GameAudit]] = {}
    for audit in audits:
        by_rules.setdefault(audit.record.rules, []).append(audit)
    return "\n\n".join(
        _page_of_rules(of_rules, thresholds, references.get(rules, {}), worst)
        for rules, of_rules in by_rules.items()
    )


def audit_of(record: GameRecord, table: Evaluator) -> str:
    """The audit of one game as text, next to reference players where a table judges it."""
    (audit,) = table.audits([record])
    references = {}
    if table.are_exact:
        references[record.rules] = references_of(table, say=say)
    return audit_page([audit], Thresholds(), references, worst=3)


def _page_of_rules(
    audits: list[GameAudit], thresholds: Thresholds, references: Mapping[str, float], worst: int
) -> str:
    parts = []
    payoff = audits[0].record.rules.payoff
    units = payoff.units.within(max(audit.margin for audit in audits))
    best = "the table" if all(audit.is_exact for audit in audits) else "the estimator"
    if len(audits) > FULL_PAGES:
        parts.append(columns([_line(audit) for audit in audits], "<<>>>>"))
        parts.append(_players(_by_player(audits, thresholds), references, payoff, units, best))
        worst_of_all = sorted(
            (
                (judged, audit)
                for audit in audits
                for judged in worst_plies(audit, thresholds, worst)
            ),
            key=lambda each: -each[0].loss,
        )
        parts += [_moment(audit, judged, thresholds) for judged, audit in worst_of_all[:worst]]
    else:
        for audit in audits:
            named = {_name(audit, side): audit.summary(side, thresholds) for side in (LIGHT, DARK)}
            parts.append(_head(audit))
            parts.append(_players(named, references, payoff, units, best))
            parts += [
                _moment(audit, judged, thresholds)
                for judged in worst_plies(audit, thresholds, worst)
            ]
    if not all(audit.is_exact for audit in audits):
        parts.append(ESTIMATES)
    return "\n\n".join(parts)


def _head(audit: GameAudit) -> str:
    words = opening_words(audit.record)
    opening = f"{words}\n" if words else ""
    return (
        f"{click.style(audit.record.title, bold=True)}: {rules_word(audit.record.rules)}, "
        f"{counted(len(audit.record.plies), 'throw')}, {result_text(audit)}\n"
        f"{opening}light's {audit.record.rules.payoff.units.worth}: {account_text(audit)}"
    )


def _name(audit: GameAudit, side: str) -> str:
    player = audit.record.player(side)
    return f"{player} ({side_name(side)})" if player else side_name(side)


def _by_player(audits: list[GameAudit], thresholds: Thresholds) -> dict[str, PlayerSummary]:
    """The summaries of all games by player; by side if a player has no name."""
    plies: dict[str, list[JudgedPly]] = {}
    conceded: dict[str, float] = {}
    for audit in audits:
        for side in (LIGHT, DARK):
            name = audit.record.player(side) or side_name(side)
            plies.setdefault(name, []).extend(audit.of_side(side))
            conceded[name] = conceded.get(name, 0.0) + audit.conceded(side)
    return {
        name: summarise(of_player, thresholds, conceded[name]) for name, of_player in plies.items()
    }


def _line(audit: GameAudit) -> list[str]:
    units = audit.units
    totals = [
        units.amount(each.loss) + units.give(each.loss_margin) for each in (audit.light, audit.dark)
    ]
    lucks = [
        units.signed(sum(judged.luck for judged in audit.of_side(side))) for side in (LIGHT, DARK)
    ]
    return [
        audit.record.title,
        result_text(audit),
        f"light lost {totals[0]}",
        f"luck {lucks[0]}",
        f"dark lost {totals[1]}",
        f"luck {lucks[1]}",
    ]


def _players(
    summaries: dict[str, PlayerSummary],
    references: Mapping[str, float],
    payoff: Payoff,
    units: Units,
    best: str,
) -> str:
    header = ["", "choices", "best", "lost", "a choice", "luck", *_MARK_HEADERS]
    has_conceded = any(summary.conceded for summary in summaries.values())
    header += ["conceded"] if has_conceded else []
    header += ["fines"] if payoff.has_fines else []
    header += ["strength"] if references else []
    rows = [header] + [
        _row(name, summary, references, payoff, units, has_conceded)
        for name, summary in summaries.items()
    ]
    lines = [columns(rows, "<" + ">" * (len(header) - 1))]
    lines += [
        _throws(name, summary, units) for name, summary in summaries.items() if summary.luckiest
    ]
    if references:
        named = ", ".join(f"{name} {units.mean(loss)}" for name, loss in references.items())
        lines += [
            f"lost a choice by reference players: {named}, {best} {units.mean(0)}",
            f"a strength of 0 is that of random moves, 100 {best}'s; \N{PLUS-MINUS SIGN} is the "
            "95 % interval",
        ]
    return "\n".join(lines)


def _row(
    name: str,
    summary: PlayerSummary,
    references: Mapping[str, float],
    payoff: Payoff,
    units: Units,
    has_conceded: bool,
) -> list[str]:
    row = [
        name,
        str(summary.choices),
        f"{100 * summary.best_share:.0f} %" if summary.choices else NOTHING,
        units.amount(summary.loss) + units.give(summary.loss_margin),
        mean_text(units, summary) if summary.choices else NOTHING,
        units.signed(summary.luck),
        *(str(summary.marks[mark]) for mark in Mark),
    ]
    if has_conceded:
        row.append(units.amount(summary.conceded))
    if payoff.has_fines:
        row.append(str(summary.cost))
    if references:
        row.append(strength_text(summary, references))
    return row


def _throws(name: str, summary: PlayerSummary, units: Units) -> str:
    assert summary.luckiest
    assert summary.unluckiest
    return (
        f"{name}: luckiest throw {_thrown(summary.luckiest, units)}, "
        f"unluckiest {_thrown(summary.unluckiest, units)}"
    )


def _thrown(judged: JudgedPly, units: Units) -> str:
    return f"{judged.ply.throw_text} ({units.signed(judged.luck)})"


def _moment(audit: GameAudit, judged: JudgedPly, thresholds: Thresholds) -> str:
    record, ply, units = audit.record, judged.ply, audit.units
    mark = thresholds.mark(judged)
    assert mark
    position = record.stepper.position(ply.state, ply.side)
    return (
        f"{click.style(mark, fg=_COLOURS[mark], bold=True)} at {ply.place or 'the end'} of "
        f"{audit.record.title}\n"
        f"{side_name(ply.side)} {action_text(audit, judged)} "
        f"({units.value(judged.played_value)}); best was {audit.best_text(judged)} "
        f"({units.value(judged.best_value)}): "
        f"{units.lost(judged.loss, judged.loss_margin)}\n\n"
        f"{draw_position(position)}"
    )
