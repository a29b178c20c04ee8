"""Locks: file systems that have none, and outputs that another process holds."""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import pathlib
import subprocess
import sys

import pytest
from click.testing import CliRunner

from tests.solving import make_table
from ur_solver.blocks.lock import is_held
from ur_solver.cli import cli
from ur_solver.errors import OutputError
from ur_solver.rules import named_rules
from ur_solver.solving.execution import certify_table
from ur_solver.table.output import pack
from ur_solver.table.reader import TableFile

RULES = named_rules("finkel:1")
WITHOUT = [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL]


def refuse(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Let no file be locked, as on NFS or Lustre without a lock daemon."""

    def flock(_file: object, _operation: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", flock)


@pytest.mark.parametrize("number", WITHOUT, ids=errno.errorcode.get)
@pytest.mark.parametrize("name", ["finkel-1.h5", "finkel-1"])
def test_a_solve_goes_on_without_locks_and_says_it_once(
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    recwarn: pytest.WarningsRecorder,
    number: int,
    name: str,
):
    whole = tmp_path / "whole.h5"
    make_table(RULES, whole, threads=1)
    folder = tmp_path / "remote"
    folder.mkdir()
    refuse(monkeypatch, number)
    with caplog.at_level(logging.WARNING, "ur_solver"):
        make_table(RULES, folder / name, threads=1)
        with TableFile(folder / name) as table, TableFile(whole) as other:
            assert table.load().tobytes() == other.load().tobytes()
            pack(table, folder / "copy.h5")
        with TableFile(folder / "copy.h5") as table:
            assert certify_table(table) < 1e-12
    assert [each.getMessage() for each in caplog.records] == [
        f"the file system of {str(folder)!r} cannot lock files: take care that no other solve "
        "writes there"
    ]
    assert not list(recwarn)
    left = {each.name for each in folder.iterdir()}
    assert left == {name, "copy.h5"}


def test_it_is_said_before_the_work(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch):
    refuse(monkeypatch, errno.ENOLCK)
    result = CliRunner().invoke(
        cli, ["solve", "finkel:1", "-o", str(tmp_path / "t.h5"), "--progress", "log", "-v"]
    )
    assert result.exit_code == 0
    said = result.stderr
    assert 0 < said.index("cannot lock files") < said.index("all blocks are solved")


def test_tables_are_removed_without_locks(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch):
    make_table(RULES, tmp_path / "finkel-1")
    refuse(monkeypatch, errno.ENOLCK)
    make_table(RULES, tmp_path / "finkel-1", force=True)
    result = CliRunner().invoke(cli, ["tables", "remove", str(tmp_path / "finkel-1"), "-y"])
    assert result.exit_code == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [errno.EIO, errno.EPERM])
def test_other_faults_of_locks_are_errors(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, number: int
):
    refuse(monkeypatch, number)
    with pytest.raises(OutputError):
        make_table(RULES, tmp_path / "t.h5")
    assert list(tmp_path.iterdir()) == []


def test_who_holds_a_file_is_known(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "file"
    assert not is_held(path)
    path.write_bytes(b"")
    assert not is_held(path)
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import fcntl, sys; file = open(sys.argv[1]); fcntl.flock(file, fcntl.LOCK_EX);"
            "print(flush=True); input()",
            str(path),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    try:
        assert is_held(path)
        refuse(monkeypatch, errno.ENOLCK)
        assert not is_held(path)
    finally:
        holder.communicate(b"\n")
