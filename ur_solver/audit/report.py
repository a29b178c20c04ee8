"""The report for people: one HTML file that contains everything it needs and loads nothing.

Its page steps through a game without rules: every step has the squares and trays that are drawn
anew, the arrows and a text, which `templates/replay.js` puts into the drawing.
"""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from importlib import resources
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from markupsafe import Markup

from ur_solver.answers.decisions import Mark, Thresholds, Verdict
from ur_solver.audit.audits import (
    ESTIMATES,
    NOTHING,
    GameAudit,
    JudgedPly,
    References,
    account_text,
    action_text,
    loss_text,
    lost_text,
    mean_text,
    result_text,
    strength_text,
    thrown_text,
    worst_plies,
)
from ur_solver.common.text import counted
from ur_solver.records import GameRecord, Step, last_position, opening_words, rules_word
from ur_solver.rules import DARK, LIGHT, SIDE_NAMES, Position
from ur_solver.rules.payoff import MONEY, POINTS, sure_decimals
from ur_solver.rules.svg import Arrow, board_svg, style_sheet

if TYPE_CHECKING:
    from jinja2 import Template


_WIDTH, _HEIGHT = 720, 240
"""Of the graph in the report's template."""


def _points(curve: Sequence[float]) -> list[str]:
    """Where the graph of a curve goes: `curve` is in [0, 1], before each ply and at the end."""
    step = _WIDTH / max(len(curve) - 1, 1)
    return [f"{ply * step:.1f},{_HEIGHT * (1 - value):.1f}" for ply, value in enumerate(curve)]


def replay_values(audit: GameAudit, end_text: str) -> dict[str, Any]:
    """The steps of an audited game, with `end_text` for its end.

    ``board`` is the drawing of the first step as SVG. ``steps`` is a list: a step for each judged
    ply, those of an opening included, before its throw, with arrows for the move played and the
    best one, and one for the end. Each has ``parts``, by the index of a child of the drawing what
    is drawn in its place since the step before; ``arrows``, SVG to be added; and ``text``.
    """
    plies = audit.all_plies
    positions = [_before(audit, judged) for judged in plies] + [last_position(audit.record)]
    texts = [_text(audit, index) for index in range(len(plies))] + [end_text]
    arrows = [arrows_of(judged) for judged in plies] + [[]]
    board = board_svg(positions[0], label="The board")
    drawn = _children(board)
    steps = []
    for position, text, of_step in zip(positions, texts, arrows, strict=True):
        now = _children(board_svg(position, of_step))
        parts = {
            str(index): part
            for index, (part, before) in enumerate(zip(now, drawn, strict=False))
            if part != before
        }
        steps.append({"parts": parts, "arrows": "".join(now[len(drawn) :]), "text": text})
        drawn = now[: len(drawn)]
    return {"board": Markup(board), "steps": steps}


def _children(drawing: str) -> list[str]:
    """The children of a drawing; arrows are the last ones."""
    return [ET.tostring(child, encoding="unicode") for child in ET.fromstring(drawing)]


def _before(audit: GameAudit, judged: JudgedPly) -> Position:
    return audit.record.stepper.position(judged.ply.state, judged.ply.side)


def arrows_of(judged: JudgedPly) -> list[Arrow]:
    """An arrow for the move that was played, and one for a better one."""
    indexes = {"best": judged.best}
    if judged.taken >= 0 and judged.taken != judged.best:
        indexes["played"] = judged.taken
    options = [(kind, judged.options[index]) for kind, index in indexes.items() if index >= 0]
    return [
        Arrow(kind, option.source, option.target)
        for kind, option in options
        if isinstance(option, Step)
    ]


def _text(audit: GameAudit, index: int) -> str:
    judged, units = audit.all_plies[index], audit.units
    ply, taken = judged.ply, audit.taken_text(judged)
    side, number = SIDE_NAMES[ply.side], audit.number_of_throw(index)
    if not number:
        text = f"Opening: {side} throws {ply.throw_text}, {taken or 'no move'}"
    elif judged.is_before_throw:
        text = f"Before throw {number}: {side} chooses {taken}"
    else:
        text = f"Throw {number}: {side} throws {ply.throw_text}, {taken or 'no move'}"
    if judged.is_choice and not judged.is_best:
        best, lost = audit.best_text(judged), lost_text(units, judged)
        is_close = judged.verdict is Verdict.CLOSE
        text += f"; {lost}: {best} may be better" if is_close else f"; best was {best}, {lost}"
    return f"{text}. Light has {units.value(judged.to_light(judged.value))} before it."


