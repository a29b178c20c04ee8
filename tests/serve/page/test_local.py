"""What the page answers on a site, which has files and no server, against Python's functions."""

from __future__ import annotations

import json
import math
from itertools import product

import pytest

from tests.games import random_game
from tests.serve.browser import needs_browser
from tests.serve.page.engine import call, drawn_answer, engine_page, near, plain, without_numbers
from ur_solver.answers.openings import known_opening, source_of
from ur_solver.audit.dice_test import RARE, SERIES, VERY_RARE, compared_throws
from ur_solver.publish.site import publish
from ur_solver.records import NOTATIONS
from ur_solver.rules import DARK
from ur_solver.rules.openings import level
from ur_solver.rules.svg import board_svg
from ur_solver.serve.answers import audit_text, converted_text
from ur_solver.serve.rules_data import games_values, rules_values, whole_table_values

pytestmark = [needs_browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def page(browser, tables, tmp_path_factory):
    """The engine on a site of small tables."""
    folder = tmp_path_factory.mktemp("site")
    publish(folder, [*tables.values()])
    with engine_page(browser, folder) as page:
        yield page


def test_a_site_describes_its_rule_sets_and_tables(page, tables):
    table = tables["finkel-1"]
    found = call(page, "games")
    cards = plain(games_values())
    assert len(found["rules"]) > 5
    assert all(each in cards for each in found["rules"])
    assert [each["id"] for each in found["tables"]] == [*tables]
    rules = call(page, "asked", "rules/finkel:1", "about")
    assert rules == plain(rules_values(table.rules)) | {"notations": ["ur", "rgn"]}
    about = call(page, "asked", "tables/finkel-1", "about")
    whole = plain(whole_table_values("finkel-1", table))
    assert {key: about[key] for key in whole} == near(whole)
    assert about["start"] == rules["start"]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("tables/aseb-9", "about"), "There is no table aseb-9 on this site."),
        (("rules/murray:1", "about"), "The rules murray:1 are not on this site."),
        (("rules/finkel:1", "position", "x", "light"), "position 'x': 1 field, expected 4: "
         "the board, the side to throw, light's home, dark's home, such as "
         "'....__../......../....__.. L 1 1'"),
    ],
)  # fmt: skip
def test_what_a_site_cannot_answer(page, asked, message):
    assert call(page, "asked", *asked)["message"] == message


NAMES = ["finkel-1", "birds-2", "ben-1"]
IN_RGN = ["finkel-3", "murray-3dice-1", "aseb-1"]


@pytest.mark.parametrize(
    ("name", "notation"), [*product(NAMES, ["ur"]), *product(IN_RGN, ["ur", "rgn"])]
)
def test_games_are_opened_and_saved_without_a_server(page, tables, name, notation):
    table = tables[name]
    games = [random_game(table.rules, 5), random_game(table.rules, 6, max_plies=6)]
    games[0].metadata.update(Light="Ann \u2014 \\", Dark=' "Ben"')
    games[1].metadata.update({"Event": "by hand"})
    texts = {
        each: "\n\n".join(map(NOTATIONS[each].write, games)) + "\n" for each in {"ur", notation}
    }
    text = texts[notation]
    for each, written in texts.items():
        for wanted in texts:
            body = {"text": written, "notation": wanted}
            expected = converted_text(table.rules, written, wanted)
            assert (
                call(page, "asked", f"tables/{name}", "convert", body["text"], body["notation"])
                == expected
            ), (each, wanted)
    found = call(page, "asked", f"tables/{name}", "audit", text)
    expected = plain(audit_text(table, text))
    assert found["faults"] == expected["faults"] == []
    for ours, theirs in zip(found["games"], expected["games"], strict=True):
        for key in (
            "game",
            "start",
            "position",
            "result",
            "names",
            "start_value",
            "end_value",
            "winner",
        ):
            assert ours[key] == near(theirs[key])
        for ply, other in zip(ours["plies"], theirs["plies"], strict=True):
            assert {key: ply[key] for key in other} == near(other)


def test_faults_of_games_without_a_server(page, tables):
    first = "rules: finkel:1\n\nL 1 A@A4\nD 3 C@C3\n"
    second = "rules: aseb:1\nL 0 --\nend: unfinished\n"
    third = "rules: finkel:1\nL 1 A@A4\nL 0 --\nD 0 --\n"
    fourth = "rules: finkel:1\nL 0 --\nD 2 --\nend: unfinished"
    text = first + second + third + fourth
    found = call(page, "asked", "tables/finkel-1", "audit", text)
    assert [len(game["plies"]) for game in found["games"]] == [1]
    one, two, three = found["faults"]
    assert one["message"] == "line 4: move 'C@C3' is not legal here; legal: C@C2"
    assert two["message"].startswith("line 5: the game has the rules aseb:1")
    assert two["place"] == {"line": 5, "column": None}
    assert three["message"] == "line 10: D is to throw, not L"


