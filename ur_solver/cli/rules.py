"""`ur rules`.

The rules are written in Markdown: paragraphs, lists, code and emphasis. Rich does all of Markdown,
but takes 0.1 s to be imported, a quarter of `ur rules NAME`, and pads every line with spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import Any

import click

from ur_solver.cli.completion import complete_table
from ur_solver.cli.custom import SectionedCommand, custom_rule_options, custom_rules
from ur_solver.cli.options import json_option, pieces_option
from ur_solver.cli.output import BLUE, PURPLE, columns, echo, page_width
from ur_solver.cli.plan import Cost, cost_of
from ur_solver.common.progress import shown_task
from ur_solver.common.text import counted, json_text, size_text
from ur_solver.rules import CATALOGUE, RuleSet
from ur_solver.rules.descriptions import (
    MENTIONS,
    Mention,
    Section,
    find_rules,
    mentions_of,
    sections_of,
)
from ur_solver.rules.effects import is_effective, says_something, without
from ur_solver.rules.family import FREE_OPENING, OpeningSwitch
from ur_solver.rules.game import by_every_name
from ur_solver.rules.registry import load_plugins
from ur_solver.rules.settings import OneOf, StakesSwitch, Switch
from ur_solver.solving.request import Request

_FENCE = "```"
_ITEM = re.compile("(- )(.*)")
_SPAN = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*")
_MARGIN = "  "
_HARD_SPACE = "\N{NO-BREAK SPACE}"


def terminal_text(markdown: str, width: int) -> str:
    """Markdown without headings as lines of at most `width` columns, with a margin.

    Code blocks keep their lines, however long. Tables and links are not understood.
    """
    return "\n\n".join("\n".join(_lines(block, width)) for block in _blocks(markdown))


def _blocks(markdown: str) -> Iterator[list[str]]:
    """The lines of each code block, which begin with a fence, list and paragraph."""
    block: list[str] = []
    is_code = False
    for line in markdown.splitlines():
        is_fence = line.startswith(_FENCE)
        if block and (is_fence or not (line or is_code)):
            yield block
            block = []
        if is_fence:
            is_code = not is_code
        if is_code or not is_fence:
            block += [line] if line or is_code else []
    if block:
        yield block


def _lines(block: list[str], width: int) -> Iterator[str]:
    if block[0].startswith(_FENCE):
        yield from (f"{_MARGIN}{_code(line)}".rstrip() for line in block[1:])
        return
    mark, text = "", ""
    for line in block:
        item = _ITEM.match(line)
        if item is not None:
            if text:
                yield from fill(text, width, mark)
            mark, text = item.groups()
        else:
            text = f"{text} {line.strip()}".lstrip()
    yield from fill(text, width, mark)


def _code(line: str) -> str:
    return line.replace("*", click.style("*", fg=PURPLE))


def fill(text: str, width: int, mark: str = "") -> Iterator[str]:
    """A paragraph as lines with a margin; `mark` hangs out in front of the first one."""
    words = [
        word.replace(_HARD_SPACE, " ")
        for word in _SPAN.sub(_styled, " ".join(text.split())).split(" ")
    ]
    line = f"{_MARGIN}{mark}{words[0]}"
    for word in words[1:]:
        longer = f"{line} {word}"
        if len(click.unstyle(longer)) > width:
            yield line
            line = f"{_MARGIN}{' ' * len(mark)}{word}"
        else:
            line = longer
    yield line


def _styled(span: re.Match[str]) -> str:
    """Code in quotes, which is never broken, and emphasis, word by word."""
    code, strong, emphasis = span.groups()
    if code:
        return click.style(f"'{code.replace(' ', _HARD_SPACE)}'", fg=BLUE)
    words = (strong or emphasis).split(" ")
    return " ".join(click.style(word, bold=bool(strong), italic=bool(emphasis)) for word in words)


_WIDEST = 100
"""Columns of the widest lines of prose, so that they can be read in wide terminals too."""

_SHOWN_OF_RACES = {
    *("safe_rosettes", "extra_on_rosette", "extra_on_capture", "extra_on_throw"),
    *("extra_throw", "another_piece", "opening"),
}
"""The switches that `_race_words` is about."""


@click.command(cls=SectionedCommand)
@click.argument("words", nargs=-1, metavar="[RULES]", shell_complete=complete_table)
@pieces_option
@custom_rule_options
@click.option(
    "--estimate", "has_costs", is_flag=True, help="Show the cost of a solve instead of the rules."
)
@json_option
def rules_command(
    words: tuple[str, ...], pieces: int | None, has_costs: bool, as_json: bool, **custom: Any
) -> None:
    """List the rule sets, or show RULES: how it is played, its size and cost.

    RULES is a rule set, such as finkel or finkel:3, or a JSON file that holds one; or words that
    identify it in a document: an author, a version, a language. --json prints it as a JSON file.
    --estimate shows the cost of a solve on this machine. The list shows sizes only; a single rule
    set is shown with the time too, measured by solving it with fewer pieces.

    \b
    ur rules version 2
    ur rules finkel --path murray-royalur --json > my.json
    ur solve my.json
    """
    is_changed = pieces is not None or any(value is not None for value in custom.values())
    text = " ".join(words)
    if not text:
        load_plugins()
    sets = find_rules(text) if text else list(CATALOGUE.values())
    if len(sets) > 1:
        if is_changed and not text:
            raise click.UsageError(
                "Missing argument 'RULES': the rule set that the options change."
            )
        if is_changed:
            names = " or ".join(rules.name for rules in sets)
            raise click.UsageError(f"options change one rule set, and {text!r} may be {names}")
        with shown_task("estimating the costs") if has_costs else nullcontext():
            page = _list_page(sets, has_costs=has_costs, as_json=as_json)
        echo(page, raw=as_json)
        return
    chosen = custom_rules(sets[0].name if sets else text, pieces, **custom)
    if has_costs:
        cost = _cost(chosen, is_timed=True)
        if as_json:
            echo(_cost_lines([chosen], [cost]), raw=True)
        else:
            echo(columns(cost.rows(), "<<"))
    elif as_json:
        echo(json_text(chosen.to_json(), indent=2), raw=True)
    else:
        echo(_page(chosen))


def _list_page(sets: list[RuleSet], *, has_costs: bool, as_json: bool) -> str:
    if has_costs:
        costs = [_cost(each, is_timed=False) for each in sets]
        return _cost_lines(sets, costs) if as_json else _cost_list(sets, costs)
    if as_json:
        return "\n".join(json_text(each.to_json()) for each in sets)
    mentions = [each for each in MENTIONS if each.name in {rules.name for rules in sets}]
    return (
        f"{_list(sets)}\n\n{_mention_list(mentions)}\n\n"
        "'ur rules NAME' shows how one is played; 'ur rules WORDS' finds one by its document, "
        "author or version."
    )


def _mention_list(mentions: Sequence[Mention]) -> str:
    head = ["document", "calls it", "rule set"]
    rows = [[each.document, each.title, each.name] for each in mentions]
    return columns([head, *rows], "<<<")


def _list(sets: list[RuleSet]) -> str:
    head = ["rule set", "pieces", "path", "dice", "what sets it apart"]
    rows = [
        [rules.name, str(rules.pieces), rules.path.name, rules.dice.name, rules.mechanics.summary]
        for rules in sets
    ]
    return columns([head, *rows], "<><<<")


def rules_text(rules: RuleSet) -> list[str]:
    """The parts of a rule set, custom or not, one sentence each."""
    dice = ", ".join(f"{throw} ({rules.dice.probabilities[throw]})" for throw in rules.dice.throws)
    return [
        counted(
            rules.pieces,
            "piece a side; the first to bear it off wins.",
            "pieces a side; the first to bear off all of them wins.",
        ),
        f"Path {rules.path.name}: {' '.join(rules.path.light)}, off; dark's is its mirror.",
        rules.mechanics.path_words,
        f"Dice {rules.dice.name}: {dice}.",
        *(_race_words(rules) if rules.mechanics.has_race_turns() else ()),
        *_switch_words(rules),
        *(f"On {square}: {rule.words}" for square, rule in rules.squares.items()),
        *rules.payoff.words(rules.pieces),
    ]


def _race_words(rules: RuleSet) -> list[str]:
    words, own = [], [square for square in rules.path.light if square in rules.squares]
    is_safe = rules.switches["safe_rosettes"]
    if is_effective(rules, _switch(rules, "safe_rosettes"), not is_safe):
        but = ", but for those below" if rules.rosettes.intersection(own) else ""
        kept = "is safe" if is_safe else "can be captured like any other"
        words.append(f"A piece on a rosette {kept}{but}.")
    follows = "may be made after" if rules.mechanics.may_decline else "follows"
    causes = " or ".join(_extra(rules))
    words.append(
        f"An extra throw {follows} a move that {causes}."
        if causes
        else "There are no extra throws."
    )
    another = _switch(rules, "another_piece")
    if rules.switches[another.key] and says_something(rules, another):
        words.append("It must be used by another piece.")
    return [*words, FREE_OPENING.meanings[rules.switches[FREE_OPENING.key]]]


def _extra(rules: RuleSet) -> list[str]:
    """The moves that give an extra throw, but those that no game has."""
    causes = {
        "extra_on_rosette": (False, "lands on a rosette"),
        "extra_on_capture": (False, "captures"),
        "extra_on_throw": (None, f"was made with a throw of {rules.switches['extra_on_throw']}"),
    }
    for key, (off, _) in causes.items():
        rules = without(rules, key, off)
    return [words for key, (off, words) in causes.items() if rules.switches[key] is not off]


def _switch(rules: RuleSet, key: str) -> Switch:
    return next(each for each in rules.mechanics.switches if each.key == key)


def _switch_words(rules: RuleSet) -> list[str]:
    """What the switches say, but those at defaults that go without saying, and what is idle."""
    has_race_turns = rules.mechanics.has_race_turns()
    words: list[str] = []
    for switch in rules.mechanics.switches:
        value = rules.switches[switch.key]
        if has_race_turns and switch.key in _SHOWN_OF_RACES:
            continue
        is_opening = isinstance(switch, OpeningSwitch)
        if not (is_opening or says_something(rules, switch)):
            continue
        if isinstance(switch, OneOf):
            words += filter(None, [switch.meanings[value]])
        elif value != switch.default and not isinstance(switch, StakesSwitch):
            words.append(switch.meaning.format(_value_text(value)))
    return words


def _value_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return " ".join(value) or "none"
    return str(value)


def _page(rules: RuleSet) -> str:
    width = min(page_width(), _WIDEST)
    summary = "\n".join(line for text in rules_text(rules) for line in fill(text, width))
    prose = (
        f"{_heading(section)}\n\n{terminal_text(section.text, width)}"
        for section in sections_of(rules)
    )
    return "\n\n".join(
        [
            click.style(rules.name, bold=True),
            *_origin(rules, width),
            summary,
            *prose,
            "\n".join(
                [
                    columns(cost_of(Request.of(rules)).rows(), "<<"),
                    *(
                        line
                        for text in rules.payoff.limits(rules.pieces)
                        for line in fill(text, width)
                    ),
                ]
            ),
        ]
    )


def _origin(rules: RuleSet, width: int) -> list[str]:
    """The documents that a rule set comes from, its other names, and those with similar names."""
    mentions = [f"{each.document}: {each.title}." for each in mentions_of(rules)]
    others = [each.name for each in by_every_name(rules)[1:]]
    stem = rules.name.partition("-")[0]
    akin = [name for name in CATALOGUE if name.partition("-")[0] == stem and name != rules.name]
    notes = [
        *mentions,
        *([f"Also called {' and '.join(others)}."] if others else []),
        *([f"See also {' and '.join(akin)}."] if akin else []),
    ]
    return ["\n".join(line for note in notes for line in fill(note, width))] if notes else []


def _heading(section: Section) -> str:
    return click.style(f"{section.number} {section.title}".strip(), bold=True)


def _cost(rules: RuleSet, *, is_timed: bool) -> Cost:
    return cost_of(Request.of(rules), is_timed=is_timed)


def _cost_lines(sets: list[RuleSet], costs: list[Cost]) -> str:
    """One line of JSON for each."""
    return "\n".join(
        json_text({"rules": rules.name, "pieces": rules.pieces, **cost.to_json()})
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
