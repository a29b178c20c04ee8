"""Certificates in tables: writing, reading and showing them, proving them again, forgeries."""

from __future__ import annotations

import json
import pathlib
import shutil

import numpy as np
import pytest
from click.testing import CliRunner

from tests.answers.test_verify import forge
from tests.golden import FOLDER
from tests.solving import make_table, solve
from ur_solver.answers.verify import verify_table
from ur_solver.api.table import Table
from ur_solver.blocks.stored import VALUE_TYPES
from ur_solver.cli import cli
from ur_solver.errors import (
    CertificateError,
    CheckpointError,
    DamagedTableError,
    OutputError,
    TableVersionError,
)
from ur_solver.rules import named_rules
from ur_solver.solving.execution import certify_table
from ur_solver.space import space_of
from ur_solver.table.reader import TableFile

RULES = named_rules("finkel:2")
EARLIER = pathlib.Path(__file__).parent / "data" / "tables"
OVER = "....__../......../....__.. L 0 1"


@pytest.fixture(scope="module")
def certified(tmp_path_factory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("certified") / "finkel-2.h5"
    summary = make_table(RULES, path, certify=True)
    with TableFile(path) as table:
        assert summary.error == table.header.error == table.blocks["error"].max()
    return path


@pytest.fixture
def copy(certified, tmp_path) -> pathlib.Path:
    return pathlib.Path(shutil.copy(certified, tmp_path / "copy.h5"))


def run(*arguments, code: int = 0) -> str:
    result = CliRunner().invoke(cli, [str(each) for each in arguments])
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.stderr


def test_a_certified_table_is_proven_again(certified):
    with TableFile(certified) as table:
        assert 0 < table.header.error < 1e-12
        for threads in (1, 3):
            assert verify_table(table, sample=5, threads=threads).error == table.header.error


def test_a_query_has_the_error_of_its_block(certified):
    with Table(certified) as query:
        table = query.file
        first = table.space.unrank(0)
        assert query.error(first) == table.blocks["error"][0] < table.header.error
        assert query.error(RULES.start()) == table.blocks["error"][-1]
        assert query.error(RULES.position(OVER)) == 0.0
        with pytest.raises(IndexError, match="ranks run from 0 to 12868"):
            table.error_of(12869)


def test_without_a_certificate_there_is_no_error(query2):
    assert query2.file.header.error is None
    assert query2.error(RULES.start()) is None
    assert query2.error(RULES.position(OVER)) is None
    assert verify_table(query2.file, sample=1).error is None


@pytest.mark.parametrize("rank", [0, 20, 4000, 12868])
def test_a_value_changed_by_1e_9_is_found_and_named(copy, rank):
    with TableFile(copy) as table:
        space = table.space
        block = next(b for b in space.blocks if b.offset <= rank < b.offset + b.size)

    def change(blocks, values, length):
        at = blocks[block.index]["first_chunk"] * length + rank - block.offset
        values[at] += 1e-9 if values[at] < 0.5 else -1e-9
        # whatever else it claims
        blocks["residual"] = 1e-12

    forge(copy, change)
    with TableFile(copy) as table, pytest.raises(DamagedTableError) as caught:
        verify_table(table)
    assert f"block {block.index}," in str(caught.value)
    assert space.unrank(rank).notation in str(caught.value)


def test_a_wrong_value_that_residuals_do_not_show_is_found(copy):
    def change(blocks, values, _length):
        values[blocks[20]["first_chunk"] * _length + 3] += 1e-9
        blocks["residual"] = 0.4

    forge(copy, change, tolerance=0.5)
    with (
        TableFile(copy) as table,
        pytest.raises(DamagedTableError, match=r"block 20,.*that is claimed"),
    ):
        verify_table(table, sample=1)


@pytest.mark.parametrize("index", [10, 27])
def test_a_claim_that_is_too_good_is_found(copy, index):
    with TableFile(copy) as table:
        errors = table.blocks["error"].copy()
    errors[index] *= 0.3

    def change(blocks, _values, _length):
        blocks["error"] = errors

    forge(copy, change, error=float(errors.max()))
    with TableFile(copy) as table, pytest.raises(DamagedTableError, match=f"block {index},"):
        verify_table(table)


def test_claims_that_do_not_agree_are_refused(copy):
    forge(copy, lambda blocks, _values, _length: blocks["error"].__setitem__(3, np.nan))
    with pytest.raises(DamagedTableError, match="error is not the largest"):
        TableFile(copy)


@pytest.mark.parametrize("value_type", list(VALUE_TYPES))
def test_a_table_that_is_there_is_certified_rounding_included(tmp_path, value_type):
    rules = named_rules("finkel:1")
    path, exact = tmp_path / "table.h5", solve(space_of(rules), tolerance=1e-13)
    make_table(rules, path, value_type=value_type)
    with TableFile(path) as table:
        before = table.load()
        error = certify_table(table)
        assert table.header.error is None  # the open table still reads the old file
    rounding = VALUE_TYPES[value_type].rounding
    with TableFile(path) as table:
        assert table.header.error == error
        assert 0.5 * rounding < error < 1e-12 + 50 * rounding
        assert np.array_equal(table.load(), before)
        assert verify_table(table, sample=5).error == error
        for block, row in zip(table.space.blocks, table.blocks, strict=True):
            ranks = slice(block.offset, block.offset + block.size)
            off = np.abs(table.read_block(block.index) - exact[ranks]).max()
            assert off <= row["error"] + 1e-13
    assert list(tmp_path.iterdir()) == [path]


def test_a_table_of_version_1_is_refused():
    with pytest.raises(TableVersionError, match=r"version 1; .* versions 3 to 8: make it again"):
        Table(EARLIER / "finkel-1-version-1.h5")


def test_a_table_of_version_3_is_read_and_certified(tmp_path):
    path = pathlib.Path(shutil.copy(EARLIER / "bell-1-version-3.h5", tmp_path / "table.h5"))
    with Table(path) as query:
        assert query.error(query.rules.start()) is None
        for line in (FOLDER / "bell-1.tsv").read_text().splitlines():
            text, value = line.split("\t")
            assert query.value(text) == pytest.approx(float(value), abs=1e-10)
        verify_table(query.file, sample=5)
        certify_table(query.file)
    with TableFile(path) as table:
        assert verify_table(table, sample=5).error < 1e-12


def test_a_certificate_that_cannot_be_written_leaves_the_table_alone(copy, monkeypatch):
    before = copy.read_bytes()

    def write_head(*_arguments):
        raise OSError("no room")

    monkeypatch.setattr("ur_solver.table.writer._write_head", write_head)
    with TableFile(copy) as table, pytest.raises(OutputError, match="no room"):
        certify_table(table)
    assert copy.read_bytes() == before
    assert list(copy.parent.iterdir()) == [copy]


def test_a_table_replaced_meanwhile_gets_no_certificate(copy):
    with TableFile(copy) as table:
        copy.unlink()
        make_table(named_rules("finkel:2"), copy)
        with pytest.raises(OutputError, match="changed since it was opened"):
            certify_table(table)
    with TableFile(copy) as table:
        assert table.header.error is None


def test_meaningless_values_get_no_good_certificate(copy):
    forge(copy, lambda _blocks, values, _length: np.multiply(values, 0.5, out=values))
    before = copy.read_bytes()
    with TableFile(copy) as table, pytest.raises(CertificateError, match="block 0"):
        certify_table(table)
    assert copy.read_bytes() == before


def test_a_certified_solve_goes_on_from_certified_blocks(tmp_path, monkeypatch):
    path, saved = tmp_path / "table.h5", []

    def progress(done, total):
        saved.append(done)
        if len(saved) == 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_table(RULES, path, certify=True, progress=progress, threads=1)
    with pytest.raises(CheckpointError, match="of blocks that are certified; remove"):
        make_table(RULES, path)
    summary = make_table(RULES, path, certify=True, threads=1)
    assert summary.resumed_blocks >= 9
    with TableFile(path) as table:
        assert verify_table(table, sample=1).error == summary.error < 1e-12


# the commands


def test_solve_info_query_and_verify_show_what_is_proven(tmp_path):
    table = tmp_path / "table.h5"
    assert "proven\n" in run("solve", "finkel:1", "--certify", "-o", table)
    facts = json.loads(run("info", table, "--json"))
    assert 0 < facts["error"] == max(facts["block_errors"]) < 1e-12
    assert "proven error" in run("info", table)
    answer = json.loads(run("query", table, "....__../......../....__.. L 1 1", "--json"))
    assert answer["error"] == facts["block_errors"][-1]
    assert "proven within" in run("query", table, "....__../......../....__.. L 1 1")
    assert "proven again" in run("verify", table)
    # there already, and as good
    assert run("solve", "finkel:1", "--certify", "-o", table) == ""


def test_the_command_certify(tmp_path):
    table = tmp_path / "table.h5"
    run("solve", "finkel:1", "-o", table)
    assert json.loads(run("info", table, "--json"))["error"] is None
    fault = run("solve", "finkel:1", "--certify", "-o", table, code=1)
    assert "with nothing proven; 'ur certify' proves" in fault
    assert run("certify", table).startswith(f"{table}: no value is off by more than ")
    assert json.loads(run("info", table, "--json"))["error"] < 1e-12


def test_a_tolerance_that_is_not_proven_is_said_so(tmp_path):
    table = tmp_path / "table.h5"
    fault = run("solve", "murray:2", "--certify", "--tolerance", "1e-13", "-o", table, code=1)
    assert "is whole, but proven only to" in fault
    assert "the first of them block" in fault
    with TableFile(table) as opened:
        assert 1e-13 < opened.header.error < 1e-12


def test_a_rounded_table_is_not_certified_by_its_solve(tmp_path):
    fault = run(
        *("solve", "finkel:1", "--certify", "--value-type", "float32"),
        *("-o", tmp_path / "table.h5"),
        code=2,
    )
    assert "'float32' rounds what a solve has proven" in fault
