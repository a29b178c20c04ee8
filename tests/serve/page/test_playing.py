"""Games at the page: by list, press, drag, keyboard or finger; with a table and without one."""

from __future__ import annotations

import random
from urllib.parse import quote

import pytest

from tests.serve.browser import NO_BREAK, Person, needs_browser
from tests.serve.page.playing import (
    EN_DASH,
    SIX,
    by_list,
    line_of,
    opened,
    play,
    rules_of,
    turn_of,
    turns_of,
)
from ur_solver.api.table import Table

pytestmark = [needs_browser, pytest.mark.slow]


@pytest.mark.parametrize("name", SIX)
def test_a_game_is_played_and_judged(person, name, solved):
    person.visit(f"table={name}")
    play(person, random.Random(name))
    rules = rules_of(name)
    with Table(solved(rules)) as table:
        turns = turns_of(person.address)
        assert len(turns) >= 3
        line = line_of(table, rules.start(), turns)
    shown = person.page.locator("#turns .turn .played").all_inner_texts()
    assert shown == [
        f"{turn.choice + ' ' if turn.choice else ''}{' '.join(map(str, turn.throws))} "
        f"{turn.move or EN_DASH}"
        for turn in turns
    ]
    if rules.stakes:
        fines = line["light"]["cost"] + line["dark"]["cost"]
        assert person.page.inner_text("#names") == f"in the pot: {rules.payoff.total(fines)}"
    account = person.page.locator("#summary .account")
    total = float(account.get_attribute("data-sum"))
    assert total == pytest.approx(line["end_value"], abs=1e-6)
    assert float(account.get_attribute("data-end")) == pytest.approx(line["end_value"], abs=1e-9)
    for side in ("light", "dark"):
        facts = person.page.locator(f"#summary .player.{side} dd").all_inner_texts()
        choices = line[side]
        assert facts[2] == f"{choices['best']} of {choices['choices']}"
        marks = [ply["mark"] for ply in line["plies"] if ply["side"] == side]
        assert facts[3:] == [
            str(marks.count(mark)) for mark in ("inaccuracy", "mistake", "blunder")
        ]


@pytest.mark.parametrize("name", SIX)
def test_a_link_shows_the_same_in_a_fresh_browser(browser, origin, person, name):
    person.visit(f"table={name}")
    rng = random.Random(name)
    play(person, rng, [by_list], 5)
    # a variation, another side on top, and a throw that is chosen
    person.press("Back", "#steps")
    person.press("Back", "#steps")
    person.settle()
    play(person, rng, [by_list], 1)
    person.press("Flip", "#controls")
    person.settle()
    if person.page.locator("#throws button:not(:disabled)").count() == 0:
        person.page.locator("#options button").first.click()
        person.settle()
    person.page.locator("#throws button:not(:disabled)").last.click()
    person.settle()
    shown = person.shown()
    other = Person(browser, origin)
    other.page.goto(person.page.url)
    other.shown_whole()
    assert other.shown() == shown
    assert other.page.url == person.page.url
    other.close()


def test_the_move_that_keys_choose_is_shown_and_said_while_somebody_plays(person):
    """Throw 3 of finkel moves the piece on A4, that on B2, or one that waits."""
    position = "...L__../.L....../....__.. L 1 3"
    person.visit(f"table=finkel-3&values=no&start={quote(position)}&throw=3")
    person.page.focus("#board")
    for number, (move, places) in enumerate([("A@A2", ["home"]), ("A4A1*", ["A4"])]):
        if number:
            person.keys("ArrowDown")
            person.settle()
            framed = person.page.locator("#board .movable")
            assert [each.get_attribute("data-square") for each in framed.all()] == places
        assert f"{number + 1} of 3 moves" in person.status()
        assert f"({move})." in person.status()
    person.keys("Enter")
    person.settle()
    assert person.address["game"] == ".3_A4A1*"


