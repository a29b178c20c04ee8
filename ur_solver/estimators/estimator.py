"""Estimators as users know them: the questions of a table, answered by a network and a search.

They lie in the folder ``estimators`` of each folder of tables, under the names that the rule sets'
tables have; those that come with the program are looked for last.
"""

from __future__ import annotations

import math
import os
import pathlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import Values, totals_of
from ur_solver.answers.inventory import Kept, Kind
from ur_solver.answers.locate import find_file, find_part, ignore, ignored_text, is_rule_set
from ur_solver.answers.positions import (
    PositionLike,
    PositionsLike,
    are_states,
    goes_on,
    position_from,
    states_from,
    value_when_over,
)
from ur_solver.api.table import Judge, Table
from ur_solver.common.files import NAME_OR_PATH, path_text
from ur_solver.common.text import whole_number
from ur_solver.errors import (
    InputError,
    MissingEstimatorError,
    NotAnEstimatorError,
    RuleSetMismatchError,
    UrError,
)
from ur_solver.estimators import DEFAULT_PLIES, MOST_PLIES, MOST_SECONDS
from ur_solver.estimators import file as files
from ur_solver.estimators.calibration import agreement_of, half_widths
from ur_solver.estimators.file import read
from ur_solver.estimators.network import NetworkValues, scale_of
from ur_solver.estimators.search import Searched
from ur_solver.moves import generator_of
from ur_solver.rules import Position, RuleSet, named_rules
from ur_solver.space import space_of
from ur_solver.table.format import disk_bytes
from ur_solver.table.names import ESTIMATORS, file_stems, own_path, table_folders, table_name

if TYPE_CHECKING:
    from ur_solver.estimators.against_table import TableComparison
    from ur_solver.estimators.deepening import SureDecision
    from ur_solver.study.estimates import IntervalEstimate


