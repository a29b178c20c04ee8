"""What a person made is kept on the device, found again and taken along."""

from __future__ import annotations

import json
import random

import pytest

from tests.games import write_text
from tests.serve.browser import Person, needs_browser
from tests.serve.page.playing import by_list, opened, play, turn_of
from ur_solver.rules import named_rules

pytestmark = [needs_browser, pytest.mark.medium]

PEOPLE = "table=finkel-3&values=no"
COMPUTER = f"{PEOPLE}&dark=random"


def tab(person):
    """Another tab of the same browser; `Person`'s ways work in it."""
    other = object.__new__(Person)
    other.__dict__ |= person.__dict__
    other.page = person.context.new_page()
    other.page.on("console", lambda message: person.complaints.append(message.text))
    other.page.on("pageerror", lambda error: person.complaints.append(str(error)))
    return other


def written(person):
    """The turns of the records that are kept, and those of the record on screen."""
    own = person.page.locator("#recording-turns .played").all_inner_texts()
    kept = [each["recording"]["turns"] for each in person.kept("games") if each.get("recording")]
    return sorted(len(turns) for turns in kept), len(own)


def record(person):
    person.press("Record a game")
    person.settle()


def write(person, *throws):
    """Turns of a record, each by the first move of a throw."""
    for throw in throws:
        person.page.locator(f"#recording-throws [data-throw='{throw}']").click()
        person.settle()
        moves = person.page.locator("#recording-moves button")
        if moves.count():
            moves.first.click()
            person.settle()


# Tabs.


def test_records_of_two_tabs_stand_side_by_side(person):
    """Begun in both before either has a turn."""
    person.visit("table=finkel-3")
    other = tab(person)
    other.visit("table=finkel-3")
    record(person)
    record(other)
    write(person, 1, 2, 1)
    write(other, 2, 1, 2)
    for each in (person, other):
        each.page.reload()
        each.settle()
        record(each)
        assert written(each) == ([3, 3], 3)
    assert {len(each["recording"]["turns"]) for each in person.kept("games")} == {3}


def test_a_record_that_another_tab_gives_up_stays(person):
    person.visit("table=finkel-3")
    record(person)
    write(person, 1, 2, 1, 2)
    other = tab(person)
    other.visit("table=finkel-3")
    record(other)
    assert written(other) == ([4], 4)  # a new tab goes on with the record that is not over
    other.press("Begin anew")
    other.settle()
    write(other, 3)
    person.page.reload()
    person.settle()
    record(person)
    assert written(person) == ([1, 4], 4)


def test_a_record_goes_on_in_two_tabs(person):
    """From one place on there are two records: neither takes the place of the other."""
    person.visit("table=finkel-3")
    record(person)
    write(person, 1, 2)
    other = tab(person)
    other.visit("table=finkel-3")
    record(other)
    write(other, 1, 2, 1)
    write(person, 3)
    write(person, 1)
    write(other, 2)
    assert written(other) == ([4, 6], 6)
    person.page.reload()
    person.settle()
    record(person)
    assert written(person) == ([4, 6], 4)


def test_a_game_is_played_on_in_two_tabs(person):
    rng = random.Random(1)
    person.visit(PEOPLE)
    play(person, rng, (by_list,), 3)
    address = person.page.url
    other = tab(person)
    other.visit()
    other.press("Go on with the last game")
    other.settle()
    assert other.page.url == address
    play(other, random.Random(2), (by_list,), 3)
    play(person, random.Random(3), (by_list,), 3)
    games = person.kept("games")
    lines = {each["line"].split(" ")[-1] for each in games}
    assert lines == {person.address["game"], other.address["game"]}
    # both go on in their own games, after a reload too
    for each in (person, other):
        each.page.reload()
        each.settle()
        play(each, rng, (by_list,), 1)
    lines = {each["line"].split(" ")[-1] for each in person.kept("games")}
    assert lines == {person.address["game"], other.address["game"]}


