"""Games as versions of RoyalUr's library wrote them, and as people write them."""

import json
import os
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.games import GAMES, NAMES, HashValues, random_game, write_text
from ur_solver.answers.decisions import Thresholds
from ur_solver.audit.judge import audit_games
from ur_solver.audit.texts import game_values
from ur_solver.errors import RecordError
from ur_solver.records import (
    Ending,
    GameRecord,
    RecordFault,
    find_files,
    read_file,
    read_json_game,
    read_text,
    write_games,
)
from ur_solver.rules import named_rules

pytestmark = pytest.mark.medium

JSON = json.loads((GAMES / "finkel-1.json").read_text())
SHORT = json.loads((GAMES / "finkel-short-wait4roll.json").read_text())
FINKEL = named_rules("finkel")
FINKEL3 = named_rules("finkel:3")


def only(games):
    (game,) = games
    assert isinstance(game, GameRecord), game
    return game


def turns_of(record):
    return [(ply.side, ply.throws, ply.state, ply.played) for ply in record.plies]


def kept_of(record):
    """All of a record but where it was read."""
    names = ("rules", "start", "ending", "winner", "loser_by_choice", "reason", "metadata")
    return [getattr(record, name) for name in (*names, "comments")] + turns_of(record)


def audits_of(path):
    """What is said of each game of a file, without the file's name: its audit, or its fault."""
    found = []
    for game in read_file(str(path)):
        if isinstance(game, RecordFault):
            found.append(re.sub(r"line \\d+", "", game.reason))
            continue
        (audit,) = audit_games([game], HashValues(game.rules))
        values = game_values(audit, Thresholds())
        found.append({key: values[key] for key in values if key not in ("file", "game")})
    return found


# What RoyalUr's library wrote


@pytest.mark.parametrize("suffix", [".json", ".rgn"])
@pytest.mark.parametrize("form", ["as it is", "CR", "CR LF", "mark", "UTF-16"])
def test_joined_files_have_the_same_audits(suffix, form, tmp_path):
    paths = [GAMES / f"{name}{suffix}" for name in NAMES]
    expected = [each for path in paths for each in audits_of(path)]
    text = "".join(path.read_text() for path in paths)
    if suffix == ".json":
        assert "}{" in text
    else:
        assert "#[" in text
    text = text.replace("\n", {"CR": "\r", "CR LF": "\r\n"}.get(form, "\n"))
    encoding = {"mark": "utf-8-sig", "UTF-16": "utf-16"}.get(form, "utf-8")
    joined = tmp_path / "joined"
    joined.write_bytes(text.encode(encoding))
    assert audits_of(joined) == expected
    assert len(expected) == len(NAMES)
    numbers = [game.number for game in read_file(str(joined))]
    assert numbers == list(range(1, len(NAMES) + 1))


def test_files_of_both_notations_are_joined(tmp_path):
    paths = [path for name in NAMES for path in (GAMES / f"{name}.json", GAMES / f"{name}.rgn")]
    joined = tmp_path / "joined"
    joined.write_text("".join(path.read_text() for path in paths))
    assert audits_of(joined) == [each for path in paths for each in audits_of(path)]


def test_arrays_and_indented_values_are_joined():
    text = f"{json.dumps(JSON, indent=2)}{json.dumps([SHORT, JSON])}\n{json.dumps(SHORT)}"
    games = list(read_text(text))
    assert [len(game.plies) for game in games] == [
        len(read_json_game(each).plies) for each in (JSON, SHORT, JSON, SHORT)
    ]
    broken = f"{json.dumps(JSON, indent=2)[:400]}\n{json.dumps(SHORT)}"
    fault, game = read_text(broken)
    assert "not JSON" in fault.reason
    assert len(game.plies) == 5


@pytest.mark.parametrize(("time", "expected"), [(10.5, 10), (10.0, 10), (3, 3), (1e15, 10**15)])
def test_decimal_times_are_milliseconds(time, expected):
    game = json.loads(json.dumps(JSON))
    game["states"][0]["time"] = game["initial_state"]["time"] = time
    record = read_json_game(game)
    assert (record.plies[0].time, record.start_time) == (expected, expected)


NO_TIME = r"states\[\d\]: time is .*, not a whole number"
NO_JSON = "is not a number of JSON"


