"""The rules in prose say what the code does: their data, and every example turn."""

import pathlib
import re
import shlex

import pytest
from click.testing import CliRunner

import ur_solver
from ur_solver.cli import cli
from ur_solver.records import GameRecord
from ur_solver.records.plain import read_plain
from ur_solver.rules import (
    ASEB,
    CATALOGUE,
    DICE,
    FAMILIES,
    PATHS,
    RACES,
    UR,
    RuleSet,
    named_rules,
)
from ur_solver.rules.board import EYES, WAVY_CORNERS, square_marks
from ur_solver.rules.descriptions import (
    FILE,
    MENTIONS,
    all_sections,
    dice_words,
    path_text,
    path_words,
    sections_of,
)
from ur_solver.rules.drawing import board_text

SECTIONS = {section.title: section for section in all_sections()}
ROOT = pathlib.Path(ur_solver.__file__).parent
CODE = re.compile(r"```\n(.*?)\n```", re.DOTALL)
MOVE = re.compile(r"  (\S+(?: again| stop)?) +(\S+ [LD] \S+ \S+(?: p\d+)?)( +throws again)?")
COMMAND = "$ ur moves "


def words(text):
    return " ".join(text.split())


def code_blocks(title):
    return CODE.findall(SECTIONS[title].text)


EXAMPLES = [
    (name, block)
    for name in CATALOGUE
    if f"Rule set {name}" in SECTIONS
    for block in code_blocks(f"Rule set {name}")
    if block.startswith(COMMAND)
]


def test_every_part_of_a_rule_set_has_a_section():
    named = {"Board": (UR.name, ASEB.name), "Path": PATHS, "Dice": DICE, "Family": FAMILIES}
    named["Rule set"] = CATALOGUE
    expected = {f"{kind} {name}" for kind, names in named.items() for name in names}
    found = {title for title in SECTIONS if title.startswith(tuple(f"{kind} " for kind in named))}
    assert found == expected
    assert len(SECTIONS) == len(all_sections())


@pytest.mark.parametrize("board", [UR, ASEB], ids=lambda board: board.name)
def test_boards(board):
    section = SECTIONS[f"Board {board.name}"]
    marks = square_marks(UR, EYES, WAVY_CORNERS) if board == UR else {}
    assert code_blocks(section.title) == [board_text(board, marks=marks)]
    rosettes = re.search(r"The rosettes are (.*?)\.", section.text)[1]
    assert set(re.findall(r"[ABC]\d+", rosettes)) == board.rosettes


@pytest.mark.parametrize("path", PATHS.values(), ids=lambda path: path.name)
def test_paths(path):
    section = SECTIONS[f"Path {path.name}"]
    assert section.text.startswith(path_words(path))
    (drawing,) = code_blocks(section.title)
    assert drawing == path_text(path)
    # read the drawing as a person does: the numbers in their rows, under their columns
    head, *rows = drawing.splitlines()
    columns = {match.start(): match.group() for match in re.finditer(r"\d+", head)}
    walk = {}
    for row in rows:
        for cell in re.finditer(r"([\d,]+)(\*?)", row):
            square = row.strip()[0] + columns[cell.start()]
            assert (cell[2] == "*") == (square in path.board.rosettes)
            walk |= {int(index): square for index in cell[1].split(",")}
    assert tuple(walk[index] for index in range(len(walk))) == path.light
    leg = path.second_leg
    if leg < len(path):
        assert f"second leg begins at index {leg}" in words(section.text)


@pytest.mark.parametrize("dice", DICE.values(), ids=lambda dice: dice.name)
def test_dice(dice):
    assert dice_words(dice) in words(SECTIONS[f"Dice {dice.name}"].text)


def test_the_table_of_the_race_family():
    rows = SECTIONS["The rule sets of the race family"].text.splitlines()[2:]
    found = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert [row[0] for row in found] == list(RACES)
    for name, pieces, path, dice, safe, cell in found:
        extra, declined, _ = cell.partition("; it may be declined")
        causes = extra.split(" or ")
        throws = [int(cause.rsplit(" ", 1)[1]) for cause in causes if "throw of" in cause]
        values = {
            "name": name,
            "path": path,
            "dice": dice,
            "pieces": int(pieces),
            "safe_rosettes": {"yes": True, "no": False}[safe],
            "extra_on_rosette": "lands on a rosette" in causes,
            "extra_on_capture": "captures" in causes,
            "extra_on_throw": throws[0] if throws else None,
            "extra_throw": "may" if declined else "must",
        }
        assert RuleSet.from_json(values).is_same_game(RACES[name])


