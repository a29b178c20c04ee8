"""Where estimators live, and how one is found by a word.

They lie in the folder ``estimators`` of each folder of tables, under the names that the rule sets'
tables have; those that come with the program are looked for last.
"""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterator
from contextlib import suppress

from ur_solver.answers.inventory import Kept, Kind
from ur_solver.answers.locate import find_file, find_part, is_rule_set
from ur_solver.answers.lookup import Lookup
from ur_solver.common.files import NAME_OR_PATH, path_text
from ur_solver.errors import MissingEstimatorError, RuleSetMismatchError, UrError
from ur_solver.estimators import DEFAULT_PLIES
from ur_solver.estimators.estimator import Estimator
from ur_solver.estimators.file import read
from ur_solver.rules import RuleSet, named_rules
from ur_solver.table.names import file_stems, own_path, table_folders, table_name

FOLDER = "estimators"

SHIPPED = pathlib.Path(__file__).with_name("shipped")
"""The folder of those that come with the program."""


def new_estimator_path(rules: RuleSet) -> pathlib.Path:
    """The default path of a rule set's new estimator."""
    folder = table_folders()[0] / FOLDER
    return own_path(rules, lambda stem: folder / table_name(stem), _rules_at)


def _rules_at(path: pathlib.Path) -> RuleSet | None:
    """The rules of the estimator at a path."""
    with suppress(UrError):
        return read(path).rules
    return None


def estimator_path(rules: RuleSet) -> pathlib.Path | None:
    """The file of a rule set's estimator, or None if there is none."""
    folders = [folder / FOLDER for folder in table_folders()]
    names = [table_name(stem) for stem in file_stems(rules)]
    paths = [folder / name for folder in (*folders, SHIPPED) for name in names]
    return next((path for path in paths if path.is_file()), None)


def kept_estimator(path: pathlib.Path) -> Kept:
    """The estimator at a path, as `ur_solver.answers.inventory` describes tables."""
    n_bytes = path.stat().st_size
    try:
        stored = read(path)
    except UrError as error:
        return Kept(path, Kind.DAMAGED, n_bytes, message=str(error))
    rules, made = stored.rules, stored.made_by.get("made")
    return Kept(path, Kind.ESTIMATOR, n_bytes, rules=rules.name, pieces=rules.pieces, made=made)


def kept_estimators() -> Iterator[Kept]:
    """The estimators in the folders of tables, then those that come with the program, by name."""
    for folder in (*(each / FOLDER for each in table_folders()), SHIPPED):
        for path in sorted(folder.glob("*.h5")) if folder.is_dir() else ():
            yield kept_estimator(path)


def find_estimator(rules: RuleSet, plies: int = DEFAULT_PLIES) -> Estimator | None:
    """The estimator of a rule set with a table of its endings, if there is one; or None.

    Raises
    ------
    RuleSetMismatchError
        If the file of that name is of another rule set.
    NotAnEstimatorError, EstimatorVersionError, DamagedEstimatorError
        If it is not sound.
    """
    path = estimator_path(rules)
    if path is None:
        return None
    found = Estimator(path, plies=plies)
    check_is_of(found, rules)
    return with_table(found)


def check_is_of(estimator: Estimator, rules: RuleSet) -> None:
    """Raise RuleSetMismatchError unless an estimator is of a rule set."""
    if not estimator.rules.is_same_game(rules):
        raise RuleSetMismatchError(
            f"estimator {str(estimator.path)!r} is of {estimator.rules.title}, with other rules "
            f"than {rules.title}; 'ur train' makes one of these"
        )


def with_table(estimator: Estimator) -> Estimator:
    """The estimator with the table of its rule set, or of as many endings as there are."""
    file = find_file(estimator.rules) or find_part(estimator.rules)
    if file is None:
        return estimator
    found = Estimator(estimator.stored, plies=estimator.plies, exact=Lookup(file))
    found.path = estimator.path
    return found


def open_estimator(
    word: str | os.PathLike[str], pieces: int | None = None, *, plies: int = DEFAULT_PLIES
) -> Estimator:
    """The estimator of a rule set, or at a path.

    A table of the rule set, or of its endings, is found too, and asked for what it holds.

    Parameters
    ----------
    word : str or path
        The path of an estimator; or a rule set by name (``"skiriuk:7"``) or by the path of its
        JSON file, whose estimator is looked for where ``ur train`` puts it.
    pieces : int, optional
        The count of pieces, in place of the rule set's own.
    plies : int
        How far a choice looks ahead, from 1 to 4.

    Raises
    ------
    MissingEstimatorError
        If there is none; its text names the command that makes it.
    NotAnEstimatorError, EstimatorVersionError, DamagedEstimatorError, RuleSetMismatchError
        If what is found is not a sound estimator of the rule set.

    Examples
    --------
    >>> import ur_solver as ur
    >>> estimator = ur.train("finkel:1", rounds=2, hidden=(16,))
    >>> estimator = ur.open_estimator("finkel:1", plies=2)
    >>> move = estimator.best("....__../......../....__.. L 1 1", 4).move
    >>> move.text
    'A@A1*'
    """
    text = path_text(word, NAME_OR_PATH)
    if not is_rule_set(text):
        return with_table(Estimator(text, plies=plies))
    rules = named_rules(text, pieces)
    found = find_estimator(rules, plies)
    if found is None:
        raise MissingEstimatorError(
            f"there is no estimator of {rules.title}; 'ur train {text.partition(':')[0]} -n "
            f"{rules.pieces}' makes it"
        )
    return found
