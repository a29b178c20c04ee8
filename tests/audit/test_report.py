"""The report: its content, that it loads nothing, and its layout in a browser."""

import dataclasses
import html
import re
from html.parser import HTMLParser

import pytest

from tests.games import GAMES, NAMES, HashValues, random_game
from tests.serve.browser import needs_browser
from ur_solver.answers.decisions import Thresholds
from ur_solver.audit.judge import audit_games
from ur_solver.audit.report import MAX_GAMES, html_report
from ur_solver.records import GameRecord, read_file
from ur_solver.rules import CATALOGUE, named_rules
from ur_solver.rules.contents import is_marked, side_of, split
from ur_solver.rules.payoff import MONEY, POINTS
from ur_solver.rules.svg import board_svg

pytestmark = pytest.mark.slow

REFERENCES = {"random": 0.03, "first": 0.027, "greedy": 0.015}
HOSTILE = '<script>alert("x")</script>'


def report(*records, references=REFERENCES):
    audits = list(audit_games(records, HashValues(records[0].rules)))
    return html_report(audits, Thresholds(), {records[0].rules: references})


def sample(name):
    (record,) = read_file(str(GAMES / f"{name}.json"))
    return record


class _Reader(HTMLParser):
    """Collects the links of a page and checks that its elements are closed."""

    VOID = ("meta", "link", "br", "img", "input")

    def __init__(self):
        super().__init__()
        self.open, self.links, self.ids = [], [], []

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name in ("href", "src", "srcset", "action", "data"):
                self.links.append(value)
            if name == "id":
                self.ids.append(value)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", NAMES)
def test_reports_are_sound_and_self_contained(name):
    (audit,) = audit_games([sample(name)], HashValues(sample(name).rules))
    page = html_report([audit], Thresholds(), {audit.record.rules: REFERENCES})
    reader = _Reader()
    reader.feed(page)
    assert not reader.open
    assert len(set(reader.ids)) == len(reader.ids)
    assert all(link.startswith("#") and link[1:] in reader.ids for link in reader.links)
    assert not re.search(r"https?:|//\w|@import|url\(", page)
    # Each mistake has a board with both moves, and the replay has one, whose arrows are in JSON.
    marked = sum(Thresholds().mark(judged) is not None for judged in audit.plies)
    assert page.count('class="ur-board"') == marked + 1
    for css in ('class="moment"', 'class="arrow best"', 'class="arrow played"'):
        assert page.count(css) == marked


def test_names_are_escaped():
    record = random_game(named_rules("finkel:2"), 1)
    record.metadata["Light"] = HOSTILE
    page = report(record)
    assert HOSTILE not in page
    assert html.escape(HOSTILE, quote=False)[:12] in page


def test_the_title_names_players_or_the_file_without_its_folders(tmp_path):
    (audit,) = audit_games([sample("finkel-2")], HashValues(sample("finkel-2").rules))
    record = dataclasses.replace(
        audit.record, file="/home/ann/games/one.json", number=2, metadata={}
    )
    named = dataclasses.replace(record, metadata={"Light": "Ann", "Dark": "Ben"})
    for each, title in ((record, "one.json, game 2"), (named, "Ann against Ben")):
        page = report(each)
        assert f"<title>{title}: a game of Ur</title>" in page
        assert f"<h2>{title}</h2>" in page
        assert "one.json, game 2" in page
        assert "/home/ann" not in page


@pytest.mark.parametrize("name", NAMES)
def test_every_throw_is_listed(name):
    record = sample(name)
    (audit,) = audit_games([record], HashValues(record.rules))
    page = html_report([audit], Thresholds(), {audit.record.rules: REFERENCES})
    rows = re.findall(r"<tr><td>(\d+)</td><td[^>]*>(\w+)</td><td>([\d ]+)</td>(.*?)</tr>", page)
    assert [int(row[0]) for row in rows] == list(range(1, len(record.plies) + 1))
    sides = {"L": "light", "D": "dark"}
    assert [(row[1], row[2]) for row in rows] == [
        (sides[ply.side], ply.throw_text) for ply in record.plies
    ]
    played = [re.search(r'<td class="word">([^<]*)</td>', row[3])[1] for row in rows]
    assert played == [html.escape(record.move_text(ply) or "no move") for ply in record.plies]