RGN = """\
# the tags of RoyalUr's library, and of this program
[Light Ann]
[Dark "Ben \\\\ \\"B\\""]
[Rules "finkel:1"]
[Ending "resigned by D"]
1. A@A4 / 0 --
2. A4A1 * 2:A1B2 ; a comment
   / 0 --#
"""


@pytest.mark.parametrize(
    ("text", "line", "column", "fault"),
    [
        ("1. A@A4 / C@C9\n", 1, 11, "'C@C9' is not legal here"),
        ("1. A@A1\n/ C@C2\n", 2, 3, "L is to throw, not D"),
        ("1. 4 -- / 0 --", 1, 4, "a move is missing; legal: A@A1*"),
        ("1. A@A4 *\n  R4", 2, 3, "'R4' is not RGN as this page reads it"),
        ("A@A4", 1, None, "is no turn as this page writes it"),
        ("[Light]\n1. A@A4", 1, 1, 'expected a tag such as [Light "Ann"]'),
        ("[Rules aseb]\n1. A@A4", 1, None, "the game has the rules aseb; open it with these"),
        ("[Ending lost]\n1. A@A4", 1, None, "end: 'lost' is no end"),
    ],
)
def test_rgn_that_cannot_be_read(page, tables, text, line, column, fault):
    (found,) = call(page, "asked", "tables/finkel-1", "audit", text)["faults"]
    assert fault in found["message"]
    assert found["place"] == {"line": line, "column": column}


@pytest.mark.parametrize("name", ["constructor", "__proto__"])
def test_tags_may_have_the_names_that_javascript_gives_to_all_objects(page, tables, name):
    rules = tables["finkel-1"].rules
    body = {"text": f'[{name} "x"]\n1. A@A4 / 0 --\n', "notation": "ur"}
    converted = call(page, "asked", "tables/finkel-1", "convert", body["text"], body["notation"])
    assert converted == converted_text(rules, body["text"], "ur")
    assert f"{name}: x\n" in converted
    body["text"] = converted
    assert (
        call(page, "asked", "tables/finkel-1", "convert", body["text"], body["notation"])
        == converted
    )


def test_rgn_with_the_words_of_others(page, tables):
    rules = tables["finkel-1"].rules
    body = {"text": RGN, "notation": "ur"}
    expected = converted_text(rules, RGN.replace("; a comment", ""), "ur")
    assert (
        call(page, "asked", "tables/finkel-1", "convert", body["text"], body["notation"])
        == expected.partition("\n")[2]
    )


def test_exercises_cost_what_the_table_says(page, tables):
    table = tables["birds-2"]

    def drawn(seed):
        return call(
            page, "asked", "tables/birds-2", "exercises", {"seed": seed, "count": 6, "cost": 0.03}
        )

    found = drawn(1)
    assert found == drawn(1)
    assert len(found) == 6
    assert found != drawn(2)
    for each in found:
        throws = drawn_answer(table, table.rules.position(each["position"]))["throws"]
        shown = each["throws"] if len(each["throws"]) > 1 else each["throws"][0]
        turn = next(t for t in throws if (t.get("choice"), t["throw"]) == (each["choice"], shown))
        assert turn["moves"][1]["loss"] >= 0.03


