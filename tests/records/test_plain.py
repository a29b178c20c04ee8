"""The plain notation: games of every rule set written and read, and changed games."""

import json
import re
import textwrap
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.games import OWN_RULES, RACES, random_game
from ur_solver.errors import RecordError, RuleSetError
from ur_solver.records import (
    Ending,
    GameRecord,
    RecordFault,
    Replay,
    check_output,
    plain,
    read_file,
    read_plain,
    stepper_of,
    write_games,
    write_json_game,
    write_plain,
    write_rgn,
)
from ur_solver.rules import CATALOGUE, PATHS, Dice, RuleSet, named_rules
from ur_solver.rules.turns import turn

pytestmark = pytest.mark.medium

BIRDS = """\
# a game written by hand
rules: birds:1
Light: Ann

L enter 1 2 1A@A3
D enter 4 --
L move 3 1A3B1
D enter 1 0 --
L move 4 1B1B5
D enter 1 4 1C@C1*
L move 3 1B5B8
D move 1 1C1B1
L move 1 1B8A8
D move 0 --
L move 2 1A8A+
"""


def only(games):
    (game,) = games
    assert isinstance(game, GameRecord), game
    return game


def turns_of(record):
    return [(ply.side, ply.choice, ply.throws, ply.state, ply.played) for ply in record.plies]


@given(
    rules=st.sampled_from(OWN_RULES + RACES),
    pieces=st.integers(1, 3),
    seed=st.integers(0, 2**32),
    cut=st.integers(0, 200),
    ending=st.sampled_from([
        {"ending": Ending.UNFINISHED},
        {"ending": Ending.ENDED},
        {"ending": Ending.RESIGNED, "winner": "L", "loser_by_choice": "D"},
        {"ending": Ending.ABANDONED, "reason": "he said: \"so, winner L\"\n"},
        {"ending": Ending.ABANDONED, "winner": "D", "loser_by_choice": "L", "reason": "late"},
    ]),
    player=st.text(st.characters(exclude_categories=("Cs",)), max_size=20),
)  # fmt: skip
@settings(max_examples=80, deadline=None)
def test_round_trip(rules, pieces, seed, cut, ending, player):
    record = random_game(rules.with_pieces(pieces), seed, cut)
    if record.ending is not Ending.WON:
        record = GameRecord(record.rules, record.start, record.plies, **ending)
    record.metadata["Light"] = player
    text = write_plain(record)
    again = only(read_plain(text))
    assert again.rules == record.rules
    assert turns_of(again) == turns_of(record)
    for name in ("start", "ending", "winner", "loser_by_choice", "reason", "metadata"):
        assert getattr(again, name) == getattr(record, name)
    assert write_plain(again) == text


@pytest.mark.parametrize("rules", OWN_RULES, ids=lambda rules: rules.name)
def test_moves_are_those_of_the_readable_rules(rules):
    """Every throw and move of some games is among those of `turns.turn`."""
    rules = rules.with_pieces(2)
    for seed in range(3):
        record = random_game(rules, seed, 60)
        for index, ply in enumerate(record.plies):
            position = record.stepper.position(ply.state, ply.side)
            (choice,) = (each for each in turn(position) if each.name == ply.choice)
            if index == 0 and rules.mechanics.opening_throw:
                assert ply.throws == (rules.mechanics.opening_throw,)
            (outcome,) = (each for each in choice.outcomes if each.throws == ply.throws)
            texts = [record.stepper.text(ply.side, step) for step in ply.steps]
            assert texts == [move.text for move in outcome.moves]
            assert len(set(texts)) == len(texts)
            for step, move in zip(ply.steps, outcome.moves, strict=True):
                assert record.stepper.position(step.state, move.position.side) == move.position
        assert record.stepper.position(record.plies[0].state, "L") == rules.start()


@pytest.mark.parametrize("name", ["rules", "start", "opening", "end"])
def test_metadata_may_have_the_name_of_a_header(name):
    record = random_game(named_rules("birds:2"), 1, 10)
    record.metadata[name] = "2-2"
    assert only(read_plain(write_plain(record))).metadata == {name: "2-2"}


def test_the_documented_example_is_a_game():
    text = plain.__doc__
    lines = re.search(r"(?:^ {4}.*\n|^\n)+", text[text.index("    rules:") :], re.MULTILINE)
    record = only(read_plain(textwrap.dedent(lines[0])))
    assert (record.rules, len(record.plies)) == (named_rules("birds:2"), 3)
    assert (record.ending, record.winner) == (Ending.ABANDONED, "L")


