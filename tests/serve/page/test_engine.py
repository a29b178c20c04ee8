"""The page's own answers, from tables of data, against the Python interface."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import resources

import numpy as np
import pytest

from tests.games import random_game
from tests.serve.browser import needs_browser
from ur_solver.errors import InputError
from ur_solver.moves import WIN, generator_of
from ur_solver.records.plain import write_plain
from ur_solver.rules import CATALOGUE, DARK, LIGHT, SIDE_NAMES, named_rules
from ur_solver.rules.contents import split
from ur_solver.rules.position import parse_any_position
from ur_solver.rules.squares import Stack
from ur_solver.serve.describe import rules_values, table_values, whole_table_values
from ur_solver.serve.judged import Turn, audit_text, converted_text, line_values
from ur_solver.serve.rules_data import rules_data
from ur_solver.serve.unfold import ServedRules, Unfolded, board_values
from ur_solver.space import positions_of, space_of

pytestmark = needs_browser

ORIGIN = "http://page.test"
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
SCRIPTS = """() => {
  window.load = (data) => { window.moves = new Moves(data); return true; };
  window.answers = async (texts, view) => {
    const found = [];
    for (const text of texts) found.push(await new Unfolded(moves, null, text, view).answer());
    return found;
  };
  window.boards = (texts, view) => texts.map((text) => boardAnswer(moves, text, view));
  window.refused = (texts) => texts.map((text) => {
    try { return moves.encode(text) && null; } catch (error) { return error.message; }
  });
  window.lines = async (games) => {
    const found = [];
    for (const [start, turns] of games) {
      found.push(await lineAnswer({ moves, values, opening }, start, turns)
        .catch((error) => error.message));
    }
    return found;
  };
  // values by row, as if from a table
  window.take = (given, first) => {
    const known = new Map(given);
    const find = (k) => async (rows) => rows.map((row) => known.get(String(row))[k]);
    window.values = { isExact: true, values: find(0), chances: find(1), facts: async () => ({}) };
    window.opening = first;
    return true;
  };
  window.site = (rules, entry) => {
    const files = new Map([["index.json", { version: 1, tables: [entry],
      games: { rules: [], tables: [] },
      rules: [{ name: entry.name, pieces: entry.pieces, file: "rules.json" }] }],
    ["rules.json", rules]]);
    window.local = new Local("");
    local.file = async (path) => ({ json: async () => files.get(path) });
    local.values = async () => values;
    return true;
  };
  window.asked = async (path, body) => local.answer(path, body ?? undefined)
    .catch((error) => ({ message: error.message, place: error.place }));
  window.valued = async (texts) => {
    const found = [];
    for (const text of texts) found.push(await new Unfolded(moves, values, text).answer());
    return found;
  };
  window.reached = (rows, choices) => rows.flatMap((row) => choices.flatMap(({ may, outcomes }) =>
    outcomes.map(([number]) => {
      const steps = moves.options(row, number, may);
      return steps.length ? steps.map((each) => [each.mover, each.target, each.flags, ...each.row])
        : [[-1, -1, 8, ...moves.mirror(row)]];
    })));
}"""


@pytest.fixture(scope="module")
def page(browser):
    """A page with the modules of the page's engine, and nothing else."""
    files = resources.files("ur_solver.serve") / "page"
    context = browser.new_context()
    page = context.new_page()

    def answer(route):
        path = route.request.url.removeprefix(ORIGIN)
        if path == "/":
            route.fulfill(body="<!doctype html>", content_type="text/html")
        else:
            text = (files / path.lstrip("/")).read_text(encoding="utf-8")
            route.fulfill(body=text, content_type="text/javascript")

    page.route(f"{ORIGIN}/**", answer)
    page.goto(f"{ORIGIN}/")
    page.evaluate(
        """async () => Object.assign(window, await import('./engine/moves.js'),
          await import('./engine/position.js'), await import('./engine/line.js'),
          await import('./engine/local.js'))"""
    )
    page.evaluate(SCRIPTS)
    yield page
    context.close()


def call(page, function, *given):
    """What a function gives; as text, which is much faster than values one by one."""
    script = f"async given => JSON.stringify(await {function}(...JSON.parse(given)))"
    return json.loads(page.evaluate(script, json.dumps(given)))


def load(page, rules):
    call(page, "load", rules_data(rules))
    page.evaluate("() => { window.values = null; window.opening = null; }")


def plain(values):
    """What JSON makes of values."""
    return json.loads(json.dumps(values))


