"""Recording a game at a real table, practising mistakes, and what else there is to learn."""

from __future__ import annotations

import pytest

from tests.games import random_game, write_text
from tests.serve.browser import NO_BREAK, Person, needs_browser
from tests.serve.page.engine import without_numbers
from tests.serve.page.playing import NEXT_MISTAKE, opened
from ur_solver.api.table import Table
from ur_solver.audit.dice_test import compared_throws
from ur_solver.records import Replay, read_text
from ur_solver.rules import SIDE_NAMES, named_rules

pytestmark = [needs_browser, pytest.mark.slow]

FINKEL = named_rules("finkel:3")


@pytest.fixture
def table(solved):
    with Table(solved(FINKEL)) as table:
        yield table


# Recording.


def texts_of(game):
    """Side, throw and move of each turn, as the page lists them."""
    return [
        (
            SIDE_NAMES[ply.side],
            ply.throws[0],
            game.stepper.text(ply.side, ply.step) if ply.step else None,
        )
        for ply in game.plies
    ]


def first_impossible(turns):
    """The index of the first turn that the rules forbid; None if there is none."""
    replay = Replay(FINKEL)
    for k, (side, throw, move) in enumerate(turns):
        steps = replay.legal((throw,))
        legal = [replay.stepper.text(replay.side, step) for step in steps]
        if SIDE_NAMES[replay.side] != side or (move not in legal if move else legal):
            return k
        replay.take((throw,), steps, legal.index(move) if move else -1)
    return None


def write_down(person, throw, move, how):
    """One turn of a record, by pressing buttons, by a digit, or on the board."""
    if how == "keys":
        person.keys(str(throw))
    else:
        person.page.locator(f"#recording-throws [data-throw='{throw}']").click()
    person.settle()
    if move is None:
        return
    button = person.page.locator(f"#recording-moves [data-move='{move}']")
    if how == "board" and "@" not in move and "+" not in move:
        person.page.locator(f"#recording-dialog [data-square='{move[:2]}']").click()
    elif how == "keys":
        button.focus()
        person.keys("Enter")
    else:
        button.click()
    person.settle()


def other_move(game, k):
    """Another move that turn `k` could have had, after which a later turn is impossible."""
    ply = game.plies[k]
    for step in ply.steps:
        if step != ply.step:
            return game.stepper.text(ply.side, step)
    return None


def test_a_real_game_is_recorded_with_a_correction(person, table):
    game = random_game(FINKEL, 75)
    turns = texts_of(game)
    number = next(k for k in range(6, len(turns)) if len(game.plies[k].steps) > 1)
    wrong = [*turns]
    wrong[number] = (*turns[number][:2], other_move(game, number))
    broken = first_impossible(wrong)
    assert broken is not None
    person.visit("table=finkel-3")
    person.press("Record a game")
    person.settle()
    page = person.page
    assert page.locator("#recording-dialog").get_by_text("%").count() == 0  # no values
    page.fill("#recording-light", 'Ann "the Queen"')
    page.fill("#recording-dark", "Ben")
    page.press("#recording-dark", "Tab")
    for k, (_, throw, move) in enumerate(turns):
        write_down(person, throw, move, ("list", "keys", "board")[k % 3])
    listed = page.locator("#recording-turns .played")
    written = [f"{throw} {move or chr(0x2013)}" for _, throw, move in turns]
    assert listed.all_inner_texts() == written
    assert page.evaluate("document.activeElement.closest('dialog').id") == "recording-dialog"
    # a wrong correction keeps what is legal, and names what is not
    page.locator("#recording-turns button").nth(number).click()
    person.settle()
    page.locator(f"#recording-moves [data-move='{wrong[number][2]}']").click()
    person.settle()
    faults = page.locator("#recording-turns .bad")
    assert faults.count() == 1
    assert page.locator("#recording-turns li").nth(broken).locator(".bad").count() == 1
    assert page.locator("#recording-turns li", has_text="waits").count() == len(turns) - broken - 1
    assert f"Turn {broken + 1}: " in page.inner_text("#recording-status")
    assert page.get_by_role("button", name="Save .ur").is_disabled()
    # nothing is lost when the page is left
    page.reload()
    person.settle()
    person.press("Record a game")
    person.settle()
    assert listed.count() == len(turns)
    assert faults.count() == 1
    # corrected back, the record is the game
    page.locator("#recording-turns button").nth(number).click()
    person.settle()
    page.locator(f"#recording-moves [data-move='{turns[number][2]}']").click()
    person.settle()
    assert faults.count() == 0
    assert listed.all_inner_texts() == written
    for suffix in (".ur", ".json"):
        with page.expect_download() as caught:
            person.press(f"Save {suffix}", "#recording-dialog")
        (saved,) = read_text(caught.value.path().read_text(), FINKEL)
        assert [ply[:5] for ply in saved.plies] == [ply[:5] for ply in game.plies]
        assert saved.player("L") == 'Ann "the Queen"'
        assert saved.winner == game.winner
    person.press("Go through the mistakes")
    page.wait_for_selector("#recording-dialog", state="hidden")
    person.settle()
    audit = table.audit(game)
    for mark in ("mistake", "blunder"):
        expected = audit.light.marks[mark] + audit.dark.marks[mark]
        assert page.locator(f"#turns .tag.{mark}").count() == expected
    assert "Ben" in page.inner_text("#names")


