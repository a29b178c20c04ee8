"""What lies under the name of a table or an estimator and is none: said once, in nobody's way."""

from __future__ import annotations

import contextlib
import json
import warnings

import pytest
from click.testing import CliRunner

import ur_solver as ur
from tests.estimators.test_file import stored_of
from tests.solving import make_table
from ur_solver.answers.locate import find_file
from ur_solver.cli import cli
from ur_solver.errors import IgnoredFileWarning, InputError, MissingEstimatorError
from ur_solver.estimators.file import write
from ur_solver.rules import named_rules
from ur_solver.serve.shelf import open_shelf
from ur_solver.space import part_of
from ur_solver.table.names import FOLDER_VARIABLE

LARGE, SMALL = "masters:7", "finkel:1"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of tables with one of finkel 2, and with an estimator of a large game."""
    place = tmp_path / "chosen"
    (place / "estimators").mkdir(parents=True)
    monkeypatch.setenv(FOLDER_VARIABLE, str(place))
    make_table(named_rules("finkel:2"), place / "finkel-2.h5")
    write(place / "estimators" / "masters-7.h5", stored_of(LARGE))
    return place


def _estimator(path):
    write(path, stored_of("aseb:1"))


def _table(path):
    make_table(named_rules("aseb:1"), path)


STRANGERS = {
    "a text": lambda path: path.write_text("hello\n"),
    "nothing": lambda path: path.write_bytes(b""),
    "a folder": lambda path: path.mkdir(),
    "broken HDF5": lambda path: path.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(range(200))),
}
AMONG_TABLES = STRANGERS | {"an estimator": _estimator}
AMONG_ESTIMATORS = STRANGERS | {"a table": _table}


def asked(*words):
    result = CliRunner().invoke(cli, [*words])
    assert result.exit_code == 0, result.output
    return result.stdout, result.stderr


def said_once(stderr, path):
    about = [line for line in stderr.splitlines() if str(path) in line]
    assert len(about) == 1, stderr
    assert "it is ignored" in about[0]
    return about[0]


@pytest.mark.parametrize("stranger", AMONG_TABLES)
def test_one_under_a_tables_name_is_ignored(folder, stranger):
    large, small = folder / "masters-7.h5", folder / "finkel-1.h5"
    for path in (large, small):
        AMONG_TABLES[stranger](path)
    kept = None if small.is_dir() else small.read_bytes()
    for words in (["best", LARGE], ["query", LARGE], ["info", LARGE]):
        sentence = said_once(asked(*words)[1], large)
        belongs = f"and belongs in '{folder / 'estimators'}'"
        assert (belongs in sentence) == (stranger == "an estimator")
    err = asked("best", SMALL, "--json")[1]
    said_once(err, small)
    exact = next(folder.glob("finkel-1-*.h5"))  # solved beside it
    assert kept is None or small.read_bytes() == kept
    exact.unlink()
    # and in Python
    with pytest.warns(IgnoredFileWarning, match="it is ignored"):
        assert isinstance(ur.open_evaluator(LARGE), ur.Estimator)
    with pytest.warns(IgnoredFileWarning):
        assert find_file(named_rules(SMALL)) is None
    assert "finkel-2.h5: right" in _verified()
    listed = [json.loads(line) for line in asked("tables", "--json")[0].splitlines()]
    assert {each["path"].rpartition("/")[2] for each in listed} >= {"finkel-1.h5", "masters-7.h5"}
    of_large = next(each for each in listed if each["path"] == str(large))
    assert of_large["kind"] == ("damaged" if stranger == "broken HDF5" else "other")
    assert of_large["message"]


def _verified():
    return CliRunner().invoke(cli, ["tables", "verify"]).stdout


@pytest.mark.parametrize("stranger", AMONG_ESTIMATORS)
def test_one_under_an_estimators_name_is_ignored(folder, monkeypatch, stranger):
    shipped = folder / "shipped"
    shipped.mkdir()
    monkeypatch.setattr("ur_solver.estimators.estimator.SHIPPED", shipped)
    write(shipped / "masters-7.h5", stored_of(LARGE))
    path = folder / "estimators" / "masters-7.h5"
    path.unlink()
    AMONG_ESTIMATORS[stranger](path)
    for words in (["best", LARGE], ["info", LARGE]):
        sentence = said_once(asked(*words)[1], path)
        assert (f"and belongs in '{folder}'" in sentence) == (stranger == "a table")
    with pytest.warns(IgnoredFileWarning, match="it is ignored"):
        found = ur.open_estimator(LARGE)
    assert found.path.parent == shipped
    assert str(path) in asked("tables")[0]


@pytest.mark.parametrize("stranger", AMONG_TABLES)
def test_a_shelf_has_the_others(folder, stranger):
    for name in ("masters-7.h5", "finkel-1.h5"):
        AMONG_TABLES[stranger](folder / name)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        with contextlib.closing(open_shelf(lambda text: None)) as shelf:
            assert list(shelf) == ["finkel-2", "masters-7"]
    texts = [str(each.message) for each in caught]
    assert len(texts) == len({*texts}) == 2
    assert all("it is ignored" in text for text in texts)


@pytest.fixture
def own(folder):
    """A file of an estimator of finkel 2, of which there is a table."""
    path = folder.parent / "sprint-est.h5"
    write(path, stored_of("finkel:2"))
    write(folder / "estimators" / "finkel-2.h5", stored_of("finkel:2"))
    return path


def test_a_file_that_is_named_answers_by_itself_and_a_name_chooses(folder, own):
    start = named_rules("finkel:2").start()
    exact = ur.open_table("finkel:2").value(start)
    alone = ur.Estimator(own).value(start)
    assert alone != pytest.approx(exact, abs=1e-9)
    for found in (ur.open_estimator(own), ur.open_evaluator(own)):
        assert found.exact is None
        assert found.value(start) == alone
        assert found.error(start) > 0
        found.close()
    for found in (
        ur.open_estimator("finkel:2"),
        ur.open_evaluator("finkel:2"),
        ur.open_estimator(own, tables="all"),
        ur.open_evaluator(own, tables="all"),
    ):
        assert found.value(start) == exact
        found.close()
    for found in (
        ur.open_estimator("finkel:2", tables="none"),
        ur.open_evaluator("finkel:2", tables="none"),
        ur.open_evaluator("finkel:2", tables="endings"),  # there is none of endings
    ):
        assert found.value(start) == alone
        found.close()
    with pytest.raises(InputError, match="tables is 'some'; expected all, endings, none"):
        ur.open_estimator(own, tables="some")
    with pytest.raises(MissingEstimatorError):
        ur.open_evaluator("finkel:1", tables="none")


def test_endings_are_asked_without_the_whole_table(folder, own):
    rules = named_rules("finkel:2")
    make_table(rules, folder / "finkel-2-left-1.h5", part=part_of(rules, 1))
    with ur.open_estimator(own, tables="endings") as found:
        assert not found.exact.file.part.is_whole
        assert not found.is_exact(rules.start())
    with ur.open_estimator("finkel:2", tables="endings") as found:
        assert not found.exact.file.part.is_whole


def test_commands_ask_the_file_that_they_name(own):
    value = ur.Estimator(own).value(named_rules("finkel:2").start())
    exact = ur.open_table("finkel:2").start_value
    for words, wanted in (
        ([str(own)], value),
        ([str(own), "--tables", "all"], exact),
        (["finkel:2"], exact),
        (["finkel:2", "--tables", "none"], value),
    ):
        answer = json.loads(asked("query", *words, "--json")[0])
        assert answer["value"] == wanted, words
    assert "±" in asked("query", str(own))[0]
    assert "±" not in asked("best", "finkel:2")[0]
