"""Learn by playing: what is said is what has happened, each thing once; and a game that is won."""

from __future__ import annotations

import json
import random
from importlib import resources

import pytest

from tests.serve.browser import Person, needs_browser
from tests.serve.page.engine import engine_page
from tests.serve.page.playing import record_of, turns_of
from ur_solver.rules import LIGHT, named_rules
from ur_solver.serve.rules_data import rules_data

pytestmark = [needs_browser, pytest.mark.slow]

FINKEL = named_rules("finkel:3")
SHARED = range(4, 12)
"""The squares of a path that both sides have."""

TEXTS = json.loads((resources.files("ur_solver.common") / "languages/en.json").read_text("utf-8"))

THINGS = (
    *("throw", "enter", "move", "again", "shared", "capture", "captured", "safe", "pass", "off"),
    *("won", "lost", "end"),
)


def happened(ply):
    """What a turn has brought, by the compiled generator."""
    if ply.step is None:
        return {"pass"}
    _, target, is_capture, again, *_ = step = ply.step
    off = target == len(FINKEL.path.squares(LIGHT))
    found = {
        "enter": step.source < 0, "move": step.source >= 0 and not off, "off": off,
        "again": again, "shared": target in SHARED, "safe": again and target in SHARED,
        "capture" if ply.side == LIGHT else "captured": is_capture,
        "won" if ply.side == LIGHT else "lost": step.is_win, "end": step.is_win,
    }  # fmt: skip
    return {thing for thing, is_so in found.items() if is_so}


def expected(turns):
    """What is new at the start, and after each turn."""
    known, found = set(), [{"throw"}]
    for ply in record_of(FINKEL.start(), turns).plies:
        found.append(happened(ply) - known)
        known |= found[-1]
    return found


GAMES = """async ([data, count]) => {
  window.fetch = async () => new Response(JSON.stringify(data));
  const { drawnFrom } = await import("./common.js");
  const { Session } = await import("./session.js");
  const { news, wanted } = await import("./guide.js");
  const drawn = drawnFrom(1);
  crypto.getRandomValues = (numbers) => numbers.fill(drawn() * 2 ** 32);
  const found = [];
  for (let k = 0; k < count; k++) {
    const session = new Session(() => session.unfold());
    await session.take("rules/finkel:3");
    session.players = { light: "human", dark: "random" };
    Object.assign(session, { showsValues: false, isGuided: true });
    await session.unfold();
    const said = [news(session)];
    while (!session.isOver && said.length < 500) {
      await session.roll();
      const those = session.isOwnTurn ? session.moves : wanted(session, session.moves);
      await session.play(those[Math.floor(drawn() * those.length)] ?? null);
      said.push(news(session));
    }
    const turns = session.at.path.slice(1).map(({ turn }) => [turn.choice, turn.throws, turn.move]);
    await session.go(session.root);
    const options = [wanted(session, session.possible).length];
    session.isGuided = false;
    options.push(wanted(session, session.possible).length);
    found.push([turns, said, options]);
  }
  return found;
}"""


def test_each_thing_is_said_once_when_it_has_happened(browser):
    with engine_page(browser) as page:
        games = page.evaluate(GAMES, [rules_data(FINKEL), 20])
    for turns, said, options in games:
        wanted = expected([(None, tuple(throws), move) for _, throws, move in turns])
        assert [set(each) for each in said] == wanted
        once = [thing for each in said for thing in each]
        assert sorted([*once, "won" if "lost" in once else "lost"]) == sorted(THINGS)
        # all but the leaving of the board within the first minutes
        early = [thing for each in said[:45] for thing in each]
        assert {*THINGS} - {*early} <= {"off", "won", "lost", "end"}
        assert options == [3, 5]  # a first throw brings one thing; and any may fall elsewhere


LINES = {key: text for key, text in TEXTS.items() if key in {f"guide.{each}" for each in THINGS}}


def learn(browser, origin, **context):
    person = Person(browser, origin, **context)
    person.visit()
    person.press("Learn by playing")
    person.until("#lesson", "Throw the dice")
    person.settle()
    return person


