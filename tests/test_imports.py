"""Imports point one way, in the order of the table of rooms in docs/architecture.md."""

from __future__ import annotations

import ast
import graphlib
import pathlib
import re

import pytest

import ur_solver

pytestmark = pytest.mark.medium

PACKAGE = pathlib.Path(ur_solver.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

PAGE = PACKAGE.parent / "docs" / "architecture.md"
ORDER = re.findall(r"^\| `([\w/]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
"""The rooms, and what is outside of them: each may import from those before it."""


def imported(path: pathlib.Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def module_name(path: pathlib.Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room(name: str) -> str | None:
    """The room of a dotted name: the longest that the page has."""
    parts = name.split(".")
    rooms = (
        ["/".join(parts[1:n]) for n in range(len(parts), 1, -1)] if parts[0] == "ur_solver" else []
    )
    return next((each for each in rooms if each in ORDER), None)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_left(path):
    own = room(f"ur_solver.{'.'.join(path.relative_to(PACKAGE).with_suffix('').parts)}")
    names = imported(path)
    rooms = {room(name) for name in names} - {None}
    if own is not None:
        late = [other for other in rooms if ORDER.index(other) > ORDER.index(own)]
        assert not late, f"{own} imports {late}"
    if path.name == "verify.py":  # a second opinion
        assert not rooms & {"engine", "solving"}
    top = {name.partition(".")[0] for name in names}
    assert "h5py" not in top or own == "table" or path.match("estimators/file.py")
    assert "click" not in top or own == "cli"
    assert "starlette" not in top or own == "serve"
    assert "uvicorn" not in top or path.match("serve/run.py")
    assert "msgspec" not in top or own == "serve"
    assert "tqdm" not in top or path.name == "progress.py"
    assert "flint" not in top  # it is not installed with the program


def test_no_files_import_each_other_in_a_circle():
    """Imports for types, and those inside functions, count."""
    paths = {module_name(path): path for path in MODULES}
    graph = {
        name: {each for each in imported(path) if each in paths and each != name}
        for name, path in paths.items()
    }
    for names in graph.values():  # `from room import module` does not name the room itself
        names -= {each for each in names if any(other.startswith(f"{each}.") for other in names)}
    assert list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError


def test_the_page_knows_every_room():
    there = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in MODULES}
    assert {name.partition("/")[0] for name in ORDER} == there - {"__init__"}
    assert all((PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file() for name in ORDER)
    assert len(ORDER) == len(set(ORDER))


def calls(path: pathlib.Path) -> set[str]:
    """The calls of a module: names, and for ``open`` the mode too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            modes = [each.value for each in node.args if isinstance(each, ast.Constant)]
            is_open = name.rpartition(".")[2] == "open"
            found |= {f"open {mode}" for mode in modes} if is_open else {name}
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_one_module_writes_files_and_one_prints(path):
    place = path.relative_to(PACKAGE)
    made = calls(path)
    if place.name != "files.py" and place.parts[0] not in (
        "table",
        "blocks",
    ):  # tables have their own
        assert not made & {"open w", "open wb", "open w+b", "open x", "open xb"}
        assert not any(name.endswith((".write_text", ".write_bytes")) for name in made)
    if place.parts[0] == "cli" and place.name not in ("output.py", "__init__.py"):
        assert not any(name.endswith("click.echo") for name in made)