def test_a_mistake_is_practised_in_two_tabs(person, long_game):
    person.visit("table=finkel-3")
    opened(person, write_text(long_game, ".ur"))
    other = tab(person)
    other.visit("table=finkel-3")
    mistakes = person.kept("mistakes")
    answer = "async ([each, is]) => (await import('./exercises.js')).kept.answer(each, is)"
    assert len(mistakes) > 2
    for k, each in enumerate((person, other, person)):
        assert each.page.evaluate(answer, [mistakes[k % 2], True]) == (3 if k == 2 else 1)
    found = {each["key"]: each for each in other.kept("mistakes")}
    assert [found[each["key"]]["box"] for each in mistakes[:3]] == [2, 1, 0]
    # the other tab hears of it
    other.until("#practise", f"({len(mistakes) - 2} due)")


# What comes back.


def finish(person, seed=4):
    """Play a game to its end, with the computer's part."""
    rng = random.Random(seed)
    for _ in range(300):
        if person.page.locator("#again:visible").count():
            return
        turn_of(person, rng, by_list)
    raise AssertionError("the game does not end")


def my_games(person):
    person.page.locator("#my-games:visible, #start-games:visible").first.click()
    person.until("#games-count", "game")
    person.settle()


def items(person):
    return person.page.locator("#games-list li").all_inner_texts()


def test_yesterdays_game_is_found_again(person):
    person.page.clock.set_fixed_time("2030-01-10T20:00:00")
    person.visit(COMPUTER)
    play(person, random.Random(1), (by_list,), 3)
    person.until("#throw[aria-disabled=false]")  # the computer has played
    game = person.address["game"]
    person.page.close()
    person.page = tab(person).page  # no history of the tab before
    person.page.clock.set_fixed_time("2030-01-11T09:00:00")
    person.visit()
    my_games(person)
    (text,) = items(person)
    assert "1/10/2030" in text
    assert "not finished" in text
    person.press("Go on", "#games-list")
    person.until("#turns .turn")
    person.settle()
    assert person.address["game"] == game
    finish(person)
    (kept,) = person.kept("games")
    assert kept["line"].endswith(person.address["game"])
    assert kept["result"] in {"light", "dark"}
    my_games(person)
    (text,) = items(person)
    assert "1/11/2030" in text
    assert ("won" if kept["result"] == "light" else "lost") in text
    row = person.page.locator("#games-figures tbody td").all_inner_texts()
    assert row == [f"{int(kept['result'] == 'light')} of 1"]
    # what moves and dice came to: the end is the sum of the beginning and all of them
    value = person.page.evaluate(
        """async () => (await new (await import('./api.js')).Source('tables/finkel-3').about())
          .opening_value"""
    )
    light, dark = kept["costs"]["light"], kept["costs"]["dark"]
    total = value + light["luck"] - light["loss"] - dark["luck"] + dark["loss"]
    assert total == pytest.approx(float(kept["result"] == "light"), abs=1e-6)
    # gone through and tried out, it stays the game that it was
    person.press("Open", "#games-list")
    person.page.wait_for_selector("#games-dialog", state="hidden")
    person.settle()
    assert [each["key"] for each in person.kept("games")] == [kept["key"]]


def test_a_game_is_named_and_deleted(person):
    person.visit(PEOPLE)
    play(person, random.Random(1), (by_list,), 2)
    my_games(person)
    person.press("Rename", "#games-list")
    person.page.fill("#games-list input", "The <b>long</b> evening")
    person.page.press("#games-list input", "Enter")
    person.until("#games-list b", "The <b>long</b> evening")
    person.keys("Escape")
    play(person, random.Random(2), (by_list,), 1)  # it goes on, and keeps its name
    (kept,) = person.kept("games")
    assert kept["title"] == "The <b>long</b> evening"
    assert kept["line"].endswith(person.address["game"])
    my_games(person)
    person.press("Delete", "#games-list")
    person.press("Really delete?", "#games-list")
    person.until("#games-count", "No game is kept yet")
    assert person.kept("games") == []


