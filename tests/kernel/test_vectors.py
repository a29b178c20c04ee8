"""The vectors of the compiled sweeps, by every instruction set, against single numbers."""

from __future__ import annotations

import pathlib
import shutil
import subprocess

import pytest

from ur_solver.kernel._tiled import instruction_sets

pytestmark = pytest.mark.medium

HERE = pathlib.Path(__file__).parent
HEADERS = HERE.parents[1] / "ext" / "ur_solver" / "kernel"
SETS = {16: None, 32: "avx2", 64: "avx512"}
"""By the bytes of a vector; the first is what every processor has."""

NUMBERS = pytest.mark.parametrize(("floats", "sums"), [(0, 0), (1, 0), (1, 1)])
"""Whether floats are in memory, and in arithmetic."""


def run_compiled(folder: pathlib.Path, compiler: str, *options: str, runner: str | None) -> None:
    """Compile `vectors.c` and run it; what it prints is what is wrong."""
    program = folder / "vectors"
    source = HERE / "vectors.c"
    # rounding as in the build: expressions stay as written
    flags = ["-O1", "-std=c11", "-frounding-math", f"-I{HEADERS}", *options]
    subprocess.run([compiler, *flags, str(source), "-o", str(program), "-lm"], check=True)
    command = [*([runner] if runner else []), str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("", 0)


@NUMBERS
@pytest.mark.parametrize("size", SETS)
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_vectors_of_this_processor(tmp_path, compiler, size, floats, sums):
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler}")
    if size > 16 and SETS[size] not in instruction_sets():
        pytest.skip(f"this processor has no {SETS[size]}")
    if size == 64 and sums:
        pytest.skip("no sweep has sixteen floats in a vector")
    options = [f"-DUR_VECTOR_BYTES={size}", f"-DUR_FLOATS={floats}", f"-DUR_FLOAT_SUMS={sums}"]
    run_compiled(tmp_path, compiler, *options, runner=None)


@NUMBERS
def test_vectors_of_arm(tmp_path, floats, sums):
    compiler, runner = "aarch64-linux-gnu-gcc", "qemu-aarch64"
    if shutil.which(compiler) is None or shutil.which(runner) is None:
        pytest.skip("needs a cross compiler and QEMU: see scripts/test_on_arm")
    options = ["-static", f"-DUR_FLOATS={floats}", f"-DUR_FLOAT_SUMS={sums}"]
    run_compiled(tmp_path, compiler, "-DUR_VECTOR_BYTES=16", *options, runner=runner)
