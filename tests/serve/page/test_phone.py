"""The page in a hand: on a small screen, on its side, with large text, by touch."""

from __future__ import annotations

import json

import pytest

from tests.games import random_game, write_text
from tests.serve.browser import Person, needs_browser
from tests.serve.page.playing import opened
from ur_solver.rules import named_rules

pytestmark = [needs_browser, pytest.mark.slow]

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
SIZES = [(320, 640), (360, 740), (740, 360), (844, 390), (1280, 900)]
SIDEWAYS = [(667, 375), (740, 360), (844, 390), (915, 412)]
CROWDED = "L.L.__L./.L.L.L../D..D__.. L 1 1".replace(" ", "%20")
"""A throw of 1 has seven moves."""
PLAYED = "rules=finkel:7&values=no&dark=random"

LAID_OUT = """() => {
  const faults = [];
  const isShown = (each) => each.checkVisibility({ visibilityProperty: true })
    && !each.closest('.unseen') && each.getBoundingClientRect().width > 1;
  const named = (each) => each.id || `${each.localName} “${each.textContent.trim()}”`;
  const parts = [...document.querySelectorAll(
    'button, select, input, summary, label, h1, h2, p, #count, #chances span, #stage svg')]
    .filter((each) => isShown(each) && !each.closest('#turns, .wide-table'))
    .map((each) => [each, each.getBoundingClientRect()]);
  for (const [each, box] of parts) {
    const isOff = box.left < -1 || box.right > innerWidth + 1;
    if (isOff) faults.push(`${named(each)} leaves the screen`);
    const isCut = each.clientWidth && each.scrollWidth > each.clientWidth + 1;
    if (isCut && !each.matches('input, select')) faults.push(`${named(each)} is cut`);
  }
  parts.forEach(([one, a], k) => parts.slice(k + 1).forEach(([two, b]) => {
    if (one.contains(two) || two.contains(one)) return;
    const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (width > 1 && height > 1) faults.push(`${named(one)} lies over ${named(two)}`);
  }));
  for (const selector of ['#board svg', '#dice svg', '#throw']) {
    const { top, bottom } = document.querySelector(selector).getBoundingClientRect();
    const isOff = top < 0 || bottom > innerHeight + 1;
    if (isOff) faults.push(`${selector} is not on screen: ${top} to ${bottom}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push('wider than the screen');
  return faults;
}"""

SMALL = """() => [...document.querySelectorAll('button, select, summary, a, [role=slider], '
    + 'input:not([type=radio], [type=checkbox]), label:has(input)')]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }))
  .map((each) => [each.id || each.textContent.trim(), each.getBoundingClientRect()])
  .filter(([, { width, height }]) => width > 1 && Math.min(width, height) < 43.9)
  .map(([name, { width, height }]) => `${name}: ${width} x ${height}`)"""

REFUSES_ZOOM = """() => [...document.querySelectorAll('*')]
  .filter((each) => each.getClientRects().length)
  .filter((each) => getComputedStyle(each).touchAction === 'auto')
  .map((each) => each.id || each.localName)"""


@pytest.fixture(scope="module")
def game_address(browser, origin):
    """A game against the computer, as an address."""
    person = Person(browser, origin)
    person.visit("table=finkel-3")
    opened(person, write_text(random_game(named_rules("finkel:3"), 5), ".ur"))
    game = person.address["game"]
    person.close()
    return f"table=finkel-3&dark=medium&game={game}&at=9"


def sized(person, size, text):
    width, height = size
    person.page.set_viewport_size({"width": width, "height": height})
    person.page.evaluate("text => { document.documentElement.style.fontSize = text }", f"{text}%")


@pytest.mark.parametrize("language", ["en", "ru", "fr", "nl", "es"])
def test_board_and_hand_are_on_one_screen_and_nothing_lies_over_anything(
    browser, origin, language, game_address
):
    person = Person(browser, origin, **PHONE, locale=language)
    found = {}
    for address in (PLAYED, f"{PLAYED}&start={CROWDED}&throw=1", game_address):
        person.visit(address)
        assert person.page.evaluate("document.documentElement.lang") == language
        for size in SIZES:
            for text in (100, 200):
                sized(person, size, text)
                if faults := person.page.evaluate(LAID_OUT):
                    found[(address[:40], *size, text)] = faults
                if small := person.page.evaluate(SMALL):
                    found[(address[:40], *size, text, "small")] = small
    assert not found, json.dumps({str(key): value for key, value in found.items()}, indent=1)
    person.close()


