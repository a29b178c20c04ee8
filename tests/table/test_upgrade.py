"""Tables of earlier format versions, written by the program of then, and the ranks they had."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import shutil

import numpy as np
import pytest
from click.testing import CliRunner

from ur_solver.answers.verify import verify_table
from ur_solver.cli import cli
from ur_solver.errors import DamagedTableError, InputError, TableVersionError
from ur_solver.rules import named_rules
from ur_solver.space import space_of
from ur_solver.space.earlier_races import EarlierRaces
from ur_solver.table.names import FOLDER_VARIABLE
from ur_solver.table.reader import TableFile
from ur_solver.table.upgrade import open_earlier, upgrade

FOLDER = pathlib.Path(__file__).parents[1] / "data" / "tables"
GOLDEN = FOLDER.parent / "golden"
RANKS = json.loads((FOLDER / "earlier-ranks.json").read_text())
EARLIER = ["murray-1-version-3", "masters-1-version-3"]
PART = "finkel-2-left-1-version-4"


@pytest.mark.parametrize("word", RANKS)
def test_ranks_are_those_of_the_earlier_program(word):
    """Which wrote down the positions in their order; here are digests of those lists."""
    rules = named_rules(word)
    earlier, now = EarlierRaces(rules), space_of(rules)
    states = now.unrank_states(np.arange(now.n_values))
    ranks = earlier.rank_states(states)
    notations = now.state_layout.notations(states)[np.argsort(ranks)]
    assert np.array_equal(np.sort(ranks), np.arange(earlier.n_values))
    assert hashlib.sha256("\n".join(notations).encode()).hexdigest() == RANKS[word]


@pytest.mark.parametrize("word", ["bell:1", "bell-stakes:1", "birds:1", "four-again:1", "ben:1"])
def test_other_rule_sets_had_no_other_ranks(word):
    assert not EarlierRaces.serves(named_rules(word))


@pytest.mark.parametrize("name", EARLIER)
def test_an_upgraded_table_has_the_values_of_independent_programs(name, tmp_path):
    path = tmp_path / "new.h5"
    with open_earlier(FOLDER / f"{name}.h5") as earlier:
        assert upgrade(earlier, path) is None
        header = earlier.header
    with TableFile(path) as table:
        assert (table.header.made, table.header.tolerance) == (header.made, header.tolerance)
        assert table.header.error == header.error < 1e-12
        rules = table.rules
        for line in (GOLDEN / f"{rules.name}-1.tsv").read_text().splitlines():
            text, value = line.split("\t")
            rank = table.space.rank(rules.position(text))
            assert table.read_one(rank) == pytest.approx(float(value), abs=1e-10)
        assert verify_table(table, sample=100).error == header.error


def test_an_ending_is_upgraded_too(tmp_path, finkel2):
    with open_earlier(FOLDER / f"{PART}.h5") as earlier:
        upgrade(earlier, tmp_path / "new.h5")
    with TableFile(tmp_path / "new.h5") as table, TableFile(finkel2) as whole:
        assert table.part.left == 1
        ranks = np.concatenate([np.arange(b.offset, b.offset + b.size) for b in table.part.blocks])
        assert np.abs(table.read_many(ranks) - whole.read_many(ranks)).max() < 1e-12
        assert verify_table(table, sample=20).error < 1e-12


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(cli, list(arguments))
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.stderr


def test_the_command_replaces_the_table_or_writes_another(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    source = FOLDER / f"{EARLIER[0]}.h5"
    path = pathlib.Path(shutil.copy(source, tmp_path / "murray-1.h5"))
    said = run("info", "murray:1", code=1)
    assert f"'ur upgrade {path}' rewrites it without solving again" in said
    output = tmp_path / "other.h5"
    found = json.loads(run("upgrade", str(path), "-o", str(output), "--json"))
    assert path.read_bytes() == source.read_bytes()
    assert "--force replaces it" in run("upgrade", str(path), "-o", str(output), code=1)
    assert str(path) in run("upgrade", "murray:1")
    with TableFile(path) as table:
        assert found == {"path": str(output), "digest": table.digest, "bytes": table.n_bytes}
    assert "needs no upgrade" in run("upgrade", "murray:1", code=2)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["murray-1.h5", "other.h5"]


@pytest.mark.parametrize(
    ("name", "error", "text"),
    [
        ("finkel-1-version-1.h5", TableVersionError, "make it again"),
        ("bell-1-version-3.h5", InputError, "needs no upgrade"),
    ],
)
def test_what_cannot_be_upgraded_is_refused(name, error, text):
    with pytest.raises(error, match=text):
        open_earlier(FOLDER / name)


def test_a_position_is_found_by_its_earlier_rank():
    """By a search, to name the place of damage."""
    space = EarlierRaces(named_rules("murray:1"))
    for rank in (0, 300, space.n_values - 1):
        assert space.rank(space.unrank(rank)) == rank


def test_damage_is_found_and_the_old_file_stays(tmp_path):
    content = bytearray((FOLDER / f"{EARLIER[0]}.h5").read_bytes())
    path = tmp_path / "murray-1.h5"
    for at in range(len(content) // 4, len(content), len(content) // 8):
        damaged = content.copy()
        damaged[at : at + 8] = os.urandom(8)
        path.write_bytes(damaged)
        try:
            with open_earlier(path) as table:
                upgrade(table, path)
        except DamagedTableError:
            assert path.read_bytes() == damaged
        else:
            with TableFile(path) as now:
                verify_table(now, sample=10)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