@pytest.mark.parametrize(
    ("time", "reason"),
    [
        *(("NaN", NO_JSON), ("Infinity", NO_JSON)),
        *((time, NO_TIME) for time in ("1e300", '"10"', "true", "[1]")),
    ],
)
def test_what_is_no_time_is_a_fault(time, reason):
    text = json.dumps(SHORT).replace('"time": 0, "turn": "D"', f'"time": {time}, "turn": "D"', 1)
    (fault,) = read_text(text)
    assert re.search(reason, fault.reason)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("dice", "FourBinary"),
        ("dice", "fourbinary"),
        ("board_shape", "Standard"),
        ("paths", "Bell"),
    ],
)
def test_older_names_of_settings(key, value):
    game = JSON | {"settings": JSON["settings"] | {key: value}}
    assert read_json_game(game).rules == FINKEL


def test_older_names_of_three_dice():
    blitz = json.loads((GAMES / "masters-1.json").read_text())
    if blitz["settings"]["dice"] == "three_binary_0eq4":
        blitz["settings"]["dice"] = "ThreeBinary0Max"
    assert read_json_game(blitz).rules.name == "masters"


def test_the_longer_names_of_the_first_files():
    keys = {
        **{"start_pieces": "starting_piece_count", "src": "source", "dest": "destination"},
        "rosettes_grant_rolls": "rosettes_grant_extra_rolls",
        "captures_grant_rolls": "captures_grant_extra_rolls",
        "moves": "available_moves",
    }
    types = {"roll": "rolled", "move": "moved", "wait4roll": "waiting_for_roll"}

    def older(values):
        if isinstance(values, list):
            return [older(each) for each in values]
        if not isinstance(values, dict):
            return values
        renamed = {keys.get(key, key): older(value) for key, value in values.items()}
        if "type" in renamed:
            renamed["type"] = types.get(renamed["type"], renamed["type"])
        return renamed

    for game in (JSON, SHORT):
        record = read_json_game(older(game) | {"notation_version": 1})
        assert turns_of(record) == turns_of(read_json_game(game))


def test_states_that_wait_are_no_turns():
    """They begin the states in some versions, and may stand before every turn."""
    expected = turns_of(read_json_game(JSON))
    states = [JSON["initial_state"]]
    for state in JSON["states"]:
        if state["type"] in ("roll", "move"):
            states.append({"type": "wait4roll", "time": 0, "turn": state["turn"]})
        states.append(state)
    assert turns_of(read_json_game(JSON | {"states": states})) == expected
    states[3] = states[3] | {"turn": "L" if states[3]["turn"] == "D" else "D"}
    with pytest.raises(RecordError, match=r"states\[3\]: "):
        read_json_game(JSON | {"states": states})


def test_tags_of_any_name():
    text = '[time-control fast]\n["Time Control" "5+3"]\n[Event Ur Open 2024]\n\n1. A@A4 / C@C3'
    record = only(read_text(text, FINKEL))
    metadata = {"time-control": "fast", "Time Control": "5+3", "Event": "Ur Open 2024"}
    assert record.metadata == metadata
    for suffix in (".rgn", ".json", ".ur"):
        assert only(read_text(write_text(record, suffix))).metadata == metadata
    assert "[time-control fast]\n" in write_text(record, ".rgn")


def test_the_rgn_of_the_first_releases():
    """Turns of either side are numbered, throws are written, squares only where they change."""
    for seed in range(6):
        record = random_game(FINKEL3, seed)
        assert turns_of(only(read_text(first_rgn(record), FINKEL3))) == turns_of(record)


def first_rgn(record):
    words, turn, side = [], 0, None
    for ply in record.plies:
        if ply.side != side:
            turn, side = turn + 1, ply.side
            words.append(f"({turn})")
        if ply.step is None:
            words.append(f"r{ply.throw}")
            continue
        row = {"L": "A", "D": "C"}[ply.side]
        text = record.move_text(ply).replace("@", "5").replace("+", "6")
        move = re.fullmatch(r"([A-C])(\d)([A-C])(\d)(x?)(\*?)", text)
        assert move, text
        source = (move[1] if move[1] != move[3] else "") + (move[2] if move[2] != move[4] else "")
        assert row in "AC"
        rosette = "+" if move[6] else ""
        words.append(f"r{ply.throw}.{source}{move[5]}{move[3]}{move[4]}{rosette}".lower())
    return " ".join(words) + "#"


