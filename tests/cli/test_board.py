"""`ur board`: text in the terminal, and pictures that any viewer of SVG reads."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from tests.contrast import contrast
from ur_solver.cli import cli
from ur_solver.rules import named_rules
from ur_solver.rules.svg import board_picture, board_svg

HERE = "L...__../..D...../....__.. L 1 1"
SVG = "{http://www.w3.org/2000/svg}"


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(cli, ["board", *arguments])
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.stderr


def squares(picture: str) -> dict[str, tuple[str, list[str]]]:
    """By square, where it is and whose pieces are drawn on it."""
    return {
        group.get("data-square"): (
            group.get("transform"),
            [
                each.get("class").split()[1]
                for each in group.iter(f"{SVG}circle")
                if each.get("class").startswith("piece ")
            ],
        )
        for group in ET.fromstring(picture).iter(f"{SVG}g")
        if group.get("data-square") and not group.get("data-side")
    }


def test_a_position_in_the_terminal():
    assert run("finkel:2", HERE) == f"{named_rules('finkel:2').position(HERE)}\n"


def test_a_picture_of_a_position(tmp_path, finkel2):
    path = tmp_path / "board.svg"
    assert run("finkel:2", HERE, "-o", str(path)) == ""
    picture = path.read_text()
    assert picture == run("finkel:2", HERE, "-o", "-")
    found = squares(picture)
    assert {square: pieces for square, (_, pieces) in found.items() if pieces} == {
        "A1": ["light"],
        "B3": ["dark"],
    }
    assert 'class="arrow' not in picture
    assert picture.count('class="spare light"') == picture.count('class="spare dark"') == 1


def test_the_best_move_of_a_turn_with_a_choice(solved, monkeypatch):
    rules = named_rules("birds:1")
    monkeypatch.setenv("UR_TABLES", str(solved(rules).parent))
    start = "....__../......../....__.. L 1 1"
    assert "best with enter 1 2: 1A@A3" in run("birds:1", start, "--best", "enter 1 2")
    assert "no move" in run("birds:1", start, "--best", "2")
    entered = "...L1__../......../....__.. L - 1"
    assert "best with move 2: 1A4A2" in run("birds:1", entered, "--best", "move 2")
    said = run("birds:1", start, "--best", "1", code=2)
    assert "--best '1': expected one of 'enter 1 0', 'enter 1 1'," in said


GAMES = """rules: finkel:2

L 3 A@A2
D 0 --
end: unfinished

rules: finkel:2

