"""Build of the compiled core; everything else about the package is in pyproject.toml.

All C files are compiled side by side, as many at once as there are processors; ``-j`` says
otherwise. Only those are compiled that changed, or that include what changed. In a checkout the
kernels are compiled for this processor's instruction set and the one that all processors have, in
a wheel for every set. A compiler without OpenMP makes kernels that use one thread a block.

Environment variables:

UR_ALL_SETS=1 every instruction set in a checkout, too
UR_DEBUG=1    bounds checks in the compiled code, no optimisation, no AVX-512
UR_WERROR=1   compiler warnings are errors (continuous integration)
UR_CFLAGS     further compiler and linker flags, such as -fsanitize=address
UR_PROGRESS   a file that says how many files are compiled
"""

import copy
import hashlib
import multiprocessing
import os
import pathlib
import sys
import threading
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
# other commands, such as those that make the sdist, only ask what the package is made of
COMPILES = not {"build", "build_ext", "bdist_wheel", "editable_wheel"}.isdisjoint(sys.argv)
if COMPILES and (missing := toolchain.fault()):
    sys.exit(f"ur-solver cannot be built: {missing}")
HAS_OPENMP = not COMPILES or toolchain.has_openmp()

# What the modules share of Cython's own code, memory views above all: compiled once, not in each
SHARED = "ur_solver._cython"

# C files that are linked with a Cython module, by its file name; the first take the longest
PARTS = {
    "_tiled.pyx": ["tile_rows.c", "tiled.c", "sweep.c", "instruction_sets.c"],
    "_row_block.pyx": ["rows.c", "row_double.c", "row_single.c", "instruction_sets.c"],
    "_level_block.pyx": ["levels.c", "row_levels.c"],
}

# C files that are compiled for each instruction set and sort of numbers (instruction_sets.h): the
# bytes of a vector, whether floats are in memory, whether they are in arithmetic
DOUBLE = [(bytes, 0, 0) for bytes in (16, 32, 64)]
FLOAT = [(bytes, 1, sums) for bytes in (16, 32) for sums in (0, 1)]
VARIANTS = {
    "tiled.c": [*DOUBLE, *FLOAT],
    "tile_rows.c": [*DOUBLE, *FLOAT],
    "rows.c": [*DOUBLE, *FLOAT],
    "levels.c": [(bytes, 0, 0) for bytes in (8, 16, 32)],
}
VARIED = ("UR_VECTOR_BYTES", "UR_FLOATS", "UR_FLOAT_SUMS")
# C files that list the sets
LISTS = ("instruction_sets.c", "sweep.c", "row_double.c", "row_single.c", "row_levels.c")
WIDEST = {"avx512": 64, "avx2": 32}  # bytes of a vector; of other sets 16

# Other levels than -O2. -O1 compiles what hands out what others compute in half of the time. -O3
# compiles sweeps by rows as fast; those by tiles would take twice as long, and run as fast.
PLAIN = ("_cython.c", "_tiled.c", "_row_block.c", "_level_block.c", "_levels.c", "_workspace.c")
OPTIMISED = dict.fromkeys(PLAIN, "-O1") | {"rows.c": "-O3", "levels.c": "-O3"}

# The module that knows what all of them were made of: a program is known by its source
KNOWING = "_sources.pyx"

# gcc's "may be used uninitialized" errs where sanitizers or no optimisation leave the
# branches of Cython's parallel loops unfolded; the full build keeps the warning. Of what
# debuggers read there are names and lines: all of it (UR_CFLAGS=-g) doubles the time to compile.
flags = ["-O0", "-Wno-maybe-uninitialized"] if DEBUG else ["-O2"]
flags.append("-g1")
# bounds are rounded up and down (checks_body.h, row_block.h, row_levels.c), so that expressions
# stay as written
flags += ["-frounding-math"]
flags += ["-std=c11", "-Wall", "-Wextra", "-Wno-unused-parameter"]
flags.append("-fopenmp" if HAS_OPENMP else "-Wno-unknown-pragmas")
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