# What people write

PLAIN_TURNS = ["L 1 A@A4", "D 0 --", "L 4 A@A1*", "L 1 A1B1"]
RGN_TURNS = "1. A@A4 / 0 --\n2. A@A1 * A1B1"


@pytest.mark.parametrize(
    "text",
    [
        RGN_TURNS,
        "1.A@A4 / 0 --\n2.A@A1*A1B1",
        "1.A@A4/0 -- 2.A@A1*/",
        "1.a@a4 / 0\n2.a@a1 a1b1",
        "1) A@A4 / 0 -\n\n\n2) A@A1 A1B1",
        "1. A@A4 1... 0 -- 2. A@A1 * A1B1",
        "1. 1 A@A4 / 0 --\n2. 4 A@A1 1 A1B1",
        "1. A@A4 / pass\n2. A@A1",
        "1. A@A4 / 0 \N{EN DASH} 2. A@A1 * A1B1",
        "1. A@A4! {good} / 0 -- ; unlucky\n# a line\n2. A@A1 * (0:05) A1B1 1:02:03.5 ??",
        "1. A@A4 / 0 -- {a comment\nof lines} 2. A@A1 * A1B1",
        "\ufeff1. A@A4 / 0 --\r2. A@A1 * A1B1\r",
        "Rules: Finkel:3\n\n1. A@A4 / 0 --\n2. A@A1 * A1B1",
        "[rules FINKEL:3]\n1. A@A4 / 0 --\n2. A@A1 * A1B1",
        "RULES: finkel:3\n\n" + "\n".join(PLAIN_TURNS) + "\nend: unfinished",
        "rules: Finkel:3\n\nl 1 a@a4\nd 0\nl 4 a@a1\nl 1 A1B1\nEND: Unfinished",
        "rules: finkel:3\nLight 1 A@A4 # good\nDark 0 - {oh}\nLIGHT 4 A@A1 ; x\nL 1 A1B1 0:05\n"
        "End: unfinished",
        "1. L 1 A@A4\n2. D 0 --\n3. L 4 A@A1*\n4. L 1 A1B1\nend: unfinished",
    ],
)
def test_the_same_game_by_other_hands(text):
    expected = turns_of(only(read_text("\n".join(PLAIN_TURNS) + "\nend: unfinished", FINKEL3)))
    games = list(read_text(text, FINKEL3))
    if "pass" in text or "*/" in text:  # a pass has a throw, and a turn a move
        assert isinstance(games[0], RecordFault)
        return
    assert turns_of(only(games)) == expected


def test_missing_marks_are_read_and_wrong_ones_refused():
    for seed in range(8):
        record = random_game(FINKEL, seed)
        for suffix in (".rgn", ".ur"):
            head, _, turns = write_text(record, suffix).partition("\n\n")
            bare = re.sub(r"(?<=[\dA-C])\+", "", re.sub(r" \*|(?<=\d)\*|(?<=\d)x", "", turns))
            assert bare != turns
            assert turns_of(only(read_text(f"{head}\n\n{bare}"))) == turns_of(record)
    for wrong in ("A@A4x", "A@A4 *", "A@A4*"):
        (fault,) = read_text(f"1. {wrong}", FINKEL)
        assert "is not legal with throw 1" in fault.reason


@pytest.mark.parametrize(
    ("words", "ending", "winner", "left"),
    [
        ("1-0", Ending.ENDED, "L", None),
        ("0-1", Ending.ENDED, "D", None),
        ("L wins", Ending.ENDED, "L", None),
        ("dark won", Ending.ENDED, "D", None),
        ("light resigned", Ending.RESIGNED, "D", "L"),
        ("D resigns", Ending.RESIGNED, "L", "D"),
        ("Light lost on time", Ending.TIMEOUT, "D", "L"),
        ("dark timed out", Ending.TIMEOUT, "L", "D"),
        ("dark lost", Ending.ENDED, "L", None),
        ("light left", Ending.ABANDONED, None, "L"),
    ],
)
def test_results_in_words(words, ending, winner, left):
    rgn = only(read_text(f"{RGN_TURNS} {words}", FINKEL3))
    plain = only(read_text("\n".join([*PLAIN_TURNS, words]), FINKEL3))
    header = only(read_text("\n".join([*PLAIN_TURNS, f"end: {words}"]), FINKEL3))
    for record in (rgn, plain, header):
        assert (record.ending, record.winner, record.loser_by_choice) == (ending, winner, left)
        for suffix in (".rgn", ".json", ".ur"):
            again = only(read_text(write_text(record, suffix)))
            expected = kept_of(record)
            if suffix == ".json" and ending is Ending.ABANDONED:
                expected[5] = "external"  # a reason must be given
            assert kept_of(again) == expected


