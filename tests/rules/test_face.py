"""What boards look like: the motifs of their squares, and colours that can be told apart."""

from __future__ import annotations

import pathlib
import re
from xml.etree import ElementTree as ET

import pytest

import ur_solver.serve
from tests.contrast import contrast, variables
from ur_solver.rules import named_rules
from ur_solver.rules.svg import board_svg, picture_style, style_sheet

# As the sources have them: /rules.md, The boards.
MOTIFS = {
    "rosette": "A1 C1 B4 A7 C7",
    "eyes": "A2 A4 C2 C4 B7",
    "four-fives": "B3 B6",
    "wavy corners": "A8 C8",
    "quartered": "B1",
    "five dots": "A3 C3 B2 B5 B8",
}


def motifs(word: str, view: str = "L") -> dict[str, tuple[tuple[str, str], ...]]:
    """By square what is drawn on its plaque."""
    drawing = ET.fromstring(board_svg(named_rules(word).start(), view=view))
    return {
        group.get("data-square", ""): tuple(
            (path.get("class", ""), path.get("d", "")) for path in group.iter("path")
        )
        for group in drawing.iter("g")
        if group.get("data-square") and not group.get("data-side")
    }


@pytest.mark.parametrize("view", ["L", "D"])
def test_every_motif_stands_where_the_sources_have_it(view):
    drawn = motifs("finkel:1", view)
    kinds = {name: {drawn[square] for square in text.split()} for name, text in MOTIFS.items()}
    assert {len(same) for same in kinds.values()} == {1}
    assert len(set.union(*kinds.values())) == len(MOTIFS)
    assert sum(len(text.split()) for text in MOTIFS.values()) == len(drawn) == 20


def test_other_boards_have_rosettes_only():
    flower = motifs("finkel:1")["A1"]
    for square, parts in motifs("aseb:1").items():
        assert parts == (flower if square in ("A1", "C1", "B4", "B8", "B12") else ()), square


def test_a_rosette_has_eight_petals_of_two_colours():
    paths = dict(motifs("finkel:1")["B4"])
    # each petal is a curve out and one back
    assert [paths[css].count("q") for css in ("rosette", "petals")] == [8, 8]


def test_lines_are_dark_and_only_dots_and_inlays_coloured():
    """As they were cut into shell and filled."""
    allowed = {
        "mark cut", "mark cut rings", "mark shell discs", "mark lapis dots", "mark red dots",
        "inlay lapis", "inlay red", "rosette", "petals",
    }  # fmt: skip
    drawn = motifs("finkel:1")
    assert {css for parts in drawn.values() for css, _ in parts} == allowed
    # dots are lines without length
    for css, path in {part for parts in drawn.values() for part in parts}:
        if css.endswith(("dots", "discs", "rings")):
            assert re.fullmatch(r"(M\d+ \d+h0|m-?\d+-?[ ]?\d+h0)+", path), (css, path)


def test_dots_are_as_many_as_the_photograph_has():
    """Four eyes have a pupil each, and four times five dots are all of lapis."""
    drawn = motifs("finkel:1")
    counts = {"A2": 4, "B3": 20, "A8": 5, "B2": 5}
    lapis = {square: dict(drawn[square])["mark lapis dots"].count("h0") for square in counts}
    assert lapis == counts
    assert dict(drawn["B4"])["mark red dots"].count("h0") == 1


@pytest.mark.parametrize("word", ["finkel:1", "aseb:1"])
def test_the_frame_has_the_shape_of_the_board(word):
    """Where there is no square, there is no wood."""
    rules = named_rules(word)
    drawing = ET.fromstring(board_svg(rules.start()))
    for css in ("wood", "bitumen"):
        (path,) = (each for each in drawing if each.get("class") == css)
        held = set()
        for x, y, width, height in re.findall(r"M(\d+) (\d+)h(\d+)v(\d+)h-\d+z", path.get("d", "")):
            assert height == "40"
            columns = range(int(x) // 40 + 1, (int(x) + int(width)) // 40 + 1)
            held |= {f"{'ABC'[int(y) // 40]}{column}" for column in columns}
        assert held == {*rules.board.squares}


BOARD = [
    ("cut", "shell"), ("lapis", "shell"), ("red", "shell"),  # motifs, and the ring of a rosette
    ("shell", "bitumen"),
    ("light", "dark"), ("light-edge", "light"),
    ("dark", "shell"), ("best", "shell"), ("best", "bitumen"), ("best", "ground"),
    ("played", "shell"), ("played", "bitumen"),
    ("accent", "shell"), ("accent", "bitumen"),  # the frame of what may move
    ("accent", "page"), ("accent", "card"), ("control", "card"), ("control", "page"),
    ("best", "page"),
]  # fmt: skip
"""What stands next to what, and means something."""

EITHER = [
    ("light", "light-edge", "shell"), ("light", "light-edge", "page"),
    ("light", "light-edge", "card"),
    ("dark", "dark-edge", "page"), ("dark", "dark-edge", "card"),
    ("stone", "stone-edge", "page"), ("stone-shade", "stone-edge", "page"),
]  # fmt: skip
"""A disc or a die stands out by what it is or by its edge."""

TEXT = [
    ("ink", "soft"), ("faint", "soft"), ("good", "soft"), ("blunder", "soft"),
    ("ink", "page"), ("ink", "card"), ("faint", "page"), ("faint", "card"), ("faint", "ground"),
    ("good", "card"), ("blunder", "card"), ("on-accent", "accent"),
    ("light", "dark"), ("accent", "page"), ("accent", "card"), ("light-edge", "light"),
    ("lapis", "light"),
    ("good", "page"), ("blunder", "page"),  # in the frame of the current throw
    ("on-mark", "inaccuracy"), ("on-mark", "mistake"), ("card", "blunder"),  # pills
]  # fmt: skip


PAGE = pathlib.Path(ur_solver.serve.__file__).parent / "page" / "style.css"


@pytest.fixture(params=[0, 1], ids=["light", "dark"])
def colours(request: pytest.FixtureRequest) -> dict[str, str]:
    sheets = style_sheet("board") + style_sheet("page") + PAGE.read_text()
    return variables(sheets)[request.param]


def test_what_must_be_told_apart_can_be(colours):
    faint = {pair: contrast(*(colours[name] for name in pair)) for pair in BOARD}
    assert {pair: ratio for pair, ratio in faint.items() if ratio < 3} == {}
    faint = {
        each: max(contrast(colours[name], colours[each[-1]]) for name in each[:-1])
        for each in EITHER
    }
    assert {each: ratio for each, ratio in faint.items() if ratio < 3} == {}


def test_the_frame_stands_out_from_what_is_around_it(colours):
    around = [colours[name] for name in ("page", "glow", "ground") if name in colours]
    assert min(contrast(colours["wood"], each) for each in around) >= 2


def test_petals_are_told_apart_by_more_than_their_hue(colours):
    assert contrast(colours["lapis"], colours["red"]) >= 1.4


def test_letters_can_be_read(colours):
    faint = {pair: contrast(*(colours[name] for name in pair)) for pair in TEXT}
    assert {pair: ratio for pair, ratio in faint.items() if ratio < 4.5} == {}


def test_colours_have_names():
    """Other than in the names, no sheet has a colour of its own, which a theme could not change."""
    for sheet in (style_sheet("board"), style_sheet("page")):
        rules = re.sub(r"--[\w-]+: [^;]+;", "", sheet)
        assert re.findall(r"(?<!&)#[0-9a-f]{3,8}\b", rules) == []
    assert "var(" not in picture_style()
