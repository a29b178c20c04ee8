"""docs/tests.md: every module's tests are found by its name or in the page's table."""

from __future__ import annotations

import fnmatch
import itertools
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "tests.md").read_text(encoding="utf-8")
MODULES = sorted(
    path.relative_to(room).as_posix()
    for room, kind in ((ROOT / "ur_solver", "py"), (ROOT / "ext" / "ur_solver", "pyx"))
    for path in room.rglob(f"*.{kind}")
    if path.name not in {"__init__.py", "__main__.py"}
)


def listed() -> list[tuple[list[str], list[str]]]:
    """Patterns of modules and the tests of each, as the page's last table has them."""
    _, _, table = PAGE.partition("| modules | tests |\n")
    rows = [line.split("|")[1:3] for line in table.splitlines()[1:]]
    return [(re.findall(r"`(.+?)`", ours), re.findall(r"`(.+?)`", tests)) for ours, tests in rows]


def named(module: str) -> list[pathlib.Path]:
    """The files in which tests of a module are by its name."""
    path = pathlib.PurePosixPath(module)
    name = f"test_{path.stem.lstrip('_')}.py"
    return [ROOT / "tests" / path.parent / name, ROOT / "tests" / name]


@pytest.mark.parametrize("module", MODULES)
def test_the_tests_of_a_module_are_found(module):
    if any(path.exists() for path in named(module)):
        return
    found = [tests for ours, tests in listed() if any(fnmatch.fnmatch(module, p) for p in ours)]
    assert found, (
        f"docs/tests.md does not say where {module} is tested, nor is there {named(module)[0]}"
    )


def test_what_the_page_names_is_there():
    names = re.findall(r"`((?:tests|ur_solver|scripts)/[^`*A-Z]+)`", PAGE)
    assert len(names) > 100
    assert [name for name in names if not (ROOT / name).exists()] == []


def test_every_pattern_of_the_page_serves_a_module():
    unnamed = [m for m in MODULES if not any(path.exists() for path in named(m))]
    for ours, _ in listed():
        for pattern in ours:
            assert any(fnmatch.fnmatch(module, pattern) for module in unnamed), pattern


def test_every_test_is_of_a_module_or_on_the_page():
    stems = {pathlib.PurePosixPath(module).stem.lstrip("_") for module in MODULES}
    rest = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests").rglob("test_*.py")
        if path.stem.removeprefix("test_") not in stems
    }
    assert sorted(rest - {*re.findall(r"`(tests/[^`]+)`", PAGE)} - ABOUT_THE_TREE) == []


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


ABOUT_THE_TREE = {
    f"tests/{name}.py"
    for name in (
        *("docs/test_commands_page", "faults/test_faults", "test_glossary", "test_imports"),
        *("test_incremental", "test_map", "test_toolchain"),
    )
}
"""Tests of documents, scripts and the arrangement of the code, not of modules."""
