"""A study for people, as text."""

from __future__ import annotations

from typing import Any

import click

from ur_solver.cli.output import columns
from ur_solver.common.text import counted
from ur_solver.players.policies import PRIORITIES
from ur_solver.rules.payoff import POINTS, Payoff
from ur_solver.study.comparison import ROWS
from ur_solver.study.figures import (
    as_count,
    as_number,
    as_points,
    as_share,
    halves_of,
    loss_text,
    names_of,
    payoff_of,
    points,
    value_of,
)

_LEAST_SECOND = 1e-9
_FIGURES = {row.key: row for row in ROWS}


def study_page(found: dict[str, Any]) -> str:
    """All parts of a study that `ur_solver.study.study` gives."""
    games, seed = counted(found["games"], "game"), f"seed {found['seed']}"
    head = (
        f"{found['word']}: {counted(found['positions'], 'position')}, {games} of the table against "
        f"itself, {seed}"
    )
    if not found.get("exact", True):
        head += "; an estimator plays in its place, whose values are estimates"
    parts = [
        ("fairness", _fairness(found)),
        ("length", _length(found)),
        ("choices", _choices(found)),
        ("drama", _drama(found)),
        ("luck and skill", _luck(found)),
        ("who beats whom: the share of games that the row wins", _ladder(found)),
        ("squares of light's path", _squares(found)),
        ("openings: the best second moves", _openings(found)),
        ("openings: the choice before the third throw", _choices_before_throws(found)),
        (
            "what to remember: the best order of priorities",
            _thumbs(found),
        ),
    ]
    texts = [head]
    texts += [f"{click.style(title, bold=True)}\n{text}" for title, text in parts if text]
    return "\n\n".join(texts)


def _fairness(found: dict[str, Any]) -> str:
    fairness = found["fairness"]
    payoff = payoff_of(found)
    first = _value(payoff, fairness["first_player"])
    rows = [[f"  the first player {payoff.verb}", first]]
    if "chance" in payoff.figures:
        rows.append(["  the first player wins", as_share(fairness["first_player_wins"])])
    if "with_a_free_first_throw" in fairness:
        free = _value(payoff, fairness["with_a_free_first_throw"])
        rows.append(["  with a free first throw", free])
    if "first_throw" in fairness and payoff.units is POINTS:
        throws = ", ".join(
            f"{each['throw']}: {points(each['gain'])}" for each in fairness["first_throw"]
        )
        rows.append(["  worth of the first throw", f"{throws} points"])
    if value_of(fairness["unfinished"]):
        rows.append(["  games left unfinished", as_share(fairness["unfinished"])])
    return columns(rows, "<<")


def _value(payoff: Payoff, figure: Any, digits: int = 4) -> str:
    """A value: exact, with some decimals, or an estimate."""
    margin = halves_of(figure)[0]
    if margin:
        return payoff.units.estimate(value_of(figure), margin)
    return payoff.units.value(figure, digits)


def _rows(found: dict[str, Any], *keys: str) -> list[list[str]]:
    """Figures that comparisons have too, in their words."""
    return [[f"  {row.label}", row.text(found)] for row in map(_FIGURES.__getitem__, keys)]


def _length(found: dict[str, Any]) -> str:
    length = found["length"]
    throws = length["distributions"]["throws"]
    shares = throws["quantiles"]
    most = f"{as_count(shares['0.05'])} to {as_count(shares['0.95'])}"
    seen = f"{throws['shortest']} to {throws['longest']}"
    longer = f"{as_share(length['beyond'])} of games"
    rows = [
        *_rows(found, "throws", "throws_deviation", "median"),
        ["    nine games of ten", most],
        ["    all that were seen", f"{seen}; longer ones: {longer}"],
        *_rows(found, "turns", "moves", "captures", "extra_throws"),
    ]
    return columns(rows, "<<")


def _choices(found: dict[str, Any]) -> str:
    choices = found["choices"]
    (moves,) = _rows(found, "moves_to_choose_from")
    rows = [
        *_rows(found, "with_a_choice"),
        ["  throws without a choice", as_share(choices["without_a_choice"])],
        *_rows(found, "choices_a_turn", "without_a_move"),
        [moves[0], f"{moves[1]}; at most {choices['most_moves']} were seen"],
    ]
    return columns(rows, "<<")


def _drama(found: dict[str, Any]) -> str:
    drama = found["drama"]
    decided = f"after {as_share(drama['decided_after'])} of the throws"
    rows = [
        *_rows(found, "lead_changes"),
        ["  decided for good", f"{decided} (the winner never below 90 % again)"],
        ["  won from below 25 %", as_share(drama["comebacks"]["25"])],
        *_rows(found, "won_from_below_10"),
        ["  won from below 1 %", as_share(drama["comebacks"]["1"])],
        *_rows(found, "swing"),
    ]
    return columns(rows, "<<")


