"""The commands as processes: the entry point, pipes, and which modules they import."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.medium

START = "....__../......../....__.. L 2 2"


def ur(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ur_solver", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, **options
    )


def test_a_pipe_of_many_positions(finkel2):
    result = ur("query", str(finkel2), "-", "--json", input=f"{START}\n" * 5000)
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert len(lines) == 5000
    assert len(set(lines)) == 1
    assert json.loads(lines[0])["position"] == START


@pytest.mark.parametrize(
    "words",
    [("query", "finkel:1", "-"), ("audit", "-"), ("play", "finkel:1"), ("tables", "remove")],
)
def test_a_closed_standard_input_is_said_so(finkel2, words):
    given = [*words, str(finkel2)] if words[-1] == "remove" else words
    command = shlex.join([sys.executable, "-m", "ur_solver", *given])
    found = subprocess.run(
        f"{command} <&-", shell=True, capture_output=True, text=True, timeout=300, check=False
    )
    assert found.returncode == 2
    assert "standard input is closed" in found.stderr
    assert "Traceback" not in found.stderr
    assert finkel2.exists()


def test_answers_come_before_the_next_question(finkel2):
    command = [sys.executable, "-m", "ur_solver", "query", str(finkel2), "-", "--json"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        for _ in range(3):
            process.stdin.write(f"{START}\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["position"] == START
        process.stdin.close()
        assert process.wait(60) == 0


def asked(table) -> subprocess.Popen[str]:
    """`ur query TABLE -`, waiting for positions."""
    return subprocess.Popen(
        [sys.executable, "-m", "ur_solver", "query", str(table), "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_closed_pipe_is_no_traceback(finkel2):
    with asked(finkel2) as process:
        process.stdin.write(f"{START}\n")
        process.stdin.flush()
        assert process.stdout.readline().startswith(START)
        process.stdout.close()
        process.stdin.write(f"{START}\n" * 1000)
        process.stdin.close()
        assert process.stderr.read() == ""
        assert process.wait(60) != 0


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to a process on Windows")
def test_ctrl_c_is_quiet(finkel2):
    with asked(finkel2) as process:
        process.stdin.write(f"{START}\n")
        process.stdin.flush()
        assert process.stdout.readline().startswith(START)  # it is running
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr.read() == ""


def test_exit_codes_of_processes(finkel2, tmp_path):
    assert ur("--version").returncode == 0
    wrong = ur("query", str(finkel2), "x")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("Error: position 'x'")
    (tmp_path / "cut.h5").write_bytes(finkel2.read_bytes()[:1000])
    assert ur("info", str(tmp_path / "cut.h5")).returncode == 1


@pytest.mark.skipif(os.name == "nt", reason="no shell that closes stdout")
def test_an_answer_that_nobody_wants_is_no_fault(finkel2):
    command = f'"{sys.executable}" -m ur_solver query "{finkel2}" "{START}" >&-'
    result = subprocess.run(
        command, shell=True, stderr=subprocess.PIPE, text=True, timeout=300, check=False
    )
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_an_answer_that_cannot_be_written_is_no_success(finkel2):
    for arguments in (["--version"], ["query", str(finkel2), START]):
        command = [sys.executable, "-m", "ur_solver", *arguments]
        with open("/dev/full", "w") as full:
            result = subprocess.run(
                command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=300, check=False
            )
        assert result.returncode == 1
        assert result.stderr == "Error: reading or writing: No space left on device\n"


def test_best_by_name(finkel2):
    result = ur("best", "finkel:2", START, "4", "--json")
    assert [move["move"] for move in json.loads(result.stdout)["moves"]] == ["A@A1*"]


@pytest.mark.skipif(os.name == "nt", reason="no such terminals on Windows")
def test_a_bar_counts_positions_on_a_terminal_only(tmp_path):
    import pty  # does not exist on Windows
    import termios

    command = [sys.executable, "-m", "ur_solver", "solve", "finkel:2", "-o"]
    terminal, end = pty.openpty()
    termios.tcsetwinsize(end, (24, 100))  # without columns there is no bar
    with open(terminal, "rb", buffering=0) as screen:
        subprocess.run(
            [*command, str(tmp_path / "a.h5")], stdout=subprocess.DEVNULL, stderr=end, check=True
        )
        os.write(end, b"end")  # so that there is something to read
        shown = screen.read(1 << 16).decode(errors="replace")
        os.close(end)
    assert "solving" in shown
    assert "/12.9k" in shown  # positions in all
    assert " positions/s" in shown
    result = subprocess.run([*command, str(tmp_path / "b.h5")], capture_output=True, check=True)
    assert result.stderr == b""


SOLVING = ("ur_solver.solving", "ur_solver.engine", "ur_solver.kernel", "tqdm", "rich", "psutil")
OTHERS = (
    "ur_solver.rules.descriptions",
    "ur_solver.moves",
    "ur_solver.players",
    "ur_solver.records",
    "ur_solver.audit",
    "ur_solver.study",
    "ur_solver.estimators.estimator",
)
"""What neither a table nor the rules need."""

WRITING = (
    "ur_solver.blocks.folder",
    "ur_solver.blocks.folder",
    "ur_solver.blocks.folder",
    "ur_solver.table.folder_source",
    "ur_solver.table.output",
    "ur_solver.table.output",
    "ur_solver.table.output",
    "ur_solver.table.writer",
    "ur_solver.table.writer",
    "concurrent.futures",
    "shutil",
)
"""What a reader of a table in one file does without."""

ANSWERING = (*SOLVING, *OTHERS, *WRITING)


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (["--help"], ["numpy", "h5py", "ur_solver.rules", *SOLVING, *OTHERS]),
        (["--version"], ["numpy", "h5py", "ur_solver.rules", *SOLVING, *OTHERS]),
        (["moves", "finkel:2", START, "1"], ["numpy", "h5py", *SOLVING, *OTHERS]),
        (["tables"], SOLVING),
        (["query", "finkel:2", START], [*SOLVING, *OTHERS]),
        (["query", "TABLE", START], [*ANSWERING, "platformdirs"]),
        (["best", "TABLE", START, "1"], [*ANSWERING, "platformdirs"]),
        (["best", "finkel:2", START, "1"], [*SOLVING, *OTHERS]),
        (["solve", "finkel:1", "-o", "OUTPUT"], ["tqdm", "rich"]),
    ],
)
def test_commands_import_only_what_they_use(finkel2, tmp_path, arguments, unwanted):
    # imports are most of the time that a process takes to start
    files = {"TABLE": str(finkel2), "OUTPUT": str(tmp_path / "new.h5")}
    arguments = [files.get(argument, argument) for argument in arguments]
    program = (
        "import sys, ur_solver.cli\n"
        f"try: ur_solver.cli.cli({arguments!r})\n"
        f"finally: sys.stderr.write(' '.join(set(sys.modules) & set({unwanted!r})))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False
    )
    assert (result.returncode, result.stderr) == (0, "")
