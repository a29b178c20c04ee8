"""The versions of a game that is being played or recorded; none of them is ever lost."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ur_solver.common.files import make_folder
from ur_solver.errors import UrError
from ur_solver.records.notations import read_file, write_games
from ur_solver.records.record import Ending, GameRecord

_RUN, _AT, _LEFT = "Run", "At", "Left"
"""Headers in the file of a history: the first length of a run, the length of `now`, and the mark of
a version that was left."""


class Run(NamedTuple):
    """Versions of a game, each an entry longer than the one before, from length `first` on."""

    first: int
    last: GameRecord


class History:
    """The versions of a game, with undo and redo; `now` is the one that counts.

    The versions form runs. In a run each version has one entry more than the one before: a turn, a
    round of the opening, or an end that was declared. A correction begins another run. If the game
    takes another course, the versions after `now` are kept in `left`.
    """

    def __init__(self, begun: GameRecord) -> None:
        self._runs = [Run(0, begun)]
        self._run, self._length = 0, length(begun)
        self.left: list[GameRecord] = []

    @property
    def now(self) -> GameRecord:
        """The version that counts."""
        return beginning(self._runs[self._run].last, self._length)

    @property
    def has_versions(self) -> bool:
        """Whether there are versions other than beginnings of the game as it is."""
        return bool(self.left) or self._runs != [Run(0, self.now)]

    def add(self, record: GameRecord) -> None:
        """Make a version the one that counts, after the last one that did."""
        ahead = self._ahead()
        if ahead is not None and is_same(self._version(*ahead), record):
            self._run, self._length = ahead
            return
        self._leave()
        first, last = self._runs[-1]
        if _follows(record, last):
            self._runs[-1] = Run(first, record)
            self._length = length(record)
        else:
            self._begin_run(record, length(record))

    def undo(self) -> bool:
        """Go back by a version; False if there is none."""
        if self._length > self._runs[self._run].first:
            self._length -= 1
        elif self._run > 0:
            self._run -= 1
            self._length = length(self._runs[self._run].last)
        else:
            return False
        return True

    def redo(self) -> bool:
        """Go forward by a version; False if there is none."""
        ahead = self._ahead()
        if ahead is not None:
            self._run, self._length = ahead
        return ahead is not None

    def take_up(self, number: int) -> None:
        """Make a version left the one that counts; undo goes back through its turns."""
        record, now = self.left.pop(number), self.now
        self._leave()
        common = 0
        while common < length(record) and begins(beginning(record, common + 1), now):
            common += 1
        self._begin_run(record, min(common + 1, length(record)))

    def _begin_run(self, record: GameRecord, first: int) -> None:
        self._runs.append(Run(first, record))
        self._run, self._length = len(self._runs) - 1, length(record)

    def _version(self, run: int, at: int) -> GameRecord:
        return beginning(self._runs[run].last, at)

    def _ahead(self) -> tuple[int, int] | None:
        """Where the version after `now` is."""
        if self._length < length(self._runs[self._run].last):
            return self._run, self._length + 1
        if self._run + 1 < len(self._runs):
            return self._run + 1, self._runs[self._run + 1].first
        return None

    def _leave(self) -> None:
        """Leave what comes after `now`."""
        if self._ahead() is None:
            return
        now, (first, last) = self.now, self._runs[self._run]
        gone = [last] if length(last) > self._length else []
        for each in [*gone, *(run.last for run in self._runs[self._run + 1 :])]:
            # versions that are the beginning of this one are in it
            self.left = [other for other in self.left if not begins(other, each)]
            self.left.append(each)
        self._runs[self._run :] = [Run(first, now)]

    # In a file of games, so that a game that is left goes on with all its versions.

    def save(self, path: Path) -> None:
        """Write the history; OutputError if that fails."""
        make_folder(path.parent)
        marked = [(each, {_LEFT: "1"}) for each in self.left]
        for number, (first, last) in enumerate(self._runs):
            at = {_AT: str(self._length)} if number == self._run else {}
            marked.append((last, {_RUN: str(first), **at}))
        write_games((replace(each, metadata=marks) for each, marks in marked), path)

    @classmethod
    def load(cls, path: Path, record: GameRecord) -> History:
        """The history in a file if that leads to this game; else one that begins with it."""
        history = cls(record)
        try:
            history._read(path, record)
        except (UrError, ValueError, OSError):
            return cls(record)
        return history if is_same(history.now, record) else cls(record)

    def _read(self, path: Path, record: GameRecord) -> None:
        runs: list[Run] = []
        left: list[GameRecord] = []
        for game in read_file(str(path), record.rules):
            if not isinstance(game, GameRecord):
                raise ValueError
            marks = game.metadata
            own = replace(game, metadata=record.metadata, file=record.file, number=record.number)
            if _LEFT in marks:
                left.append(own)
                continue
            if _AT in marks:
                self._run, self._length = len(runs), int(marks[_AT])
            runs.append(Run(int(marks[_RUN]), own))
        if runs:
            self._runs, self.left = runs, left


def length(record: GameRecord) -> int:
    """The number of entries of a game: rounds of the opening, turns, and an end if declared."""
    return len(record.opening) + len(record.plies) + _is_said(record)


def _is_said(record: GameRecord) -> bool:
    """Whether a game's end was declared and was not reached on the board."""
    return record.ending not in (Ending.UNFINISHED, Ending.WON)


def beginning(record: GameRecord, count: int) -> GameRecord:
    """The first rounds and turns of a game, as long as it was not over; `length` is their count."""
    if count >= length(record):
        return record
    n_rounds = min(count, len(record.opening))
    n_plies = min(count - n_rounds, len(record.plies))
    start = record.start if n_rounds == len(record.opening) else record.rules.start()
    return replace(
        record,
        start=start,
        opening=record.opening[:n_rounds],
        plies=record.plies[:n_plies],
        ending=Ending.UNFINISHED,
        winner=None,
        loser_by_choice=None,
        reason=None,
        comments={number: text for number, text in record.comments.items() if number <= n_plies},
    )


def _follows(record: GameRecord, last: GameRecord) -> bool:
    """Whether a game is another with one more round, turn or end."""
    return (
        length(record) == length(last) + 1
        and not _is_said(last)
        and record.opening[: len(last.opening)] == last.opening
        and record.plies[: len(last.plies)] == last.plies
    )


def begins(record: GameRecord, other: GameRecord) -> bool:
    """Whether a game is the beginning of another, or the same."""
    return length(record) <= length(other) and is_same(record, beginning(other, length(record)))


def is_same(one: GameRecord, other: GameRecord) -> bool:
    """Whether two games have the same turns, rounds and ends; names and comments do not count."""
    return _course_of(one) == _course_of(other)


def _course_of(record: GameRecord) -> Hashable:
    turns = tuple((ply.side, ply.throws, ply.chosen, ply.played) for ply in record.plies)
    end = (record.ending, record.winner, record.loser_by_choice, record.reason)
    rounds = tuple((each.throws, each.text) for each in record.opening)
    return record.start.notation, rounds, turns, end
