"""The program that computes values, known by its source.

The version of an installed program is a name: a shallow clone and a full one of the same commit
have different ones, and a checkout that was edited keeps its own.
"""

from __future__ import annotations

import functools
import hashlib
import pathlib

from ur_solver.kernel._sources import DIGEST

_DECIDE = ("common", "rules", "space", "moves", "blocks", "kernel", "engine")
"""The rooms whose modules decide values, or how they are stored."""


@functools.cache
def source_digest() -> str:
    """A word that differs where values may be computed in another way.

    It is made of the modules of these rooms, and of the source that the compiled ones were compiled
    from. It does not change while a process runs, as the modules do not.
    """
    package = pathlib.Path(__file__).parent.parent
    found = hashlib.sha256(DIGEST.encode())
    for room in _DECIDE:
        for path in sorted((package / room).glob("*.py")):
            content = path.read_bytes()
            found.update(f"{room}/{path.name} {len(content)} ".encode() + content)
    return found.hexdigest()[:16]
