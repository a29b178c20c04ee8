"""The file of an estimator.

It has 30 to 500 kilobytes.

It is an HDF5 file (suffix ``.h5``), which any HDF5 program can open:

    /            attributes, all scalar; texts are printable ASCII of fixed length
        format       text     "ur-solver estimator"
        version      int64    of this specification and of what features there are: 2
        rules        text     the rule set as JSON, as `RuleSet.to_json` writes it
        hidden       text     the sizes of the hidden layers, as a JSON list
        made_by      text     how it was made, as a JSON object (`MADE_BY`): seed, rounds,
                              positions, seconds, when (ISO 8601, UTC) and by which version of the
                              program; how many positions the table holds that it learnt
                              from, if any; the same of the estimator whose weights it
                              began with, if any, and its rules
        measured     text     by what its errors were measured, and how, as a JSON object
                              (`MEASURED`)
        digest       text     SHA-256, hexadecimal, over all of the above but itself (as sorted
                              JSON) and over the datasets in this order
    /features    text of fixed length, shape (features,): the names of the inputs, as
                 `ur_solver.estimators.network` gives them: with wide features or without
    /first_layer int8, shape (features * units,): the matrix of the first layer, by rows, each in
                 multiples of its scale
    /scales      float16, shape (features,)
    /weights     float16, shape (weights,): the biases of the first layer, then layer by layer a
                 matrix, by rows, and its biases
    /errors      float64, shape (plies,): how wide the 95 % intervals of values are, by how many
                 plies a choice looks ahead, 1 to 4 (`ur_solver.estimators.calibration`)
    /differences float64, shape (plies,): the same of what two moves differ by

All numbers are little endian. The file gets its name only when it is complete. Types and shapes are
checked before anything is read, so that no memory is allocated for what a file only claims to hold.
No sum of weights overflows a float32, so that every value is a number.

Most weights are of the first layer, hence its few digits: rounding changes values of play by about
a tenth of a point (`docs/notes/estimator-trials.md`).
"""

from __future__ import annotations

import hashlib
import os
import pathlib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import h5py
import numpy as np
import numpy.typing as npt

from ur_solver.blocks.stored import is_measure
from ur_solver.common.files import check_outputs
from ur_solver.common.text import json_text, json_values
from ur_solver.errors import (
    DamagedEstimatorError,
    EstimatorVersionError,
    MissingEstimatorError,
    NotAnEstimatorError,
    OutputError,
    RuleSetError,
    UnregisteredError,
    UrError,
)
from ur_solver.estimators import MOST_PLIES
from ur_solver.estimators.network import Shape, Weights, features_of, features_read, is_sound
from ur_solver.rules import RuleSet
from ur_solver.table.format import ESTIMATOR_FORMAT
from ur_solver.table.hdf5 import attribute, format_of, stated_format
from ur_solver.table.writer import PartFile, part_path

VERSION = 2

_LEAST_SCALE, _MOST_MULTIPLE = 2**-7, 127
"""Of the first layer: smaller steps would make files larger and values hardly better."""

_MOST_ERROR = 1e4
"""Widths are multiples of at most the whole scale by the least `spread`, 0.02."""

_TEXTS = ("rules", "hidden", "made_by", "measured")
_MOST_BYTES = 1 << 24


_COUNT, _AMOUNT, _NUMBER = (int, 0, 1 << 53), (float, 0, 1e15), (float, -1e15, 1e15)
_TEXT, _TIME = r"[ -~]{0,200}", r"\d{4}-\d\d-\d\dT[0-9:.+Z-]{5,30}"

_Numbers = tuple[type, float, float]
_Schema = Mapping[str, "_Numbers | str | _Schema"]
"""Of an object: for each key numbers of a type from one to another, a pattern of texts, or the
schema of an object. Keys that may be missing end in a question mark."""

MADE_BY: dict[str, Any] = {
    **dict.fromkeys(("seed", "rounds", "positions"), _COUNT),
    "seconds": _AMOUNT,
    "table_positions?": _COUNT,
    "made": _TIME,
    "program": _TEXT,
}
_FIRST = MADE_BY | {"rules": _TEXT}
MADE_BY["first?"] = _FIRST["first?"] = _FIRST

