"""Files of a published site, changed at random and read by the page's own engine."""

from __future__ import annotations

import pathlib
from contextlib import ExitStack

import numpy as np

from tests.estimators.test_file import stored_of
from tests.faults.tally import Tally
from tests.publish.conftest import FileServer, modules_page
from tests.serve.browser import launched
from tests.solving import make_table
from ur_solver.api.table import Table
from ur_solver.estimators.estimator import Estimator
from ur_solver.estimators.evaluator import Evaluator
from ur_solver.publish.site import PLIES, publish
from ur_solver.rules import named_rules

_TABLES, _ESTIMATORS = ("finkel:1", "bell-stakes:1"), ("aseb:1", "bell-stakes:2")
_STATES = 20
_BATCH = 250

_FORGE = """
async ([name, states, first, number, seed]) => {
  const { Source } = await import("./api.js");
  const { drawnFrom, Refusal } = await import("./common.js");
  const { open } = await import("./engine/values.js");
  const source = new Source(`tables/${name}`);
  const [{ values: place, facts }, { moves }] = await Promise.all([source.place(), source.judge()]);
  const files = new Map();
  const load = async (file) => {
    const reply = await fetch(`data/${file}`);
    if (!reply.ok) throw new Refusal("A file of this site cannot be loaded; is there a network?");
    return reply.arrayBuffer();
  };
  const sound = async (file) => {
    if (!files.has(file)) files.set(file, await load(file));
    return files.get(file).slice();
  };
  const strange = [NaN, Infinity, -Infinity, -0.5, 1.479, 2, 1e300, -1e-300, 0];
  const changed = (buffer, random) => {
    const below = (n) => Math.floor(random() * n);
    const bytes = new Uint8Array(buffer);
    for (let n = [1, 1, 2, 4][below(4)]; n > 0; n--) {
      const at = below(bytes.length);
      if (random() < 0.5) bytes[at] = below(256);
      else {
        const width = random() < 0.5 ? 8 : 4;
        if (bytes.length < width) continue;
        const view = new DataView(buffer, Math.min(at - at % width, bytes.length - width));
        if (width === 8) view.setFloat64(0, strange[below(strange.length)], true);
        else view.setFloat32(0, strange[below(strange.length)], true);
      }
    }
    return random() < 0.1 ? buffer.slice(0, below(bytes.length)) : buffer;
  };
  const tally = { survived: 0, detected: 0, lost: [] };
  for (let k = first; k < first + number; k++) {
    const random = drawnFrom(seed * 1e6 + k);
    random();
    const forged = place.pieces && random() < 0.6 ? `${place.pieces}0.bin` : place.head;
    const give = async (file) =>
      (file === forged ? changed(await sound(file), random) : sound(file));
    try {
      const found = await (await open(place, facts, moves, give, null)).figures(states);
      const isRight = found.values.every((value) => Number.isFinite(value))
        && (found.errors ?? []).every((each) => each >= 0 && each < Infinity)
        && (found.chances ?? []).every((each) => each > -0.1 && each < 1.1)
        && (name.startsWith("bell") || found.values.every((each) => each > -0.1 && each < 1.1));
      if (isRight) tally.survived += 1;
      else tally.lost.push(`case ${k}, ${forged}: ${found.values} ${found.errors}`);
    } catch (error) {
      if (error instanceof Refusal && !error.message.includes("\\n")) tally.detected += 1;
      else tally.lost.push(`case ${k}, ${forged}: ${error.stack}`);
    }
  }
  return tally;
}
"""


def forged_files(folder: pathlib.Path, times: int, seed: int) -> Tally:
    """Change pieces, heads and networks of a site, and ask the page for values."""
    tally = Tally("forged files of a site, read by the page")
    with ExitStack() as stack:
        found: list[Evaluator] = []
        for word in _TABLES:
            path = folder / f"{word.replace(':', '-')}.h5"
            make_table(named_rules(word), path, threads=1)
            found.append(stack.enter_context(Table(path)))
        found += [Estimator(stored_of(word), plies=PLIES) for word in _ESTIMATORS]
        site = folder / "games" / "ur"
        publish(site, found)
        server = FileServer(folder)
        stack.callback(server.stop)
        page = modules_page(stack.enter_context(launched()), server.origin, site)
        share = -(-times // len(found))
        for evaluator in found:
            space = evaluator.space
            step = max(1, space.n_values // space.values_per_position // _STATES)
            ranks = np.arange(0, space.n_values, step * space.values_per_position)[:_STATES]
            states = space.unrank_states(ranks).tolist()
            name = evaluator.rules.word.replace(":", "-")
            for first in range(0, share, _BATCH):
                asked = [name, states, first, min(_BATCH, share - first), seed]
                answer = page.evaluate(_FORGE, asked)
                tally.survived += answer["survived"]
                tally.detected += answer["detected"]
                tally.lost += [f"{name}, seed {seed}, {case}" for case in answer["lost"]]
    return tally
