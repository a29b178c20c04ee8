from __future__ import annotations

import functools
import http.server
import json
import pathlib
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from tests.estimators.test_file import stored_of
from tests.serve.browser import launched
from ur_solver.api.table import Table
from ur_solver.estimators.estimator import SHIPPED, Estimator
from ur_solver.estimators.evaluator import Evaluator
from ur_solver.estimators.file import rounded
from ur_solver.estimators.network import Shape, features_of
from ur_solver.publish.site import PLIES, publish
from ur_solver.rules import named_rules
from ur_solver.serve.page_files import integrity_of

TABLES = ("finkel:1", "birds:1", "skiriuk:1", "ben:1", "bell-stakes:1", "birds:2")
ESTIMATORS = ("skiriuk-7", "birds-5", "ben-7", "bell-stakes-7")
"""Of those that come with the program, with wide features and without."""

WIDE = ("skiriuk-3", "birds-3", "ben-3", "bell-stakes-3")
"""Of networks that have learnt nothing, with wide features."""

ASKED = """
async (given) => {
  const [name, states] = JSON.parse(given);
  const { Source } = await import("./api.js");
  const { values, about } = await new Source(`tables/${name}`).judge();
  const found = await values.figures(states);
  const isExact = values.isExact;
  const { Network } = await import("./engine/estimates.js");
  const network = isExact ? null : new Network(values.given.file);
  return JSON.stringify({
    isExact, plies: about.plies, values: [...found.values],
    network: isExact ? null : states.map((state) => network.value(state)),
    margins: isExact ? null : [...found.errors],
    ranks: isExact ? states.map((state) => values.rank(state)) : null,
    chances: found.chances ?? null,
  });
}
"""


class Site(NamedTuple):
    """A published site: its folder, and what gives the values of its rule sets, by id."""

    folder: pathlib.Path
    values: dict[str, Evaluator]


@pytest.fixture(scope="session")
def site(solved, tmp_path_factory) -> Iterator[Site]:
    """A site of small tables of every kind, of estimators, and of a rule set with neither."""
    folder = tmp_path_factory.mktemp("files") / "games" / "ur"
    with ExitStack() as stack:
        found: list[Evaluator] = [
            stack.enter_context(Table(solved(named_rules(word)))) for word in TABLES
        ]
        found += [Estimator(SHIPPED / f"{name}.h5", plies=PLIES) for name in ESTIMATORS]
        found += [_wide(name.rpartition("-")) for name in WIDE]
        publish(folder, found, [named_rules("aseb:5")])
        names = [word.replace(":", "-") for word in TABLES]
        yield Site(folder, dict(zip([*names, *ESTIMATORS, *WIDE], found, strict=True)))


def _wide(name: tuple[str, str, str]) -> Estimator:
    rules = named_rules(f"{name[0]}:{name[2]}")
    shape = Shape(len(features_of(rules, True)), (16, 8), not rules.payoff.has_fines)
    weights = np.random.default_rng(1).normal(0, 0.3, shape.n_weights).astype(np.float32)
    stored = replace(stored_of(rules.word), shape=shape, weights=rounded(shape, weights))
    return Estimator(stored, plies=PLIES)


class _Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_arguments: object) -> None:
        pass


class FileServer:
    """Python's own server of files, which may be stopped."""

    def __init__(self, folder: pathlib.Path) -> None:
        handler = functools.partial(_Silent, directory=str(folder))
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.origin = f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture(scope="module")
def files(site) -> Iterator[FileServer]:
    server = FileServer(site.folder.parents[1])
    yield server
    server.stop()


@pytest.fixture(scope="module")
def browser():
    with launched() as found:
        yield found


MODULES = """(digest) => {
  const meta = document.createElementNS("http://www.w3.org/1999/xhtml", "meta");
  meta.setAttribute("name", "ur-data");
  meta.setAttribute("content", "data/");
  meta.setAttribute("data-index", digest);
  document.documentElement.append(meta);
}"""


def modules_page(browser, origin, folder):
    """A document of the site's own folder, with its modules but without the page's own doings."""
    page = browser.new_page()
    page.goto(f"{origin}/games/ur/icon.svg")
    page.evaluate(MODULES, integrity_of((folder / "data" / "index.json").read_bytes()))
    return page


@pytest.fixture(scope="module")
def modules(browser, files, site):
    page = modules_page(browser, files.origin, site.folder)
    yield page
    page.close()


@pytest.fixture(scope="module")
def asked(modules):
    """What the page's modules answer for some states of a table or an estimator."""

    def ask(name, states):
        return json.loads(modules.evaluate(ASKED, json.dumps([name, states.tolist()])))

    return ask