def test_turns_are_inserted_and_removed(person):
    person.visit("table=finkel-3")
    person.press("Record a game")
    person.settle()
    page = person.page
    for throw, move in ((2, "A@A3"), (1, "A3A2")):  # dark's throw was forgotten
        if move == "A@A3":
            write_down(person, throw, move, "list")
    write_down(person, 3, "C@C2", "list")
    page.locator("#recording-turns button").nth(0).click()
    person.settle()
    person.press("Insert a turn before it", "#recording-tools")
    person.settle()
    assert "Turn 1: it is empty" in page.inner_text("#recording-status")
    write_down(person, 0, None, "list")
    assert "light is to throw" not in page.inner_text("#recording-turns li:first-child")
    assert "dark is to throw here" in page.inner_text("#recording-turns li:nth-child(2)")
    page.locator("#recording-turns button").nth(0).click()
    person.settle()
    person.press("Remove this turn", "#recording-tools")
    person.settle()
    assert page.locator("#recording-turns .bad").count() == 0
    assert page.locator("#recording-turns .played").all_inner_texts() == ["2 A@A3", "3 C@C2"]


@pytest.mark.parametrize("word", ["birds:2", "bell-stakes:1", "casual-roll-again:2"])
def test_games_of_all_kinds_are_recorded(person, word):
    rules = named_rules(word)
    game = random_game(rules, 3, max_plies=6)
    person.visit(f"table={word.replace(':', '-')}")
    person.press("Record a game")
    person.settle()
    page = person.page
    for ply in game.plies:
        if ply.choices and page.locator("#recording-choices button").count():
            person.press(ply.choice, "#recording-choices")
            person.settle()
        page.locator(f"#recording-throws [data-throw='{'-'.join(map(str, ply.throws))}']").click()
        person.settle()
        if ply.step is not None:
            move = game.stepper.text(ply.side, ply.step)
            page.locator(f"#recording-moves [data-move='{move}']").click()
            person.settle()
    with page.expect_download() as caught:
        person.press("Save .ur", "#recording-dialog")
    (saved,) = read_text(caught.value.path().read_text())
    assert [ply[:5] for ply in saved.plies] == [ply[:5] for ply in game.plies]


def test_a_record_is_begun_on_the_first_screen_without_values(person):
    person.page.goto(person.origin)
    person.press("Record a game at a real table")
    person.settle()
    assert person.page.input_value("#recording-game") == "rules/finkel:7"
    for throw, move in ((4, "A@A1*"), (2, "A@A3"), (1, "C@C4")):
        write_down(person, throw, move, "list")
    assert "What did light throw?" in person.page.inner_text("#recording-status")
    person.page.locator("#recording-ending").select_option("dark")
    assert person.page.get_by_role("button", name="Go through the mistakes").count() == 0
    for suffix in (".ur", ".rgn"):
        with person.page.expect_download() as caught:
            person.press(f"Save {suffix}", "#recording-dialog")
        (saved,) = read_text(caught.value.path().read_text(), named_rules("finkel:7"))
        assert [ply.throws for ply in saved.plies] == [(4,), (2,), (1,)]
        assert (saved.winner, saved.conceded_by) == ("L", "D")
    person.keys("Escape")
    assert person.page.evaluate("document.activeElement.id") == "start-record"