class Estimator(Judge):
    """Estimates of the values of a game that is too large for a table, and what follows from them.

    Values are what a table's are: win probabilities of the side about to throw, or with stakes the
    money that it may expect. They come from a network at the leaves of a search, and none is exact
    but where the game is over or drawn, or where a table of the game's endings has the position.
    Safe from several threads.

    Parameters
    ----------
    path : path, or Stored
        An estimator as ``ur train`` makes it. `open_estimator` finds one by the rule set's name.
    plies : int
        How far a choice looks ahead, from 1, the move itself, to 4. The value of a position is
        then that of a search of a ply less.
    exact : Table, optional
        A table of the same rules, of the endings or of all positions.

    Attributes
    ----------
    stored : Stored
        What the file holds: how it was made, what was measured of it.
    path : pathlib.Path or None

    Raises
    ------
    MissingEstimatorError, NotAnEstimatorError, EstimatorVersionError, DamagedEstimatorError
        If there is no such file, or it is none, of another version, or damaged.
    RuleSetMismatchError
        If the table is of another rule set.
    InputError
        If `plies` is out of range.
    """

    are_exact: ClassVar[Literal[False]] = False
    """Its values are estimates, except those that `is_exact` names."""

    def __init__(
        self,
        path: str | os.PathLike[str] | files.Stored,
        *,
        plies: int = DEFAULT_PLIES,
        exact: Table | None = None,
    ) -> None:
        self.path = None if isinstance(path, files.Stored) else pathlib.Path(path)
        self.stored = path if isinstance(path, files.Stored) else files.read(pathlib.Path(path))
        rules = self.stored.rules
        if exact is not None:
            self._check_same_game(exact)
        whole_number("plies", plies, 1, MOST_PLIES)
        self.space = space_of(rules)
        self.plies = plies
        self.exact = exact
        self.network = NetworkValues(rules, self.stored.shape, self.stored.weights)
        self._searched = Searched(self.network, plies - 1, exact)

    def _check_same_game(self, table: Table) -> None:
        if not table.rules.is_same_game(self.rules):
            raise RuleSetMismatchError(
                f"the table is of {table.rules.title}, the estimator of {self.rules.title}"
            )

    @property
    def rules(self) -> RuleSet:
        """The rule set."""
        return self.stored.rules

    def looking(self, plies: int) -> Estimator:
        """The same estimator with choices that look another number of plies ahead."""
        return _made(self.path, self.stored, plies, self.exact)

    def __reduce__(self) -> tuple[Callable[..., Estimator], tuple[Any, ...]]:
        return _made, (self.path, self.stored, self.plies, self.exact)

    @property
    def digest(self) -> str:
        """A checksum of everything that the answers depend on."""
        exact = [] if self.exact is None else [self.exact.digest]
        return "-".join([self.stored.digest, str(self.plies), *exact])

    def check_whole(self, purpose: str) -> None:
        """Do nothing: an estimator answers for the whole game."""

    @property
    def tolerance(self) -> float:
        """The tolerance of values that a table holds, where they are exact; 0 without one."""
        return 0.0 if self.exact is None else self.exact.tolerance

    @property
    def player(self) -> Values:
        """What a policy (`ur_solver.players`) decides by that looks as far ahead."""
        return self._searched

    def is_exact(self, position: PositionLike) -> bool:
        """Whether the value of a position is exact, but for a table's tolerance."""
        return bool(self._are_known(self.encode([position]))[0])

    def value(self, position: PositionLike) -> float:
        """An estimate of the win probability, or money, of the side about to throw.

        Raises
        ------
        PositionSyntaxError, RuleSetMismatchError, IllegalPositionError
            As `Table.value` does.
        """
        return float(self.values([position])[0])

    def values(self, positions: PositionsLike) -> npt.NDArray[np.float64]:
        """The values of many positions, or of encoded states, as `value` gives them.

        Raises
        ------
        PositionSyntaxError, RuleSetMismatchError, IllegalPositionError
            For the first position at fault.
        """
        return self.state_values(self.encode(positions))

    def state_values(self, states: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """The value of each encoded state to its side to throw.

        Raises
        ------
        IllegalPositionError
            For the first row that is no state of the rule set.
        """
        rows = np.ascontiguousarray(states)
        values = self._ends(rows)
        going = np.flatnonzero(np.isnan(values))
        if self.plies == 1:
            values[going] = self._searched.state_values(rows[going])
        elif len(going):  # a search takes longer than to find equal states
            different, number = np.unique(rows[going], axis=0, return_inverse=True)
            values[going] = self._searched.state_values(different)[number.ravel()]
        return values

    def _ends(self, rows: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """The value of each state in which the game is over or drawn, NaN elsewhere."""
        values = np.full(len(rows), np.nan)
        is_going = self.space.go_on(rows)
        for k in np.flatnonzero(~is_going):
            values[k] = value_when_over(self.rules, self.space.decode(rows[k].tolist()))
        going = np.flatnonzero(is_going)
        drawn = going[generator_of(self.rules).are_drawn(rows[going])]
        values[drawn] = totals_of(self.rules.payoff, rows[drawn]) / 2
        return values

    def _are_known(self, rows: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Whether the value of each state is exact, but for a table's tolerance."""
        known = ~np.isnan(self._ends(rows))
        return known if self.exact is None else known | self.exact.holds_states(rows)

    def state_margins(
        self, states: npt.NDArray[Any], values: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """Half the width of the 95 % interval of each state's value; see `error`.

        Parameters
        ----------
        states : unsigned integers, shape (states, state width)
        values : float64, shape (states,)
            As `state_values` gives them.

        Returns
        -------
        float64, shape (states,)
            0 where the game is over or drawn, and where a table has the value.
        """
        scale = scale_of(self.rules, states)
        margins = half_widths(self.stored.errors[self.plies - 1], values / scale) * scale
        margins[self._are_known(states)] = 0
        return margins

    @property
    def agreement(self) -> float:
        """How the errors of the values of two moves go together: their correlation, -1 to 0.9.

        It is calibrated, as errors are; 0 of estimators from before differences were.
        """
        found = agreement_of(self.stored.errors, self.stored.differences)
        return float(found[self.plies - 1])

    def chance(self, position: PositionLike) -> float:
        """As `value`; NaN with stakes, as the network estimates money alone."""
        return math.nan if self.rules.payoff.has_fines else self.value(position)

    def error(self, position: PositionLike) -> float | None:
        """Half the width of the 95 % interval of a position's value.

        It is calibrated, not proven: see `Stored.measured`. Where the value is exact, what a table
        of endings has proven of it, None if that is nothing.
        """
        found = position_from(self.rules, position)
        if not self.is_exact(found):
            return self.error_of(self.value(found), found)
        is_held = self.exact is not None and self.exact.holds(found)
        return self.exact.error(found) if is_held and self.exact is not None else None

    def errors(self, positions: PositionsLike) -> npt.NDArray[np.float64]:
        """The errors of many positions, as `error` gives them, NaN where that is None."""
        if are_states(positions):
            rows = self.encode(positions).tolist()
            positions = [self.space.decode(row) for row in rows]
        errors = [self.error(position) for position in positions]
        return np.array([math.nan if each is None else each for each in errors])

    def error_of(self, value: float, position: Position) -> float:
        """The same for a value that is known; 0 if it is exact but for a table's tolerance."""
        return float(self.state_margins(self.encode([position]), np.array([value]))[0])

    def compared_with(
        self,
        table: Table,
        *,
        positions: int = 2000,
        games: int = 1600,
        seed: int = 1,
        threads: int | None = None,
    ) -> TableComparison:
        """Compare the estimator with an exact table: its values, its intervals and its moves.

        The estimator searches `plies` deep and asks no table, whatever `exact` is.

        Parameters
        ----------
        table : Table
            The table of the same rule set. With a table of endings, only values and intervals are
            compared.
        positions : int
            The number of positions from the network's own play, for a search of 1 ply. Each further
            ply divides it by 4, down to 500 at least. For a table of endings ten times as many are
            drawn, and those that the table has are compared.
        games : int
            The number of games against the table for a search of 1 ply, 2 or more. Each further ply
            divides it by 4, down to 40 at least.
        seed : int
            The seed of the positions and of the games.
        threads : int, optional
            For the games; one for each processor, if not given.

        Returns
        -------
        TableComparison
            The errors of values, the shares of intervals that hold, and what moves lose.

        Raises
        ------
        RuleSetMismatchError
            If the table is of another rule set.
        InputError
            If a number is out of range, or the table holds none of the positions.

        Examples
        --------
        >>> import ur_solver as ur
        >>> table = ur.solve("finkel:1")
        >>> estimator = ur.train("finkel:1", rounds=2, hidden=(16,), force=True)
        >>> found = estimator.looking(1).compared_with(table)
        >>> found.rms < found.p99 < 0.5, found.inside > 0.9
        (True, True)
        """
        from ur_solver.estimators.against_table import compared  # noqa: PLC0415 - as above

        self._check_same_game(table)
        for name, number, least in (("positions", positions, 1), ("games", games, 2)):
            whole_number(name, number, least)
        own = Estimator(self.stored, plies=self.plies)
        return compared(
            own,
            own.player,
            table,
            play_of=own.network,
            plies=self.plies,
            is_whole=table.file.part.is_whole,
            positions=positions,
            games=games,
            seed=whole_number("seed", seed),
            threads=threads,
        )

    def rollout(
        self,
        position: PositionLike,
        n: int | None = None,
        *,
        within: float | None = None,
        plies: int | None = None,
        seed: int = 1,
    ) -> IntervalEstimate:
        """The value of a position by games of the network with itself, the luck taken out.

        Parameters
        ----------
        position : Position or str
        n : int, optional
            The number of games, 2 or more; by default 64, or as many as `within` needs.
        within : float, optional
            Half the width of the 95 % interval that is wanted.
        plies : int, optional
            Cut games after this number; by default they are played to the end. Games to the end say
            what the network's own play is worth, cut ones are nearer to the optimum.
        seed : int

        Returns
        -------
        IntervalEstimate
            With its 95 % interval, which covers the throws alone.

        Raises
        ------
        InputError
            If a number is out of range.
        """
        from ur_solver.estimators.search import rollout  # noqa: PLC0415 - a move needs none of it
        from ur_solver.study.estimates import IntervalEstimate  # noqa: PLC0415 - as above

        row = self.encode([position])
        end = float(self._ends(row)[0])
        if not math.isnan(end):
            return IntervalEstimate.exact(end)
        leaves = Searched(self.network, 0, self.exact)
        return rollout(leaves, row, n=n, within=within, plies=plies, seed=seed)

    def until_sure(
        self,
        position: PositionLike,
        choice: str | None = None,
        throws: tuple[int, ...] = (),
        *,
        seconds: float = MOST_SECONDS,
    ) -> SureDecision:
        """The decision by a search that looks no further than it takes to know the best move.

        It begins with 1 ply, whatever `plies` is. Where a move is too close to call, all moves that
        may be the best are searched a ply deeper, up to 4. A move whose interval lies wholly below
        the best's is left at the value that it has.

        Parameters
        ----------
        position : Position or str
        choice : str, optional
            One choice before the throw; all by default.
        throws : tuple of int, optional
            Only the throws that begin with these.
        seconds : float
            The time after which the search ends; that of one move may go on for longer.

        Returns
        -------
        SureDecision
            The decision, and what ended the search of each of its throws.

        Raises
        ------
        InputError
            If `seconds` is no number above 0.
        PositionSyntaxError, RuleSetMismatchError, IllegalPositionError
            As `value` does.

        Examples
        --------
        >>> import ur_solver as ur
        >>> estimator = ur.train("finkel:1", rounds=2, hidden=(16,), force=True)
        >>> found = estimator.until_sure("L...__../..D...../....__.. L 0 0", throws=(2,))
        >>> found.decision.throws[0].best.text, found.ended[0].value
        ('A1B2', 'sure')
        """
        from ur_solver.estimators.deepening import until_sure  # noqa: PLC0415 - few ask for it

        return until_sure(self, self.looking, position, choice, throws, seconds=seconds)

    def check(self, position: PositionLike) -> bool:
        """Whether the game goes on in a position.

        Raises
        ------
        PositionSyntaxError, RuleSetMismatchError, IllegalPositionError
            As `Table.check` does. An estimator answers for all positions of its rule set.
        """
        return goes_on(self.space, position_from(self.rules, position))

    def encode(self, positions: PositionsLike) -> npt.NDArray[Any]:
        """As `Table.encode`."""
        return states_from(self.space, positions, has_ranks=False).rows

    def close(self) -> None:
        """Close the table of endings, if there is one."""
        if self.exact is not None:
            self.exact.close()

    def __repr__(self) -> str:
        return f"Estimator({self.rules.word}, {self.plies}-ply)"

    def info(self) -> dict[str, Any]:
        """What the estimator says of itself, as JSON values."""
        return {
            "rules": self.rules.to_json(),
            "exact": False,
            "hidden": list(self.stored.shape.hidden),
            "weights": self.stored.shape.n_weights,
            "path": None if self.path is None else str(self.path),
            **self.stored.made_by,
            "measured": self.stored.measured,
        }


def _made(
    path: pathlib.Path | None, stored: files.Stored, plies: int, exact: Table | None
) -> Estimator:
    """An estimator of what has been read from a path."""
    found = Estimator(stored, plies=plies, exact=exact)
    found.path = path
    return found


SHIPPED = pathlib.Path(__file__).with_name("shipped")
"""The folder of those that come with the program."""


def new_estimator_path(rules: RuleSet) -> pathlib.Path:
    """The default path of a rule set's new estimator."""
    folder = table_folders()[0] / ESTIMATORS
    return own_path(rules, lambda stem: folder / table_name(stem), _rules_at)


def _rules_at(path: pathlib.Path) -> RuleSet | None:
    """The rules of the estimator at a path."""
    with suppress(UrError):
        return read(path).rules
    return None


def _paths_of(rules: RuleSet) -> Iterator[pathlib.Path]:
    """The files that have the name of a rule set's estimator, in the order of the search."""
    folders = [folder / ESTIMATORS for folder in table_folders()]
    names = [table_name(stem) for stem in file_stems(rules)]
    paths = (folder / name for folder in (*folders, SHIPPED) for name in names)
    return (path for path in paths if path.exists())


def estimator_path(rules: RuleSet) -> pathlib.Path | None:
    """The first file that has the name of a rule set's estimator; None if there is none."""
    return next(_paths_of(rules), None)


def kept_estimator(path: pathlib.Path) -> Kept:
    """The estimator at a path, as `ur_solver.answers.inventory` describes tables."""
    n_bytes = disk_bytes(path)
    try:
        stored = read(path)
    except NotAnEstimatorError as error:
        return Kept(path, Kind.OTHER, n_bytes, message=ignored_text(path, error))
    except UrError as error:
        return Kept(path, Kind.DAMAGED, n_bytes, message=str(error))
    rules, made = stored.rules, stored.made_by.get("made")
    return Kept(path, Kind.ESTIMATOR, n_bytes, rules=rules.name, pieces=rules.pieces, made=made)


def kept_estimators() -> Iterator[Kept]:
    """The estimators in the folders of tables, then those that come with the program, by name."""
    for folder in (*(each / ESTIMATORS for each in table_folders()), SHIPPED):
        for path in sorted(folder.glob("*.h5")) if folder.is_dir() else ():
            yield kept_estimator(path)


ALL, ENDINGS, NONE = TABLES = ("all", "endings", "none")
"""Which tables an estimator asks before itself: of the whole game too, of its endings, or none."""


def find_estimator(
    rules: RuleSet, plies: int = DEFAULT_PLIES, tables: str = ALL
) -> Estimator | None:
    """The estimator of a rule set, which asks some `tables` as `open_estimator` says; or None.

    What is no estimator, or cannot be read, is ignored (IgnoredFileWarning).
    RuleSetMismatchError if the file of that name is of another rule set.
    """
    for path in _paths_of(rules):
        try:
            found = Estimator(path, plies=plies)
        except UrError as error:
            ignore(path, error)
            continue
        check_is_of(found, rules)
        return with_tables(found, tables)
    return None


def check_is_of(estimator: Estimator, rules: RuleSet) -> None:
    """Raise RuleSetMismatchError unless an estimator is of a rule set."""
    if not estimator.rules.is_same_game(rules):
        raise RuleSetMismatchError(
            f"estimator {str(estimator.path)!r} is of {estimator.rules.title}, with other rules "
            f"than {rules.title}; 'ur train' makes one of these"
        )


def known_table(rules: RuleSet, tables: str = ALL) -> Table | None:
    """The table of a rule set, or of as many endings as there are, by a choice of `TABLES`."""
    if tables not in TABLES:
        raise InputError(f"tables is {tables!r:.60}; expected {', '.join(TABLES)}")
    file = find_file(rules) if tables == ALL else None
    if file is None and tables != NONE:
        file = find_part(rules)
    return None if file is None else Table(file)


def with_tables(estimator: Estimator, tables: str = ALL) -> Estimator:
    """The estimator with the table that `known_table` finds."""
    table = known_table(estimator.rules, tables)
    if table is None:
        return estimator
    return _made(estimator.path, estimator.stored, estimator.plies, table)


def open_estimator(
    word: str | os.PathLike[str],
    pieces: int | None = None,
    *,
    plies: int = DEFAULT_PLIES,
    tables: str | None = None,
) -> Estimator:
    """The estimator of a rule set, or at a path.

    A file answers by itself. Where a rule set is named, its table, or one of its endings, is found
    too and asked for what it holds; `tables` chooses otherwise.

    Parameters
    ----------
    word : str or path
        The path of an estimator; or a rule set by name (``"skiriuk:7"``) or by the path of its
        JSON file, whose estimator is looked for where ``ur train`` puts it.
    pieces : int, optional
        The count of pieces, in place of the rule set's own.
    plies : int
        How far a choice looks ahead, from 1 to 4.
    tables : str, optional
        Which tables are asked before the network: ``"all"``, the default for a rule set;
        ``"endings"``, those of a part of the game; or ``"none"``, the default for a file.

    Raises
    ------
    InputError
        If `tables` is none of these.
    MissingEstimatorError
        If there is none; its text names the command that makes it.
    NotAnEstimatorError, EstimatorVersionError, DamagedEstimatorError, RuleSetMismatchError
        If what is found is not a sound estimator of the rule set.

    Examples
    --------
    >>> import ur_solver as ur
    >>> estimator = ur.train("finkel:1", rounds=2, hidden=(16,), force=True)
    >>> estimator = ur.open_estimator("finkel:1", plies=2)
    >>> move = estimator.best("....__../......../....__.. L 1 1", 4).move
    >>> move.text
    'A@A1*'
    """
    text = path_text(word, NAME_OR_PATH)
    if not is_rule_set(text):
        return with_tables(Estimator(text, plies=plies), tables or NONE)
    rules = named_rules(text, pieces)
    found = find_estimator(rules, plies, tables or ALL)
    if found is None:
        raise MissingEstimatorError(
            f"there is no estimator of {rules.title}; 'ur train {text.partition(':')[0]} -n "
            f"{rules.pieces}' makes it"
        )
    return found
