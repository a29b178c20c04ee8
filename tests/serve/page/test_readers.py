"""Readers of the four documents find their game on a phone and play it, in their language."""

from __future__ import annotations

import re

import pytest

from tests.serve.browser import Person, needs_browser
from ur_solver.common.sayings import texts

pytestmark = [needs_browser, pytest.mark.slow]

READERS = [("ru", "skiriuk"), ("fr", "ben"), ("nl", "conventional"), ("es", "bell-stakes")]

CUT = """() => [...document.querySelectorAll('#start *, #stage *, dialog[open] *')]
  .filter((each) => each.checkVisibility())
  .filter((each) => !each.closest('svg, .unseen, details:not([open]) > :not(summary)'))
  .filter((each) => {
    const { left, right, width } = each.getBoundingClientRect();
    return width > 1 && (left < -1 || right > innerWidth + 1);
  }).map((each) => each.outerHTML.slice(0, 200))"""


def english_in(language, text):
    """Texts that are as in English, though the language has another one."""
    english, own = texts("en"), texts(language)
    names = [key for key in english if english[key] != own[key] and "{" not in english[key]]
    lines = {line.strip() for line in text.splitlines()}
    return lines & {english[key] for key in names} - {*own.values()}


@pytest.mark.parametrize(("language", "name"), READERS)
def test_a_reader_of_a_document_finds_its_game_and_plays(browser, origin, language, name):
    viewport = {"width": 360, "height": 740}
    person = Person(browser, origin, viewport=viewport, locale=language, has_touch=True)
    page, own = person.page, texts(language)
    person.visit()
    page.locator("#opponents input[value=human]").check()
    title = page.locator(f"#games > li > #game-{name}")  # not among the others
    assert title.inner_text() == own[f"card.{name}"]
    card = page.locator(f"#games > li:has(#game-{name})")
    assert card.get_by_role("img", name=re.compile(r"\d.*3")).count() == 2
    assert not page.evaluate(CUT)
    assert not english_in(language, page.inner_text("#games"))

    card.locator(".link").first.click()
    page.locator("#rules-sources:focus").wait_for()
    short = page.locator("#rules-text > ul:not(.throws) > li").all_inner_texts()
    assert own["rule.must"] in short
    assert not english_in(language, "\n".join(short))
    assert not page.evaluate(CUT)
    person.keys("Escape")

    card.locator(".main").click()
    page.locator("#board svg").wait_for()
    person.settle()
    for _ in range(12):
        person.keys("r")
        person.settle()
        options = page.locator("#options button:visible")
        if options.count():
            options.first.click()
            person.settle()
    assert not page.evaluate(CUT)
    assert not english_in(language, page.inner_text("#stage"))
    squares = page.locator("#squares td").all_text_contents()
    assert f"B4, {own['mark.rosette']}" in " ".join(squares)
    assert not re.search(r"waiting|finished|\b(light|dark|computer|you)\b", " ".join(squares))
    person.close()
