"""The file of an estimator: written whole, and refused by name if it is not what it should be."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import pathlib
import shutil

import h5py
import numpy as np
import pytest
from click.testing import CliRunner

from ur_solver.cli import cli
from ur_solver.errors import (
    DamagedEstimatorError,
    EstimatorVersionError,
    MissingEstimatorError,
    NotAnEstimatorError,
    OutputError,
    RuleSetMismatchError,
    UrError,
)
from ur_solver.estimators.estimator import (
    Estimator,
    find_estimator,
    new_estimator_path,
    open_estimator,
)
from ur_solver.estimators.file import (
    _KINDS,
    _TEXTS,
    Stored,
    _digest,
    check_replaceable,
    read,
    rounded,
    write,
)
from ur_solver.estimators.network import Shape, features_of
from ur_solver.rules import named_rules
from ur_solver.space import space_of

MADE_BY = {
    "seed": 1,
    "rounds": 2,
    "positions": 300,
    "seconds": 4.5,
    "made": "2026-11-27T06:52:55+00:00",
    "program": "1.0.1",
}
_ERRORS = {"rms": 0.01, "p95": 0.02, "p99": 0.03, "bias": -0.001, "positions": 100}
MEASURED = {"positions": 100, "rollouts": 24, "plies": 12, "against_rollouts": _ERRORS}


def stored_of(word: str, is_wide: bool = True) -> Stored:
    """An estimator that has learnt nothing."""
    rules = named_rules(word)
    features = features_of(rules, is_wide)
    shape = Shape(len(features), (4,), not rules.payoff.has_fines)
    weights = rounded(shape, shape.drawn(np.random.default_rng(1)))
    errors, differences = np.array([[0.4, 0.3, 0.2, 0.1], [0.5, 0.2, 0.1, 0.01]])
    return Stored(rules, shape, weights, errors, differences, MADE_BY, MEASURED)


@pytest.fixture
def file(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "estimator.h5"
    write(path, stored_of("skiriuk:2"))
    return path


@pytest.mark.parametrize("is_wide", [False, True])
def test_what_is_read_is_what_was_written(file, is_wide):
    wanted = stored_of("skiriuk:2", is_wide)
    write(file, wanted)
    found = read(file)
    assert found.rules.is_same_game(wanted.rules)
    assert found.shape == wanted.shape
    assert np.array_equal(found.weights, rounded(wanted.shape, wanted.weights))
    assert found.errors.tolist() == wanted.errors.tolist()
    assert found.differences.tolist() == wanted.differences.tolist()
    assert (found.made_by, found.measured) == (MADE_BY, MEASURED)
    assert [each.name for each in file.parent.iterdir()] == [file.name]


def test_other_programs_can_read_it(file):
    with h5py.File(file) as opened:
        assert opened.attrs["format"] == b"ur-solver estimator"
        assert opened["features"][0] == b"A1 L>=1"
        first = opened["first_layer"][()].reshape(len(opened["features"]), -1)
        shape, weights = stored_of("skiriuk:2").shape, stored_of("skiriuk:2").weights
        step = opened["scales"][()][:, np.newaxis].astype(np.float64)
        assert (np.abs(first * step - shape.layers(weights)[0][0]) <= 0.501 * step).all()
        assert (opened["weights"].dtype, opened["weights"].shape) == (np.float16, (4 + 4 + 1,))


def test_what_is_none_is_refused(tmp_path, finkel2):
    with pytest.raises(MissingEstimatorError, match="there is no estimator"):
        read(tmp_path / "nowhere.h5")
    with pytest.raises(NotAnEstimatorError, match="is an HDF5 file, but not an estimator"):
        read(finkel2)
    text = tmp_path / "text.h5"
    for content in (b"", b"not HDF5"):
        text.write_bytes(content)
        with pytest.raises(NotAnEstimatorError, match="expected an HDF5 file"):
            read(text)


def test_rounding_again_changes_nothing_and_a_row_keeps_two_digits():
    rng = np.random.default_rng(1)
    shape = Shape(300, (16, 4), True)
    sizes = 10 ** rng.uniform(-4, 2, (300, 1))  # of rows: far below the least scale, and above
    first = (sizes * rng.normal(0, 1, (300, 16))).ravel()
    weights = np.append(first, rng.normal(0, 1, shape.n_weights - first.size)).astype(np.float32)
    once = rounded(shape, weights)
    assert np.array_equal(rounded(shape, once), once)
    matrix, close = (shape.layers(each)[0][0] for each in (weights, once))
    steps = np.maximum(np.abs(matrix).max(axis=1, keepdims=True) / 127, 2**-7)
    assert (np.abs(matrix - close) <= steps * 0.501).all()
    assert (np.abs(close) > 0).any(axis=1).sum() > 150
    np.testing.assert_allclose(once[first.size :], weights[first.size :], rtol=2**-11, atol=1e-7)


def test_other_versions_are_refused(file):
    with h5py.File(file, "r+") as opened:
        opened.attrs["version"] = np.int64(1)
    with pytest.raises(
        EstimatorVersionError, match="has format version 1; this program reads version 2"
    ):
        read(file)


def test_other_features_are_refused(file, monkeypatch):
    features = features_of(named_rules("skiriuk:2"), True)
    monkeypatch.setattr(features, "names", (*features.names[1:], "another"))
    write(file, stored_of("skiriuk:2"))
    monkeypatch.undo()
    with pytest.raises(EstimatorVersionError, match="has other features than this program"):
        read(file)


def test_another_rule_set_is_refused():
    rules = named_rules("skiriuk:2")
    path = new_estimator_path(rules)
    path.parent.mkdir(exist_ok=True)
    write(path, stored_of("skiriuk-d4:2"))
    try:
        with pytest.raises(
            RuleSetMismatchError, match="is of skiriuk-d4 with 2 pieces, with other"
        ):
            find_estimator(rules)
    finally:
        path.unlink()


def test_a_table_of_another_rule_set_is_refused(query2):
    with pytest.raises(RuleSetMismatchError, match="the table is of finkel with 2 pieces"):
        Estimator(stored_of("skiriuk:2"), exact=query2)


@pytest.mark.parametrize("name", ["rules", "hidden", "made_by", "measured", "digest", "version"])
def test_missing_attributes_are_damage(file, name):
    with h5py.File(file, "r+") as opened:
        del opened.attrs[name]
    with pytest.raises(DamagedEstimatorError):
        read(file)


@pytest.mark.parametrize("name", _KINDS)
def test_datasets_that_are_not_there_or_elsewhere_are_damage(file, name, tmp_path):
    other = tmp_path / "other.h5"
    shutil.copy(file, other)
    with h5py.File(file, "r+") as opened:
        del opened[name]
    with pytest.raises(DamagedEstimatorError, match=f"the dataset '{name}' is missing"):
        read(file)
    with h5py.File(file, "r+") as opened:
        opened[name] = h5py.ExternalLink(str(other), name)
    with pytest.raises(DamagedEstimatorError, match=f"the dataset '{name}' is missing"):
        read(file)
    with h5py.File(file, "r+") as opened:
        del opened[name]
        opened.create_dataset(name, (10**12,), dtype="f4", chunks=(10**6,))
    with pytest.raises(DamagedEstimatorError, match=f"the dataset '{name}' is of another type"):
        read(file)


def rewritten(path, *, texts=None, **arrays):
    """Change attributes and datasets of an estimator's file, and make its digest right again."""
    with h5py.File(path, "r+") as opened:
        for name, values in arrays.items():
            del opened[name]
            opened[name] = values
        for name, text in (texts or {}).items():
            opened.attrs[name] = np.bytes_(text.encode())
        found = {name: opened.attrs[name].decode() for name in _TEXTS}
        datasets = {name: opened[name][()] for name in _KINDS}
        digest = _digest(found, datasets)
        opened.attrs["digest"] = np.bytes_(digest.encode())
    return path


