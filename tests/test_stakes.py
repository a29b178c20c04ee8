"""Bell with stakes: from solving it to the answers of the commands."""

from __future__ import annotations

import dataclasses
import json
import shutil

import h5py
import numpy as np
import pytest
from click.testing import CliRunner

from tests.golden import FOLDER
from tests.solving import make_table
from ur_solver.answers.verify import verify_table
from ur_solver.api.table import Table
from ur_solver.cli import cli
from ur_solver.errors import DamagedTableError, OutputError
from ur_solver.rules import Stakes, named_rules
from ur_solver.solving.execution import certify_table
from ur_solver.space import StakesSpace
from ur_solver.table.format import digest
from ur_solver.table.output import pack
from ur_solver.table.reader import TableFile
from ur_solver.table.writer import add_certificate

pytestmark = pytest.mark.medium

STARTS = json.loads((FOLDER / "own-rules-starts.json").read_text())["bell-stakes"]
FEWER_FINES = 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stakes")
    for pieces in (1, 2):
        make_table(named_rules("bell-stakes", pieces), folder / f"bell-stakes-{pieces}.h5")
    return folder


@pytest.fixture
def ur(folder, monkeypatch):
    monkeypatch.setenv("UR_TABLES", str(folder))

    def run(*arguments, code=0):
        result = CliRunner().invoke(cli, arguments)
        assert result.exit_code == code, result.output
        return result.output

    return run


@pytest.fixture(scope="module", params=[1, 2])
def query(request, folder):
    with Table(folder / f"bell-stakes-{request.param}.h5") as query:
        yield query


@pytest.mark.parametrize("reach", [None, FEWER_FINES])
def test_golden_values(folder, tmp_path, ur, reach):
    path = folder / "bell-stakes-1.h5"
    if reach is not None:
        path = tmp_path / "few.h5"
        ur("solve", "bell", "-n", "1", "--stakes", "--fines", str(reach), "-o", str(path), "-q")
    with Table(path) as query:
        lines = (FOLDER / "bell-stakes-1.tsv").read_text().splitlines()
        pairs = [line.split("\t") for line in lines]
        positions = [query.rules.position(text) for text, _ in pairs]
        expected = [float(value) for _, value in pairs]
        assert max(position.fines for position in positions) > FEWER_FINES
        assert query.values(positions).tolist() == pytest.approx(expected, abs=1e-10)
        assert [query.value(each) for each in positions] == pytest.approx(expected, abs=1e-10)
        states = np.array([query.space.encode(each) for each in positions])
        assert query.state_values(states).tolist() == pytest.approx(expected, abs=1e-10)


def test_golden_starts(query):
    expected = STARTS[str(query.rules.pieces)]["start_value"]
    assert query.value(query.rules.start()) == pytest.approx(expected, abs=1e-10)


def test_verified(query):
    found = verify_table(query.file, sample=300)
    assert found.positions == query.space.n_positions
    assert found.residual < 1e-12


def test_a_won_game_is_worth_the_pot(query):
    n = query.rules.pieces
    for side, expected in (("L", 23.0), ("D", 0.0)):
        position = query.rules.position(f"....__../......../....__.. {side} 0 {n} p3")
        assert query.value(position) == expected
        assert query.chance(position) == float(side == "L")


@pytest.mark.memory
def test_an_understated_cut_is_found(tmp_path, monkeypatch):
    path = tmp_path / "understated.h5"
    with monkeypatch.context() as patch:
        patch.setattr(StakesSpace, "cut_error", lambda self, values: (1e-9, 1e-9))
        make_table(named_rules("bell-stakes", 2), path)
    with (
        Table(path) as query,
        pytest.raises(DamagedTableError, match=r"has a cut_(error|growth) of"),
    ):
        verify_table(query.file, sample=0)


