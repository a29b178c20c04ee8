"""Both notations: the sample games byte for byte, and round trips."""

import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.games import GAMES, NAMES, RACES, random_game
from ur_solver.errors import RuleSetError
from ur_solver.records import (
    Ending,
    GameRecord,
    Replay,
    read_file,
    read_json_game,
    read_plain,
    read_rgn,
    rules_from_settings,
    rules_word,
    settings_of,
    write_games,
    write_json_game,
    write_plain,
    write_rgn,
)
from ur_solver.rules import CATALOGUE, PATHS, Dice, RuleSet, named_rules


def only(games):
    (game,) = games
    assert isinstance(game, GameRecord), game
    return game


def moves_of(record):
    return [(ply.side, ply.throws, ply.state, ply.played) for ply in record.plies]


@pytest.mark.parametrize("name", NAMES)
def test_json_is_written_as_it_was_read(name):
    text = (GAMES / f"{name}.json").read_text()
    assert write_json_game(read_json_game(json.loads(text))) == text


@pytest.mark.parametrize("name", NAMES)
def test_rgn_is_written_as_it_was_read(name):
    path = GAMES / f"{name}.rgn"
    rules = only(read_file(str(path.with_suffix(".json")))).rules
    assert write_rgn(only(read_file(str(path), rules))) == path.read_text()


@pytest.mark.parametrize("name", NAMES)
def test_both_notations_hold_the_same_game(name):
    by_json = only(read_file(str(GAMES / f"{name}.json")))
    by_rgn = only(read_file(str(GAMES / f"{name}.rgn"), by_json.rules))
    assert moves_of(by_json) == moves_of(by_rgn)
    assert by_json.metadata == by_rgn.metadata
    assert write_rgn(by_json) == write_rgn(by_rgn)


@pytest.mark.parametrize(
    ("name", "ending", "winner"),
    [
        ("finkel-1", Ending.WON, "L"),
        ("finkel-short-resigned", Ending.RESIGNED, "D"),
        ("finkel-short-abandoned-player", Ending.ABANDONED, "L"),
        ("finkel-short-abandoned-external", Ending.ABANDONED, None),
        ("finkel-short-wait4move", Ending.UNFINISHED, None),
        ("finkel-empty", Ending.UNFINISHED, None),
    ],
)
def test_endings(name, ending, winner):
    record = only(read_file(str(GAMES / f"{name}.json")))
    assert (record.ending, record.winner) == (ending, winner)
    by_rgn = only(read_file(str(GAMES / f"{name}.rgn"), record.rules))
    assert (by_rgn.ending is Ending.UNFINISHED) == (ending is Ending.UNFINISHED)


def test_json_without_metadata_and_of_version_1_is_read():
    values = json.loads((GAMES / "finkel-1.json").read_text())
    expected = read_json_game(values)
    del values["metadata"]
    assert moves_of(read_json_game(values)) == moves_of(expected)
    values["notation_version"] = 1
    for state in values["states"]:
        move = state.get("move", {})
        for key, code in move.items():
            move[key] = {"owner": "L" if code > 0 else "D", "index": abs(code) - 1}
    assert moves_of(read_json_game(values)) == moves_of(expected)


@given(
    name=st.sampled_from(RACES).map(lambda rules: rules.name),
    pieces=st.integers(1, 3),
    seed=st.integers(0, 2**32),
    cut=st.integers(0, 300),
    ending=st.sampled_from([Ending.UNFINISHED, Ending.ENDED]),
    player=st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20),
)
@settings(max_examples=60, deadline=None)
def test_rgn_round_trip(name, pieces, seed, cut, ending, player):
    record = random_game(CATALOGUE[name].with_pieces(pieces), seed, cut)
    if not record.plies:
        ending = Ending.UNFINISHED
    if record.ending is not Ending.WON:
        record = GameRecord(record.rules, record.start, record.plies, ending)
    record.metadata["Light"] = player
    text = write_rgn(record, with_rules=True)
    again = only(read_rgn(text))
    assert again.rules.is_same_game(record.rules)
    assert moves_of(again) == moves_of(record)
    assert (again.ending, dict(again.metadata)) == (record.ending, {"Light": player})
    assert write_rgn(again, with_rules=True) == text