def test_a_mouse_has_the_same_page(browser, origin, game_address):
    person = Person(browser, origin)
    for address in (PLAYED, game_address):
        person.visit(address)
        for size in SIZES:
            for text in (100, 200):
                sized(person, size, text)
                assert person.page.evaluate(LAID_OUT) == [], (address, size, text)
    person.close()


def test_on_its_side_the_moves_are_beside_the_board(browser, origin):
    person = Person(browser, origin, **PHONE)
    person.visit(f"{PLAYED}&start={CROWDED}&throw=1")
    moves = person.page.locator("#moves button")
    assert moves.count() == 7
    for size in SIDEWAYS:
        sized(person, size, 100)
        board = person.page.locator("#board svg").bounding_box()
        for k in range(moves.count()):
            box = moves.nth(k).bounding_box()
            assert box["x"] > board["x"] + board["width"]
            assert box["y"] + box["height"] <= size[1], (size, k)
    person.close()


def test_two_quick_presses_never_zoom(browser, origin, game_address):
    person = Person(browser, origin, **PHONE)
    devtools = person.context.new_cdp_session(person.page)
    for address in ("", PLAYED, game_address, "table=finkel-3&edit=yes"):
        person.visit(address)
        assert person.page.evaluate(REFUSES_ZOOM) == []
    person.visit(game_address)
    for selector in ("#back", "#board", "#mistake-next"):
        box = person.page.locator(selector).bounding_box()
        middle = {"x": box["x"] + box["width"] / 2, "y": box["y"] + 5}
        devtools.send("Input.synthesizeTapGesture", {**middle, "tapCount": 2, "duration": 30})
        assert person.page.evaluate("visualViewport.scale") == 1
    person.close()


def in_sight(person, selector):
    box = person.page.locator(selector).bounding_box()
    height = person.page.evaluate("innerHeight")
    return box["y"] >= 0 and box["y"] + box["height"] <= height


def test_who_goes_through_a_game_keeps_the_board_in_sight_and_meets_own_mistakes(
    browser, origin, game_address
):
    person = Person(browser, origin, **PHONE)
    person.visit(game_address.replace("at=9", "at=0"))
    page = person.page
    assert in_sight(person, "#board svg")
    assert in_sight(person, "#mistake-next")
    assert page.locator("#mistake-side").input_value() == "light"
    places = [None]
    for _ in range(60):
        page.locator("#mistake-next").tap()
        page.wait_for_timeout(50)
        person.settle()
        assert in_sight(person, "#board svg")
        if person.address.get("at") == places[-1]:
            break
        assert page.locator("#headline .swatch").get_attribute("class") == "swatch light"
        places.append(person.address["at"])
    assert len(places) > 3
    # a swipe is a press: to the right is back
    swipe(person, -1)
    assert person.address["at"] == places[-2]
    swipe(person, 1)
    assert person.address["at"] == places[-1]
    page.locator("#mistake-side").select_option("")
    page.locator("#back").tap()
    page.wait_for_timeout(50)
    person.settle()
    assert page.locator("#mistake-side").input_value() == ""
    page.locator("#summary").scroll_into_view_if_needed()
    assert page.evaluate("scrollY") > 300
    assert in_sight(person, "#board svg")
    person.visit(game_address.replace("dark=medium", "light=medium"))
    assert page.locator("#mistake-side").input_value() == "dark"
    person.visit("table=finkel-3")
    assert page.locator("#mistake-side").input_value() == ""
    person.close()


def swipe(person, step):
    """A finger over the board, from a square whose piece does not move."""
    x, y = person.page.evaluate(
        """() => {
          const still = document.querySelector('#board [data-square]:not(.movable, [data-side])');
          const { x, y, width, height } = still.getBoundingClientRect();
          return [x + width / 2, y + height / 2];
        }"""
    )
    devtools = person.context.new_cdp_session(person.page)
    x, way = (60, 30) if step < 0 else (300, -30)
    points = [{"x": x + k * way, "y": y} for k in range(7)]
    for kind, point in zip(["touchStart"] + 6 * ["touchMove"], points, strict=True):
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
    devtools.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    person.page.wait_for_timeout(50)
    person.settle()


def rows(person):
    """Whose pieces wait above the board and below it."""
    trays = person.page.locator("#board [data-square=home]")
    sides = [
        (each.bounding_box()["y"], each.get_attribute("data-side"))
        for each in (trays.nth(0), trays.nth(1))
    ]
    return [side for _, side in sorted(sides)]


