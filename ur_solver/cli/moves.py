"""`ur moves`."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import click

from ur_solver.cli.batch import STDIN, Asked, answer_batch, check_throw_argument, parse_asked
from ur_solver.cli.options import (
    json_option,
    pieces_option,
    position_argument,
    position_of,
    rules_argument,
)
from ur_solver.cli.output import chance_text, columns, draw_position, echo
from ur_solver.rules import Position, RuleSet, named_rules


@click.command(short_help="List legal moves and their successors, without a table.")
@rules_argument
@position_argument
@click.argument("throw", required=False)
@pieces_option
@json_option
def command(
    rules: str, position: str | None, throw: str | None, pieces: int | None, as_json: bool
) -> None:
    """List the legal moves of POSITION with THROW, or with every throw, and their successors.

    POSITION defaults to the start.

    RULES is a rule set, such as finkel or finkel:3, or a JSON file that holds one; no table is
    needed. POSITION '-' reads lines from standard input: a position, or a position, a tab and a
    throw. An invalid line produces an error in its place; the rest is still answered, and the
    exit code is 2.

    \b
    ur moves finkel:3 'L...__../..D...../....__.. L 2 2' 2
    """
    check_throw_argument(position, throw)
    chosen = named_rules(rules, pieces)
    line = partial(_json if as_json else _line, chosen)
    if position == STDIN:
        answer_batch(
            partial(parse_asked, chosen),
            lambda group: [line(*each) for each in group],
            as_json=as_json,
        )
        return
    asked: Asked = (
        position_of(chosen, position),
        None if throw is None else chosen.dice.parse(throw),
    )
    echo(line(*asked) if as_json else _page(chosen, *asked))


def _throws(rules: RuleSet, position: Position) -> tuple[int, ...]:
    """All throws; none if the game is over."""
    return () if position.winner is not None else tuple(rules.dice.throws)


def _json(rules: RuleSet, position: Position, throw: int | None) -> str:
    answer: dict[str, Any] = {"position": position.notation}
    if throw is not None:
        return json.dumps(answer | {"throw": throw, "moves": _moves_json(rules, position, throw)})
    answer["throws"] = [
        {
            "throw": each,
            "probability": float(rules.dice.probabilities[each]),
            "moves": _moves_json(rules, position, each),
        }
        for each in _throws(rules, position)
    ]
    return json.dumps(answer)


def _moves_json(rules: RuleSet, position: Position, throw: int) -> list[dict[str, Any]]:
    return [
        {"move": move.text, "position": move.position.notation, "again": move.again}
        for move in rules.legal_moves(position, throw)
    ]


def _line(rules: RuleSet, position: Position, throw: int | None) -> str:
    if throw is not None:
        return f"{position.notation}\t{throw}\t{_moves_line(rules, position, throw)}"
    throws = (f"{each}: {_moves_line(rules, position, each)}" for each in _throws(rules, position))
    return f"{position.notation}\t{'; '.join(throws) or 'the game is over'}"


def _moves_line(rules: RuleSet, position: Position, throw: int) -> str:
    return ", ".join(move.text for move in rules.legal_moves(position, throw)) or "no move"


def _page(rules: RuleSet, position: Position, throw: int | None) -> str:
    parts = [draw_position(position)]
    if position.winner is not None:
        parts.append("  the game is over")
    elif throw is not None:
        parts.append(_moves_page(rules, position, throw))
    else:
        for each in _throws(rules, position):
            chance = chance_text(rules.dice.probabilities[each])
            parts.append(f"throw {each}, {chance}\n{_moves_page(rules, position, each)}")
    return "\n\n".join(parts)


def _moves_page(rules: RuleSet, position: Position, throw: int) -> str:
    rows = [
        [
            f"  {move.text}",
            move.position.notation,
            "throws again" if move.again else "",
        ]
        for move in rules.legal_moves(position, throw)
    ]
    return columns(rows, "<<<") if rows else f"  throw {throw}: no move, the turn passes"
