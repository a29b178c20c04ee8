"""Openings in records: read, replayed and written in every notation."""

from __future__ import annotations

import pytest

from tests.games import write_text
from ur_solver.records import GameRecord, opening_words, read_text
from ur_solver.rules import named_rules

BEN = named_rules("ben:2")
HEAD = "rules: ben:2\n"


def read(text, rules=None):
    (game,) = read_text(text, rules)
    return game


def fault(text, rules=None):
    game = read(text, rules)
    assert not isinstance(game, GameRecord), game
    return game.reason


# Ben's game: by its seven paragraphs, with three pyramids on the path skiriuk.


@pytest.mark.parametrize(
    ("opening", "position"),
    [
        # light further, dark further, level once, both on B3 and home again, two zeros
        ("3-1 A@A2 C@C4", ".L..__../......../...D__.. L 1 1"),
        ("1-2 A@A4 C@C3", "...L__../......../..D.__.. D 1 1"),
        ("2-2 A@A3 C@C3, 3-1 A3B1 C3C2", "....__../L......./.D..__.. L 1 1"),
        (
            "3-3 A@A2 C@C2, 1-1 A2A1 C2C1, 3-3 A1B3 C1B3, 1-3 A@A4 C@C2",
            "...L__../......../.D..__.. D 1 1",
        ),
        ("0-0, 1-3 A@A4 C@C2", "...L__../......../.D..__.. D 1 1"),
        # a zero: any square of the starting row, and on up to B4
        ("0-2 A@A1 C@C3", "L...__../......../..D.__.. L 1 1"),
        ("0-2 A@A4 C@C3", "...L__../......../..D.__.. D 1 1"),
        ("0-1 A@A1 C@C4", "L...__../......../...D__.. L 1 1"),
        ("3-3 A@A2 C@C2, 1-1 A2A1 C2C1, 2-0 A1B2 C1B4", "....__../.L.D..../....__.. D 1 1"),
    ],
)
def test_where_a_game_of_ben_begins(opening, position):
    text = f"{HEAD}opening: {opening}\n\nend: unfinished"
    game = read(text)
    assert game.start.notation == position
    assert len(game.opening) == 1 + opening.count(",")
    assert write_text(game, ".ur") == text
    side = {"L": "light", "D": "dark"}[position.split()[1]]
    assert opening_words(game) == f"opening {opening}: {side} began"


def test_moves_without_a_choice_may_be_left_out_and_case_does_not_matter():
    game = read(f"{HEAD}Opening: 2-2,3 - 0  a3b1  c3C1\nL 1 B1B2\nend: unfinished")
    assert game.start.notation == "....__../L......./D...__.. L 1 1"
    assert "opening: 2-2 A@A3 C@C3, 3-0 A3B1 C3C1\n" in write_text(game, ".ur")


def test_turns_follow_the_opening():
    game = read(f"{HEAD}opening: 1-2\n\nD 3 C3B1\nL 2 A4A2\nend: unfinished")
    assert [ply.side for ply in game.plies] == ["D", "L"]
    assert game.start.notation.split()[1] == "D"
    assert read(write_text(game, ".ur")).plies == game.plies


def test_an_opening_may_be_unfinished():
    game = read(f"{HEAD}opening: 2-2\n\nend: unfinished")
    assert game.start == BEN.start()
    assert opening_words(game) == "opening 2-2 A@A3 C@C3"
    assert "A round" not in write_text(game, ".ur")


def test_records_without_an_opening_begin_with_a_free_throw():
    game = read(f"{HEAD}\nL 2 A@A3\nD 3 C@C2\nend: unfinished")
    assert game.opening == ()
    assert game.start == BEN.start()
    assert opening_words(game) == ""
    assert "opening" not in write_text(game, ".ur")


