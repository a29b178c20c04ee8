"""Training an estimator by one call."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Mapping
from typing import Any

from ur_solver.answers.locate import find_file, find_part
from ur_solver.api.solving import rule_set
from ur_solver.api.table import Table
from ur_solver.common.files import path_text
from ur_solver.common.text import whole_number
from ur_solver.errors import InputError, WrongTypeError
from ur_solver.estimators.estimator import Estimator, new_estimator_path, with_table
from ur_solver.estimators.training import Training, train_estimator
from ur_solver.rules import RuleSet
from ur_solver.table.output import make_folder


def train(
    rules: str | os.PathLike[str] | Mapping[str, Any] | RuleSet,
    path: str | os.PathLike[str] | None = None,
    *,
    pieces: int | None = None,
    minutes: float | None = None,
    rounds: int | None = None,
    hidden: tuple[int, ...] | None = None,
    seed: int = 1,
    threads: int | None = None,
    on_round: Callable[[Training, float], object] = lambda _training, _seconds: None,
    on_resume: Callable[[Training, float], object] = lambda _training, _seconds: None,
) -> Estimator:
    """Train an estimator of a rule set that is too large to be solved, and open it.

    A training that is interrupted goes on from its checkpoint when it is asked for again. An
    estimator that is there is replaced at the end.

    Parameters
    ----------
    rules, pieces
        As for `rule_set`.
    path : path, optional
        Where the estimator will be; among the tables by default (`open_estimator`).
    minutes : float, optional
        How long to train. By default until it no longer improves.
    rounds : int, optional
        How many rounds of play and learning, in place of a time: the same rounds and seed make the
        same estimator.
    hidden : tuple of int, optional
        The sizes of the hidden layers.
    seed : int
        Of the first weights and of the games.
    threads : int, optional
        One a processor by default.
    on_round, on_resume : callable, optional
        Called with the training and the seconds spent on it: after every round, and if it goes on
        from a checkpoint.

    Returns
    -------
    Estimator

    Raises
    ------
    RuleSetError
        If nothing goes by that name.
    InputError
        If the hidden layers cannot be so, or a number is none, or too small; or if both minutes
        and rounds are given.
    CheckpointError
        If there is a checkpoint of another training.
    OutputError
        If the estimator cannot be written.

    Examples
    --------
    >>> import ur_solver as ur
    >>> estimator = ur.train("finkel:1", rounds=2, hidden=(16,))
    >>> estimator.rules.word
    'finkel:1'
    """
    if minutes is not None and rounds is not None:
        raise InputError("minutes and rounds both say how long to train: give one")
    if hidden is not None and not isinstance(hidden, (tuple, list)):
        raise WrongTypeError(f"hidden is {hidden!r:.60}; expected the sizes of layers: (128, 64)")
    chosen = rule_set(rules, pieces)
    if path is None:
        output = new_estimator_path(chosen)
        make_folder(output.parent)
    else:
        output = pathlib.Path(path_text(path))
    file = find_file(chosen) or find_part(chosen)
    try:
        train_estimator(
            chosen,
            output,
            minutes=minutes,
            rounds=rounds,
            hidden=hidden and tuple(whole_number("a layer's size", each) for each in hidden),
            seed=seed,
            threads=threads,
            exact=None if file is None else Table(file),
            on_round=on_round,
            on_resume=on_resume,
        )
    finally:
        if file is not None:
            file.close()
    return with_table(Estimator(output))
