"""Commands in a terminal: as wide as its window, the verdict last, and a sign of life first."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tests.test_asking import ASKED, home, template
from ur_solver.cli import cli, output
from ur_solver.cli.plan import cost_of
from ur_solver.common import progress
from ur_solver.errors import InputError
from ur_solver.rules import CATALOGUE, named_rules

__all__ = ["home", "template"]

EXAMPLE = str(Path(__file__).parents[2] / "docs" / "example.rgn")


def lines_of(text: str) -> list[str]:
    """The lines that a terminal shows: without colours, and without what was written over."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r\n", "\n")
    return [line.rsplit("\r", 1)[-1] for line in plain.split("\n")]


def too_wide(text: str, width: int) -> list[str]:
    """The lines that are wider, but for those of one word, as a path, which stay whole."""
    return [line for line in lines_of(text) if len(line) > width and " " in line.strip()]


@pytest.fixture
def shown_in(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Run a command as in a terminal of some columns; all that it says."""

    def show(width: int, words: list[str], stdin: str = "") -> str:
        monkeypatch.setattr(output, "window", lambda _stream: width)
        result = CliRunner().invoke(cli, words, input=stdin)
        assert result.exception is None or isinstance(result.exception, SystemExit), words
        return result.output

    return show


def is_for_programs(line: str) -> bool:
    return "--json" in line or "--to json" in line or "--get" in line


@pytest.mark.medium
@pytest.mark.parametrize("name", ASKED)
def test_no_line_of_a_command_is_wider_than_the_window(name, home, shown_in):
    for line in ASKED[name]:
        if is_for_programs(line):
            continue
        for width, word in ((80, "finkel:1"), (100, "sprint.json"), (60, "ben:1")):
            text = shown_in(width, shlex.split(line.format(word=word)), "n\nq\n")
            assert not too_wide(text, width), (line, word, width)


@pytest.mark.medium
@pytest.mark.parametrize("width", [60, 80, 100])
def test_no_line_of_rules_is_wider_than_the_window(width, shown_in, monkeypatch):
    monkeypatch.setattr("ur_solver.cli.rules.cost_of", partial(cost_of, is_timed=False))
    words_of_each = ([f"{name}:2"] for name in CATALOGUE)
    for words in ([], *words_of_each, ["skiriuk"], ["--estimate", "skiriuk"]):
        text = shown_in(width, ["rules", *words])
        assert not too_wide(text, width), words
        assert text.count("\n") > 2


@pytest.mark.parametrize("width", [40, 80])
def test_no_line_of_an_error_is_wider_than_the_window(width, shown_in, finkel2):
    for words in (
        ["query", "finkel:2", "xxx"],
        ["query", "finkel:2", "....__../......../....__.. L 3 9"],
        ["nonsense"],
        ["query"],
        ["audit", "finkel:2"],
        ["evaluate", "finkel:2", "--policy", "greedy", "--light", "first"],
        ["best", "masters:6", "....__../......../....__.. L 6 6", "2"],
        ["rules", "finkel", "--path", "nowhere"],
        ["sample", "finkel:2", "-g", "none"],
        ["board", "finkel:2", "-o", "picture.bmp"],
    ):
        text = shown_in(width, words)
        assert "Error: " in text, words
        assert not too_wide(text[text.index("Error: ") :], width), words


def test_text_is_whole_where_there_is_no_terminal(finkel2):
    found = CliRunner().invoke(cli, ["query", "finkel:2", "xxx"])
    assert len(found.stderr.splitlines()) == 1
    assert len(found.stderr) > 80


def test_no_help_is_wider_than_80_columns():
    for name in ASKED:
        text = CliRunner().invoke(cli, [name, "--help"]).output
        assert not too_wide(text, 80), name


WORDS = "a paragraph of text with the place /of/a/file/whose/name/is/longer/than/any/line of it"


@pytest.mark.parametrize("width", [20, 30, 50])
@pytest.mark.parametrize("margin", ["", "    "])
def test_a_paragraph_is_folded_at_its_spaces_only(width, margin):
    text = f"short\n{margin}{WORDS}\n\n{margin}{click.style('light', fg='red')} wins"
    found = output.filled(text, width)
    assert found.split() == text.split()
    assert all(line.startswith(margin) for line in found.splitlines()[1:] if line)
    assert not too_wide(found, width)
    # no line could have taken the first word of the next one
    lines = found.splitlines()
    for line, after in pairwise(lines[1:-2]):
        assert len(f"{line} {after.split()[0]}") > width


def test_an_error_has_room_for_what_is_before_it():
    assert output.filled("1234 6789", 9) == "1234 6789"
    assert output.filled("1234 6789", 9, first=1) == "1234\n6789"


ROWS = [
    ["who", "what there is to say", "number of them", "share"],
    [click.style("light", fg="red"), "nothing that one would have to know", "12 ± 3", "64 %"],
    ["dark", "something", "1,234 (12 to 20)", "7 %"],
]


@pytest.mark.parametrize("width", [120, 60, 50, 44, 36, 30])
def test_a_table_is_folded_or_divided_and_loses_nothing(width, monkeypatch):
    wide = output.columns(ROWS, "<<>>")
    assert len(wide.splitlines()) == 3
    monkeypatch.setattr(output, "window", lambda _stream: width)
    found = output.columns(ROWS, "<<>>", indent=2)
    assert not too_wide(found, width)
    assert all(line.startswith("  ") for line in found.splitlines() if line)
    for row in ROWS[1:]:
        for figure in row[2:]:
            assert figure in found  # never folded
    assert sorted({*click.unstyle(found).split()}) == sorted({*click.unstyle(wide).split()})
    if width == 120:
        assert [line.removeprefix("  ") for line in found.splitlines()] == wide.splitlines()


pexpect = pytest.importorskip("pexpect")
on_terminals = pytest.mark.skipif(os.name == "nt", reason="no such terminals on Windows")


def terminal(words: list[str], rows: int, width: int):
    """A command in a pseudo-terminal."""
    environment = {**os.environ, "TERM": "xterm"}
    environment.pop("COLUMNS", None)
    return pexpect.spawn(
        sys.executable, ["-m", "ur_solver", *words], dimensions=(rows, width), timeout=120,
        encoding="utf-8", env=environment,
    )  # fmt: skip


def screen(text: str, rows: int, width: int) -> list[str]:
    """The last rows of a terminal, the prompt's row left out."""
    shown = []
    for line in lines_of(text.rstrip()):
        shown += [line[k : k + width] for k in range(0, max(len(line), 1), width)]
    return shown[-(rows - 1) :]


@on_terminals
@pytest.mark.medium
@pytest.mark.parametrize("size", [(24, 80), (40, 100)])
def test_the_verdict_of_a_game_is_on_the_screen(size, solved):
    solved(named_rules("finkel:4"))
    asked = terminal(["audit", "finkel:4", EXAMPLE, "--reference-games", "0"], *size)
    asked.expect(pexpect.EOF)
    assert not too_wide(asked.before, size[1])
    page = "\n".join(screen(asked.before, *size))
    # the worst move with its board, what the players lost, how that came to the result
    assert re.search(r"best\s+was\s+C7C\+\s+\(35.2 %\):\s+11.7\s+points\s+lost", page)
    assert "  B  .  .  D  D  .  .  .  ." in page
    assert re.search(r"medium \(light\)\s+25\s+64 %\s+36 %", page)
    account = " ".join(page.split())
    assert (
        "dark's dice \N{MINUS SIGN}29.1, dark's moves +56.9: 100.0 at the end light won" in account
    )
    assert page.endswith("light won")
    assert lines_of(asked.before).count("     1  2  3  4  5  6  7  8") == 1


@on_terminals
@pytest.mark.medium
def test_the_page_after_a_game_fits_a_window_that_was_made_smaller(finkel2):
    game = terminal(["play", "finkel:2", "--seed", "3", "--dark", "random"], 40, 100)
    game.expect("move> ")
    game.setwinsize(24, 60)
    text = ""
    while True:
        game.sendline("1")
        if game.expect(["move> ", pexpect.EOF]) == 1:
            break
    text = game.before
    assert "at the end" in " ".join(text.split())
    assert not too_wide(text, 60)
    # the prompt may be drawn again for the new width: what was typed for it is echoed at the end
    shown = [line for line in lines_of(text.rstrip()) if line != "1"]
    assert shown[-1] in ("light won", "dark won")


class BegunError(InputError):
    """The work has begun."""


LONG = {
    "ur_solver.cli.study.study": (["study", "finkel:2"], "studying finkel:2"),
    "ur_solver.study.study": (["compare", "finkel:2"], None),
    "ur_solver.cli.evaluate.evaluate": (["evaluate", "finkel:2"], "playing table against table"),
    "ur_solver.cli.evaluate.play_many": (["sample", "finkel:2"], "playing"),
    "ur_solver.cli.evaluate.duel": (["duel", "first", "greedy"], "playing"),
    "ur_solver.cli.audit.Judges.audits": (["audit", "finkel:2", EXAMPLE], "judging games"),
    "ur_solver.cli.games.dice_test": (["dice", EXAMPLE], "comparing with fair dice"),
    "ur_solver.cli.games.write_games": (["convert", EXAMPLE, "-o", "x.ur"], "converting games"),
    "ur_solver.cli.plan.measured_speed": (["plan", "finkel:2"], "planning"),
    "ur_solver.cli.rules.cost_of": (["rules", "--estimate"], "estimating the costs"),
    "ur_solver.cli.board.gif": (["board", EXAMPLE, "-o", "x.gif"], "drawing the game"),
    "ur_solver.publish.site.publish": (["publish", "site"], "writing the site"),
    "ur_solver.cli.practise.exercises": (["practise", "finkel:2"], "looking for decisions"),
    "ur_solver.answers.reach.table_from": (["query", "finkel:2", "--solve"], "solving"),
    "ur_solver.cli.train.train": (["train", "finkel:2", "--rounds", "1"], "training"),
    "ur_solver.solving.execution.run": (["query", "blitz:1"], "solving"),
    "ur_solver.table.output.pack": (["pack", "finkel:2", "copy.h5"], "copying"),
}
"""What takes long, by its function: a command, and what its bar says before."""


@pytest.mark.parametrize("name", LONG)
def test_a_bar_is_shown_before_the_work(name, finkel2, tmp_path, monkeypatch):
    words, task = LONG[name]
    said = []

    def work(*_arguments, **_options):
        sys.stderr.flush()
        said.append(sys.stderr.buffer.getvalue().decode())
        raise BegunError("stop")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(progress, "is_watched", lambda: True)
    monkeypatch.setattr(name if task else "ur_solver.cli.study.study", work)
    assert CliRunner().invoke(cli, words).exit_code == 2
    assert (task or "studying finkel:2") in said[0]


def test_a_bar_that_gets_no_news_still_has_a_clock(monkeypatch, capsys):
    """The work waits until the bar has been looked at again, however long that takes."""
    import threading

    from tqdm.auto import tqdm

    seen = threading.Event()
    refresh = tqdm.refresh

    def looked(self, *arguments, **options):
        refresh(self, *arguments, **options)
        if threading.current_thread() is not threading.main_thread():
            seen.set()

    monkeypatch.setattr(progress, "is_watched", lambda: True)
    monkeypatch.setattr(progress, "_TICK", 0.001)
    monkeypatch.setattr(tqdm, "refresh", looked)
    with progress.shown_task("working") as show:
        show("the second step")
        assert seen.wait(60)
    assert "working: the second step (00:" in capsys.readouterr().err


def test_a_message_does_not_run_into_a_bar(monkeypatch):
    monkeypatch.setattr(progress, "is_watched", lambda: True)

    @click.command()
    def command():
        with progress.shown_task("working"):
            output.say("a message")

    assert "a message" in lines_of(CliRunner().invoke(command).stderr)