def test_a_game_written_by_hand():
    record = only(read_plain(BIRDS))
    assert record.winner == "L"
    assert record.ending is Ending.WON
    assert record.metadata == {"Light": "Ann"}
    assert [ply.choice for ply in record.plies[:3]] == ["enter", "enter", "move"]
    assert record.plies[0].throws == (1, 2)
    assert record.plies[3].throws == (1, 0)
    assert write_plain(record).endswith("\nL move 2 1A8A+\nend: won, winner L")
    by_table = only(read_plain(BIRDS.replace("rules: birds:1\n", ""), named_rules("birds:1")))
    assert turns_of(by_table) == turns_of(record)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("L enter 1 2 1A@A3", "L enter 1 2 1A@A4*",
         r"line 5, column 13: move '1A@A4\*' is not legal with throw 1 2 after 'enter' in "
         r"'....__../......../....__.. L 1 1'; legal: 1A@A3$"),
        ("D enter 4 --", "D enter 4 1C@C1*", r"line 6, column 11: move .* legal: none, the turn p"),
        ("L enter 1 2", "L enter 1", "line 5, column 9: throw '1' after 'enter' in .*: "
         "expected one of 0, 1 0, 1 1, 1 2, 1 3, 1 4, 2, 3, 4"),
        ("D enter 4", "D enter 4 4", "line 6, column 9: throw '4 4' after 'enter'"),
        ("D enter 4", "D enter 7", "line 6, column 9: throw 7: 4-binary dice show 0, 1, 2, 3, 4"),
        ("L enter 1", "L move 1", "line 5, column 3: 'move' is not a choice .*; expected 'enter'"),
        ("L enter 1", "L 1", "line 5, column 3: '1' is not a choice .*; expected 'enter'"),
        ("L move 3 1A3B1", "L move three", "line 7, column 8: 'three' is not a throw"),
        ("L move 3 1A3B1", "L move 3", "line 7, column 9: move '' is not legal .*; legal: 1A3B1"),
        ("L move 3 1A3B1", "L move", "line 7, column 7: '' is not a throw"),
        ("L move 3 1A3B1", "L move 3 --", "line 8, column 1: the move is missing for the throw 3 "
         "at line 7 in .*; legal: 1A3B1"),
        ("D enter 4 --\n", "", "line 6, column 1: light moves, but it is dark's turn; a turn is"),
        ("D enter 4 --", "X enter 4 --", "line 6, column 1: 'X' begins neither.*expected 'D'"),
        ("L move 2 1A8A+\n", "", "line 14: the game is incomplete: expected a turn of light or an"),
        ("L move 2 1A8A+", "end: won", "line 15: the record says that the game was won, but n"),
        ("1A8A+\n", "1A8A+\nend: unfinished", "line 16: end: unfinished, but light bore off"),
        ("1A8A+\n", "1A8A+\nend: won, winner D", "line 16: the record gives the game to dark"),
        ("1A8A+\n", "1A8A+\nD enter 0 --", "line 16, column 1: the game was over: light had won"),
        ("L move 2 1A8A+", "end: lost", "line 15: end: 'lost' is not an end such as"),
        ("L move 2 1A8A+", "end: resigned", "line 15: end: the side that resigned is missing"),
        ("L move 2 1A8A+", "end: resigned by D, winner D", "line 15: end: dark resigned the game"),
        ("birds:1", "bird:1", r"line 2: rules: 'bird:1' is not in the catalogue"),
        ("birds:1", "birds:6", r"line 2: rules: .*pieces is 6, not between 1 and 5"),
        ("birds:1", "/etc/rules.json", "line 2: rules: .* is not in the catalogue"),
        ("rules: birds:1\n", "", "line 2: the rules are missing; write a header such as"),
        ("Light: Ann", "start: nowhere", "line 3: start: position 'nowhere'"),
        ("Light: Ann", 'Light: "Ann', "line 3: '\"Ann' is not a JSON string"),
        ("Light: Ann", "Light: Ann\nLight: Bob", "line 4: the header 'Light' is already on line 3"),
    ],
)  # fmt: skip
def test_a_changed_game_is_refused_with_its_place(old, new, message):
    (fault,) = read_plain(BIRDS.replace(old, new, 1))
    with pytest.raises(RecordError, match=message):
        raise fault


def test_a_game_cut_anywhere_is_refused():
    text = write_plain(random_game(named_rules("ben:1"), 3))
    won = text.rindex("\nend")
    for size in range(7, won - 1, 7):
        (game,) = read_plain(text[:size], named_rules("ben:1"))
        assert isinstance(game, RecordError), text[:size]
    assert only(read_plain(text[:won])).ending is Ending.WON


def test_nobody_has_left_a_game_that_was_won_on_the_board():
    text = write_plain(random_game(named_rules("ben:1"), 3))
    won, winner = text[: text.rindex("\nend")], text[-1]
    loser = {"L": "D", "D": "L"}[winner]
    record = only(read_plain(f"{won}\nend: resigned by {loser}, winner {winner}, reason late"))
    assert (record.ending, record.winner) == (Ending.WON, winner)
    assert (record.loser_by_choice, record.reason) == (None, None)
    assert write_plain(record) == text


def test_the_opening_throw_is_given():
    game = "rules: skiriuk:1\n\nL 2 A@A3\nend: unfinished"
    (fault,) = read_plain(game)
    assert str(fault) == "line 3, column 3: throw 2: the opening throw of skiriuk is always 1"
    only(read_plain(game.replace("L 2 A@A3", "L 1 A@A4\nD 2 C@C3")))
    from_elsewhere = "rules: skiriuk:1\nstart: ....__../......../....__.. D 1 1\n\nD 1 C@C4\n"
    only(read_plain(from_elsewhere + "end: unfinished"))


