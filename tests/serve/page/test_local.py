"""What a site without a server answers, against the HTTP interface's functions."""

from __future__ import annotations

import json
import math
import re
from importlib import resources
from itertools import product

import pytest

from tests.games import random_game
from tests.serve.browser import needs_browser
from tests.serve.page.engine import call, engine_page, near, plain, take
from ur_solver.audit.dice_test import RARE, SERIES, VERY_RARE, compared_throws
from ur_solver.records import NOTATIONS
from ur_solver.rules import DARK
from ur_solver.serve.describe import rules_values, table_values, whole_table_values
from ur_solver.serve.judged import audit_text, converted_text
from ur_solver.serve.openapi import document
from ur_solver.serve.rounds import opening_values
from ur_solver.serve.rules_data import rules_data
from ur_solver.serve.unfold import ServedRules, Unfolded

pytestmark = [needs_browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def page(browser):
    with engine_page(browser) as page:
        yield page


@pytest.fixture
def site(page, tables):
    """A site with one table, whose answers are made from all its values."""

    def site(name):
        table = tables[name]
        take(page, table)
        call(
            page,
            "site",
            rules_data(table.rules),
            whole_table_values(table) | table_values(name, table) | {"rules_file": "rules.json"},
        )
        return table

    return site


def test_a_site_describes_its_rule_sets_and_tables(page, site):
    table = site("finkel-1")
    assert call(page, "asked", "/rules") == {"rules": [], "tables": []}
    assert call(page, "asked", "/tables")["tables"][0]["id"] == "finkel-1"
    rules = call(page, "asked", "/rules/finkel:1")
    expected = plain(rules_values(table.rules))
    assert rules == expected | {"missing": rules["missing"], "notations": ["ur", "rgn"]}
    about = call(page, "asked", "/tables/finkel-1")
    whole = plain(whole_table_values(table) | table_values("finkel-1", table))
    for key in ("value", "opening_value", "players", "start", "dice"):
        assert about[key] == near(whole[key])


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/tables/aseb-1", "There is no table aseb-1 on this site."),
        ("/rules/aseb:1", "The rules aseb:1 are not on this site."),
        ("/rules/finkel:1/report",
         "This site has no server, which this would need; “ur serve” is one."),
        ("/rules/finkel:1/position?position=x&drawing=light", "position 'x': 1 field, expected 4: "
         "the board, the side to throw, light's home, dark's home, such as "
         "'....__../......../....__.. L 1 1'"),
    ],
)  # fmt: skip
def test_what_a_site_cannot_answer(page, site, path, message):
    site("finkel-1")
    assert call(page, "asked", path)["message"] == message


NAMES = ["finkel-1", "birds-2", "ben-1"]
IN_RGN = ["finkel-3", "murray-3dice-1", "aseb-1"]


@pytest.mark.parametrize(
    ("name", "notation"), [*product(NAMES, ["ur"]), *product(IN_RGN, ["ur", "rgn"])]
)
def test_games_are_opened_and_saved_without_a_server(page, site, name, notation):
    table = site(name)
    games = [random_game(table.rules, 5), random_game(table.rules, 6, max_plies=6)]
    games[0].metadata.update(Light="Ann \u2014 \\", Dark=' "Ben"')
    games[1].metadata.update({"Event": "by hand"})
    source = ServedRules(table.rules, table)
    texts = {
        each: "\n\n".join(map(NOTATIONS[each].write, games)) + "\n" for each in {"ur", notation}
    }
    text = texts[notation]
    for each, written in texts.items():
        for wanted in texts:
            body = {"text": written, "notation": wanted}
            expected = converted_text(source, written, wanted)
            assert call(page, "asked", f"/tables/{name}/convert", body) == expected, (each, wanted)
    found = call(page, "asked", f"/tables/{name}/audit", {"text": text})
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


def test_faults_of_games_without_a_server(page, site):
    site("finkel-1")
    first = "rules: finkel:1\n\nL 1 A@A4\nD 3 C@C3\n"
    second = "rules: aseb:1\nL 0 --\nend: unfinished\n"
    third = "rules: finkel:1\nL 1 A@A4\nL 0 --\nD 0 --\n"
    fourth = "rules: finkel:1\nL 0 --\nD 2 --\nend: unfinished"
    text = first + second + third + fourth
    found = call(page, "asked", "/tables/finkel-1/audit", {"text": text})
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
def test_rgn_that_cannot_be_read(page, site, text, line, column, fault):
    site("finkel-1")
    (found,) = call(page, "asked", "/tables/finkel-1/audit", {"text": text})["faults"]
    assert fault in found["message"]
    assert found["place"] == {"line": line, "column": column}


@pytest.mark.parametrize("name", ["constructor", "__proto__"])
def test_tags_may_have_the_names_that_javascript_gives_to_all_objects(page, site, name):
    source = ServedRules(site("finkel-1").rules)
    body = {"text": f'[{name} "x"]\n1. A@A4 / 0 --\n', "notation": "ur"}
    converted = call(page, "asked", "/tables/finkel-1/convert", body)
    assert converted == converted_text(source, body["text"], "ur")
    assert f"{name}: x\n" in converted
    body["text"] = converted
    assert call(page, "asked", "/tables/finkel-1/convert", body) == converted