def chosen_sets(is_whole):
    """The names of the instruction sets that a build has besides what all processors run."""
    fastest = None if is_whole else toolchain.instruction_set(ROOM / "ur_solver" / "kernel")
    sets = {*WIDEST} if fastest is None else {fastest} & {*WIDEST}
    # without optimisation AVX-512 has the same lines as AVX2 in wider vectors
    return {"avx2"} if DEBUG and sets else sets


def wanted(variants, sets):
    """The variants that all processors run, and of each sort of numbers the widest of each set."""
    found = {each for each in variants if each[0] <= 16}
    for name in sets:
        fitting = sorted(each for each in variants if each[0] <= WIDEST[name])
        found.update({each[1:]: each for each in fitting}.values())
    return [each for each in variants if each in found]


def compilations(source, options, sets):
    """The options that a C file is compiled with, once or once a variant."""
    name = os.path.basename(source)
    if name in OPTIMISED and not DEBUG:
        options = options | {"extra_postargs": [*options["extra_postargs"], OPTIMISED[name]]}
    if name in LISTS:
        left_out = [(f"UR_WITHOUT_{each.upper()}", "1") for each in sorted({*WIDEST} - sets)]
        yield options | {"macros": [*options["macros"], *left_out]}
    elif name in VARIANTS:
        for variant in wanted(VARIANTS[name], sets):
            defined = [(word, str(value)) for word, value in zip(VARIED, variant, strict=True)]
            folder = os.path.join(options["output_dir"], "-".join(map(str, variant)))
            yield options | {"macros": [*options["macros"], *defined], "output_dir": folder}
    else:
        yield options


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
            *([("UR_ONE_BODY", "1")] if DEBUG else []),
        ],
        libraries=["m"],
        extra_compile_args=flags + extra,
        extra_link_args=[*(["-fopenmp"] if HAS_OPENMP else []), *extra],
    )


extensions = [
    extension(
        ".".join(source.relative_to(ROOM).with_suffix("").parts),
        [source, *parts_of(source)],
        source.parent,
    )
    for source in sorted(ROOM.rglob("*.pyx"))
]


class Progress:
    """Counts compiled files in the file that UR_PROGRESS names."""

    def __init__(self, n_files):
        self.path = os.environ.get("UR_PROGRESS")
        self.n_done, self.n_files = 0, n_files
        self.lock = threading.Lock()

    def count(self, is_new):
        """Count a file that was compiled, or leave out one that need not be."""
        with self.lock:
            self.n_done += is_new
            self.n_files -= not is_new
            if self.path:
                text = f"{self.n_done} of {self.n_files} files compiled\n"
                pathlib.Path(self.path).write_text(text)


class BuildExtensions(build_ext):
    """Compiles the files that changed, side by side."""

    def finalize_options(self):
        """Keep objects for the next build; pip would have them in a folder that it removes."""
        super().finalize_options()
        self.is_in_checkout = self.inplace or self.editable_mode  # they are reset to build
        if self.editable_mode:
            self.build_temp = f"build/temp.{self.plat_name}-{sys.implementation.cache_tag}"

    def build_extensions(self):
        """Compile files in a pool of jobs, for which a thread of each module waits."""
        self.check_extensions_list(self.extensions)
        jobs = int(self.parallel or 0) or os.cpu_count() or 1
        compiler = copy.copy(self.compiler)
        is_whole = os.environ.get("UR_ALL_SETS") == "1" or not self.is_in_checkout
        sets = chosen_sets(is_whole)
        options = {"output_dir": "", "macros": [], "extra_postargs": []}
        progress = Progress(
            sum(
                len([*compilations(source, options, sets)])
                for module in self.extensions
                for source in module.sources
            )
        )

        locks = {}  # by object: one of a file of two modules is compiled once

        def compile_one(task):
            source, each = task
            with locks.setdefault((source, each["output_dir"]), threading.Lock()):
                paths, is_new = incremental.compile_file(compiler, source, each)
            progress.count(is_new)
            return paths

        with ThreadPoolExecutor(jobs) as pool, ThreadPoolExecutor(len(self.extensions)) as modules:

            def compile_side_by_side(sources, **options):
                tasks = [
                    (source, each)
                    for source in sources
                    for each in compilations(source, options, sets)
                ]
                return [path for paths in pool.map(compile_one, tasks) for path in paths]

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