def test_the_same_move_with_and_without_another_throw():
    game = (
        "rules: casual-roll-again:1\n\nL 4 A@A1* again\nL 4 A1B4*\nD 0 --\nL 0 --\n"
        "end: abandoned, reason rain"
    )
    record = only(read_plain(game))
    assert [ply.side for ply in record.plies] == ["L", "L", "D", "L"]
    assert record.reason == "rain"
    (fault,) = read_plain(game.replace(" again", ""))
    assert "line 4, column 1: light moves, but it is dark's turn" in str(fault)


def test_stacks_and_jumps_from_a_position():
    rules = named_rules("ben:2")
    begin = rules.position("....__../...L..../....__.. L 1 2")
    replay = Replay(rules, begin)
    texts = [replay.stepper.text("L", step) for step in replay.legal((0,))]
    assert texts == [move.text for move in rules.legal_moves(begin, 0)]
    replay.take((0,), replay.legal((0,)), 0)
    record = replay.finish()
    assert only(read_plain(write_plain(record))).start == begin
    assert f"\nL 0 {texts[0]}\n" in write_plain(record)


def test_custom_rules_are_carried_as_json():
    dice = Dice.of("coin", {1: Fraction(1, 2), 2: Fraction(1, 2)})
    rules = RuleSet("mine", PATHS["murray-royalur"], dice, 1)
    record = random_game(rules, 1, 20)
    text = write_plain(record)
    assert json.loads(text.splitlines()[0].removeprefix("rules: ")) == rules.to_json()
    assert only(read_plain(text)).rules == rules
    skiriuk = named_rules("skiriuk:2")
    assert write_plain(random_game(skiriuk, 1, 5)).startswith("rules: skiriuk:2\n\nL 1 A@A4\n")


def test_one_bad_game_does_not_stop_the_rest(tmp_path):
    path = tmp_path / "games.ur"
    rules = named_rules("bell:1")
    write_games([random_game(rules, seed) for seed in range(3)], path)
    lines = path.read_text().splitlines()
    second = [k for k, line in enumerate(lines) if line.startswith("rules:")][1]
    lines[second + 2] = lines[second + 2].replace("L ", "D ", 1)
    path.write_text("\n".join(lines))
    games = list(read_file(str(path)))
    assert [isinstance(game, RecordFault) for game in games] == [False, True, False]
    assert str(games[1]) == (
        f"{path}: game 2: line {second + 3}, column 1: dark moves, but it is light's turn; "
        "a turn is missing or there is one too many"
    )
    (fault,) = list(read_file(str(path), named_rules("bell:2")))[:1]
    assert "the game was played by bell:1, not bell:2" in str(fault)


def test_a_notation_that_cannot_carry_the_rules_is_refused_at_once(tmp_path):
    birds = CATALOGUE["birds"]
    check_output(tmp_path / "games.ur", birds)
    for suffix in (".rgn", ".json", ".jsonl"):
        with pytest.raises(RuleSetError, match=r"games of birds, .*the plain notation, \.ur"):
            check_output(tmp_path / f"games{suffix}", birds)
    with pytest.raises(RuleSetError, match="extra_on_throw"):
        check_output(tmp_path / "games.json", CATALOGUE["four-again"])
    with pytest.raises(RecordError, match=r"there are ur \(\.ur\), rgn \(\.rgn\), json"):
        write_games([], tmp_path / "games.txt")
    assert not list(tmp_path.iterdir())
    record = random_game(named_rules("birds:1"), 1, 4)
    with pytest.raises(RuleSetError, match=r"use the plain notation, \.ur"):
        write_rgn(record)
    with pytest.raises(RuleSetError, match=r"use the plain notation, \.ur"):
        write_json_game(record)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_no_change_of_a_text_crashes_the_reader(data):
    text = BIRDS
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(at, min(len(text), at + 12)))
        text = text[:at] + data.draw(
            st.sampled_from(["", "\n", "end:", "L ", ' "', "--", "99", "rules: ", "{", "\u2028"])
            | st.text(max_size=3)
        ) + text[end:]  # fmt: skip
    for game in read_plain(text, named_rules("birds:1")):
        assert isinstance(game, GameRecord) or str(game)


def test_the_stepper_is_shared():
    assert stepper_of(named_rules("birds:2")) is stepper_of(named_rules("birds:2"))


def test_comments_after_a_turn_are_read_from_the_left():
    game = "rules: finkel:1\n\nL 1 A@A4 {a # b} {c} 0:05 ; d {e}\nend: unfinished"
    (record,) = read_plain(game)
    assert record.comments == {1: "a # b\nc\n[%clk 0:05]\nd {e}"}
    # a line of very many takes no more than their length
    many = game.replace("{c}", "{c} " * 20_000)
    (record,) = read_plain(many)
    assert record.comments[1].count("\nc") == 20_000
