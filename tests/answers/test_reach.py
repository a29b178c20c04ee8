"""Solving what one position can lead to, and adding to it."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from click.testing import CliRunner

import ur_solver as ur
from tests.checkpoints import finished_blocks
from tests.solving import make_table
from ur_solver.answers import reach
from ur_solver.answers.verify import verify_table
from ur_solver.blocks.folder import RECORD
from ur_solver.blocks.lock import checkpoint_folder
from ur_solver.cli import cli
from ur_solver.errors import (
    IllegalPositionError,
    MemoryLimitError,
    OutputError,
    RuleSetMismatchError,
)
from ur_solver.rules import named_rules
from ur_solver.space import part_from, part_of, space_of
from ur_solver.table.names import FOLDER_VARIABLE, exact_name

pytestmark = pytest.mark.medium

RULES = named_rules("finkel:3")
ONE = "....__../.......L/....__.D L 0 1"
OTHER = "L...__../......../....__.D D 1 0"
START = "....__../......../....__.. L 3 3"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "tables"))
    return tmp_path / "tables"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "finkel-3.h5"
    make_table(RULES, path, threads=1)
    with ur.Table(path) as table:
        yield table


def table_from(text, rules=RULES, **more):
    return ur.Table(reach.table_from(rules, rules.position(text), **more))


def test_it_holds_what_the_position_can_lead_to_and_no_more(folder, whole):
    said = []
    with table_from(ONE, threads=1, say=said.append) as table:
        assert table.path == folder / "finkel-3-part.h5"
        space = table.space
        rank = space.rank(RULES.position(ONE))
        root = next(b.index for b in space.blocks if b.offset <= rank < b.offset + b.size)
        assert list(table.file.part.indices) == list(part_from(space, [root]).indices)
        assert table.value(ONE) == whole.value(ONE)
        for throw in RULES.dice.throws:
            assert table.moves(ONE, throw) == whole.moves(ONE, throw)
        for index in table.file.part.indices:
            assert table.file.read_block(index).tolist() == whole.file.read_block(index).tolist()
        verify_table(table.file)
        positions = table.file.part.n_positions
    assert said == [
        f"solving {positions} positions that {ONE!r} can lead to, of 263,121, into {table.path}"
    ]
    assert not checkpoint_folder(table.path).exists()


def test_further_positions_are_added_and_known_ones_are_not_solved_again(folder, monkeypatch):
    with table_from(ONE, threads=1) as table:
        first = {*table.file.part.indices}
        seconds = {int(row["index"]): float(row["seconds"]) for row in table.file.blocks}
    said = []
    with table_from(OTHER, threads=1, say=said.append) as table:
        held = {*table.file.part.indices}
        assert first < held
        assert table.holds(ONE)
        assert table.holds(OTHER)
        again = {int(row["index"]): float(row["seconds"]) for row in table.file.blocks}
        assert {index: again[index] for index in first} == seconds  # of the solve that found them
        verify_table(table.file)
        added = sum(table.space.blocks[index].size for index in held - first)
    assert said[0].startswith(f"solving {added:,} positions that")
    monkeypatch.setattr(reach, "run", None)  # nothing is solved
    for text in (ONE, OTHER):
        with table_from(text) as table:
            assert {*table.file.part.indices} == held


def test_a_table_that_is_there_answers(folder, monkeypatch):
    folder.mkdir()
    make_table(RULES, folder / "finkel-3-left-2.h5", part=part_of(RULES, 2))
    monkeypatch.setattr(reach, "run", None)
    with table_from(ONE) as table:
        assert table.left == 2


def test_the_start_leads_to_all_positions(folder, whole):
    with table_from(START, threads=1) as table:
        assert table.path == folder / "finkel-3.h5"
        assert np.array_equal(table.file.load(), whole.file.load())


def test_a_table_to_which_nothing_can_be_added_stays(folder):
    with table_from(ONE) as table:
        path, part = table.path, table.file.part
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    with pytest.raises(OutputError, match=f"is damaged.*'ur tables remove {path}' removes it"):
        table_from(ONE)
    assert path.read_bytes() == whole[:-100]
    make_table(RULES, path, part=part, value_type="float32", force=True)
    whole = path.read_bytes()
    with pytest.raises(OutputError, match=r"as float32, tolerance .* removes it"):
        table_from(OTHER)
    assert path.read_bytes() == whole


def test_a_part_of_other_rules_stays(folder):
    other = RULES.changed(name="finkel", safe_rosettes=False)
    with table_from(ONE, threads=1) as table:
        path, whole = table.path, table.path.read_bytes()
    with table_from(ONE, other, threads=1) as table:
        assert table.path == folder / f"{exact_name(other)}-part.h5"
        assert table.rules.is_same_game(other)
    assert path.read_bytes() == whole


def test_an_interrupted_one_goes_on_whatever_is_asked_then(folder):
    reported = itertools.count(1)

    def interrupt(_done, _total):
        if next(reported) == 12:  # the twelfth of 13 blocks is none that the other needs
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        table_from(OTHER, threads=1, progress=interrupt)
    kept = finished_blocks(folder / "finkel-3-part.h5")
    assert len(kept) == 12
    seconds = {index: np.frombuffer(head, RECORD)["seconds"][0] for index, head in kept.items()}
    with table_from(ONE, threads=1) as table:
        assert table.holds(ONE)
        assert not table.holds(OTHER)
        found = {int(row["index"]): row["seconds"] for row in table.file.blocks}
        shared = kept.keys() & found.keys()
        assert len(shared) == 11
        assert all(found[index] == seconds[index] for index in shared)  # not solved again
        verify_table(table.file)


def test_a_certified_table_stays_one(folder):
    folder.mkdir()
    space = space_of(RULES)
    part = part_from(space, [space_of(RULES).blocks[5].index])
    make_table(RULES, folder / "finkel-3-part.h5", part=part, certify=True)
    with table_from(OTHER) as table:
        assert {*part.indices} < {*table.file.part.indices}
        assert verify_table(table.file).error < 1e-12


def test_what_does_not_fit_is_refused_in_a_sentence(folder):
    murray = named_rules("murray:7")
    said = "^murray with 7 pieces and at most 5 left a side has 3,034,866,369 positions and needs "
    with pytest.raises(MemoryLimitError, match=said):
        table_from("....__../......../....__.. L 5 5", murray, memory=1 << 30)
    said = r"^a part of murray with 7 pieces has [\d,]+ positions and needs .* GiB may be taken$"
    with pytest.raises(MemoryLimitError, match=said):
        table_from("..l.__../......../....__.. L 4 5", murray, memory=1 << 27)
    assert not folder.exists()


def test_the_command(folder):
    def run(*words, code=0, stdin=None):
        result = CliRunner().invoke(cli, ["query", *words], input=stdin)
        assert result.exit_code == code, result.output
        return result

    # too large to be solved there and then
    late = "....__../......LL/....__DD L 0 0"
    assert "there is no table of finkel with 7 pieces" in run("finkel:7", late, code=2).output
    first = run("finkel:7", late, "--solve", "--json")
    assert "can lead to, of 137,870,097, into" in first.stderr
    answer = json.loads(first.stdout)
    assert answer == json.loads(run("finkel:7", late, "--json").stdout)
    assert run("finkel:7", late, "--solve").stderr == ""
    over = "....__../......../....__.D L 0 0"
    assert "light wins" in run("finkel:7", over).output.lower()
    assert "is beyond table" in run("finkel:7", "....__../......../....__.. L 7 7", code=2).output
    for words, said in (
        (["finkel:7", "-", "--solve"], "--solve takes one position, not '-'"),
        ([str(folder / "finkel-7-part.h5"), late, "--solve"], "--solve takes a rule set"),
        (["finkel:7", late, "--memory", "1GiB"], "--memory needs --solve"),
    ):
        assert said in run(*words, code=2, stdin="").output
    start = "....__../......../....__.. L 7 7"
    said = run("murray:7", start, "--solve", "--memory", "1GiB", code=1).output.splitlines()[-1]
    assert said.startswith("Error: murray with 7 pieces has 115,710,466,033 positions and needs")


def test_from_python(folder):
    with pytest.raises(IllegalPositionError, match="the game is over"):
        ur.solve_from("finkel:3", "....__../......../....__.. L 0 3")
    with ur.solve_from("finkel", ONE, pieces=3, threads=1) as table:
        assert table.holds(ONE)
        assert not table.holds(START)
    with pytest.raises(IllegalPositionError):
        ur.solve_from("finkel:3", "....__../......../....__.. L 4 3")
    with pytest.raises(RuleSetMismatchError):
        ur.solve_from("finkel:3", named_rules("murray:3").start())
