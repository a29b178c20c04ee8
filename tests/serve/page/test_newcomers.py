"""What somebody sees who has never met the game: the way, the pieces, the dice, the chances."""

from __future__ import annotations

import re

import pytest

from tests.serve.browser import NO_BREAK, Person, needs_browser
from tests.serve.page.playing import turns_of
from ur_solver.answers.decisions import Thresholds
from ur_solver.api.table import Table
from ur_solver.rules import named_rules

pytestmark = [needs_browser, pytest.mark.slow]

FINKEL = named_rules("finkel:3")
ENDING = "..L.__L./......D./...D__.. L 1 1"
"""Light may bear off by a throw of 1, which is the best of three moves."""
PICTURE = "#hero > div"


def pieces_shown(page, host):
    """Pieces of both sides in a drawing that wait, and their number as it is written."""
    counts = []
    for k in range(2):
        tray = page.locator(f"{host} .tray").nth(k)
        counts.append(tray.locator(".spare:visible").count())
        assert tray.locator("text.count").first.text_content() == f"waiting {counts[-1]}"
    return counts


def test_the_first_picture_is_that_of_the_game_which_is_then_played(person):
    page = person.page
    for opponent, pieces in (("Casual player", 3), ("Two people here", 7)):
        person.visit()
        page.get_by_label(opponent).check()
        assert pieces_shown(page, PICTURE) == [pieces, pieces]
        card = page.locator("#hero-card")
        assert re.search(rf"{pieces} pieces each", card.inner_text())
        card.get_by_role("button", name="Rules").click()
        person.until("#rules-text li", f"Each side has {pieces} pieces")
        person.keys("Escape")
        card.get_by_role("button", name="Play").click()
        person.until("#headline", "throw the dice")
        person.settle()
        assert pieces_shown(page, "#board") == [pieces, pieces]
        person.page.goto("about:blank")


def test_nothing_is_counted_before_it_is_known_who_answers(person):
    person.page.route("**/api/v1/rules", lambda route: None)
    person.page.goto(person.origin)
    person.page.locator(f"{PICTURE} svg").wait_for()
    assert person.page.locator(f"{PICTURE} .tray .spare:visible").count() == 0
    person.page.unroute_all()


WAYS = """async (view) => {
  const { Board } = await import('./board.js');
  const { Source, games } = await import('./api.js');
  const board = new Board(document.querySelector('#rules-text'));
  document.querySelector('#rules-dialog').showModal();
  const found = {};
  for (const { name, pieces } of (await games()).rules) {
    const source = new Source(`rules/${name}:${pieces}`);
    const about = await source.about();
    board.show((await source.position(about.start, view)).svg);
    const { svg, way } = board;
    for (const side of ['light', 'dark']) {
      board.drawWay([`${side} home`, ...about.paths[side], `${side} off`], side);
      const holds = (square, [x, y]) => {
        const own = ['home', 'off'].includes(square) ? `[data-side=${side}]` : '';
        const group = svg.querySelector(`[data-square=${square}]${own}`);
        const box = group.firstElementChild.getBoundingClientRect();
        const { a, e, f } = svg.getScreenCTM();
        const [left, top] = [x * a + e, y * a + f];
        return left >= box.left && left <= box.right && top >= box.top && top <= box.bottom;
      };
      const points = (css) => [...way.querySelectorAll(`.line${css}`)].map((line) =>
        line.getAttribute('points').split(' ').map((each) => each.split(',').map(Number)));
      const [through] = points(':not(.in, .off)');
      const [[enters, first]] = points('.in');
      const off = points('.off')[0];
      const path = about.paths[side];
      found[`${name} ${side}`] = {
        squares: path.every((square, k) => holds(square, through[k])),
        enters: holds('home', enters) && holds(path[0], first),
        leaves: holds(path.at(-1), off[0]) && holds('off', off.at(-1)),
        around: !off.slice(1, -1).some((point) => path.some((square) => holds(square, point))),
      };
    }
  }
  return found;
}"""


@pytest.mark.parametrize("view", ["light", "dark"])
def test_the_way_of_every_rule_set_leads_from_waiting_to_finished(person, view):
    person.visit()
    found = person.page.evaluate(WAYS, view)
    assert len(found) > 40
    for name, ends in found.items():
        assert all(ends.values()), (name, ends)


SEEN = """() => {
  window.seen = [];
  new MutationObserver(() => window.seen.push([
    document.querySelectorAll('#turns .turn').length,
    document.querySelectorAll('#dice .tip').length,
    document.querySelectorAll('#dice .unthrown').length,
  ])).observe(document.getElementById('dice'), { childList: true });
}"""


def test_the_dice_of_the_computer_are_seen_before_and_after_it_moves(person):
    person.visit("table=finkel-3&values=no")
    page = person.page
    page.evaluate(SEEN)
    person.visit("table=finkel-3&values=no&light=table")
    person.until("#headline", "Your turn")
    person.settle()
    turns = turns_of(person.address)
    shown = [tuple(each) for each in page.evaluate("window.seen")]
    for number, turn in enumerate(turns):
        assert (number, turn.throws[0], 0) in shown
    assert page.locator("#status .dice .tip").count() == turns[-1].throws[0]


