"""Imports point one way: rules -> space -> kernel -> engine -> table -> query -> cli."""

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
        "rules",
        "exact",
        "space",
        "blocks",
        "kernel",
        "engine",
        "table",
    ),
    *(
        "estimates",
        "cluster",
        "certificates",
        "make",
        "values",
        "lookup",
        "query",
        "verify",
        "locate",
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


def room(name: str) -> str | None:
    parts = name.split(".")
    return parts[1] if parts[0] == "ur_solver" and len(parts) > 1 else None


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_left(path):
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    names = imported(path)
    rooms = {room(name) for name in names} & set(ORDER)
    if own in ORDER:
        late = [other for other in rooms if ORDER.index(other) > ORDER.index(own)]
        assert not late, f"{own} imports {late}"
    if own == "verify":
        assert "engine" not in rooms
        assert "make" not in rooms
    top = {name.partition(".")[0] for name in names}
    assert "h5py" not in top or own == "table" or path.match("estimators/file.py")
    assert "click" not in top or own == "cli"
    assert "starlette" not in top or own == "serve"
    assert "uvicorn" not in top or path.name == "run.py"
    assert "tqdm" not in top or own == "progress"
    # flint is not installed with the program
    assert "flint" not in top or own == "exact"
    assert "exact" not in rooms
