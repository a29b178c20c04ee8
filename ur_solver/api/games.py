"""Recorded games: read from files, and played by players that the program knows."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ur_solver import records
from ur_solver.common.files import path_text
from ur_solver.common.text import whole_number
from ur_solver.errors import WrongTypeError
from ur_solver.records import GameRecord, RecordFault, find_files, read_file
from ur_solver.rules import RuleSet

if TYPE_CHECKING:
    import numpy.typing as npt

    from ur_solver.api.table import Judge
    from ur_solver.audit.audits import GameAudit
    from ur_solver.players.policies import PolicyLike


class Games:
    """The games of some files, read as they are asked for; what could not be read is apart.

    Each iteration reads the files anew.

    Attributes
    ----------
    faults : list of RecordFault
        The games that could not be read, so far in this iteration.
    warnings : list of RecordFault
        What was read in another way than it is written, so far in this iteration: the first line
        of a file that is not UTF-8, which is read as Windows-1252.
    """

    def __init__(self, paths: tuple[str, ...], rules: RuleSet | None) -> None:
        self._paths = paths
        self._rules = rules
        self.faults: list[RecordFault] = []
        self.warnings: list[RecordFault] = []

    def __iter__(self) -> Iterator[GameRecord]:
        self.faults.clear()
        self.warnings.clear()
        for path in find_files(self._paths):
            for game in read_file(path, self._rules, self.warnings.append):
                if isinstance(game, RecordFault):
                    self.faults.append(game)
                else:
                    yield game

    def __repr__(self) -> str:
        return f"Games({', '.join(map(repr, self._paths))})"


def read_games(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], rules: RuleSet | None = None
) -> Games:
    """The recorded games of some files.

    Parameters
    ----------
    paths : path, or paths
        Files in RoyalUr's JSON notation, RGN or the plain notation; a folder stands for all
        games in it, ``"-"`` for standard input.
    rules : RuleSet, optional
        What games that name no rules were played by, as none in RGN does. A game that names
        other rules is a fault.

    Returns
    -------
    Games
        An iterable of `GameRecord`; its ``faults`` are the games that could not be read.

    Raises
    ------
    RecordError
        While reading, if a folder has no games.

    Examples
    --------
    >>> import ur_solver as ur
    >>> games = ur.read_games("docs/example.rgn")
    >>> [(len(game.plies), game.winner) for game in games], games.faults
    ([(66, 'L')], [])
    """
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    if not isinstance(paths, Iterable) or isinstance(paths, bytes):
        raise WrongTypeError(
            f"{paths!r:.60} is of type {type(paths).__name__}; expected paths of files"
        )
    return Games(tuple(path_text(path) for path in paths), rules)


def ply_columns(
    games: Iterable[GameRecord] | Iterable[GameAudit], table: Judge | None = None
) -> dict[str, npt.NDArray[Any]]:
    """The plies of many games as columns, from which a data frame can be made; a row each.

    Parameters
    ----------
    games : iterable of GameRecord, or of GameAudit
        Such as `Games`, or what `sample` and `Table.audits` return.
    table : Table or Estimator, optional
        Judges the games, which must be records of its rule set. By default records are not judged.

    Returns
    -------
    dict of str to array, shape (plies,)
        If there was more than one choice before a throw, the choice has a row of its own, before
        the row of the throw. Texts are objects. The columns are: ``game`` (int64, the number among
        the games, from 0), ``rules``, ``title`` (the file, and the number of the game in it),
        ``ply`` (int64, the number of the throw in its game, from 1), ``player`` (None if it is
        unknown), ``time`` (int64, milliseconds since the start of the game, 0 if unknown), ``side``
        (``"light"`` or ``"dark"``), ``position`` (in notation, before the throw), ``throw`` (a
        text, since there may be two throws; empty in the row of a choice), ``move`` (None for a
        turn without one; in the row of a choice its name) and ``choice`` (bool, whether there was
        more than one option). Judged games also have the columns of `GameAudit.columns`: ``best``,
        ``value``, ``best_value``, ``loss``, ``luck``, ``mark``, and ``error`` and ``loss_error`` if
        values are estimates; they have rows for the plies that the table judges.

    Raises
    ------
    WrongTypeError
        If `games` are not all records or all audits, or if they are audits and a table is given.
    RuleSetMismatchError, BeyondTableError
        As `Table.audit` does.

    Examples
    --------
    >>> import ur_solver as ur
    >>> table = ur.solve("finkel:3")
    >>> columns = ur.ply_columns(ur.sample(table, 100, dark="greedy"), table)
    >>> is_dark = columns["side"] == "dark"
    >>> bool(columns["loss"][~is_dark].sum() < 1e-6 < columns["loss"][is_dark].sum())
    True
    """
    from ur_solver.audit.audits import GameAudit, columns_of  # noqa: PLC0415 - a query needs none

    if not isinstance(games, Iterable):
        raise WrongTypeError(f"games is {games!r:.60}; expected games, as in a list")
    found: list[Any] = list(games)
    kinds = (GameRecord,) if table is not None else (GameRecord, GameAudit)
    if not any(all(isinstance(each, kind) for each in found) for kind in kinds):
        types = ", ".join(sorted({type(each).__name__ for each in found}))
        which = "records" if table is not None else "records alone, or audits alone"
        raise WrongTypeError(f"games are of type {types}; expected {which}")
    return columns_of(found if table is None else table.audits(found))


def write_games(games: Iterable[GameRecord], path: str | os.PathLike[str]) -> None:
    """Write games to a file, in the notation that its suffix names; none where there are none.

    Parameters
    ----------
    games : iterable of GameRecord
    path : path
        ``.rgn`` for RGN, ``.json`` for RoyalUr's JSON (a game a line where there are several),
        ``.ur`` for the plain notation, which has games of all rule sets.

    Raises
    ------
    RecordError
        If the suffix is none of these.
    RuleSetError
        If the notation cannot carry the games' rule set.
    OutputError
        If a table is there, or the file cannot be written.
    """
    if not isinstance(games, Iterable):
        raise WrongTypeError(f"games is {games!r:.60}; expected games, as in a list")
    output = pathlib.Path(path_text(path))
    from ur_solver.table.output import refuse_table  # noqa: PLC0415 - for those who write

    refuse_table(output)
    records.write_games(games, output)


def sample(
    table: Judge,
    games: int = 100,
    *,
    light: PolicyLike = "table",
    dark: PolicyLike = "table",
    seed: int = 1,
) -> Iterator[GameRecord]:
    """Games of players that the program knows, by a table's rules.

    Parameters
    ----------
    table : Table or Estimator
    games : int
    light, dark : str, function or Policy
        ``table`` plays by the table; ``strong``, ``medium`` and ``weak`` do so with growing
        carelessness; ``greedy`` captures, else gets another throw, else moves its foremost piece;
        ``first`` moves its rearmost piece; ``random`` moves any. Rules of thumb and functions are
        taken too (`ur_solver.players.policies.policy_of`). Light throws first. Ben's game begins
        with its opening instead; both players then take the best squares by the table.
    seed : int
        Of the dice and the players: the same seed plays the same games.

    Raises
    ------
    InputError
        If there is no such player, or the seed or the number of games is none.

    Examples
    --------
    >>> import ur_solver as ur
    >>> table = ur.solve("finkel:3")
    >>> len(list(ur.sample(table, 10, dark="random")))
    10
    """
    import numpy as np  # noqa: PLC0415 - with what needs it

    if not hasattr(table, "rules") or not hasattr(table, "state_values"):
        raise WrongTypeError(
            f"{table!r:.60} is of type {type(table).__name__}; expected a table or an estimator"
        )
    from ur_solver.audit.games import play_many  # noqa: PLC0415 - a query needs none of it
    from ur_solver.players.policies import policy_of  # noqa: PLC0415

    return play_many(
        table.rules,
        policy_of(light, table),
        policy_of(dark, table),
        whole_number("games", games),
        np.random.default_rng(whole_number("seed", seed)),
        {side: _name(player) for side, player in (("Light", light), ("Dark", dark))},
        table,
    )


def _name(player: PolicyLike) -> str:
    return player if isinstance(player, str) else getattr(player, "__name__", repr(player))