@pytest.mark.parametrize("name", ["ben-1", "skiriuk-1", "finkel-1"])
def test_rounds_of_openings(page, tables, name):
    """Those of the rules, with the values of the table; a round of its own square is drawn."""
    table = tables[name]
    opening = known_opening(table.rules)
    waiting, known = [None], set()
    while waiting:
        marker = waiting.pop()
        known.add(marker)
        found = call(page, "asked", f"tables/{name}", "opening", marker, "dark")
        assert found["marker"] == marker
        board = level(table.rules, source_of(opening, marker))
        assert found["svg"] == str(board_svg(board, view=DARK, is_named=True))
        assert sum(each["probability"] for each in found["throws"]) == pytest.approx(1)
        assert [tuple(each["throws"]) for each in found["throws"]] == [*opening.throws]
        for thrown in found["throws"]:
            expected = table.opening_rounds(tuple(thrown["throws"]), marker)
            shown = [each["round"] for each in thrown["outcomes"]]
            by_round = {
                f"{'-'.join(map(str, each.round.throws))} {each.round.text}".strip(): each
                for each in expected
            }
            assert {*shown} == {*by_round}
            for each in thrown["outcomes"]:
                own = by_round[each["round"]]
                assert each["value"] == near(own.value)
                assert each["loss"] == near(own.loss)
                assert each["position"] == (own.round.position and own.round.position.notation)
            losses = [each["loss"] for each in thrown["outcomes"]]
            assert losses == sorted(losses)
            chooses = thrown["throws"].count(0) == 1 and len(shown) > 1
            side = "light" if thrown["throws"][0] == 0 else "dark"
            assert thrown["chooser"] == (side if chooses else None)
        without = call(page, "asked", f"rules/{name.replace('-', ':')}", "opening", marker, "dark")
        assert "value" not in without
        outcomes = [each for thrown in found["throws"] for each in thrown["outcomes"]]
        waiting += {each["marker"] for each in outcomes} - known - {*waiting}
    assert len(known) > 3 or name != "ben-1"


def test_no_other_rounds(page):
    for path, marker, said in (
        ("tables/ben-1", "B4", "cannot continue from 'B4'"),
        ("tables/finkel-1", "A4", "none, as there are no markers"),
    ):
        assert said in call(page, "asked", path, "opening", marker, "light")["message"]


def test_records_with_an_opening(page, tables):
    table = tables["ben-1"]
    text = "rules: ben:1\nopening: 2-2 A@A3 C@C3, 3-1 A3B1 C3C2\n\nL 0 --\nend: unfinished\n"
    begin = json.loads(json.dumps(audit_text(table, text)))
    assert begin["faults"] == []
    (game,) = call(page, "asked", "tables/ben-1", "audit", text)["games"]
    assert (game["start"], game["rounds"]) == (
        begin["games"][0]["start"], "2-2 A@A3 C@C3, 3-1 A3B1 C3C2"
    )  # fmt: skip
    written = call(page, "asked", "tables/ben-1", "convert", text, "ur")
    assert written == converted_text(table.rules, text, "ur")
    for rounds, fault in [
        ("2-2 A@A3 C@C3", "another round follows"),
        ("9-9", "round 1: '9-9' is not a round here"),
    ]:
        wrong = f"rules: ben:1\nopening: {rounds}\nL 0 --\n"
        (found,) = call(page, "asked", "tables/ben-1", "audit", wrong)["faults"]
        assert fault in found["message"]
        assert found["place"]["line"] == 2


@pytest.mark.parametrize("name", ["finkel-1", "murray-3dice-1", "birds-2", "skiriuk-1", "ben-1"])
def test_the_dice(page, tables, name):
    """Counts are judged as by Python, but for the chance in the fair series of both."""
    dice = tables[name].rules.dice
    few = {throw: 3 + k for k, throw in enumerate(dice.throws)}
    many = {throw: int(1000 * dice.probabilities[throw]) for throw in dice.throws}
    odd = {throw: int(300 * dice.probabilities[throw]) for throw in dice.throws}
    odd[dice.throws[-1]] += 40
    for light, dark in [(few, {}), ({dice.throws[-1]: 5}, few), (many, few), (odd, many), ({}, {})]:
        expected = compared_throws(dice, light, dark)
        found = call(page, "asked", f"tables/{name}", "dice", {"light": light, "dark": dark})
        assert {*found} == {*expected}
        for side, own in expected.items():
            shares = [found[side].pop(key) for key in ("chance", "mean_chance")]
            theirs = [own.pop(key) for key in ("chance", "mean_chance")]
            words = [
                {key: each.pop(key) for key in ("verdict", "text")} for each in (found[side], own)
            ]
            assert found[side] == near(own)
            share = 2 * min(theirs) if own["throws"] else 1.0
            if not any(0.7 < share / limit < 1.4 for limit in (RARE, VERY_RARE)):
                assert words[0]["verdict"] == words[1]["verdict"]
                assert without_numbers(words[0]["text"]) == without_numbers(words[1]["text"])
            for share, other in zip(shares, theirs, strict=True):
                # five standard errors of the difference, and what a limit may be off by
                error = 5 * math.sqrt(2 * (other or 0) / SERIES)
                assert share == (
                    other if other is None else pytest.approx(other, abs=error + 0.003)
                )
