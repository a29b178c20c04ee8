"""`ur rules`."""

from __future__ import annotations

import json
import shutil
from typing import Any

import click

from ur_solver.cli.cost import Cost, cost_of
from ur_solver.cli.custom import custom_rule_options, custom_rules
from ur_solver.cli.markdown import fill, terminal_text
from ur_solver.cli.options import json_option, optional_rules_argument, pieces_option
from ur_solver.cli.output import columns, echo, size_text
from ur_solver.rules import CATALOGUE, RuleSet
from ur_solver.rules.plugins import load_plugins
from ur_solver.rules.prose import Section, first_paragraph, sections_of
from ur_solver.rules.squares import SquareRule, rule_to_json
from ur_solver.rules.switches import Flag
from ur_solver.rules.words import counted
from ur_solver.solving import Request
from ur_solver.space import space_of

_WIDEST = 100
"""Columns of the widest lines of prose, so that they can be read in wide terminals too."""


@click.command(short_help="List the rule sets, or show one.")
@optional_rules_argument
@pieces_option
@custom_rule_options
@click.option(
    "--estimate", "has_costs", is_flag=True, help="Show the cost of a solve instead of the rules."
)
@json_option
def command(
    rules: str | None, pieces: int | None, has_costs: bool, as_json: bool, **custom: Any
) -> None:
    """List the rule sets, or show RULES: how it is played, its size and cost.

    RULES is a rule set, such as finkel or finkel:3, or a JSON file that holds one. --json writes it
    as such a file. --estimate shows the cost of a solve on this machine. The list has sizes only.
    A single rule set has the time too, measured by solving its rules with fewer pieces.

    \b
    ur rules finkel --path murray-royalur --json > my.json
    ur solve my.json
    """
    if rules is None:
        if pieces is not None or any(value is not None for value in custom.values()):
            raise click.UsageError(
                "Missing argument 'RULES': the rule set that the options change."
            )
        load_plugins()
        sets = list(CATALOGUE.values())
        if has_costs:
            costs = [_cost(each, is_timed=False) for each in sets]
            echo(_cost_lines(sets, costs) if as_json else _cost_list(sets, costs))
        elif as_json:
            echo("\n".join(json.dumps(each.to_json()) for each in sets))
        else:
            echo(_list(sets))
        return
    chosen = custom_rules(rules, pieces, **custom)
    if has_costs:
        cost = _cost(chosen, is_timed=True)
        echo(_cost_lines([chosen], [cost]) if as_json else columns(cost.rows(), "<<"))
    else:
        echo(json.dumps(chosen.to_json(), indent=2) if as_json else _page(chosen))


def _list(sets: list[RuleSet]) -> str:
    head = ["rule set", "pieces", "path", "dice", "rosettes", "extra throw", "positions"]
    rows = [
        [
            rules.name,
            str(rules.pieces),
            rules.path.name,
            rules.dice.name,
            *_columns_of_rules(rules),
            f"{space_of(rules).n_positions:,}",
        ]
        for rules in sets
    ]
    return columns([head, *rows], "<><<<<>")


def _columns_of_rules(rules: RuleSet) -> tuple[str, str]:
    """Rosettes and extra throws of rules of the race family."""
    if not rules.mechanics.is_plain_race:
        return "own rules", "own rules"
    is_safe = rules.switches["safe_rosettes"]
    return "safe" if is_safe else "not safe", ", ".join(_extra(rules)) or "never"


def _extra(rules: RuleSet) -> list[str]:
    extra = []
    if rules.switches["extra_on_rosette"]:
        extra.append("rosette")
    if rules.switches["extra_on_capture"]:
        extra.append("capture")
    if rules.switches["extra_on_throw"] is not None:
        extra.append(f"throw of {rules.switches['extra_on_throw']}")
    return extra


def _summary(rules: RuleSet) -> list[str]:
    """The parts of a rule set, custom or not, one sentence each."""
    dice = ", ".join(f"{throw} ({rules.dice.probabilities[throw]})" for throw in rules.dice.throws)
    return [
        counted(
            rules.pieces,
            "piece a side; the first to bear it off wins.",
            "pieces a side; the first to bear off all of them wins.",
        ),
        f"Path {rules.path.name}: {' '.join(rules.path.light)}, off; dark's is its mirror.",
        f"Dice {rules.dice.name}: {dice}.",
        *(_race_words(rules) if rules.mechanics.has_race_turns() else _switch_words(rules)),
        *(f"On {square}: {_rule_text(rule)}" for square, rule in rules.squares.items()),
        *rules.payoff.words(rules.pieces),
    ]


def _race_words(rules: RuleSet) -> list[str]:
    causes = {"rosette": "lands on a rosette", "capture": "captures"}
    after = " or ".join(causes.get(cause, f"was made with a {cause}") for cause in _extra(rules))
    return [
        "A piece on a rosette is safe."
        if rules.switches["safe_rosettes"]
        else "A piece on a rosette can be captured like any other.",
        f"An extra throw follows a move that {after}." if after else "There are no extra throws.",
    ]


def _switch_words(rules: RuleSet) -> list[str]:
    return [
        f"{switch.help.rstrip('.')}: {'yes' if rules.switches[switch.key] else 'no'}."
        for switch in rules.mechanics.switches
        if isinstance(switch, Flag)
    ]


def _page(rules: RuleSet) -> str:
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    summary = "\n".join(line for text in _summary(rules) for line in fill(text, width))
    prose = (
        f"{_heading(section)}\n\n{terminal_text(section.text, width)}"
        for section in sections_of(rules)
    )
    return "\n\n".join(
        [
            click.style(rules.name, bold=True),
            summary,
            *prose,
            columns(cost_of(Request.of(rules)).rows(), "<<"),
        ]
    )


def _heading(section: Section) -> str:
    return click.style(f"{section.number} {section.title}".strip(), bold=True)


def _cost(rules: RuleSet, *, is_timed: bool) -> Cost:
    return cost_of(Request.of(rules), is_timed=is_timed)


def _cost_lines(sets: list[RuleSet], costs: list[Cost]) -> str:
    """One line of JSON for each."""
    return "\n".join(
        json.dumps({"rules": rules.name, "pieces": rules.pieces, **cost.to_json()})
        for rules, cost in zip(sets, costs, strict=True)
    )


def _cost_list(sets: list[RuleSet], costs: list[Cost]) -> str:
    head = ["rule set", "pieces", "positions", "memory", "table", "disk to solve", "fits"]
    rows = [
        [
            rules.name,
            str(rules.pieces),
            f"{cost.positions:,}",
            size_text(cost.memory_bytes),
            size_text(cost.table_bytes),
            size_text(cost.disk_bytes),
            "yes" if cost.reason is None else "no",
        ]
        for rules, cost in zip(sets, costs, strict=True)
    ]
    return columns([head, *rows], "<>>>>><")


def _rule_text(rule: SquareRule) -> str:
    """The text of a square's rule, with the values of its fields as in JSON."""
    given = rule_to_json(rule)
    values = [] if isinstance(given, str) else [f"{k} {json.dumps(v)}" for k, v in given.items()]
    return first_paragraph(rule) + (f" ({', '.join(values)})" if values else "")
