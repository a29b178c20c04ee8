"""Every command and snippet of the README and the documentation does what the page says."""

from __future__ import annotations

import doctest
import shlex
import subprocess
import sys

import pytest

from tests.docs.session import PAGES, ROOT, Session, blocks_of, is_same, printed_lines
from ur_solver.cli import cli

pytestmark = pytest.mark.slow

PYTHON = {"python", "pycon"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_shows_is_what_happens(page, tmp_path):
    session = Session(tmp_path)
    blocks = [block for block in blocks_of(page) if "not run" not in block.marks]
    for block in blocks:
        if name := block.marks.get("file"):
            (tmp_path / name).write_text("\n".join(block.lines) + "\n")
        if block.kind == "shell":
            for command, start, end in block.commands():
                code, output = session.shell(command)
                shown, found = (
                    printed_lines("\n".join(block.lines[start:end])),
                    printed_lines(output),
                )
                where = f"{page.name}:{block.first + start + 1}: $ {command}\n{output}"
                # of a command without output only success is shown
                assert is_same(shown, found) if shown else code == 0, where
    python = [block for block in blocks if block.kind in {"python", "doctest"}]
    if python and (fault := session.python(python)):
        pytest.fail(f"{page.name}:\n{fault}")


def test_snippets_pass_mypy(tmp_path):
    folder = tmp_path / "pages"  # pyproject.toml has what mypy asks of this package
    folder.mkdir()
    (folder / "__init__.py").touch()
    for page in PAGES:
        code = [snippet(block) for block in blocks_of(page) if block.language in PYTHON]
        if code:
            (folder / f"{page.stem.replace('-', '_')}.py").write_text("\n".join(code))
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml")]
    # options on the command line would be those of all modules, which are then checked anew
    command += ["--cache-dir", str(ROOT / ".mypy_cache"), str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def snippet(block):
    """A block's Python, without prompts and answers."""
    text = "\n".join(block.lines) + "\n"
    if block.kind != "doctest":
        return text
    return "".join(example.source for example in doctest.DocTestParser().get_examples(text))


def not_run():
    for page in PAGES:
        for block in blocks_of(page):
            if "not run" in block.marks:
                yield pytest.param(block, id=f"{page.stem}:{block.first + 1}")


@pytest.mark.parametrize("block", list(not_run()))
def test_what_is_not_run_is_well_formed(block):
    if block.kind in {"python", "doctest"}:
        compile("\n".join(block.lines), "page", "exec")
    for command, _, _ in block.commands():
        words = shlex.split(command, comments=True)
        if words[1:2] == ["--import"]:
            del words[1:3]
        if words[:1] == ["ur"] and len(words) > 1:
            chosen = cli.get_command(None, words[1])
            assert chosen is not None, f"there is no command 'ur {words[1]}'"
            chosen.make_context(words[1], words[2:])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_of_a_page_is_marked_as_one(page):
    # what is not marked is not run
    for block in blocks_of(page):
        lines = [line for line in block.lines if block.language in {"console", "sh", "bash"}]
        if block.kind == "":
            assert not any(line.startswith(("ur ", "python ", "make ")) for line in lines), (
                f"{page.name}:{block.first + 1} has commands without '$ '"
            )