def nested(depth):
    first = {**MADE_BY, "rules": "finkel with 7 pieces"}
    for _ in range(depth):
        first = {**first, "first": first}
    return {**MADE_BY, "first": first}


STRANGE = [None, True, -7, math.pi, 10**400, "\x1b[31m", [], {}, [[]]]


@pytest.mark.parametrize("text", ["{}", "[]", "5", '"a"', "null", "NaN", "{", "1e999", "[" * 9999])
@pytest.mark.parametrize("name", ["made_by", "measured", "hidden", "rules"])
def test_an_attribute_of_another_type_is_refused_in_one_sentence(file, name, text):
    with pytest.raises(DamagedEstimatorError) as raised:
        read(rewritten(file, texts={name: text}))
    said = str(raised.value)
    assert said.startswith(f"estimator '{file}' is damaged: ")
    assert "\n" not in said
    assert len(said) < 400


@pytest.mark.parametrize(("name", "own"), [("made_by", MADE_BY), ("measured", MEASURED)])
@pytest.mark.parametrize("value", [..., *STRANGE], ids=str)
def test_every_key_of_an_attribute_has_its_type(file, name, own, value):
    for key in own:
        if key == "seconds" and value == math.pi:
            continue
        changed = {other: each for other, each in own.items() if other != key}
        if value is not ...:
            changed[key] = value
        with pytest.raises(DamagedEstimatorError, match=f"damaged: {name}.*{key}"):
            read(rewritten(file, texts={name: json.dumps(changed)}))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("made_by", MADE_BY | {"made": "yesterday"}),
        ("made_by", MADE_BY | {"rules": 5}),
        ("made_by", MADE_BY | {"first": MADE_BY}),
        ("made_by", nested(3) | {"first": {**nested(2)["first"], "first": 5}}),
        ("measured", MEASURED | {"against_table": {}}),
        ("measured", MEASURED | {"against_rollouts": _ERRORS | {"rms": -0.1}}),
        ("measured", MEASURED | {"against_rollouts": _ERRORS | {"more": 1}}),
    ],
    ids=str,
)
def test_what_an_attribute_cannot_say_is_refused(file, name, values):
    with pytest.raises(DamagedEstimatorError, match=f"damaged: {name}"):
        read(rewritten(file, texts={name: json.dumps(values)}))