def test_rgn_with_the_words_of_others(page, site):
    source = ServedRules(site("finkel-1").rules)
    body = {"text": RGN, "notation": "ur"}
    expected = converted_text(source, RGN.replace("; a comment", ""), "ur")
    assert call(page, "asked", "/tables/finkel-1/convert", body) == expected.partition("\n")[2]


def test_exercises_cost_what_the_table_says(page, site):
    table = site("birds-2")
    path = "/tables/birds-2/exercises?count=6&cost=0.03&seed="
    found = call(page, "asked", path + "1")
    assert found == call(page, "asked", path + "1")
    assert len(found["exercises"]) == 6
    assert found["exercises"] != call(page, "asked", path + "2")["exercises"]
    for each in found["exercises"]:
        position = table.rules.position(each["position"])
        throws = Unfolded(ServedRules(table.rules, table), position).answer()["throws"]
        shown = each["throws"] if len(each["throws"]) > 1 else each["throws"][0]
        turn = next(t for t in throws if (t.get("choice"), t["throw"]) == (each["choice"], shown))
        assert each["cost"] >= 0.03
        assert each["cost"] == near(turn["moves"][1]["loss"])
    message = call(page, "asked", path + "-1")["message"]
    assert message == "seed is '-1'; expected a whole number"


@pytest.mark.parametrize("name", ["ben-1", "skiriuk-1", "finkel-1"])
def test_rounds_of_openings(page, site, name):
    table = site(name)
    source = ServedRules(table.rules, table)
    waiting, known = [None], set()
    while waiting:
        marker = waiting.pop()
        known.add(marker)
        expected = plain(opening_values(source, marker, DARK))
        asked = f"opening?marker={marker or ''}&drawing=dark"
        assert call(page, "asked", f"/tables/{name}/{asked}") == near(expected)
        without = plain(opening_values(ServedRules(table.rules), marker, DARK))
        assert call(page, "asked", f"/rules/{name.replace('-', ':')}/{asked}") == near(without)
        outcomes = [each for thrown in expected["throws"] for each in thrown["outcomes"]]
        waiting += {each["marker"] for each in outcomes} - known - {*waiting}
    assert len(known) > 3 or name != "ben-1"


def test_records_with_an_opening(page, site):
    table = site("ben-1")
    text = "rules: ben:1\nopening: 2-2 A@A3 C@C3, 3-1 A3B1 C3C2\n\nL 0 --\nend: unfinished\n"
    source = ServedRules(table.rules, table)
    begin = json.loads(json.dumps(audit_text(table, text)))
    assert begin["faults"] == []
    (game,) = call(page, "asked", "/tables/ben-1/audit", {"text": text})["games"]
    assert (game["start"], game["rounds"]) == (
        begin["games"][0]["start"], "2-2 A@A3 C@C3, 3-1 A3B1 C3C2"
    )  # fmt: skip
    written = call(page, "asked", "/tables/ben-1/convert", {"text": text, "notation": "ur"})
    assert written == converted_text(source, text, "ur")
    for rounds, fault in [
        ("2-2 A@A3 C@C3", "another round follows"),
        ("9-9", "round 1: '9-9' is not a round here"),
    ]:
        wrong = f"rules: ben:1\nopening: {rounds}\nL 0 --\n"
        (found,) = call(page, "asked", "/tables/ben-1/audit", {"text": wrong})["faults"]
        assert fault in found["message"]
        assert found["place"]["line"] == 2


@pytest.mark.parametrize("name", ["finkel-1", "murray-3dice-1", "birds-2", "skiriuk-1", "ben-1"])
def test_the_dice(page, site, name):
    """Counts are judged as by Python, but for the chance in the fair series of both."""
    dice = site(name).rules.dice
    few = {throw: 3 + k for k, throw in enumerate(dice.throws)}
    many = {throw: int(1000 * dice.probabilities[throw]) for throw in dice.throws}
    odd = {throw: int(300 * dice.probabilities[throw]) for throw in dice.throws}
    odd[dice.throws[-1]] += 40
    for light, dark in [(few, {}), ({dice.throws[-1]: 5}, few), (many, few), (odd, many), ({}, {})]:
        expected = compared_throws(dice, light, dark)
        found = call(page, "asked", f"/tables/{name}/dice", {"light": light, "dark": dark})
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


def without_numbers(text):
    return re.sub(r"[\d,.]*\d of [\d,]+", "N of N", text)


def test_every_route_has_an_answer_or_is_missing(page, site):
    """Of routes of a table or a rule set the page asks for no other than these."""
    site("finkel-1")

    def is_answered(path, body):
        return "no server" not in str(call(page, "asked", path, body))

    unanswered = set()
    for path in document()["paths"]:
        kind, word, *rest = [*path.strip("/").split("/"), ""]
        if word.startswith("{") and rest[0]:
            name = f"/{kind}/{'finkel-1' if kind == 'tables' else 'finkel:1'}/{rest[0]}"
            bodies = (None, {"text": "", "start": "", "turns": [], "light": {}, "dark": {}})
            if not any(is_answered(name, body) for body in bodies):
                unanswered.add(rest[0])
    missing = call(page, "asked", "/rules/finkel:1")["missing"]
    assert unanswered == {*missing, "positions"}
    source = (resources.files("ur_solver.serve") / "page" / "api.js").read_text(encoding="utf-8")
    assert "/position?" in source
    assert "/positions" not in source
