"""Build of the compiled core; everything else about the package is in pyproject.toml.

All C files are compiled side by side, as many at once as there are processors; ``-j`` says
otherwise. Only those are compiled that changed, or that include what changed.

Environment variables:

UR_DEBUG=1    bounds checks in the compiled code, no optimisation, no AVX-512
UR_WERROR=1   compiler warnings are errors (continuous integration)
UR_CFLAGS     further compiler and linker flags, such as -fsanitize=address
"""

import copy
import hashlib
import multiprocessing
import os
import pathlib
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

sys.path.insert(0, str(pathlib.Path(__file__).parent / "scripts"))
import incremental
import toolchain

ROOM = pathlib.Path("ext")
DEBUG = os.environ.get("UR_DEBUG") == "1"

# What the modules share of Cython's own code, memory views above all: compiled once, not in each
SHARED = "ur_solver._cython"

# C files that are linked with a Cython module, by its file name; the first take the longest
PARTS = {
    "_tiled.pyx": ["tile_rows.c", "tiled.c", "sweep.c"],
    "_row_block.pyx": ["rows.c", "row_double.c", "row_single.c"],
    "_level_block.pyx": ["levels.c", "row_levels.c"],
}

# C files that are compiled for each instruction set and sort of numbers (instruction_sets.h): the
# bytes of a vector, whether floats are in memory, whether they are in arithmetic, vectors in a row
DOUBLE = [(bytes, 0, 0) for bytes in (16, 32, 64)]
FLOAT = [(bytes, 1, sums) for bytes in (16, 32) for sums in (0, 1)]
VARIANTS = {
    "tiled.c": [*DOUBLE, *FLOAT],
    "tile_rows.c": [
        (*variant, vectors) for variant in (*DOUBLE, *FLOAT) for vectors in (4, 3, 2, 1)
    ],
    "rows.c": [*DOUBLE, *FLOAT],
    "levels.c": [(bytes, 0, 0) for bytes in (8, 16, 32)],
}
VARIED = ("UR_VECTOR_BYTES", "UR_FLOATS", "UR_FLOAT_SUMS", "UR_VECTORS")

# The module that knows what all of them were made of: a program is known by its source
KNOWING = "_sources.pyx"

# gcc's "may be used uninitialized" errs where sanitizers or no optimisation leave the
# branches of Cython's parallel loops unfolded; the full build keeps the warning. Of what
# debuggers read there are names and lines: all of it (UR_CFLAGS=-g) doubles the time to compile.
flags = ["-O0", "-Wno-maybe-uninitialized"] if DEBUG else ["-O3"]
flags.append("-g1")
# bounds are rounded up and down (checks_body.h, row_block.h, row_levels.c), so that expressions
# stay as written
flags += ["-frounding-math"]
flags += ["-std=c11", "-Wall", "-Wextra", "-Wno-unused-parameter", "-fopenmp"]
if os.environ.get("UR_WERROR") == "1":
    flags.append("-Werror")
extra = os.environ.get("UR_CFLAGS", "").split()


def parts_of(source):
    """The C files that are linked with a module."""
    return [source.with_name(name) for name in PARTS.get(source.name, ())]


def digest():
    """A word that differs where the compiled modules are made of other files."""
    paths = [pathlib.Path("setup.py"), *ROOM.rglob("*.[ch]"), *ROOM.rglob("*.p[yx][xd]")]
    found = hashlib.sha256()
    for path in sorted(paths):
        content = path.read_bytes()
        found.update(f"{path.as_posix()} {len(content)} ".encode() + content)
    return found.hexdigest()


def compilations(source, options):
    """The options that a C file is compiled with, once or once a variant."""
    for variant in VARIANTS.get(os.path.basename(source), [()]):
        if DEBUG and variant[:1] == (64,):
            continue  # the same lines as AVX2 in wider vectors
        defined = [(name, str(value)) for name, value in zip(VARIED, variant, strict=False)]
        folder = os.path.join(options["output_dir"], "-".join(map(str, variant)))
        yield options | {"macros": [*options["macros"], *defined], "output_dir": folder}


def extension(name, sources, room):
    """A compiled module whose headers lie in a room."""
    return Extension(
        name,
        [str(source) for source in sources],
        depends=[str(header) for header in room.glob("*.h")],
        include_dirs=[numpy.get_include(), str(room)],
        define_macros=[
            ("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION"),
            *([("UR_SOURCES", f'"{digest()}"')] if KNOWING in str(sources[0]) else []),
            *([("UR_WITHOUT_AVX512", "1"), ("UR_ONE_BODY", "1")] if DEBUG else []),
        ],
        libraries=["m"],
        extra_compile_args=flags + extra,
        extra_link_args=["-fopenmp", *extra],
    )


extensions = [
    extension(
        ".".join(source.relative_to(ROOM).with_suffix("").parts),
        [source, *parts_of(source)],
        source.parent,
    )
    for source in sorted(ROOM.rglob("*.pyx"))
]


# other commands, such as those that make the sdist, only ask what the package is made of
COMPILES = not {"build", "build_ext", "bdist_wheel", "editable_wheel"}.isdisjoint(sys.argv)
if COMPILES and (missing := toolchain.fault()):
    sys.exit(f"ur-solver cannot be built: {missing}")


class BuildExtensions(build_ext):
    """Compiles the files that changed, side by side."""

    def finalize_options(self):
        """Keep objects for the next build; pip would have them in a folder that it removes."""
        super().finalize_options()
        if self.editable_mode:
            self.build_temp = f"build/temp.{self.plat_name}-{sys.implementation.cache_tag}"

    def build_extensions(self):
        """Compile files in a pool of jobs, for which a thread of each module waits."""
        self.check_extensions_list(self.extensions)
        jobs = int(self.parallel or 0) or os.cpu_count() or 1
        compiler = copy.copy(self.compiler)
        with ThreadPoolExecutor(jobs) as pool, ThreadPoolExecutor(len(self.extensions)) as modules:

            def compile_side_by_side(sources, **options):
                tasks = [
                    (source, each) for source in sources for each in compilations(source, options)
                ]
                lists = pool.map(lambda task: incremental.compile_file(compiler, *task), tasks)
                return [path for paths in lists for path in paths]

            self.compiler.compile = compile_side_by_side
            # the longest first
            ordered = sorted(self.extensions, key=lambda module: -len(module.sources))
            # no module is skipped: it is found file by file what is out of date
            is_forced, self.force = self.force, True
            list(modules.map(self.build_extension, ordered))
            self.force = is_forced


if COMPILES:
    # the source of the last is made by Cython
    shared_source = ROOM.joinpath(*SHARED.split(".")).with_suffix(".c")
    extensions = cythonize(
        [*extensions, extension(SHARED, [shared_source], ROOM)],
        shared_utility_qualified_name=SHARED,
        include_path=[str(ROOM)],
        build_dir="build/cython-debug" if DEBUG else "build/cython",
        # other processes than forked ones would run this file again
        nthreads=(os.cpu_count() or 1) if multiprocessing.get_start_method() == "fork" else 0,
        compiler_directives={
            "language_level": 3,
            "boundscheck": DEBUG,
            "wraparound": False,
            "initializedcheck": DEBUG,
            "cdivision": True,
            "freethreading_compatible": True,
            "show_performance_hints": False,
        },
    )

setup(cmdclass={"build_ext": BuildExtensions}, ext_modules=extensions)