def test_ones_own_pieces_are_near_and_a_turned_board_is_kept(browser, origin):
    person = Person(browser, origin)
    person.visit()
    page = person.page
    start_game(person)
    assert rows(person) == ["dark", "light"]
    assert "top" not in person.address
    person.press("Flip", "#controls")
    person.settle()
    assert rows(person) == ["light", "dark"]
    flipped = page.url.partition("#")[2]
    shown = page.inner_html("#board svg")
    person.visit()
    start_game(person)  # another game, turned as well
    assert rows(person) == ["light", "dark"]
    new_game(person, "human", "medium")
    assert rows(person) == ["light", "dark"]
    new_game(person, "medium", "human")
    assert rows(person) == ["dark", "light"]
    person.press("Flip", "#controls")
    person.settle()
    assert rows(person) == ["light", "dark"]
    near = page.url.partition("#")[2]
    person.close()
    other = Person(browser, origin)  # whose board is not turned
    other.visit(flipped)
    assert other.page.inner_html("#board svg") == shown
    other.visit(near)
    assert rows(other) == ["light", "dark"]
    other.visit("table=finkel-3")
    assert rows(other) == ["light", "dark"]
    other.close()


def start_game(person):
    person.page.locator("#hero-card").get_by_role("button", name="Play").click()
    person.until("#headline", "throw the dice")
    person.settle()


def new_game(person, light, dark):
    person.head("New game")
    person.page.select_option("#light-player", light)
    person.page.select_option("#dark-player", dark)
    person.press("Start", "#new-dialog")
    person.settle()


def test_practice_has_the_pieces_to_move_near(person):
    person.visit("table=finkel-3")
    found = person.page.evaluate(
        """async () => {
          const { Question } = await import('./exercises.js');
          const { Source } = await import('./api.js');
          const path = 'tables/finkel-3';
          const { start } = await new Source(path).about();
          const found = [];
          for (const position of [start, start.replace(' L ', ' D ')]) {
            for (const isTurned of [false, true]) {
              const exercise = { path, position, choice: null, throws: [2] };
              found.push((await Question.of(exercise, isTurned)).view);
            }
          }
          return found;
        }"""
    )
    assert found == ["dark", "light", "light", "dark"]


SUSPENDED = """
  const Real = AudioContext;
  window.contexts = [];
  window.AudioContext = class extends Real {
    constructor() { super(); window.contexts.push(this); }
  };
  window.heard = 0;
  for (const { prototype } of [AudioScheduledSourceNode, AudioBufferSourceNode]) {
    const { start } = prototype;
    prototype.start = function (...given) {
      window.heard += 1;
      return start.apply(this, given);
    };
  }
"""


def test_sound_that_was_suspended_comes_back_with_the_next_press(browser, origin):
    person = Person(browser, origin, **PHONE, bypass_csp=True)  # which keeps tests from waiting
    page = person.page
    page.add_init_script(SUSPENDED)
    person.visit("table=finkel-3&values=no")
    person.settings()
    page.locator("#sound").check()
    person.keys("Escape")
    person.tap(page.locator("#throw"))
    page.wait_for_function("window.contexts[0]?.state === 'running' && window.heard > 0")
    page.evaluate("window.contexts[0].suspend()")
    page.wait_for_function("window.contexts[0].state === 'suspended'")
    before = page.evaluate("window.heard")
    person.tap(page.locator("#board .movable").first)
    page.wait_for_function(
        "before => window.contexts[0].state === 'running' && window.heard > before", arg=before
    )
    assert page.evaluate("window.contexts.length") == 1
    person.close()


@pytest.mark.parametrize("how", ["allowed", "refused", "absent"])
def test_copying_the_address_answers(browser, origin, how):
    person = Person(browser, origin, **PHONE)
    person.page.add_init_script(
        f"""const how = {json.dumps(how)};
        window.copied = [];
        Object.defineProperty(navigator, 'clipboard', {{ value: how === 'absent' ? undefined : {{
          writeText: async (text) => {{
            if (how === 'refused') throw new Error('no');
            window.copied.push(text);
          }} }} }});
        window.shared = [];
        const share = async (what) => {{
          window.shared.push(what.url);
          if (how === 'refused') throw new DOMException('never mind', 'AbortError');
        }};
        const value = how === 'absent' ? undefined : share;
        Object.defineProperty(navigator, 'share', {{ value }});"""
    )
    person.visit("table=finkel-3")
    person.head("Save")
    person.press("Copy the address", "#save-dialog")
    said = "The address is copied." if how == "allowed" else "The address is selected"
    person.until("#copied", said)
    link = person.page.input_value("#link")
    assert person.page.evaluate("window.copied") == ([link] if how == "allowed" else [])
    assert person.page.evaluate("getSelection().toString() || document.activeElement.value") == link
    share = person.page.locator("#saves").get_by_role("button", name="Share …")
    assert share.count() == (how != "absent")
    if share.count():
        share.click()
        assert person.page.evaluate("window.shared") == [link]
    person.keys("Escape")
    person.head("Save")
    assert person.page.inner_text("#copied") == ""
    person.close()


