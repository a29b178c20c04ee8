"""The page of `ur evaluate --policy`."""

from __future__ import annotations

from ur_solver.cli.output import columns
from ur_solver.envs import PlayRegret, SpaceRegret
from ur_solver.envs.regret import EDGES, JudgedDecision
from ur_solver.study.estimates import IntervalEstimate
from ur_solver.study.figures import as_number


def regret_page(found: SpaceRegret, policy: str) -> str:
    """What people are shown of a policy's regret; losses are points, hundredths of a chance."""
    n = max(1, found.decisions)
    rows = [
        ["decisions", f"{found.decisions:,} in all positions"],
        [f"regret of {policy}", f"{100 * found.mean:.4f} points a decision"],
        ["chooses a best option", f"{100 * found.best:.2f} % of the time"],
        *_in_play(found.in_play),
    ]
    margins = [["equal", f"{found.ties:,}", f"{100 * found.ties / n:.2f} %"]]
    ends = [f"up to {100 * edge:g} points" for edge in EDGES] + [f"over {100 * EDGES[-1]:g} points"]
    for end, count in zip(ends, found.margins, strict=True):
        margins.append([end, f"{count:,}", f"{100 * count / n:.2f} %"])
    parts = [
        columns(rows, "<<"),
        "margin between the best and the second best option",
        _indented(columns(margins, "<>>")),
    ]
    for title, decisions in (
        ("closest decisions: position, throw, best, second best, margin in points", found.closest),
        (f"largest regrets: position, throw, best, choice of {policy}, points lost", found.worst),
    ):
        if decisions:
            parts += [title, _indented(columns([*map(_row, decisions)], "<><<>"))]
    return "\n".join(parts)


def _in_play(found: PlayRegret) -> list[list[str]]:
    how = f"{found.games:,} games" if found.games else "exact"
    return [
        ["in games against the table", how],
        ["  decisions in a game", _number(found.decisions)],
        ["  points lost in a game", _number(found.loss, 100)],
        ["  points lost a decision", _number(found.mean, 100)],
    ]


def _number(estimate: IntervalEstimate, unit: int = 1) -> str:
    if estimate.is_exact:
        return f"{unit * estimate.value:.4f}"
    low, high = unit * estimate.low, unit * estimate.high
    return as_number(IntervalEstimate(unit * estimate.value, low, high).to_json())


def _row(decision: JudgedDecision) -> list[str]:
    throw = "-" if decision.throw is None else str(decision.throw)
    difference = f"{100 * decision.difference:.3g}"
    return [decision.position, throw, decision.best, decision.other, difference]


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
