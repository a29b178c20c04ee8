"""Build of the compiled core; everything else about the package is in pyproject.toml.

Environment variables:

UR_DEBUG=1    bounds checks in the compiled code, little optimisation, no AVX-512
UR_WERROR=1   compiler warnings are errors (continuous integration)
UR_CFLAGS     further compiler and linker flags, such as -fsanitize=address
"""

import os
import pathlib
import sys

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

sys.path.insert(0, str(pathlib.Path(__file__).parent / "scripts"))
import toolchain

ROOM = pathlib.Path("ext")
DEBUG = os.environ.get("UR_DEBUG") == "1"

# gcc's "may be used uninitialized" errs where sanitizers or little optimisation leave the
# branches of Cython's parallel loops unfolded; the full build keeps the warning
flags = ["-O1", "-g", "-Wno-maybe-uninitialized"] if DEBUG else ["-O3"]
# bounds are rounded up and down (double_body.h, _graph.pyx): expressions stay as written
flags += ["-frounding-math"]
flags += ["-std=c11", "-Wall", "-Wextra", "-Wno-unused-parameter", "-fopenmp"]
if os.environ.get("UR_WERROR") == "1":
    flags.append("-Werror")
extra = os.environ.get("UR_CFLAGS", "").split()

extensions = [
    Extension(
        ".".join(source.relative_to(ROOM).with_suffix("").parts),
        [str(source)],
        depends=[str(header) for header in source.parent.glob("*.h")],
        include_dirs=[numpy.get_include(), str(source.parent)],
        define_macros=[
            ("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION"),
            # the same lines as AVX2 in wider vectors, and half of the time to compile
            *([("UR_WITHOUT_AVX512", "1")] if DEBUG else []),
        ],
        libraries=["m"],
        extra_compile_args=flags + extra,
        extra_link_args=["-fopenmp", *extra],
    )
    for source in sorted(ROOM.rglob("*.pyx"))
]


class BuildExtensions(build_ext):
    """Compiles; without a compiler or headers it ends with a sentence instead of a log."""

    def run(self):  # noqa: D102
        if missing := toolchain.fault():
            sys.exit(f"ur-solver cannot be built: {missing}")
        super().run()


setup(
    cmdclass={"build_ext": BuildExtensions},
    ext_modules=cythonize(
        extensions,
        include_path=[str(ROOM)],
        build_dir="build/cython",
        compiler_directives={
            "language_level": 3,
            "boundscheck": DEBUG,
            "wraparound": False,
            "initializedcheck": DEBUG,
            "cdivision": True,
            "freethreading_compatible": True,
            "show_performance_hints": False,
        },
    ),
)
