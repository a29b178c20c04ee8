"""Solves in single precision, from commands to tables: what they take, refuse and go on from."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from click.testing import CliRunner

import ur_solver as ur
from tests.solving import make_table, solve
from ur_solver.answers.verify import verify_table
from ur_solver.blocks.folder import BlockFolder, Job, described
from ur_solver.blocks.lock import HEAD, checkpoint_folder
from ur_solver.cli import cli
from ur_solver.engine.block import Lease
from ur_solver.engine.solve import SolveTask
from ur_solver.engine.store import FileStore
from ur_solver.errors import CheckpointError, InputError
from ur_solver.kernel._workspace import Workspace
from ur_solver.kernel.kernels import kernel_of
from ur_solver.rules import named_rules
from ur_solver.space import space_of
from ur_solver.table.reader import TableFile

RULES = named_rules("casual:2").settled()
SPACE = space_of(RULES)


def run(*arguments, code: int = 0) -> str:
    result = CliRunner().invoke(cli, [str(each) for each in arguments])
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.stderr


@pytest.fixture(scope="module")
def values():
    return solve(SPACE, tolerance=1e-12)


@pytest.mark.parametrize("name", ["table.h5", "table"])
@pytest.mark.parametrize("certify", [False, True])
def test_a_table_is_right_and_verified_in_double_precision(tmp_path, values, certify, name):
    summary = make_table(RULES, tmp_path / name, certify=certify, precision="single")
    with TableFile(tmp_path / name) as table:
        assert table.header.tolerance == 1e-5
        assert table.header.value_type == "float64"
        off = np.abs(table.load() - values).max()
        assert 1e-9 < off < 2e-6
        found = verify_table(table, sample=20)
        assert found.residual <= table.header.residual < 1e-5
        assert found.error == summary.error
        assert summary.error is None or off < summary.error < 1e-5


def test_a_proven_table_is_proven_to_less_in_double_precision(tmp_path):
    path = tmp_path / "table.h5"
    summary = make_table(RULES, path, certify=True, precision="single")
    run("certify", path)
    with TableFile(path) as table:
        assert 1e-8 < table.header.error < summary.error


def interrupted(output, after, **options):
    reported = 0

    def interrupt(_done, _total):
        nonlocal reported
        reported += 1
        if reported == after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_table(RULES, output, threads=1, progress=interrupt, **options)


def test_a_resumed_solve_is_the_uninterrupted_one(tmp_path):
    whole, output = tmp_path / "whole.h5", tmp_path / "table.h5"
    make_table(RULES, whole, threads=1, precision="single")
    interrupted(output, 20, precision="single")
    assert make_table(RULES, output, threads=1, precision="single").resumed_blocks
    with TableFile(whole) as one, TableFile(output) as other:
        assert np.array_equal(one.load(), other.load())


@pytest.mark.parametrize(("first", "second"), [("single", "double"), ("double", "single")])
def test_a_solve_does_not_go_on_in_another_precision(tmp_path, first, second):
    output = tmp_path / "table.h5"
    interrupted(output, 5, precision=first, tolerance=1e-5)
    with pytest.raises(CheckpointError, match=f"is of {first} precision, not of {second}; remove"):
        make_table(RULES, output, precision=second, tolerance=1e-5)


def test_a_job_that_says_nothing_is_of_double_precision(tmp_path):
    path = tmp_path / HEAD
    double, single = Job(RULES, 1e-5), Job(RULES, 1e-5, precision="single")
    assert "precision" not in json.loads(double.to_bytes())
    for job in (double, single):
        path.write_bytes(job.to_bytes())
        assert Job.read(path) == job
    assert described(single.to_bytes()).endswith(", tolerance 1e-05, single precision, version 5")


def test_workers_solve_in_the_precision_of_the_job(tmp_path):
    expected = solve(SPACE, tolerance=1e-5, kernel=kernel_of(SPACE, "single"))
    job, output = Job(RULES, 1e-5, precision="single"), tmp_path / "table.h5"
    with BlockFolder(checkpoint_folder(output), job) as folder:
        store = FileStore(folder.files)
        sent = SolveTask(kernel_of(SPACE, "single"), store, goal=1e-6, certify=False)
        task = pickle.loads(pickle.dumps(sent))
        for block in SPACE.blocks:
            task(block.index, Lease(Workspace()))
            own = expected[block.offset : block.offset + block.size]
            assert np.array_equal(folder.files.values_of(block.index), own)


def test_what_cannot_be_solved_so_is_refused_before_anything_is_done(tmp_path):
    path = tmp_path / "table.h5"
    for arguments, fault in (
        (("bell-stakes", "-n", 1), "bell-stakes: with stakes values are money"),
        (("casual", "-n", 1, "--tolerance", 1e-6), "tolerance 1e-06: in single precision it is at"),
    ):
        for more in ((), ("--dry-run",)):
            said = run("solve", *arguments, "--precision", "single", "-o", path, *more, code=2)
            assert said.startswith(f"Error: {fault}")
            assert said.count("\n") == 1
    run("plan", "bell-stakes", "-n", 2, "--precision", "single", code=2)
    with pytest.raises(InputError, match="tolerance 1e-12: in single precision"):
        ur.solve("casual:1", path, tolerance=1e-12, precision="single")
    with pytest.raises(InputError, match="precision 'half': expected double or single"):
        make_table(RULES, path, precision="half")
    assert list(tmp_path.iterdir()) == []


def test_the_command_and_the_call_make_the_same_table(tmp_path):
    one, other = tmp_path / "one.h5", tmp_path / "other.h5"
    asked = ("solve", "casual", "-n", 2, "-o", one, "--json")
    facts = json.loads(run(*asked, "--precision", "single"))
    assert facts["tolerance"] == 1e-5
    with ur.solve("casual:2", other, precision="single") as table:
        assert table.info()["tolerance"] == 1e-5
        assert table.info()["value"] == pytest.approx(facts["value"], abs=1e-12)
    # it is there, for single precision and for its tolerance, not for that of double precision
    assert not json.loads(run(*asked, "--precision", "single"))["solved"]
    assert "tolerance 1e-05" in run(*asked, code=1)


@pytest.mark.parametrize("command", [("solve", "--dry-run"), ("plan", "--memory", "8GiB")])
def test_less_memory_is_expected(command):
    needed = [
        json.loads(run(*command, "skiriuk", "-n", 3, "--json", "--precision", precision))
        for precision in ("double", "single")
    ]
    double, single = (each["memory_bytes"] for each in needed)
    size = max(block.size for block in space_of(named_rules("skiriuk:3")).blocks)
    # 8 bytes of F and G, half of what leaves the block, and policies: the value, the position's
    # number, and of each of 4 throws a number and a byte
    policies = 8 + 4 + 4 * (4 + 1)
    assert (8 + policies) * size < double - single < (16 + policies) * size
