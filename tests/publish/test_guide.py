"""Learn by playing where no server answers."""

from __future__ import annotations

import random

import pytest

from tests.serve.browser import Person, needs_browser
from tests.serve.page.test_guide import go_on

pytestmark = [needs_browser, pytest.mark.slow]

OTHERS = """async () => {
  const { games } = await import("./api.js");
  const { showStart } = await import("./start.js");
  const { rules, tables } = await games();
  showStart({ rules: rules.filter(({ name }) => name !== "finkel"), tables }, {});
}"""


def test_a_site_teaches_its_game_by_playing_if_it_has_it(browser, files):
    person = Person(browser, f"{files.origin}/games/ur")
    person.visit()
    person.press("Learn by playing")
    person.until("#lesson", "Throw the dice")
    person.settle()
    assert person.address["rules"] == "finkel:3"
    rng = random.Random(2)
    assert all(go_on(person, rng) for _ in range(6))
    person.press("Leave")
    person.until("#learn")
    person.page.evaluate(OTHERS)
    assert person.page.locator("#learn").is_hidden()
    person.close()
