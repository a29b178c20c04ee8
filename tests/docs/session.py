"""What the documentation's pages show, run as it stands there.

A page's blocks of code are run in their order, in a folder in which the page's `docs` are:

- lines after ``$`` are given to a shell, and the lines that follow are compared with what it says;
- ``>>>`` examples are run by doctest, and blocks marked ``python`` as they are;
- a block after ``<!-- file: NAME -->`` is written to that file;
- a block after ``<!-- not run: REASON -->`` is not run, but its `ur` commands are parsed, and
  its Python is compiled.

Numbers may differ by rounding, and durations, sizes, residuals and folders in any way. A line
``[...]`` stands for any lines.

    python -m tests.docs.session README.md docs/solve.md

runs pages and writes what commands say into them.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from unittest import mock

from click.testing import CliRunner

from ur_solver.cli import cli
from ur_solver.estimators.estimator import SHIPPED

ROOT = pathlib.Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "notes").glob("*.md")),
]

LOG_SECONDS = 3600.0
"""Pages show no progress, which a command reports where it takes long on a busy machine."""

_MARK = re.compile(r"<!-- (file|not run): (.+?) -->$")
_FENCE = re.compile(r"(`{3,})([^`\s]*)(?: .*)?$")
_VARYING = (
    (re.compile(r"\b\d[\d.]*( min \d+)? (s|ms|min|us)\b"), "TIME"),
    (re.compile(r"\b\d(\.\d+)?e[-+]\d+\b"), "SMALL"),
    (re.compile(r"\b\d[\d.]* ([kMGT]B|[KMGT]iB)\b"), "SIZE"),
    (re.compile(r"(?<![\w.])/?[\w./-]*/(?=[\w-]+\.h5\b)"), ""),
    (re.compile(r"[ \t]+"), " "),
)
_NUMBER = re.compile(r"\d+\.\d+")


@dataclass
class Block:
    """Lines of code of a page.

    Attributes
    ----------
    language : str
        ``console`` for indented blocks.
    first : int
        The number of the first line, from 0.
    lines : list of str
        Without the indentation.
    indent : str
    marks : dict
        ``file`` and ``not run``, if the comment before says so.
    """

    language: str
    first: int
    lines: list[str]
    indent: str = ""
    marks: dict[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """How it is run: ``shell``, ``doctest``, ``python`` or ``""``."""
        text = "\n".join(self.lines)
        if text.startswith("$ "):
            return "shell"
        if text.startswith(">>> "):
            return "doctest"
        return "python" if self.language == "python" else ""

    def commands(self) -> Iterator[tuple[str, int, int]]:
        """Shell commands, and the range of the lines that they print."""
        starts = [k for k, line in enumerate(self.lines) if line.startswith("$ ")]
        for start, end in zip(starts, [*starts[1:], len(self.lines)], strict=True):
            command, at = self.lines[start][2:], start + 1
            while command.endswith("\\"):
                command, at = command[:-1] + self.lines[at].strip(), at + 1
            yield command, at, end


def blocks_of(page: pathlib.Path) -> list[Block]:
    """The blocks of code of a page, fenced and indented."""
    lines = page.read_text().splitlines()
    blocks: list[Block] = []
    marks: dict[str, str] = {}
    at, is_after_text = 0, False
    while at < len(lines):
        line = lines[at]
        if found := _MARK.match(line):
            marks[found[1]] = found[2]
        elif found := _FENCE.match(line):
            end = lines.index(found[1], at + 1)
            blocks.append(Block(found[2], at + 1, lines[at + 1 : end], "", marks))
            at, marks = end, {}
        elif line.startswith("    ") and not is_after_text:
            end = at
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            while not lines[end - 1].strip():
                end -= 1
            content = [each[4:] for each in lines[at:end]]
            blocks.append(Block("console", at, content, "    ", marks))
            at, marks = end - 1, {}
        elif line.strip():
            marks = {}
        is_after_text = bool(lines[at].strip()) and not _MARK.match(line)
        at += 1
    return blocks


class Session:
    """A folder in which a page's blocks are run, without tables at first."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        tables = folder / "tables"
        tables.mkdir()
        programs = folder / ".bin"
        programs.mkdir()
        ur = programs / "ur"
        # not with the tables of the checkout, such as that of `make demo`
        main = folder / ".bin" / "main.py"
        main.write_text(
            "from ur_solver.common import progress\n"
            "from ur_solver.table import names\n"
            "names.checkout_tables = lambda: None\n"
            f"progress.LOG_SECONDS = {LOG_SECONDS}\n"
            "from ur_solver.cli import main\n"
            "if __name__ == '__main__':\n"
            "    main()\n"
        )
        command = shlex.join([sys.executable, str(main)])
        ur.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        ur.chmod(0o755)
        (folder / "docs").symlink_to(ROOT / "docs")
        self.environment = os.environ | {
            "PATH": f"{programs}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "UR_TABLES": str(tables),
            "COLUMNS": "80",
            "NO_COLOR": "1",
        }

    def shell(self, command: str) -> tuple[int, str]:
        """The exit code of a command and all that it prints.

        `ur` alone runs in this process, which has its libraries already; what says more than a
        command and its arguments, or starts workers, is given to a shell.
        """
        if command.startswith("ur ") and not set("|<>;&$`") & set(command):
            words = shlex.split(command)[1:]
            if "--workers" not in words:
                return self._ur(words)
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    def _ur(self, words: list[str]) -> tuple[int, str]:
        with (
            contextlib.chdir(self.folder),
            mock.patch("ur_solver.table.names.checkout_tables", return_value=None),
            mock.patch("ur_solver.estimators.estimator.SHIPPED", SHIPPED),
            mock.patch("ur_solver.common.progress.LOG_SECONDS", LOG_SECONDS),
        ):
            done = CliRunner(env=self.environment).invoke(cli, words)
        return done.exit_code, done.output

    def python(self, blocks: list[Block]) -> str:
        """Run Python blocks in one process, one after the other; what went wrong."""
        code = [(block.kind, block.first, "\n".join(block.lines) + "\n") for block in blocks]
        done = subprocess.run(
            [sys.executable, "-m", "tests.docs.python_blocks"],
            cwd=self.folder,
            env=self.environment,
            input=json.dumps(code),
            capture_output=True,
            text=True,
            check=False,
        )
        return "" if done.returncode == 0 else done.stdout + done.stderr