def test_a_record_that_was_begun_is_judged_from_the_first_screen(person):
    person.visit("table=finkel-3")
    person.press("Record a game")
    person.settle()
    write_down(person, 2, "A@A3", "list")
    person.page.goto("about:blank")
    person.visit()
    person.press("Record a game at a real table")
    person.settle()
    person.press("Go through the mistakes")
    person.page.wait_for_selector("#recording-dialog", state="hidden")
    person.settle()
    assert (person.address["table"], person.address["game"]) == ("finkel-3", ".2_A!A3")


def test_the_opening_of_bens_game_is_recorded_and_corrected(person):
    person.visit("table=ben-1")
    person.press("Record a game")
    person.settle()

    def round_is(*words):
        for each in words:
            person.press(each, "#recording-opening")
            person.settle()

    round_is("Record the opening")
    round_is("2", "2")  # both are as far: they throw again
    person.keys("0")
    person.settle()
    person.keys("1")
    person.settle()
    assert "light threw 0, dark 1. Which square" in person.page.inner_text("#recording-status")
    round_is("A3A1")
    assert "Opening 2-2 A@A3 C@C3, 0-1 A3A1 C3C2." in person.page.inner_text("#recording-opening")
    (opened_by,) = [each["recording"] for each in person.kept("games")]
    (game,) = read_text(
        f"rules: ben:1\nopening: {', '.join(opened_by['rounds'])}\n\nend: unfinished"
    )
    assert opened_by["start"] == game.start.notation
    side = SIDE_NAMES[game.start.side]
    assert f"What did {side} throw?" in person.page.inner_text("#recording-status")
    person.page.locator("#recording-throws [data-throw='2']").click()
    person.settle()
    person.page.locator("#recording-moves button").first.click()
    person.settle()
    with person.page.expect_download() as caught:
        person.press("Save .ur", "#recording-dialog")
    (saved,) = read_text(caught.value.path().read_text())
    assert saved.start == game.start
    assert saved.opening == game.opening
    assert [ply.throws for ply in saved.plies] == [(2,)]
    # another opening, after which another side begins: the turn stays, and is marked
    person.page.locator("#recording-turns button").first.click()
    person.settle()
    round_is("Correct the opening")
    for throws in (("1", "3"), ("3", "1")):
        if person.page.locator("#recording-opening", has_text="Correct").count():
            round_is("Correct the opening")
        round_is(*throws)
        if person.page.locator("#recording-turns .bad").count():
            break
    assert person.page.locator("#recording-turns li").count() == 1
    assert "is to throw here" in person.page.inner_text("#recording-turns li")


# Practising.


def answered(person, table, exercise):
    """Answer the question on screen wrongly, then rightly, by the table's own moves."""
    page = person.page
    moves = table.moves(FINKEL.position(exercise["position"]), exercise["throws"][0])
    best, worst = moves[0], moves[-1]
    shown = page.locator(".answers button b").all_inner_texts()
    assert sorted(shown) == sorted(each.move.text for each in moves)
    assert "%" not in page.inner_text("#practise-dialog")  # the answer is hidden
    page.locator(f".answers [data-move='{worst.move.text}']").click()
    said = page.inner_text("#practise-message")
    assert f"{worst.move.text} has {100 * worst.value:.2f}{NO_BREAK}%" in said
    assert f"{100 * best.value:.2f}{NO_BREAK}%: \N{MINUS SIGN}{100 * worst.loss:.2f} points" in said
    assert best.move.text not in said.split("Try again")[0].replace(worst.move.text, "")
    page.locator(f".answers [data-move='{best.move.text}']").click()
    assert f"Right: {best.move.text} has {100 * best.value:.2f}{NO_BREAK}%" in page.inner_text(
        "#practise-message"
    )
    page.wait_for_selector("#practise-why table")
    assert page.locator("#practise-why thead th").all_inner_texts() == [
        best.move.text,
        worst.move.text,
    ]


