"""Somebody arrives, chooses a game and plays it: by touch, with a friend, by a faulty link."""

from __future__ import annotations

import random
import re

import pytest

from tests.serve.browser import Person, needs_browser
from tests.serve.page.playing import by_list, turns_of
from ur_solver.rules import CATALOGUE, named_rules
from ur_solver.rules.descriptions import sections_of
from ur_solver.serve.rules_data import measured

pytestmark = [needs_browser, pytest.mark.slow]

APOSTROPHE = "\N{RIGHT SINGLE QUOTATION MARK}"
PHONE = {
    "viewport": {"width": 360, "height": 740},
    "has_touch": True,
    "is_mobile": True,
}


def card(person, title):
    return person.page.locator("#start .card").filter(
        has=person.page.get_by_role("heading", name=title, exact=True)
    )


def begin(person, opponent="Two people here", title="Finkel's game"):
    """Choose an opponent and a game on the first screen."""
    person.visit()
    person.page.get_by_label(opponent).check()
    card(person, title).get_by_role("button", name="Play").click()
    person.until("#headline", "throw the dice")
    person.settle()


def thrown(person):
    """Throw until there is a move to choose."""
    for _ in range(20):
        person.press("Throw", "#hand")
        person.settle()
        if "Pass" not in person.options():
            return
        person.press("Pass", "#options")
        person.settle()


def test_the_page_names_the_modules_that_it_loads(person):
    """So that a browser need not find them one after the other; dialogs are loaded when opened."""
    person.visit()
    links = person.page.locator("link[rel=modulepreload]")
    named = [each.get_attribute("href") for each in links.all()]
    asked = [
        url.removeprefix(f"{person.origin}/") for url in person.requests if url.endswith(".js")
    ]
    assert sorted(["main.js", "guard.js", *named]) == sorted(asked)
    assert "session.js" in named
    assert "practise.js" not in named


def test_games_to_choose_from_say_what_they_are(person):
    person.visit()
    cards = person.page.locator("#start .card")
    assert cards.count() == len(CATALOGUE)
    assert cards.first.get_by_role("heading").inner_text() == "Finkel's game"
    person.page.get_by_text("More games").click()
    for each in cards.all():
        assert re.search(r"about \d+ (minute|hour)s?", each.text_content())
        labels = [star.get_attribute("aria-label") for star in each.locator(".stars").all()]
        assert len(labels) == 2
        assert all(re.fullmatch("[123] of 3 stars", label) for label in labels)
    figures = measured()["aseb"]
    assert figures["pieces"] == CATALOGUE["aseb"].pieces  # as on its card: three seconds a throw
    assert f"about {round(figures['throws'] / 20)} minutes" in card(person, "Aseb").text_content()
    words = card(person, "Skiriuk's game").inner_text()
    assert "1 piece each here against the computer; the whole game has 7" in words
    assert "Skiriuk's article, 2011 (Russian)" in words
    assert "any legal move" in card(person, "Aseb").text_content()
    assert "any legal move" not in words


def test_a_whole_game_is_played_by_touch_on_a_phone(browser, origin):
    person = Person(browser, origin, **PHONE)
    person.visit()
    page = person.page
    page.get_by_label("Casual player").check()
    person.tap(card(person, "Skiriuk's game").get_by_role("button", name="Play"))
    person.until("#headline", "Your turn: throw the dice")
    assert page.locator("#board .way .line.off").count() == 1
    assert page.locator("#chances").is_hidden()
    # the board, the dice and the button are on the first screen of the phone
    for selector in ("#headline", "#board", "#dice", "#throw"):
        box = page.locator(selector).bounding_box()
        assert box["y"] + box["height"] < 740
    over = re.compile("has won|have won")
    for _ in range(200):
        person.until("#throw[aria-disabled=false], #again")
        if over.search(page.inner_text("#headline")):
            break
        person.tap(page.locator("#throw"))
        person.settle()
        if "Pass" in person.options():
            person.tap(page.locator("#options button"))
        else:
            person.tap(page.locator("#board .movable").first)
        person.settle()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert over.search(page.inner_text("#headline"))
    assert person.address["dark"] == "medium"
    person.tap(page.locator("#again"))
    person.until("#headline", "throw the dice")
    assert "game" not in person.address
    person.close()


