"""Pictures in pixels: what is seen where, and animations of games."""

from __future__ import annotations

import sys

import pytest
from click.testing import CliRunner

from tests.contrast import variables
from tests.games import random_game
from ur_solver.cli import cli
from ur_solver.cli.board import game_pictures
from ur_solver.records import write_games
from ur_solver.rules import named_rules
from ur_solver.rules.svg import style_sheet

Image = pytest.importorskip("PIL.Image")
pytest.importorskip("cairosvg", exc_type=(ImportError, OSError))

HERE = "L...__../..D...../....__.. L 1 1"
COLOURS = variables(style_sheet("board"))[0]
LIGHT, DARK, SHELL, WHITE = (
    tuple(bytes.fromhex(COLOURS[name][1:] * (1 if len(COLOURS[name]) == 7 else 2)))
    for name in ("light", "dark", "shell", "ground")
)
SCALE = 2
WIDTH = 344 * SCALE
"""Of a drawing of the Ur board, whose squares are 40 units wide."""


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(cli, ["board", *arguments])
    assert result.exit_code == code, result.output
    return result.stderr


def has_colour(picture, square: str, colour: tuple[int, ...]) -> bool:
    """Whether a square has a colour near its middle; an arrow may hide one of four places."""
    x, y = 40 * (int(square[1:]) - 0.5), 40 * ("ABC".index(square[0]) + 0.5)
    pixels = picture.convert("RGB")
    places = [(x + dx, y + dy) for dx, dy in ((-7, 0), (7, 0), (0, -7), (0, 7))]
    return any(
        is_near(pixels.getpixel((round(SCALE * (18 + x)), round(SCALE * (50 + y)))), colour)
        for x, y in places
    )


def is_near(colour, other) -> bool:
    return max(abs(a - b) for a, b in zip(colour, other, strict=True)) < 12


def test_a_png_shows_the_pieces(tmp_path):
    path = tmp_path / "board.png"
    run("finkel:2", HERE, "-o", str(path), "--width", str(WIDTH))
    with Image.open(path) as picture:
        assert picture.size == (WIDTH, 208 * SCALE)
        assert has_colour(picture, "A1", LIGHT)
        assert has_colour(picture, "B3", DARK)
        assert has_colour(picture, "A3", SHELL)
        assert has_colour(picture, "A5", WHITE)  # no square is there
    run("finkel:2", HERE, "-o", str(path), "--top", "dark", "--width", str(WIDTH))
    with Image.open(path) as picture:
        assert has_colour(picture, "C1", LIGHT)


def test_a_gif_shows_every_throw(tmp_path):
    """Each frame has the pieces of its position; the last one those of the end."""
    game = random_game(named_rules("finkel:1"), 2)
    games, path = tmp_path / "games.rgn", tmp_path / "game.gif"
    write_games([random_game(named_rules("finkel:1"), 1), game], games)
    words = ["--game", "2", "--seconds", "0.5", "--width", str(WIDTH)]
    run(str(games), "-o", str(path), *words)
    squares = game.rules.board.squares
    with Image.open(path) as picture:
        assert picture.n_frames == len(game.plies) + 1
        for frame, ply in enumerate(game.plies[:12]):
            picture.seek(frame)
            assert picture.info["duration"] == 500
            position = game.stepper.position(ply.state, ply.side)
            for square, content in zip(squares, position.contents, strict=True):
                if content and square not in game.rules.board.rosettes:
                    fill = LIGHT if content == "L" else DARK
                    assert has_colour(picture, square, fill), (frame, square)
        picture.seek(picture.n_frames - 1)
        assert picture.info["duration"] == 1500


def test_captions_say_throws_and_the_end():
    game = random_game(named_rules("birds:1"), 1)
    drawings = list(game_pictures(game))
    for number, (ply, drawing) in enumerate(zip(game.plies, drawings, strict=False), start=1):
        move = game.move_text(ply) or "no move"
        side = "light" if ply.side == "L" else "dark"
        assert f">{number} {side} {ply.choice} throws {ply.throw_text}: {move}<" in drawing
    assert f">won, winner {game.winner}<" in drawings[-1]


def test_what_cannot_be_animated(tmp_path):
    games = tmp_path / "games.ur"
    games.write_text("rules: finkel:1\nL 9 A@A1\nend: unfinished\n")
    out = str(tmp_path / "o.gif")
    assert "a GIF shows a game" in run("finkel:1", "-o", out, code=2)
    assert "throw 9" in run(str(games), "-o", out, code=2)
    assert "has no game 2" in run(str(games), "-o", out, "--game", "2", code=2)
    assert "leave out the position" in run(str(games), HERE, "-o", out, code=2)
    assert not (tmp_path / "o.gif").exists()


def test_without_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    said = run("finkel:1", "-o", str(tmp_path / "o.png"), code=2)
    assert "pip install 'ur-solver[pictures]'" in said
    assert not (tmp_path / "o.png").exists()