def test_a_whole_game_by_keyboard_alone(person):
    person.visit("table=finkel-1")
    while person.page.evaluate("document.activeElement.id") != "board":
        person.keys("Tab")
    for _ in range(400):
        person.keys("r")
        person.settle()
        if "moves" in person.status():
            person.keys("ArrowDown", "ArrowUp")
            assert "1 of" in person.status()
        person.keys("Enter")
        person.settle()
        if "has won" in person.status():
            break
    assert "has won" in person.status()
    n_turns = len(turns_of(person.address))
    person.keys("Home")
    person.settle()
    assert "at" not in person.address
    person.keys("ArrowRight", "ArrowRight", "ArrowLeft")
    person.settle()
    assert person.address["at"] == "1"
    person.keys("End")
    person.settle()
    assert person.address["at"] == str(n_turns)
    person.keys("u")
    person.settle()
    assert len(turns_of(person.address)) == n_turns - 1
    person.keys("f", "v")
    person.settle()
    assert (person.address["top"], person.address["values"]) == ("dark", "no")
    person.keys("?")
    assert person.page.locator("#help-dialog").is_visible()
    person.keys("Escape")
    person.keys("Tab")  # away from the board, keys are the browser's own
    before = person.page.url
    person.keys("f", "r")
    person.settle()
    assert person.page.url == before


