"""Changed games are refused with the place of the fault and what would have been legal."""

import copy
import json

import pytest

from tests.games import GAMES
from ur_solver.errors import RecordError
from ur_solver.records import (
    RecordFault,
    find_files,
    read_file,
    read_json_game,
    read_rgn,
    record,
    source,
)
from ur_solver.records import notations as game_files
from ur_solver.rules import named_rules

FINKEL = named_rules("finkel")
JSON = json.loads((GAMES / "finkel-1.json").read_text())
RGN = (GAMES / "finkel-1.rgn").read_text()


def changed(path, value):
    """The sample game with the value at a path replaced, or removed if it is None."""
    game = copy.deepcopy(JSON)
    *head, last = path
    where = game
    for key in head:
        where = where[key]
    if value is None:
        del where[last]
    else:
        where[last] = value
    return game


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["states", 5, "move", "dest"], -4, r"states\[5\]: move 'C3B1x?'|states\[5\]: move"),
        (["states", 0, "move", "dest"], 2, r"states\[0\]: .*legal: A@A2|states\[0\]: "),
        (["states", 0, "roll", "value"], 9, r"states\[0\]: throw 9: 4-binary dice show 0, 1, 2"),
        (["states", 0, "roll", "value"], -1, r"states\[0\]: throw -1"),
        (["states", 0, "roll", "value"], True, r"roll.value is True, not a whole number"),
        (["states", 3], None, r"states\[3\]: .* but it is .*'s turn.*a turn is missing"),
        (["states", 1, "turn"], "L", r"states\[1\]: light moves, but it is dark's turn"),
        (["states", 1, "turn"], "X", r"states\[1\]: turn is 'X', expected 'L' or 'D'"),
        (["states", 2, "type"], "leap", r"states\[2\]: type is 'leap'; known: move, roll"),
        (
            ["states", 0, "move"],
            {},
            r"states\[0\]: move has neither src nor dest; legal with throw 3: A@A2$",
        ),
        (["states", 0, "move", "src"], -3, r"states\[0\]: move.src is -3, not a piece of 'L'"),
        (["states", 0, "move", "dest"], 99, r"move.dest is 99; the path has 14 squares"),
        (["states", 0, "move", "captured"], -3, r"states\[0\]: move.captured is -3, but"),
        (["states", 0, "time"], "now", r"states\[0\]: time is 'now'"),
        (["states", -1, "winner"], "D", r"the record gives the game to dark, but light bore"),
        (["notation_version"], 7, r"notation_version is 7; expected one of 1 and 2"),
        (["settings", "dice"], "two_coins", r"settings.dice is 'two_coins'; known: four_binary"),
        (["settings", "start_pieces"], 16, r"settings.start_pieces is 16.*1 to 15"),
        (["settings", "safe_rosettes"], "yes", r"settings.safe_rosettes is 'yes'"),
        (["settings", "paths"], "aseb", r"the path 'aseb' is not on the board 'standard'"),
        (["settings"], None, r"settings: expected an object"),
        (["states"], {}, r"states: expected an array"),
        (["metadata", "Light"], 3, r"metadata.Light is 3, not a text"),
        (["initial_state", "turn"], "Q", r"initial_state: turn is 'Q'"),
        (
            ["initial_state", "board", "pieces"],
            {"B1": 3},
            r"board.pieces.B1 is 3, a piece that bel",
        ),
        (["initial_state", "board", "pieces"], {"Z9": 3}, r"board.pieces has 'Z9'"),
        (
            ["initial_state", "players", "L", "score"],
            2,
            r"players.L.score is 2, but home and board leave 0 of 7",
        ),
        (
            ["initial_state", "players", "L", "pieces"],
            0,
            r"players.L.score is 0, but home and board leave 7 of 7",
        ),
    ],
)
def test_a_changed_json_game_is_refused_with_its_place(path, value, message):
    with pytest.raises(RecordError, match=message):
        read_json_game(changed(path, value))


def test_an_illegal_move_lists_the_legal_ones():
    game = changed(["states", 2, "move"], {"src": 5, "dest": 8})
    with pytest.raises(RecordError) as caught:
        read_json_game(game)
    assert str(caught.value).startswith("states[2]: move 'B1B4' is not legal with throw 3 in '")
    assert "legal: " in str(caught.value)


def test_json_cut_short_is_refused():
    cut = copy.deepcopy(JSON)
    del cut["states"][-5:-1]
    with pytest.raises(RecordError, match=r"neither side has borne off all pieces.*missing"):
        read_json_game(cut)
    more = copy.deepcopy(JSON)
    more["states"].append(more["states"][0])
    with pytest.raises(RecordError, match="'move' after the end of the game"):
        read_json_game(more)


