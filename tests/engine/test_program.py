"""A program is known by its source."""

from __future__ import annotations

import hashlib
import importlib
import pathlib
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest

import ur_solver
from ur_solver.engine.program import source_digest
from ur_solver.kernel._sources import DIGEST
from ur_solver.rules import family, named_rules

PACKAGE = pathlib.Path(ur_solver.__file__).parent
ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture
def copied(tmp_path):
    """A copy of the package without its metadata, and so without a version."""
    ignored = shutil.ignore_patterns("__pycache__", "shipped", "page", "*.json")
    shutil.copytree(PACKAGE, tmp_path / "ur_solver", ignore=ignored)
    return tmp_path / "ur_solver"


def digest_of(package):
    code = "from ur_solver.engine.program import source_digest; print(source_digest())"
    words = [sys.executable, "-c", code]
    return subprocess.check_output(words, cwd=package.parent, text=True, env={}).strip()


def test_what_decides_values_decides_the_digest(copied):
    """Where the program lies, and whether it has a version, does not."""
    own = source_digest()
    assert digest_of(copied) == own
    with (copied / "serve" / "app.py").open("a") as file:
        file.write("# edited\n")
    assert digest_of(copied) == own
    with (copied / "rules" / "turns.py").open("a") as file:
        file.write("# edited\n")
    edited = digest_of(copied)
    assert edited != own
    (copied / "kernel" / "another.py").touch()
    assert digest_of(copied) not in {own, edited}


FAMILY = """
from ur_solver.rules.families import Race
from ur_solver.rules.family import register_family

@register_family
class {0}(Race):
    name = "{0}"
"""


def test_a_family_from_elsewhere_decides_values_as_well(tmp_path, monkeypatch):
    """Whatever its module is called; what it is made of in Python's own library does not."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(family, "FAMILIES", {**family.FAMILIES})  # undone afterwards
    own = named_rules("finkel:2")
    assert source_digest(own) == source_digest()
    digests = []
    for name in ("firstfamily", "secondfamily"):
        (tmp_path / f"{name}.py").write_text(FAMILY.format(name))
        importlib.import_module(name)
        digests.append(source_digest(replace(own, name=name, family=name)))
    assert len({*digests, source_digest()}) == 3


def test_the_compiled_modules_know_what_they_were_made_of():
    """`make` compiles them again when one of these files changes."""
    names = [
        "setup.py",
        *(
            path.relative_to(ROOT).as_posix()
            for path in (ROOT / "ext").rglob("*")
            if path.suffix in {".c", ".h", ".pxd", ".pyx"}
        ),
    ]
    assert len(names) > 50
    found = hashlib.sha256()
    for name in sorted(names, key=pathlib.Path):
        content = (ROOT / name).read_bytes()
        found.update(b"%s %d %s" % (name.encode(), len(content), content))
    assert found.hexdigest() == DIGEST
