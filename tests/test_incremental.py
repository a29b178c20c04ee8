"""A build compiles the C files that changed, and those that include what changed."""

from __future__ import annotations

import os
import pathlib
import sys
from types import ModuleType

import pytest
from setuptools._distutils.ccompiler import new_compiler
from setuptools._distutils.sysconfig import customize_compiler

from tests.scripts import script_module

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="make's own compiler is tried")


@pytest.fixture
def incremental() -> ModuleType:
    return script_module("incremental")


@pytest.fixture
def compiled(incremental, tmp_path, monkeypatch):
    """A function that builds two files, the first of which includes a header; what it compiled."""
    monkeypatch.chdir(tmp_path)
    room = pathlib.Path("a room")
    room.mkdir()
    (room / "one.h").write_text("#define ONE 1\n")
    (room / "one.c").write_text('#include "one.h"\nint one(void) { return ONE; }\n')
    (room / "two.c").write_text("int two(void) { return 2; }\n")
    compiler = new_compiler()
    customize_compiler(compiler)
    compile_files = compiler.compile
    found: list[str] = []

    def noted(sources, **options):
        found.extend(pathlib.Path(source).name for source in sources)
        return compile_files(sources, **options)

    monkeypatch.setattr(compiler, "compile", noted)

    def build(*flags: str) -> list[str]:
        found.clear()
        options = {"output_dir": "objects", "extra_postargs": list(flags)}
        for name in ("one.c", "two.c"):
            before = len(found)
            (target,), is_new = incremental.compile_file(compiler, str(room / name), options)
            assert is_new == (len(found) > before)
            assert pathlib.Path(target).exists()
        return list(found)

    return build


def change(path: str) -> None:
    """Make a file newer than all that was compiled."""
    newer = max(file.stat().st_mtime_ns for file in pathlib.Path().rglob("*.*")) + 1_000_000
    os.utime(path, ns=(newer, newer))


def test_what_did_not_change_is_not_compiled(compiled):
    assert compiled() == ["one.c", "two.c"]
    assert compiled() == []


def test_a_source_is_compiled_alone(compiled):
    compiled()
    change("a room/two.c")
    assert compiled() == ["two.c"]


def test_a_header_compiles_what_includes_it(compiled):
    compiled()
    change("a room/one.h")
    assert compiled() == ["one.c"]


def test_other_options_compile_all(compiled):
    compiled()
    assert compiled("-O1") == ["one.c", "two.c"]
    assert compiled("-O1") == []


def test_a_header_that_is_gone_compiles_what_included_it(compiled):
    compiled()
    pathlib.Path("a room/one.c").write_text("int one(void) { return 1; }\n")
    pathlib.Path("a room/one.h").unlink()
    assert compiled() == ["one.c"]


def test_an_object_that_is_gone_is_compiled(compiled):
    compiled()
    next(pathlib.Path("objects").rglob("two.o")).unlink()
    assert compiled() == ["two.c"]
