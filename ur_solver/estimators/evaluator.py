"""What answers for a game: its table, or an estimator where there is none, behind one door."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from ur_solver.answers.locate import (
    SOLVED_ON_THE_SPOT,
    find_file,
    is_rule_set,
    open_file_of,
    word_of,
)
from ur_solver.api.table import Table
from ur_solver.common.files import NAME_OR_PATH, path_text
from ur_solver.errors import MissingTableError, NotATableError
from ur_solver.estimators import DEFAULT_PLIES
from ur_solver.rules import RuleSet, named_rules
from ur_solver.space import space_of

if TYPE_CHECKING:  # what a table answers needs none of it
    from ur_solver.estimators.estimator import Estimator


Evaluator: TypeAlias = "Table | Estimator"
"""What gives the values of all positions of a game: exact ones, or estimates."""

TRAINING_MINUTES = 45
"""How long a training takes that is suggested."""


def open_evaluator(
    word: str | os.PathLike[str],
    pieces: int | None = None,
    *,
    plies: int = DEFAULT_PLIES,
    tables: str | None = None,
) -> Evaluator:
    """The table of a rule set; where there is none of the whole game, its estimator.

    Where a rule set is named, its estimator asks a table of the game's endings first; a file
    answers by itself. Both have the same questions: values, moves, throws, choices, audits.

    Parameters
    ----------
    word : str or path
        The path of a table or an estimator; or a rule set by name (``"skiriuk:7"``) or by the path
        of its JSON file.
    pieces : int, optional
        The count of pieces, in place of the rule set's own.
    plies : int
        How far an estimator's choice looks ahead, from 1 to 4.
    tables : str, optional
        As for `open_estimator`: with ``"endings"`` or ``"none"`` an estimator answers though there
        is a table of the whole game.

    Returns
    -------
    Table or Estimator
        A table of a part of the game where there is nothing else.

    Raises
    ------
    MissingTableError
        If there is neither; its text names the commands that make one.
    RuleSetError
        If nothing goes by that name.
    NotATableError, TableVersionError, DamagedTableError, TableInUseError, UnregisteredError
        As `Table` does.
    EstimatorVersionError, DamagedEstimatorError, RuleSetMismatchError
        As `open_estimator` does.

    Examples
    --------
    >>> import ur_solver as ur
    >>> estimator = ur.train("aseb:1", rounds=2, hidden=(16,))
    >>> ur.open_evaluator("aseb:1")
    Estimator(aseb:1, 3-ply)
    """
    text = path_text(word, NAME_OR_PATH)
    if not is_rule_set(text):
        return _evaluator_at(text, plies, tables)
    if tables in (None, "all"):
        return evaluator_of(named_rules(text, pieces), text.partition(":")[0], plies=plies)
    from ur_solver.estimators.estimator import open_estimator  # noqa: PLC0415 - tables need none

    return open_estimator(text, pieces, plies=plies, tables=tables)


def _evaluator_at(path: str, plies: int, tables: str | None) -> Evaluator:
    """The table or the estimator of a file."""
    try:
        return Table(path)
    except NotATableError:
        from ur_solver.estimators.estimator import open_estimator  # noqa: PLC0415 - as above
        from ur_solver.estimators.file import is_estimator_file  # noqa: PLC0415

        if not is_estimator_file(path):
            raise
        return open_estimator(path, plies=plies, tables=tables)


def evaluator_of(
    rules: RuleSet,
    word: str | None = None,
    *,
    plies: int = DEFAULT_PLIES,
    say: Callable[[str], object] | None = None,
    position: str | None = None,
) -> Evaluator:
    """The table of a rule set, or its estimator; raises as `open_evaluator` does.

    `word` is the argument of ``ur solve`` for these rules, as for `open_file_of`; `say` and
    `position` are as for `open_file`.
    """
    file = find_file(rules)
    if file is not None:
        return Table(file)
    if say is None or space_of(rules).n_positions > SOLVED_ON_THE_SPOT:
        from ur_solver.estimators.estimator import find_estimator  # noqa: PLC0415 - as above

        found = find_estimator(rules, plies)
        if found is not None:
            return found
    try:
        return Table(open_file_of(rules, word, say=say, position=position))
    except MissingTableError as error:
        known = word_of(rules, word)
        which = "" if known is None else f" {known} -n {rules.pieces}"
        raise MissingTableError(
            f"{error}; 'ur train{which} --minutes {TRAINING_MINUTES}' makes an estimator of it"
        ) from None
