"""A file of games that grows: the games in it stay, and one more is written as it goes on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ur_solver.common.files import free_path, write_file
from ur_solver.errors import InputError, RecordError
from ur_solver.records.history import begins
from ur_solver.records.notations import notation_of, read_text, text_of_file, written_games
from ur_solver.records.record import Ending, GameRecord, RecordFault, Replay
from ur_solver.rules import RuleSet


class Series:
    """The games of a file, which need not exist yet, and the place of one that is being played.

    Attributes
    ----------
    path : Path
        Where the game is written. If another program changes the file, the game goes on in
        another one, with a number after the name.
    games : tuple of GameRecord
        Those that the file had when it was read.
    number : int
        The number of the game that is written, among those of the file, from 1.

    Raises
    ------
    InputError
        If there is something else than a file of games, or no game can be added to it.
    """

    def __init__(self, path: Path, rules: RuleSet) -> None:
        self.path = path
        self._notation = notation_of(path.suffix)
        self._seen = text = _text_at(path)
        self.games = tuple(_games(path, text, rules)) if text.strip() else ()
        self._before, self.number = text, len(self.games) + 1
        if self.games:
            if not text.endswith("\n"):
                self._before += "\n"
            self._before += self._notation.between
            self._check(rules)

    def _check(self, rules: RuleSet) -> None:
        """Check that a game can be added; it cannot if the others are in another notation."""
        added = f"{self._before}{self._notation.write(Replay(rules).finish())}\n"
        found = list(read_text(added, rules))
        if len(found) != self.number or not isinstance(found[-1], GameRecord):
            raise InputError(
                f"{str(self.path)!r} has games in another notation than {self._notation.name}; "
                "name another file, or convert it ('ur convert')"
            )

    def resume(self) -> None:
        """Write in the place of the last game, which goes on."""
        others = self.games[:-1]
        self._before = "".join(written_games(others, self._notation))
        self._before += self._notation.between if others else ""
        self.number = len(self.games)

    def begins(self, record: GameRecord) -> bool:
        """Whether the last game is unfinished, and is the beginning of this one."""
        if not self.games or self.games[-1].ending is not Ending.UNFINISHED:
            return False
        last = Replay.resumed(self.games[-1]).finish()
        return last.rules.is_same_game(record.rules) and begins(last, record)

    def write(self, record: GameRecord) -> None:
        """Write the game after the others; OutputError if that fails."""
        if _text_at(self.path) != self._seen:
            self.path = free_path(self.path)
            self._before, self.number = "", 1
        write_file(self.path, f"{self._before}{self._notation.write(record)}\n")
        self._seen = _text_at(self.path)


def _text_at(path: Path) -> str:
    """The text of a file; empty if there is none, or something else, such as a pipe."""
    if not path.is_file():
        return ""
    try:
        return text_of_file(str(path))
    except RecordError as error:
        raise InputError(f"no game can be added to {str(path)!r}: {error}") from None


def _games(path: Path, text: str, rules: RuleSet) -> Sequence[GameRecord]:
    for of_them in (None, rules):  # games without a rule set are taken for games of these rules
        found = list(read_text(text, of_them, str(path)))
        fault = next((each for each in found if isinstance(each, RecordFault)), None)
        games = [each for each in found if isinstance(each, GameRecord)]
        if fault is None:
            return games
    if games:
        raise InputError(f"no game can be added where one cannot be read: {fault}")
    raise InputError(f"{str(path)!r} exists and is no file of games; name another file")
