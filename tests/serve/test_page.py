"""The page in a browser: every feature used as a person would, on six kinds of rule sets."""

from __future__ import annotations

import json
import random
import subprocess
import sys

import pytest

from tests.games import random_game
from tests.serve.browser import Person, launched, needs_browser
from ur_solver.api.table import Table
from ur_solver.records import read_text, write_text
from ur_solver.rules import named_rules
from ur_solver.serve.games import Turn, line_values
from ur_solver.serve.page_files import page_files
from ur_solver.serve.unfold import Source

pytestmark = needs_browser

WORDS = ("finkel:3", "casual-roll-again:2", "birds:2", "skiriuk:1", "ben:1", "bell-stakes:1")
SIX = [word.replace(":", "-") for word in WORDS]
TURNS = 9
EN_DASH, NEXT_MISTAKE = (
    "\N{EN DASH}",
    "mistake \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}",
)


@pytest.fixture(scope="module")  # Playwright's event loop keeps others from theirs
def browser():
    with launched() as browser:
        yield browser


@pytest.fixture(scope="module")
def origin(solved):
    paths = [str(solved(named_rules(word))) for word in (*WORDS, "finkel:1")]
    command = [sys.executable, "-m", "ur_solver", "serve", *paths, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        address = process.stderr.readline().partition(": ")[2].partition(" ")[0]
        yield address.rstrip("/")
        process.terminate()
        process.stderr.read()


@pytest.fixture
def person(browser, origin):
    person = Person(browser, origin)
    yield person
    person.close()


def rules_of(name):
    return named_rules(name[::-1].replace("-", ":", 1)[::-1])


def turn_of(person, rng, how):
    """One turn: something said if there is a choice, a roll, a move by `how`; or a pass."""
    page = person.page
    said = page.locator("#options button[aria-pressed]")
    if said.count() and not page.locator("#options button[aria-pressed=true]").count():
        said.nth(rng.randrange(said.count())).click()
        person.settle()
    person.press("Roll", "#options")
    person.settle()
    if "Pass" in person.options():
        person.press("Pass", "#options")
    else:
        how(person, rng)
    person.settle()
    left = page.locator("#options button.main:not(:text-is('Roll'))")
    if left.count():  # a move that is to be told from another between the same squares
        left.nth(rng.randrange(left.count())).click()
        person.settle()


def by_list(person, rng):
    moves = person.page.locator("#moves button")
    moves.nth(rng.randrange(moves.count())).click()


def by_press(person, rng):
    pieces = person.page.locator("#board .movable")
    pieces.nth(rng.randrange(pieces.count())).click()
    person.settle()
    if not person.page.locator("#options button.main").count():  # a piece that may go to several
        targets = person.page.locator("#board .target")
        if targets.count() and "moves:" in person.status():
            targets.nth(rng.randrange(targets.count())).click()


def by_drag(person, rng):
    pieces = person.page.locator("#board .movable")
    piece = pieces.nth(rng.randrange(pieces.count()))
    before = person.page.locator("#turns .turn").count()
    targets = person.page.locator("#board .target")
    for k in range(targets.count()):
        piece.drag_to(targets.nth(k))
        person.settle()
        if (
            person.page.locator("#turns .turn").count() > before
            or person.page.locator("#options button.main:not(:text-is('Roll'))").count()
        ):
            return


def play(person, rng, ways=(by_list, by_press, by_drag), turns=TURNS):
    """Some turns, each in another way."""
    for k in range(turns):
        if "has won" in person.status():
            return
        turn_of(person, rng, ways[k % len(ways)])


def turns_of(address):
    """The turns of an address without variations."""
    turns = []
    for text in address.get("game", "").split(".")[1:]:
        head, _, move = text.partition("_")
        choice = head.rstrip("0123456789-")
        throws = tuple(map(int, head[len(choice) :].split("-")))
        move = move.replace("!", "@").replace("'", "+").replace("~", " again")
        turns.append(Turn(choice or None, throws, move or None))
    return turns


@pytest.mark.parametrize("name", SIX)
def test_a_game_is_played_and_judged(person, name, solved):
    person.visit(f"table={name}")
    play(person, random.Random(name))
    rules = rules_of(name)
    with Table(solved(rules)) as table:
        turns = turns_of(person.address)
        assert len(turns) >= 3
        line = line_values(Source(rules, table), rules.start(), turns)
    shown = person.page.locator("#turns .turn .played").all_inner_texts()
    assert shown == [
        f"{turn.choice + ' ' if turn.choice else ''}{' '.join(map(str, turn.throws))} "
        f"{turn.move or EN_DASH}"
        for turn in turns
    ]
    if rules.stakes:
        fines = line["light"]["cost"] + line["dark"]["cost"]
        assert person.page.inner_text("#names") == f"in the pot: {rules.payoff.total(fines)}"
    account = person.page.locator("#summary .account")
    total = float(account.get_attribute("data-sum"))
    assert total == pytest.approx(line["end_value"], abs=1e-6)
    assert float(account.get_attribute("data-end")) == pytest.approx(line["end_value"], abs=1e-9)
    for side in ("light", "dark"):
        facts = person.page.locator(f"#summary .player.{side} dd").all_inner_texts()
        choices = line[side]
        assert facts[2] == f"{choices['best']} of {choices['choices']}"
        marks = [ply["mark"] for ply in line["plies"] if ply["side"] == side]
        assert facts[3:] == [
            str(marks.count(mark)) for mark in ("inaccuracy", "mistake", "blunder")
        ]


@pytest.mark.parametrize("name", SIX)
def test_a_link_shows_the_same_in_a_fresh_browser(browser, origin, person, name):
    person.visit(f"table={name}")
    rng = random.Random(name)
    play(person, rng, [by_list], 5)
    # a variation, another side on top, and a throw that is chosen
    person.press("Back", "#controls")
    person.press("Back", "#controls")
    person.settle()
    play(person, rng, [by_list], 1)
    person.press("Flip", "#controls")
    person.settle()
    if person.page.locator("#throws button:not(:disabled)").count() == 0:
        person.page.locator("#options button").first.click()
        person.settle()
    person.page.locator("#throws button:not(:disabled)").last.click()
    person.settle()
    shown = person.shown()
    other = Person(browser, origin)
    other.page.goto(person.page.url)
    other.page.wait_for_selector("main[aria-busy='false'] #board svg")
    assert other.shown() == shown
    assert other.page.url == person.page.url
    other.close()


def test_a_whole_game_by_keyboard_alone(person):
    person.visit("table=finkel-1")
    while person.page.evaluate("document.activeElement.id") != "board":
        person.keys("Tab")
    for _ in range(400):
        person.keys("r")
        person.settle()
        if "moves" in person.status():
            person.keys("ArrowDown", "ArrowUp")
            assert "1 of" in person.status()
        person.keys("Enter")
        person.settle()
        if "has won" in person.status():
            break
    assert "has won" in person.status()
    n_turns = len(turns_of(person.address))
    person.keys("Home")
    person.settle()
    assert "at" not in person.address
    person.keys("ArrowRight", "ArrowRight", "ArrowLeft")
    person.settle()
    assert person.address["at"] == "1"
    person.keys("End")
    person.settle()
    assert person.address["at"] == str(n_turns)
    person.keys("u")
    person.settle()
    assert len(turns_of(person.address)) == n_turns - 1
    person.keys("f", "v")
    person.settle()
    assert (person.address["top"], person.address["values"]) == ("dark", "no")
    person.keys("?")
    assert person.page.locator("#help-dialog").is_visible()
    person.keys("Escape")
    person.keys("Tab")  # away from the board, keys are the browser's own
    before = person.page.url
    person.keys("f", "r")
    person.settle()
    assert person.page.url == before


def test_a_game_by_touch(browser, origin):
    """Pieces are tapped, or carried by a finger, on a phone."""
    person = Person(
        browser, origin, viewport={"width": 390, "height": 840}, has_touch=True, is_mobile=True
    )
    person.visit("table=finkel-3")
    page, finger = person.page, person.context.new_cdp_session(person.page)

    def carry(piece, target):
        points = []
        for place in (piece, target):
            box = place.bounding_box()
            points.append({"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2})
        sent = [("touchStart", points[:1]), ("touchMove", points[1:]), ("touchEnd", [])]
        for kind, where in sent:
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": where})

    n_carried = n_tapped = 0
    for _ in range(12):
        page.locator("#options").get_by_role("button", name="Roll", exact=True).tap()
        person.settle()
        turns = page.locator("#turns .turn").count()
        if "Pass" in person.options():
            page.locator("#options").get_by_role("button", name="Pass", exact=True).tap()
        elif n_tapped > n_carried:
            page.locator("#board").scroll_into_view_if_needed()
            targets = page.locator("#board .target")
            for k in range(targets.count()):
                carry(page.locator("#board .movable").first, targets.nth(k))
                person.settle()
                if page.locator("#turns .turn").count() > turns:
                    break
            n_carried += 1
        else:
            page.locator("#board .movable").first.tap()
            n_tapped += 1
        person.settle()
        assert page.locator("#turns .turn").count() == turns + 1
    assert min(n_carried, n_tapped) > 2
    person.close()


def test_a_state_of_the_board_costs_one_request(person):
    person.visit("table=finkel-3")
    person.requests.clear()
    play(person, random.Random(3), turns=6)
    turns = len(turns_of(person.address))
    assert len(person.requests) <= turns
    assert all("/position?" in url for url in person.requests)
    person.requests.clear()
    for _ in range(3):
        person.press("Back", "#controls")
        person.settle()
    assert not person.requests
    sizes = {path: len(content) for path, (content, _) in page_files().items()}
    assert sum(sizes.values()) < 150_000, sizes


# Games from elsewhere.


@pytest.fixture(scope="session")
def long_game():
    game = random_game(named_rules("finkel:3"), 5)
    game.metadata.update(Light="Ann <b>", Dark="Ben")
    return game


@pytest.mark.parametrize("suffix", [".ur", ".rgn", ".json"])
def test_a_game_is_pasted_and_gone_through(person, long_game, suffix, solved):
    person.visit("table=finkel-3")
    person.press("Open", "header")
    person.page.fill("#text", write_text(long_game, suffix))
    person.press("Open", "#open-dialog")
    person.page.wait_for_selector("#open-dialog", state="hidden")
    person.settle()
    assert person.page.locator("#turns .turn").count() == len(long_game.plies)
    assert "Ann <b>" in person.page.inner_text("#names")
    with Table(solved(long_game.rules)) as table:
        audit = table.audit(long_game)
    marks = audit.light.marks + audit.dark.marks
    serious = marks["mistake"] + marks["blunder"]
    assert serious
    for mark, key in (("blunder", "b"), ("mistake", "m"), ("inaccuracy", "i")):
        assert person.page.locator(f"#turns .tag.{mark}").count() == marks[mark]
        assert person.page.locator(f"#graph .dot.{mark}").count() == marks[mark]
        if marks[mark]:
            person.page.focus("#board")
            person.keys("Home", key)
            person.settle()
            assert person.page.locator("#moves button", has_text="played").count() == 1
    person.page.focus("#board")
    person.keys("Home")
    seen = set()
    person.settle()
    for _ in range(serious + 3):
        seen.add(person.page.url)
        person.press(NEXT_MISTAKE)
        person.settle()
    assert len(seen) == serious + 1
    # the current turn is in sight
    assert person.page.evaluate(
        """(() => {
          const [host, own] = ['#turns', '#turns [aria-current]'].map(
            each => document.querySelector(each).getBoundingClientRect());
          return own.top >= host.top - 1 && own.bottom <= host.bottom + 1;
        })()"""
    )
    # the best move and the one played are told apart by more than colour
    assert person.page.locator("#board .arrow.best").count() == 1
    assert person.page.locator("#board .arrow.played").count() == 1
    # the graph by keyboard and by a press
    person.page.focus("#graph")
    person.keys("Home", "ArrowRight")
    person.settle()
    assert person.address["at"] == "1"
    box = person.page.locator("#graph").bounding_box()
    person.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 20)
    person.settle()
    assert abs(int(person.address["at"]) - len(long_game.plies) / 2) < 3
    person.keys("End")
    person.settle()
    account = person.page.locator("#summary .account")
    assert float(account.get_attribute("data-sum")) == pytest.approx(audit.end_value, abs=1e-6)


def test_files_are_chosen_and_dropped_and_faults_have_places(person, long_game, tmp_path):
    person.visit("table=finkel-3")
    good = write_text(long_game, ".ur")
    bad = "rules: finkel:3\n\nL 2 A@A3\nD 1 C@C3\nend: unfinished"
    (tmp_path / "two.ur").write_text(f"{good}\n\n{bad}\n\n{good}\n")
    person.press("Open", "header")
    person.page.set_input_files("#file", tmp_path / "two.ur")
    found = person.page.locator("#found li")
    found.nth(2).wait_for()
    texts = found.all_inner_texts()
    assert texts[0].startswith(f"Game 1: Ann <b> {EN_DASH} Ben")
    assert "Game 2: line" in texts[2]
    assert "C@C4" in texts[2]
    person.press("Show", "#found")
    selected = person.page.evaluate(
        "(({value, selectionStart, selectionEnd}) => value.slice(selectionStart, selectionEnd))"
        "(document.getElementById('text'))"
    )
    assert selected == "C@C3"
    found.nth(1).get_by_role("button").click()
    person.settle()
    assert person.page.locator("#turns .turn").count() == len(long_game.plies)
    # dropped, anywhere on the page
    person.page.evaluate(
        """text => {
          const data = new DataTransfer();
          data.items.add(new File([text], 'game.ur'));
          document.body.dispatchEvent(
            new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
        }""",
        bad.replace("C@C3", "C@C4"),
    )
    person.until("#turns .turn:nth-child(2):last-child")


def test_games_are_saved(person, long_game):
    person.visit("table=finkel-3")
    person.press("Open", "header")
    text = write_text(long_game, ".ur")
    person.page.fill("#text", text)
    person.press("Open", "#open-dialog")
    person.page.wait_for_selector("#open-dialog", state="hidden")
    person.settle()
    person.press("Save", "header")
    assert person.page.input_value("#link") == person.page.url
    for suffix in (".ur", ".rgn", ".json", ".html", ".svg"):
        word = {".html": "Report", ".svg": "Board"}.get(suffix, "Game")
        with person.page.expect_download() as caught:
            person.press(f"{word}, {suffix}", "#save-dialog")
        saved = caught.value.path().read_text()
        if word == "Game":
            (game,) = read_text(saved, long_game.rules)
            assert [ply[:5] for ply in game.plies] == [ply[:5] for ply in long_game.plies]
        else:
            assert {"Report": "<!DOCTYPE html>", "Board": "<svg "}[word] == saved[
                : 15 if word == "Report" else 5
            ]


def test_a_game_for_money_is_opened_and_saved(person, solved):
    rules = named_rules("bell-stakes:1")
    game = random_game(rules, 8)
    person.visit("table=bell-stakes-1")
    person.press("Open", "header")
    person.page.fill("#text", write_text(game, ".ur"))
    person.press("Open", "#open-dialog")
    person.page.wait_for_selector("#open-dialog", state="hidden")
    person.settle()
    with Table(solved(rules)) as table:
        audit = table.audit(game)
    assert f"won the pot of {audit.end_total}" in person.page.inner_text("#names")
    person.page.focus("#board")
    person.keys("End")
    person.settle()
    account = person.page.locator("#summary .account")
    assert float(account.get_attribute("data-sum")) == pytest.approx(audit.end_value, abs=1e-6)
    fines = account.locator("tr", has_text="Fines of light").locator("td").inner_text()
    assert float(fines) == audit.light.cost
    person.press("Save", "header")
    with person.page.expect_download() as caught:
        person.press("Game, .ur", "#save-dialog")
    (saved,) = read_text(caught.value.path().read_text())
    assert [ply[:5] for ply in saved.plies] == [ply[:5] for ply in game.plies]
    with person.page.expect_download() as caught:
        person.press("Report, .html", "#save-dialog")
    assert "Fines paid" in caught.value.path().read_text()


# The editor.


@pytest.mark.parametrize("name", SIX)
def test_a_position_is_set_up(person, name):
    rules = rules_of(name)
    person.visit(f"table={name}")
    page = person.page
    person.press("Edit", "header")
    person.settle()
    piece = page.locator("#editor input[name=piece]").first
    assert piece.is_checked()
    square = page.locator("#board [data-square=A3]")
    square.click()
    person.settle()
    square = page.locator("#board [data-square=A3]")
    square.drag_to(page.locator("#board [data-square=B2]"))
    person.settle()
    page.locator("#editor input[value=dark]").check()
    person.settle()
    wanted = page.input_value("#position-text")
    assert rules.position(wanted).notation == wanted
    assert wanted.split()[0].split("/")[1][1] == "L"
    assert wanted.split()[1] == "D"
    # a fault is named while it is there, and cannot be used
    for _ in range(rules.pieces):
        page.locator("#board [data-square=A4]").click()
        person.settle()
        page.locator("#board [data-square=A2]").click()
        person.settle()
    page.fill("#home-light", "12345" if rules.mechanics.is_numbered else "7")
    page.press("#home-light", "Tab")
    person.settle()
    assert page.locator("#editor .faults li").count()
    assert page.get_by_role("button", name="Use this position").is_disabled()
    page.fill("#position-text", wanted)
    page.press("#position-text", "Tab")
    person.until("#editor .faults li", state="hidden")
    page.get_by_role("button", name="Use this position").click()
    person.settle()
    assert person.address["start"] == wanted
    assert page.locator("#editor").is_hidden()
    assert "dark" in person.status()


def test_squares_are_pressed_by_keyboard_in_the_editor(person):
    person.visit("table=finkel-3&edit=yes")
    person.page.wait_for_selector("#editor h2")
    person.page.focus("#board [data-square=B4]")
    person.keys("Enter")
    person.until("#board [data-square=B4][aria-label='B4, rosette, light']")
    assert person.page.input_value("#position-text").startswith("....__../...L")
    assert person.page.evaluate("document.activeElement.dataset.square") == "B4"
    assert person.page.evaluate("document.activeElement.ariaLabel") == "B4, rosette, light"


def test_a_position_that_is_none_is_told(person):
    person.visit("table=finkel-3&edit=yes")
    person.page.wait_for_selector("#editor h2")
    person.page.fill("#position-text", "nonsense")
    person.page.press("#position-text", "Tab")
    person.page.wait_for_selector("#editor .faults li")
    assert "expected 4" in person.page.inner_text("#editor .faults")
    person.complaints[:] = [each for each in person.complaints if "400" not in each]


# Against the table, and without one.


@pytest.mark.parametrize("name", ["finkel-1", "birds-2", "bell-stakes-1"])
def test_the_table_plays_both_sides(person, name):
    person.visit(f"table={name}")
    person.press("New game", "header")
    person.page.select_option("#light-player", "weak")
    person.page.select_option("#dark-player", "table")
    person.press("Start", "#new-dialog")
    person.until("#status", "has won", seconds=60)
    assert "dark: the table" in person.page.inner_text("#names")
    lost = person.page.locator("#summary .player.dark dd").nth(1).inner_text()
    assert lost in ("+0.0", "\N{MINUS SIGN}0.0")


def test_the_table_answers_a_human(person):
    person.visit("table=finkel-3&dark=random")
    for _ in range(6):
        person.until("#status", "light to throw")
        turn_of(person, random.Random(1), by_list)
    assert person.address["dark"] == "random"
    assert len(turns_of(person.address)) >= 9


@pytest.mark.parametrize("name", ["murray:7", "aseb:5", "birds:5", "skiriuk:7"])
def test_rules_without_a_table_can_be_played(person, name):
    person.visit(f"rules={name}")
    assert person.page.input_value("#table") == f"rules/{name}"
    play(person, random.Random(2), turns=4)
    assert len(turns_of(person.address)) >= 3
    assert person.page.locator("#chances").is_hidden()
    assert "not solved here" in person.page.inner_text("#source")


def test_another_table_is_chosen(person):
    person.visit()
    person.page.select_option("#table", "tables/ben-1")
    person.settle()
    assert person.address["table"] == "ben-1"


# For everybody.


def test_what_an_address_cannot_show_is_told(person):
    person.visit("table=finkel-3&game=.2_A!A4")
    assert "turn 1: move 'A@A4' is not legal" in person.page.inner_text("#error")
    person.visit("table=finkel-3&game=((")
    assert "cannot be read" in person.page.inner_text("#error")
    person.page.goto("about:blank")
    person.visit("table=none")
    assert "there is no table 'none'" in person.page.inner_text("#error")
    person.complaints[:] = [each for each in person.complaints if " 40" not in each]


@pytest.mark.parametrize("width", [320, 360, 1280])
def test_nothing_is_wider_than_the_screen(browser, origin, width):
    person = Person(browser, origin, viewport={"width": width, "height": 700})
    for address in ("table=birds-2&said=enter", "table=finkel-3&edit=yes", "rules=aseb:5"):
        person.visit(address)
        assert person.page.evaluate("document.documentElement.scrollWidth") <= width
        if width < 400:
            small = person.page.evaluate(
                "[...document.querySelectorAll('button')].filter(each => each.offsetParent)"
                ".map(each => Math.min(each.offsetWidth, each.offsetHeight))"
                ".filter(size => size < 24)"
            )
            assert not small
    person.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser, origin, scheme, long_game):
    from axe_playwright_python.sync_playwright import Axe

    person = Person(browser, origin, color_scheme=scheme, bypass_csp=True)
    axe = Axe()

    def check(what):
        found = axe.run(person.page).response["violations"]
        assert not found, (what, json.dumps(found, indent=1)[:3000])

    person.visit("table=finkel-3")
    check("start")
    person.press("Open", "header")
    check("open dialog")
    person.page.fill("#text", write_text(long_game, ".ur"))
    person.press("Open", "#open-dialog")
    person.page.wait_for_selector("#open-dialog", state="hidden")
    person.settle()
    person.press(NEXT_MISTAKE)
    person.settle()
    check("a game")
    for name in ("New game", "Save", "Help"):
        person.press(name, "header")
        check(name)
        person.keys("Escape")
    person.press("Edit", "header")
    person.page.wait_for_selector("#editor h2")
    check("editor")
    person.page.fill("#home-light", "9")
    person.page.press("#home-light", "Tab")
    person.page.wait_for_selector("#editor .faults li")
    check("editor with faults")
    for address in ("table=birds-2&said=enter&throw=1-2", "table=bell-stakes-1&throw=3",
                    "table=finkel-3&game=.2_A!A4"):  # fmt: skip
        person.visit(address)
        check(address)
    person.complaints[:] = [each for each in person.complaints if "400" not in each]
    person.close()
