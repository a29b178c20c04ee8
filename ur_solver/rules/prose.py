"""The rules of one rule set in prose: the sections of `rules.md` that apply to it.

`rules.md` describes every rule set, for people. Its headings are the index: boards, paths, dice,
families and rule sets have a section each, under the names that they have in the code.
"""

from __future__ import annotations

import inspect
import pathlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from ur_solver.rules.board import PATHS, ROW_NAMES, Path
from ur_solver.rules.dice import DICE, Dice
from ur_solver.rules.registry import CATALOGUE
from ur_solver.rules.ruleset import RuleSet

FILE = pathlib.Path(__file__).with_name("rules.md")
"""The prose, which is installed with the package."""

_HEADING = re.compile(r"#+ (?:([0-9]+(?:\.[0-9]+)*) )?(.+)")
_FENCE = "```"
_FOR_ALL = ("1", "2", "3", "4.1", "6", "7")
"""The numbers of the sections that every rule set needs."""


@dataclass(frozen=True)
class Section:
    """A heading and the text between it and the next one.

    Parameters
    ----------
    number : str
        Such as ``5.4``; empty if the heading has none.
    title : str
        A name of the code behind the kind of thing that it names: ``Family ben``.
    text : str
        Markdown, without headings.
    """

    number: str
    title: str
    text: str


@cache
def all_sections() -> tuple[Section, ...]:
    """The sections of `rules.md`, in the order of the file."""
    return tuple(_sections(FILE.read_text(encoding="utf-8")))


def _sections(document: str) -> Iterator[Section]:
    heading, lines, is_code = None, [], False
    for line in document.splitlines():
        is_code ^= line.startswith(_FENCE)
        found = None if is_code else _HEADING.fullmatch(line)
        if found is None:
            lines.append(line)
            continue
        if heading is not None:
            yield _section(heading, lines)
        heading, lines = found, []
    if heading is not None:
        yield _section(heading, lines)


def _section(heading: re.Match[str], lines: list[str]) -> Section:
    number, title = heading.groups()
    return Section(number or "", title, "\n".join(lines).strip("\n"))


def sections_of(rules: RuleSet) -> tuple[Section, ...]:
    """The sections that apply to `rules`, in the order of the file.

    The rules of every game; those of the rule set's board, path, dice and family; the notation;
    and the rule set's own section if it is one of the catalogue, with any count of pieces. A path
    and dice that are not in the file get a section made from their data, a family one made from
    its docstring.
    """
    path, dice = rules.path, rules.dice
    family = f"Family {rules.family}"
    wanted = {f"Board {rules.board.name}", family}
    made = {}
    if all(section.title != family for section in all_sections()):
        made["4.1"] = Section("", family, first_paragraph(rules.mechanics))
    if PATHS.get(path.name) == path:
        wanted.add(f"Path {path.name}")
    else:
        made["2"] = _path_section(path)
    if DICE.get(dice.name) == dice:
        wanted.add(f"Dice {dice.name}")
    else:
        made["3"] = _dice_section(dice)
    if _is_catalogued(rules):
        wanted.add(f"Rule set {rules.name}")
    chosen = []
    for section in all_sections():
        if section.number in _FOR_ALL or section.title in wanted:
            chosen.append(section)
        if section.number in made:
            chosen.append(made[section.number])
    return tuple(chosen)


def _is_catalogued(rules: RuleSet) -> bool:
    named = CATALOGUE.get(rules.name)
    return named is not None and named.with_pieces(rules.pieces).is_same_game(rules)


def first_paragraph(described: object) -> str:
    """The first paragraph of an object's docstring, for people."""
    return (inspect.getdoc(described) or "").partition("\n\n")[0]


def _path_section(path: Path) -> Section:
    text = f"{path_words(path)}\n\n{_FENCE}\n{path_text(path)}\n{_FENCE}"
    return Section("", f"Path {path.name}", text)


def _dice_section(dice: Dice) -> Section:
    return Section("", f"Dice {dice.name}", dice_words(dice))


def path_words(path: Path) -> str:
    """A path's squares in order, as in `rules.md`."""
    return f"{' '.join(path.light)}, off: {len(path)} squares."


def dice_words(dice: Dice) -> str:
    """The throws of dice and their probabilities, as in `rules.md`."""
    chances = ", ".join(f"{throw} ({dice.probabilities[throw]})" for throw in dice.throws)
    return f"Throws and their probabilities: {chances}."


def path_text(path: Path) -> str:
    """The board with the path index of each square on light's path, ``*`` behind a rosette's.

    A square that the path visits twice has two numbers, one that it does not visit a dot.
    """
    board = path.board
    marks = {square: _mark(path, square) for square in board.squares}
    width = max(map(len, marks.values())) + 2
    columns = range(1, len(board.rows[0]) + 1)
    lines = ["     " + "".join(str(column).ljust(width) for column in columns)]
    for name in ROW_NAMES:
        cells = (marks.get(f"{name}{column}", "").ljust(width) for column in columns)
        lines.append(f"  {name}  " + "".join(cells))
    return "\n".join(line.rstrip() for line in lines)


def _mark(path: Path, square: str) -> str:
    indices = ",".join(str(index) for index, each in enumerate(path.light) if each == square)
    return f"{indices}*" if square in path.board.rosettes else indices or "."
