"""Exports of all positions: what other programs read is what the API says of each."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import ur_solver as ur
from ur_solver.cli import cli
from ur_solver.errors import InputError, WrongTypeError

pytestmark = pytest.mark.medium

pa = pytest.importorskip("pyarrow", reason="the extra 'arrow' is not installed")
from pyarrow import parquet  # noqa: E402


def run(*arguments, code=0):
    result = CliRunner().invoke(cli, [str(each) for each in arguments])
    assert result.exit_code == code, result.output
    return result


WORDS = ["finkel:1", "casual-roll-again:1", "skiriuk:1", "birds:1", "bell-stakes:1"]


def expected(table, state):
    """What the API says of one position, as a row of an export."""
    dark = table.space.decode(state.tolist())
    path = table.rules.path.light
    row = {
        "position": dark.notation,
        "value": table.value(dark),
        "error": table.error(dark),
    }
    for throw in table.rules.dice.throws:
        moves = table.moves(dark, throw)
        worth = next(each.value for each in table.throws(dark) if each.throw == throw)
        found = {"moves": len(moves), "best": None, "from": -1, "to": -1, "value": worth}
        found["margin"] = moves[1].loss if len(moves) > 1 else None
        if moves:
            text = moves[0].move.text
            found["best"] = text
            source, target = text.removeprefix("1")[:2], text.removeprefix("1")[2:4]
            found["from"] = -1 if source[1] == "@" else path.index(source)
            found["to"] = len(path) if target[1] == "+" else path.index(target)
        row |= {f"{name}_{throw}": value for name, value in found.items()}
    return row


@pytest.mark.parametrize("word", WORDS)
def test_each_row_is_what_the_api_says(word, solved, tmp_path):
    with ur.Table(solved(ur.rule_set(word))) as table:
        n = table.export(tmp_path / "t.parquet")
        frame = parquet.read_table(tmp_path / "t.parquet")
        states = np.concatenate([states for states, _ in table.chunks(1000)])
        assert n == frame.num_rows == len(states)
        assert list(frame.column_names) == ["rank", *expected(table, states[0])]
        assert frame["rank"].to_pylist() == table.ranks(states).tolist()
        rng = np.random.default_rng(1)
        names = [name for name in frame.column_names if name != "rank"]
        if table.rules.path.name != "bell":  # squares that are visited twice have two indices
            names = [name for name in names if not name.startswith(("from", "to"))]
        for k in rng.integers(n, size=20).tolist():
            row = frame.slice(k, 1).select(names).to_pylist()[0]
            assert row == {name: expected(table, states[k])[name] for name in names}


def test_all_kinds_hold_the_same(query2, tmp_path):
    query2.export(tmp_path / "t.parquet", "parquet")
    query2.export(tmp_path / "t.arrow", "arrow")
    query2.export(tmp_path / "t.npy", "npy")
    frame = pd.read_parquet(tmp_path / "t.parquet")
    assert frame.equals(pd.read_feather(tmp_path / "t.arrow"))
    assert not any(frame[name].dtype == object for name in frame)
    numbers = frame.select_dtypes("number")
    assert {kind.kind for kind in numbers.dtypes} == {"i", "f"}  # whose differences may be negative
    assert (frame["moves_0"] - frame["moves_2"]).min() < 0
    records = np.load(tmp_path / "t.npy", mmap_mode="r")
    assert len(records) == len(frame)
    assert not records.dtype.hasobject
    assert records["state"].dtype.kind == "i"
    assert query2.layout.notations(records["state"]).tolist() == frame["position"].tolist()
    for name in frame.columns.drop("position"):
        if name.startswith("best"):
            assert np.char.decode(records[name]).tolist() == frame[name].fillna("").tolist()
        else:
            np.testing.assert_array_equal(records[name], frame[name])


def test_the_mean_of_throws_is_the_value(query2, tmp_path):
    query2.export(tmp_path / "t.parquet", columns=["value", *(f"value_{k}" for k in range(5))])
    frame = pd.read_parquet(tmp_path / "t.parquet")
    chances = query2.rules.dice.probabilities
    mean = sum(float(chances[k]) * frame[f"value_{k}"] for k in range(5))
    assert np.abs(mean - frame["value"]).max() < 1e-9


def test_proven_errors_and_the_origin_are_stated(tmp_path):
    with ur.solve("finkel:1", tmp_path / "proven.h5", certify=True) as table:
        table.export(tmp_path / "t.arrow", "arrow", ["rank", "error"])
        found = pa.ipc.open_file(tmp_path / "t.arrow").read_all()
        assert found.column_names == ["rank", "error"]
        errors = [table.error(table.space.unrank(rank)) for rank in range(217)]
        assert found["error"].to_pylist() == errors
        origin = json.loads(found.schema.metadata[b"ur-solver"])
        assert origin == {
            "rules": table.rules.to_json(),
            "digest": table.file.digest,
            "state_layout": table.layout.version,
        }


def test_an_export_within_little_memory_is_the_same(query2, tmp_path):
    query2.limit_memory(1)
    query2.export(tmp_path / "little.npy", "npy")
    assert query2.file._flat is None
    query2.limit_memory(1 << 30)
    query2.load()
    query2.export(tmp_path / "whole.npy", "npy")
    assert (tmp_path / "little.npy").read_bytes() == (tmp_path / "whole.npy").read_bytes()


def test_the_command_writes_what_python_does(query2, tmp_path):
    query2.export(tmp_path / "python.npy", "npy", ["rank", "best_1"])
    done = run("export", "finkel:2", tmp_path / "t.npy", "--npy", "--columns", "best_1, rank")
    assert "13,112" not in done.stderr
    assert f"{query2.header.positions:,} positions" in done.stderr
    assert done.stdout.strip() == str(tmp_path / "t.npy")
    assert (tmp_path / "t.npy").read_bytes() == (tmp_path / "python.npy").read_bytes()
    assert "--force" in run("export", "finkel:2", tmp_path / "t.npy", "--npy", code=1).stderr


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (
            ["--npy", "--columns", "valeu"],
            "no column 'valeu'; did you mean 'value'? (the columns are rank,",
        ),
        (["--columns", "value"], "--columns is for --parquet, --arrow and --npy"),
        (["--npy", "--author", "Ann"], "--value-type and --author are for maps"),
    ],
)
def test_wrong_options_are_refused(finkel2, tmp_path, options, fault):
    said = run("export", finkel2, tmp_path / "t.out", *options, code=2).stderr
    assert fault in " ".join(said.replace("│", " ").split())
    assert not (tmp_path / "t.out").exists()


def test_a_file_gets_no_name_of_another_kind(finkel2, tmp_path):
    for options, kind in (([], "a map, such as map.rgu"), (["--npy"], "--npy")):
        said = run("export", finkel2, tmp_path / "t.parquet", *options, code=2).stderr
        assert f"is a name for --parquet, not for {kind}" in said
    assert not list(tmp_path.iterdir())


def test_a_kind_that_there_is_not(query2, tmp_path):
    with pytest.raises(InputError, match="the kinds are parquet, arrow, npy"):
        query2.export(tmp_path / "t.csv", "csv")
    assert list(tmp_path.iterdir()) == []


def test_progress_ends_with_all_positions(query2, tmp_path):
    reported = []
    query2.export(tmp_path / "t.npy", "npy", ["rank"], lambda *each: reported.append(each))
    n = query2.header.positions
    assert reported[-1] == (n, n)
    assert math.isclose(sum(1 for _ in reported), -(-n // (1 << 16)))


def test_one_column_is_a_list_of_one(query2, tmp_path):
    with pytest.raises(WrongTypeError, match="'rank' is one column; expected several"):
        query2.export(tmp_path / "t.npy", "npy", "rank")
    assert query2.export(tmp_path / "t.npy", "npy", ["rank"]) == query2.header.positions
