"""The reader of docs/bare_reader.py, which knows the page alone, gives the values of the API."""

from __future__ import annotations

import ast
import importlib.util
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import ur_solver as ur
from tests.docs.session import ROOT
from ur_solver.rules import CATALOGUE

pytestmark = pytest.mark.medium

FILE = ROOT / "docs" / "bare_reader.py"
PAGE = ROOT / "docs" / "file-formats.md"
WHOLE = ["finkel:1", "masters:1", "murray:1", "aseb:1", "casual:1", "birds:1", "skiriuk:1"]
WHOLE += ["ben:1", "bell:1", "casual-roll-again:1"]
SAMPLED = ["finkel:3", "murray:2", "casual:3", "birds:2", "skiriuk:2", "ben:2", "bell-stakes:1"]


def reader(path):
    spec = importlib.util.spec_from_file_location("bare_reader", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.reader(path)


def check(word, solved, tmp_path, count=None):
    # a file of its own: HDF5 opens none twice in a process with different locks
    path = shutil.copy(solved(ur.rule_set(word)), tmp_path)
    with ur.Table(path) as table:
        rng = np.random.default_rng(2)
        n = table.space.n_values
        ranks = np.arange(n) if count is None else rng.integers(n, size=count)
        states = table.states(ranks)
        texts = table.layout.notations(states, rng.random(len(ranks)) < 0.5)
        expected = table.values(texts).tolist()
    value = reader(path)
    assert [value(text) for text in texts] == expected


@pytest.mark.parametrize("word", WHOLE)
def test_every_value_of_a_small_table_is_read(word, solved, tmp_path):
    check(word, solved, tmp_path)


@pytest.mark.parametrize("word", SAMPLED)
def test_values_of_larger_tables_are_read(word, solved, tmp_path):
    check(word, solved, tmp_path, 200)


def test_every_family_is_tried():
    tried = {ur.rule_set(word).family for word in WHOLE}
    assert tried == {rules.family for rules in CATALOGUE.values()}


def test_the_reader_is_short_and_needs_what_its_page_names():
    text = FILE.read_text(encoding="utf-8")
    tree = ast.parse(text)
    first = tree.body[1].lineno  # after the docstring
    assert sum(bool(line.strip()) for line in text.splitlines()[first - 1 :]) <= 120
    names = {
        (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    _, _, section = PAGE.read_text(encoding="utf-8").partition("### A reader without this program")
    (named,) = re.findall(r"\$ pip install (.+)", section.partition("bare_reader.py")[0])
    assert names - sys.stdlib_module_names == {*named.split()}


def test_the_reader_runs_where_its_page_says(solved, tmp_path):
    # in a process that finds nothing else that is installed
    path = shutil.copy(solved(ur.rule_set("finkel:1")), tmp_path)
    allowed = {"h5py", "hdf5plugin", "numpy"}  # h5py itself needs NumPy
    code = (
        "import runpy, sys, importlib.abc\n"
        "class Refused(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        top = name.partition('.')[0]\n"
        f"        if top not in sys.stdlib_module_names | {allowed!r} and top[0] != '_':\n"
        "            raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Refused())\n"
        "value = runpy.run_path(sys.argv[1])['reader'](sys.argv[2])\n"
        "print(value('....__../......../....__.. L 1 1'))"
    )
    command = [sys.executable, "-c", code, FILE, path]
    found = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    with ur.Table(path) as table:
        assert float(found.stdout) == table.value(table.rules.start())
