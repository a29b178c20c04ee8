"""The page's own values are Python's: exact ones to the last bit, estimates to 1e-5 and better."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil

import numpy as np
import pytest

from tests.publish.conftest import ASKED, ESTIMATORS, TABLES, WIDE, FileServer, modules_page
from tests.serve.browser import needs_browser
from ur_solver.estimators.calibration import half_widths, positions_of_play
from ur_solver.estimators.estimator import Estimator
from ur_solver.estimators.network import scale_of
from ur_solver.publish.site import PLIES

pytestmark = [needs_browser, pytest.mark.slow]


@pytest.mark.parametrize("word", TABLES)
def test_every_value_of_a_table_is_the_same(asked, site, word):
    name = word.replace(":", "-")
    check_table(asked, name, site.values[name])


def check_table(asked, name, table):
    """All values of a table, or of a large one every seventh."""
    step = 1 if table.space.n_values < 10_000 else 7
    ranks = np.arange(0, table.space.n_values, step)
    states = table.space.unrank_states(ranks)
    # with stakes some values are of no position of their own
    is_own = table.space.rank_states(states) == ranks
    states, ranks = states[is_own], ranks[is_own]
    found = asked(name, states)
    assert found["isExact"]
    assert found["ranks"] == ranks.tolist()
    assert found["values"] == table.values(states).tolist()
    if found["chances"] is not None:
        for state, chance in zip(states[:20], found["chances"], strict=False):
            assert chance == table.chance(table.space.decode(state.tolist()))


def test_more_fines_than_a_table_has_levels(asked, site):
    table = site.values["bell-stakes-1"]
    states = table.space.unrank_states(np.arange(0, table.space.n_values, 40))
    states[:, -1] = table.space.reach + 1 + np.arange(len(states)) % 30
    found = asked("bell-stakes-1", states)
    assert found["values"] == pytest.approx(table.values(states).tolist(), abs=1e-12)
    positions = [table.space.decode(state.tolist()) for state in states]
    assert found["chances"] == [table.chance(each) for each in positions]


@pytest.mark.parametrize("name", ESTIMATORS + WIDE)
def test_estimates_of_play_are_the_same(asked, site, name):
    estimator = site.values[name]
    assert isinstance(estimator, Estimator)
    states = positions_of_play(estimator.network, 100, 5)
    assert check_estimates(asked, name, estimator, states) < 1e-6


def check_estimates(asked, name, estimator, states):
    """The largest difference of an estimate, as a share of what both sides may win together."""
    found = asked(name, states)
    assert not found["isExact"]
    assert found["plies"] == estimator.plies == PLIES
    values = estimator.state_values(states)
    pairs = [
        (estimator.network.state_values(states), found["network"]),
        (values, found["values"]),
        (estimator.state_margins(states, values), found["margins"]),
    ]
    scale = scale_of(estimator.rules, states)
    return max(float((np.abs(one - two) / scale).max()) for one, two in pairs)


def test_the_index_says_what_the_interface_says(site):
    entries = json.loads((site.folder / "data" / "index.json").read_text())["tables"]
    assert [each["id"] for each in entries] == list(site.values)
    for entry in entries:
        evaluator = site.values[entry["id"]]
        assert entry["value"] == evaluator.value(evaluator.rules.start())
        assert (site.folder / "data" / entry["data"]).exists()


def _with(number):
    """A change of the sixth last number of a file."""
    data = number.tobytes()

    def changed(content):
        end = len(content) - 5 * len(data)
        return content[: end - len(data)] + data + content[end:]

    return changed


def _scale(number):
    """A change of the first scale of a network's weights."""

    def changed(content):
        end = 4 + int.from_bytes(content[:4], "little")
        at = end + -end % 8 + json.loads(content[4:end])["arrays"]["scales"]["at"]
        return content[:at] + np.float16(number).tobytes() + content[at + 2 :]

    return changed


@pytest.fixture(scope="module")
def forged(site, tmp_path_factory):
    """A copy of the site, to be changed, and its server."""
    folder = tmp_path_factory.mktemp("forged") / "games" / "ur"
    shutil.copytree(site.folder, folder)
    server = FileServer(folder.parents[1])
    yield folder, server
    server.stop()


def forge(folder, path, content):
    """Replace a file, and its digest in the files that have it; what was there, by path."""
    kept = {}
    for holder in (path.with_name("head.bin"), folder / "data" / "index.json", None):
        if holder == path or not (holder is None or holder.exists()):
            continue
        old = kept[path] = path.read_bytes()
        path.write_bytes(content)
        if holder is None:
            return kept
        digests = [hashlib.sha256(each).digest() for each in (old, content)]
        content = holder.read_bytes().replace(*digests)
        content = content.replace(*map(base64.b64encode, digests))
        path = holder
    raise AssertionError


@pytest.mark.parametrize(
    ("name", "file", "change"),
    [
        ("finkel-1", "0.bin", _with(np.float64(np.nan))),
        ("finkel-1", "0.bin", _with(np.float64(np.inf))),
        ("finkel-1", "0.bin", _with(np.float64(1.479))),
        ("finkel-1", "0.bin", _with(np.float64(-0.2))),
        ("bell-stakes-1", "0.bin", _with(np.float64(1.5))),
        ("finkel-1", "0.bin", lambda content: content[:-8]),
        ("finkel-1", "0.bin", lambda content: content[:-3]),
        ("finkel-1", "0.bin", lambda content: b""),
        ("finkel-1", "head.bin", lambda content: content[:99]),
        ("finkel-1", "head.bin", lambda content: content[:9] + b"!" + content[10:]),
        ("skiriuk-7", "skiriuk-7.bin", lambda content: content[:-8] + np.float64(-0.1).tobytes()),
        ("skiriuk-7", "skiriuk-7.bin", lambda content: content[:-4000]),
        ("skiriuk-7", "skiriuk-7.bin", _scale(np.nan)),
        ("skiriuk-7", "skiriuk-7.bin", _scale(np.inf)),
    ],
)
def test_a_file_whose_numbers_cannot_be_is_refused_by_the_page(
    browser, forged, site, name, file, change
):
    """Though the digests are those of the files: a site may be made by anybody."""
    folder, server = forged
    (path,) = [each for each in (folder / "data").rglob(file) if f"/{name}" in str(each)]
    kept = forge(folder, path, change(path.read_bytes()))
    page = modules_page(browser, server.origin, folder)
    space = site.values[name].space
    states = space.unrank_states(np.arange(0, min(space.n_values, 10**6), 97)[:200])
    with pytest.raises(
        Exception, match="A file of this site is damaged: it is cut, or has impossible numbers"
    ):
        page.evaluate(ASKED, json.dumps([name, states.tolist()]))
    page.close()
    for each, content in kept.items():
        each.write_bytes(content)


def test_intervals_have_the_shape_that_was_calibrated(modules):
    """Of every share of what there is to win, those that no value can have among them."""
    shares = [-0.5, -1e-12, *np.linspace(0, 1, 1001).tolist(), 1 + 1e-12, 1.5]
    errors = [0.0, 0.01, 0.2, 1.0, 3.0]
    found = modules.evaluate(
        """async ([errors, shares]) => {
          const { halfWidth } = await import("./engine/estimates.js");
          return errors.map((error) => shares.map((share) => halfWidth(error, share)));
        }""",
        [errors, shares],
    )
    assert found == [pytest.approx(half_widths(error, shares), abs=1e-15) for error in errors]
    assert max(found[-1]) == 1
