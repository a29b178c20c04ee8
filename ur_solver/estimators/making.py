"""Training an estimator from the first game to the file, with checkpoints."""

from __future__ import annotations

import math
import pathlib
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import ur_solver
from ur_solver.answers.values import TableValues
from ur_solver.common.machine import chosen_threads
from ur_solver.common.text import real_number, whole_number
from ur_solver.errors import InputError
from ur_solver.estimators.backends import Backend
from ur_solver.estimators.calibration import Effort, calibrated
from ur_solver.estimators.checkpoints import checkpoint_path, resume, save
from ur_solver.estimators.features import features_of
from ur_solver.estimators.file import Stored, check_replaceable, write
from ur_solver.estimators.network import is_sound
from ur_solver.estimators.network_values import NetworkValues
from ur_solver.estimators.training import STAGES, Training
from ur_solver.rules import RuleSet

_CHECKPOINT_SECONDS = 60.0

OnRound = Callable[[Training, float], object]
"""Called after every round with the training and the seconds spent on it."""


def train_estimator(
    rules: RuleSet,
    path: pathlib.Path,
    *,
    minutes: float | None = None,
    rounds: int | None = None,
    hidden: tuple[int, ...] | None = None,
    seed: int = 1,
    threads: int | None = None,
    effort: Effort | None = None,
    exact: TableValues | None = None,
    backend: Backend | None = None,
    first: Stored | None = None,
    on_resume: Callable[[Training, float], object] = lambda _training, _seconds: None,
    on_round: OnRound = lambda _training, _seconds: None,
) -> Stored:
    """Train an estimator and write its file; go on with a training that was interrupted.

    Parameters
    ----------
    rules : RuleSet
    path : Path
        Of the file. The checkpoint lies next to it until the end.
    minutes : float, optional
        How long to train, including the time before an interruption.
    rounds : int, optional
        How many rounds to train, instead: the same rounds give the same weights. With neither,
        until it no longer improves.
    hidden : tuple of int, optional
        The sizes of the hidden layers.
    seed : int
    threads : int, optional
        One a processor by default; nothing depends on them but the time.
    effort : Effort, optional
        How much is played to calibrate the intervals.
    exact : TableValues, optional
        A table that the values are compared with at the end.
    backend : Backend, optional
        NumPy's by default.
    first : Stored, optional
        An estimator of the same features, of the same game or of the game with other dice, whose
        weights are begun with. It is trained as one that has gone half of the way.
    on_resume, on_round : callable, optional

    Raises
    ------
    InputError
        If the hidden layers or a number are invalid, or the first estimator has other features.
    CheckpointError
        If there is a checkpoint of another training.
    OutputError
        If the path is that of something else than an estimator of the rule set, or the checkpoint
        or the file cannot be written.
    """
    if hidden is not None and not is_sound(hidden):
        raise InputError(f"hidden layers {hidden!r}: expected 1 to 4 layers of 1 to 1024 units")
    if minutes is not None and not 0 < real_number("minutes", minutes) < math.inf:
        raise InputError(f"minutes {minutes!r:.40}: expected a number above 0")
    if rounds is not None:
        whole_number("rounds", rounds, 1)
    whole_number("seed", seed)
    check_replaceable(path, rules)
    if first is not None:
        _check_fits(first, rules)
        hidden = first.shape.hidden
    weights = None if first is None else first.weights
    training = Training(rules, hidden, seed, backend, weights)
    checkpoint = checkpoint_path(path)
    seconds = 0.0
    if checkpoint.exists():
        seconds = resume(checkpoint, training)
        on_resume(training, seconds)
    began, saved = time.monotonic() - seconds, seconds
    with ThreadPoolExecutor(chosen_threads(threads)) as pool:
        if first is not None and training.rounds == 0:
            training.play_apart(pool)
        try:
            while (done := _done(training, seconds, minutes, rounds)) < 1:
                training.round(pool, done if first is None else (1 + done) / 2)
                seconds = time.monotonic() - began
                on_round(training, seconds)
                if seconds - saved > _CHECKPOINT_SECONDS:
                    save(checkpoint, training, seconds)
                    saved = seconds
        except KeyboardInterrupt:
            save(checkpoint, training, seconds)
            raise
    weights = training.weights
    values = NetworkValues(rules, training.shape, weights)
    errors, measured = calibrated(values, effort or Effort(), exact=exact, seed=seed)
    made_by: dict[str, Any] = {
        "seed": seed,
        "rounds": training.rounds,
        "positions": training.positions,
        "seconds": round(seconds, 1),
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "program": ur_solver.__version__,
    }
    if first is not None:
        made_by["first"] = {"rules": first.rules.title, **first.made_by}
    stored = Stored(rules.settled(), training.shape, weights, errors, made_by, measured)
    write(path, stored)
    checkpoint.unlink(missing_ok=True)
    return stored


def _check_fits(first: Stored, rules: RuleSet) -> None:
    if features_of(first.rules).names != features_of(rules).names:
        raise InputError(
            f"an estimator of {rules.title} cannot begin with one of {first.rules.title}: they "
            "have other features"
        )


def _done(training: Training, seconds: float, minutes: float | None, rounds: int | None) -> float:
    """How far a training is, from 0 to 1."""
    if rounds is not None:
        return training.rounds / rounds
    if minutes is not None:
        return seconds / (60 * minutes)
    return 1.0 if training.advance() else training.stage / STAGES
