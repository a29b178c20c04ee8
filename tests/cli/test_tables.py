"""`ur tables`, `ur info --paths`, completion, and the advice of errors."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import warnings

import filelock
import pytest
from click.testing import CliRunner

import ur_solver as ur
from tests.cli.test_commands import run
from tests.meaningless import write_meaningless
from ur_solver import __version__
from ur_solver.cli import COMMANDS, cli
from ur_solver.errors import MissingTableError
from ur_solver.kernel._tiled import instruction_sets
from ur_solver.kernel._workspace import HAS_OPENMP
from ur_solver.rules import CATALOGUE, named_rules
from ur_solver.table.names import FOLDER_VARIABLE, games_folder

pytestmark = pytest.mark.medium

EARLIER = pathlib.Path(__file__).parents[1] / "data" / "tables"


@pytest.fixture
def folder(tmp_path, monkeypatch, solved):
    """A folder with a table, one that is certified, a damaged one and an unfinished solve."""
    folder = tmp_path / "mine"
    folder.mkdir()
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    monkeypatch.setattr(
        "ur_solver.answers.inventory.table_folders", lambda: [folder, tmp_path / "not there"]
    )
    shutil.copy(solved(named_rules("finkel:2")), folder)
    run("solve", "blitz:1", "--certify", "-q")
    content = (folder / "finkel-2.h5").read_bytes()
    (folder / "finkel-3.h5").write_bytes(content[: len(content) // 2])
    (folder / "notes.h5").write_text("no table")
    blocks = folder / "aseb-4.h5.blocks"
    blocks.mkdir()
    (blocks / "solve.json").write_text(json.dumps({"rules": named_rules("aseb:4").to_json()}))
    (blocks / "blocks.bin").write_bytes(b"x" * 1000)
    return folder


def test_tables_are_listed(folder):
    found = [json.loads(line) for line in run("tables", "--json").splitlines()]
    assert run("tables", "list", "--json") == run("tables", "--json")
    assert [list(each) for each in found] == 5 * [[
        "path", "kind", "n_bytes", "rules", "pieces", "positions", "left", "is_whole",
        "value_type", "tolerance", "error", "objective", "made", "message", "digest",
    ]]  # fmt: skip
    unfinished, certified, plain, damaged, other = found
    kinds = ["unfinished", "table", "table", "damaged", "other"]
    assert [each["kind"] for each in found] == kinds
    assert other["message"].endswith("is not a solution table; it is ignored")
    assert (unfinished["rules"], unfinished["pieces"]) == ("aseb", 4)
    assert unfinished["n_bytes"] > 1000
    assert 0 < certified["error"] < 1e-11
    assert plain["error"] is None
    assert plain["n_bytes"] == (folder / "finkel-2.h5").stat().st_size
    assert (plain["positions"], plain["tolerance"]) == (12869, 1e-12)
    assert "damaged" in damaged["message"]
    lines = run("tables").splitlines()
    assert lines[3].split()[:3] == ["finkel:2", "12,869", "float64"]
    assert lines[-1].startswith("5 in all, ")


def test_checksums_are_those_of_the_system(folder, monkeypatch):
    """In lines that `sha256sum -c` takes; names are relative where the tables are."""
    run("pack", "finkel:2", str(folder / "packed"))
    lines = run("tables", "--checksums").splitlines()
    assert len(lines) > 4
    for line in lines:
        checksum, name = line.split("  ")
        assert hashlib.sha256(pathlib.Path(name).read_bytes()).hexdigest() == checksum
        assert pathlib.Path(name).is_absolute()
    monkeypatch.chdir(folder)
    found = run("tables", "list", "--checksums")
    assert {line.split("  ")[1] for line in found.splitlines()} > {"blitz-1.h5", "finkel-2.h5"}
    (folder / "SHA256SUMS").write_text(found)
    if sha256sum := shutil.which("sha256sum"):
        subprocess.run([sha256sum, "-c", "SHA256SUMS"], check=True, cwd=folder)


def test_tables_of_other_versions_are_distinguished_from_damaged_ones(folder):
    shutil.copy(EARLIER / "murray-1-version-3.h5", folder)
    shutil.copy(EARLIER / "finkel-1-version-1.h5", folder)
    found = {each["path"]: each for each in map(json.loads, run("tables", "--json").splitlines())}
    murray = found[str(folder / "murray-1-version-3.h5")]
    assert (murray["kind"], murray["digest"]) == ("other version", None)
    assert f"'ur solve murray:1 -o {murray['path']} --force'" in murray["message"]
    assert "make it again" in found[str(folder / "finkel-1-version-1.h5")]["message"]
    assert found[str(folder / "finkel-3.h5")]["kind"] == "damaged"
    assert "other version" in run("tables")
    digest = json.loads(run("info", "finkel:2", "--json"))["digest"]
    assert digest == found[str(folder / "finkel-2.h5")]["digest"]
    assert digest in run("info", "finkel:2")


def test_no_tables_are_said_to_be_none(tmp_path, monkeypatch):
    monkeypatch.setattr("ur_solver.answers.inventory.table_folders", lambda: [tmp_path / "none"])
    result = CliRunner().invoke(cli, ["tables"])
    assert (result.exit_code, result.stdout) == (0, "")
    assert "'ur solve finkel -n 3' makes one" in result.stderr
    assert run("tables", "--json") == ""


def test_all_tables_are_verified(folder):
    result = CliRunner().invoke(cli, ["tables", "verify", "--sample", "9", "--json", "-q"])
    assert result.exit_code == 1
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(os.path.basename(each["table"]), each["right"]) for each in found] == [
        ("blitz-1.h5", True),
        ("finkel-2.h5", True),
        ("finkel-3.h5", False),
    ]
    assert "1 of 3 tables failed" in result.stderr
    (folder / "finkel-3.h5").unlink()
    assert run("tables", "verify", "--sample", "9").count(": right\n") == 2
    write_meaningless(folder / "hashes.h5", named_rules("finkel:1"))
    said = CliRunner().invoke(cli, ["tables", "verify", str(folder / "hashes.h5")])
    assert "hashes.h5: wrong: " in said.stdout
    assert "1 of 1 table failed" in said.stderr
    assert said.exit_code == 1
    assert run("tables", "verify", "finkel:2") == "finkel:2: right\n"


def test_tables_are_removed_when_the_user_agrees(folder):
    names = {path.name for path in folder.iterdir()}
    no = CliRunner().invoke(cli, ["tables", "remove", "finkel:2"], input="n\n")
    assert no.exit_code == 1
    assert f"{folder / 'finkel-2.h5'}, " in no.stdout
    nobody = CliRunner().invoke(cli, ["tables", "remove", "finkel:2"], input="")
    assert nobody.exit_code == 2
    assert "nothing was removed: --yes removes without a question" in nobody.stderr
    assert {path.name for path in folder.iterdir()} == names
    yes = CliRunner().invoke(cli, ["tables", "remove", "finkel:2"], input="y\n")
    assert yes.exit_code == 0
    run("tables", "remove", str(folder / "finkel-3.h5"), str(folder / "aseb-4.h5.blocks"), "-y")
    assert {path.name for path in folder.iterdir()} == {"blitz-1.h5", "notes.h5"}
    listed = run("tables", "remove", "blitz:1", str(folder / "blitz-1.h5"), "-y")  # named twice
    assert listed.count("blitz-1.h5") == 1
    assert {path.name for path in folder.iterdir()} == {"notes.h5"}


def test_the_table_of_a_json_file_is_removed_and_not_the_file(folder, tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(named_rules("finkel:1").changed(name="mine").to_json()))
    run("solve", str(path), "-q")
    assert (folder / "mine-1.h5").exists()
    run("tables", "remove", str(path), "-y")
    assert path.exists()
    assert not (folder / "mine-1.h5").exists()


def test_an_unfinished_solve_is_removed_by_its_rule_set(folder):
    assert "there is no table of aseb" in run("tables", "remove", "aseb:3", "-y", code=2)
    run("tables", "remove", "aseb:4", "-y")
    assert not (folder / "aseb-4.h5.blocks").exists()
    assert "there is no table of aseb" in run("tables", "remove", "aseb:4", "-y", code=2)


def test_only_what_a_solve_made_is_removed(folder):
    for path in (folder / "notes.h5", folder):
        assert "neither a table nor" in run("tables", "remove", str(path), "-y", code=2)
    assert "there is no table of masters" in run("tables", "remove", "masters:5", "-y", code=2)
    with filelock.FileLock(folder / "aseb-4.h5.blocks" / "lock"):
        message = run("tables", "remove", str(folder / "aseb-4.h5.blocks"), "-y", code=1)
    assert "a solve is writing to" in message
    assert (folder / "aseb-4.h5.blocks" / "blocks.bin").exists()


def test_paths(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "chosen"))
    found = json.loads(run("info", "--paths", "--json"))
    assert list(found) == [
        *("version", "package", "instruction_sets", "openmp"),
        *("tables", "games", "cache", "environment"),
    ]
    assert (found["instruction_sets"], found["openmp"]) == ([*instruction_sets()], HAS_OPENMP)
    assert found["version"] == __version__
    assert found["tables"][0] == str(tmp_path / "chosen")
    assert found["environment"] == {FOLDER_VARIABLE: str(tmp_path / "chosen")}
    assert found["games"] == str(games_folder())
    page = run("info", "--paths")
    for text in (found["package"], *found["instruction_sets"], found["cache"], *found["tables"]):
        assert text in page
    monkeypatch.delenv(FOLDER_VARIABLE)
    assert re.search(rf"\${FOLDER_VARIABLE} +not set\n", run("info", "--paths"))
    for arguments in (["info"], ["info", "finkel:2", "--paths"]):
        assert "give a TABLE, or --paths" in run(*arguments, code=2)


def completed(*words: str, folder: pathlib.Path | None = None) -> list[str]:
    """What bash is offered for the last of some words, which it splits at colons."""
    environment = {
        **os.environ,
        "_UR_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["ur", *words]),
        "COMP_CWORD": str(len(words)),
    }
    program = "import sys, ur_solver.cli as c; sys.argv = ['ur']; c.main()"
    result = subprocess.run(
        [sys.executable, "-c", program],
        env=environment | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    assert "Traceback" not in result.stderr
    return result.stdout.splitlines()


def test_completion():
    assert completed("ver") == ["plain,verify"]
    assert completed("so") == ["plain,solve"]
    assert set(completed("s")) == {f"plain,{name}" for name in COMMANDS if name.startswith("s")}
    offered = {f"plain,{name}" for name in CATALOGUE if name.startswith("ma")}
    for command in ("query", "solve", "rules"):
        assert set(completed(command, "ma")) == offered
    assert completed("query", "./fi") == ["file,./fi"]
    assert "plain,--progress" in completed("solve", "finkel", "--pro")
    assert completed("query", "finkel", ":") == [f"plain,{n}" for n in range(1, 8)]
    assert completed("serve", "masters", "finkel", ":", "3") == ["plain,3"]
    assert completed("audit", "--rules", "skiriuk", ":", "4", "--js") == ["plain,--json"]


def test_completion_of_files(tmp_path):
    (tmp_path / "maps 1.rgn").touch()
    (tmp_path / "mazes").mkdir()
    for command in ("audit", "review", "convert", "dice", "practise", "serve"):
        assert completed(command, "exam", folder=tmp_path) == ["file,exam"]
    offered = {f"plain,{name}" for name in CATALOGUE if name.startswith("ma")}
    found = completed("audit", "finkel", ":", "3", "ma", folder=tmp_path)
    assert {*found} == {*offered, "plain,maps\\ 1.rgn", "plain,mazes/"}


@pytest.mark.parametrize(
    ("shell", "options", "setting"),
    [
        ("bash", ["--norc", "--noprofile"], 'eval "$(_UR_COMPLETE=bash_source ur)"'),
        (
            "zsh",
            ["-f"],
            'autoload -U compinit; compinit -u -D; eval "$(_UR_COMPLETE=zsh_source ur)"',
        ),
        ("fish", ["--no-config"], "_UR_COMPLETE=fish_source ur | source"),
    ],
    ids=["bash", "zsh", "fish"],
)
def test_completion_in_a_shell(tmp_path, shell, options, setting):
    """TAB is typed in a shell; the program then notes its arguments."""
    pexpect = pytest.importorskip("pexpect")
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    for name in ("example 1.rgn", "casual, über.rgn"):
        (tmp_path / name).touch()
    noted, program = tmp_path / "noted", tmp_path / "ur"
    program.write_text(
        f"""#!/bin/sh
