"""A published page plays without a server, and without a network once it was open."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from tests.games import random_game, write_text
from tests.publish.conftest import FileServer
from tests.publish.test_trust import WHOLE
from tests.serve.browser import Person, needs_browser
from tests.serve.page.playing import by_list, by_press, opened, play
from ur_solver.rules import named_rules

pytestmark = [needs_browser, pytest.mark.slow]

PATH = "/games/ur"
PLAYED = ("finkel-1", "birds-1", "skiriuk-1", "ben-1", "bell-stakes-1")


@pytest.fixture(scope="module")
def origin(solved):
    """A server of the same tables."""
    paths = [str(solved(named_rules(name.replace("-1", ":1")))) for name in PLAYED]
    command = [sys.executable, "-m", "ur_solver", "serve", *paths, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        address = process.stderr.readline().partition(": ")[2].partition(" ")[0]
        yield address.rstrip("/")
        process.terminate()
        process.stderr.read()


@pytest.mark.parametrize("name", PLAYED)
def test_a_game_looks_as_it_does_with_a_server(browser, files, origin, name):
    person = Person(browser, files.origin + PATH)
    person.visit(f"table={name}")
    play(person, random.Random(name), (by_list, by_press))
    shown = person.shown()
    address = person.page.url.partition("#")[2]
    person.close()
    other = Person(browser, origin)
    other.visit(address)
    assert other.shown() == {**shown, "table": other.shown()["table"]}
    other.close()


def test_estimates_are_shown_with_their_intervals(browser, files):
    person = Person(browser, files.origin + PATH)
    person.visit("table=skiriuk-7")
    person.page.locator("#throws button:not(:disabled)").last.click()
    person.settle()
    assert "\N{PLUS-MINUS SIGN}" in person.page.inner_text("#moves")
    assert "2 plies" in person.page.inner_text("#source")
    person.close()


def test_the_dice_are_judged(browser, files):
    person = Person(browser, files.origin + PATH)
    person.visit("rules=aseb:5")
    play(person, random.Random(1), (by_list,), 4)
    person.page.click("#dice-test")
    person.settle()
    assert "nothing unusual" in person.page.inner_text("#dice-found")
    person.close()


@pytest.mark.parametrize(
    ("word", "address"), [("finkel:1", ("table", "finkel-1")), ("aseb:5", ("rules", "aseb:5"))]
)
@pytest.mark.parametrize("suffix", [".ur", ".rgn", ".json"])
def test_games_of_every_notation_are_opened(browser, files, word, address, suffix):
    person = Person(browser, files.origin + PATH)
    person.visit()
    game = random_game(named_rules(word), 5)
    opened(person, write_text(game, suffix))
    key, value = address
    assert person.address[key] == value
    assert person.page.locator("#turns .turn").count() == len(game.plies)
    person.close()


def test_a_rule_set_without_values_is_played(browser, files):
    person = Person(browser, files.origin + PATH)
    person.visit("rules=aseb:5")
    play(person, random.Random(1), (by_list,), 4)
    assert person.page.locator("#turns .turn").count() >= 3
    person.close()


def test_it_plays_without_a_network_after_one_load(browser, site):
    server = FileServer(site.folder.parents[1])
    person = Person(browser, server.origin + PATH)
    person.visit()
    person.page.locator("#offline button").click()
    person.until("#offline", WHOLE)
    server.stop()
    person.context.set_offline(True)
    rng = random.Random(2)
    for name in (*PLAYED, "skiriuk-7"):
        person.page.goto("about:blank")
        person.visit(f"table={name}")
        play(person, rng, (by_list,), 2)
        assert person.page.locator("#turns .turn").count() >= 1
        assert "%" in person.page.inner_text("#throws") + person.page.inner_text("#chances")
    person.close()


def test_what_was_not_loaded_is_named_without_a_network(browser, site):
    """Where the browser keeps no files, a game that was not open before cannot be opened."""
    server = FileServer(site.folder.parents[1])
    person = Person(browser, server.origin + PATH, service_workers="block")
    person.visit("table=finkel-1")
    server.stop()
    person.context.set_offline(True)
    person.page.evaluate("location.hash = 'table=skiriuk-7'")
    message = person.page.get_by_text("A file of this site cannot be loaded; is there a network?")
    message.first.wait_for()
    person.complaints = [each for each in person.complaints if "by Playwright" not in each]
    person.close("ERR_")


def test_axe_finds_nothing(browser, files):
    person = Person(browser, files.origin + PATH, bypass_csp=True)
    for address in ("table=bell-stakes-1&throw=3", "table=skiriuk-7", "rules=aseb:5"):
        person.visit(address)
        person.check_access(address)
    person.close()