def test_what_an_earlier_version_kept_is_taken_over(person, long_game):
    """Once, from where it was; what cannot be read stays there."""
    line = [["light", None, [2], "A@A3"], ["dark", None, [1], "C@C4"]]
    recording = {
        "path": "tables/finkel-3", "word": "finkel:3", "key": "record k5abc", "ending": "",
        "names": {"light": "Ann", "dark": ""}, "rounds": [], "turns": line,
        "start": named_rules("finkel:3").start().notation,
    }  # fmt: skip
    mistake = {
        "path": "tables/finkel-3", "position": "....__../......../....__.. L 3 3", "choice": None,
        "throws": [2], "side": "light", "played": "A@A3", "box": 2, "due": 9,
    }  # fmt: skip
    throws = {"light": {"1": 30}, "dark": {}}
    learning = {
        "mistakes": [mistake],
        "games": [{"path": "tables/finkel-3", "word": "finkel:3", "key": "x", "throws": throws}],
    }
    earlier = {
        "ur-recording": recording,
        "ur-learning": learning,
        "ur-last-game": "#table=finkel-3&game=.2_A!A3&at=1&values=no"
        "&dark=weak&light-name=J%C3%B6rg",
    }
    person.visit("table=finkel-3")
    person.page.evaluate(
        "all => Object.entries(all).forEach(([key, each]) => { localStorage[key] = each; })",
        {key: json.dumps(each) for key, each in earlier.items()},
    )
    for _ in range(2):
        person.page.reload()
        person.settle()
        games = person.kept("games")
        assert sorted(each["kind"] for each in games) == ["opened", "played", "recorded"]
        (found,) = person.kept("mistakes")
        assert (found["box"], found["due"], found["asked"]) == (2, 9, 0)
    assert person.page.evaluate("Object.keys(localStorage)") == ["ur-options"]
    record(person)
    assert person.page.locator("#recording-turns li").count() == 2
    person.keys("Escape")
    my_games(person)
    assert len(items(person)) == 2  # of the third only the throws are known
    person.page.locator(
        "#games-list li", has_text="J\N{LATIN SMALL LETTER O WITH DIAERESIS}rg"
    ).get_by_role("button", name="Go on").click()
    person.page.wait_for_selector("#games-dialog", state="hidden")
    person.settle()
    play(person, random.Random(1), (by_list,), 1)
    assert len(person.kept("games")) == 3
    person.page.evaluate("localStorage['ur-learning'] = '{'")
    person.page.reload()
    person.settle()
    assert person.page.evaluate("localStorage['ur-learning']") == "{"


REFUSALS = {
    "none": "Object.defineProperty(window, 'indexedDB', { value: undefined });",
    "refused": "IDBFactory.prototype.open = () => { throw new DOMException('', 'SecurityError'); }",
    "no room": """IDBObjectStore.prototype.put = () => {
      throw new DOMException('', 'QuotaExceededError'); }""",
}


@pytest.mark.parametrize("how", REFUSALS)
def test_a_browser_that_keeps_nothing_says_so_and_plays(browser, origin, how):
    person = Person(browser, origin)
    person.context.add_init_script(REFUSALS[how])
    person.visit(PEOPLE)
    play(person, random.Random(1), (by_list,), 2)
    said = person.page.locator("#not-kept")
    person.until("#not-kept", "no room" if how == "no room" else "keeps nothing")
    assert said.is_visible()
    record(person)
    write(person, 1, 2)
    person.keys("Escape")
    my_games(person)  # and a file can be saved before the page is closed
    assert len(items(person)) == 2
    with person.page.expect_download() as caught:
        person.press("Save all as a file", "#games-dialog")
    assert len(json.loads(caught.value.path().read_text())["games"]) == 2
    person.close()


# 500 games, to another device and back.

WORDS = ("finkel:3", "skiriuk:1", "ben:1")
NAMES = ("Ann", "Ben", "Cleo")


