"""Modules of the folder `scripts`, which is no package."""

from __future__ import annotations

import importlib
import pathlib
import sys
from types import ModuleType

SCRIPTS = pathlib.Path(__file__).parents[1] / "scripts"


def script_module(name: str) -> ModuleType:
    """A script as a module, which finds others beside it; not run as a program."""
    if str(SCRIPTS) not in sys.path:
        sys.path.append(str(SCRIPTS))
    return importlib.import_module(name)
