"""The page's head, its menu and icons, and what is drawn in other than the usual colours."""

from __future__ import annotations

import pytest

from tests.serve.browser import Person, needs_browser

pytestmark = [needs_browser, pytest.mark.slow]

HERE = "table=finkel-3&values=no&dark=table&throw=2&start=L.L.__../..D...../....__..%20L%201%202"


def test_the_head_says_which_game_is_on(person):
    person.visit()
    assert person.page.locator("#game-name").is_hidden()
    person.visit("rules=skiriuk:5&values=no")
    name = person.page.inner_text("#game-name")
    assert name.endswith(", 5 pieces")
    assert person.page.title().startswith(name.removesuffix(", 5 pieces"))
    assert "skiriuk" not in person.page.inner_text("header")  # a word for programs


def test_the_menu_opens_and_closes_by_keys_and_gives_the_focus_back(person):
    person.visit(HERE)
    page = person.page
    assert page.locator("#nav").is_hidden()
    page.focus("#menu")
    person.keys("Enter")
    assert page.locator("#nav").is_visible()
    assert page.get_attribute("#menu", "aria-expanded") == "true"
    person.keys("Escape")
    assert page.locator("#nav").is_hidden()
    focused = "document.activeElement.id"
    assert page.evaluate(focused) == "menu"
    person.head("Help")
    assert page.locator("#nav").is_hidden()
    assert page.locator("#help-dialog").is_visible()
    person.keys("Escape")
    assert page.evaluate(focused) == "menu"
    person.menu()
    page.mouse.click(5, 500)  # anywhere else
    assert page.locator("#nav").is_hidden()


@pytest.mark.parametrize("size", [(320, 640), (740, 360), (1280, 900)])
def test_the_menu_is_on_the_screen(browser, origin, size):
    width, height = size
    person = Person(browser, origin, viewport={"width": width, "height": height})
    person.visit(HERE)
    person.settings()
    box = person.page.locator("#nav").bounding_box()
    assert 0 <= box["x"] <= box["x"] + box["width"] <= width
    assert box["y"] >= person.page.locator("#menu").bounding_box()["y"]
    person.page.locator("#language").scroll_into_view_if_needed()
    assert person.page.locator("#language").bounding_box()["y"] < height
    person.close()


@pytest.mark.parametrize("forced", ["none", "active"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_menu_and_the_board(browser, origin, scheme, forced):
    person = Person(browser, origin, color_scheme=scheme, forced_colors=forced, bypass_csp=True)
    for address in ("", HERE):
        person.visit(address)
        person.check_access(address or "start")
        person.settings()
        person.check_access(f"{address or 'start'}: the menu")
        person.keys("Escape")
    person.close()


ICONS = """() => [...document.querySelectorAll(
  'header button, #nav summary, #hint, #path, #flip, #undo')]
  .filter((each) => each.checkVisibility()).map((each) => {
    const { maskImage, backgroundColor, width } = getComputedStyle(each, '::before');
    const own = getComputedStyle(each).backgroundColor;
    return [each.id || each.localName, maskImage.startsWith('url("data:image/svg+xml'),
      backgroundColor !== own, parseFloat(width) > 10, each.innerText.trim() !== ''];
  })"""


@pytest.mark.parametrize("forced", ["none", "active"])
def test_icons_come_with_words(browser, origin, forced):
    person = Person(browser, origin, forced_colors=forced)
    person.visit(HERE)
    person.menu()
    found = person.page.evaluate(ICONS)
    assert len(found) >= 11
    assert [each for each in found if not all(each[1:])] == []
    person.close()


def test_dice_tumble_and_come_to_rest_unless_motion_is_unwanted(browser, origin):
    moves = {}
    for motion in ("no-preference", "reduce"):
        person = Person(browser, origin, reduced_motion=motion)
        person.visit("table=finkel-3&values=no")
        person.page.evaluate(
            """() => {
              window.tumbling = 0;
              const animate = Element.prototype.animate;
              Element.prototype.animate = function (...given) {
                if (this.closest('#dice')) window.tumbling++;
                return animate.apply(this, given);
              };
            }"""
        )
        person.press("Throw", "#hand")
        person.settle()
        moves[motion] = person.page.evaluate("window.tumbling")
        person.still()
        ends = person.page.locator("#dice .die > g").evaluate_all(
            "dice => dice.map(each => getComputedStyle(each).transform)"
        )
        assert ends == ["none"] * 4
        person.close()
    assert moves == {"no-preference": 4, "reduce": 0}