def archive(n):
    """A file of games, each with what tells it from the others."""
    games = []
    for k in range(n):
        day = 1_800_000_000_000 + k * 86_400_000
        word = WORDS[k % 3]
        games.append(
            {
                "key": f"game {k}", "kind": "played", "begun": day, "changed": day, "ended": day,
                "path": f"tables/{word.replace(':', '-')}", "word": word,
                "names": {"light": NAMES[k % 5 % 3], "dark": None},
                "players": {"light": "human", "dark": ("weak", "strong")[k % 2]},
                "result": (None, "light", "dark", "light")[k % 4],
                "line": f"start .{k % 4}", "address": f"table={word.replace(':', '-')}",
                "throws": {"light": {"1": 1}, "dark": {}},
            }
        )  # fmt: skip
        if games[-1]["result"] is None:
            games[-1]["ended"] = None
    mistakes = [
        {
            "path": "tables/finkel-3", "position": f"position {k}", "choice": None, "throws": [1],
            "side": "light", "played": None, "box": k % 5, "due": 1, "asked": 2, "right": 1,
        }
        for k in range(20)
    ]  # fmt: skip
    return {"format": "ur-solver games", "version": 1, "games": games, "mistakes": mistakes}


def take_in(person, path, said):
    person.page.set_input_files("#games-file", path)
    person.until("#games-said, #games-dialog [role=alert]", said)
    person.settle()


def plain(entries):
    """Entries in one order, without what is not known of them."""
    known = ({key: each for key, each in entry.items() if each is not None} for entry in entries)
    return sorted(known, key=lambda entry: entry["key"])


def test_500_games_are_filtered_and_taken_to_another_device(person, browser, origin, tmp_path):
    file = archive(500)
    (tmp_path / "all.json").write_text(json.dumps(file))
    person.visit()
    my_games(person)
    take_in(person, tmp_path / "all.json", "500 new games, 0 games that went on elsewhere")
    person.until("#games-count", "500 of 500 games")
    assert plain(person.kept("games")) == plain(file["games"])
    assert len(items(person)) == 50
    person.press("Show 50 more", "#games-dialog")
    assert len(items(person)) == 100
    games = file["games"]

    def shows(expected):
        person.until("#games-count", f"{len(expected)} of 500 games")
        shown = person.page.locator("#games-list li").evaluate_all(
            "all => all.map(each => each.dataset.key)"
        )
        newest = sorted(expected, key=lambda each: -each["changed"])
        assert shown == [each["key"] for each in newest][:50]

    page = person.page
    page.select_option("#games-word", "skiriuk:1")
    left = [each for each in games if each["word"] == "skiriuk:1"]
    shows(left)
    page.select_option("#games-level", "weak")
    left = [each for each in left if each["players"]["dark"] == "weak"]
    shows(left)
    page.select_option("#games-result", "lost")
    left = [each for each in left if each["result"] == "dark"]
    shows(left)
    page.fill("#games-name", "cLE")
    left = [each for each in left if each["names"]["light"] == "Cleo"]
    assert left
    shows(left)
    page.fill("#games-name", "")
    page.select_option("#games-result", "")
    page.select_option("#games-level", "")
    page.select_option("#games-word", "")
    page.fill("#games-from", "2027-02-01")
    page.fill("#games-to", "2027-02-28")
    assert len(items(person)) == 28
    # wins by rule set and level, and in a row
    over = [each for each in games if each["result"]]
    cells = page.locator("#games-figures tbody tr").evaluate_all(
        "all => all.map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent))"
    )
    for row, word in zip(cells, sorted(WORDS), strict=True):
        for cell, level in zip(row, ("weak", "strong"), strict=True):
            those = [e for e in over if (e["word"], e["players"]["dark"]) == (word, level)]
            won = [each for each in those if each["result"] == "light"]
            assert cell == (f"{len(won)} of {len(those)}" if those else "\N{EN DASH}")
    assert page.inner_text("#games-streak") == "1 win in a row now; 2 at the longest."
    practice = "20 mistakes kept, 20 due today, 4 known well; 20 of 40 first answers right."
    assert practice in page.inner_text("#games-practice")
    # to another device, which has a game of its own, twice
    with page.expect_download() as caught:
        person.press("Save all as a file", "#games-dialog")
    saved = caught.value.path()
    assert plain(json.loads(saved.read_text())["games"]) == plain(games)
    other = Person(browser, origin)
    other.visit(PEOPLE)
    play(other, random.Random(1), (by_list,), 2)
    own = other.kept("games")
    my_games(other)
    for said in (
        "500 new games",
        "0 new games, 0 games that went on elsewhere, 500 games that were",
    ):
        take_in(other, saved, said)
        assert plain(other.kept("games")) == plain([*own, *games])
        assert len(other.kept("mistakes")) == 20
    other.close()