@pytest.mark.parametrize("name", ["cut_error", "cut_growth"])
def test_a_table_without_its_cut_is_damaged(folder, tmp_path, name):
    path = tmp_path / "t.h5"
    shutil.copy(folder / "bell-stakes-1.h5", path)
    with h5py.File(path, "r+") as file:
        del file.attrs[name]
    with pytest.raises(DamagedTableError, match=f"the attribute '{name}' is missing"):
        Table(path)


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    """Two pieces and few levels, so that the cut shows."""
    path = tmp_path_factory.mktemp("certified") / "few.h5"
    rules = named_rules("bell", 2).changed(stakes=Stakes(reach=8))
    make_table(rules, path, certify=True)
    return path


def test_levels_are_no_further_off_than_a_certificate_says(certified, folder, tmp_path):
    path = tmp_path / "many.h5"
    shutil.copy(folder / "bell-stakes-2.h5", path)
    with TableFile(path) as table:
        certify_table(table)
    with Table(certified) as few, Table(path) as many:
        assert few.space.reach == 8 < many.space.reach
        starts = np.arange(few.space.n_positions)
        rows = few.file.load().reshape(len(starts), -1) * few.space.unit
        expected = many.file.load().reshape(len(starts), -1) * many.space.unit
        off = np.abs(rows[:, :9] - expected[:, :9]).max(axis=0)
        stated = np.array(few.info()["level_errors"])
        own = np.array(many.info()["level_errors"])[:9]
        assert own.max() < 1e-6
        assert (off <= stated + own).all()
        # the cut counts by the chance that it is reached, which the true error shows as well
        assert stated[0] < stated[-1] / 5
        assert (np.diff(stated) > 0).all()
        assert off[8] > 10 * off[0] > 0
        start = few.rules.start()
        assert few.cut_error(start) == pytest.approx(stated[0])
        assert few.cut_error(dataclasses.replace(start, fines=8)) == pytest.approx(stated[8])


def test_a_certified_table_is_verified_packed_and_of_its_own_version(certified, tmp_path):
    with TableFile(certified) as table:
        assert verify_table(table, sample=50).error == table.header.error * table.space.unit
        pack(table, tmp_path / "again.h5")
        with TableFile(tmp_path / "again.h5") as again:
            assert again.is_same(table)
    with h5py.File(certified) as file:
        assert file.attrs["version"] == 5


@pytest.mark.memory
def test_levels_that_are_off_by_more_than_claimed_are_found(certified, tmp_path):
    path = tmp_path / "t.h5"
    shutil.copy(certified, path)
    with TableFile(path) as table:
        levels = table.header.level_errors
        add_certificate(table, table.blocks["error"], (levels[0] / 2, *levels[1:]))
    with TableFile(path) as table, pytest.raises(DamagedTableError, match="with 0 fines paid"):
        verify_table(table, sample=0)


@pytest.mark.parametrize("text", ["[0.1]", "[" * 5000, "[" + "1, " * 8 + "1]", "none"])
def test_level_errors_that_are_none_are_damaged(certified, tmp_path, text):
    path = tmp_path / "t.h5"
    shutil.copy(certified, path)
    with TableFile(path) as table:
        attributes, blocks = table.header.attributes(), table.blocks
    with h5py.File(path, "r+") as file:
        file.attrs["level_errors"] = np.bytes_(text)
        whole = digest(attributes | {"level_errors": text}, blocks, file["checksums"][()], 5)
        file.attrs["digest"] = np.bytes_(whole)
    with pytest.raises(DamagedTableError, match=r"level_errors is '.*, not 9 errors"):
        TableFile(path)


@pytest.mark.parametrize("value_type", ["float32", "uint16"])
def test_value_types_of_chances_are_refused(tmp_path, value_type):
    with pytest.raises(OutputError, match="money is stored as 'float64'"):
        make_table(named_rules("bell-stakes", 1), tmp_path / "t.h5", value_type=value_type)


def test_solve_says_what_the_first_player_gets(ur, tmp_path):
    output = tmp_path / "t.h5"
    arguments = ("solve", "bell", "-n", "1", "--stakes", "--ante", "10", "--fine", "1")
    text = ur(*arguments, "-o", str(output))
    assert "bell-stakes with 1 piece: the first player gets 10.3583155423" in text
    assert "217 positions" in text
    assert "already exists" in ur(*arguments, "-o", str(output))
    assert "--force replaces it" in ur(*arguments, "--fines", "3", "-o", str(output), code=1)