def test_two_people_at_one_screen(person):
    person.visit()
    person.page.get_by_text("Names of players").click()
    person.page.fill("#own-name", "Ann")
    person.page.fill("#other-name", "Ben <b>")
    person.page.get_by_label("Two people here").check()
    card(person, "Finkel's game").get_by_role("button", name="Play").click()
    person.until("#headline", f"Ann{APOSTROPHE}s turn: throw the dice")
    # two people need no values: the game has the pieces that it is played with
    assert person.address["rules"] == "finkel:7"
    assert person.address["light-name"] == "Ann"
    assert person.page.evaluate("document.activeElement.id") == "throw"
    squares = person.page.locator("#squares td").all_text_contents()
    assert "Ann (light): waiting 7" in squares
    assert "Ben <b> (dark): finished 0" in squares
    assert "B4, rosette" in squares
    thrown(person)
    assert re.search("threw [1-4]: move a piece", person.page.inner_text("#headline"))
    by_list(person, random.Random(1))
    person.settle()
    assert "enters on" in person.status()


@pytest.mark.parametrize(
    ("word", "shape"),
    [("finkel:7", ".tip"), ("skiriuk:7", ".face.marked"), ("casual-d4:7", ".pip")],
)
def test_dice_show_what_was_thrown(person, word, shape):
    """As many marks as the rule set's dice need for the throw."""
    person.visit(f"rules={word}&values=no")
    look = named_rules(word).dice.look
    seen = set()
    for _ in range(8):
        person.press("Throw", "#hand")
        person.settle()
        throw = int(person.page.inner_text("#count"))
        seen.add(throw)
        assert person.page.locator(f"#dice {shape}").count() == look.marks[throw]
        assert f"threw {throw}" in person.page.inner_text("#headline")
        if "Pass" in person.options():
            person.press("Pass", "#options")
        else:
            person.page.locator("#moves button").first.click()
        person.settle()
    assert len(seen) > 2


def test_a_move_taken_back_keeps_its_throw_and_those_after_it(person):
    begin(person, "Casual player")
    page = person.page
    for _ in range(3):
        person.until("#throw[aria-disabled=false]")
        thrown(person)
        page.locator("#moves button").first.click()
        person.settle()
    person.until("#throw[aria-disabled=false]")
    before = turns_of(person.address)
    own = max(
        k for k, ply in enumerate(before) if ply.move and ply.move[0] != "C" and own_turn(page, k)
    )
    person.press("Take back", "#controls")
    person.settle()
    assert turns_of(person.address) == before[:own]
    assert person.page.inner_text("#count") == str(before[own].throws[0])
    assert page.locator("#throw").get_attribute("aria-disabled") == "true"
    person.keys("r", "4", "0")  # nobody throws again, or chooses a throw
    person.settle()
    assert person.page.inner_text("#count") == str(before[own].throws[0])
    # the same move again: what fell after it falls again
    chosen = page.locator("#moves button", has_text=before[own].move)
    chosen.first.click()
    person.until("#throw[aria-disabled=false]")
    again = turns_of(person.address)
    assert [turn.throws for turn in again[: len(before)]] == [turn.throws for turn in before]


def own_turn(page, number):
    return page.locator("#turns .turn").nth(number).locator(".swatch.light").count() == 1


def test_nobody_moves_for_the_computer_or_throws_twice(person):
    game = "game=.2_A!A3.1_C!C4.1_A3A2"
    person.visit(f"table=finkel-3&{game}&at=1&values=no&dark=medium")
    assert person.page.locator("#board .movable").count() == 0
    assert person.page.locator("#moves button").count() == 0
    assert person.page.inner_text("#no-moves") == "The computer plays."
    person.visit("table=birds-2&values=no&said=enter")
    person.press("Throw", "#hand")
    person.settle()
    assert "move" not in person.options()
    assert "enter" not in person.options()


def test_hints_come_on_request_only(person):
    person.visit("table=finkel-3&values=no")
    person.requests.clear()
    thrown(person)
    assert person.page.locator("#board .arrow.best").count() == 0
    assert person.page.locator("#moves .track").count() == 0
    person.press("Hint", "#controls")
    person.settle()
    assert person.page.locator("#board .arrow.best").count() == 1
    person.page.locator("#moves button").first.click()
    person.settle()
    assert person.page.locator("#board .arrow.best").count() == 0


