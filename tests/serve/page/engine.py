"""The modules of the page's own engine in a page with nothing else, and what they are asked."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager

import numpy as np
import pytest

from ur_solver.records import stepper_of
from ur_solver.rules import FREE_THROW
from ur_solver.rules.svg import Arrow, arrow_path, board_svg
from ur_solver.serve.answers import position_answer
from ur_solver.serve.page_files import integrity_of, page_files
from ur_solver.serve.rules_data import rules_data

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
    const find = (rows, k) => rows.map((row) => known.get(String(row))[k]);
    window.values = { isExact: true,
      figures: async (rows) => ({ values: find(rows, 0), chances: find(rows, 1) }) };
    window.opening = first;
    return true;
  };
  window.asked = async (path, what, ...given) => await new Source(path)[what](...given)
    .catch((error) => ({ message: error.message, place: error.place })) ?? null;
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


ORIGIN = "http://page.test"


@contextmanager
def engine_page(browser, data=None):
    """A page with the modules of the page's engine, and nothing else; `data` is a site's folder."""
    context = browser.new_context()
    page = context.new_page()

    def answer(route):
        path = route.request.url.removeprefix(f"{ORIGIN}/")
        if not path:
            digest = data and integrity_of((data / "data" / "index.json").read_bytes())
            head = data and f"<meta name=ur-data content=data/ data-index='{digest}'>"
            route.fulfill(body=f"<!doctype html>{head or ''}", content_type="text/html")
        elif path.startswith("data/"):
            route.fulfill(path=data / path)
        else:
            route.fulfill(body=page_files()[f"/{path}"][0], content_type="text/javascript")

    page.route(f"{ORIGIN}/**", answer)
    page.goto(f"{ORIGIN}/")
    page.evaluate(
        """async () => Object.assign(window, await import('./engine/answers.js'),
          await import('./api.js'))"""
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


def drawn_answer(table, position, view=None):
    """What the page shows of a position: what the interface says, drawn; of estimates the errors.

    What is known of the exactness of a table's values is said once for all of them.
    """
    answer = position_answer(table, position)
    figures = {"tolerance", "cut_error", "chance"} | ({"error"} if "exact" not in answer else set())
    answer = plain({key: each for key, each in answer.items() if key not in figures})
    for thrown in answer["throws"]:
        thrown.pop("best", None)  # which the first move is
    if view is None:
        return answer
    rules, side = position.rules, position.side
    stepper = stepper_of(rules)
    state, arrows = stepper.encode(position), {}
    for choice in [each.name for each in stepper.choices(state)] or [FREE_THROW]:
        for roll in stepper.rolls(state, choice):
            for step in (
                () if roll.moves_by is None else stepper.steps(state, roll.moves_by, choice)
            ):
                arrows[stepper.text(side, step)] = {
                    kind: arrow_path(rules, side, Arrow(kind, step.source, step.target), view)
                    for kind in ("best", "played")
                }
    for thrown in answer["throws"]:
        for move in thrown["moves"]:
            move["arrows"] = arrows[move["move"]]
    return answer | {"svg": str(board_svg(position, view=view, is_named=True))}


def without_numbers(text):
    """A sentence on fair series without their numbers, which differ by chance."""
    return re.sub(r"[\d,.]*\d of [\d,]+", "N of N", text)


def near(values, error=1e-12):
    """Values whose numbers may differ by an error, by default in their last digits."""
    if isinstance(values, dict):
        return {key: near(each, error) for key, each in values.items()}
    if isinstance(values, list):
        return [near(each, error) for each in values]
    return pytest.approx(values, abs=error) if isinstance(values, float) else values
