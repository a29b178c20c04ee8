"""Install the program here and show it: `make demo`.

Needs nothing but Python. Says before each step what it does and about how long that takes, and
during it, at least every five seconds, that it goes on.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence

import toolchain

ROOT = pathlib.Path(__file__).resolve().parents[1]
BIN = ROOT / ".venv" / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / "python"
STAMP = ROOT / ".venv" / ".compiled"
"""Says to `make` that every instruction set is compiled."""
BEAT = 5
"""Seconds between two signs of life."""

COMMANDS = (
    "ur solve finkel -n 3",
    "ur query finkel:3 '....__../......../....__.. L 3 3'",
    "ur best finkel:3 'L...__../..D...../....__.. L 2 2' 2",
)

NEXT = f"""
The program is {os.path.relpath(BIN / "ur")}, and after 'source {os.path.relpath(BIN)}/activate'
plain 'ur'. Next:

    ur rules                          the rule sets, and 'ur rules finkel' how one is played
    ur play finkel:3                  play against the table just solved
    ur serve --open                   the same on a board in the browser
    ur solve finkel                   all seven pieces: some twenty seconds, 0.9 GB on disk
    ur audit docs/example.rgn         who played how well, and who was lucky
    make test                         the test suite
"""


def step(
    text: str, *commands: Sequence[object], far: Callable[[], str] = lambda: "", **variables: str
) -> None:
    """Run the commands of a step side by side; ends the program with their words if one fails.

    `far` says how far they are; `variables` are of their environment.
    """
    print(f"{text} ...", flush=True)
    began = time.monotonic()
    with contextlib.ExitStack() as stack:
        logs = [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in commands]
        running = [
            subprocess.Popen(
                [str(each) for each in command],
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=ROOT,
                env=os.environ | variables,
            )
            for command, log in zip(commands, logs, strict=True)
        ]
        for command, log, process in zip(commands, logs, running, strict=True):
            while True:
                try:
                    code = process.wait(BEAT)
                    break
                except subprocess.TimeoutExpired:
                    print(f"    {time.monotonic() - began:.0f} s {far()}".rstrip(), flush=True)
                except KeyboardInterrupt:
                    for each in running:
                        each.wait()
                    sys.exit(130)
            if code:
                log.seek(0)
                print("".join(log.readlines()[-40:]), file=sys.stderr)
                sys.exit(f"this step failed: {shlex.join(map(str, command))}")
    print(f"    done in {time.monotonic() - began:.0f} s", flush=True)


def needs() -> str | None:
    """What is missing on this machine, in one sentence; None if nothing is."""
    if sys.version_info < (3, 11):  # noqa: UP036 - it may be any that 'python3' is
        found = f"{sys.version_info.major}.{sys.version_info.minor}"
        return f"Python 3.11 or later is needed, this is {found}: try 'make demo PYTHON=python3.12'"
    try:
        import ensurepip  # noqa: F401, PLC0415
    except ImportError:
        return "Python cannot make environments: 'sudo apt install python3-venv' lets it"
    return toolchain.fault()


def main() -> None:
    """Install and show."""
    if missing := needs():
        sys.exit(f"demo: {missing}")
    pip = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    print("Installs the program in .venv and solves a small game: about a minute in all.\n")
    if not PYTHON.exists():
        step("1/3 Making an environment, some 5 s", [sys.executable, "-m", "venv", BIN.parent])
    # all that is left needs one processor, and compiling uses the others
    builders, needed = (
        [PYTHON, "-c", FETCH, ROOT / "pyproject.toml", which, *pip] for which in ("build", "run")
    )
    # of what builds it nothing is imported later but NumPy, whose modules the build imports
    step("2/3 Fetching what it is built with, some 5 s", [*builders, "--no-compile"])
    STAMP.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        progress = pathlib.Path(folder) / "progress"
        step(
            "3/3 Compiling the solver for this processor, and fetching what it needs,"
            " some 45 s on two cores",
            [*pip, "--no-build-isolation", "--no-deps", "--editable", "."],
            needed,
            far=lambda: progress.read_text().strip() if progress.exists() else "",
            UR_PROGRESS=str(progress),
        )
    for command in COMMANDS:
        print(f"\n$ {command}", flush=True)
        program, *arguments = shlex.split(command)
        subprocess.run([BIN / program, *arguments], check=True, cwd=ROOT)
    print(NEXT)


FETCH = """
import subprocess, sys, tomllib
lists = tomllib.load(open(sys.argv[1], "rb"))
project = lists["project"]
needed = {
    "build": lists["build-system"]["requires"],
    "run": project["dependencies"] + project["optional-dependencies"]["serve"],
}
sys.exit(subprocess.run([*sys.argv[3:], *needed[sys.argv[2]]]).returncode)
"""
"""Installs what the program and its board need to be built, or to run, and nothing else."""


if __name__ == "__main__":
    main()
