"""Games from elsewhere, as the page's own readers take them: as `ur audit` does."""

from __future__ import annotations

import copy
import json
from contextlib import suppress

import pytest

from tests.games import random_game, write_text
from tests.serve.browser import needs_browser
from tests.serve.page.engine import engine_page, load
from ur_solver.errors import InputError, RecordError
from ur_solver.records import Ending, RecordFault, read_text
from ur_solver.records.settings import settings_or_none
from ur_solver.records.source import text_of
from ur_solver.rules import CATALOGUE, SIDE_NAMES, named_rules
from ur_solver.serve.rules_data import games_values

pytestmark = [needs_browser, pytest.mark.medium]

IN_JSON = [name for name, rules in CATALOGUE.items() if settings_or_none(rules)]

READ = """async texts => {
  const { auditAnswer } = await import('./engine/games.js');
  const found = [];
  for (const text of texts) {
    found.push(await auditAnswer({ moves, values: null, opening: null }, text)
      .catch((error) => ({ games: [], faults: [{ message: error.message }] })));
  }
  return found;
}"""


@pytest.fixture(scope="module")
def page(browser):
    with engine_page(browser) as page:
        yield page


def read(page, rules, *texts):
    load(page, rules)
    return page.evaluate(READ, list(texts))


def turns(game):
    """A record's turns as the page has them; a throw that waits for its move is no turn yet."""
    return [
        (SIDE_NAMES[ply.side], ply.throw, game.move_text(ply))
        for ply in game.plies
        if not ply.is_pending
    ]


def check_same(found, text, rules):
    """That the page reads the games that the program reads, and no others."""
    expected = []
    with suppress(InputError):
        expected = list(read_text(text, rules, "game"))
    games = [each for each in expected if not isinstance(each, RecordFault)]
    assert len(found["games"]) == len(games), found["faults"]
    for own, game in zip(found["games"], games, strict=True):
        plies = [(each["side"], each["throw"], each["move"]) for each in own["plies"]]
        assert plies == turns(game)
        assert own["start"] == game.start.notation
        assert own["names"] == {name: game.player(side) for side, name in SIDE_NAMES.items()}
        assert own["ending"] == game.ending
        assert own["winner"] == (SIDE_NAMES[game.winner] if game.winner else None)
    return games


@pytest.mark.parametrize("name", IN_JSON)
@pytest.mark.parametrize("pieces", [2, 5])
def test_games_in_royalurs_json(page, name, pieces):
    rules = named_rules(f"{name}:{pieces}")
    texts = []
    for seed, most in ((1, 10_000), (2, 7), (3, 8), (4, 0)):
        game = random_game(rules, seed, most)
        game.metadata.update(Light="Ann <b>", Dark="Ben")
        values = json.loads(write_text(game, ".json"))
        texts.append(json.dumps(values))
        if most == 7:  # how else a game may end
            stop = {"type": "resigned", "time": 1, "player": "D"}
            win = {"type": "win", "time": 1, "winner": "L"}
            values["states"][-1:] = [stop, win]
            texts.append(json.dumps(values))
            values["states"][-2]["metadata"] = {"Ending": str(Ending.TIMEOUT)}
            texts.append(json.dumps(values))
            values["states"][-2:] = [{"type": "abandoned", "time": 1, "reason": "rain"}]
            texts.append(json.dumps(values))
    texts += ["\n".join(texts), texts[0].replace("{", "{\n ").replace(",", ",\n  ")]
    for found, text in zip(read(page, rules, *texts), texts, strict=True):
        assert check_same(found, text, rules), text


def test_the_first_files_of_royalur(page):
    """Version 1 has pieces as objects, and other names; the first releases have longer ones."""
    rules = named_rules("finkel:3")
    values = json.loads(write_text(random_game(rules, 9), ".json"))
    old = copy.deepcopy(values)
    old["notation_version"] = 1
    keys = {"src": "source", "dest": "destination"}
    for state in old["states"]:
        state["type"] = {"roll": "rolled", "move": "moved"}.get(state["type"], state["type"])
        move = state.get("move", {})
        for key in ("src", "dest", "captured"):
            if (value := move.pop(key, None)) is not None:
                piece = {"owner": "L" if value > 0 else "D", "index": abs(value) - 1}
                move[keys.get(key, key)] = piece
    settings = old["settings"]
    settings["starting_piece_count"] = settings.pop("start_pieces")
    settings["dice"] = "FourBinary"
    settings["paths"] = settings["paths"].upper()
    text = json.dumps(old)
    (found,) = read(page, rules, text)
    assert check_same(found, text, rules)