def test_the_table_of_the_documents():
    rows = [row.strip("| ").split(" | ") for row in FILE.read_text().splitlines() if "(" in row]
    found = [row for row in rows if len(row) == 3]
    from_documents = [each for each in MENTIONS if "(" in each.document]
    assert found == [[each.document, each.title, each.name] for each in from_documents]


@pytest.mark.parametrize("page", ["README.md", "docs/index.md", "docs/first-hour-players.md"])
def test_pages_count_the_rule_sets(page):
    (count,) = re.findall(
        r"(\d+) reconstructions", (pathlib.Path(__file__).parents[2] / page).read_text()
    )
    assert int(count) == len(CATALOGUE)


def test_every_rule_set_has_an_example():
    assert {name for name, _ in EXAMPLES} == set(CATALOGUE)


@pytest.mark.parametrize(
    ("name", "block"), EXAMPLES, ids=[f"{name}-{n}" for n, (name, _) in enumerate(EXAMPLES)]
)
def test_examples_have_the_legal_moves(name, block):
    command, *lines = block.splitlines()
    word, text, *choice, throw = shlex.split(command.removeprefix(COMMAND))
    assert word == name
    rules = named_rules(word)
    reported = [match.groups() for line in lines if (match := MOVE.fullmatch(line))]
    moves = rules.legal_moves(rules.position(text), int(throw))
    assert [(move, position, again is not None) for move, position, again in reported] == [
        (move.text, move.position.notation, move.again) for move in moves
    ]
    assert CliRunner().invoke(cli, ["moves", word, text, *choice, throw]).output == "\n".join(
        [*lines, ""]
    )


def test_an_example_of_entering_in_birds():
    (record,) = [b for b in code_blocks("Rule set birds") if not b.startswith(COMMAND)]
    (game,) = read_plain(record)
    assert isinstance(game, GameRecord)
    assert [ply.throws for ply in game.plies] == [(3, 2)]


FORBIDDEN = re.compile(r" on (\w\d)[^.]*? (?:stays|cannot move|may not (?:move|go to (\w\d)))")


def test_moves_that_the_prose_calls_illegal():
    n_found = 0
    for name, block in EXAMPLES:
        _, text, *_, throw = shlex.split(block.splitlines()[0].removeprefix(COMMAND))
        rules = named_rules(name)
        moves = [move.text for move in rules.legal_moves(rules.position(text), int(throw))]
        after = SECTIONS[f"Rule set {name}"].text.partition(f"{block}\n```")[2].partition("```")[0]
        for source, target in FORBIDDEN.findall(words(after)):
            n_found += 1
            assert not any(move.startswith(source + target) for move in moves), (name, source)
    assert n_found >= 9


def test_sections_that_comments_cite_are_there():
    numbers = {section.number for section in SECTIONS.values()}
    sources = [*ROOT.rglob("*.py"), *(ROOT.parent / "ext").rglob("*.[ph]*")]
    cited = {
        number
        for source in sources
        for number in re.findall(r"[Ss]ection (\d(?:\.\d)?)", source.read_text())
    }
    assert cited >= {"4", "4.1", "5.1", "5.5"}
    assert cited <= numbers


def test_sections_of_a_rule_set():
    def titles(rules):
        return [section.title for section in sections_of(rules)]

    common = {"Boards", "Paths", "Dice", "Every game", "Writing a position", "Writing a move"}
    for rules in CATALOGUE.values():
        own = set(titles(rules)) - common
        assert own == {
            f"Board {rules.board.name}",
            f"Path {rules.path.name}",
            f"Dice {rules.dice.name}",
            f"Family {rules.family}",
            f"Rule set {rules.name}",
        }
    assert titles(named_rules("skiriuk:3")) == titles(named_rules("skiriuk"))


def test_a_rule_set_out_of_the_catalogue_has_the_sections_of_its_parts():
    values = CATALOGUE["finkel"].to_json() | {
        "dice": {"name": "coin", "throws": {"1": "1/3", "2": "2/3"}},
        "safe_rosettes": False,
    }
    chosen = {section.title: section.text for section in sections_of(RuleSet.from_json(values))}
    assert "Rule set finkel" not in chosen
    assert chosen["Dice coin"] == "Throws and their probabilities: 1 (1/3), 2 (2/3)."
    assert chosen["Family race"] == SECTIONS["Family race"].text


def test_the_file_is_ascii_and_whole():
    text = FILE.read_text(encoding="utf-8")
    assert text.isascii()
    assert text.count("```") % 2 == 0