@pytest.mark.parametrize("factor", [3, 1000])
def test_stakes_in_proportion_make_the_same_game(tmp_path, ur, factor):
    output = tmp_path / "t.h5"
    stakes = ("--stakes", "--ante", str(10 * factor), "--fine", str(factor))
    ur("solve", "bell", "-n", "1", *stakes, "-o", str(output))
    value = json.loads(ur("info", str(output), "--json"))["value"]
    assert value / factor == pytest.approx(STARTS["1"]["start_value"], abs=1e-10)


def test_query_shows_money_and_chance(ur):
    begin = "....__../......../....__.. L 2 2 p0"
    answer = json.loads(ur("query", "bell-stakes:2", begin, "--json"))
    assert answer["value"] == pytest.approx(STARTS["2"]["start_value"], abs=1e-10)
    assert answer["chance"] == pytest.approx(0.5126512137052237, abs=1e-10)
    assert 0 < answer["cut_error"] < 0.01
    further = json.loads(ur("query", "bell-stakes:2", begin.replace("p0", "p90"), "--json"))
    assert further["cut_error"] > answer["cut_error"]
    page = ur("query", "bell-stakes:2", begin)
    assert "light gets  10.2516107910" in page
    assert "dark gets    9.7483892090" in page
    assert "%" not in page.replace("12.50 %", "").replace("37.50 %", "")


def test_best_says_when_another_move_wins_more_often(ur):
    assert "wins more often" not in ur(
        "best", "bell-stakes:2", "....__../....L.../....__.. L 1 2 p0", "3"
    )
    position = "L.L.__../......../DD..__.. L 0 0 p0"
    page = ur("best", "bell-stakes:2", position, "0")
    assert "A1B4* wins more often: " in page
    moves = json.loads(ur("best", "bell-stakes:2", position, "0", "--json"))["moves"]
    by_name = {move["move"]: move for move in moves}
    assert moves[0]["move"] == "A3B2"
    assert by_name["A1B4*"]["chance"] > by_name["A3B2"]["chance"]
    assert by_name["A1B4*"]["loss"] > 0
    passing = "....__../......../....__.. L 2 2 p0"
    assert "the turn passes: 9.7483892090" in ur("best", "bell-stakes:2", passing, "2")


def test_info_shows_how_far_the_table_reaches_and_what_that_costs(ur):
    page = ur("info", "bell-stakes:2")
    assert "first player gets  10.2516107910" in page
    assert "0 to 26; more are extrapolated linearly" in page
    assert "error of that cut  at most 0.00285, and 0.00579 for each fine past it" in page
    facts = json.loads(ur("info", "bell-stakes:2", "--json"))
    assert facts["fines"] == 26
    assert facts["positions"] == 12869
    assert facts["cut_error"] == pytest.approx(0.00285448707)


def test_rules_state_the_stakes(ur):
    page = ur("rules", "bell", "-n", "2", "--stakes", "--fine", "3", "--fines", "4")
    assert page.startswith("bell-stakes-fine-3")
    assert "pays 10 into the pot, and 3 more" in page
    assert "up to 4 fines" in page
    values = json.loads(ur("rules", "bell-stakes", "--ante", "20", "--json"))
    assert values["stakes"] == {"ante": 20, "fine": 1}
    assert "need --stakes" in ur("rules", "bell", "--ante", "20", code=2)
    assert "race has no switch 'stakes'" in ur("rules", "finkel", "--stakes", code=2)


def test_progress_of_both_passes_ends_at_all_positions(certified, tmp_path):
    path = tmp_path / "t.h5"
    shutil.copy(certified, path)
    for run in (certify_table, verify_table):
        shown = []
        with TableFile(path) as table:
            run(
                table,
                progress=lambda done, total, shown=shown: shown.append((done, total)),
            )
            n = table.part.n_positions
        done = [each for each, _ in shown]
        assert {total for _, total in shown} == {n}
        assert done == sorted(done)
        assert done[len(table.part.blocks) - 1] == n // 2
        assert done[-1] == n