[ -z "$_UR_COMPLETE" ] || exec {sys.executable} -m ur_solver "$@"
printf '%s|' "$@" >> {noted}
"""
    )
    program.chmod(0o755)
    environment = {
        "HOME": str(tmp_path),
        "LC_ALL": "C.UTF-8",
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "TERM": "xterm",
    }
    with warnings.catch_warnings():
        # pexpect forks a process that may have threads
        warnings.simplefilter("ignore", DeprecationWarning)
        terminal = pexpect.spawn(
            shell, [*options, "-i"], env=os.environ | environment, cwd=str(tmp_path), timeout=60
        )
    # a word at a time, as a shell that completes drops what is typed ahead
    typed = {
        "query finkel:3": "query|finkel:3|",
        "play 'finkel:3": "play|finkel:3|",
        "audit exam": "audit|example 1.rgn|",
        "review ~/exam": f"review|{tmp_path}/example 1.rgn|",
        "practise casual,": "practise|casual, über.rgn|",
    }
    terminal.sendline(f"{setting}; echo READ''Y")
    terminal.expect("READY")
    for words in typed:
        terminal.sendline(f"ur {words}\t")
        terminal.sendline("echo DO''NE")
        terminal.expect("DONE")
    terminal.sendline("exit")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert noted.read_text() == "".join(typed.values())


# advice


def test_a_rule_set_is_not_taken_for_a_file():
    with pytest.raises(MissingTableError, match=r"ur_solver.open_table\('finkel:3'\) opens"):
        ur.Table("finkel:3")
    assert ur.solve("finkel:3").rules == ur.rule_set("finkel:3")  # as is advised
    with pytest.raises(MissingTableError, match="'ur tables' lists"):
        ur.Table("nowhere.h5")


def test_playing_what_cannot_be_solved_is_not_advised():
    message = run("play", "murray:7", code=2)
    assert "this machine cannot make it" in message
    assert "ur solve" not in message