def test_a_chosen_move_gives_nothing_away(person):
    start = "..L.__L.%2F......D.%2F...D__..%20L%201%201"
    person.visit(f"table=finkel-3&values=no&start={start}&throw=1")
    moves = person.page.locator("#moves button")
    assert moves.count() == 3
    for k in range(3):  # bearing off, the last one, is the best
        assert moves.nth(k).get_attribute("class") == "chosen"
        assert person.page.locator("#board .arrow").count() == 0
        person.page.focus("#board")
        person.keys("ArrowDown")


def test_pieces_walk_and_captured_ones_go_home(browser, origin):
    person = Person(browser, origin, reduced_motion="no-preference")
    person.visit(
        "table=finkel-3&values=no&start=..L.__..%2F.D......%2F....__..%20L%202%202&throw=4"
    )
    person.page.evaluate(
        """() => {
          window.seen = [];
          new MutationObserver((changes) => {
            for (const change of changes) {
              for (const each of change.addedNodes) {
                for (const walker of each.querySelectorAll?.('.moving circle') ?? []) {
                  window.seen.push(walker.getAttribute('class'));
                }
              }
            }
          }).observe(document.getElementById('board'), { childList: true, subtree: true });
        }"""
    )
    person.page.locator("#moves button", has_text="captures").click()
    person.until("#headline", "Dark")
    person.page.wait_for_selector("#board .moving circle", state="detached")
    assert {*person.page.evaluate("window.seen")} == {"piece dark", "piece light"}
    shown = person.page.locator("#board [data-square=B2] circle")
    assert shown.evaluate_all("each => each.map(one => one.style.visibility)") == [""]
    person.close()


def test_settings_are_kept(person):
    person.visit("table=finkel-1&values=no")
    person.settings()
    person.page.get_by_label("Sound").check()
    person.press("Throw", "#hand")
    person.settle()
    person.page.reload()
    person.shown_whole()
    person.settings()
    assert person.page.get_by_label("Sound").is_checked()
    assert not person.page.get_by_label("Play forced moves by itself").is_checked()


def test_a_choice_after_a_landing_is_asked_in_words(person):
    start = "....__..%2F..LD....%2F....__..%20L%201%201"
    person.visit(f"table=casual-roll-again-2&values=no&start={start}&throw=1")
    person.page.locator("#board [data-square=B3]").click()
    person.until("#options button")
    assert sorted(person.options()) == ["from B3 to B4", "from B3 to B4, throw again"]
    person.press("from B3 to B4, throw again", "#options")
    person.until("#headline", "throw the dice")
    assert "Light" in person.page.inner_text("#headline")


def test_forced_moves_play_themselves(person):
    person.visit("table=finkel-1&values=no")
    person.settings()
    person.page.get_by_label("Play forced moves by itself").check()
    for _ in range(6):
        person.until("#throw[aria-disabled=false]")
        turns = person.page.locator("#turns .turn").count()
        person.press("Throw", "#hand")
        person.until(f"#turns .turn:nth-child({turns + 1})")
        person.settle()


def test_rules_are_at_hand(person):
    person.visit("rules=skiriuk:7&values=no")
    person.page.locator("#board [data-square=B3]").click()
    person.settle()
    assert "B3: Four-five. A stack of up to 4 pieces" in person.page.inner_text("#meaning")
    assert person.page.locator("#board .way .line.off").count() == 1
    person.head("Rules")
    person.until("#rules-text .lead")
    dialog = person.page.locator("#rules-dialog")
    assert dialog.get_by_role("heading").first.inner_text() == "Skiriuk's game"
    assert "none counts as 4" in dialog.inner_text()
    assert dialog.locator(".way .line.off").count() == 1
    dialog.locator("summary", has_text="Rule set skiriuk").click()
    (section,) = (
        each for each in sections_of(named_rules("skiriuk")) if each.title == "Rule set skiriuk"
    )
    examples = section.text.count("$ ur moves")
    assert dialog.locator("details[open] svg").count() == examples == 3


def test_fast_keys_do_not_harm_the_game(person):
    def late(route):
        person.page.wait_for_timeout(60)
        route.continue_()

    person.visit("table=finkel-3")
    person.page.route("**/values", late)
    person.page.focus("#board")
    for _ in range(40):
        person.page.keyboard.press("Enter", delay=0)
    person.settle()
    person.page.unroute_all(behavior="wait")
    turns = turns_of(person.address)
    assert len(turns) >= 2
    person.page.reload()
    person.shown_whole()
    assert person.page.locator("#error").is_hidden()
    assert turns_of(person.address) == turns


