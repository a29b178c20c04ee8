"""Modules of the folder `scripts`, which is no package."""

from __future__ import annotations

import importlib
import pathlib
import sys
from types import ModuleType

SCRIPTS = pathlib.Path(__file__).parents[1] / "scripts"


def script_module(name: str) -> ModuleType:
    """Import a script as a module, without running it; it may import other scripts."""
    if str(SCRIPTS) not in sys.path:
        sys.path.append(str(SCRIPTS))
    return importlib.import_module(name)
