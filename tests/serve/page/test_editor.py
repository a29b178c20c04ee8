"""The page's editor of positions."""

from __future__ import annotations

import pytest

from tests.serve.browser import needs_browser
from tests.serve.page.playing import SIX, rules_of

pytestmark = [needs_browser, pytest.mark.slow]


@pytest.mark.parametrize("name", SIX)
def test_a_position_is_set_up(person, name):
    rules = rules_of(name)
    person.visit(f"table={name}")
    page = person.page
    person.head("Edit")
    person.settle()
    piece = page.locator("#editor input[name=piece]").first
    assert piece.is_checked()
    square = page.locator("#board [data-square=A3]")
    square.click()
    person.settle()
    square = page.locator("#board [data-square=A3]")
    square.drag_to(page.locator("#board [data-square=B2]"))
    person.settle()
    page.locator("#editor input[value=dark]").check()
    person.settle()
    wanted = page.input_value("#position-text")
    assert rules.position(wanted).notation == wanted
    assert wanted.split()[0].split("/")[1][1] == "L"
    assert wanted.split()[1] == "D"
    # a fault is named while it is there, and cannot be used
    for _ in range(rules.pieces):
        page.locator("#board [data-square=A4]").click()
        person.settle()
        page.locator("#board [data-square=A2]").click()
        person.settle()
    page.fill("#home-light", "12345" if rules.mechanics.is_numbered else "7")
    page.press("#home-light", "Tab")
    person.settle()
    assert page.locator("#editor .faults li").count()
    assert page.get_by_role("button", name="Use this position").is_disabled()
    page.fill("#position-text", wanted)
    page.press("#position-text", "Tab")
    person.until("#editor .faults li", state="hidden")
    page.get_by_role("button", name="Use this position").click()
    person.settle()
    assert person.address["start"] == wanted
    assert page.locator("#editor").is_hidden()
    assert "Dark to throw" in person.status()


def test_squares_are_pressed_by_keyboard_in_the_editor(person):
    person.visit("table=finkel-3&edit=yes")
    person.page.wait_for_selector("#editor h2")
    person.page.focus("#board [data-square=B4]")
    person.keys("Enter")
    person.until("#board [data-square=B4][aria-label='B4, rosette, light']")
    assert person.page.input_value("#position-text").startswith("....__../...L")
    assert person.page.evaluate("document.activeElement.dataset.square") == "B4"
    assert person.page.evaluate("document.activeElement.ariaLabel") == "B4, rosette, light"


def test_an_invalid_position_is_reported(person):
    person.visit("table=finkel-3&edit=yes")
    person.page.wait_for_selector("#editor h2")
    person.page.fill("#position-text", "nonsense")
    person.page.press("#position-text", "Tab")
    person.page.wait_for_selector("#editor .faults li")
    assert "expected 4" in person.page.inner_text("#editor .faults")
    person.complaints[:] = [each for each in person.complaints if "400" not in each]
