"""The game in play, saved after every turn so that it can be resumed."""

from __future__ import annotations

import pathlib
from contextlib import suppress

from ur_solver.errors import InputError, OutputError, RecordError
from ur_solver.records import GameRecord, RecordFault, read_file, write_games
from ur_solver.rules import RuleSet
from ur_solver.table.names import games_folder, own_path

SEED = "Seed"
"""The header with the seed of the dice, so that a resumed game gets the same dice."""


def _rules_at(path: pathlib.Path) -> RuleSet | None:
    """The rules of the game saved at a path."""
    if path.is_file():
        for game in read_file(str(path)):
            if isinstance(game, GameRecord):
                return game.rules
    return None


class KeptGame:
    """The saved game in play of a rule set.

    Parameters
    ----------
    rules : RuleSet

    Attributes
    ----------
    path : Path
        The file, in the plain notation, which has games of all rule sets.
    """

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self.path = own_path(rules, lambda stem: games_folder() / f"{stem}.ur", _rules_at)

    def exists(self) -> bool:
        """Whether a game can be resumed."""
        return self.path.exists()

    def load(self) -> GameRecord:
        """The saved game.

        Raises
        ------
        InputError
            If there is none.
        RecordError
            If it cannot be read, or has other rules.
        """
        if not self.exists():
            raise InputError(f"no game of {self._rules.word} to resume")
        (game, *_) = read_file(str(self.path), self._rules)
        if isinstance(game, RecordFault):
            raise RecordError(str(game))
        return game

    def save(self, record: GameRecord) -> None:
        """Save a game in place of the previous one.

        Raises
        ------
        OutputError
            If it cannot be written.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"cannot save the game: {error}") from None
        write_games([record], self.path)

    def remove(self) -> None:
        """Remove the saved game."""
        with suppress(OSError):
            self.path.unlink()