def _luck(found: dict[str, Any]) -> str:
    rows = [["  the table against", "loses a game", "spread of luck", "of losses", "skill's part"]]
    for name, each in found["luck"]["against"].items():
        rows.append(
            [
                f"  {name}",
                as_share(each["loss"]),
                as_points(each["luck_deviation"], sign=False),
                as_points(each["loss_deviation"], sign=False),
                as_share(each["skill"]),
            ]
        )
    return columns(rows, "<>>>>")


def _ladder(found: dict[str, Any]) -> str:
    ladder = found["ladder"]
    names, letters = ladder["policies"], names_of(len(ladder["policies"]))
    rows = [["", "", *letters, "games to tell it from the table"]]
    for k, name in enumerate(names):
        wins = [
            "-" if i == k else f"{100 * value_of(each):.1f}"
            for i, each in enumerate(ladder["wins"][k])
        ]
        apart = ladder["games_apart"][k][0]
        rows.append([f"  {letters[k]}", name, *wins, "" if apart is None else as_count(apart)])
    margin = max(max(halves_of(each)) for row in ladder["wins"] for each in row)
    text = columns(rows, "<<" + ">" * (len(names) + 1))
    if margin:
        text += f"\n  per cent, ± {100 * margin:.1f} at most"
    return text


def _squares(found: dict[str, Any]) -> str:
    rows = [["", "square", "a piece is there", "captures a game", "a piece there is worth"]]
    for place in found["squares"]["places"]:
        rows.append(
            [
                f"  {place['path_index']}",
                f"{place['square']}{'*' if place['is_rosette'] else ''}",
                as_share(place["stood"]),
                as_number(place["captures"]),
                f"{as_share(place['worth'])}",
            ]
        )
    rows.append(["", "off", "", "", as_share(found["squares"]["off"])])
    text = columns(rows, "><>>>")
    for each in found["squares"]["rosettes"]:
        more = as_points(each["more_than_its_neighbours"])
        text += f"\n  the rosette {each['square']}: {more} points more than the squares next to it"
    return text


def _openings(found: dict[str, Any]) -> str:
    payoff = payoff_of(found)
    units = payoff.units
    light = f"light then {payoff.verb}"
    rows = [["  first throw", "", light, "second throw", "", "second best loses"]]
    for first in found["openings"]:
        for second in first["then"]:
            if second["move"] is None or value_of(second["second"]) < _LEAST_SECOND:
                continue
            rows.append(
                [
                    f"  {_thrown(first)}",
                    first["move"] or "pass",
                    _value(payoff, second["value"], units.exact_digits),
                    _thrown(second),
                    second["move"],
                    loss_text(payoff, second["second"]),
                ]
            )
    return columns(rows, "<<><<>") if len(rows) > 1 else ""


def _thrown(branch: dict[str, Any]) -> str:
    """The throws of a branch: ``2``, or ``1+3`` where a throw earned another."""
    return ", ".join("+".join(map(str, throws)) for throws in branch["throws"])


def _choices_before_throws(found: dict[str, Any]) -> str:
    """The best choice in the third turn, the first one that can have a choice."""
    rows = [["  first throw", "", "second throw", "", "best", "the other loses"]]
    for first in found["openings"]:
        for second in first["then"]:
            for third in second["then"][:1]:
                if third["other_loses"] is None:
                    continue
                rows.append(
                    [
                        f"  {_thrown(first)}",
                        first["move"] or "pass",
                        _thrown(second),
                        second["move"] or "pass",
                        third["say"],
                        loss_text(payoff_of(found), third["other_loses"]),
                    ]
                )
    return columns(rows, "<<<<<>") if len(rows) > 1 else ""


def _thumbs(found: dict[str, Any]) -> str:
    thumbs = found["thumbs"]
    if not thumbs["orders"]:
        return ""
    rows = [["  priorities", f"beat {thumbs['against']}"]]
    rows += [[f"  {each['order']}", as_share(each["wins"])] for each in thumbs["orders"]]
    text = columns(rows, "<>")
    for k, name in enumerate(thumbs["orders"][-1]["order"].split("+"), start=1):
        text += f"\n  {k}. {'Prefer' if k == 1 else 'Among equals,'} {PRIORITIES[name]}."
    rows = [["  points lost", "a game against the table", "at a choice of the table's games"]]
    for name, loss in thumbs["loss_at_a_choice"].items():
        game = as_points(thumbs["loss_a_game"][name], sign=False)
        rows.append([f"  {name}", game, as_points(loss, sign=False)])
    return f"{text}\n{columns(rows, '<>>')}"