_ERRORS = {**dict.fromkeys(("rms", "p95", "p99"), _AMOUNT), "bias": _NUMBER, "positions": _COUNT}
MEASURED: dict[str, Any] = {
    **dict.fromkeys(("positions", "rollouts", "plies"), _COUNT),
    "against_rollouts": _ERRORS,
    "against_table?": _ERRORS,
}


@dataclass(frozen=True)
class Stored:
    """What the file of an estimator holds; see the module's head."""

    rules: RuleSet
    shape: Shape
    weights: Weights
    errors: npt.NDArray[np.float64]
    differences: npt.NDArray[np.float64]
    made_by: dict[str, Any]
    measured: dict[str, Any]

    def texts(self) -> dict[str, str]:
        """The attributes that are texts, but for the format and the digest."""
        return {
            "rules": json_text(self.rules.to_json()),
            "hidden": json_text(self.shape.hidden),
            "made_by": json_text(self.made_by),
            "measured": json_text(self.measured),
        }

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The datasets."""
        return {
            "features": np.array(features_read(self.rules, self.shape.inputs).names, dtype="S"),
            **packed(self.shape, self.weights),
            "errors": self.errors.astype("<f8"),
            "differences": self.differences.astype("<f8"),
        }

    @property
    def digest(self) -> str:
        """The digest of the file."""
        return _digest(self.texts(), self.arrays())


def packed(shape: Shape, weights: Weights) -> dict[str, npt.NDArray[Any]]:
    """The weights of a network as a file has them: its `first_layer`, `scales` and `weights`."""
    matrix, _ = shape.layers(weights)[0]
    wanted = np.abs(matrix).max(axis=1).astype(np.float64) / _MOST_MULTIPLE
    scales = np.maximum(wanted, _LEAST_SCALE).astype(np.float16)
    # rounded up: the same weights have the same scales again
    scales = np.where(scales < wanted, np.nextafter(scales, np.float16(np.inf)), scales)
    multiples = np.rint(matrix / scales[:, np.newaxis].astype(np.float32))
    return {
        "first_layer": multiples.astype(np.int8).ravel(),
        "scales": scales.astype("<f2"),
        "weights": weights[matrix.size :].astype("<f2"),
    }


def unpacked(shape: Shape, arrays: Mapping[str, npt.NDArray[Any]]) -> Weights:
    """The weights of a network by what a file has of them."""
    scales = arrays["scales"].astype(np.float32)[:, np.newaxis]
    first = arrays["first_layer"].reshape(shape.inputs, -1) * scales
    return np.concatenate([first.ravel(), arrays["weights"].astype(np.float32)])


def rounded(shape: Shape, weights: Weights) -> Weights:
    """The weights of a network once they have been in a file."""
    return unpacked(shape, packed(shape, weights))


def write(path: pathlib.Path, stored: Stored) -> None:
    """Write an estimator; what is there is replaced at the end. OutputError if it cannot be."""
    arrays, part = stored.arrays(), None
    try:
        part = PartFile(part_path(path))
        with h5py.File(part, "w", libver="latest") as file:
            for name, array in arrays.items():
                file.create_dataset(name, data=array)
            named = stored.texts() | {"format": ESTIMATOR_FORMAT, "digest": stored.digest}
            for name, text in named.items():
                file.attrs[name] = np.bytes_(text.encode("ascii"))
            file.attrs["version"] = np.int64(VERSION)
        part.publish(path)
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"cannot write estimator {str(path)!r}: {reason}") from error
    finally:
        if part is not None and not part.closed:
            part.discard()


def read(path: pathlib.Path) -> Stored:
    """Read an estimator.

    MissingEstimatorError or NotAnEstimatorError if there is no file, or it is something else;
    EstimatorVersionError if it is of another version, or its features are those of another;
    DamagedEstimatorError if it is not whole; UnregisteredError if its rule set has a family or a
    kind of square that is not registered here.
    """
    _check_is_one(path)
    fault = partial(_damaged, path)
    with _reading(path), h5py.File(path, "r", locking=False) as file:
        if stated_format(file) != ESTIMATOR_FORMAT:
            raise NotAnEstimatorError(f"{str(path)!r} is an HDF5 file, but not an estimator")
        version = attribute(file, "version", int, fault)
        if version != VERSION:
            raise EstimatorVersionError(
                f"estimator {str(path)!r} has format version {version}; this program reads "
                f"version {VERSION}: 'ur train' makes it again"
            )
        texts = {name: attribute(file, name, str, fault) for name in _TEXTS}
        arrays = {name: _array(path, file, name, *kind) for name, kind in _KINDS.items()}
        if attribute(file, "digest", str, fault) != _digest(texts, arrays):
            raise _damaged(path, "its digest does not match its contents")
        return _stored(path, texts, arrays)


def is_estimator_file(path: str) -> bool:
    """Whether a path is that of an HDF5 file whose format is an estimator's."""
    return format_of(pathlib.Path(path)) == ESTIMATOR_FORMAT


