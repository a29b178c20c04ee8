"""Policies of the user's own, from a Python file or an importable module."""

from __future__ import annotations

import importlib
import importlib.util
import pathlib
from types import ModuleType

import numpy as np

from ur_solver.answers.values import Values
from ur_solver.errors import InputError, UrError
from ur_solver.moves import TurnBatch
from ur_solver.players.policies import PLAYERS, PRIORITIES, Decided, Policy, Weights, policy_of

NAME = "policy"
"""What a module's policy is called, unless another name is asked for."""


def policy_from(text: str, values: Values) -> Policy:
    """The policy that a text asks for.

    Parameters
    ----------
    text : str
        A built-in policy (`policy_of`); the path of a Python file, which ends in ``.py``; or the
        name of a module. The last two define `policy`, a function or an object with a method
        `weights`; a colon and a name ask for another (``agents.py:greedy``).
    values : Values
        Of the table that built-in policies play by.

    Raises
    ------
    InputError
        If there is none, or it cannot be loaded; and from `weights`, if it fails.
    """
    if text in PLAYERS or any(part in PRIORITIES for part in text.split("+")):
        return policy_of(text, values)
    place, colon, name = text.partition(":")
    module = _module(place)
    wanted = name if colon else NAME
    found = getattr(module, wanted, None)
    if not callable(found) and not hasattr(found, "weights"):
        raise InputError(
            f"{place!r:.200} has no policy {wanted!r:.50}: expected a function, or an object with "
            "a method 'weights'"
        )
    return _Guarded(text, found if hasattr(found, "weights") else Decided(found))


def _module(place: str) -> ModuleType:
    try:
        if not place.endswith(".py"):
            return importlib.import_module(place)
        if not pathlib.Path(place).is_file():
            raise InputError(f"policy: there is no file {place!r:.200}")
        spec = importlib.util.spec_from_file_location("ur_policy", place)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except UrError:
        raise
    except Exception as error:  # whatever is in the file
        raise InputError(
            f"policy {place!r:.200} is neither built in ({', '.join(PLAYERS)}, or priorities "
            f"joined by '+') nor a module that can be loaded: {type(error).__name__}: {error}"
        ) from error
    return module


class _Guarded:
    """A policy of the user's own, whose failures are sentences."""

    def __init__(self, name: str, policy: Policy) -> None:
        self._name, self._policy = name, policy

    def weights(self, turns: TurnBatch) -> Weights:
        """As `Policy.weights`."""
        try:
            weights = np.asarray(self._policy.weights(turns), dtype=np.float64)
        except UrError:
            raise
        except Exception as error:  # whatever it does
            raise InputError(
                f"policy {self._name!r:.200} has failed: {type(error).__name__}: {error}"
            ) from error
        if weights.shape != turns.source.shape:
            raise InputError(
                f"policy {self._name!r:.200}: weights of shape {weights.shape}; expected one for "
                f"each of {len(turns.source)} options"
            )
        sums = np.add.reduceat(weights, turns.starts[:-1])
        if not (weights >= 0).all() or not np.allclose(sums, 1):
            raise InputError(
                f"policy {self._name!r:.200}: the weights of a turn must be probabilities that sum "
                f"to 1; in one turn they sum to {sums[np.argmax(abs(sums - 1))]:.6g}"
            )
        return weights