def test_games_that_went_on_apart_are_both_kept(person, tmp_path):
    """One went on elsewhere, one here, one in both: nothing is lost, whatever comes twice."""
    file = archive(3)
    lines = {"here": [".1", ".1.2", ".1.2"], "there": [".1.3", ".1", ".1.3"]}
    for place, ends in lines.items():
        for game, end in zip(file["games"], ends, strict=True):
            game["line"] = f"start {end}"
        (tmp_path / f"{place}.json").write_text(json.dumps(file))
    person.visit()
    my_games(person)
    for place in ("here", "there", "there", "here"):
        take_in(person, tmp_path / f"{place}.json", "new game")
    found = [each["line"] for each in person.kept("games")]
    assert sorted(found) == ["start .1.2", "start .1.2", "start .1.3", "start .1.3"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text[:-40], "or it is cut"),
        (lambda _: "[Light \"Ann\"]", "no file of games"),
        (lambda _: "[]", "no file of games"),
        (lambda _: "null", "no file of games"),
        (lambda text: text.replace('"version": 1', '"version": 2'), "another version"),
        (lambda text: text.replace('"key": "game 1"', '"key": 7'), "7 is no text"),
        (lambda text: text.replace('"result": "light"', '"result": "LIGHT"'), '"LIGHT" is none of'),
        (lambda text: text.replace('"tables/ben-1"', '"https://x.test/"'), "no table and no rule"),
        (lambda text: text.replace('"box": 1', '"box": 9'), "9 is none of"),
        (lambda text: text.replace('"players"', '"nobody"'), "games, number 1, cannot be read"),
    ],
)  # fmt: skip
def test_a_file_with_a_fault_changes_nothing(person, tmp_path, change, said):
    text = json.dumps(archive(4))
    assert change(text) != text
    (tmp_path / "bad.json").write_text(change(text))
    person.visit()
    my_games(person)
    take_in(person, tmp_path / "bad.json", said)
    assert person.kept("games") == person.kept("mistakes") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser, origin, scheme, tmp_path):
    size = {"width": 360, "height": 740}
    person = Person(browser, origin, color_scheme=scheme, bypass_csp=True, viewport=size)
    (tmp_path / "all.json").write_text(json.dumps(archive(60)))
    person.visit()
    my_games(person)
    person.check_access("no games")
    take_in(person, tmp_path / "all.json", "60 new games")
    person.until("#games-count", "60 of 60 games")
    person.check_access("games")
    person.page.locator("#games-list button", has_text="Rename").first.click()
    person.page.locator("#games-list button", has_text="Delete").nth(1).click()
    person.check_access("a game with another name")
    (tmp_path / "bad.json").write_text("{}")
    take_in(person, tmp_path / "bad.json", "no file of games")
    person.check_access("a file with a fault")
    assert person.page.evaluate(
        "(each => each.scrollWidth <= each.clientWidth)(document.querySelector('#games-dialog'))"
    )
    person.context.add_init_script(REFUSALS["none"])
    person.visit()
    person.page.reload()
    person.until("#not-kept", "keeps nothing")
    person.check_access("nothing is kept")
    person.close()
