"""Files of games of any size, in any encoding, read part by part."""

from __future__ import annotations

import dataclasses
import json

import pytest

from tests.games import random_game, write_text
from ur_solver.api.games import read_games
from ur_solver.records import (
    Ending,
    RecordFault,
    notation_of,
    notations,
    read_file,
    read_text,
    source,
    written_games,
)
from ur_solver.records.parts import MAX_ENTRIES
from ur_solver.rules import named_rules

FINKEL3 = named_rules("finkel:3")
GAMES = [random_game(FINKEL3, seed, max_plies=9) for seed in range(3)]
JSON, RGN, PLAIN = (write_text(GAMES[0], suffix) for suffix in (".json", ".rgn", ".ur"))
COMMENT = RGN.replace("2. ", "2. {a comment\n[Light Ann]\n\n1. A@A3 / \\}\nrules: x\n} ", 1)
WRAPPED = '[Light\n"Ann\nSmith"]\n' + RGN
BROKEN = RGN.replace("A", "Z", 3)
TEXTS = {
    "lines of JSON": f"{JSON}\n{JSON}\n",
    "an array": f"[\n{JSON},\n{JSON}\n]\n",
    "indented": json.dumps(json.loads(JSON), indent=1) * 2,
    "broken JSON": f"{JSON[:300]}\n{JSON}\n[{JSON},\n{{]\n{JSON}",
    "an array that breaks off": f"[{JSON},{JSON}",
    "odd entries": f'[{JSON}, 3, [], "x", {{}}]\n[]\n{{}}\n[[{JSON}]]',
    "RGN": "\n\n".join([RGN, COMMENT, BROKEN, WRAPPED, "# next\n" + RGN]),
    "an open comment": f"{RGN}\n\n{RGN} {{ open\n\n{RGN}",
    "an open tag": f"{RGN}\n\n[Light Ann\n\n{RGN}",
    "plain": f"{PLAIN}\n# a comment\n\n{PLAIN}\nL 9\n{PLAIN}",
    "joined": f"{PLAIN}\n{JSON}\n{RGN}\n{{\n {JSON[1:]}\n\n{PLAIN}",
}


def told(games) -> list[str]:
    """What is read, with the places of turns and faults."""
    return [
        str(game)
        if isinstance(game, RecordFault)
        else f"{game.number} {game.plies[-1].place} {write_text(game, '.ur')}"
        for game in games
    ]


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_read_does_not_depend_on_the_parts(name, tmp_path, monkeypatch):
    """However little is read at once, and wherever a part ends."""
    monkeypatch.setattr(source, "AHEAD", 3)
    monkeypatch.setattr(notations, "AHEAD", 3)
    monkeypatch.setattr(notations, "_TAKEN_AT_ONCE", 3)
    text = TEXTS[name]
    path = tmp_path / "games"
    path.write_bytes(text.replace("\n", "\r\n").encode())
    whole = told(read_text(text, FINKEL3, str(path)))
    assert len(whole) > 1
    for size in (1, 2, 5, 17, 64, 1000, 10_000):
        monkeypatch.setattr(source, "_AT_ONCE", size)
        assert told(read_file(str(path), FINKEL3)) == whole, size