def test_a_result_that_the_board_contradicts_is_refused():
    won = write_text(random_game(FINKEL3, 1), ".rgn")
    winner = only(read_text(won)).winner
    wrong, right = ("0-1", "1-0") if winner == "L" else ("1-0", "0-1")
    assert only(read_text(f"{won} {right}")).ending is Ending.WON
    (fault,) = read_text(f"{won} {wrong}")
    assert "the record gives the game to" in fault.reason


def test_a_result_tag_is_kept_and_believed():
    record = only(read_text(f'[Result "0-1"]\n\n{RGN_TURNS}', FINKEL3))
    assert (record.ending, record.winner) == (Ending.ENDED, "D")
    assert record.metadata == {"Result": "0-1"}


COMMENTED = """# my game
; played in a cafe

[Light "Ann"]
[Clock "5+3"]

1. A@A4 {good: \\} is a brace, \\\\ a backslash} [%] / 0 -- ; unlucky
2. A@A1 * {[%clk 0:04:30]} A1B1 0:04:10 !?
# the end of
# a page
/ 0
"""


def test_a_command_without_braces_is_a_comment():
    with_braces = COMMENTED.replace(" [%]", "")
    without = with_braces.replace("{[%clk 0:04:30]}", "[%clk 0:04:30]")
    assert kept_of(only(read_text(without, FINKEL3))) == kept_of(
        only(read_text(with_braces, FINKEL3))
    )


def test_comments_clocks_and_tags_are_kept_and_written_back(tmp_path):
    record = only(read_text(COMMENTED.replace(" [%]", ""), FINKEL3))
    assert record.metadata == {"Light": "Ann", "Clock": "5+3"}
    assert record.comments == {
        0: "my game\nplayed in a cafe",
        1: "good: } is a brace, \\ a backslash",
        2: "unlucky",
        3: "[%clk 0:04:30]",
        4: "[%clk 0:04:10]\n!?\nthe end of\na page",
    }
    for suffix in (".rgn", ".json", ".ur"):
        path = tmp_path / f"games{suffix}"
        write_games([record, record], path)
        games = list(read_file(str(path)))
        assert [kept_of(game) for game in games] == [kept_of(record)] * 2
        again = tmp_path / f"again{suffix}"
        write_games(games, again)
        assert again.read_text() == path.read_text()


TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12) | st.sampled_from(
    ["{", "}", "\\", "a\nb", "# x", "[%clk 0:05]", "[%clk 0:05] x", "1-0", "; y", "[Light Ann]"]
)