def test_a_bad_turn_in_a_link_keeps_the_others(person):
    game = ".2_A!A3.1_C!C4.1_A3A2.4_Z9Z9.1_A!A4"
    person.visit(f"table=finkel-3&game={game}&at=3")
    assert "Z9Z9" in person.page.inner_text("#error")
    assert person.page.locator("#turns .turn").count() == 3
    assert person.page.url.endswith(f"game={game}&at=3")  # until something is done
    person.press("To the start", "#steps")
    person.settle()
    assert len(turns_of(person.address)) == 3
    for address, words in (
        ("table=finkel-3&start=bad", "expected"),
        ("table=finkel-3&light-name=100%", "“light-name”"),
    ):
        person.page.goto("about:blank")
        person.visit(address)
        assert words in person.page.inner_text("#error")
        assert person.page.locator("#throw").is_visible()
    person.complaints[:] = [each for each in person.complaints if " 40" not in each]


def test_the_browsers_back_brings_a_game_back(person):
    begin(person)
    thrown(person)
    person.page.locator("#moves button").first.click()
    person.settle()
    turns = turns_of(person.address)
    assert turns
    person.menu()
    person.page.select_option("#table", "tables/ben-1")
    person.settle()
    assert person.address["table"] == "ben-1"
    person.page.go_back()
    person.until("#turns .turn")
    assert turns_of(person.address) == turns
    person.page.go_back()
    person.until("#games")
    assert person.page.get_by_text("Go on with the last game").is_visible()
    person.page.get_by_text("Go on with the last game").click()
    person.until("#turns .turn, #headline")


def test_an_empty_field_opens_nothing(person):
    person.visit("table=finkel-3&game=.2_A!A3")
    person.head("Open")
    person.press("Open", "#open-dialog")
    assert person.page.inner_text("#found") == "Paste a game, or choose a file."
    person.keys("Escape")
    assert len(turns_of(person.address)) == 1


def test_a_game_of_another_table_is_opened_by_that(person):
    person.visit("rules=aseb:5")
    person.head("Open")
    person.page.fill("#text", "rules: finkel:3\n\nL 2 A@A3\nD 1 C@C4\nend: unfinished")
    person.press("Open", "#open-dialog")
    person.until("#turns .turn")
    person.settle()
    assert person.address["table"] == "finkel-3"


def test_the_focus_is_never_lost(person):
    person.visit("table=finkel-3&game=.2_A!A3.1_C!C4&at=2")

    def focus():
        return person.page.evaluate("document.activeElement.tagName")

    for selector in ("#throw", "#throws button:not(:disabled)", "#moves button", "#undo", "#back"):
        person.page.locator(selector).first.focus()
        person.keys("Enter")
        person.settle()
        assert focus() != "BODY", selector
        if selector.startswith("#throws"):  # Enter now plays a move
            turns = len(turns_of(person.address))
            person.keys("Enter")
            person.settle()
            assert len(turns_of(person.address)) == turns + 1
            person.keys("1")
            person.settle()
    person.page.focus("#back")
    while not person.page.locator("#back").is_disabled():
        person.keys("Enter")
        person.settle()
        assert focus() != "BODY"


def test_an_answer_that_does_not_come_leaves_what_was_there(person):
    person.visit("table=finkel-3&throw=2")
    person.page.route("**/values", lambda route: route.abort())
    before = person.page.url
    person.page.locator("#moves button").first.click()
    person.settle()
    assert "does not answer" in person.page.inner_text("#error")
    assert person.page.url == before
    person.page.unroute_all()
    person.page.locator("#moves button").first.click()
    person.settle()
    assert len(turns_of(person.address)) == 1
    assert person.page.locator("#error").is_hidden()
    person.complaints[:] = [each for each in person.complaints if "ERR_FAILED" not in each]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser, origin, scheme):
    person = Person(
        browser, origin, color_scheme=scheme, bypass_csp=True, viewport=PHONE["viewport"]
    )
    person.visit()
    person.check_access("games")
    person.page.get_by_label("Casual player").check()
    card(person, "Finkel's game").get_by_role("button", name="Play").click()
    person.until("#headline", "throw the dice")
    person.check_access("a game begins")
    thrown(person)
    person.press("Hint", "#controls")
    person.settle()
    person.check_access("a hint")
    person.page.locator("#board [data-square=B4]").click()
    person.settle()
    person.check_access("a square")
    person.head("Rules")
    person.until("#rules-text .lead")
    person.check_access("rules")
    person.keys("Escape")
    person.menu()
    person.check_access("the menu")
    person.close()