def test_how_long_they_are_seen_can_be_set(person):
    person.visit("table=finkel-3&values=no")
    person.settings()
    pauses = []
    for pace in ("slow", "easy", "fast"):
        person.page.select_option("#pace", pace)
        pauses += person.page.evaluate(
            """async () => {
              const { pauseBefore } = await import('./play.js');
              return [{ entry: {} }, { entry: null }].map((each) => pauseBefore(each, 100));
            }"""
        )
    thrown, unthrown = pauses[::2], pauses[1::2]
    assert thrown[0] > thrown[1] > thrown[2] == 0
    assert unthrown[0] > unthrown[1] > unthrown[2] == 0
    assert all(one >= other for one, other in zip(thrown, unthrown, strict=True))


def test_turns_are_listed_in_words_first(person):
    person.visit("table=finkel-3&values=no&game=.4_A!A1*.0.2_C!C3.3_A1B3&at=4")
    turns = person.page.locator("#turns .turn")
    assert turns.locator(".story").all_inner_texts() == [
        "4: enters on A1", "0: no move", "2: enters on C3", "3: from A1 to B3",
    ]  # fmt: skip
    assert turns.locator(".played").all_inner_texts()[::3] == ["4 A@A1*", "3 A1B3"]


def test_a_player_learns_how_he_stands_and_how_good_his_move_was(person, solved):
    page = person.page
    position = FINKEL.position(ENDING)
    with Table(solved(FINKEL)) as table:
        moves = table.moves(position, 1)
        value = table.value(position)
    for number, move in enumerate(moves):
        person.visit("table=finkel-1")
        person.visit(
            f"table=finkel-3&values=no&start={ENDING.replace(' ', '%20')}&throw=1&dark=table"
        )
        if page.locator("#chances").is_hidden():
            page.get_by_label("Chances").check()
            person.settle()
        assert page.inner_text("#chances").startswith(f"you {100 * value:.0f}{NO_BREAK}%")
        assert page.locator("#moves .track").count() == 0  # nothing says which move is the best
        page.locator("#moves button", has_text=move.move.text).click()
        person.until("#verdict")
        said = page.inner_text("#verdict")
        if number == 0:
            assert said.endswith("was the best.")
        elif mark := Thresholds().mark_of(move.loss):
            assert f" {mark} and cost {100 * move.loss:.1f} points. Better: from A7 off" in said
        else:
            assert (
                f"a little worse than the best and cost {100 * move.loss:.1f} points. Better: "
                in said
            )
    page.get_by_label("Analyse").check()
    person.settle()
    assert page.locator("#verdict").is_hidden()
    assert page.locator("#summary .account").is_visible()
    page.get_by_label("Analyse").uncheck()
    person.settle()
    assert page.locator("#verdict").is_visible()


def test_why_nothing_moves_is_said(person):
    person.visit("rules=bell:7&values=no&throw=2")
    rules = named_rules("bell:7")
    able = [throw for throw in rules.dice.throws if rules.mechanics.may_enter(throw)]
    assert 2 not in able
    names = " or ".join(map(str, able))
    assert f"Here only a throw of {names} moves a piece." in person.status()


def test_a_game_that_is_over_leads_on(person):
    start = "....__L./......../....__.. L 0 1"
    person.visit(f"table=finkel-1&values=no&start={start.replace(' ', '%20')}&throw=1&dark=medium")
    page = person.page
    page.locator("#moves button").click()
    person.until("#headline", "You have won!")
    assert person.options() == ["Go through the game", "Save the game", "Other games"]
    person.press("Save the game", "#options")
    assert page.locator("#save-dialog").is_visible()
    person.keys("Escape")
    person.press("Go through the game", "#options")
    person.settle()
    assert page.get_by_label("Analyse").is_checked()
    assert page.locator("#forward").is_enabled()
    page.go_back()
    person.visit(f"table=finkel-1&values=no&start={start.replace(' ', '%20')}&game=.1_A7A%27&at=1")
    person.press("Other games", "#options")
    person.until("#games")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser, origin, scheme):
    from axe_playwright_python.sync_playwright import Axe

    viewport = {"width": 360, "height": 740}
    person = Person(browser, origin, color_scheme=scheme, bypass_csp=True, viewport=viewport)
    person.visit("table=finkel-3&values=no&dark=table&game=.2_A!A3.0.1_A3A2&at=3")
    person.page.get_by_label("Chances").check()
    person.settings()
    person.until("#verdict")
    found = {"chances": Axe().run(person.page).response["violations"]}
    person.visit(
        "table=finkel-1&values=no&start=....__L.%2F......../....__..%20L%200%201&game=.1_A7A%27&at=1"
    )
    person.until("#options button")
    found["the end"] = Axe().run(person.page).response["violations"]
    assert found == {"chances": [], "the end": []}
    person.close()
