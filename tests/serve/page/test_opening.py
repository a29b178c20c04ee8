"""Ben's opening on the page: played, chosen, saved, and found again by its address."""

from __future__ import annotations

import re

import pytest

from tests.serve.browser import Person, needs_browser
from ur_solver.records import opening_text, read_text
from ur_solver.rules import named_rules

pytestmark = [needs_browser, pytest.mark.slow]
MOST_ROUNDS = 60


def headline(person):
    return person.page.inner_text("#headline")


def play_opening(person):
    """Throw until the first player is found; choose the first square of each zero."""
    chosen = 0
    for _ in range(MOST_ROUNDS):
        person.press("Throw", "#hand")
        person.settle()
        if "may choose a square" in headline(person):
            person.page.locator("#options button").first.click()
            person.settle()
            chosen += 1
        if "opening" in person.address:
            return chosen
    raise AssertionError("the opening does not end")


def opened_by(address):
    """The game of an address, as a record in the plain notation has it."""
    (game,) = read_text(f"rules: ben:1\nopening: {address['opening']}\n\nend: unfinished")
    return game


def test_a_game_of_bens_begins_with_its_opening(person):
    chosen = 0
    for _ in range(5):
        person.visit("table=ben-1&values=no")
        person.settle()
        assert "both throw and enter a piece" in headline(person)
        assert "pieces enter where the line begins" in person.status()
        assert person.page.locator("#board .way .line.in").count() == 1
        chosen += play_opening(person)
        game = opened_by(person.address)
        assert person.address["start"] == game.start.notation
        side = {"L": "light", "D": "dark"}[game.start.side]
        assert f"Opening {opening_text(game.opening)}: {side} began." in person.status()
        assert headline(person).startswith(side.capitalize())
        person.visit("table=finkel-3")  # the same page, whose dice go on
    assert chosen > 0
    person.close()


def test_the_opening_is_played_by_keyboard_alone(person):
    asked = 0
    for _ in range(5):
        person.visit("table=ben-1&values=no")
        person.settle()
        person.page.focus("#board")
        for _ in range(MOST_ROUNDS):
            person.keys("Enter")
            person.settle()
            asked += "may choose a square" in headline(person)
            if "opening" in person.address:
                break
        assert "opening" in person.address
        assert person.page.evaluate("document.activeElement.id") == "board"
        person.visit("table=finkel-3")  # the same page, whose dice go on
    assert asked > 0


def test_a_zero_chooses_by_values_and_the_game_is_saved(person):
    person.visit("table=ben-1")
    assert "with a free first throw" in person.status()
    person.press("Play the opening", "#options")
    person.settle()
    values = []
    for _ in range(MOST_ROUNDS):
        person.press("Throw", "#hand")
        person.settle()
        if "may choose a square" in headline(person):
            values.append(person.options())
            person.page.locator("#options button").first.click()
            person.settle()
        if "opening" in person.address:
            break
    for options in values:  # the best first
        shares = [float(re.search(r"([\d.]+)\s%", each)[1]) for each in options]
        assert shares == sorted(shares, reverse=True)
    game = opened_by(person.address)
    person.press("Throw", "#hand")
    person.settle()
    person.head("Save")
    with person.page.expect_download() as caught:
        person.press("Game, .ur", "#save-dialog")
    (saved,) = read_text(caught.value.path().read_text())
    assert saved.opening == game.opening
    assert saved.start == game.start
    # another visitor with the address sees the same
    address = person.page.url.partition("#")[2]
    person.visit("table=finkel-3")
    person.visit(address)
    assert opened_by(person.address).opening == game.opening
    person.close()


def test_the_computer_chooses_its_square_and_a_text_brings_its_opening(person):
    person.visit("table=ben-1&values=no&dark=table")
    assert play_opening(person) >= 0
    rules = named_rules("ben:1")
    assert rules.position(person.address["start"]).home("L") == 0
    person.visit("table=ben-1")
    person.head("Open")
    person.page.fill("#text", "rules: ben:1\nopening: 2-2, 0-1 A3A1 C3C2\n\nend: unfinished")
    person.press("Open", "#open-dialog")
    person.page.wait_for_selector("#open-dialog", state="hidden")
    person.settle()
    assert person.address["opening"] == "2-2 A@A3 C@C3, 0-1 A3A1 C3C2"
    assert "light began" in person.status()
    person.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_where_a_square_is_chosen(browser, origin, scheme):
    person = Person(browser, origin, color_scheme=scheme, viewport={"width": 360, "height": 780})
    person.visit("table=ben-1&values=no")
    for _ in range(MOST_ROUNDS):
        person.press("Throw", "#hand")
        person.settle()
        if "may choose a square" in headline(person):
            break
        if "opening" in person.address:
            person.visit("table=finkel-3")
            person.visit("table=ben-1&values=no")
            person.settle()
    assert person.options()
    person.check_access("a square is chosen")
    width = person.page.evaluate("document.documentElement.scrollWidth")
    assert width <= 360
    person.close()


def test_darks_first_throw_is_a_1_in_skiriuks_game_too(person):
    person.visit("table=skiriuk-1")
    person.head("Open")
    text = "rules: skiriuk:1\nopening: 3-2, 2-1\n\nD 1 C@C4\nL 0 --\nend: unfinished"
    person.page.fill("#text", text.replace("L 0 --\n", ""))
    person.press("Open", "#open-dialog")
    person.page.wait_for_selector("#open-dialog", state="hidden")
    person.settle()
    assert person.address["opening"] == "3-2, 2-1"
    assert person.address["start"].endswith("D 1 1")
    possible = person.page.locator("#throws button:not([disabled])")
    assert [each.split()[0] for each in possible.all_inner_texts()] == ["1"]
    person.close()


@pytest.mark.parametrize(
    ("word", "text", "light", "dark"),
    [
        # the throws of the rounds count, but not the 1 that they give to the first player again
        ("skiriuk-1", "opening: 3-2, 2-1\n\nD 1 C@C4\nL 3 A@A2\n", "3 2 3", "2 1"),
        ("skiriuk-1", "opening: 1\n\nL 1 A@A4\nD 2 C@C3\n", "1", "2"),
        ("ben-1", "opening: 2-2, 0-1 A3A1 C3C2\n\nL 3 A1B3\n", "2 0 3", "2 1"),
    ],
)
def test_the_throws_of_an_opening_are_counted(person, word, text, light, dark):
    person.visit(f"table={word}")
    person.head("Open")
    person.page.fill("#text", f"rules: {word.replace('-', ':')}\n{text}end: unfinished")
    person.press("Open", "#open-dialog")
    person.page.wait_for_selector("#open-dialog", state="hidden")
    person.settle()
    person.press("Is it the dice?")
    person.page.wait_for_selector("#dice-found table")
    rows = [
        row.split("\t") for row in person.page.locator("#dice-found tbody tr").all_inner_texts()
    ]
    found = [[int(row[k].split()[0]) for row in rows[:-2]] for k in (2, 3)]
    faces = [int(row[0]) for row in rows[:-2]]
    assert found == [[side.split().count(str(face)) for face in faces] for side in (light, dark)]
    person.press("Close", "#dice-dialog")
    person.close()
