"""A site answers what the server would: positions and games with their values."""

from __future__ import annotations

import json

import pytest

from tests.games import random_game
from tests.serve.browser import needs_browser
from tests.serve.page.engine import drawn_answer, near
from tests.serve.page.playing import line_of, turns_played
from ur_solver.records.plain import write_plain
from ur_solver.rules import LIGHT
from ur_solver.serve.answers import audit_text

pytestmark = [needs_browser, pytest.mark.slow]

NAMES = ["birds-2", "bell-stakes-1", "skiriuk-7", "birds-5", "ben-7", "bell-stakes-7"]


@pytest.fixture(scope="module")
def ask(modules):
    """An answer of the site's engine about a source."""
    modules.evaluate("""async () => { window.Source = (await import("./api.js")).Source; }""")

    def ask(path, what, *given):
        script = (
            "async ([path, what, given]) => JSON.stringify(await new Source(path)[what](...given))"
        )
        return json.loads(modules.evaluate(script, [path, what, given]))

    return ask


def by_name(values):
    """An answer with moves by name, without what rounding may change: almost equal ones tie."""
    if isinstance(values, dict):
        kept = values.keys() - {"mark", "loss_error"}
        return {key: by_name(values[key]) for key in kept}
    if isinstance(values, list) and all(isinstance(each, dict) and "to" in each for each in values):
        return {each["move"]: by_name(each) for each in values}
    return [by_name(each) for each in values] if isinstance(values, list) else values


def same(values):
    """What an answer of Python must be equal to, by name, but for the rounding of a network."""
    return near(by_name(json.loads(json.dumps(values))), 1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_positions(site, ask, name):
    evaluator = site.values[name]
    rules = evaluator.rules
    game = random_game(rules, 4)
    rows = [ply.state for ply in game.plies][:: max(1, len(game.plies) // 8)]
    for row in rows:
        text = game.stepper.notation(row, LIGHT)
        found = ask(f"tables/{name}", "position", text, "light")
        expected = drawn_answer(evaluator, rules.position(text), LIGHT)
        assert by_name(found) == same(expected)
        for throw, other in zip(found["throws"], expected["throws"], strict=True):
            own, errors = (
                {each["move"]: each.get("loss_error") for each in moves["moves"]}
                for moves in (throw, other)
            )
            if [*own][:1] == [*errors][:1]:
                assert own == near(errors, 1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_games(site, ask, name):
    evaluator = site.values[name]
    rules = evaluator.rules
    record = random_game(rules, 2, max_plies=12)
    turns, start = turns_played(record), rules.start()
    found = ask(f"tables/{name}", "line", start.notation, [*map(list, turns)])
    expected = line_of(evaluator, start, turns)
    assert by_name(found) == same(expected)


@pytest.mark.parametrize("name", NAMES)
def test_audits(site, ask, name):
    """Luck, losses and what they come to are those of `ur audit`."""
    evaluator = site.values[name]
    record = random_game(evaluator.rules, 7, max_plies=16)
    text = write_plain(record) + "\n"
    (found,) = ask(f"tables/{name}", "audit", text)["games"]
    (expected,) = audit_text(evaluator, text)["games"]
    for key in ("start_value", "end_value", "winner", "ending", "names", "position", "start"):
        assert found[key] == near(expected[key], 1e-5), key
    for side in ("light", "dark"):
        own = {key: found[side][key] for key in found[side] if key in expected[side]}
        assert {"choices", "best", "loss", "luck"} <= {*own}
        assert own == near({key: expected[side][key] for key in own}, 1e-5)
    for ply, other in zip(found["plies"], expected["plies"], strict=True):
        kept = other.keys() - {"mark", "loss_error"}  # as in `by_name`
        assert {key: ply[key] for key in kept} == near({key: other[key] for key in kept}, 1e-5)