def places(values, path=()):
    """Every place in JSON values."""
    yield path
    each = values.items() if isinstance(values, dict) else enumerate(values)
    for key, value in each:
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))
        else:
            yield (*path, key)


def changed(values, path, value):
    found = copy.deepcopy(values)
    if not path:
        return value
    host = found
    for key in path[:-1]:
        host = host[key]
    host[path[-1]] = value
    return found


def test_faults_of_royalurs_json(page):
    """Each place of a game has another value: what the program refuses the page refuses."""
    rules = named_rules("finkel:2")
    values = json.loads(write_text(random_game(rules, 3, 12), ".json"))
    values["metadata"] = {"Light": "Ann"}
    texts = []
    for path in places(values):
        if path and path[-1] != "time":  # of which the page has none
            texts += [json.dumps(changed(values, path, other)) for other in (None, 99, "x", [], {})]
    assert len(texts) > 300
    refused = 0
    for found, text in zip(read(page, rules, *texts), texts, strict=True):
        games = check_same(found, text, rules)
        refused += not games
        if not games:
            (fault,) = found["faults"]
            assert fault["message"]
    assert refused > 200


# Tags that are wrapped, and files that are not in UTF-8.


@pytest.mark.parametrize(
    "tag",
    [
        '[Light\n"Ann Smith"]', '[Light "Ann\nSmith"]', '[Light "Ann\n   Smith"\n]',
        '[Light\n  "Ann Smith"\n]',
    ],
)  # fmt: skip
def test_wrapped_tags(page, tag):
    rules = named_rules("finkel:3")
    text = write_text(random_game(rules, 2), ".rgn")
    assert text.startswith("[")
    text = f"{tag}\n{text}"
    (found,) = read(page, rules, text)
    (game,) = check_same(found, text, rules)
    assert game.player("L") == "Ann Smith"


FILES = [
    b'[Light "Jos\xe9"]\n1. A@A3\n', b"Light: Jos\xe9\nDark: Zo\xc3\xab\r\nend: x \x93q\x94\r",
    b"\xef\xbb\xbfLight: Ann\x1a", "\ufeffLight: José\n".encode("utf-16-le"),
    "\ufeffLight: José\n".encode("utf-16-be"), b"a\xe9\x81", b"ok\n\x01\xe9\n", b"\xff\xfea\xd8",
    b"Light: Ann\x00\x00", b"", b"a\rb\xe9\rc", "Zoë".encode(), b"\xef\xbb\xbf\xe9\n",
]  # fmt: skip


@pytest.mark.parametrize("content", FILES)
def test_the_text_of_files(page, content):
    warnings = []
    try:
        expected = text_of(content, warnings.append)
    except RecordError as error:
        expected = str(error).partition(":")[0]
    found = page.evaluate(
        """async bytes => {
          const { fileText } = await import('./reading.js');
          const warnings = [];
          try {
            return [fileText(new Uint8Array(bytes), (words) => warnings.push(words)), warnings];
          } catch (error) {
            return [error.message.split(':')[0], []];
          }
        }""",
        list(content),
    )
    assert found[0] == expected
    assert len(found[1]) == len(warnings)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rules: finkel:3\n\nL 2 A@A3", ["finkel:3"]),
        ('"rules": finkel\npieces: 3', ["finkel:3"]),
        ("Rules:finkel:3", ["finkel:3"]),
        ("rules : Finkel 4", ["finkel:4"]),
        ("rules: skiriuk", ["skiriuk:7"]),
        ('[Light "Ann"]\n[Rules\n"ben:2"]\n', ["ben:2"]),
        ('[Rules "ben:2"]\n[Rules "finkel:3"]', ["ben:2", "finkel:3"]),
        ('rules: {"name": "own"}', []),
        ("1. A@A3 / C@C4", []),
        ("L 2 A@A3 # rules of the house", []),
    ],
)
def test_the_rules_that_a_text_names(page, text, words):
    script = """async ([text, rules]) =>
      (await import('./reading.js')).wordsIn(text, rules)"""
    assert page.evaluate(script, [text, games_values()]) == words


@pytest.mark.parametrize("name", IN_JSON)
def test_the_rules_that_json_names(page, name):
    rules = named_rules(f"{name}:4")
    text = write_text(random_game(rules, 1, 3), ".json")
    script = """async ([text, rules]) =>
      (await import('./reading.js')).wordsIn(text, rules)"""
    words = page.evaluate(script, [text, games_values()])
    assert rules.word in words
    (game,) = read_text(text)
    assert words[0] == game.rules.word
    assert all(named_rules(word).is_same_game(rules) for word in words)