@pytest.mark.parametrize(
    ("opening", "reason"),
    [
        ("2-9", "line 2: opening: round 1: 2-9 is not what 3-binary dice show in a round of"),
        ("3", "line 2: opening: round 1: 3 is not what"),
        ("0-2", "the moves of both markers after 0-2 are missing; expected 'A@A4 C@C3' or"),
        ("2-2 A@A3 C@C2", "'A@A3 C@C2' are not the moves of both markers after 2-2; expected"),
        ("3-1, 2-2", "round 2: light is the first player already"),
        ("2-2, x", "round 2: 'x' is not a round such as '3-1' or '0-3 A@A1 C@C2'"),
    ],
)  # fmt: skip
def test_faults_of_an_opening(opening, reason):
    assert reason in fault(f"{HEAD}opening: {opening}\n\nend: unfinished")


def test_faults_around_an_opening():
    turn = fault(f"{HEAD}opening: 2-2\n\nL 1 A3A2\nend: unfinished")
    assert turn == (
        "line 4, column 1: the opening has not found the first player; a round is missing"
    )
    start = f"start: {BEN.start().notation}\n"
    assert "leave out 'start'" in fault(f"{HEAD}{start}opening: 1-2\n\nend: unfinished")
    other = fault(f"{HEAD}opening: 3-1\n\nD 1 C4C3\nend: unfinished")
    assert "dark moves, but it is light's turn" in other


# Other openings.


def test_the_higher_throw_in_every_notation():
    game = read("rules: finkel:2\nopening: 2-2, 1-3\n\nD 2 C@C3\nL 1 A@A4\nend: unfinished")
    assert game.start.notation == "....__../......../....__.. D 2 2"
    assert opening_words(game) == "opening 2-2, 1-3: dark began"
    for suffix in (".ur", ".rgn", ".json"):
        text = write_text(game, suffix)
        again = read(text, named_rules("finkel:2"))
        assert again.opening == game.opening, suffix
        assert again.start == game.start, suffix
        assert [ply.throws for ply in again.plies] == [(2,), (1,)]
        assert again.metadata == {}
        assert write_text(again, suffix) == text
    assert '[Opening "2-2, 1-3"]' in write_text(game, ".rgn")
    assert '"metadata":{"Opening":"2-2, 1-3"}' in write_text(game, ".json")


def test_skiriuks_opening():
    game = read("rules: skiriuk:1\nopening: 3-2, 2-1\n\nD 1 C@C4\nend: unfinished")
    assert game.start.side == "D"
    game = read("rules: skiriuk:1\nopening: 3-2, 1\n\nL 1 A@A4\nend: unfinished")
    assert opening_words(game) == "opening 3-2, 1: light began"
    assert "always 1" in fault("rules: skiriuk:1\nopening: 2-1\n\nD 2 C@C3\nend: unfinished")
    assert "1-2 is not what" in fault("rules: skiriuk:1\nopening: 1-2\n\nend: unfinished")


def test_who_began_may_be_all_that_is_known():
    for rules in ("four-again:1", "finkel:1", "ben:1"):
        game = read(f"rules: {rules}\nopening: dark\n\nD 1 C@C4\nend: unfinished")
        assert game.opening == ()
        assert opening_words(game) == "dark began"
        again = read(write_text(game, ".ur"))
        assert again.start == game.start
    assert "need no throws" in fault("rules: four-again:1\nopening: 1-2\n\nend: unfinished")


def test_metadata_of_the_same_name_is_kept():
    text = 'rules: finkel:1\n"Opening": Sicilian\n\nL 1 A@A4\nend: unfinished'
    for written in (text, text.replace('"Opening"', "Opening")):
        game = read(written)
        assert game.metadata == {"Opening": "Sicilian"}
        for suffix in (".ur", ".rgn", ".json"):
            again = read(write_text(game, suffix), named_rules("finkel:1"))
            assert again.metadata == {"Opening": "Sicilian"}, suffix


def test_initial_state_must_be_where_the_opening_ends():
    game = read("rules: finkel:1\nopening: 1-3\n\nD 1 C@C4\nend: unfinished")
    text = write_text(game, ".json").replace('"Opening":"1-3"', '"Opening":"3-1"')
    assert "but initial_state is" in fault(text)