def go_on(person, rng):
    """Do what is to be done next, by a press or by Enter; False at the end."""
    page = person.page
    page.wait_for_selector(
        ":is(#throw[aria-disabled=false], #go-on, #moves button, #options button):visible"
    )
    if page.locator("#throw").is_hidden():
        return False
    if rng.random() < 0.3:
        page.focus("#board")
        person.keys("Enter")
    elif page.locator("#go-on").is_visible():
        person.press("Go on")
    elif "Pass" in person.options():
        person.press("Pass", "#options")
    elif moves := page.locator("#board .movable").all():
        rng.choice(moves).click()
    else:
        person.press("Throw", "#hand")
    person.settle()
    return True


def test_a_game_is_learnt_by_playing_it_to_its_end(browser, origin):
    person = learn(browser, origin, viewport={"width": 320, "height": 640}, bypass_csp=True)
    page, rng = person.page, random.Random(5)
    keys, seen = {text: key.removeprefix("guide.") for key, text in LINES.items()}, {}
    for _ in range(300):
        texts = page.locator("#lesson span").all_inner_texts()
        seen[len(turns_of(person.address))] = {keys[each] for each in texts}
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        if "capture" in seen[max(seen)] and page.locator("#go-on").is_visible():
            person.check_access("a lesson")
            before = person.shown(), texts
            page.reload()
            person.shown_whole()
            assert (person.shown(), page.locator("#lesson span").all_inner_texts()) == before
            assert page.locator("#go-on").is_visible()
        if not go_on(person, rng):
            break
    assert page.locator("#throw").is_hidden()
    turns = turns_of(person.address)
    news = expected(turns)
    assert all(news[number] == things for number, things in seen.items())
    assert set().union(*seen.values()) | {"won", "lost"} == {*THINGS}
    person.check_access("the end")
    assert not person.kept("games")  # whose dice are not fair
    assert person.options() == ["Play against a beginner", "Other games"]
    person.press("Play against a beginner")
    person.until("#headline", "throw the dice")
    person.settle()
    assert person.address["table"] == "finkel-3"
    assert person.address["dark"] == "weak"
    assert "learn" not in person.address
    person.close()


def test_it_can_be_left_at_any_time(browser, origin):
    person = learn(browser, origin)
    go_on(person, random.Random(1))
    person.press("Leave")
    person.until("#start")
    assert not person.page.locator("#stage").is_visible()
    person.page.go_back()
    person.until("#lesson", "Throw the dice")
    person.settle()
    person.close()


WON = {"won", "glow", "hop"}
"""The animations of the moment."""

ENDING = "rules=finkel:3&values=no&start=....__L./......../..D.__..%20{}%200%200&throw=1"

LOST = (
    "rules=finkel:3&values=no&dark=random&start=L...__../......../....__D.%20L%200%200"
    "&game=.0.1_C7C%27&at=2"
)


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_game_that_is_won_is_a_moment(browser, origin, motion):
    person = Person(browser, origin, reduced_motion=motion, bypass_csp=True)
    moving = "document.getAnimations().map(each => each.animationName).filter(Boolean)"
    person.visit(ENDING.format("L") + "&dark=random")
    assert not WON & {*person.page.evaluate(moving)}
    person.page.locator("#board .movable").click()
    person.until("#headline", "You have won!")
    person.settle()
    # ended animations stay what they are, so that nothing depends on when this is asked
    assert WON & {*person.page.evaluate(moving)} == (set() if motion == "reduce" else WON)
    assert "You have won!" in person.page.text_content("#status")
    assert person.page.locator("#again").is_visible()
    assert "Other games" in person.options()
    person.check_access("won")
    person.press("Play again")
    person.until("#headline", "throw the dice")
    assert not WON & {*person.page.evaluate(moving)}
    person.close()


def test_a_game_that_the_computer_wins_is_none(browser, origin):
    person = Person(browser, origin, reduced_motion="no-preference")
    person.visit(LOST)
    person.until("#headline", "has won")
    moving = person.page.evaluate("document.getAnimations().map(each => each.animationName)")
    assert not WON & {*moving}
    person.close()
