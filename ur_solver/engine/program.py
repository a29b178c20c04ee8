"""The program that computes values, known by its source.

The version of an installed program is a name: a shallow clone and a full one of the same commit
have different ones, and a checkout that was edited keeps its own.
"""

from __future__ import annotations

import functools
import hashlib
import pathlib
import sys

from ur_solver.kernel._sources import DIGEST
from ur_solver.rules import RuleSet

_DECIDE = ("common", "rules", "space", "moves", "blocks", "kernel", "engine")
"""The rooms whose modules decide values, or how they are stored."""

_KNOWN = {"ur_solver", *sys.stdlib_module_names}


def source_digest(rules: RuleSet | None = None) -> str:
    """A word that differs where values may be computed in another way.

    It is made of the modules of these rooms, of the source that the compiled ones were compiled
    from, and of modules from elsewhere that define the family or the squares of the rules. It does
    not change while a process runs, as the modules do not.
    """
    found = hashlib.sha256(_own_digest().encode())
    for content in sorted(map(_content, set() if rules is None else _others(rules))):
        found.update(b"%d " % len(content) + content)
    return found.hexdigest()[:16]


@functools.cache
def _own_digest() -> str:
    package = pathlib.Path(__file__).parent.parent
    found = hashlib.sha256(DIGEST.encode())
    for room in _DECIDE:
        for path in sorted((package / room).glob("*.py")):
            content = path.read_bytes()
            found.update(f"{room}/{path.name} {len(content)} ".encode() + content)
    return found.hexdigest()


def _others(rules: RuleSet) -> set[pathlib.Path]:
    """The files of others that define what rules are made of."""
    family = rules.mechanics
    found = set()
    for made in (family, *family.squares.values()):
        for each in type(made).__mro__:
            path = getattr(sys.modules.get(each.__module__), "__file__", None)
            if path and each.__module__.partition(".")[0] not in _KNOWN:
                found.add(pathlib.Path(path))
    return found


_content = functools.cache(pathlib.Path.read_bytes)
