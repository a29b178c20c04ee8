"""The page's own answers, from tables of data, against the Python interface."""

from __future__ import annotations

import json
import pathlib
import re
from dataclasses import asdict, replace

import numpy as np
import pytest

import ur_solver
from tests.games import played_rows, random_game
from tests.serve.browser import needs_browser
from tests.serve.page.engine import call, drawn_answer, engine_page, load, near, plain, take
from tests.serve.page.playing import line_of, line_without_values, turns_played
from ur_solver.answers.decisions import TIE, USUAL
from ur_solver.errors import InputError
from ur_solver.moves import WIN, generator_of
from ur_solver.rules import CATALOGUE, DARK, LIGHT, SIDE_NAMES, Position, named_rules
from ur_solver.rules.contents import split
from ur_solver.rules.position_text import read
from ur_solver.rules.squares import Stack
from ur_solver.rules.svg import board_svg
from ur_solver.space import positions_of, space_of

pytestmark = [needs_browser, pytest.mark.medium]

OWN = {
    "skiriuk, nearly all switches": named_rules("skiriuk:3").changed(
        another_piece=True, extra_on_capture=True, any_from_shared_depot=True,
        finish_stacks=True, safe_corners=True, extra_throw="may",
    ),
    "conventional, another piece": named_rules("conventional:5").changed(
        another_piece=True, extra_on_capture=True, extra_throw="may"
    ),
    "finkel, an island": named_rules("finkel:5").changed(
        another_piece=True, squares={"B4": Stack(3, one_side=False)}
    ),
}  # fmt: skip
FULL = {**CATALOGUE, **OWN}


@pytest.fixture(scope="module")
def page(browser):
    with engine_page(browser) as page:
        yield page


def texts_of(rules, rows):
    """The rows as positions, each of a side to throw in turn."""
    is_dark = np.arange(len(rows)) % 2 == 1
    return space_of(rules).state_layout.notations(rows, is_dark).tolist()


def check_answers(page, rules, texts, view):
    load(page, rules)
    found = call(page, "answers", texts, SIDE_NAMES[view])
    for text, answer in zip(texts, found, strict=True):
        position = rules.position(text)
        assert answer == drawn_answer(None, position, view), text


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_position_with_one_piece(page, name):
    rules = named_rules(f"{name}:1")
    space = positions_of(rules)
    rows = space.unrank_states(np.arange(space.n_values))
    if rules.payoff.has_fines:
        fines = np.arange(len(rows), dtype=np.uint32)[:, np.newaxis] % 40
        rows = np.hstack([rows.astype(np.uint32), fines])
    check_answers(page, rules, texts_of(rules, rows), LIGHT)


@pytest.mark.parametrize("name", FULL)
def test_positions_of_play(page, name):
    rules = FULL[name]
    check_answers(page, rules, texts_of(rules, played_rows(rules, 1000)[::20]), DARK)


@pytest.mark.parametrize("name", FULL)
def test_rows_reached_in_play(page, name):
    check_rows(page, FULL[name], 300)


@pytest.mark.long
@pytest.mark.parametrize("name", FULL)
def test_many_rows_reached_in_play(page, name):
    check_rows(page, FULL[name], 10_000)


def check_rows(page, rules, n):
    """All moves of positions of play, as rows, against the compiled generator's."""
    load(page, rules)
    generator = generator_of(rules)
    for choices, members in generator.by_choices(rows := played_rows(rules, n)):
        part = rows[members]
        turns = generator.every_throw(part, *choices)
        given = [{"may": each.may, "outcomes": each.outcomes} for each in choices]
        found = call(page, "reached", part.tolist(), given)
        assert [len(each) for each in found] == np.diff(turns.starts).tolist()
        reached = np.array([option for turn in found for option in turn])
        expected = [turns.mover, turns.target, turns.flags]
        assert (reached[:, :3] == np.stack(expected, axis=1)).all()
        goes_on = ~turns.has(WIN)  # the generator leaves the others as they were
        assert (reached[goes_on, 3:] == turns.after[goes_on]).all()


# What else is asked.