def check_replaceable(path: pathlib.Path, rules: RuleSet, *, force: bool) -> None:
    """Check, before the work, that a new estimator of a rule set may have a path.

    OutputError if no file can be written there; if there is something else, or the estimator of
    another rule set; without `force` also if there is one of this rule set, or one that cannot be
    read.
    """
    if os.path.lexists(path):
        there, may_go = "not an estimator", False
        if is_estimator_file(str(path)):
            others = _rules_of(path)
            there = f"an estimator of {others.title}" if others else "an unreadable estimator"
            may_go = others is None or others.is_same_game(rules)
        if not (may_go and force):
            advice = (
                "--force replaces it (in Python, force=True)" if may_go else "choose another path"
            )
            raise OutputError(f"{str(path)!r} already exists and is {there}: {advice}")
    check_outputs({"the estimator": path})


def _rules_of(path: pathlib.Path) -> RuleSet | None:
    """The rule set of an estimator; None for a file that has to be made again."""
    try:
        return read(path).rules
    except (DamagedEstimatorError, EstimatorVersionError):
        return None


_KINDS = {
    "features": ("S", 256),
    "first_layer": ("i", 1),
    "scales": ("f", 2),
    "weights": ("f", 2),
    "errors": ("f", 8),
    "differences": ("f", 8),
}
"""Of datasets the kind of numbers, and the most bytes of one."""


def _check_is_one(path: pathlib.Path) -> None:
    # neither a file nor a folder: a FIFO would be waited for
    is_empty = path.exists() and not (path.is_file() or path.is_dir())
    try:
        if not is_empty:
            with path.open("rb") as file:
                is_empty = not file.read(1)
    except FileNotFoundError:
        raise MissingEstimatorError(f"there is no estimator {str(path)!r}") from None
    except (OSError, ValueError) as error:  # ValueError if the path has a null byte
        reason = getattr(error, "strerror", None) or error
        raise NotAnEstimatorError(f"cannot read estimator {str(path)!r}: {reason}") from None
    if is_empty or not h5py.is_hdf5(path):
        raise NotAnEstimatorError(
            f"{str(path)!r} is not an estimator: expected an HDF5 file as 'ur train' makes it"
        )


def _damaged(path: pathlib.Path, fault: str) -> DamagedEstimatorError:
    return DamagedEstimatorError(
        f"estimator {str(path)!r} is damaged: {fault}; make it again with 'ur train'"
    )


@contextmanager
def _reading(path: pathlib.Path) -> Iterator[None]:
    """Turn whatever h5py raises on a damaged file into DamagedEstimatorError."""
    try:
        yield
    except UrError:
        raise
    except Exception as error:  # which one a flipped bit leads to depends on where it is
        reason = " ".join(str(error).split())
        raise _damaged(path, f"{reason:.200}") from error


def _array(
    path: pathlib.Path, file: h5py.File, name: str, kind: str, most: int
) -> npt.NDArray[Any]:
    # an external link, or values in other files, would open what the file's author names
    is_here = isinstance(file.get(name, getlink=True), h5py.HardLink)
    found = file[name] if is_here else None
    if not isinstance(found, h5py.Dataset):
        raise _damaged(path, f"the dataset {name!r} is missing")
    is_sound_one = (
        not (found.is_virtual or found.external)
        and (found.dtype.kind, len(found.shape or ())) == (kind, 1)
        and found.dtype.itemsize <= most
        and found.chunks is None
        and found.id.get_storage_size() == found.nbytes <= _MOST_BYTES
    )
    if not is_sound_one:
        raise _damaged(path, f"the dataset {name!r} is of another type")
    values: npt.NDArray[Any] = found[()]
    return values