def is_same(shown: list[str], found: list[str]) -> bool:
    """Whether what a page shows is what a command printed."""
    if "[...]" in shown:
        at = shown.index("[...]")
        after = shown[at + 1 :]
        if not is_same(shown[:at], found[:at]):
            return False
        return any(is_same(after, found[k:]) for k in range(at, len(found) + 1))
    return len(shown) == len(found) and all(map(_is_same_line, shown, found))


def _is_same_line(shown: str, found: str) -> bool:
    one, other = _without_varying(shown), _without_varying(found)
    if _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
        return False
    pairs = zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True)
    return all(abs(float(a) - float(b)) <= 2e-9 for a, b in pairs)


def _without_varying(line: str) -> str:
    for pattern, word in _VARYING:
        line = pattern.sub(word, line)
    return line.strip()


def printed_lines(output: str) -> list[str]:
    """What a command printed, as a page shows it: without space at the ends."""
    lines = [line.rstrip() for line in output.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def write(page: pathlib.Path, session: Session) -> None:
    """Run a page's commands and write what they print into it, unless it is the same."""
    lines = page.read_text().splitlines()
    changes: list[tuple[int, int, list[str]]] = []
    for block in blocks_of(page):
        if name := block.marks.get("file"):
            (session.folder / name).write_text("\n".join(block.lines) + "\n")
        if block.kind != "shell" or "not run" in block.marks:
            continue
        for command, start, end in block.commands():
            output = session.shell(command)[1]
            found = printed_lines(output.replace(f"{session.folder}/", ""))
            shown = block.lines[start:end]
            while shown and not shown[-1]:
                shown.pop()
            if not is_same(shown, found):
                indented = [(block.indent + line).rstrip() for line in found]
                is_last = end == len(block.lines)
                if not is_last:
                    indented.append("")
                changes.append((block.first + start, block.first + end, indented))
    for start, end, content in reversed(changes):
        lines[start:end] = content
    page.write_text("\n".join(lines) + "\n")
    print(f"{page}: {len(changes)} changes")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as room:
            write(pathlib.Path(name), Session(pathlib.Path(room)))
