"""Imports point one way: rules -> space -> moves -> kernel -> engine -> table -> query -> cli."""

from __future__ import annotations

import ast
import pathlib

import pytest

import ur_solver

PACKAGE = pathlib.Path(ur_solver.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

# Each room may import from those before it; `verify` nothing of `engine` besides.
ORDER = (
    *(
        "errors",
        "machine",
        "text",
        "files",
        "numbers",
        "rules",
        "exact",
        "space",
        "moves",
        "blocks",
        "kernel",
        "engine",
        "table",
    ),
    *(
        "estimates",
        "cluster",
        "certificates",
        "values",
        "positions",
        "lookup",
        "query",
        "verify",
        "solving",
        "reach",
        "inventory",
        "records",
        "maps",
        "players",
        "audit",
        "study",
        "estimators",
        "serve",
        "cli",
        "__main__",
    ),
)


def imported(path: pathlib.Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


LOOSE = {"locate": "solving"}
"""Modules outside of the room that they belong to."""


def room(name: str) -> str | None:
    parts = name.split(".")
    return LOOSE.get(parts[1], parts[1]) if parts[0] == "ur_solver" and len(parts) > 1 else None


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_left(path):
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    own = LOOSE.get(own, own)
    names = imported(path)
    rooms = {room(name) for name in names} & set(ORDER)
    if own in ORDER:
        late = [other for other in rooms if ORDER.index(other) > ORDER.index(own)]
        assert not late, f"{own} imports {late}"
    if own == "verify":
        assert "engine" not in rooms
        assert "solving" not in rooms
    top = {name.partition(".")[0] for name in names}
    assert "h5py" not in top or own == "table" or path.match("estimators/file.py")
    assert "click" not in top or own == "cli"
    assert "starlette" not in top or own == "serve"
    assert "uvicorn" not in top or path.name == "run.py"
    assert "tqdm" not in top or own == "progress"
    # flint is not installed with the program
    assert "flint" not in top or own == "exact"
    assert "exact" not in rooms


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
    if place.parts[0] not in ("files.py", "table", "blocks"):  # tables have their own
        assert not made & {"open w", "open wb", "open w+b", "open x", "open xb"}
        assert not any(name.endswith((".write_text", ".write_bytes")) for name in made)
    if place.parts[0] == "cli" and place.name not in ("output.py", "__init__.py"):
        assert not any(name.endswith("click.echo") for name in made)