def test_boards_have_coordinates():
    for name, columns in (("finkel", 8), ("aseb", 12)):
        drawing = board_svg(named_rules(name).start())
        names = re.findall(r'class="coordinate" x="([\d.-]+)" y="([\d.-]+)"[^>]*>(\w+)<', drawing)
        assert [each[2] for each in names] == [*map(str, range(1, columns + 1)), "A", "B", "C"]
        # each in the middle of its column or row
        squares = re.findall(r'data-square="\w+" transform="translate\((\d+) (\d+)\)"', drawing)
        centres = {(int(x) + 20, int(y) + 20) for x, y in squares}
        for x, _, _ in names[:columns]:
            assert any(float(x) == centre for centre, _ in centres)
        for _, y, _ in names[columns:]:
            assert any(float(y) == centre for _, centre in centres)


def test_many_games_are_cut():
    record = random_game(named_rules("finkel:1"), 1)
    page = report(*[record] * (MAX_GAMES + 3), references={})
    assert f"The first {MAX_GAMES} games are shown; 3 more are not." in page
    assert 'class="bars"' not in page


def test_every_piece_is_drawn():
    """Stacks, numbers and marks are drawn, with a disc for each piece."""
    for name, text, numbers in (
        ("skiriuk", ".(LL)..__../..(LdDl)...../....__.. L 2 5", []),
        ("birds", "....__../...(L1L2D3)..../....__.. L 345 1245", ["1", "2", "3"]),
        ("ben", "....__../..(Ld)(LLDd)..../....__.. D 1 2", []),
    ):
        rules = named_rules(name)
        position = rules.position(text)
        drawing = board_svg(position, label="a board")
        pieces = [piece for content in position.contents for piece in split(content)]
        assert drawing.count('class="piece ') == len(pieces)
        assert drawing.count('class="piece dark"') == sum(side_of(p) == "D" for p in pieces)
        assert drawing.count('class="leg ') == sum(map(is_marked, pieces))
        on_board = drawing.partition('class="tray"')[0]
        assert re.findall(r'class="number[^>]*>(\d)<', on_board) == numbers
        n_spare = sum(position.home(side) + position.n_off(side) for side in "LD")
        assert drawing.count('class="spare ') == n_spare


def test_signed_has_no_minus_nought():
    assert POINTS.signed(-0.0001) == "+0.0"
    assert POINTS.signed(-0.012) == "\N{MINUS SIGN}1.2"
    assert MONEY.signed(-0.0001) == "+0.00"
    assert MONEY.signed(-0.012) == "\N{MINUS SIGN}0.01"


MEASURED = """() => {
  document.querySelectorAll('details').forEach((each) => { each.open = true; });
  const { scrollWidth, clientWidth } = document.documentElement;
  return {
    scrollWidth, clientWidth,
    wide: [...document.querySelectorAll('body *')].filter((each) =>
      each.getBoundingClientRect().right > clientWidth + 0.5
      && !each.closest('svg') && !each.closest('.moves table')).length,
    fetched: performance.getEntriesByType('resource').length,
    areDrawn: [...document.querySelectorAll('svg')].every((each) => each.clientHeight > 60),
    // texts of drawings that reach over the drawing's edge, and so are cut off
    cut: [...document.querySelectorAll('svg text')].filter((each) => {
      const [own, all] = [each, each.closest('svg')].map((one) => one.getBoundingClientRect());
      return own.left < all.left - 1 || own.right > all.right + 1
        || own.top < all.top - 1 || own.bottom > all.bottom + 1;
    }).length,
  };
}"""


def measured(browser, folder, report, width):
    """What Chromium measures of a report in a window `width` pixels wide."""
    path = folder / "report.html"
    path.write_text(report, encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 3000})
    page.goto(path.as_uri())
    found = page.evaluate(MEASURED)
    page.close()
    return found


@needs_browser
@pytest.mark.parametrize("width", [360, 1100])
def test_nothing_is_fetched_or_wider_than_the_screen(browser, tmp_path, width):
    found = measured(browser, tmp_path, report(sample("finkel-2")), width)
    assert found.pop("scrollWidth") <= width
    assert found == {"clientWidth": width, "wide": 0, "fetched": 0, "areDrawn": True, "cut": 0}


@needs_browser
def test_every_board_is_drawn(browser, tmp_path):
    for name in ("aseb", "murray", "masters", "birds", "skiriuk"):
        record = random_game(CATALOGUE[name].with_pieces(3), 4)
        assert isinstance(record, GameRecord)
        found = measured(browser, tmp_path, report(record), 390)
        assert (found["scrollWidth"], found["wide"]) == (found["clientWidth"], 0)
        assert (found["areDrawn"], found["cut"]) == (True, 0)


@needs_browser
def test_a_screenshot_shows_more_than_a_blank_page(browser, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(report(sample("finkel-1")))
    page = browser.new_page(viewport={"width": 1100, "height": 1600})
    page.goto(path.as_uri())
    assert len(page.screenshot()) > 50_000
    page.close()
