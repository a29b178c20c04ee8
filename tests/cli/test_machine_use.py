"""What programs read: JSON, progress, logs, exit codes and signals."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import types

import pytest

from tests.cli.test_commands import run
from tests.meaningless import write_meaningless
from ur_solver.cli import cli
from ur_solver.common.progress import Count, Ticker
from ur_solver.rules import CATALOGUE, named_rules
from ur_solver.table.names import FOLDER_VARIABLE

pytestmark = pytest.mark.medium

SUMMARY = [
    "rules", "pieces", "path", "solved", "left", "positions", "value", "opening_value", "tolerance",
    "value_type", "residual", "error", "bytes", "seconds", "resumed_blocks", "sweeps",
]  # fmt: skip
COST = [
    "positions", "memory_bytes", "memory_free_bytes", "table_bytes", "disk_bytes",
    "disk_free_bytes", "seconds", "reason", "estimates", "fits",
]  # fmt: skip


@pytest.fixture
def no_room(monkeypatch):
    """A disk with a kilobyte left."""
    usage = types.SimpleNamespace(total=1 << 40, used=1 << 40, free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: usage)


def test_solve_as_json(tmp_path):
    table = tmp_path / "table.h5"
    facts = json.loads(run("solve", "finkel:1", "-o", str(table), "--certify", "--json"))
    assert list(facts) == SUMMARY
    assert (facts["rules"], facts["pieces"], facts["positions"]) == ("finkel", 1, 217)
    assert (facts["solved"], facts["path"]) == (True, str(table))
    assert facts["bytes"] == table.stat().st_size
    assert 0 < facts["error"] <= facts["tolerance"] == 1e-12
    again = json.loads(run("solve", "finkel:1", "-o", str(table), "--certify", "--json"))
    unknown = {"solved": False, "seconds": None, "resumed_blocks": None, "sweeps": None}
    assert again == facts | unknown


def test_money_is_shown_in_money(tmp_path):
    arguments = ["solve", "bell-stakes:1", "-o", str(tmp_path / "table.h5"), "--json"]
    facts, again = (json.loads(run(*arguments)) for _ in range(2))
    assert (facts["residual"], facts["tolerance"]) == (again["residual"], again["tolerance"])


def test_a_dry_run_says_what_it_would_take(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "new"))
    facts = json.loads(run("solve", "finkel", "-n", "4", "--dry-run", "--json"))
    assert list(facts) == ["rules", "pieces", "path", *COST]
    assert facts["positions"] == 2602822
    assert facts["disk_bytes"] == 8 * 2602822 + facts["table_bytes"]
    assert facts["seconds"] > 0
    assert facts["fits"]
    assert not (tmp_path / "new").exists()
    assert "positions  2,602,822" in run("solve", "finkel", "-n", "4", "--dry-run")


def test_a_dry_run_of_what_does_not_fit_ends_with_1(no_room):
    said = run("solve", "murray", "-n", "7", "--dry-run", code=1)
    assert said == ""  # the answer is an answer, on standard output
    result = invoke("solve", "murray", "-n", "7", "--dry-run", "--json")
    facts = json.loads(result.stdout)
    assert (facts["fits"], facts["seconds"]) == (False, None)
    assert "of memory" in facts["reason"]
    facts = json.loads(invoke("solve", "finkel:1", "--dry-run", "--json").stdout)
    assert "are free: name a file on another disk" in facts["reason"]


def invoke(*arguments):
    from click.testing import CliRunner

    return CliRunner().invoke(cli, arguments)


def test_a_solve_that_does_not_fit_the_disk_is_refused_before_it_begins(tmp_path, no_room):
    table = tmp_path / "table.h5"
    assert "; 1 kB are free" in run("solve", "finkel:2", "-o", str(table), code=1)
    assert list(tmp_path.iterdir()) == []


def test_what_a_checkpoint_has_counts_as_there(tmp_path, monkeypatch):
    from ur_solver.errors import DiskLimitError
    from ur_solver.solving.costs import check_disk, disk_bytes
    from ur_solver.solving.request import Request

    rules, table = named_rules("finkel:3"), tmp_path / "table.h5"
    request = Request.of(rules)
    needed = disk_bytes(request)
    free = types.SimpleNamespace(free=needed - 500_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: free)
    with pytest.raises(DiskLimitError, match="finkel with 3 pieces needs"):
        check_disk(request, table)
    (tmp_path / "table.h5.blocks").mkdir()
    (tmp_path / "table.h5.blocks" / "blocks.bin").write_bytes(bytes(range(256)) * 2000)
    check_disk(request, table)


def test_folders_are_made_only_when_said(tmp_path, monkeypatch):
    result = invoke("solve", "finkel:1", "-o", str(tmp_path / "typo" / "table.h5"))
    assert result.exit_code == 1
    assert "cannot write to the folder" in result.stderr
    assert "typo" in result.stderr
    assert not (tmp_path / "typo").exists()
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "new"))
    assert f"made the folder {tmp_path / 'new'}\n" in invoke("solve", "blitz:1").stderr
    assert "made the folder" not in invoke("solve", "finkel:1").stderr


def test_verify_and_certify_as_json(tmp_path, solved):
    table = tmp_path / "table.h5"
    shutil.copy(solved(named_rules("finkel:1")), table)
    facts = json.loads(run("certify", str(table), "--json"))
    assert list(facts) == ["path", "error"]
    assert 0 < facts["error"] < 1e-11
    verdict = json.loads(run("verify", str(table), "--sample", "7", "--json"))
    assert list(verdict) == [
        "path", "right", "message", "positions", "chunks", "blocks", "residual", "sampled", "error",
    ]  # fmt: skip
    assert (verdict["right"], verdict["message"], verdict["sampled"]) == (True, None, 7)
    assert verdict["error"] == facts["error"]
    write_meaningless(tmp_path / "wrong.h5", named_rules("finkel:1"))
    result = invoke("verify", str(tmp_path / "wrong.h5"), "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["right"] is False
    assert json.loads(result.stdout)["message"] in result.stderr


def test_estimates_as_json(monkeypatch):
    """Of all rule sets with one piece a side; with all of them a space takes long to describe."""
    small = {name: rules.with_pieces(1) for name, rules in CATALOGUE.items()}
    monkeypatch.setattr("ur_solver.cli.rules.CATALOGUE", small)
    one = json.loads(run("rules", "finkel:2", "--estimate", "--json"))
    assert list(one) == ["rules", "pieces", *COST]
    assert (one["positions"], one["fits"]) == (12869, True)
    assert one["seconds"] > 0
    every = [json.loads(line) for line in run("rules", "--estimate", "--json").splitlines()]
    assert [each["rules"] for each in every] == list(CATALOGUE)
    assert all(each["seconds"] is None for each in every)
    assert "to solve   some" in run("rules", "finkel:2", "--estimate")


# progress


def events(text):
    return [json.loads(line) for line in text.splitlines()]


def test_progress_as_events(tmp_path):
    arguments = ["solve", "finkel:2", "-o", str(tmp_path / "a.h5"), "--progress", "json"]
    found = events(invoke(*arguments).stderr)
    assert [each["event"] for each in found][:1] == ["progress"]
    assert list(found[0]) == ["event", "task", "done", "total", "seconds", "left"]
    first, last = found[0], found[-1]
    assert (first["done"], first["total"], first["left"]) == (0, 12869, None)
    assert (last["done"], last["task"], last["left"]) == (12869, "solving", 0)
    assert invoke(*arguments, "--quiet", "--force").stderr == ""
    assert events(invoke(*arguments).stderr) == [{"event": "present"}]


def test_progress_as_lines(tmp_path):
    arguments = ["verify", "finkel:2", "--progress", "log"]
    run("solve", "finkel:2", "-q")
    lines = invoke(*arguments).stderr.splitlines()
    assert lines[0].startswith("verifying: 0 of 12,869 positions (0 %), 0 s")
    assert lines[-1].startswith("verifying: 12,869 of 12,869 positions (100 %), ")


def test_words_of_progress():
    count = Count("solving", 1000)
    assert count.line(250, 10.2) == "solving: 250 of 1,000 positions (25 %), 10 s, about 31 s left"
    assert json.loads(count.event(250, 10.2))["left"] == pytest.approx(30.6)


def test_a_log_goes_on_while_a_block_takes_long(capsys):
    import threading

    has_printed = threading.Event()

    def text(done: int, _seconds: float) -> str:
        if done:
            has_printed.set()
        return f"{done} done"

    with Ticker(text, 0.001, has_ends=False) as ticker:
        ticker.update(5, 10)
        assert has_printed.wait(30)  # by itself: nobody has reported anything since
    assert "5 done\n" in capsys.readouterr().err


def test_verbose_solves_log_what_they_do(tmp_path):
    arguments = ["solve", "finkel:1", "-o", str(tmp_path / "a.h5"), "--force"]
    once, twice = (invoke(*arguments, flag).stderr for flag in ("-v", "-vv"))
    assert "finkel:1: 217 positions in 6 blocks, to " in once
    assert "block 3: " not in once
    assert "block 3: " in twice
    assert invoke(*arguments).stderr == "replaced a table of finkel with 1 piece\n"


# signals


@pytest.mark.skipif(os.name == "nt", reason="no SIGTERM to a process on Windows")
def test_sigterm_keeps_the_finished_blocks(tmp_path):
    table = tmp_path / "table.h5"
    command = [sys.executable, "-m", "ur_solver", "solve", "finkel:5", "-o", str(table)]
    with subprocess.Popen(
        [*command, "--threads", "1", "-vv"], stderr=subprocess.PIPE, text=True
    ) as process:
        for line in process.stderr:
            if "block " in line:
                break
        process.send_signal(signal.SIGTERM)
        rest = process.stderr.read()
        assert process.wait(60) == 143
    assert "the same command resumes" in rest
    assert "Traceback" not in rest
    assert not table.exists()
    assert list((tmp_path / "table.h5.blocks").glob("*/*.block"))
