"""Games from elsewhere at the page, and games that are saved."""

from __future__ import annotations

import pytest

from tests.games import random_game, write_text
from tests.serve.browser import needs_browser
from tests.serve.page.playing import EN_DASH, NEXT_MISTAKE, opened
from ur_solver.api.table import Table
from ur_solver.records import read_text
from ur_solver.rules import named_rules

pytestmark = [needs_browser, pytest.mark.medium]


@pytest.mark.parametrize("suffix", [".ur", ".rgn", ".json"])
def test_a_game_is_pasted_and_gone_through(person, long_game, suffix, solved):
    person.visit("table=finkel-3")
    opened(person, write_text(long_game, suffix))
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
    person.head("Open")
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
    opened(person, write_text(long_game, ".ur"))
    person.head("Save")
    place = person.page.url
    assert person.page.input_value("#link") == place
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
    assert person.page.url == place


def test_a_game_for_money_is_opened_and_saved(person, solved):
    rules = named_rules("bell-stakes:1")
    game = random_game(rules, 8)
    person.visit("table=bell-stakes-1")
    opened(person, write_text(game, ".ur"))
    with Table(solved(rules)) as table:
        audit = table.audit(game)
    assert f"won the pot of {audit.end_total}" in person.page.inner_text("#names")
    person.page.focus("#board")
    person.keys("End")
    person.settle()
    account = person.page.locator("#summary .account")
    assert float(account.get_attribute("data-sum")) == pytest.approx(audit.end_value, abs=1e-6)
    fines = account.locator("tr", has_text="fines paid").locator("td").inner_text()
    assert float(fines) == audit.light.cost
    person.head("Save")
    with person.page.expect_download() as caught:
        person.press("Game, .ur", "#save-dialog")
    (saved,) = read_text(caught.value.path().read_text())
    assert [ply[:5] for ply in saved.plies] == [ply[:5] for ply in game.plies]
    with person.page.expect_download() as caught:
        person.press("Report, .html", "#save-dialog")
    assert "Fines paid" in caught.value.path().read_text()


def plain(word, *lines):
    return "\n".join((f"rules: {word}", "", *lines, "end: unfinished"))


@pytest.mark.parametrize("suffix", [".ur", ".rgn", ".json"])
@pytest.mark.parametrize("address", ["table=ben-1", "rules=aseb:5", ""])
def test_a_game_opens_on_the_table_of_its_rules(person, long_game, suffix, address):
    person.visit(address)
    opened(person, write_text(long_game, suffix))
    assert person.address["table"] == "finkel-3"
    assert person.page.locator("#turns .turn").count() == len(long_game.plies)


@pytest.mark.parametrize("suffix", [".ur", ".rgn", ".json"])
def test_a_game_that_is_not_solved_here_opens_without_values(person, suffix):
    game = random_game(named_rules("finkel:4"), 5)
    person.visit("table=finkel-3")
    opened(person, write_text(game, suffix))
    assert person.address["rules"] == "finkel:4"
    assert person.page.locator("#turns .turn").count() == len(game.plies)
    assert "not solved here" in person.page.inner_text("#source")
    # with a fault it is named with the rules of the game
    person.head("Open")
    person.page.fill("#text", plain("finkel:4", "L 2 A@A3", "D 1 C@C3"))
    person.press("Open", "#open-dialog")
    person.until("#found", "C@C4")
    person.complaints.clear()  # the browser's, of the server's refusal


def test_a_file_in_an_old_encoding_is_read_with_a_warning(person, tmp_path):
    text = plain("finkel:3", "L 2 A@A3", "D 1 C@C4").replace("\n\n", "\nLight: José\n\n", 1)
    (tmp_path / "old.ur").write_bytes(f"{text}\n\n{text}\n".encode("cp1252"))
    person.visit("table=finkel-3")
    person.head("Open")
    person.page.set_input_files("#file", tmp_path / "old.ur")
    person.until("#found li", "Game 2: José")
    warning = person.page.locator("#found li", has_text="Windows-1252")
    assert warning.all_inner_texts() == [
        "line 2: not UTF-8; it is read as Windows-1252, as 'Light: José'"
    ]
    (tmp_path / "none.ur").write_bytes(b"\x81\x01")
    person.page.set_input_files("#file", tmp_path / "none.ur")
    person.until("#found li", "neither in UTF-8 nor in Windows-1252")
