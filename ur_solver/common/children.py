"""Programs that this process starts, which end with it, as does all that they have started."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
from collections.abc import Sequence

_MARK = "UR_SOLVER_CHILD"
"""The variable by which a child's own children are found, whatever session they are in."""

_PASSES = 5
"""How often children are looked for, as they may start others meanwhile."""

# It gets a line once the child has ended, and none if this process ends first, even if it is killed
_WATCH = 'read -r _ || kill -s KILL -- "-$0"'


class Child:
    """A running program, with all that it starts.

    `command` is the program with its arguments. Its input and output are pipes of text; its errors
    go where those of this process go. Raises OSError or ValueError if it cannot be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._mark = secrets.token_hex(16)
        marks = f"{os.environ.get(_MARK, '')} {self._mark}"
        self._is_ended = False
        self._watch: subprocess.Popen[bytes] | None = None
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            env=os.environ | {_MARK: marks},
            start_new_session=True,
        )
        try:
            if os.name == "posix":
                self._watch = subprocess.Popen(
                    ["/bin/sh", "-c", _WATCH, str(self.process.pid)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
        except BaseException:
            self.end(0)
            raise

    def exit_code(self, seconds: float) -> int | None:
        """The code that it ended with; None if it has not ended after some seconds."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def end(self, seconds: float) -> None:
        """Wait some seconds for it to end; then end it, and all that it has started, by force."""
        if self._is_ended:
            return
        self._is_ended = True
        try:
            self.exit_code(seconds)
        finally:
            if os.name == "posix":
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()
            self.process.wait()
            _end_marked(self._mark)
            if self._watch is not None:
                self._watch.communicate(b"\n")


def _end_marked(mark: str) -> None:
    """End the processes that have a mark in their environment, and so what they have started."""
    import psutil  # noqa: PLC0415 - takes 15 ms, and no other command needs it

    for _ in range(_PASSES):
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                if mark in process.environ().get(_MARK, ""):
                    process.kill()
                    found.append(process)
        if not found:
            return
        psutil.wait_procs(found, timeout=1)
