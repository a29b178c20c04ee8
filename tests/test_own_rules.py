"""The rule sets with rules of their own: from solving them to the answers of the commands."""

from __future__ import annotations

import json
import re
import shutil

import pytest
from click.testing import CliRunner

from tests.golden import FOLDER
from tests.solving import make_table
from ur_solver.answers.verify import verify_table
from ur_solver.api.table import Table
from ur_solver.cli import cli
from ur_solver.errors import MemoryLimitError
from ur_solver.rules import named_rules
from ur_solver.solving import costs as memory
from ur_solver.solving.costs import room_for
from ur_solver.solving.request import Request

pytestmark = pytest.mark.medium

STARTS = json.loads((FOLDER / "own-rules-starts.json").read_text())
NAMES = [name for name in STARTS if name != "bell-stakes"]


@pytest.fixture(scope="module", params=NAMES)
def query(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("own") / f"{request.param}-1.h5"
    make_table(named_rules(request.param, 1), path)
    with Table(path) as query:
        yield query


def test_golden_values(query):
    lines = (FOLDER / f"{query.rules.name}-1.tsv").read_text().splitlines()
    pairs = [line.split("\t") for line in lines]
    positions = [query.rules.position(text) for text, _ in pairs]
    expected = [float(value) for _, value in pairs]
    assert query.values(positions).tolist() == pytest.approx(expected, abs=1e-10)


def test_verified(query):
    found = verify_table(query.file, sample=150)
    assert found.positions == query.space.n_values
    assert found.residual < 1e-12


def test_opening_value(query):
    golden = STARTS[query.rules.name]["1"]
    if query.rules.name == "ben":
        assert query.opening_value() == pytest.approx(0.553971, abs=5e-7)
    else:
        expected = golden.get("opening_value", golden["start_value"])
        assert query.opening_value() == pytest.approx(expected, abs=1e-10)


def test_the_largest_choice_is_the_value(query):
    for position in (query.rules.start(), query.space.unrank(query.space.n_values // 2, "D")):
        worth = [value for value in query.choices(position).values() if value is not None]
        if worth:
            assert max(worth) == pytest.approx(query.value(position), abs=1e-10)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    for name in ("birds", "casual-roll-again", "skiriuk"):
        make_table(named_rules(name, 1), folder / f"{name}-1.h5")
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def ur(tables, monkeypatch):
    monkeypatch.setenv("UR_TABLES", str(tables))

    def run(*arguments):
        result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.output

    return run


def test_query_shows_the_value_of_each_choice(ur):
    begin = "....__../......../....__.. L 1 1"
    answer = json.loads(ur("query", "birds:1", begin, "--json"))
    assert answer["choices"] == {"move": None, "enter": pytest.approx(answer["value"])}
    assert "not allowed here" in ur("query", "birds:1", begin)
    over = "....__../......../....__.. L - 1"
    assert json.loads(ur("query", "birds:1", over, "--json"))["choices"] == {
        "move": None,
        "enter": None,
    }
    assert "choices" not in json.loads(ur("query", "skiriuk:1", begin, "--json"))


def test_best_lists_a_move_to_a_rosette_twice(ur):
    position = "....__../..L...../....__.. L 0 1"
    answer = json.loads(ur("best", "casual-roll-again:1", position, "1", "--json"))
    assert {move["move"] for move in answer["moves"]} == {"B3B4*", "B3B4* again"}
    # the choice to throw again can only help a player
    assert answer["moves"][0]["move"] == "B3B4* again"


def test_info_shows_the_opening_value(ur):
    expected = STARTS["skiriuk"]["1"]["opening_value"]
    assert json.loads(ur("info", "skiriuk:1", "--json"))["opening_value"] == pytest.approx(expected)
    page = ur("info", "skiriuk:1")
    assert "first player wins          49.21155682" in page
    assert "with a free first throw  53.81797875" in page
    birds = json.loads(ur("info", "birds:1", "--json"))
    assert birds["opening_value"] == birds["value"]
    assert "free first throw" not in ur("info", "birds:1")


def test_query_shows_the_opening_value_at_the_start(ur):
    answer = json.loads(ur("query", "skiriuk:1", "--json"))
    assert answer["opening_value"] == pytest.approx(STARTS["skiriuk"]["1"]["opening_value"])
    page = ur("query", "skiriuk:1")
    assert page.index("the first player wins    49.2115") < page.index("light wins")
    elsewhere = "L...__../......../....__.. L 0 1"
    assert "opening_value" not in json.loads(ur("query", "skiriuk:1", elsewhere, "--json"))
    assert "first player" not in ur("query", "skiriuk:1", elsewhere)


def test_a_stack_is_drawn_from_the_bottom_up(ur):
    page = ur("moves", "skiriuk", "....__../..(LDld)...../....__.. L 5 5", "1")
    assert "LDld" in page


# Counts of positions to two digits, and the largest counts of pieces that must fit into 20 GiB.
BEYOND = [
    ("murray", 6, 2.4e10, 5),
    *(("skiriuk", 5, 5.1e9, 4), ("skiriuk", 7, 1.1e12, 4)),
    ("ben", 7, 2.1e11, 4),
    ("birds", 5, 2.4e11, 4),
]


@pytest.mark.parametrize(("name", "pieces", "positions", "fitting"), BEYOND)
def test_sizes_beyond_the_machine_are_refused(monkeypatch, name, pieces, positions, fitting):
    monkeypatch.setattr(memory, "available_bytes", lambda _threads: 20 << 30)
    with pytest.raises(MemoryLimitError) as caught:
        room_for(Request.of(named_rules(name, pieces), threads=2))
    size, needed, largest = re.fullmatch(
        rf"{name} with {pieces} pieces has ([\d,]+) positions and needs ([\d,.]+) GiB of memory "
        r"for its largest block; 20\.0 GiB may be taken; "
        r"the largest count that fits is (\d) \(-n \3\)",
        str(caught.value),
    ).groups()
    size = int(size.replace(",", ""))
    assert size == pytest.approx(positions, rel=0.04)
    assert float(needed.replace(",", "")) > 20
    assert int(largest) == fitting


def test_a_block_may_be_as_large_as_memory_allows(monkeypatch):
    # skiriuk's largest block with 5 pieces has more positions than 31 bits can number
    monkeypatch.setattr(memory, "available_bytes", lambda _threads: 1 << 40)
    for name in ("skiriuk", "ben"):
        room_for(Request.of(named_rules(name, 5), threads=2))
