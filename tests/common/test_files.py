"""The writer of files: whole or not at all, and never over what is read."""

from __future__ import annotations

import os
import pathlib
import stat
import subprocess
import sys
import threading

import pytest

from ur_solver.common.files import check_outputs, new_file, write_file
from ur_solver.errors import InputError, OutputError

unix = pytest.mark.skipif(os.name == "nt", reason="links, FIFOs and permissions of Unix")


def names(folder) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError(28, "full"), SystemExit])
@pytest.mark.parametrize("before", [None, b"kept"])
def test_a_write_that_breaks_off_leaves_what_was_there(tmp_path, error, before):
    path = tmp_path / "out"
    if before is not None:
        path.write_bytes(before)

    def write():
        with new_file(path) as file:
            file.write(b"half")
            raise error

    with pytest.raises(error if isinstance(error, type) else OutputError):
        write()
    assert names(tmp_path) == ([] if before is None else ["out"])
    assert before is None or path.read_bytes() == before


@unix
def test_permissions_are_kept_or_follow_the_umask(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(b"")
    old.chmod(0o640)
    mask = os.umask(0o027)
    try:
        write_file(old, "x")
        write_file(new, "x")
    finally:
        os.umask(mask)
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert stat.S_IMODE(new.stat().st_mode) == 0o640
    old.chmod(0o604)
    write_file(old, "y")
    assert (stat.S_IMODE(old.stat().st_mode), old.read_text()) == (0o604, "y")


@unix
def test_a_link_stays_one(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    link.symlink_to("target")
    write_file(link, "first")  # to where nothing is yet
    write_file(link, "second")
    assert link.is_symlink()
    assert target.read_text() == "second"
    assert names(tmp_path) == ["link", "target"]


@unix
def test_what_is_no_regular_file_is_written_directly(tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    found = []
    reader = threading.Thread(target=lambda: found.append(fifo.read_bytes()))
    reader.start()
    write_file(fifo, "through")
    reader.join()
    assert found == [b"through"]
    assert stat.S_ISFIFO(fifo.stat().st_mode)
    write_file(pathlib.Path(os.devnull), "x")


@unix
@pytest.mark.parametrize("is_file", [False, True])
def test_standard_output_is_written_in_order(tmp_path, is_file):
    code = (
        "import pathlib, ur_solver.common.files as f\n"
        "print('a'); f.write_file(pathlib.Path('/dev/stdout'), 'b\\n'); print('c')"
    )
    command = [sys.executable, "-c", code]
    if is_file:
        with (tmp_path / "out").open("wb") as out:
            subprocess.run(command, stdout=out, check=True, timeout=300)
        assert (tmp_path / "out").read_bytes() == b"a\nb\nc\n"
    else:
        done = subprocess.run(command, capture_output=True, check=True, timeout=300)
        assert done.stdout == b"a\nb\nc\n"


def test_lone_surrogates_are_replaced(tmp_path):
    write_file(tmp_path / "out", "a\udcffb")
    assert (tmp_path / "out").read_bytes() == "a\N{REPLACEMENT CHARACTER}b".encode()


def test_an_output_that_cannot_be_written_is_named(tmp_path):
    bad = {
        "missing": tmp_path / "no" / "out",
        "folder": tmp_path,
        "below a file": tmp_path / "file" / "out",
        "long": tmp_path / ("x" * 5000),
        "null": tmp_path / "a\0b",
    }
    (tmp_path / "file").write_text("")
    for path in bad.values():
        for ask in (lambda: check_outputs({"--csv": path}), lambda: write_file(path, "")):  # noqa: B023
            with pytest.raises(OutputError, match=r"^cannot write '.*': ") as found:
                ask()
            assert "\n" not in str(found.value)
    check_outputs({"--csv": tmp_path / "file", "--html": None})
    assert names(tmp_path) == ["file"]


@unix
def test_a_read_only_file_is_not_replaced(tmp_path, monkeypatch):
    path = tmp_path / "out"
    path.write_text("kept")
    path.chmod(0o444)
    # a superuser may write to any file
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(OutputError, match="Permission denied"):
        check_outputs({"--csv": path})
    with pytest.raises(OutputError, match="Permission denied"):
        write_file(path, "lost")
    assert path.read_text() == "kept"
    assert names(tmp_path) == ["out"]


@unix
def test_an_output_is_never_an_input(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "g.rgn"
    source.write_text("kept")
    (tmp_path / "soft").symlink_to("g.rgn")
    (tmp_path / "hard").hardlink_to(source)
    folder = tmp_path / "table"
    folder.mkdir()
    inputs = ["g.rgn", "-", "finkel:3", "table"]
    for name in ("g.rgn", "./g.rgn", "table/../g.rgn", str(source), "soft", "hard", "table/new"):
        path = pathlib.Path(name)
        with pytest.raises(InputError, match=r"--csv '.*' would overwrite '.*', which is read"):
            check_outputs({"--csv": path}, inputs)
    check_outputs({"--csv": tmp_path / "finkel:3"}, inputs)
    check_outputs({"--csv": tmp_path / "other"}, inputs)


def test_two_outputs_are_two_files(tmp_path):
    with pytest.raises(InputError, match="--html and --csv name the same file"):
        check_outputs({"--csv": tmp_path / "a", "--html": tmp_path / "." / "a"})


@unix
def test_standard_input_is_an_input(tmp_path):
    source = tmp_path / "g.rgn"
    source.write_text("kept")
    code = (
        "import pathlib, sys, ur_solver.common.files as f\n"
        "f.check_outputs({'--csv': pathlib.Path(sys.argv[1])}, ['-'])"
    )
    with source.open("rb") as stdin:
        done = subprocess.run(
            [sys.executable, "-c", code, str(source)],
            stdin=stdin, capture_output=True, check=False, timeout=300,
        )  # fmt: skip
    assert b"would overwrite" in done.stderr
