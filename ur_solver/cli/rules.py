"""`ur rules`."""

from __future__ import annotations

import inspect
import json
from typing import Any

import click

from ur_solver.cli.options import custom_rule_options, custom_rules, json_option, pieces_option
from ur_solver.cli.output import columns, draw_board, size_text, time_text
from ur_solver.errors import MemoryLimitError
from ur_solver.make import check_memory, estimate, expected_seconds
from ur_solver.rules import CATALOGUE, RuleSet, Stakes
from ur_solver.space import space_of


@click.command(short_help="List the rule sets, or show one.")
@click.argument("rules", required=False)
@pieces_option
@custom_rule_options
@json_option
def command(rules: str | None, pieces: int | None, as_json: bool, **custom: Any) -> None:
    """List the rule sets, or show RULES: its board, rules, size and cost.

    RULES is a rule set, such as finkel or finkel:3, or a JSON file that holds one. With
    --json it is written as such a file.

    \b
    ur rules finkel --path murray-royalur --json > my.json
    ur solve my.json
    """
    if rules is None:
        if pieces is not None or any(value is not None for value in custom.values()):
            raise click.UsageError("Missing argument 'RULES': the rule set that options change.")
        sets = list(CATALOGUE.values())
        if as_json:
            click.echo("\n".join(json.dumps(each.to_json()) for each in sets))
        else:
            click.echo(_list(sets))
        return
    chosen = custom_rules(rules, pieces, **custom)
    click.echo(json.dumps(chosen.to_json(), indent=2) if as_json else _page(chosen))


def _list(sets: list[RuleSet]) -> str:
    head = ["rule set", "pieces", "path", "dice", "rosettes", "extra throw", "positions"]
    rows = [
        [
            rules.name,
            str(rules.pieces),
            rules.path.name,
            rules.dice.name,
            *_columns_of_rules(rules),
            f"{space_of(rules).n_placements:,}",
        ]
        for rules in sets
    ]
    return columns([head, *rows], "<><<<<>")


def _columns_of_rules(rules: RuleSet) -> tuple[str, str]:
    """Rosettes and extra throws, where the rule set's family has no rules of its own."""
    if rules.family != "race":
        return "own rules", "own rules"
    return "safe" if rules.safe_rosettes else "not safe", ", ".join(_extra(rules)) or "never"


def _extra(rules: RuleSet) -> list[str]:
    extra = []
    if rules.extra_on_rosette:
        extra.append("rosette")
    if rules.extra_on_capture:
        extra.append("capture")
    if rules.extra_on_throw is not None:
        extra.append(f"throw of {rules.extra_on_throw}")
    return extra


def _words(rules: RuleSet) -> list[str]:
    dice = ", ".join(f"{throw} ({rules.dice.probabilities[throw]})" for throw in rules.dice.throws)
    common = [
        f"{rules.pieces} pieces a side; the first to bear off all of them wins.",
        f"Path {rules.path.name}: {' '.join(rules.path.light)}, off; dark's is its mirror.",
        f"Dice {rules.dice.name}: {dice}.",
    ]
    if rules.family != "race":
        own = [*common, f"Rules of its own: {inspect.getdoc(rules.play)}"]
        return own if rules.stakes is None else [*own, *_stakes(rules, rules.stakes)]
    causes = {
        "rosette": "lands on a rosette",
        "capture": "captures",
    }
    after = [causes.get(cause, f"was made with a {cause}") for cause in _extra(rules)]
    return [
        *common,
        "A throw moves one piece exactly so far; a move must be made if there is one.",
        "A piece landed on by the other side goes home"
        + ("; on a rosette it is safe." if rules.safe_rosettes else ", on a rosette too."),
        f"An extra throw follows a move that {' or '.join(after)}."
        if after
        else "There are no extra throws.",
    ]


def _stakes(rules: RuleSet, stakes: Stakes) -> list[str]:
    return [
        f"Each player pays {stakes.ante} into the pot, and {stakes.fine} more for each landing on "
        "a rosette; the winner takes it.",
        f"Tables have values of their own for up to {stakes.reach_of(rules.pieces)} fines paid "
        "(--fines chooses how many).",
    ]


def _page(rules: RuleSet) -> str:
    words = "\n".join(f"  {line}" for line in _words(rules))
    name = click.style(rules.name, bold=True)
    return f"{name}\n\n{draw_board(rules.board)}\n\n{words}\n\n{_cost(rules)}"


def _cost(rules: RuleSet) -> str:
    cost = estimate(rules)
    memory = size_text(cost.memory_bytes)
    try:
        check_memory(rules)
    except MemoryLimitError as error:
        solving = f"not on this machine: {error}"
    else:
        solving = f"some {time_text(expected_seconds(rules))} and {memory} of memory"
    facts = [
        ["  positions", f"{cost.positions:,}"],
        ["  table", f"some {size_text(cost.table_bytes)} on disk"],
        ["  to solve", solving],
    ]
    return columns(facts, "<<")
