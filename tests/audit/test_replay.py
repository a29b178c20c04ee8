"""The replay of a report: its steps against whole drawings, and in a browser."""

from xml.etree import ElementTree as ET

import pytest

from tests.games import HashValues, random_game
from tests.serve.browser import WAIT, needs_browser
from ur_solver.answers.decisions import Thresholds
from ur_solver.audit.judge import audit_games
from ur_solver.audit.report import html_report, replay_values
from ur_solver.records import read_text
from ur_solver.rules import named_rules
from ur_solver.rules.svg import board_svg

pytestmark = pytest.mark.slow


def audit_of(record):
    (audit,) = audit_games([record], HashValues(record.rules))
    return audit


def children(drawing):
    return [ET.tostring(child, encoding="unicode") for child in ET.fromstring(drawing)]


@pytest.mark.parametrize("word", ["finkel:3", "birds:2", "skiriuk:2", "bell-stakes:2", "aseb:2"])
def test_every_step_gives_the_whole_drawing(word):
    audit = audit_of(random_game(named_rules(word), 4))
    values = replay_values(audit, "The end.")
    steps = values["steps"]
    assert len(steps) == len(audit.plies) + 1
    drawn = children(values["board"])
    stepper = audit.record.stepper
    for judged, step in zip(audit.plies, steps, strict=False):
        for index, part in step["parts"].items():
            drawn[int(index)] = part
        position = stepper.position(judged.ply.state, judged.ply.side)
        assert drawn == children(board_svg(position))
        arrows = step["arrows"].count('class="arrow ')
        if not judged.is_before_throw:
            assert arrows == (judged.best >= 0) + (judged.best != judged.taken)
    for index, part in steps[-1]["parts"].items():
        drawn[int(index)] = part
    last = audit.record.plies[-1]
    assert f">finished {named_rules(word).pieces}<" in "".join(drawn) or last.step is None
    assert steps[-1] == {"parts": steps[-1]["parts"], "arrows": "", "text": "The end."}


def test_what_is_said_of_a_step():
    (record,) = read_text(
        "rules: finkel:2\nL 3 A@A2\nD 0\nL 2 A2B1\nend: resigned by D", named_rules("finkel:2")
    )
    audit = audit_of(record)
    said = [step["text"] for step in replay_values(audit, "The end.")["steps"]]
    value = 100 * audit.start_value
    assert said[0] == f"Throw 1: light throws 3, A@A2. Light has {value:.1f} % before it."
    assert said[1].startswith("Throw 2: dark throws 0, no move. Light has ")
    best = audit.best_text(audit.plies[2])
    assert ("best was" in said[2]) == (best != "A2B1")
    assert len(replay_values(audit, "The end.")["steps"]) == 4


def test_a_record_without_turns_has_one_step():
    (record,) = read_text("rules: finkel:2\nend: unfinished")
    values = replay_values(audit_of(record), "The end.")
    assert [step["text"] for step in values["steps"]] == ["The end."]


@needs_browser
def test_stepping_in_a_browser(browser, tmp_path):
    """Forth, back, to both ends and by the slider; nothing is complained of."""
    from playwright.sync_api import expect

    games = [random_game(named_rules("finkel:2"), seed) for seed in (3, 4)]
    audits = list(audit_games(games, HashValues(games[0].rules)))
    path = tmp_path / "report.html"
    path.write_text(html_report(audits, Thresholds(), {}), encoding="utf-8")
    steps = replay_values(audits[1], "")["steps"]
    context = browser.new_context(viewport={"width": 360, "height": 800})
    page = context.new_page()
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(path.as_uri())
    replay = page.get_by_role("group", name="Replay").nth(1)
    board = replay.locator("svg").first
    begin = board.inner_html()
    for _ in range(6):
        replay.get_by_role("button", name="Next").click()
    assert replay.locator("p").inner_text() == steps[6]["text"]
    sixth = board.inner_html()
    replay.get_by_role("button", name="Last").click()
    assert replay.locator("p").inner_text().startswith("The end: ")
    replay.get_by_role("slider").fill("6")
    assert board.inner_html() == sixth
    replay.get_by_role("slider").press("ArrowRight")
    replay.get_by_role("button", name="Back").click()
    assert board.inner_html() == sixth
    replay.get_by_role("button", name="First").click()
    assert board.inner_html() == begin != sixth
    replay.get_by_role("button", name="Play").click()
    expect(replay.locator("p")).not_to_have_text(steps[0]["text"], timeout=WAIT)
    replay.get_by_role("button", name="Stop").click()
    context.close()
    assert not complaints