def test_what_an_attribute_may_say_is_read(file):
    by_table = MEASURED | {"against_table": _ERRORS}
    texts = {"made_by": json.dumps(nested(3)), "measured": json.dumps(by_table)}
    found = read(rewritten(file, texts=texts))
    assert (found.made_by, found.measured) == (nested(3), by_table)


@pytest.mark.parametrize(
    "errors",
    [[-0.1, 0.3, 0.2, 0.1], [math.nan] * 4, [0.1, 0.1, 0.1, math.inf], [1e300] * 4],
    ids=str,
)
def test_errors_that_cannot_be_are_refused(file, errors):
    for name in ("errors", "differences"):
        sound = dict.fromkeys(("errors", "differences"), np.full(4, 0.1))
        with pytest.raises(DamagedEstimatorError, match=f"its {name} are"):
            read(rewritten(file, **sound | {name: np.array(errors)}))


@pytest.mark.parametrize("name", ["errors", "differences"])
def test_errors_of_another_number_of_plies_are_refused(file, name):
    with pytest.raises(DamagedEstimatorError, match="too few or too many"):
        read(rewritten(file, **{name: np.full(3, 0.1)}))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("name", ["scales", "weights"])
def test_weights_of_which_no_value_could_be_made_are_refused(file, name, value):
    with h5py.File(file) as opened:
        values = opened[name][()]
    values[7] = value
    with pytest.raises(DamagedEstimatorError, match="its weights are not all numbers"):
        read(rewritten(file, **{name: values}))


def test_weights_whose_sums_could_overflow_are_refused(tmp_path):
    stored, path = stored_of("finkel:2"), tmp_path / "deep.h5"
    shape = Shape(stored.shape.inputs, (1024,) * 4, True)
    weights = np.full(shape.n_weights, 6e4, dtype=np.float32)
    write(path, dataclasses.replace(stored, shape=shape, weights=weights))
    with pytest.raises(DamagedEstimatorError, match="too large for any value"):
        read(path)


@pytest.mark.parametrize("name", ["first_layer", "scales", "weights"])
def test_weights_of_another_number_are_refused(file, name):
    with h5py.File(file) as opened:
        values = opened[name][()]
    with pytest.raises(DamagedEstimatorError, match="too few or too many"):
        read(rewritten(file, **{name: values[1:]}))


