"""`ur moves`."""

from __future__ import annotations

from typing import Any

import click

from ur_solver.cli.options import (
    json_option,
    pieces_option,
    position_argument,
    rules_argument,
)
from ur_solver.cli.output import columns
from ur_solver.cli.rolls import ChosenRoll, Forms, answer_questions, check_arguments, throw_argument
from ur_solver.rules import Move, Position, named_rules


@click.command()
@rules_argument
@position_argument
@throw_argument
@pieces_option
@json_option
def command(
    rules: str, position: str | None, throw: tuple[str, ...], pieces: int | None, as_json: bool
) -> None:
    """List the legal moves of POSITION with THROW, or with every throw, and their successors.

    POSITION defaults to the start. In birds THROW begins with the choice before the throw, move or
    enter; after enter it may include the second throw: enter 3 2. Without a choice both are listed.

    RULES is a rule set, such as finkel or finkel:3, or a JSON file that holds one; no table is
    needed. POSITION '-' reads lines from standard input: a position, or a position, a tab and a
    throw. An invalid line produces an error in its place; the rest is still answered, and the
    exit code is 2.

    \b
    ur moves finkel:3 'L...__../..D...../....__.. L 2 2' 2
    """
    chosen = named_rules(rules, pieces)
    check_arguments(position, throw)
    forms = Forms(_moves_json, lambda _position: {"moves": []}, _moves_line, _moves_page)
    answer_questions(chosen, position, throw, forms, as_json=as_json)


def _moves(position: Position, rolled: ChosenRoll) -> list[Move]:
    if rolled.roll.moves_by is None:
        return []
    return position.rules.legal_moves(position, rolled.roll.moves_by, rolled.choice)


def _moves_json(position: Position, rolled: ChosenRoll) -> dict[str, Any]:
    return {
        "moves": [
            {"move": move.text, "position": move.position.notation, "again": move.again}
            for move in _moves(position, rolled)
        ]
    }


def _moves_line(position: Position, rolled: ChosenRoll) -> str:
    return ", ".join(move.text for move in _moves(position, rolled)) or "no move"


def _moves_page(position: Position, rolled: ChosenRoll) -> str:
    rows = [
        [f"  {move.text}", move.position.notation, "throws again" if move.again else ""]
        for move in _moves(position, rolled)
    ]
    return columns(rows, "<<<") if rows else f"  {rolled.passing}"
