"""What commands write: files as a whole, never over what they read; text in any encoding."""

from __future__ import annotations

import io
import json
import os
import re
import sys

import pytest
from click.testing import CliRunner

import ur_solver as ur
from tests.faults.strangers import CORPUS
from tests.games import random_game, write_text
from ur_solver import cli as cli_module
from ur_solver.cli import cli
from ur_solver.errors import UrError
from ur_solver.records import write_games
from ur_solver.rules import named_rules

pytestmark = pytest.mark.usefixtures("finkel2")
unix = pytest.mark.skipif(os.name == "nt", reason="links and names of Unix")
RULES = named_rules("finkel:2")
STUDY = CORPUS / "studies" / "finkel-1.study.json"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a game, rules, a study and a table."""
    monkeypatch.chdir(tmp_path)
    write_games([random_game(RULES, 3)], tmp_path / "g.rgn")
    (tmp_path / "r.json").write_text(json.dumps(RULES.to_json()))
    return tmp_path


def run(*words: str, code: int):
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


WRITERS = {
    "audit --csv": ["audit", "finkel:2", "g.rgn", "--csv"],
    "audit --html": ["audit", "finkel:2", "g.rgn", "--html"],
    "board": ["board", "r.json", "-o"],
    "compare --csv": ["compare", "r.json", "-g", "100", "--csv"],
    "plan": ["plan", "r.json", "--chart"],
    "sample": ["sample", "r.json", "-g", "2", "-o"],
    "play": ["play", "r.json", "--light", "first", "--dark", "first", "--no-audit", "-o"],
    "export": ["export", "r.json", "--force"],
}
SUFFIXES = {"board": ".svg", "sample": ".rgn", "play": ".rgn", "export": ".rgu"}


@unix
@pytest.mark.parametrize("name", WRITERS)
def test_no_output_replaces_an_input(here, name):
    words = WRITERS[name]
    source = here / ("g.rgn" if "g.rgn" in words else "r.json")
    before = source.read_bytes()
    output = here / f"other{SUFFIXES.get(name, '.out')}"
    output.hardlink_to(source)
    said = run(*words, output.name, code=2).stderr
    assert "would overwrite" in said
    assert source.read_bytes() == before
    assert sorted(each.name for each in here.iterdir()) == sorted(["g.rgn", "r.json", output.name])


@pytest.mark.parametrize("name", sorted(WRITERS.keys() - {"export"}))
def test_what_is_written_is_said_beside_the_output(here, name):
    output = f"out{SUFFIXES.get(name, '.out')}"
    done = run(*WRITERS[name], output, code=0)
    assert re.search(rf"(written to|is in) {output}\n\Z", done.stderr)
    assert output not in done.stdout


@pytest.mark.parametrize("name", WRITERS)
def test_outputs_that_cannot_be_written_are_found_before_the_work(here, name, monkeypatch):
    def work(*_, **__):
        raise AssertionError("this is the work")

    monkeypatch.setattr("ur_solver.cli.maps.open_file", work)
    for module in ("audit", "board"):
        monkeypatch.setattr(f"ur_solver.cli.{module}.open_answering", work)
    for module in ("study", "evaluate", "answering"):
        monkeypatch.setattr(f"ur_solver.cli.{module}.open_playing", work)
    monkeypatch.setattr("ur_solver.cli.plan.schedule_of", work)
    said = run(*WRITERS[name], f"no/out{SUFFIXES.get(name, '.out')}", code=1).stderr
    assert said.startswith("Error: cannot write 'no")


def test_a_table_is_no_output(here, finkel2):
    before = finkel2.read_bytes()
    for words in (["audit", "finkel:2", "g.rgn", "--csv"], ["audit", "g.rgn", "--csv"]):
        said = run(*words, str(finkel2), code=1).stderr
        assert f"{str(finkel2)!r} is a table of finkel with 2 pieces" in said
    said = run("export", "finkel:2", "--force", str(finkel2), code=1).stderr
    assert "is itself the source" in said
    assert finkel2.read_bytes() == before


@pytest.mark.parametrize("stop", [KeyboardInterrupt, cli_module._TerminatedError])
def test_an_interrupted_command_leaves_the_file(here, monkeypatch, stop):
    def interrupted(*_, **__):
        yield random_game(RULES, 1)
        raise stop

    monkeypatch.setattr("ur_solver.cli.evaluate.play_many", interrupted)
    (here / "keep.rgn").write_text("kept")
    run("sample", "finkel:2", "-o", "keep.rgn", code=cli_module._code_of(stop()))
    assert (here / "keep.rgn").read_text() == "kept"
    assert len(list(here.iterdir())) == 3


BESIDE_FAULTS = {
    "audit": ["audit", "finkel:2", "bad.ur", "--csv", "a.csv", "--html", "a.html",
              "--annotate", "a.ur"],
    "audit --json": ["audit", "finkel:2", "bad.ur", "--json", "--csv", "a.csv"],
    "audit, no table": ["audit", "untabled.ur", "--csv", "a.csv", "--html", "a.html"],
    "convert": ["convert", "bad.ur", "-o", "a.ur"],
    "convert, not in RGN": ["convert", "untabled.ur", "-o", "a.rgn"],
    "practise": ["practise", "finkel:2", "bad.ur", "--cards", "a.csv", "--pictures", "media"],
    "practise, no mistake": ["practise", "finkel:2", "good.ur", "--cards", "a.csv",
                             "--pictures", "media", "--cost", "0.9"],
    "compare": ["compare", "finkel:2", "no.study.json", "-g", "100", "--html", "a.html",
                "--csv", "a.csv"],
    "board": ["board", "bad.ur", "-o", "a.gif"],
    "sample": ["sample", "birds", "-o", "a.ur"],
    "export": ["export", "none.h5", "a.rgu", "--force"],
    "publish": ["publish", "media", "finkel:2", "none.h5"],
    "plan": ["plan", "none.json", "--chart", "a.svg"],
}  # fmt: skip
"""Commands that write files, each with nothing that it could write."""


@pytest.mark.parametrize("name", BESIDE_FAULTS)
def test_what_has_nothing_to_say_writes_nothing(here, name):
    """Good reports of yesterday are not replaced by empty ones, and no folder is made."""
    (here / "bad.ur").write_text("rules: finkel:2\nL 9 A@A2\nend: unfinished\n")
    (here / "untabled.ur").write_text("rules: birds\nL enter 1 3 1A@A2\nend: unfinished\n")
    write_games([random_game(RULES, 1)], here / "good.ur")
    for suffix in ("csv", "html", "ur", "rgn", "gif", "rgu", "svg"):
        (here / f"a.{suffix}").write_text("of yesterday")
    before = {path.name: path.read_bytes() for path in here.iterdir()}
    CliRunner().invoke(cli, BESIDE_FAULTS[name])
    assert {path.name: path.read_bytes() for path in here.iterdir()} == before


def test_of_several_files_all_are_written_or_none(here, monkeypatch):
    """A disk that is full at the last of them leaves the others as they were."""
    words = ["audit", "finkel:2", "g.rgn", "--csv", "a.csv", "--html", "a.html"]
    (here / "a.csv").write_text("of yesterday")
    if not os.path.exists("/dev/full"):
        pytest.skip("no device that is always full")
    said = run(*words[:-1], "/dev/full", code=1).stderr
    assert "No space left on device" in said
    assert (here / "a.csv").read_text() == "of yesterday"
    run(*words, code=0)
    assert (here / "a.csv").read_text().startswith("file,game,rules")
    assert "<!DOCTYPE html>" in (here / "a.html").read_text("utf-8")


HOSTILE_NAME = "\x1b[31mA\x07nn\u202e\ud800"


def game_of(name: str, path) -> None:
    """Write a game whose light player has a name; JSON escapes a surrogate in it."""
    values = json.loads(write_text(random_game(RULES, 3), ".json"))
    values["metadata"] = {"Light": name}
    path.write_text(json.dumps(values))


def test_a_strangers_name_does_no_harm(here):
    game_of(HOSTILE_NAME, here / "g.json")
    outputs = [
        run("audit", "finkel:2", "g.json", *words, code=0).output
        for words in ([], ["--json"], ["--csv", "o.csv"], ["--html", "o.html"])
    ]
    outputs += [(here / "o.csv").read_text("utf-8"), (here / "o.html").read_text("utf-8")]
    for text in outputs:
        assert not {"\x07", "\u202e", "\ud800", "\x1b"} & set(text.replace("\x1b[", ""))
    assert "[31mAnn\N{REPLACEMENT CHARACTER}" in outputs[0]
    assert "[31mAnn\N{REPLACEMENT CHARACTER}" in outputs[-1]


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "ascii", "cp437", "utf-8"])
def test_any_output_encoding_prints_what_it_has(here, monkeypatch, encoding):
    game_of("Ann 王 é", here / "g.json")
    minus = "\N{MINUS SIGN}" if encoding == "utf-8" else "-"
    asked = {
        f"s dice {minus}": ["audit", "finkel:2", "g.json"],
        "captures a game": ["compare", str(STUDY)],
        "Usage": ["--help"],
    }
    for expected, words in asked.items():
        raw = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
        monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
        with pytest.raises(SystemExit) as end:
            cli(words)
        assert end.value.code == 0
        sys.stdout.flush()
        assert expected in raw.getvalue().decode(encoding)


@pytest.mark.parametrize("name", [name for name in WRITERS if name != "board"])
def test_a_dash_is_no_output(here, name):
    before = sorted(here.iterdir())
    assert "'-' is not" in run(*WRITERS[name], "-", code=2).stderr
    assert sorted(here.iterdir()) == before


@pytest.mark.parametrize(
    "words",
    [
        *(["pack", "finkel:2", f"{'x' * 300}{suffix}"] for suffix in ("", ".h5")),
        *(["solve", "finkel:1", "-o", f"{'x' * 300}{suffix}"] for suffix in ("", ".h5")),
        *(["export", "finkel:2", f"{'x' * 300}.rgu"], ["sample", "finkel:2", "-o", "x" * 300]),
        *(["import", f"{'x' * 300}.rgu"], ["info", f"{'x' * 300}.h5"]),
    ],
)
def test_names_that_are_too_long_are_refused(here, words):
    result = CliRunner().invoke(cli, words)
    assert isinstance(result.exception, SystemExit)
    assert "too long" in result.stderr
    assert result.stderr.count("Error: ") == 1
    assert not [each for each in here.iterdir() if "x" * 300 in each.name]


@pytest.mark.parametrize("output", ["x" * 300, f"{'x' * 300}.h5"])
def test_functions_refuse_names_that_are_too_long(here, output):
    for asked in (
        lambda: ur.solve("finkel:1", output),
        lambda: ur.Table(output),
        lambda: ur.write_games([random_game(RULES, 1)], f"{output}.rgn"),
    ):
        with pytest.raises(UrError, match="too long"):
            asked()
    games = ur.read_games(f"{output}.rgn")
    assert not list(games)
    assert "too long" in str(games.faults[0])


@unix
@pytest.mark.parametrize("words", [[], ["--json"], ["--csv", "o"], ["--html", "o"]])
def test_file_names_need_not_be_utf_8(here, words):
    name = os.fsdecode(b"g\xff.rgn")
    try:
        os.rename("g.rgn", name)
    except OSError:
        pytest.skip("the file system has no such names")
    words = [word.replace("o", os.fsdecode(b"o\xfe")) if word == "o" else word for word in words]
    out = run("audit", "finkel:2", name, *words, code=0).stdout
    assert "\N{REPLACEMENT CHARACTER}" in (json.loads(out)["file"] if "--json" in words else out)
    for path in map(os.fsencode, here.glob("o*")):
        with open(path, encoding="utf-8") as file:
            assert "\N{REPLACEMENT CHARACTER}" in file.read()


TEXTS = {
    "with a mark": lambda text: text.encode("utf-8-sig"),
    "UTF-16": lambda text: text.encode("utf-16"),
    "CR LF": lambda text: text.replace("\n", "\r\n").encode(),
    "CR": lambda text: text.replace("\n", "\r").encode(),
}


@pytest.mark.parametrize("form", TEXTS)
def test_every_input_is_read_in_every_form(here, form):
    start = RULES.start().notation
    rules = json.dumps(RULES.to_json(), indent=1)
    asked = ["query", "finkel:2", "-"]
    stdin = f"{start}\n{start}\n"
    sound = CliRunner().invoke(cli, asked, input=stdin.encode())
    changed = CliRunner().invoke(cli, asked, input=TEXTS[form](stdin))
    assert (changed.exit_code, changed.stdout) == (0, sound.stdout)
    shown = run("rules", "r.json", "--json", code=0).stdout
    (here / "r.json").write_bytes(TEXTS[form](rules))
    assert run("rules", "r.json", "--json", code=0).stdout == shown
    for suffix in (".rgn", ".ur", ".jsonl"):
        path = here / f"games{suffix}"
        write_games([random_game(RULES, seed) for seed in range(2)], path)
        audited = run("audit", "finkel:2", path.name, code=0).stdout
        path.write_bytes(TEXTS[form](path.read_text("utf-8")))
        assert run("audit", "finkel:2", path.name, code=0).stdout == audited