MAX_GAMES = 20
"""The most games in one report; CSV suits larger folders. Each marked move has a board of 10 kB,
and a replay takes 3 kB a throw: 20 games of random moves in finkel with four pieces make 11 MB
(``ur sample finkel:4 -g 20 --players random,random``)."""


def html_report(audits: Sequence[GameAudit], thresholds: Thresholds, references: References) -> str:
    """The report of some games as an HTML page.

    The first `MAX_GAMES` are shown; the page says how many more there are. Players are compared
    with the reference players whose losses are given for their rule set.
    """
    games = [
        _game(audit, thresholds, references.get(audit.record.rules, {}), k)
        for k, audit in enumerate(audits[:MAX_GAMES], start=1)
    ]
    return _template().render(
        games=games,
        hidden_games=len(audits) - len(games),
        thresholds=thresholds,
        has_money=any(game["payoff"].units is MONEY for game in games),
        has_points=not games or any(game["payoff"].units is POINTS for game in games),
        estimates=f"{ESTIMATES[0].upper()}{ESTIMATES[1:]}.",
        marks=list(Mark),
        script=_script(),
        script_hash=f"sha256-{b64encode(sha256(_script().encode()).digest()).decode()}",
        page_style=style_sheet("page"),
        board_style=style_sheet("board"),
    )