L 2 A@A3
D 1 C@C4
L 1 --
end: unfinished
"""


def test_a_file_of_games_is_drawn_where_it_stops(tmp_path, finkel2):
    games, picture = tmp_path / "games.ur", tmp_path / "x.svg"
    games.write_text(GAMES)
    rules = named_rules("finkel:2")
    after = (
        rules.position(".L..__../......../....__.. L 1 2"),
        rules.position("..L.__../......../...D__.. L 1 1"),
    )
    assert run(str(games)) == f"{after[0]}\n"
    assert run(str(games), "--game", "2") == f"{after[1]}\n"
    shown = run(str(games), "--game", "2", "--best", "1")
    assert shown == run("finkel:2", after[1].notation, "--best", "1")
    said = CliRunner().invoke(cli, ["board", str(games), "-o", str(picture)])
    assert (said.stdout, said.stderr) == ("", f"picture written to {picture}\n")
    assert picture.read_text() == run("finkel:2", after[0].notation, "-o", "-")
    assert "leave out the position" in run(str(games), HERE, code=2)
    assert "has no game 3" in run(str(games), "--game", "3", code=2)


def test_a_picture_with_the_best_move(finkel2):
    picture = run(str(finkel2), HERE, "--best", "2", "-o", "-")
    (arrow,) = [
        each
        for each in ET.fromstring(picture).iter(f"{SVG}path")
        if each.get("class") == "arrow best"
    ]
    # from A1, the first square of the first row, to B2, the second of the second
    assert arrow.get("d").startswith("M20 20Q")
    assert arrow.get("d").endswith(" 60 60")
    assert 'class="arrow' not in run("finkel:2", HERE, "--best", "0", "-o", "-")


def test_the_best_move_in_the_terminal(finkel2):
    assert run("finkel:2", "--best", "2").endswith("\n\n  best with 2: A@A3\n")
    assert run("finkel:2", "--best", "0").endswith("\n\n  no move\n")


def test_either_side_is_on_top():
    found = squares(run("finkel:2", HERE, "-o", "-", "--top", "dark"))
    assert found["A1"] == ("translate(0 80)", ["light"])
    assert found["C1"][0] == "translate(0 0)"


@pytest.mark.parametrize("name", ["aseb", "birds", "skiriuk", "bell-stakes", "murray"])
def test_pictures_of_all_kinds_are_well_formed(name):
    rules = named_rules(name)
    picture = board_picture(rules.start())
    assert len(squares(picture)) == len(rules.board.squares)


@pytest.mark.parametrize("word", ["finkel:15", "birds:5", "murray:7"])
def test_pieces_that_wait_stay_inside_their_tray(word):
    def number(element: ET.Element, name: str) -> float:
        return float(element.get(name, "nan"))

    picture = ET.fromstring(board_picture(named_rules(word).start()))
    trays = [each for each in picture.iter(f"{SVG}g") if each.get("data-square") == "home"]
    assert len(trays) == 2
    for tray in trays:
        width = next(number(each, "width") for each in tray.iter(f"{SVG}rect"))
        pieces = list(tray.iter(f"{SVG}circle"))
        assert len(pieces) == named_rules(word).pieces
        assert all(0 < number(piece, "cx") - number(piece, "r") for piece in pieces)
        assert all(number(piece, "cx") + number(piece, "r") < width for piece in pieces)


def test_pictures_need_no_browser(finkel2):
    """Other programs know neither variables of CSS nor its newer selectors."""
    picture = run(str(finkel2), HERE, "--best", "2", "-o", "-")
    light, _, dark = picture.partition("@media (prefers-color-scheme: dark)")
    for style in (light, dark):
        assert "var(" not in style
        assert ":is(" not in style
        assert ".ur-board .square { fill: #" in style
        assert ".ur-board .arrow.best { stroke: #" in style
    fills = re.findall(r"\.ur-board \.square { fill: (#\w+)", picture)
    assert len(fills) == len({*fills}) == 2


@pytest.mark.parametrize("caption", ["", "12 light throws 3"])
def test_letters_stand_out_from_the_pictures_own_background(caption):
    """A page around a picture may be dark where the system is light, and the other way round."""
    position = named_rules("finkel:2").start()
    for picture in (board_picture(position, caption=caption), position._repr_html_()):
        x, y, width, height = re.search(r'viewBox="(\S+) (\S+) (\S+) (\S+)"', picture).groups()
        ground = f'<rect class="ground" x="{x}" y="{y}" width="{width}" height="{height}"/>'
        assert f"</style>{ground}" in picture
        light, _, dark = picture.partition("@media (prefers-color-scheme: dark)")
        for style in (light, dark):
            (behind,) = re.findall(r"\.ground \{ fill: (#\w+)", style)
            for name in ("count", "coordinate"):
                (letter,) = re.findall(rf"\.{name} \{{[^}}]*fill: (#\w+)", style)
                assert contrast(behind, letter) >= 4.5


def test_what_cannot_be_drawn(tmp_path):
    assert "pictures are SVG" in run("finkel:2", HERE, "-o", "board.jpg", code=2)
    assert "No such file" in run("finkel:2", HERE, "-o", str(tmp_path / "no" / "a.svg"), code=1)


def test_markings_are_shown_where_they_mean_something():
    def drawn(word: str) -> str:
        return run(word, named_rules(word).start().notation)

    for word in ("skiriuk:1", "ben:1"):
        assert "  A  *  o  .  o        *  ~\n  B  +  .  :  *  .  :  o  .\n" in drawn(word)
    assert "  A  *  .  .  .        *  .\n  B  .  .  .  *  .  .  .  .\n" in drawn("finkel:1")
    named = {
        word: str(board_svg(named_rules(word).start(), is_named=True))
        for word in ("skiriuk:1", "finkel:1")
    }
    for square in ("B7, eye", "B3, four-five", "A8, wavy corner", "B1, quartered square"):
        assert f'aria-label="{square}"' in named["skiriuk:1"]
        assert f'aria-label="{square[:2]}"' in named["finkel:1"]
    assert 'aria-label="A1, rosette"' in named["skiriuk:1"]