@given(
    name=st.sampled_from(["finkel", "masters", "masters-4dice", "blitz", "aseb", "conventional"]),
    pieces=st.integers(1, 3),
    seed=st.integers(0, 2**32),
    cut=st.integers(0, 300),
)
@settings(max_examples=40, deadline=None)
def test_json_round_trip(name, pieces, seed, cut):
    record = random_game(CATALOGUE[name].with_pieces(pieces), seed, cut)
    text = write_json_game(record)
    again = read_json_game(json.loads(text))
    assert again.rules == record.rules or again.rules.is_same_game(record.rules)
    assert moves_of(again) == moves_of(record)
    assert write_json_game(again) == text


def test_a_game_from_another_position_is_carried():
    rules = named_rules("finkel:2")
    begin = rules.position("..L.__../..D...../....__D. D 1 0")
    replay = Replay(rules, begin)
    replay.take((4,), replay.legal((4,)), 0)
    record = replay.finish()
    for again in (
        read_json_game(json.loads(write_json_game(record))),
        only(read_rgn(write_rgn(record, with_rules=True))),
        only(read_plain(write_plain(record))),
    ):
        assert again.start == begin
        assert moves_of(again) == moves_of(record)


def test_an_ambiguous_move_names_its_throw():
    # The path murray visits B7 twice, six squares apart.
    dice = Dice.of("long", {1: Fraction(1, 2), 7: Fraction(1, 2)})
    rules = RuleSet("long", PATHS["murray"], dice, 1)
    begin = rules.position("....__../.....L../....__.. L 0 1")
    replay = Replay(rules, begin)
    replay.take((7,), replay.legal((7,)), 0)
    record = replay.finish()
    text = write_rgn(record, with_rules=True)
    assert "7:B6B7" in text
    assert moves_of(only(read_rgn(text))) == moves_of(record)


def test_settings_carry_what_they_can():
    for rules in RACES:
        if rules.name in ("four-again", "four-again-d4", "finkel-3dice", "murray", "murray-0-to-3"):
            with pytest.raises(RuleSetError, match="RGN"):
                settings_of(rules)
        else:
            assert rules_from_settings(settings_of(rules)).is_same_game(rules)
    with pytest.raises(RuleSetError, match="extra_on_throw"):
        settings_of(CATALOGUE["four-again"])
    with pytest.raises(RuleSetError, match="dice"):
        settings_of(CATALOGUE["finkel-3dice"])
    assert rules_word(named_rules("finkel:3")) == "finkel:3"
    assert rules_word(named_rules("blitz")) == "blitz"


def test_files_of_many_games(tmp_path):
    rules = named_rules("finkel:1")
    records = [random_game(rules, seed) for seed in range(4)]
    for suffix in (".rgn", ".json", ".jsonl", ".ur"):
        path = tmp_path / f"games{suffix}"
        write_games(records, path)
        again = list(read_file(str(path), rules))
        assert [moves_of(record) for record in again] == [moves_of(record) for record in records]
        assert [record.number for record in again] == [1, 2, 3, 4]
    array = tmp_path / "array.json"
    array.write_text("[" + ",\n".join(map(write_json_game, records)) + "]")
    assert len(list(read_file(str(array)))) == 4


def test_rgn_without_a_rule_set_is_read_by_the_rules_that_fit():
    assert only(read_file(str(GAMES / "blitz-1.rgn"))).rules.name == "blitz"
    assert only(read_file(str(GAMES / "finkel2p-greedy.rgn"))).rules == named_rules("finkel:2")
    (fault,) = read_file(str(GAMES / "finkel-empty.rgn"))
    assert "fits several: finkel, " in str(fault)


def test_names_of_any_kind_are_carried(tmp_path):
    record = random_game(named_rules("finkel:1"), 1)
    name = 'two\nlines, "quotes", \\, \u2028, \x85 and \u00fcml\u00e4uts]'
    record.metadata["Light"] = name
    for suffix in (".rgn", ".json", ".ur"):
        path = tmp_path / f"games{suffix}"
        write_games([record, record], path)
        assert [game.metadata["Light"] for game in read_file(str(path))] == [name, name]


def test_metadata_is_not_mistaken_for_our_tags():
    record = random_game(named_rules("finkel:1"), 1)
    record.metadata["Rules"] = "masters"
    assert only(read_rgn(write_rgn(record), record.rules)).rules == record.rules