def current(person, exercises):
    """The kept exercise that is on screen: the one whose board is drawn."""
    drawn = person.page.locator("#practise-dialog svg [data-square]").evaluate_all(
        "all => all.map(each => each.ariaLabel ?? '').join('|')"
    )
    for exercise in exercises:
        position = exercise["position"]
        thrown = f"{exercise['side']} has thrown {exercise['throws'][0]}."
        if thrown not in person.page.inner_text("#practise-question"):
            continue
        answer = person.page.evaluate(
            """async position => {
              const { Source } = await import("./api.js");
              const [, side] = position.split(" ");  // the pieces to move are the near ones
              const view = side === "L" ? "dark" : "light";
              return (await new Source("tables/finkel-3").position(position, view)).svg; }""",
            position,
        )
        same = person.page.evaluate(
            """text => { const host = document.createElement('div'); host.innerHTML = text;
              return [...host.querySelectorAll('[data-square]')]
                .map(each => each.ariaLabel ?? '').join('|'); }""",
            answer,
        )
        if same == drawn:
            return exercise
    raise AssertionError("no kept exercise is on screen")


def test_three_mistakes_are_practised_and_come_again(person, long_game, table):
    person.page.clock.set_fixed_time("2030-01-10T12:00:00")
    person.visit("table=finkel-3")
    opened(person, write_text(long_game, ".ur"))
    audit = table.audit(long_game)
    marks = audit.light.marks + audit.dark.marks
    serious = marks["mistake"] + marks["blunder"]
    person.press(f"Practise ({serious} due)")
    assert len(person.kept("mistakes")) == serious
    person.press(f"Mistakes of this game: {serious}")
    for k in range(3):
        person.until("#practise-title", f"Practise: {k + 1} of {serious}")
        person.settle()
        answered(person, table, current(person, person.kept("mistakes")))
        person.press("Next")
    # the first answers were wrong: they come again the next day, and after right ones later
    boxes = [each["box"] for each in person.kept("mistakes")]
    assert sorted(boxes, reverse=True)[:4] == [1, 1, 1, 0]
    person.press("Stop")
    person.until("#practise", f"({serious - 3} due)")
    first = next(each for each in person.kept("mistakes") if each["box"] == 1)
    for wait in (3, 7, 21, 21):
        answer = person.page.evaluate(
            "async key => (await import('./exercises.js')).kept.answer(key, true)", first
        )
        assert answer == wait
    person.page.clock.set_fixed_time("2030-01-11T00:05:00")
    person.page.reload()
    person.settle()
    person.until("#practise", f"({serious - 1} due)")


def test_a_game_against_the_computer_leaves_ones_own_mistakes(person, long_game, table):
    person.visit("table=finkel-3")
    opened(person, write_text(long_game, ".ur"))
    address = person.address["game"]
    person.page.evaluate(
        "async () => (await import('./device.js')).device.clear('mistakes')",
    )
    person.page.goto("about:blank")
    person.visit(f"table=finkel-3&game={address}&dark=random&at={len(long_game.plies)}")
    audit = table.audit(long_game)
    found = person.kept("mistakes")
    assert len(found) == audit.light.marks["mistake"] + audit.light.marks["blunder"]
    assert {each["side"] for each in found} == {"light"}
    person.press("Back", "#steps")
    person.settle()
    person.press("Forward", "#steps")
    person.settle()
    assert person.kept("mistakes") == found


def test_a_mistake_asks_first_where_that_is_wanted(person, long_game):
    person.visit("table=finkel-3")
    opened(person, write_text(long_game, ".ur"))
    person.page.check("#ask-first")
    person.press(NEXT_MISTAKE)
    person.until("#practise-question", "Which move is best?")
    assert "at" not in person.address
    person.press("Show the answer")
    person.until("#practise-message", "The best is")
    assert person.page.locator("#practise-dialog .arrow.best").count() == 1
    assert person.page.locator("#practise-dialog .arrow.played").count() == 1
    person.keys("Enter")  # the way on has the focus
    person.page.wait_for_selector("#practise-dialog", state="hidden")
    person.settle()
    assert int(person.address["at"]) > 0
    person.page.uncheck("#ask-first")
    before = person.page.url
    person.press(NEXT_MISTAKE)
    person.settle()
    assert person.page.url != before


