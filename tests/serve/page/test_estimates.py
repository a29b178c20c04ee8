"""The page by an estimator: values with their errors, and accounts that add up."""

from __future__ import annotations

import random
import re
import subprocess
import sys

import pytest

from tests.estimators.test_file import stored_of
from tests.games import random_game, write_text
from tests.serve.browser import Person, needs_browser
from tests.serve.page.playing import by_list, line_of, opened, play, turns_of
from ur_solver.estimators.estimator import Estimator
from ur_solver.estimators.file import write
from ur_solver.rules import named_rules

pytestmark = [needs_browser, pytest.mark.slow]

WORDS = ("skiriuk:2", "birds:2")


@pytest.fixture(scope="module")
def own_origin(tmp_path_factory, solved):
    folder = tmp_path_factory.mktemp("served")
    paths = [folder / f"{word.replace(':', '-')}.h5" for word in WORDS]
    for word, path in zip(WORDS, paths, strict=True):
        write(path, stored_of(word))
    words = [str(solved(named_rules("finkel:1"))), *map(str, paths)]
    command = [sys.executable, "-m", "ur_solver", "serve", *words, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        address = process.stderr.readline().partition(": ")[2].partition(" ")[0]
        yield address.rstrip("/")
        process.terminate()
        process.stderr.read()


@pytest.fixture
def person(browser, own_origin):
    person = Person(browser, own_origin)
    yield person
    person.close()


@pytest.mark.parametrize("word", WORDS)
def test_a_game_by_estimates_adds_up(person, word):
    person.visit(f"table={word.replace(':', '-')}")
    assert person.page.inner_text("#source") == (
        f"Values of {word} are estimates, by a search of 3 plies, with their 95 % intervals."
    )
    play(person, random.Random(word), [by_list], 10)
    estimator = Estimator(stored_of(word))
    turns = turns_of(person.address)
    line = line_of(estimator, estimator.rules.start(), turns)
    account = person.page.locator("#summary .account")
    total = float(account.get_attribute("data-sum"))
    assert total == pytest.approx(line["end_value"], abs=1e-4)
    assert "does not add up" not in account.inner_text()
    assert re.search(r"Start\s+\d\d % ± \d", account.inner_text())
    for side in ("light", "dark"):
        facts = person.page.locator(f"#summary .player.{side} dd").all_inner_texts()
        assert facts[2] == f"{line[side]['best']} of {line[side]['choices']}"
    # what a link shows is judged anew
    before = person.page.inner_text("#summary")
    person.page.reload()
    person.shown_whole()
    assert person.page.inner_text("#summary") == before


def test_values_have_their_errors_everywhere(person):
    person.visit("table=skiriuk-2")
    groups = person.page.locator("#table optgroup").evaluate_all(
        "groups => groups.map((group) => [group.label, group.children.length])"
    )
    assert groups[:2] == [["Tables", 1], ["Estimators", 2]]
    play(person, random.Random(3), [by_list], 6)
    person.press("Throw", "#hand")
    person.settle()
    estimate = re.compile(r"\d\d? % ± \d")
    assert len(estimate.findall(person.page.inner_text("#chances"))) == 2
    throws = person.page.locator("#throws button").all_inner_texts()
    assert all(estimate.search(text) for text in throws)
    moves = person.page.locator("#moves button").all_inner_texts()
    assert all(estimate.search(text) for text in moves)
    assert all("best" in text or ", perhaps" in text for text in moves)
    assert estimate.search(person.status())


def test_a_game_that_is_opened_is_judged_by_estimates(person):
    person.visit("table=skiriuk-2")
    opened(person, "rules: skiriuk:2\n\nL 1 A@A4\nD 2 C@C3\nend: unfinished")
    person.press("To the end", "#controls")
    person.settle()
    assert re.search(r"Now\s+\d\d % ± \d", person.page.inner_text("#summary .account"))


def test_the_end_of_a_game_says_what_is_only_estimated(person):
    """Choices that are too close to call count as neither right nor wrong."""
    game = random_game(named_rules("skiriuk:2"), 4)
    person.visit("table=skiriuk-2")
    opened(person, write_text(game, ".ur"))
    played = person.address["game"]
    person.page.goto("about:blank")
    person.visit(f"table=skiriuk-2&values=no&game={played}&at={len(game.plies)}")
    estimator = Estimator(stored_of("skiriuk:2"))
    plies = line_of(estimator, estimator.rules.start(), turns_of(person.address))["plies"]
    said = person.page.inner_text("#verdict")
    for side in ("light", "dark"):
        choices = [each for each in plies if each["side"] == side and each["options"] > 1]
        costs = [each["loss"] for each in choices if each["loss"] > each["loss_error"]]
        best = sum(each["loss"] < 1e-6 for each in choices)
        close = len(choices) - best - len(costs)
        whose = f"{side}\N{RIGHT SINGLE QUOTATION MARK}s"
        assert (
            f"{best} of {whose} {len(choices)} choices were the best and {close} too close to call;"
        ) in said
        assert f"the others cost {100 * sum(costs):.0f} % of chance in all" in said


def test_the_estimator_plays(person):
    person.visit("table=skiriuk-2&light=table&dark=table")
    person.until("#status", "has won")
    assert person.page.inner_text("#names").startswith(
        "light: the computer, best player, dark: the computer, best player"
    )