def test_json_whose_states_break_off_is_refused():
    cut = copy.deepcopy(JSON)
    del cut["states"][20:]
    with pytest.raises(
        RecordError, match=r"states\[19\]: the game is incomplete: expected a turn of"
    ):
        read_json_game(cut)
    del cut["states"][:]
    assert not read_json_game(cut).plies


def test_a_missing_move_names_the_throw_that_waits_for_it():
    game = copy.deepcopy(JSON)
    state = game["states"][4]
    game["states"][4] = {**state, "type": "roll", "moves": [{}] * 3}
    with pytest.raises(RecordError, match=r"states\[4\]: moves lists 3 moves; legal with throw"):
        read_json_game(game)
    del game["states"][4]["moves"]
    with pytest.raises(RecordError, match=r"states\[5\]: the move is missing .* states\[4\] in"):
        read_json_game(game)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2. A2B2", "2. A2B4", "line 4, column 4: "),
        ("A2B2 / C4C3", "A2A4 / C4C3", "line 4, column 4: 'A2A4' is not a move along the path"),
        ("3. B2B3", "3. B2B3x", "line 5, column 4: move 'B2B3x' is not legal"),
        ("3. B2B3", "3. B2B3 *", "line 5, column 4: move 'B2B3[*]' is not legal"),
        ("3. B2B3", "4. B2B3", "line 5, column 1: turn 4, expected 3; a turn is missing"),
        (" / C4C3\n", "\n", "line 5, column 4: light moves, but it is dark's turn; a turn is"),
        ("0 --", "9 --", ": throw 9: 4-binary dice show 0, 1, 2, 3, 4"),
        ("0 --", "1 --", "the move is missing for the throw 1 at line"),
        ("0 --", "--", "'--' does not follow a throw, as in '0 --'"),
        ("0 --", "0 =", "'=' is neither a move such as"),
        ("/ C4C3", "/ C4C3 (2. A2A1 / C4C3)", "'[(]2. A2A1 .*variations in parentheses are not"),
        ("/ C4C3", "/ C4C3 {never closed", "line 4, column 16: this comment is not closed"),
        ("A@A2", "A@Z2", "line 3, column 4: 'A@Z2' is neither a move such as"),
        ("A@A2", "A@B8", "is not a move along the path bell"),
        ("A@A2", "1:A@A2", "'A@A2' is not a move along the path bell by a throw of 1"),
        ("1. A@A2", "A@A2", "line 3, column 1: expected the mark of a turn"),
        ("A@A2", "* A@A2", "line 3, column 4: '[*]' does not follow a move"),
        ("1. A@A2 /", "1. /", "line 3, column 4: the turn before this one has no throw"),
        ("[StartTime", "[Start Time", "line 1, column 1: tag "),
        ("[StartTime", '[Rules "chess"]\n[StartTime', "tag Rules: 'chess' is not in the"),
        ("[StartTime", '[Rules "/etc/rules.json"]\n[StartTime', "tag Rules: .*not in the cat"),
        ("[StartTime", '[Start "...."]\n[StartTime', "tag Start: position '....'"),
        ("974Z", "974\\qZ", "unknown escape"),
        ("A7A+#", "A7A+##", "'#' may occur once only, at the end"),
    ],
)
def test_a_changed_rgn_game_is_refused_with_its_place(old, new, message):
    (fault,) = read_rgn(RGN.replace(old, new, 1), FINKEL)
    assert isinstance(fault, RecordError)
    with pytest.raises(RecordError, match=message):
        raise fault


@pytest.mark.parametrize("size", [1, 40, 41, 44, 46, 50, 52, 57, 600, 603])
def test_rgn_cut_anywhere_never_crashes(size):
    for game in read_rgn(RGN[:size], FINKEL):
        assert game is not None


def test_rgn_that_breaks_off_inside_a_turn_is_refused():
    for cut in ("1. A@A2 /", "1. A@A2 / C@C4\n2.", "1. 3"):
        (fault,) = read_rgn(cut, FINKEL)
        assert "breaks off inside a turn" in str(fault)


