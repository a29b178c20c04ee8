"""Compiles only C files whose object is out of date.

The compiler writes next to each object the files that it was made of, headers included, under a
digest of the options that it was called with: an object is up to date if the digest is that of
today's options and no file is newer.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
import re
from typing import Any


def digest(compiler: Any, options: dict[str, Any]) -> str:
    """A word that differs where a `distutils` compiler is called with other options."""
    command = [str(part) for part in compiler.compiler_so or []]
    given = sorted((name, repr(value)) for name, value in options.items() if name != "depends")
    return hashlib.sha256(repr((command, given)).encode()).hexdigest()[:16]


def is_current(target: pathlib.Path, record: pathlib.Path, key: str) -> bool:
    """Whether an object was made with the options of a digest from files as they are now."""
    try:
        made = target.stat().st_mtime_ns
        found, _, names = record.read_text().replace("\\\n", " ").partition(": ")
        # a space in a name has a backslash before it
        files = [name.replace("\\ ", " ") for name in re.split(r"(?<!\\)\s+", names.strip())]
        return found == key and all(os.stat(name).st_mtime_ns <= made for name in files)
    except FileNotFoundError:
        return False


def compile_file(compiler: Any, source: str, options: dict[str, Any]) -> tuple[list[str], bool]:
    """Compile a C file with a `distutils` compiler unless its object is up to date.

    Parameters
    ----------
    compiler : setuptools' Compiler
        It takes gcc's options.
    source : str
    options : dict
        The other arguments of `compiler.compile`.

    Returns
    -------
    paths : list of str
        The path of the object, as `compiler.compile` returns it.
    is_new : bool
        Whether it was compiled.
    """
    targets: list[str] = compiler.object_filenames([source], output_dir=options["output_dir"])
    target = pathlib.Path(targets[0])
    record = target.with_suffix(".d")
    key = digest(compiler, options)
    is_new = compiler.force or not is_current(target, record, key)
    if is_new:
        target.unlink(missing_ok=True)  # so that a compilation cut short leaves none
        listing = ["-MMD", "-MF", str(record), "-MT", key]
        given = options | {"extra_postargs": [*(options["extra_postargs"] or []), *listing]}
        compiler.compile([source], **given)
    return targets, is_new