@lru_cache(maxsize=1)
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - for reports

    environment = Environment(
        loader=PackageLoader("ur_solver.audit"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["counted"] = counted
    return environment.get_template("report.html")


@lru_cache(maxsize=1)
def _script() -> Markup:
    """The script of replays, which the page's policy allows by its hash."""
    file = resources.files("ur_solver.audit") / "templates" / "replay.js"
    return Markup(file.read_text(encoding="utf-8"))


def _game(
    audit: GameAudit, thresholds: Thresholds, references: Mapping[str, float], number: int
) -> dict[str, Any]:
    record, units = audit.record, audit.units
    worst = worst_plies(audit, thresholds, len(audit.all_plies))
    turn_of = {id(judged): turn for turn, judged in enumerate(audit.all_plies)}
    points = _points(audit.curve)
    # A dot is at the curve's point before the throw.
    dots = [
        {
            "at": points[turn_of[id(judged)]].split(","),
            "mark": thresholds.mark(judged),
            "anchor": _anchor(number, turn_of[id(judged)]),
            "title": f"{SIDE_NAMES[judged.ply.side]} {audit.taken_text(judged)}, "
            f"{units.lost(judged.loss)}",
        }
        for judged in worst
    ]
    return {
        "payoff": record.rules.payoff,
        "units": units,
        "is_exact": audit.is_exact,
        "title": _title(record),
        "file": _file_name(record),
        "rules": rules_word(record.rules),
        "result": result_text(audit),
        "account": account_text(audit),
        "opening": opening_words(record),
        "points": points,
        "dots": dots,
        "players": [_player(audit, side, thresholds, references) for side in (LIGHT, DARK)],
        "references": references,
        "moments": [
            _moment(audit, judged, turn_of[id(judged)], thresholds, number) for judged in worst
        ],
        "rows": _rows(audit, thresholds, number),
        "replay": replay_values(audit, f"The end: {result_text(audit)}."),
        "plies": len(record.plies),
    }


def _title(record: GameRecord) -> str:
    """Who played, if the record says so, or else the file."""
    players = [record.player(side) for side in (LIGHT, DARK)]
    if all(players):
        return f"{players[0]} against {players[1]}"
    return _file_name(record)


def _file_name(record: GameRecord) -> str:
    """The record's title without the folders of its file, which are private."""
    return record.title.removeprefix(record.file.removesuffix(os.path.basename(record.file)))


def _anchor(number: int, index: int) -> str:
    return f"game-{number}-ply-{index + 1}"


def _rows(audit: GameAudit, thresholds: Thresholds, number: int) -> list[dict[str, Any]]:
    """Every throw of a game and of its opening, with the played and the best move."""
    rows = []
    units = audit.units
    decimals = (
        1 if audit.is_exact else min(1, sure_decimals(100 * audit.margin / audit.start_total))
    )

    def give(margin: float) -> str:
        return f" \N{PLUS-MINUS SIGN} {100 * margin:.{decimals}f}" if margin else ""

    for index, judged in enumerate(audit.all_plies):
        mark = thresholds.mark(judged)
        number_of_throw = audit.number_of_throw(index)
        is_numbered = number_of_throw and not judged.is_before_throw
        rows.append(
            {
                "number": str(number_of_throw) if is_numbered else "",
                "side": SIDE_NAMES[judged.ply.side],
                "threw": "chose" if judged.is_before_throw else judged.ply.throw_text,
                "played": audit.taken_text(judged) or "no move",
                "best": "" if judged.is_best else audit.best_text(judged) or "",
                "luck": units.signed(judged.luck),
                "loss": loss_text(units, judged) if judged.is_choice else "",
                "verdict": judged.verdict.words if judged.verdict else "",
                "chance": f"{100 * audit.curve[index + 1]:.{decimals}f}"
                + give(judged.played_margin / (judged.total or 1)),
                "mark": mark,
                "anchor": _anchor(number, index) if mark else "",
            }
        )
    return rows


def _unbroken(text: str) -> str:
    """A text without line breaks at its spaces."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def _player(
    audit: GameAudit, side: str, thresholds: Thresholds, references: Mapping[str, float]
) -> dict[str, Any]:
    summary, units = audit.summary(side, thresholds), audit.units

    def throw(judged: JudgedPly | None) -> str:
        return "no throw" if judged is None else thrown_text(audit, judged)

    return {
        "side": SIDE_NAMES[side],
        "name": audit.record.player(side) or SIDE_NAMES[side].capitalize(),
        "summary": summary,
        "luckiest": throw(summary.luckiest),
        "unluckiest": throw(summary.unluckiest),
        "strength": strength_text(summary, references) if references else "",
        "mean": mean_text(units, summary) if summary.choices else NOTHING,
    }


def _thumbs_text(audit: GameAudit, judged: JudgedPly) -> str:
    """What rules of thumb would have played, as sentences; empty if none was asked."""
    index = next((k for k, each in enumerate(audit.plies) if each is judged), None)
    if index is None:  # in the opening
        return ""
    found = ((name, plays[index]) for name, plays in audit.thumbs.items())
    return "".join(
        f" {name} would have played {audit.option_text(judged, play.option)}"
        f"{': ' + audit.units.lost(play.loss) if play.loss else ', as good as the best'}"
        f"{play.verdict.doubt}."
        for name, play in found
        if play is not None
    )


def _moment(
    audit: GameAudit, judged: JudgedPly, index: int, thresholds: Thresholds, number: int
) -> dict[str, Any]:
    record, ply, units = audit.record, judged.ply, audit.units
    played, best = audit.taken_text(judged) or "", audit.best_text(judged) or ""
    mark = thresholds.mark(judged)
    assert mark is not None
    label = f"{SIDE_NAMES[ply.side]} {action_text(audit, judged)}, best was {best}"
    number_of_throw = audit.number_of_throw(index)
    place = f"Throw {number_of_throw}" if number_of_throw else "Opening"
    did = "before the throw" if judged.is_before_throw else f"threw a {ply.throw_text}"
    return {
        "anchor": _anchor(number, index),
        "heading": f"{place}: {SIDE_NAMES[ply.side]} {did}",
        "mark": mark,
        "did": "Chose" if judged.is_before_throw else "Played",
        "played": f"{played} ({_unbroken(units.value(judged.played_value))})",
        "best": f"{best} ({_unbroken(units.value(judged.best_value))})",
        "lost": units.lost(judged.loss, judged.loss_margin),
        "thumbs": _thumbs_text(audit, judged),
        "board": board_svg(record.stepper.position(ply.state, ply.side), arrows_of(judged), label),
    }
