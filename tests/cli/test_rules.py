"""`ur rules`: the list, a rule set by any of its words, and rule sets changed by options."""

from __future__ import annotations

import json
import pathlib

import pytest

from tests.cli.test_commands import run
from ur_solver.rules import CATALOGUE, RuleSet, named_rules
from ur_solver.table.reader import TableFile

pytestmark = pytest.mark.medium


def test_rules_are_listed():
    sets, documents, _ = run("rules").split("\n\n")
    lines = sets.splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(CATALOGUE)
    # the rest of a line sets every rule set apart
    assert len({line.partition(" ")[2].strip() for line in lines}) == 1 + len(CATALOGUE)
    named = {line.split()[-1] for line in documents.splitlines()[1:]}
    assert named == set(CATALOGUE)
    sets = [RuleSet.from_json(line) for line in run("rules", "--json").splitlines()]
    assert sets == list(CATALOGUE.values())


def test_a_rule_set_is_shown():
    output = run("rules", "four-again", "-n", "3")
    assert output.startswith("four-again\n\n  leaflet with three versions (French): version 3.\n")
    assert (
        "\n  Also called masters-games.\n  See also four-again-d4.\n\n  3 pieces a side" in output
    )
    assert "1 (3/8), 2 (3/8), 3 (1/8), 4 (1/8)" in output
    assert "An extra throw may be made after a move that was made with a throw of 4." in output
    assert "\n4.4 Family race\n\n  - A square holds one piece." in output
    assert "\n  $ ur moves four-again '...L__" in output
    assert "positions  512,349" in output
    assert "1 piece a side; the first to bear it off wins." in run("rules", "finkel:1")
    assert "on disk" in output


def test_rules_are_found_by_words_of_their_document():
    found = run("rules", "version", "2").splitlines()
    assert [line.split()[0] for line in found[1:4]] == ["ben", "ben-4dice", "ben-d4"]
    page = run("rules", "version 2 four dice", "-n", "3")
    assert page.startswith("ben-4dice\n\n  leaflet with three versions (French): version 2, Ben's")
    assert "\n  3 pieces a side" in page
    assert run("rules", "Hirondelle", "die", "--json") == run("rules", "birds-d4", "--json")
    found = run("rules", "Скирюк")
    assert [line.split()[0] for line in found.splitlines()[1:3]] == ["skiriuk", "skiriuk-d4"]
    assert "finkel" not in found
    fault = run("rules", "version 3", "-n", "3", code=2)
    assert "'version 3' may be four-again or four-again-d4" in fault
    page = run("rules", "finkel")
    assert "See also finkel-3dice." in page
    assert "\n  RoyalUr's presets: Finkel.\n" in page


def test_limits_of_a_table_are_no_rules():
    prose, _, costs = run("rules", "bell-stakes", "-n", "2").partition("\n\n  positions")
    assert "--fines" not in prose
    assert "Tables have values of their own for up to 26 fines paid" in " ".join(costs.split())


def test_rules_fit_the_terminal(monkeypatch: pytest.MonkeyPatch):
    texts = []
    for width in (60, 80, 100, 200):
        monkeypatch.setenv("COLUMNS", str(width))
        prose, _, _ = run("rules", "ben").partition("\n\n  positions")
        assert "**" not in prose
        assert "`" not in prose
        wide = [line for line in prose.splitlines() if len(line) > width]
        assert all(line.startswith(("  $ ur moves", "    ", "  <row A>")) for line in wide)
        texts.append(" ".join(prose.split()))
    assert len(set(texts)) == 1  # the same words, whatever the width
    assert "A capture always ends the turn." in texts[0]


def test_rules_of_a_custom_rule_set():
    output = " ".join(run("rules", "blitz", "--no-extra-on-rosette", "--dice", "d4").split())
    assert "An extra throw follows a move that captures." in output
    assert "3.4 Dice d4" in output
    assert "4.4 Family race" in output
    assert "Rule set blitz" not in output
    again = "Landing on a rosette gives an extra throw, which may be declined."
    for name, said in (("casual", "There are no extra throws."), ("casual-roll-again", again)):
        assert said in " ".join(run("rules", name).split())
    stacked = run("rules", "skiriuk", "--stack-height", "2", "--depots", "a3", "--flip", "on")
    turned = "Pieces turn over at index 12, on A8, the corner."
    most = "The most pieces in a stack: 2."
    for said in (most, "instead of the eyes: A3.", turned):
        assert said in " ".join(stacked.split())
    assert "The most pieces in a stack" not in run("rules", "skiriuk")


