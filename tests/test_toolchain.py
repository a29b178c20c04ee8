"""Without a compiler or headers, a sentence says what to install; every test has its command."""

from __future__ import annotations

import itertools
import os
import pathlib
import re
import subprocess
import sys
import sysconfig

import pytest

from tests.scripts import script_module
from ur_solver.kernel._tiled import instruction_sets

ROOT = pathlib.Path(__file__).parents[1]


@pytest.fixture
def toolchain():
    return script_module("toolchain")


def test_nothing_is_missing_where_the_package_was_built(toolchain):
    assert toolchain.fault() is None


def test_a_missing_compiler_is_reported(toolchain, monkeypatch):
    monkeypatch.setenv("CC", "/nowhere/cc -m64")
    assert "no C compiler ('/nowhere/cc' is not on the path)" in toolchain.fault()


def test_missing_headers_are_reported(toolchain, monkeypatch, tmp_path):
    monkeypatch.setattr(sysconfig, "get_paths", lambda: {"include": str(tmp_path)})
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert f"headers of Python {version} are missing ({tmp_path}/Python.h)" in toolchain.fault()
    assert f"apt install python{version}-dev" in toolchain.fault()


def test_a_compiler_without_openmp_will_do(toolchain, monkeypatch, tmp_path):
    compiler = tmp_path / "cc"
    compiler.write_text('#!/bin/sh\nfor each; do [ "$each" = -fopenmp ] && exit 1; done\nexit 0\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    assert toolchain.fault() is None
    assert not toolchain.has_openmp()


def test_the_processor_runs_its_instruction_set(toolchain, monkeypatch, tmp_path):
    kernel = ROOT / "ext" / "ur_solver" / "kernel"
    assert toolchain.instruction_set(kernel) == instruction_sets()[0]
    compiler = tmp_path / "cc"  # its programs run elsewhere
    compiler.write_text("#!/bin/sh\nexit 0\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    assert toolchain.instruction_set(kernel) is None


@pytest.mark.parametrize("command", ["scripts/demo.py", "setup.py build_ext"])
def test_demo_and_build_end_with_the_sentence_alone(command):
    done = subprocess.run(
        [sys.executable, *command.split()],
        cwd=ROOT,
        env=os.environ | {"CC": "/nowhere/cc"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert (
        "there is no C compiler ('/nowhere/cc' is not on the path)" in done.stderr.splitlines()[-1]
    )


def test_every_test_is_run_by_one_command():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    chosen = dict(
        re.findall(r"^(test\S*): .+\n\t.+ -m '?([\w ]+?)'?(?: \$\$.+)?$", makefile, re.MULTILINE)
    )
    assert list(chosen) == ["test", "test-slow", "test-long"]
    for slow, long in itertools.product((False, True), repeat=2):
        marks = {"slow": slow, "long": long}
        assert sum(eval(each, marks) for each in chosen.values()) == 1
    steps = re.search(r'steps="(.+)"', (ROOT / ".ci" / "run").read_text(encoding="utf-8"))[1]
    assert {"test", "test-slow"} <= {*steps.split()}
