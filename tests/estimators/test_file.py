"""The file of an estimator: written whole, and refused by name if it is not what it should be."""

from __future__ import annotations

import os
import pathlib
import shutil

import h5py
import numpy as np
import pytest

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
from ur_solver.estimators.file import Stored, check_replaceable, read, write
from ur_solver.estimators.network import Shape, features_of
from ur_solver.rules import named_rules


def stored_of(word: str) -> Stored:
    """An estimator that has learnt nothing."""
    rules = named_rules(word)
    shape = Shape(len(features_of(rules)), (4,), not rules.payoff.has_fines)
    weights = shape.drawn(np.random.default_rng(1))
    return Stored(rules, shape, weights, np.array([0.4, 0.3, 0.2, 0.1]), {"seed": 1}, {})


@pytest.fixture
def file(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "estimator.h5"
    write(path, stored_of("skiriuk:2"))
    return path


def test_what_is_read_is_what_was_written(file):
    found, wanted = read(file), stored_of("skiriuk:2")
    assert found.rules.is_same_game(wanted.rules)
    assert found.shape == wanted.shape
    assert np.array_equal(found.weights, wanted.weights)
    assert found.errors.tolist() == wanted.errors.tolist()
    assert (found.made_by, found.measured) == ({"seed": 1}, {})
    assert [each.name for each in file.parent.iterdir()] == [file.name]


def test_other_programs_can_read_it(file):
    with h5py.File(file) as opened:
        assert opened.attrs["format"] == b"ur-solver estimator"
        assert opened["features"][0] == b"A1 L>=1"
        assert opened["weights"].dtype == np.float32


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


def test_other_versions_are_refused(file):
    with h5py.File(file, "r+") as opened:
        opened.attrs["version"] = np.int64(2)
    with pytest.raises(EstimatorVersionError, match="has format version 2; this program reads"):
        read(file)


def test_other_features_are_refused(file, monkeypatch):
    features = features_of(named_rules("skiriuk:2"))
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


@pytest.mark.parametrize("name", ["weights", "features", "errors"])
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
    check_replaceable(file, named_rules("skiriuk:2"))
    check_replaceable(tmp_path / "new.h5", named_rules("skiriuk:2"))
    with pytest.raises(OutputError, match="already exists and is an estimator of skiriuk"):
        check_replaceable(file, named_rules("skiriuk:3"))
    (tmp_path / "notes").write_text("mine")
    for path in (tmp_path / "notes", tmp_path):
        with pytest.raises(OutputError, match="already exists and is not an estimator"):
            check_replaceable(path, named_rules("skiriuk:2"))


def test_a_fifo_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(NotAnEstimatorError, match="expected an HDF5 file"):
        read(tmp_path / "fifo")