@pytest.mark.parametrize("name", ["finkel-3", "birds-2"])
def test_positions_from_play_are_practised_by_keyboard(person, name):
    person.visit(f"table={name}")
    person.page.focus("#practise")
    person.keys("Enter")
    other = "tables/finkel-1" if name == "birds-2" else "tables/birds-2"
    assert person.page.input_value("#practise-game") == f"tables/{name}"
    assert person.page.locator(f"#practise-game option[value='{other}']").count() == 1
    person.page.focus("#practise-play")
    person.keys("Enter")
    person.until("#practise-title", "Practise: 1 of 10")
    person.page.locator(".answers button").first.focus()
    for _ in range(10):
        if person.page.locator("#practise-next.main").count():
            break
        person.keys("Enter", "Tab")
    person.until("#practise-message", "Right")
    person.page.focus("#practise-next")
    person.keys("Enter")
    person.until("#practise-title", "Practise: 2 of 10")
    assert person.page.evaluate("document.activeElement.id") == "practise-title"
    assert not person.kept("mistakes")


# Dice and openings.


def test_throws_are_counted_and_openings_listed(person, long_game, table):
    person.visit("table=finkel-3")
    opened(person, write_text(long_game, ".ur"))
    person.press("Is it the dice?")
    person.page.wait_for_selector("#dice-found table")
    counts = {"L": {}, "D": {}}
    for ply in long_game.plies:
        (throw,) = ply.throws
        counts[ply.side][throw] = counts[ply.side].get(throw, 0) + 1
    expected = compared_throws(FINKEL.dice, counts["L"], counts["D"])
    said = person.page.locator("#dice-found p").all_inner_texts()
    # the page plays fair series of its own
    assert [without_numbers(each) for each in said] == [
        without_numbers(f"{side}: {expected[side]['text']}") for side in ("light", "dark", "both")
    ]
    person.page.select_option("#dice-games", "1")  # the one opened game has the same throws
    person.until("#dice-found p", said[-1])
    person.press("Close", "#dice-dialog")
    person.page.click("#openings summary")
    rows = person.page.locator("#openings tbody tr")
    rows.first.wait_for()
    start = FINKEL.start()
    for row, throw in zip(rows.all(), table.throws(start), strict=True):
        cells = row.locator("th, td").all_inner_texts()
        moves = table.moves(start, throw.throw)
        assert cells[0] == str(throw.throw)
        assert cells[2] == (moves[0].move.text if moves else "no move")
        assert cells[3] == f"{100 * throw.value:.2f}{NO_BREAK}%"


# Everybody.


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser, origin, scheme, long_game):
    person = Person(
        browser,
        origin,
        color_scheme=scheme,
        bypass_csp=True,
        viewport={"width": 360, "height": 740},
    )

    def check(what):
        person.check_access(what)
        assert person.page.evaluate("document.documentElement.scrollWidth") <= 360, what

    person.visit("table=finkel-3")
    person.page.click("#openings summary")
    person.page.wait_for_selector("#openings table")
    check("openings")
    person.press("Record a game")
    person.settle()
    for throw, move in ((2, "A@A3"), (1, "C@C4"), (0, None), (2, "C4C2")):
        write_down(person, throw, move, "list")
    check("a record")
    person.page.locator("#recording-turns button").nth(1).click()
    person.settle()
    person.page.locator("#recording-throws [data-throw='0']").click()
    person.settle()
    assert person.page.locator("#recording-turns .bad").count() == 1
    check("a record with a fault")
    person.keys("Escape")
    opened(person, write_text(long_game, ".ur"))
    person.page.click("#practise")
    person.page.wait_for_selector("#practise-play")
    check("what to practise")
    assert person.page.evaluate(
        "(each => each.scrollWidth <= each.clientWidth)(document.querySelector('#practise-dialog'))"
    )
    person.page.click("#practise-due")
    person.page.wait_for_selector("#practise-question")
    check("a question")
    person.press("Show the answer")
    person.page.wait_for_selector("#practise-why table")
    check("an answer")
    person.keys("Escape")
    person.page.click("#dice-test")
    person.page.wait_for_selector("#dice-found table")
    check("dice")
    person.close()