def test_live_regions_are_there_before_they_speak(person):
    person.visit("table=finkel-3&values=no&dark=table")
    person.settle()
    devtools = person.context.new_cdp_session(person.page)
    devtools.send("Accessibility.enable")
    document = devtools.send("DOM.getDocument", {"depth": -1})["root"]
    for selector in ("#verdict", "#meaning", "#error", "#not-kept", "#waiting", "#status"):
        assert selector == "#status" or person.page.inner_text(selector) == ""
        node = devtools.send(
            "DOM.querySelector", {"nodeId": document["nodeId"], "selector": selector}
        )
        (found,) = devtools.send(
            "Accessibility.getPartialAXTree", {**node, "fetchRelatives": False}
        )["nodes"]
        assert not found["ignored"], selector
        assert found["role"]["value"] == ("alert" if selector == "#error" else "status")
    # and take no room
    gap = person.page.evaluate(
        """() => document.querySelector('#controls').offsetTop
          - document.querySelector('#status').offsetTop"""
    )
    assert gap < 100


LOOSE = """() => {
  const texts = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) texts.push(walk.currentNode.textContent);
  for (const each of document.querySelectorAll('*')) {
    for (const name of ['aria-label', 'title', 'aria-valuetext']) {
      texts.push(each.getAttribute(name) ?? '');
    }
  }
  return texts.filter((each) => /\\d[ ]%/.test(each));
}"""


def test_the_sign_of_per_cent_stays_with_its_number(person, game_address):
    for address in ("", game_address, "table=skiriuk-1", "table=finkel-3&values=no&dark=table"):
        person.visit(address)
        assert person.page.evaluate(LOOSE) == []
    person.visit(game_address)
    person.page.locator("#openings summary").click()
    person.until("#openings table")
    person.press("Is it the dice?")
    person.until("#dice-found table")
    assert person.page.evaluate(LOOSE) == []
    # and the answer stands before its table
    answer = person.page.locator("#dice-found p").first.bounding_box()
    assert answer["y"] < person.page.locator("#dice-found table").bounding_box()["y"]
    person.keys("Escape")
    person.press("Practise")
    person.until("#practise-cost")
    assert person.page.evaluate(LOOSE) == []


def test_a_kept_game_opens_where_the_browser_refuses_entries(browser, origin):
    person = Person(browser, origin, bypass_csp=True)
    person.visit("table=finkel-3&values=no")
    person.press("Throw", "#hand")
    person.settle()
    person.page.locator("#moves button").first.click()
    person.settle()
    played = person.address["game"]
    person.visit()
    person.page.evaluate(
        """() => {
          window.refusals = 2;
          for (const how of ['pushState', 'replaceState']) {
            const real = history[how].bind(history);
            history[how] = (...given) => {
              if (window.refusals-- > 0) throw new DOMException('too many', 'SecurityError');
              real(...given);
            };
          }
        }"""
    )
    person.press("Go on with the last game", "#start")
    person.until("#turns .turn")
    person.page.wait_for_function("location.hash.includes('game=')")
    assert person.address["game"] == played
    person.page.go_back()
    person.until("#games")
    person.close()


def test_the_warning_of_an_old_encoding_is_seen(person):
    person.visit("table=finkel-3")
    person.head("Open")
    text = write_text(random_game(named_rules("finkel:3"), 5), ".ur")
    content = "Light: Andr\N{LATIN SMALL LETTER E WITH ACUTE}\n".encode("latin-1")
    head, rest = text.split("\n", 1)
    person.page.set_input_files(
        "#file",
        {"name": "old.ur", "mimeType": "text/plain",
         "buffer": head.encode() + b"\n" + content + rest.encode()},
    )  # fmt: skip
    person.until("#found li", "Windows-1252")
    assert person.page.locator("#open-dialog").is_visible()
    person.page.locator("#found button").click()
    person.page.wait_for_selector("#open-dialog", state="hidden")
    person.settle()
    assert "Andr\N{LATIN SMALL LETTER E WITH ACUTE}" in person.page.inner_text("#names")