def test_one_bad_game_does_not_stop_the_rest(tmp_path):
    good = (GAMES / "finkel-2.rgn").read_text()
    path = tmp_path / "games.rgn"
    path.write_text("\n\n".join([good, RGN.replace("A2B2", "A2B4", 1), good, good[:300]]))
    games = list(read_file(str(path), FINKEL))
    assert [isinstance(game, RecordFault) for game in games] == [False, True, False, True]
    assert str(games[1]).startswith(f"{path}: game 2: line ")
    lines = [json.dumps(JSON), "{", json.dumps(changed(["settings"], None)), json.dumps(JSON)]
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join(lines))
    games = list(read_file(str(path), FINKEL))
    assert [isinstance(game, RecordFault) for game in games] == [False, True, True, False]
    assert "game 2: line 3, column 1: not JSON" in str(games[1])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[" * 5000 + b"{", "expected|not JSON|nested|tag"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b'[{"a":' + b"[" * 200_000, "nested too deeply"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "not JSON"),
        (b"\xff\xfe\x00", "line 1: not UTF-16 text"),
        (b"1.\nab\x81", "line 2: no text, neither in UTF-8 nor in Windows-1252"),
        (b"\x1f\x8b\x08\xff", "line 1: no text"),
        (b"{", "line 1, column 2: not JSON.*breaks off"),
        (b"{}", "notation_version is None"),
        (b'["x"]', "tag"),
        (b"[{}, 3]", "notation_version"),
        (b"\x00\x01\x02", "is neither a move such as"),
        (json.dumps(JSON).encode()[:3000], "not JSON"),
    ],
)
def test_hostile_files_are_faults(tmp_path, content, message):
    path = tmp_path / "game.json"
    path.write_bytes(content)
    games = list(read_file(str(path), FINKEL))
    assert isinstance(games[0], RecordFault)
    with pytest.raises(RecordError, match=message):
        raise RecordError(str(games[0]))


def test_a_line_too_large_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "MAX_BYTES", 1 << 20)
    path = tmp_path / "game.json"
    with path.open("wb") as file:
        file.truncate(1 << 30)  # a sparse gigabyte
    (fault,) = read_file(str(path))
    assert "line 1: a line larger than 1 MiB" in str(fault)
    (fault,) = read_file(str(tmp_path / "nowhere.json"))
    assert "No such file" in str(fault)


@pytest.mark.parametrize("text", ["{\n" * 90, "{}\n" * 90, "[" + "{}," * 89 + "{}]", "/# " * 90])
def test_a_file_of_too_many_faults_is_not_read_to_its_end(tmp_path, monkeypatch, text):
    monkeypatch.setattr(game_files, "MAX_FAULTS", 20)
    path = tmp_path / "games"
    path.write_text(text)
    games = list(read_file(str(path), FINKEL))
    assert len(games) == 21
    assert "game 21: more than 20 faults" in str(games[-1])


def test_other_rules_are_named():
    (fault,) = read_file(str(GAMES / "blitz-1.json"), FINKEL)
    assert "the game was played by blitz, not finkel" in str(fault)


def test_other_families_are_refused_by_name():
    (fault,) = read_rgn(RGN, named_rules("birds"))
    assert "RGN cannot hold games of birds," in str(fault)
    (fault,) = read_rgn('[Rules "casual"]\n\n1. A@A4', None)
    assert "RGN cannot hold games of casual," in str(fault)


def test_many_bad_games_are_each_a_fault_and_no_more(tmp_path):
    games = list(read_rgn("/# " * 2000, FINKEL))
    assert len(games) == 2000
    games = list(read_rgn("[Light Ann]\n[Oops\n[Dark Ben]\n1. A@A4", FINKEL))
    assert [str(game)[:17] for game in games] == ["line 2, column 1:"]


def test_a_game_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(record, "MAX_PLIES", 10)
    (fault,) = read_rgn("1. 0 -- / 0 --\n" + "".join(
        f"{turn}. 0 -- / 0 --\n" for turn in range(2, 9)), FINKEL)  # fmt: skip
    assert "line 6, column 4: more than 10 throws" in str(fault)


def test_a_fault_says_by_which_rules_rgn_was_read():
    (fault,) = read_rgn((GAMES / "masters-1.rgn").read_text(), FINKEL)
    assert str(fault).endswith("(no rule set is named; read as finkel)")


def test_of_a_text_that_is_no_game_one_word_is_reported():
    (fault,) = read_rgn("games of the evening\nthree, all of them long\n", FINKEL)
    assert "line 1, column 1: 'games' is neither a move such as" in str(fault)
    assert str(fault).count("is neither") == 1
    assert str(fault).endswith("; and 8 more faults")


def test_a_folder_without_games_is_refused(tmp_path):
    with pytest.raises(RecordError, match=r"no games in it, no \.ur, \.rgn, \.json, "):
        list(find_files([str(tmp_path)]))