@pytest.mark.parametrize("suffix", [".json", ".rgn", ".ur"])
def test_a_file_is_read_as_its_games_are_asked_for(suffix, monkeypatch):
    """No more is in memory than some blocks, each shorter than a game may be."""
    monkeypatch.setattr("ur_solver.records.source.AHEAD", 1 << 10)
    monkeypatch.setattr(notations, "AHEAD", 1 << 10)
    monkeypatch.setattr(source, "MAX_BYTES", 1 << 13)
    text = "".join(written_games(GAMES, notation_of(suffix))) + "\n"
    n_read, n_times = 0, 30

    def blocks():
        nonlocal n_read
        for _ in range(n_times):
            for line in text.splitlines(keepends=True):
                n_read += len(line)
                yield line

    file = source.Source(blocks())
    most = 0
    for number, game in enumerate(notations._read(file, None, "x"), start=1):
        assert not isinstance(game, RecordFault), game
        most = max(most, n_read - number * len(text) // 3, len(file.text))
    assert number == 3 * n_times
    assert most < 3 * len(text) + (1 << 12)
    assert n_read == n_times * len(text) > 3 * most


@pytest.mark.parametrize(
    "text",
    [
        '{"notation_version": 2,\n "states": [\n' + "{},\n" * 50_000,
        f"{RGN}\n\n1. " + "{a comment}\n" * 20_000,
        "rules: finkel:3\n\n" + "# a comment\n" * 20_000,
        "rules: finkel:3\n" + "L 0 --\nD 0 --\n" * 20_000,
    ],
)
def test_a_game_without_end_is_refused(text, tmp_path, monkeypatch):
    monkeypatch.setattr(source, "_AT_ONCE", 1 << 10)
    monkeypatch.setattr(source, "MAX_BYTES", 1 << 16)
    path = tmp_path / "games"
    path.write_text(text)
    *_, fault = read_file(str(path), FINKEL3)
    assert "a game larger than 0 MiB" in str(fault)


@pytest.mark.parametrize("end", ["\x1a", "\0", "\n\0\0\0", "\r\n\x1a\0", "\x1a\n"])
@pytest.mark.parametrize("suffix", [".json", ".rgn", ".ur"])
def test_marks_of_the_end_of_a_file_are_no_text(end, suffix, tmp_path):
    text = write_text(GAMES[0], suffix)
    path = tmp_path / "games"
    path.write_text(text + end + text + end, newline="")
    expected = [each.partition(" L ")[2] for each in told([*read_text(text)] * 2)]
    assert [each.partition(" L ")[2] for each in told(read_file(str(path)))] == expected


def test_lines_that_are_not_utf_8_are_read_as_windows_1252(tmp_path):
    """Others stay as they are: files of two programs may have been joined."""
    path = tmp_path / "games.rgn"
    heads = (b'[Light "Jos\xe9"]\n[Dark "caf\x80"]\n', '[Light "José"]\n[Dark "王"]\n'.encode())
    turns = f'[Rules "finkel:3"]\n\n{RGN[RGN.index("1.") :]}\n\n'.encode()
    path.write_bytes(b"".join(head + turns for head in heads))
    games = read_games(path)
    assert [game.metadata["Light"] for game in games] == ["José", "José"]
    assert [game.metadata["Dark"] for game in games] == ["caf\N{EURO SIGN}", "王"]
    assert not games.faults
    (warning,) = games.warnings
    assert str(warning) == (
        f"{path}: line 1: not UTF-8; it is read as Windows-1252, as '[Light \"José\"]'"
    )


@pytest.mark.parametrize("tail", [b"\x81", b"\x00\xff\x00", b"\xff\x07"])
def test_what_is_no_text_ends_the_file(tail, tmp_path):
    path = tmp_path / "games.ur"
    path.write_bytes(f"{PLAIN}\nend".encode() + tail)
    *_, fault = read_file(str(path))
    n_lines = PLAIN.count("\n") + 2
    assert str(fault) == f"{path}: line {n_lines}: no text, neither in UTF-8 nor in Windows-1252"


@pytest.mark.parametrize("suffix", [".json", ".rgn", ".ur"])
def test_what_is_written_with_all_that_is_allowed_can_be_read(suffix):
    """Tags and headers of this program, and what an audit adds, do not count."""
    allowed = {f"name-{k}": str(k) for k in range(MAX_ENTRIES)}
    game = dataclasses.replace(
        random_game(FINKEL3, 5, max_plies=9),
        ending=Ending.RESIGNED,
        winner="L",
        loser_by_choice="D",
        start_time=1_700_000_000_000,
        metadata=allowed,
        comments={1: " ".join(f"[%of-{k} x]" for k in range(MAX_ENTRIES + 9))},
    )
    (back,) = read_text(write_text(game, suffix))
    assert not isinstance(back, RecordFault), back
    assert {name: back.metadata[name] for name in allowed} == allowed
    assert back.comments == game.comments
    (again,) = read_text(write_text(back, ".json"))
    assert not isinstance(again, RecordFault), again
    more = dataclasses.replace(game, metadata={**allowed, "more": ""})
    (fault,) = read_text(write_text(more, suffix))
    assert "101 entries of metadata, more than 100" in str(fault)


def test_a_long_comment_is_read_in_any_notation(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "_AT_ONCE", 1 << 16)
    comment = "\n".join(f"line {k} }} [x" for k in range(8_000))
    game = dataclasses.replace(GAMES[0], comments={2: comment})
    for suffix in (".json", ".rgn", ".ur"):
        path = tmp_path / f"game{suffix}"
        path.write_text(write_text(game, suffix))
        (back,) = read_file(str(path))
        assert not isinstance(back, RecordFault), back
        assert back.comments == {2: comment}
