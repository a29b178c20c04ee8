"""What the compiled core needs, a C compiler and Python's headers, and what the compiler can."""

from __future__ import annotations

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile


def fault() -> str | None:
    """What is missing, in one sentence that says how to get it; None if nothing is."""
    if os.name == "nt":
        return None  # setuptools finds the compiler there, and says so if it does not
    compiler = _compiler()
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
    return None


def has_openmp() -> bool:
    """Whether the compiler has OpenMP: Apple's does not, nor clang without libomp."""
    return os.name == "nt" or _compiles(_compiler(), "omp.h", "-fopenmp")


def instruction_set(kernel: pathlib.Path) -> str | None:
    """The fastest instruction set of the kernels that this processor runs; None if it is not known.

    The folder `kernel` has their C files. A program made for another processor does not run here.
    """
    source = '#include "instruction_sets.c"\n#include <stdio.h>\n'
    source += "int main(void) { return puts(instruction_sets[find_set(NULL)].name) < 0; }\n"
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "set")
        command = [*_compiler(), f"-I{kernel}", "-x", "c", "-", "-o", program]
        try:
            subprocess.run(command, input=source, check=True, capture_output=True, text=True)
            done = subprocess.run([program], check=True, capture_output=True, text=True)
        except (OSError, subprocess.CalledProcessError):
            return None
    return done.stdout.strip()


def _compiler() -> list[str]:
    return shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")


def _compiles(compiler: list[str], header: str, *options: str) -> bool:
    command = [*compiler, *options, "-x", "c", "-fsyntax-only", "-"]
    source = f"#include <{header}>\n"
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    return done.returncode == 0
