"""What the compiled core needs to be built: a C compiler with OpenMP, and Python's headers."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig


def fault() -> str | None:
    """What is missing, in one sentence that says how to get it; None if nothing is."""
    if os.name == "nt":
        return None  # setuptools finds the compiler there, and says so if it does not
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    if shutil.which(compiler[0]) is None:
        return (
            f"there is no C compiler ({compiler[0]!r} is not on the path): install one with "
            "'sudo apt install gcc' (Debian, Ubuntu), 'sudo dnf install gcc' (Fedora) or "
            "'xcode-select --install' (macOS), or name one in the environment variable CC"
        )
    headers = sysconfig.get_paths()["include"]
    if not _compiles(compiler, "Python.h", f"-I{headers}"):
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        return (
            f"the C headers of Python {version} are missing ({headers}/Python.h): install them "
            f"with 'sudo apt install python{version}-dev' (Debian, Ubuntu) or "
            "'sudo dnf install python3-devel' (Fedora)"
        )
    if not _compiles(compiler, "omp.h", "-fopenmp"):
        return (
            f"the C compiler {compiler[0]!r} lacks OpenMP: install it with "
            "'sudo apt install libomp-dev' (clang on Debian, Ubuntu), or name gcc in the "
            "environment variable CC, on macOS after 'brew install gcc'"
        )
    return None


def _compiles(compiler: list[str], header: str, *options: str) -> bool:
    command = [*compiler, *options, "-x", "c", "-fsyntax-only", "-"]
    source = f"#include <{header}>\n"
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    return done.returncode == 0
