"""The page in each language: on small and large screens, with large text, in every dialog."""

from __future__ import annotations

import json

import pytest

from tests.serve.browser import Person, needs_browser
from ur_solver.common.sayings import LANGUAGES, texts

pytestmark = [needs_browser, pytest.mark.slow]

SIZES = [(320, 640), (1280, 900)]

CUT = """() => {
  const host = document.querySelector('dialog[open]') ?? document.body;
  return [...host.querySelectorAll('button, select, summary, label, legend, h1, h2, h3, p, li, dt, dd')]
    .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.closest('.unseen, .wide-table, #turns'))
    .filter((each) => {
      const box = each.getBoundingClientRect();
      const isCut = !each.matches('select') && each.clientWidth && each.scrollWidth > each.clientWidth + 1;
      return box.width > 1 && (isCut || box.left < -1 || box.right > innerWidth + 1);
    })
    .map((each) => `${each.localName}#${each.id} ${each.textContent.trim().slice(0, 40)}`);
}"""  # noqa: E501

# the long rules are English
SHOWN = """() => [...document.querySelectorAll('body *')].filter((each) => !each.closest('#rules-text details'))
  .flatMap((each) => [...each.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data)
    .concat(['title', 'aria-label'].map((name) => each.getAttribute(name) ?? '')))
  .map((text) => text.trim()).filter(Boolean)"""  # noqa: E501

DIALOGS = {
    "#new": "new", "#open": "open", "#save": "save", "#rules": "rules", "#help": "help",
    "#record-game": "recording", "#practise": "practise", "#dice-test": "dice",
    "#my-games": "games",
}  # fmt: skip


def english(language: str) -> set[str]:
    """Sentences of the English file that this language does not share."""
    own = set(texts(language).values())
    return {each for each in texts("en").values() if "{" not in each and len(each) > 6} - own


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_is_in_the_language_and_has_room(browser, origin, language):
    person = Person(browser, origin, locale=language)
    page = person.page
    found: dict[str, object] = {}

    def look(what: str, *, has_access: bool = False) -> None:
        foreign = english(language) & set(page.evaluate(SHOWN)) if language != "en" else set()
        if foreign:
            found[f"{what}: English"] = sorted(foreign)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            for size in (100, 200):
                page.evaluate(f"document.documentElement.style.fontSize = '{size}%'")
                if cut := page.evaluate(CUT):
                    found[f"{what} {width} {size}"] = cut
        page.evaluate("document.documentElement.style.fontSize = ''")
        if has_access:
            person.check_access(f"{what} in {language}")

    person.visit()
    assert page.evaluate("document.documentElement.lang") == language
    look("first screen", has_access=True)
    person.visit("table=finkel-3&start=L.L.__L./.L.L.L../D..D__.. L 1 1&game=.1_A3A2&at=1")
    look("game", has_access=True)
    for button, name in DIALOGS.items():
        page.evaluate("selector => document.querySelector(selector).click()", button)
        page.wait_for_selector(f"#{name}-dialog[open]")
        person.settle()
        look(name, has_access=name in {"recording", "games"})
        page.evaluate("document.querySelector('dialog[open]').close()")
    person.close()
    assert not found, json.dumps(found, indent=1, ensure_ascii=False)


def test_a_language_is_chosen_kept_and_shared_when_asked(browser, origin):
    person = Person(browser, origin, locale="ru-RU")
    page = person.page
    person.visit("rules=finkel:3")
    assert page.inner_text("#throw") == texts("ru")["play.throw"]
    with page.expect_navigation():
        page.evaluate("""() => {
          const field = document.getElementById('language');
          field.value = 'es';
          field.dispatchEvent(new Event('change'));
        }""")
    person.shown_whole()
    assert page.inner_text("#throw") == texts("es")["play.throw"]
    page.evaluate("document.getElementById('save').click()")
    assert "language" not in page.input_value("#link")
    page.check("#link-language")
    assert "?language=es#" in page.input_value("#link")
    link = page.input_value("#link").replace("language=es", "language=fr")
    # an address goes before what was chosen, and is left when another language is
    page.goto(link)
    person.shown_whole()
    assert page.inner_text("#throw") == texts("fr")["play.throw"]
    assert not [each for each in person.requests if each.endswith("/languages/en.js")]
    person.close()
