"""Players that are programs of their own: a line protocol over standard input and output.

The program is sent a line and, where that asks for something, answers with one:

    ur                                        -> ready NAME
    newgame RULES
    position P throw T moves M1, M2, ...      -> move M
    position P choices C1, C2, ...            -> choice C
    quit

P is a position in notation, in which the program is the side to throw. T is the throw that moves
a piece. The moves are the legal ones, as RGN writes them, in the order of `legal_moves`; choices
are those before the throw that some rule sets have. Only what leaves a choice is asked. A line
that begins with ``info`` is ignored.
"""

from __future__ import annotations

import contextlib
import queue
import shlex
import subprocess
import threading
from typing import NamedTuple

from ur_solver.common.files import Closing
from ur_solver.errors import InputError
from ur_solver.rules import Position

_LEAVE = 1.0
"""Seconds that a program has to end after ``quit``."""

_MOST_LINE = 10_000
"""The longest line that is read; a longer one is cut, and so is no answer."""


class Decision(NamedTuple):
    """What a player of a whole game is asked.

    Attributes
    ----------
    position : Position
    throw : int or None
        The throw that moves a piece; None before the throw.
    choice : str
        The choice made before the throw.
    options : tuple of str
        Legal moves, or choices before the throw.
    """

    position: Position
    throw: int | None
    choice: str
    options: tuple[str, ...]


class Program(Closing):
    """A running program that plays; it ends with the context.

    Parameters
    ----------
    command : str
        As a shell would read it, without its expansions.
    seconds : float
        The time for each answer.

    Attributes
    ----------
    name : str
        As it calls itself.

    Raises
    ------
    InputError
        If it cannot be started or does not answer; later, if it ends, takes too long, or answers
        anything but what it is asked.
    """

    def __init__(self, command: str, seconds: float = 10.0) -> None:
        self._command, self._seconds = command, seconds
        try:
            self._process = subprocess.Popen(
                shlex.split(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
            )
        except IndexError:
            raise InputError(f"player {command!r:.200} has no command to start") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(f"player {command!r:.200} cannot be started: {reason}") from None
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            self.name = self._asked("ur", "ready") or command
        except BaseException:
            self.close()
            raise

    def _read(self) -> None:
        assert self._process.stdout is not None
        while line := self._process.stdout.readline(_MOST_LINE):
            self._lines.put(line)
        self._lines.put(None)

    def new_game(self, rules: str) -> None:
        """Tell the program that a game begins."""
        self._send(f"newgame {rules}")

    def decide(self, decision: Decision) -> int:
        """The index of the option that it takes."""
        notation, throw = decision.position.notation, decision.throw
        noun, ask = ("choice", "choices") if throw is None else ("move", f"throw {throw} moves")
        line = f"position {notation} {ask} {', '.join(decision.options)}"
        answer = self._asked(line, noun)
        if answer not in decision.options:
            raise InputError(
                f"player {self._command!r:.200}, asked '{line:.500}', answered "
                f"{f'{noun} {answer}'!r:.100}, which is none of these"
            )
        return decision.options.index(answer)

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):  # it has ended: the next answer is missing
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()

    def _asked(self, line: str, word: str) -> str:
        """The rest of the answer that begins with a word."""
        self._send(line)
        where = f"player {self._command!r:.200}, asked '{line:.500}',"
        while True:
            try:
                answer = self._lines.get(timeout=self._seconds)
            except queue.Empty:
                raise InputError(f"{where} did not answer within {self._seconds:g} s") from None
            if answer is None:
                self._lines.put(None)
                code = self._process.wait()
                raise InputError(f"{where} ended with exit code {code} instead of answering")
            first, _, rest = answer.strip().partition(" ")
            if first == word:
                return rest.strip()
            if first != "info":
                raise InputError(f"{where} answered {answer.strip()!r:.100}; expected '{word} ...'")

    def close(self) -> None:
        """End the program, by force if it does not leave."""
        self._send("quit")
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(_LEAVE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(_LEAVE)  # a child of the program may still hold its output open
        if not self._reader.is_alive():
            assert self._process.stdout is not None
            self._process.stdout.close()