@pytest.mark.parametrize("name", FULL)
def test_positions_with_faults(page, name):
    """One or two contents of a position exchanged for others, not all of which can be there."""
    rules, rng = FULL[name], np.random.default_rng(1)
    load(page, rules)
    pieces = sorted({each for held in rules.mechanics.pieces_on.values() for each in held})
    texts = []
    for text in texts_of(rules, played_rows(rules, 400)[::5]):
        position = Position(rules, *read(rules.mechanics, text))
        contents = list(position.contents)
        for square in rng.choice(len(contents), 2):
            if rng.integers(2):
                content = contents[square] + str(rng.choice(pieces))
                contents[square] = rules.mechanics.arranged(
                    rules.board.squares[square], split(content)
                )
        texts.append(replace(position, contents=tuple(contents)).notation)
    found = call(page, "boards", texts, "light")
    for text, answer in zip(texts, found, strict=True):
        position = Position(rules, *read(rules.mechanics, text))
        assert answer == {
            "position": position.notation,
            "svg": str(board_svg(position, view=LIGHT, is_named=True)),
            "faults": plain(position.faults()),
        }
    assert {bool(each["faults"]) for each in found} == {True, False}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("finkel:3", ""),
        ("finkel:3", "....__../......../....__.. L 3"),
        ("finkel:3", "....__../......../....__.. L 3 3 p1"),
        ("finkel:3", "....__../......../....__.. X 3 3"),
        ("finkel:3", "....__../......../....__.. L 3 x"),
        ("finkel:3", "....__../......../....__.. L 4 3"),
        ("finkel:3", "....__../...2..../....__.. L 3 3"),
        ("finkel:3", "....__../...l..../....__.. L 2 3"),
        ("finkel:3", "....__../......../....__.. L 0 0"),
        ("finkel:3", "....__.../......../....__.. L 3 3"),
        ("finkel:3", "...._.../......../....__.. L 3 3"),
        ("finkel:3", "......../....__.. L 3 3"),
        ("finkel:3", "(LL)...__../......../....__.. L 1 3"),
        ("finkel:3", "." * 201),
        ("birds:2", "....__../......../....__.. L 21 12"),
        ("birds:2", "....__../.L1....../....__.. L 12 12"),
        ("birds:2", "....__../.L......./....__.. L 2 12"),
        ("bell-stakes:1", "....__../......../....__.. L 1 1"),
        ("bell-stakes:1", "....__../......../....__.. L 1 1 p9999999"),
        ("skiriuk:2", "....__../.x....../....__.. L 1 1"),
    ],
)  # fmt: skip
def test_texts_that_are_no_positions(page, name, text):
    rules = named_rules(name)
    load(page, rules)
    with pytest.raises(InputError) as error:
        rules.position(text)
    assert call(page, "refused", [text]) == [str(error.value)]


@pytest.mark.parametrize("name", ["finkel:2", "birds:2", "skiriuk:2", "bell-stakes:1", "ben:2"])
def test_games_without_values(page, name):
    rules = named_rules(name)
    load(page, rules)
    start, turns = rules.start().notation, turns_played(random_game(rules, 1))
    games = [turns, turns[:5], []]
    found = call(page, "lines", [[start, each] for each in games])
    for each, answer in zip(games, found, strict=True):
        assert answer == plain(line_without_values(rules, each))
    wrong = [
        [*turns[:3], turns[3]._replace(move="A9A10")],
        [*turns[:2], turns[2]._replace(throws=(11,))],
        [*turns, turns[0]],
    ]
    one, two, three = call(page, "lines", [[start, each] for each in wrong])
    assert one.startswith("turn 4: move 'A9A10' is not legal here; legal: ")
    assert two.startswith("turn 3: throw '11' is not possible here; expected one of ")
    assert three.startswith(f"turn {len(turns) + 1}: the game was over: ")


def test_the_opening_throw_is_given(page):
    rules = named_rules("skiriuk:2")
    load(page, rules)
    start = rules.start().notation
    (found,) = call(page, "lines", [[start, [[None, [2], "A@A3"]]]])
    assert found == "turn 1: the opening throw of skiriuk is always 1"


TABLES = ["finkel-1", "casual-roll-again-1", "birds-2", "skiriuk-1", "ben-1", "bell-stakes-1"]


@pytest.mark.parametrize("name", TABLES)
def test_positions_and_games_with_values(page, tables, name):
    table = tables[name]
    rules, space = table.rules, table.space
    rows = take(page, table)
    some = rows[np.random.default_rng(2).choice(len(rows), 100)]
    if rules.payoff.has_fines:  # moves bring more
        some = some[some[:, -1] < space.reach]
    texts = texts_of(rules, some)
    for text, found in zip(texts, call(page, "valued", texts), strict=True):
        assert found == near(drawn_answer(table, rules.position(text))), text
    turns = turns_played(random_game(rules, 3))
    if not rules.payoff.has_fines:
        expected = plain(line_of(table, rules.start(), turns))
        assert call(page, "lines", [[rules.start().notation, turns]]) == near([expected])


def test_ties_and_marks_are_by_the_same_numbers():
    text = (pathlib.Path(ur_solver.__file__).parent / "serve/page/tree.js").read_text()
    (tie,) = re.findall(r"^const TIE = (.*);$", text, re.MULTILINE)
    (marks,) = re.findall(r"^const THRESHOLDS = (.*);$", text, re.MULTILINE)
    assert float(tie) == TIE
    assert dict(json.loads(marks)) == asdict(USUAL)