def played_rows(rules, n, seed=0):
    """Rows of positions that random games come through, none twice."""
    rng = np.random.default_rng(seed)
    generator = generator_of(rules)
    rows, seen, found = generator.start(200), set(), []
    while len(found) < n:
        for row in rows:
            if row.tobytes() not in seen:
                seen.add(row.tobytes())
                found.append(row)
        after = np.empty_like(rows)
        for choices, members in generator.by_choices(rows):
            for choice, part in zip(
                choices, np.array_split(rng.permutation(members), len(choices)), strict=True
            ):
                numbers, chances = zip(*choice.outcomes, strict=True)
                throws = rng.choice(numbers, len(part), p=np.array(chances) / sum(chances))
                may = np.full(len(part), choice.may, dtype=np.uint8)
                turns = generator.successors(rows[part], throws.astype(np.int32), may)
                picked = rng.integers(turns.starts[:-1], turns.starts[1:])
                is_won = turns.has(WIN)[picked]
                after[part] = np.where(is_won[:, None], generator.start(), turns.after[picked])
        rows = after
    return np.array(found[:n])


def texts_of(rules, rows):
    """The rows as positions, each of a side to throw in turn."""
    is_dark = np.arange(len(rows)) % 2 == 1
    return space_of(rules).state_layout.notations(rows, is_dark).tolist()


def check_answers(page, rules, texts, view):
    load(page, rules)
    found = call(page, "answers", texts, SIDE_NAMES[view])
    for text, answer in zip(texts, found, strict=True):
        position = rules.position(text)
        assert answer == plain(Unfolded(ServedRules(rules), position, view).answer()), text


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
        position = parse_any_position(rules, text)
        contents = list(position.contents)
        for square in rng.choice(len(contents), 2):
            if rng.integers(2):
                content = contents[square] + str(rng.choice(pieces))
                contents[square] = rules.mechanics.arranged(
                    rules.board.squares[square], split(content)
                )
        texts.append(replace(position, contents=tuple(contents)).notation)
    found = call(page, "boards", texts, "light")
    expected = [board_values(rules, text, LIGHT) for text in texts]
    assert found == plain(expected)
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


@pytest.fixture
def game_of():
    def game(rules, seed):
        record = random_game(rules, seed)
        return [Turn(ply.choice or None, ply.throws, record.move_text(ply)) for ply in record.plies]

    return game


@pytest.mark.parametrize("name", ["finkel:2", "birds:2", "skiriuk:2", "bell-stakes:1", "ben:2"])
def test_games_without_values(page, name, game_of):
    rules = named_rules(name)
    load(page, rules)
    start, turns = rules.start(), game_of(rules, 1)
    wrong = [
        [*turns[:3], turns[3]._replace(move="A9A10")],
        [*turns[:2], turns[2]._replace(throws=(11,))],
        [*turns, turns[0]],
    ]
    games = [turns, turns[:5], [], *wrong]
    found = call(page, "lines", [[start.notation, each] for each in games])
    for each, answer in zip(games, found, strict=True):
        try:
            expected = plain(line_values(ServedRules(rules), start, each))
        except InputError as error:
            expected = str(error)
        assert answer == expected


TABLES = ["finkel-1", "casual-roll-again-1", "birds-2", "skiriuk-1", "ben-1", "bell-stakes-1"]


def take(page, table):
    """Give a page the rules and all values of a table, and return the rows."""
    rules, space = table.rules, table.space
    load(page, rules)
    rows = space.unrank_states(np.arange(space.n_values))
    values = table.state_values(rows).tolist()
    chances = values
    if rules.payoff.has_fines:
        chances = [table.chance(space.decode(row.tolist())) for row in rows]
    known = [
        [",".join(map(str, row)), each]
        for row, *each in zip(rows.tolist(), values, chances, strict=True)
    ]
    call(page, "take", known, table.opening_value())
    return rows


@pytest.mark.parametrize("name", TABLES)
def test_positions_and_games_with_values(page, tables, name, game_of):
    table = tables[name]
    rules, space = table.rules, table.space
    rows = take(page, table)
    some = rows[np.random.default_rng(2).choice(len(rows), 100)]
    if rules.payoff.has_fines:  # moves bring more
        some = some[some[:, -1] < space.reach]
    texts = texts_of(rules, some)
    source = ServedRules(rules, table)
    figures = {"tolerance", "error", "cut_error"}
    for text, found in zip(texts, call(page, "valued", texts), strict=True):
        expected = plain(Unfolded(source, rules.position(text)).answer())
        if "chance" in expected:
            figures.add("chance")
        assert found == near({key: expected[key] for key in expected if key not in figures}), text
    turns = game_of(rules, 3)
    if not rules.payoff.has_fines:
        expected = plain(line_values(source, rules.start(), turns))
        assert call(page, "lines", [[rules.start().notation, turns]]) == near([expected])


def near(values):
    """Values whose numbers may differ in their last digits."""
    if isinstance(values, dict):
        return {key: near(each) for key, each in values.items()}
    if isinstance(values, list):
        return [near(each) for each in values]
    return pytest.approx(values, abs=1e-12) if isinstance(values, float) else values