@given(
    seed=st.integers(0, 1000),
    cut=st.integers(1, 30),
    comments=st.dictionaries(st.integers(0, 30), st.lists(TEXT, min_size=1, max_size=3)),
    ending=st.sampled_from([
        {},
        {"ending": Ending.ENDED},
        {"ending": Ending.ENDED, "winner": "L"},
        {"ending": Ending.RESIGNED, "winner": "L", "loser_by_choice": "D"},
        {"ending": Ending.TIMEOUT, "winner": "D", "loser_by_choice": "L"},
        {"ending": Ending.ABANDONED, "reason": "rain"},
    ]),
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_round_trip_of_comments_and_endings(seed, cut, comments, ending):
    played = random_game(FINKEL3, seed, cut)
    texts = {}
    for index, lines in comments.items():
        text = "\n".join(line.rstrip() for line in "\n".join(lines).split("\n")).strip()
        if text and index <= len(played.plies):
            texts[index] = text
    if played.winner:
        ending = {"ending": Ending.WON, "winner": played.winner}
    record = GameRecord(played.rules, played.start, played.plies, comments=texts, **ending)
    for suffix in (".rgn", ".json", ".ur"):
        text = write_text(record, suffix)
        games = list(read_text(f"{text}\n{text}"))
        assert [kept_of(game) for game in games] == [kept_of(record)] * 2, text


def test_metadata_of_states_is_kept():
    game = json.loads(json.dumps(SHORT))
    game["states"][1]["metadata"] = {"engine": "panda", "depth": "7"}
    game["states"][2]["metadata"] = {"Comment": "a [odd] remark"}
    game["initial_state"]["metadata"] = {"Comment": "before"}
    record = read_json_game(game)
    assert record.comments == {0: "before", 2: "[%engine panda] [%depth 7]", 3: "a [odd] remark"}
    again = json.loads(write_text(record, ".json"))
    for index in (1, 2):
        assert again["states"][index]["metadata"] == game["states"][index]["metadata"]
    assert kept_of(only(read_text(write_text(record, ".rgn")))) == kept_of(record)


@pytest.mark.parametrize("text", ["", " \n\t\n", "\ufeff", "# my game\n", "{a}", "; x\r# y", "[]"])
@pytest.mark.parametrize("suffix", [".rgn", ".json", ".ur"])
def test_what_is_no_game_is_none(text, suffix, tmp_path):
    path = tmp_path / f"x{suffix}"
    path.write_text(text)
    (fault,) = read_file(str(path))
    assert str(fault) == f"{path}: no game in it"


def test_a_comment_is_no_game_of_its_own():
    for text in (f"# my game\n{RGN_TURNS}", f"{RGN_TURNS}#\n# the end", f"{{my}}\n{RGN_TURNS}"):
        assert len(list(read_text(text, FINKEL3))) == 1
    first, second = read_text(f"{RGN_TURNS}# {{his}}\n\n# the second\n{RGN_TURNS}", FINKEL3)
    assert (first.comments, second.comments) == ({4: "his"}, {0: "the second"})


def test_all_faults_of_a_game_are_reported():
    rgn = "[Oops\n[Light Ann]\n\n1. A@Z4 / C@C3\n3. A@A4 (2. A@A3) / ?C\n"
    (fault,) = read_text(rgn, FINKEL)
    places = re.findall(r"line \d+, column \d+", fault.reason)
    assert places == [f"line {line}, column {column}" for line, column in (
        (1, 1), (4, 4), (5, 1), (5, 9))]  # fmt: skip
    plain = 'rules: chess\nLight: "Ann\nA: x\nA: y\n\nL 1 A@A4\nend: lost'
    (fault,) = read_text(plain)
    assert re.findall(r"line (\d+)", fault.reason) == ["1", "2", "4", "3", "7"]
    values = JSON | {"settings": {"dice": "two", "start_pieces": 0}, "metadata": 3, "states": 4}
    with pytest.raises(RecordError) as caught:
        read_json_game(values)
    for key in ("board_shape", "paths", "dice", "start_pieces", "safe_rosettes", "metadata", "st"):
        assert key in str(caught.value)


def test_a_folder_gives_its_games_only(tmp_path):
    for name in ("a.rgn", "b.JSON", "sub/c.ur", "sub/d.jsonl", "e.txt", "README.md", ".f.rgn"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("1. A@A4")
    for folder in (".git", ".hidden"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "g.rgn").write_text("1. A@A4")
    (tmp_path / "sub" / "loop").symlink_to(tmp_path)
    (tmp_path / "nowhere.rgn").symlink_to(tmp_path / "gone")
    os.mkfifo(tmp_path / "pipe.rgn")
    found = [os.path.relpath(path, tmp_path) for path in find_files([str(tmp_path)])]
    assert found == ["a.rgn", "b.JSON", "sub/c.ur", "sub/d.jsonl"]


@pytest.mark.parametrize(
    "text",
    [
        "{" * 200_000,
        "(" * 200_000,
        "1. A@A4" + " " * 200_000,
        "rules: finkel\n\nL" + " " * 200_000 + "x",
        "[" * 200_000,
        '[a "' * 50_000,
        "{\\" * 100_000,
        "# " * 100_000,
        '{"notation_version"' * 20_000,
        '\n{"a":[' * 20_000,
        "\n{" * 100_000,
    ],
)
def test_hostile_texts_come_to_an_end(text):
    """None of these takes time that grows with the square of its length."""
    games = list(read_text(text, FINKEL))
    assert games
    assert all(isinstance(game, (GameRecord, RecordFault)) for game in games)