def _stored(path: pathlib.Path, texts: dict[str, str], arrays: dict[str, Any]) -> Stored:
    try:
        rules = RuleSet.from_json(texts["rules"])
    except UnregisteredError as error:
        raise UnregisteredError(f"estimator {str(path)!r}: {error}") from None
    except RuleSetError as error:
        raise _damaged(path, str(error)) from None
    names = arrays["features"].astype(str).tolist()
    known = (features_of(rules, *each) for each in ((), (True,)))
    features = next((each for each in known if [*each.names] == names), None)
    if features is None:
        raise EstimatorVersionError(
            f"estimator {str(path)!r} has other features than this program derives from its rule "
            "set: 'ur train' makes it again"
        )
    hidden = _decoded(path, texts, "hidden")
    if not is_sound(hidden):
        raise _damaged(path, f"its hidden layers are {hidden!r:.100}")
    shape = Shape(len(features), tuple(hidden), not rules.payoff.has_fines)
    in_first = shape.inputs * shape.hidden[0]
    errors, differences = arrays["errors"], arrays["differences"]
    sizes = [len(arrays[name]) for name in ("first_layer", "scales", "weights")]
    if sizes != [in_first, shape.inputs, shape.n_weights - in_first] or {
        len(errors),
        len(differences),
    } != {MOST_PLIES}:
        raise _damaged(path, "its weights or errors are too few or too many")
    weights = unpacked(shape, arrays)
    if not shape.is_finite(weights):
        raise _damaged(path, "its weights are not all numbers, or too large for any value")
    for name, each in (("errors", errors), ("differences", differences)):
        if not is_measure(each, _MOST_ERROR):
            raise _damaged(path, f"its {name} are {each.tolist()!r:.100}, which is impossible")
    made_by, measured = (_decoded(path, texts, name) for name in ("made_by", "measured"))
    fault = _fault_of(made_by, MADE_BY, "made_by") or _fault_of(measured, MEASURED, "measured")
    if fault is not None:
        raise _damaged(path, fault)
    return Stored(rules, shape, weights, errors, differences, made_by, measured)


def _decoded(path: pathlib.Path, texts: dict[str, str], name: str) -> Any:
    """What an attribute says in JSON."""
    try:
        return json_values(texts[name])
    except (ValueError, RecursionError):
        raise _damaged(path, f"its {name} is {texts[name]!r:.60}, which is not JSON") from None


def _fault_of(
    value: object, schema: _Schema | tuple[type, float, float] | str, name: str
) -> str | None:
    """What is wrong with a value called `name`, in words; None if it is as its schema says."""
    said = f"{name} is {value!r:.60}"
    if isinstance(schema, str):
        is_text = isinstance(value, str) and re.fullmatch(schema, value)
        return None if is_text else f"{said}, not a text of the right form"
    if isinstance(schema, tuple):
        kind, least, most = schema
        is_number = isinstance(value, (int, kind)) and not isinstance(value, bool)
        if is_number and least <= cast("float", value) <= most:
            return None
        return f"{said}, not a number from {least:g} to {most:g}"
    if not isinstance(value, dict):
        return f"{said}, not an object"
    known = {key.removesuffix("?"): each for key, each in schema.items()}
    missing = [key for key in schema if not key.endswith("?") and key not in value]
    unknown = [key for key in value if key not in known]
    if missing or unknown:
        return f"{name} has {f'no {missing[0]!r}' if missing else f'an unknown {unknown[0]!r:.60}'}"
    faults = (_fault_of(each, known[key], f"{name}.{key}") for key, each in value.items())
    return next(filter(None, faults), None)


def _digest(texts: dict[str, str], arrays: dict[str, npt.NDArray[Any]]) -> str:
    head = json_text({"format": ESTIMATOR_FORMAT, "version": VERSION} | texts, sort_keys=True)
    whole = hashlib.sha256(head.encode())
    for name in _KINDS:
        whole.update(arrays[name].tobytes())
    return whole.hexdigest()