@pytest.mark.parametrize("word", ["finkel:2", "bell-stakes:2"])
def test_no_weights_give_a_value_that_cannot_be(tmp_path, word):
    rules, path = named_rules(word), tmp_path / "e.h5"
    space = space_of(rules)
    write(path, stored_of(word))
    size, rng = len(read(path).weights), np.random.default_rng(1)
    rows = space.unrank_states(np.arange(0, space.n_values, space.values_per_position))
    least, most = (each[0] * space.unit for each in space.limits)
    for factor in (1, 1e2, 1e4):
        weights = rng.normal(0, factor, size).astype(np.float32)
        write(path, dataclasses.replace(stored_of(word), weights=weights))
        found = Estimator(path, plies=1)
        values = found.network.state_values(rows)
        assert (values >= least - 1e-9).all()
        assert (values <= most + 1e-9).all()
        margins = found.state_margins(rows, values)
        assert (margins >= 0).all()
        assert (margins <= space.unit).all()


@pytest.mark.parametrize(
    "version", [np.float64(1.5), np.bytes_(b"1"), np.array([1, 1]), np.uint8(1)], ids=repr
)
def test_a_version_of_another_type_is_refused(file, version):
    with h5py.File(file, "r+") as opened:
        opened.attrs["version"] = version
    with pytest.raises(DamagedEstimatorError, match="the attribute 'version' is of type"):
        read(file)


COMMANDS = (["info", "{}"], ["info", "{}", "--json"], ["best", "{}"], ["query", "{}"], ["tables"])


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("text", ["{}", "[]", "5"])
def test_commands_say_it_once(tmp_path, monkeypatch, words, text):
    monkeypatch.setenv("UR_TABLES", str(tmp_path))
    path = tmp_path / "estimators" / "finkel-7.h5"
    path.parent.mkdir()
    write(path, stored_of("finkel:7"))
    rewritten(path, texts={"made_by": text})
    result = CliRunner().invoke(cli, [word.format(path) for word in words])
    assert result.exit_code == (0 if words == ["tables"] else 1), result.output
    fault = "has no 'seed'" if text == "{}" else f"is {text}, not an object"
    assert f"damaged: made_by {fault}; make it again with 'ur train'" in result.output


def test_a_flipped_bit_is_found_or_changes_nothing(file):
    wanted, content = read(file), file.read_bytes()
    n_found = 0
    for at in np.random.default_rng(1).permutation(len(content))[:150].tolist():
        changed = bytearray(content)
        changed[at] ^= 1 << at % 8
        file.write_bytes(changed)
        try:
            found = read(file)
        except UrError:
            n_found += 1
            continue
        assert np.array_equal(found.weights, wanted.weights)
        assert found.errors.tolist() == wanted.errors.tolist()
        assert found.rules == wanted.rules
    assert n_found > 50


def test_a_truncated_file_is_refused(file):
    content = file.read_bytes()
    for size in (len(content) - 1, len(content) // 2, 100):
        file.write_bytes(content[:size])
        with pytest.raises((DamagedEstimatorError, NotAnEstimatorError)):
            read(file)


def test_a_folder_that_is_not_there_is_said(tmp_path):
    with pytest.raises(OutputError, match=r"cannot write estimator .*No such file"):
        write(tmp_path / "nowhere" / "estimator.h5", stored_of("finkel:1"))


def test_a_missing_one_names_the_command_that_makes_it():
    with pytest.raises(MissingEstimatorError, match="'ur train masters -n 2' makes it"):
        open_estimator("masters:2")


def test_only_an_estimator_of_the_same_rules_is_replaced(file, tmp_path):
    own = named_rules("skiriuk:2")
    check_replaceable(file, own, force=True)
    check_replaceable(tmp_path / "new.h5", own, force=False)
    with pytest.raises(OutputError, match="2 pieces: --force replaces it"):
        check_replaceable(file, own, force=False)
    with pytest.raises(OutputError, match="is an estimator of skiriuk with 2 pieces: choose"):
        check_replaceable(file, named_rules("skiriuk:3"), force=True)
    with h5py.File(file, "r+") as changed:
        changed.attrs["digest"] = np.bytes_(b"0" * 64)
    with pytest.raises(OutputError, match="an unreadable estimator: --force replaces it"):
        check_replaceable(file, own, force=False)
    check_replaceable(file, own, force=True)
    (tmp_path / "notes").write_text("mine")
    for path in (tmp_path / "notes", tmp_path):
        with pytest.raises(OutputError, match="already exists and is not an estimator"):
            check_replaceable(path, own, force=True)


def test_a_fifo_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(NotAnEstimatorError, match="expected an HDF5 file"):
        read(tmp_path / "fifo")
