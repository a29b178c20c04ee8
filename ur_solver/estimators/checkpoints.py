"""A training that is not finished, in a file next to that of the estimator.

It is NumPy's ``.npz``, read without pickle: the optimiser's arrays, the games as they stand, and a
head as JSON that says of what training they are.
"""

from __future__ import annotations

import json
import pathlib
import zipfile
from dataclasses import asdict

import numpy as np

from ur_solver.common.files import new_file
from ur_solver.errors import CheckpointError
from ur_solver.estimators.training import Training, TrainingGames

_VERSION = 1
_MOMENTS = ("weights", "mean", "first", "second")


def checkpoint_path(path: pathlib.Path) -> pathlib.Path:
    """Where the training of an estimator is kept while it lasts."""
    return path.with_name(f"{path.name}.training.npz")


def _identity(training: Training) -> dict[str, object]:
    return {
        "version": _VERSION,
        "rules": training.rules.to_json(),
        "hidden": list(training.shape.hidden),
        "seed": training.seed,
        "sizes": asdict(training.sizes),
    }


def save(path: pathlib.Path, training: Training, seconds: float) -> None:
    """Write a checkpoint; one that is there is replaced at the end.

    Raises
    ------
    OutputError
        If it cannot be written.
    """
    optimiser = training.optimiser
    head = _identity(training) | {
        "rounds": training.rounds,
        "steps": optimiser.steps,
        "seconds": seconds,
        "errors": training.errors,
        "stage": training.stage,
        "stage_began": training.stage_began,
    }
    arrays = {name: training.backend.numpy(getattr(optimiser, name)) for name in _MOMENTS}
    arrays["rows"] = np.array([games.rows for games in training.games])
    arrays["ages"] = np.array([games.ages for games in training.games])
    arrays["head"] = np.frombuffer(json.dumps(head).encode(), dtype=np.uint8)
    with new_file(path) as file:
        np.savez(file, allow_pickle=False, **arrays)


def resume(path: pathlib.Path, training: Training) -> float:
    """Take a training up again from a checkpoint; return the seconds that were spent on it.

    Raises
    ------
    CheckpointError
        If the checkpoint is damaged, or of another training.
    """
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            head = json.loads(file["head"].tobytes())
            arrays = {name: file[name] for name in (*_MOMENTS, "rows", "ages")}
        own = {key: head.pop(key) for key in _identity(training)}
        is_sound = all(arrays[name].shape == training.optimiser.weights.shape for name in _MOMENTS)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise CheckpointError(
            f"checkpoint {str(path)!r} is damaged ({error}); remove it to begin again"
        ) from error
    if own != _identity(training) or not is_sound:
        raise CheckpointError(
            f"checkpoint {str(path)!r} is of another training: of other rules, layers or seed, or "
            "by another backend; ask for those, or remove it to begin again"
        )
    for name in _MOMENTS:
        setattr(training.optimiser, name, training.backend.array(arrays[name]))
    training.optimiser.steps = head["steps"]
    training.rounds = head["rounds"]
    training.errors = head["errors"]
    training.stage, training.stage_began = head["stage"], head["stage_began"]
    training.games = [
        TrainingGames(rows, ages) for rows, ages in zip(arrays["rows"], arrays["ages"], strict=True)
    ]
    return float(head["seconds"])
