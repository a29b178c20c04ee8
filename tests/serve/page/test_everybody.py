"""The page for everybody: whatever the link, the screen, the sight or the connection."""

from __future__ import annotations

import gzip
import re

import pytest

from tests.games import write_text
from tests.serve.browser import NO_BREAK, Person, needs_browser
from tests.serve.page.playing import NEXT_MISTAKE, opened
from ur_solver.serve.page_files import page_files

pytestmark = [needs_browser, pytest.mark.slow]


def test_what_an_address_cannot_show_is_reported(person):
    person.visit("table=finkel-3&game=.2_A!A4")
    assert "turn 1: move 'A@A4' is not legal" in person.page.inner_text("#error")
    person.visit("table=finkel-3&game=((")
    assert "cannot be read" in person.page.inner_text("#error")
    person.visit("table=finkel-3&dark=constructor")  # what all objects have is no player
    assert "dark" not in person.address
    person.page.goto("about:blank")
    person.visit("table=none")
    assert "there is no table 'none'" in person.page.inner_text("#error")
    person.complaints[:] = [each for each in person.complaints if " 40" not in each]


@pytest.mark.parametrize("width", [320, 360, 1280])
def test_nothing_is_wider_than_the_screen(browser, origin, width):
    person = Person(browser, origin, viewport={"width": width, "height": 700})
    for address in (
        *("table=birds-2&said=enter", "table=finkel-3&edit=yes", "rules=aseb:5"),
        *("", "rules=murray:7&values=no&throw=1"),
    ):
        person.visit(address)
        assert person.page.evaluate("document.documentElement.scrollWidth") <= width
        if width < 400:
            small = person.page.evaluate(
                "[...document.querySelectorAll('button')].filter(each => each.offsetParent)"
                ".map(each => Math.min(each.offsetWidth, each.offsetHeight))"
                ".filter(size => size < 24)"
            )
            assert not small
    person.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser, origin, scheme, long_game):
    person = Person(browser, origin, color_scheme=scheme, bypass_csp=True)
    person.visit("table=finkel-3")
    person.check_access("start")
    person.head("Open")
    person.check_access("open dialog")
    person.keys("Escape")
    opened(person, write_text(long_game, ".ur"))
    person.press(NEXT_MISTAKE)
    person.settle()
    person.check_access("a game")
    for name in ("New game", "Save", "Help"):
        person.head(name)
        person.check_access(name)
        person.keys("Escape")
    person.head("Edit")
    person.page.wait_for_selector("#editor h2")
    person.check_access("editor")
    person.page.fill("#home-light", "9")
    person.page.press("#home-light", "Tab")
    person.page.wait_for_selector("#editor .faults li")
    person.check_access("editor with faults")
    for address in ("table=birds-2&said=enter&throw=1-2", "table=bell-stakes-1&throw=3",
                    "table=finkel-3&game=.2_A!A4"):  # fmt: skip
        person.visit(address)
        person.check_access(address)
    person.complaints[:] = [each for each in person.complaints if "400" not in each]
    person.close()


def test_nought_has_no_sign(person):
    person.visit()
    written = person.page.evaluate(
        """async () => {
          const { Units } = await import('./words.js');
          const [chances, money] = [null, {}].map((stakes) => new Units({ stakes }));
          const little = -1e-9;
          return [
            chances.value(little), chances.short(little), money.value(little), chances.value(-0.1),
          ];
        }"""
    )
    assert written == [f"0.00{NO_BREAK}%", f"0.0{NO_BREAK}%", "0.000", f"-10.00{NO_BREAK}%"]


def test_the_page_is_small():
    """What is loaded before the first board; other modules are loaded when they are asked for."""
    files = {path: content for path, (content, _) in page_files().items()}
    named = re.findall(rb'(?:href|src)="([\w/]+\.(?:js|css))"', files["/"])
    first = {path: files[path] for path in ("/", *(f"/{each.decode()}" for each in named))}
    assert "/main.js" in first
    texts = {path: content for path, content in files.items() if path.startswith("/languages/")}
    assert not texts.keys() & first.keys()
    first["text"] = max(texts.values(), key=len)  # of the languages one is loaded
    assert {"/archive.js", "/exchange.js", "/royalur.js", "/reading.js"} <= files.keys() - first
    assert sum(map(len, first.values())) < 330_000
    assert sum(len(gzip.compress(each)) for each in first.values()) < 110_000
