"""Tables with right digests whose numbers no value, error or duration can be."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

from tests.meaningless import forged, hash_results
from tests.solving import make_table
from ur_solver.blocks.folder import BlockFolder, Job
from ur_solver.blocks.stored import Possible
from ur_solver.cli import cli
from ur_solver.errors import DamagedBlockError, DamagedTableError
from ur_solver.rules import named_rules
from ur_solver.space import space_of
from ur_solver.table.output import pack
from ur_solver.table.reader import TableFile

RULES = named_rules("finkel:1")
AT = 3
"""The rank that `forged` gives another value."""


IMPOSSIBLE = [math.nan, math.inf, -math.inf, -0.2, 1.479, 1e300]
MANY_WAYS = {
    "one": lambda table: table.read_one(AT),
    "few": lambda table: table.read_many([AT, AT + 1]),
    "many": lambda table: table.read_many(np.arange(table.space.n_values)),
    "block": lambda table: [table.read_block(each.index) for each in table.space.blocks],
    "runs": lambda table: list(table.read_runs(0, table.space.n_values, 7)),
    "whole": lambda table: table.load(),
}


@pytest.mark.parametrize("way", MANY_WAYS)
@pytest.mark.parametrize("value", IMPOSSIBLE)
def test_an_impossible_value_is_refused_where_it_is_decoded(tmp_path, value, way):
    path = forged(tmp_path / "finkel-1.h5", value)
    position = space_of(RULES).unrank(AT).notation
    with TableFile(path) as table, pytest.raises(DamagedTableError) as raised:
        MANY_WAYS[way](table)
    said = str(raised.value)
    assert f"from position {position!r} on, have {value!r} there" in said
    assert "not a probability" in said
    assert "\n" not in said


@pytest.mark.parametrize("value", [math.nan, -math.inf, -0.5, 1.5])
def test_rounded_values_are_checked_too(tmp_path, value):
    path = forged(tmp_path / "x.h5", value, value_type="float32")
    with TableFile(path) as table, pytest.raises(DamagedTableError, match="not a probability"):
        table.read_one(AT)


def test_what_is_possible_is_read(tmp_path):
    for number, value in enumerate((0.0, -0.0, 1.0, 5e-324, 1.0 + 2e-16, -1e-17)):
        with TableFile(forged(tmp_path / f"{number}.h5", value)) as table:
            assert table.read_one(AT) == value
    for word in ("float32", "uint16"):
        with TableFile(forged(tmp_path / f"{word}.h5", 1.0, value_type=word)) as table:
            assert table.read_one(AT) == 1.0


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0])
def test_an_impossible_length_is_refused(tmp_path, value):
    path = forged(tmp_path / "x.h5", value, objective="length", block_error=0.5)
    with TableFile(path, ("length",)) as table, pytest.raises(DamagedTableError, match="length"):
        table.read_one(AT)
    with TableFile(forged(tmp_path / "y.h5", 1e9, objective="length"), ("length",)) as table:
        assert table.read_one(AT) == 1e9


def test_money_beyond_the_pot_is_refused_at_each_number_of_fines(tmp_path):
    rules = named_rules("bell-stakes:1")
    path, space = tmp_path / "bell.h5", space_of(rules)
    make_table(rules, path)
    possible = Possible(space)
    with TableFile(path) as table:
        values = np.array(table.load())
    assert possible.fault(values) is None
    pots = space.pots
    for level in range(space.values_per_position):
        for at in (level, 5 * space.values_per_position + level):
            for value in (-0.5, pots[level] + 0.5, math.nan):
                wrong = values.copy()
                wrong[at] = value
                assert possible.fault(wrong) == at, (level, value)
                # a chunk may begin anywhere in a position
                assert possible.fault(wrong[3:], 3) in (at - 3, None if at < 3 else at - 3)


@pytest.mark.parametrize(
    "head",
    [
        {"tolerance": math.nan},
        {"tolerance": -1e-9},
        {"tolerance": 2.0},
        {"residual": math.inf},
        {"seconds": -1.0},
        {"seconds": math.inf},
        {"block_residual": math.nan},
        {"block_residual": -1.0},
        {"block_seconds": math.nan},
        {"block_error": -0.5},
        {"block_error": math.inf},
        {"block_error": 1.5},
        {"block_sweeps": -1},
    ],
    ids=str,
)
def test_an_impossible_figure_of_a_table_is_refused_when_it_is_opened(tmp_path, head):
    path = forged(tmp_path / "x.h5", 0.5, **head)
    with pytest.raises(DamagedTableError) as raised:
        TableFile(path)
    assert "impossible" in str(raised.value)


def test_a_folder_says_what_is_not_proven_in_json(tmp_path):
    def strict(word):
        raise AssertionError(f"{word} is no JSON")

    source, folder = forged(tmp_path / "x.h5", 0.5), tmp_path / "folder"
    with TableFile(source) as table:
        pack(table, folder)
        digest = table.digest
    head = (folder / "table.json").read_text()
    assert json.loads(head, parse_constant=strict)["error"] is None
    with TableFile(folder) as table:
        assert table.digest == digest
    (folder / "table.json").write_text(
        head.replace('"error": null', '"error": NaN')
    )  # as it was written before
    with TableFile(folder) as table:
        assert (table.digest, table.header.error) == (digest, None)


@pytest.mark.parametrize("value", IMPOSSIBLE)
def test_a_block_with_an_impossible_value_is_solved_again(tmp_path, value):
    space = space_of(RULES)
    with BlockFolder(tmp_path / "x.h5.blocks", Job(RULES.settled(), 1e-12)) as folder:
        for result in hash_results(RULES):
            values = result.values.copy()
            if result.record.index == 2:
                values[0] = value
            folder.note(folder.files.write(result.record, values))
        with pytest.raises(DamagedBlockError):
            folder.files.values_of(2)
        folder.files.values_of(3)
        assert {each.index for each in folder.finished()} == {*range(len(space.blocks))} - {2}


COMMANDS = [
    ("best", "{}"),
    ("query", "{}", "--json"),
    ("study", "{}", "--games", "100"),
    ("export", "--npy", "{}", "out.npy"),
    ("export", "{}", "out.rgu"),
    ("publish", "site", "{}"),
    ("verify", "{}"),
    ("pack", "{}", "out.h5"),
    ("evaluate", "{}"),
    ("info", "{}", "--json"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize("value", [math.nan, 1.479])
def test_no_command_shows_an_impossible_value(tmp_path, monkeypatch, command, value):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UR_TABLES", str(tmp_path))
    start = space_of(RULES).rank(RULES.start())
    path = forged(tmp_path / "finkel-1.h5", value, at=start)
    result = CliRunner().invoke(cli, [word.format(path) for word in command])
    assert result.exit_code == 1, result.output
    assert "damaged" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert "nan" not in result.stdout.lower()
    assert "147" not in result.stdout
    assert not (tmp_path / "site" / "index.html").exists()