# A site without a server.


@pytest.fixture
def site(page, tables):
    """A site with one table, whose answers are made from all its values."""

    def site(name):
        table = tables[name]
        take(page, table)
        call(
            page,
            "site",
            rules_data(table.rules),
            whole_table_values(table) | table_values(name, table) | {"rules_file": "rules.json"},
        )
        return table

    return site


def test_a_site_describes_its_rule_sets_and_tables(page, site):
    table = site("finkel-1")
    assert call(page, "asked", "/rules") == {"rules": [], "tables": []}
    assert call(page, "asked", "/tables")["tables"][0]["id"] == "finkel-1"
    rules = call(page, "asked", "/rules/finkel:1")
    expected = plain(rules_values(table.rules))
    assert rules == expected | {"missing": rules["missing"], "notations": ["ur"]}
    about = call(page, "asked", "/tables/finkel-1")
    whole = plain(whole_table_values(table) | table_values("finkel-1", table))
    for key in ("value", "opening_value", "players", "start", "dice"):
        assert about[key] == near(whole[key])


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/tables/aseb-1", "There is no table aseb-1 on this site."),
        ("/rules/aseb:1", "The rules aseb:1 are not on this site."),
        ("/rules/finkel:1/report",
         "This site has no server, which this would need; “ur serve” is one."),
        ("/rules/finkel:1/position?position=x&drawing=light", "position 'x': 1 field, expected 4: "
         "the board, the side to throw, light's home, dark's home, such as "
         "'....__../......../....__.. L 1 1'"),
    ],
)  # fmt: skip
def test_what_a_site_cannot_answer(page, site, path, message):
    site("finkel-1")
    assert call(page, "asked", path)["message"] == message


@pytest.mark.parametrize("name", ["finkel-1", "birds-2", "ben-1"])
def test_games_are_opened_and_saved_without_a_server(page, site, name):
    table = site(name)
    games = [random_game(table.rules, 5), random_game(table.rules, 6, max_plies=6)]
    games[0].metadata.update(Light="Ann \u2014 \\", Dark=' "Ben"')
    text = "\n\n".join(map(write_plain, games)) + "\n"
    source = ServedRules(table.rules, table)
    body = {"text": text, "notation": "ur"}
    assert call(page, "asked", f"/tables/{name}/convert", body) == converted_text(
        source, text, "ur"
    )
    found = call(page, "asked", f"/tables/{name}/audit", {"text": text})
    expected = plain(audit_text(table, text))
    assert found["faults"] == expected["faults"] == []
    for ours, theirs in zip(found["games"], expected["games"], strict=True):
        for key in (
            "game",
            "start",
            "position",
            "result",
            "names",
            "start_value",
            "end_value",
            "winner",
        ):
            assert ours[key] == near(theirs[key])
        for ply, other in zip(ours["plies"], theirs["plies"], strict=True):
            assert {key: ply[key] for key in other} == near(other)


def test_faults_of_games_without_a_server(page, site):
    site("finkel-1")
    first = "rules: finkel:1\n\nL 1 A@A4\nD 3 C@C3\n"
    second = "rules: aseb:1\nL 0 --\nend: unfinished\n"
    third = "rules: finkel:1\nL 1 A@A4\nL 0 --\nD 0 --\n"
    fourth = "rules: finkel:1\nL 0 --\nD 2 --\nend: unfinished"
    text = first + second + third + fourth
    found = call(page, "asked", "/tables/finkel-1/audit", {"text": text})
    assert [len(game["plies"]) for game in found["games"]] == [1]
    one, two, three = found["faults"]
    assert one["message"] == "line 4: move 'C@C3' is not legal here; legal: C@C2"
    assert two["message"].startswith("line 5: the game has the rules aseb:1")
    assert two["place"] == {"line": 5, "column": None}
    assert three["message"] == "line 10: D is to throw, not L"


def test_exercises_cost_what_the_table_says(page, site):
    table = site("birds-2")
    path = "/tables/birds-2/exercises?count=6&cost=0.03&seed="
    found = call(page, "asked", path + "1")
    assert found == call(page, "asked", path + "1")
    assert len(found["exercises"]) == 6
    assert found["exercises"] != call(page, "asked", path + "2")["exercises"]
    for each in found["exercises"]:
        position = table.rules.position(each["position"])
        throws = Unfolded(ServedRules(table.rules, table), position).answer()["throws"]
        shown = each["throws"] if len(each["throws"]) > 1 else each["throws"][0]
        turn = next(t for t in throws if (t.get("choice"), t["throw"]) == (each["choice"], shown))
        assert each["cost"] >= 0.03
        assert each["cost"] == near(turn["moves"][1]["loss"])
    message = call(page, "asked", path + "-1")["message"]
    assert message == "seed is '-1'; expected a whole number"