def test_rules_of_squares_are_described(tmp_path: pathlib.Path):
    rules = json.loads(run("rules", "finkel", "--json"))
    rules["squares"] = {"A1": {"rule": "stack", "capacity": 2, "one_side": True}, "B4": "shared"}
    (tmp_path / "squares.json").write_text(json.dumps(rules | {"name": "squares"}))
    page = " ".join(run("rules", str(tmp_path / "squares.json")).split())
    assert (
        "On A1: A stack of up to 2 pieces of one side; only the top one may move; none is captured."
        in page
    )
    assert "On B4: Any number of pieces of both sides; none is captured." in page
    assert "(rules, " not in page


def test_custom_rules_go_through_json(tmp_path: pathlib.Path):
    text = run("rules", "finkel:1", "--path", "murray-royalur", "--json")
    rules = RuleSet.from_json(text)
    assert rules.name == "finkel-murray-royalur"
    assert rules.path.name == "murray-royalur"
    (tmp_path / "my.json").write_text(text)
    assert json.loads(run("rules", str(tmp_path / "my.json"), "--json")) == json.loads(text)
    table = tmp_path / "my.h5"
    assert "positions  743" in run("rules", str(tmp_path / "my.json"))
    assert "743 positions" in run("solve", str(tmp_path / "my.json"), "-o", str(table))
    with TableFile(table) as opened:
        assert opened.rules == rules


@pytest.mark.parametrize(
    ("options", "changes"),
    [
        (["--dice", "d4"], {"dice": "d4"}),
        (["--no-safe-rosettes"], {"safe_rosettes": False}),
        (["--no-extra-on-rosette"], {"extra_on_rosette": False}),
        (["--extra-on-capture"], {"extra_on_capture": True}),
        (["--extra-on-throw", "3"], {"extra_on_throw": 3}),
        (["--extra-throw", "may"], {"extra_throw": "may"}),
        (["--extra-throw", "must"], {}),
        (["--safe-rosettes", "--path", "bell"], {}),
    ],
)
def test_every_custom_option(options, changes):
    plain = named_rules("finkel").to_json()
    custom = json.loads(run("rules", "finkel", *options, "--json"))
    assert (custom.pop("name") == plain.pop("name")) == (not changes)
    assert custom == plain | changes


def test_an_extra_throw_can_be_taken_away():
    custom = json.loads(run("rules", "masters-games", "--no-extra-on-throw", "--json"))
    assert custom["extra_on_throw"] is None


def test_a_fault_of_a_file_names_it(tmp_path: pathlib.Path):
    for text, fault in (
        ('{"name": "finkel"}', "the key 'path' is missing"),
        ("[", "not JSON"),
        (json.dumps(named_rules("finkel").to_json() | {"pieces": 99}), "pieces is 99"),
    ):
        (tmp_path / "odd.json").write_text(text)
        message = run("moves", str(tmp_path / "odd.json"), code=2)
        assert f"Error: '{tmp_path / 'odd.json'}': rule set" in message
        assert fault in message


def test_a_game_without_end_is_shown_with_the_reason_why_it_has_no_values(tmp_path: pathlib.Path):
    """A piece of five squares that moves four is never borne off: both capture on B2 for ever."""
    path = {"name": "five", "board": "ur", "squares": ["A3", "B4", "A7", "B2", "B6"]}
    dice = {"name": "fours", "throws": {"0": "1/3", "4": "2/3"}}
    rules = {"name": "stuck", "path": path, "dice": dice, "pieces": 1}
    (tmp_path / "stuck.json").write_text(json.dumps(rules))
    page = " ".join(run("rules", str(tmp_path / "stuck.json")).split())
    assert "not possible: stuck: play can go on for ever from" in page
