"""The page by an estimator: values with their errors, and accounts that add up."""

from __future__ import annotations

import random
import re
import subprocess
import sys

import pytest

from tests.estimators.test_file import stored_of
from tests.games import random_game, write_text
from tests.serve.browser import NO_BREAK, Person, needs_browser
from tests.serve.page.playing import (
    by_list,
    line_of,
    opened,
    play,
    record_of,
    rules_of,
    turns_of,
)
from ur_solver.answers.decisions import USUAL
from ur_solver.api.table import Table
from ur_solver.audit.audits import account_text
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
    words = [str(solved(named_rules(word))) for word in ("finkel:1", "bell-stakes:1")]
    words += map(str, paths)
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
        f"Values of {word} are estimates, by a search of 3 plies, "
        f"with their 95{NO_BREAK}% intervals."
    )
    play(person, random.Random(word), [by_list], 10)
    estimator = Estimator(stored_of(word))
    turns = turns_of(person.address)
    line = line_of(estimator, estimator.rules.start(), turns)
    account = person.page.locator("#summary .account")
    total = float(account.get_attribute("data-sum"))
    assert total == pytest.approx(line["end_value"], abs=1e-4)
    assert "does not add up" not in account.inner_text()
    assert re.search(r"Start\s+\d\d\s% ± \d", account.inner_text())
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
    assert groups[:2] == [["Tables", 2], ["Estimators", 2]]
    play(person, random.Random(3), [by_list], 6)
    person.press("Throw", "#hand")
    person.settle()
    estimate = re.compile(r"\d\d?\s% ± \d")
    assert len(estimate.findall(person.page.inner_text("#chances"))) == 2
    throws = person.page.locator("#throws button").all_inner_texts()
    assert all(estimate.search(text) for text in throws)
    moves = person.page.locator("#moves button").all_inner_texts()
    assert all(estimate.search(text) for text in moves)
    assert all(
        "best" in text or ", too close to call" in text or "\n\N{MINUS SIGN}" in text
        for text in moves
    )
    assert estimate.search(person.status())


def test_a_game_that_is_opened_is_judged_by_estimates(person):
    person.visit("table=skiriuk-2")
    opened(person, "rules: skiriuk:2\n\nL 1 A@A4\nD 2 C@C3\nend: unfinished")
    person.press("To the end", "#steps")
    person.settle()
    assert re.search(r"Now\s+\d\d\s% ± \d", person.page.inner_text("#summary .account"))


def played_out(person, name, game):
    """The page of somebody who has played a whole game; its plies as an audit judges them."""
    person.visit(f"table={name}")
    opened(person, write_text(game, ".ur"))
    played = person.address["game"]
    person.page.goto("about:blank")
    person.visit(f"table={name}&values=no&game={played}&at={len(game.plies)}")
    return person.page.inner_text("#verdict").replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


@pytest.mark.parametrize("name", ["finkel-1", "bell-stakes-1", "skiriuk-2", "birds-2"])
def test_the_end_of_a_game_keeps_three_kinds_of_choices_apart_and_adds_up(person, name, solved):
    """Of random games: the account is that of `ur audit`, and no doubt counts as right."""
    rules = rules_of(name)
    exact = name.endswith("-1")
    source = Table(solved(rules)) if exact else Estimator(stored_of(rules.word))
    with source:
        for seed in (1, 2, 4):
            game = random_game(rules, seed)
            said = played_out(person, name, game)
            (audit,) = source.audits([record_of(rules.start(), turns_of(person.address))])
            worth = rules.payoff.units.worth
            assert f"light's {worth}: {account_text(audit)}." in said.replace("Light's", "light's")
            units = audit.units
            for side, summary in (("light", audit.light), ("dark", audit.dark)):
                best, close, worse = summary.best, summary.close, summary.worse
                assert (best + close + worse, close == 0) == (summary.choices, exact)
                if not summary.choices:
                    continue
                kinds = f" and {worse} worse." if exact else (
                    f", {close} too close to call and {worse} worse for sure."
                )  # fmt: skip
                counted = f"{summary.choices} choice{'s' * (summary.choices > 1)}"
                lost = units.amount(summary.loss) + units.give(summary.loss_margin)
                sure = "" if exact else f", {units.amount(summary.worse_loss)} of that for sure"
                points = "" if rules.stakes else " points"
                assert (
                    f"{best} of {side}'s {counted} were the best{kinds} They cost {lost}{points} "
                    f"in all{sure}, and the dice"
                ) in said
            person.page.get_by_label("Analyse").check()
            person.settle()
            account = person.page.locator("#summary .account")
            assert float(account.get_attribute("data-sum")) == pytest.approx(
                audit.end_value, abs=1e-4
            )
            facts = {
                side: person.page.locator(f"#summary .player.{side} dd").all_inner_texts()
                for side in ("light", "dark")
            }
            for side, summary in (("light", audit.light), ("dark", audit.dark)):
                assert facts[side][1] == units.amount(summary.loss) + units.give(
                    summary.loss_margin
                )
                if not exact:
                    assert facts[side][3:5] == [
                        str(summary.close),
                        f"{summary.worse}, {units.amount(summary.worse_loss)} lost",
                    ]
            marks = person.page.locator("#turns .turn", has_text="too close to call").count()
            own = {id(each.ply) for each in audit.plies if each.verdict == "close"}
            marked = {id(each.ply) for each in audit.plies if USUAL.mark(each)}
            assert marks == len(own - marked)


def test_the_estimator_plays(person):
    person.visit("table=skiriuk-2&light=table&dark=table")
    person.until("#status", "has won")
    assert person.page.inner_text("#names").startswith(
        "light: the computer, best player, dark: the computer, best player"
    )