def test_a_game_by_touch(browser, origin):
    """Pieces are tapped, or carried by a finger, on a phone."""
    person = Person(
        browser, origin, viewport={"width": 390, "height": 840}, has_touch=True, is_mobile=True
    )
    person.visit("table=finkel-3")
    page, finger = person.page, person.context.new_cdp_session(person.page)

    def carry(piece, target):
        points = []
        for place in (piece, target):
            box = place.bounding_box()
            points.append({"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2})
        sent = [("touchStart", points[:1]), ("touchMove", points[1:]), ("touchEnd", [])]
        for kind, where in sent:
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": where})

    n_carried = n_tapped = 0
    for _ in range(12):
        person.tap(page.locator("#throw"))
        person.settle()
        turns = page.locator("#turns .turn").count()
        if "Pass" in person.options():
            person.tap(page.locator("#options").get_by_role("button", name="Pass", exact=True))
        elif n_tapped > n_carried:
            page.locator("#board").scroll_into_view_if_needed()
            targets = page.locator("#board .target")
            for k in range(targets.count()):
                carry(page.locator("#board .movable").first, targets.nth(k))
                person.settle()
                if page.locator("#turns .turn").count() > turns:
                    break
            n_carried += 1
        else:
            person.tap(page.locator("#board .movable").first)
            n_tapped += 1
        person.settle()
        assert page.locator("#turns .turn").count() == turns + 1
    assert min(n_carried, n_tapped) > 2
    person.close()


def test_a_state_of_the_board_costs_one_request(person):
    person.visit("table=finkel-3")
    person.requests.clear()
    play(person, random.Random(3), turns=6)
    turns = len(turns_of(person.address))
    assert len(person.requests) <= turns
    assert all(url.endswith("/tables/finkel-3/values") for url in person.requests)
    person.requests.clear()
    for _ in range(3):
        person.press("Back", "#steps")
        person.settle()
    assert not person.requests


@pytest.mark.parametrize("name", ["finkel-1", "birds-2", "bell-stakes-1"])
def test_the_table_plays_both_sides(person, name):
    person.visit(f"table={name}")
    person.head("New game")
    person.page.select_option("#light-player", "weak")
    person.page.select_option("#dark-player", "table")
    person.press("Start", "#new-dialog")
    person.until("#status", "has won")
    assert "dark: the computer, best player" in person.page.inner_text("#names")
    lost = person.page.locator("#summary .player.dark dd").nth(1).inner_text()
    assert float(lost) == 0


def test_a_turn_of_the_computer_that_is_looked_back_at_is_over(person):
    person.visit("table=finkel-3&game=.2_A!A3.1_C!C4&dark=table&at=1")
    assert person.page.inner_text("#headline") == "The computer threw 1"
    person.visit("table=finkel-3&game=.2_A!A3.1_C!C4&light=table&at=1")
    assert person.page.inner_text("#headline") == "You threw 1: move a piece"


def test_the_table_answers_a_human(person):
    person.visit("table=finkel-3&dark=random")
    for _ in range(6):
        person.until("#status", "light to throw")
        turn_of(person, random.Random(1), by_list)
    assert person.address["dark"] == "random"
    assert len(turns_of(person.address)) >= 9


@pytest.mark.parametrize("name", ["murray:7", "aseb:5", "birds:5", "skiriuk:7"])
def test_rules_without_a_table_can_be_played(person, name):
    person.visit(f"rules={name}")
    assert person.page.input_value("#table") == f"rules/{name}"
    play(person, random.Random(2), turns=4)
    assert len(turns_of(person.address)) >= 3
    assert person.page.locator("#chances").is_hidden()
    assert "not solved here" in person.page.inner_text("#source")


def test_another_table_is_chosen(person):
    person.visit()
    assert person.page.locator("#games li").count() > 20
    person.menu()
    person.page.select_option("#table", "tables/ben-1")
    person.settle()
    assert person.address["table"] == "ben-1"


def test_a_declined_throw_is_in_the_address(person):
    person.visit("table=masters-games-1")
    opened(person, "rules: masters-games:1\n\nL 4 A@A1* stop\nD 4 C@C1*\nend: unfinished")
    address = person.address
    assert [turn.move for turn in turns_of(address)] == ["A@A1* stop", "C@C1*"]
    shown = person.page.locator("#turns .turn .played").all_inner_texts()
    person.visit(f"table=masters-games-1&game={address['game']}")
    person.page.reload()
    person.shown_whole()
    assert person.page.locator("#turns .turn .played").all_inner_texts() == shown
    assert "4 A@A1* stop" in shown


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "ben-1",
            f"The first player wins 55.40{NO_BREAK}%, with a free first throw 53.32{NO_BREAK}%.",
        ),
        (
            "skiriuk-1",
            f"The first player wins 49.21{NO_BREAK}%, with a free first throw 53.82{NO_BREAK}%.",
        ),
        ("finkel-1", "Light to throw."),
    ],
)
def test_what_the_opening_is_worth_is_said_at_the_start(person, name, words):
    person.visit(f"table={name}")
    assert person.status().startswith(words)
    person.press("Throw", "#hand")
    person.settle()
    assert "first player" not in person.status()


def test_a_browser_that_refuses_addresses_for_a_while_stops_no_game(person):
    """WebKit takes 100 changes of the address in 30 seconds, and refuses more."""
    person.visit("table=finkel-1&game=.1_A!A4")
    person.head("New game")
    for side in ("light", "dark"):
        person.page.select_option(f"#{side}-player", "random")
    person.page.evaluate(
        """() => {
          window.own = [history.pushState, history.replaceState];
          window.refused = 0;
          history.pushState = history.replaceState = () => {
            refused += 1;
            throw new DOMException("100 times per 30 seconds", "SecurityError");
          };
        }"""
    )
    before = person.page.url
    person.press("Start", "#new-dialog")
    person.until("#status", "has won")
    assert person.page.evaluate("refused") > 4
    assert person.page.url == before
    person.page.evaluate("() => { [history.pushState, history.replaceState] = own; }")
    person.page.wait_for_url(lambda url: url != before)
    game, entries = person.address["game"], person.page.evaluate("history.length")
    assert len(game.split(".")) > 5
    person.page.reload()
    person.shown_whole()
    assert (person.address["game"], person.page.evaluate("history.length")) == (game, entries)
    person.page.go_back()  # the game before has an entry of its own
    person.page.wait_for_url(before)
    person.settle()
