"""Tables that hold a part of a game: what they answer, and what they say of the rest."""

from __future__ import annotations

import itertools
import shutil

import h5py
import hdf5plugin  # noqa: F401 - needed to read the file
import numpy as np
import pytest

from tests.meaningless import hash_results
from tests.solving import is_present, make_table
from ur_solver.answers.verify import verify_table
from ur_solver.api.table import Table
from ur_solver.blocks.lock import checkpoint_folder
from ur_solver.errors import (
    BeyondTableError,
    CheckpointError,
    DamagedTableError,
    OutputError,
    TableVersionError,
)
from ur_solver.rules import named_rules
from ur_solver.solving.execution import Resumed
from ur_solver.space import Part, part_of, space_of
from ur_solver.table.output import pack
from ur_solver.table.reader import TableFile
from ur_solver.table.writer import TableWriter

pytestmark = pytest.mark.medium

RULES = named_rules("finkel:3")
LATE = "L...__../.......L/....__.D L 0 1"


@pytest.mark.parametrize(
    ("word", "left"),
    [("finkel:3", 2), ("murray:2", 1), ("skiriuk:2", 1), ("birds:2", 1), ("bell-stakes:2", 1)],
)
def test_its_values_are_those_of_the_whole_table(tmp_path, word, left):
    rules = named_rules(word)
    part = part_of(rules.settled(), left)
    make_table(rules, tmp_path / "whole.h5", threads=1)
    for name in ("part.h5", "part"):
        summary = make_table(rules, tmp_path / name, part=part, threads=1)
        assert summary.positions == part.n_positions
        assert not checkpoint_folder(tmp_path / name).exists()
        assert_values_are_those_of_the_whole(tmp_path / "whole.h5", tmp_path / name, part)


def assert_values_are_those_of_the_whole(whole_path, path, part):
    with TableFile(whole_path) as whole, TableFile(path) as table:
        assert table.part.indices == part.indices
        assert table.header.positions == part.n_values
        assert table.n_bytes < whole.n_bytes
        values = whole.load()
        ranks = np.concatenate([np.arange(b.offset, b.offset + b.size) for b in part.blocks])
        some = np.random.default_rng(1).permutation(ranks)[:200]
        assert np.array_equal(table.read_many(some[:40]), values[some[:40]])  # one by one
        assert np.array_equal(table.read_many(some), values[some])
        assert [table.read_one(rank) for rank in some.tolist()] == values[some].tolist()
        assert np.array_equal(table.load(), values[ranks])
        assert np.array_equal(table.read_many(some.reshape(2, -1)), values[some].reshape(2, -1))
        assert [table.read_one(rank) for rank in some.tolist()] == values[some].tolist()
        assert np.array_equal(table.holds_many(np.arange(len(values))), np.isin(
            np.arange(len(values)), ranks))  # fmt: skip
        assert [table.holds(rank) for rank in (-1, *some[:5].tolist())] == [False] + 5 * [True]
        for index in part.indices:
            assert np.array_equal(table.read_block(index), whole.read_block(index))
        outside = whole.space.blocks[part.outside[0]]
        with pytest.raises(IndexError):
            table.read_block(outside.index)
        with pytest.raises(BeyondTableError, match="is beyond table"):
            table.read_one(outside.offset)
        assert verify_table(table).positions == part.n_positions


def test_its_values_are_those_of_a_game_with_fewer_pieces(endings, query2):
    """Pieces that are off change nothing but the count that is left."""
    space = query2.space
    with Table(endings) as table:
        for rank in range(0, space.n_values, 97):
            position = space.unrank(rank)
            same = RULES.position(position.notation)
            assert table.value(same) == pytest.approx(query2.value(position), abs=1e-12)
            for throw in RULES.dice.throws:
                worth = [each.value for each in query2.moves(position, throw)]
                found = [each.value for each in table.moves(same, throw)]
                assert found == pytest.approx(worth, abs=1e-12)


def test_elsewhere_it_says_that_it_does_not_reach_so_far(endings):
    said = (
        r"position '\.\.\.\.__\.\./\.\.\.\.\.\.\.\./\.\.\.\.__\.\. L 3 3' is beyond table '.*', "
        "which holds the positions with at most 2 pieces left a side of finkel with 3 pieces$"
    )
    with Table(endings) as table:
        start = RULES.start()
        states = table.encode([LATE, start])
        asked = [
            lambda: table.value(start),
            lambda: table.error(start),
            lambda: table.chance(start),
            lambda: table.best(start, 2),
            lambda: table.throws(start),
            lambda: table.values([LATE, start]),
            lambda: table.values(states),
            lambda: table.columns([start]),
        ]
        for ask in (*asked, table.load, *asked):
            if ask == table.load:
                ask()
                continue
            with pytest.raises(BeyondTableError, match=said):
                ask()
        assert table.holds(LATE)
        assert not table.holds(start)
        assert table.holds_states(states).tolist() == [True, False]
        with pytest.raises(BeyondTableError, match=r"__\.\. D 3 3' is beyond"):
            table.value(start.pass_turn())


def test_it_says_what_it_holds(endings):
    with Table(endings) as table:
        info = table.info()
        assert (info["left"], info["is_whole"], info["value"]) == (2, False, None)
        assert (info["positions"], info["of_positions"]) == (12_869, 263_121)
        assert (info["blocks"], info["of_blocks"]) == (28, 66)
        assert info["opening_value"] is None
        assert "at most 2 pieces left a side" in str(table)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_certified_solve(tmp_path, threads):
    make_table(RULES, tmp_path / "a", part=part_of(RULES, 2), certify=True, threads=threads)
    with TableFile(tmp_path / "a") as table:
        assert verify_table(table).error == table.header.error < 1e-12


def test_packing_keeps_the_digest_both_ways(endings, tmp_path):
    with TableFile(endings) as table:
        pack(table, tmp_path / "folder")
        with TableFile(tmp_path / "folder") as folder:
            assert folder.is_same(table)
            assert folder.part.indices == table.part.indices
            pack(folder, tmp_path / "again.h5")
            pack(folder, tmp_path / "small.h5", value_type="uint16")
        with TableFile(tmp_path / "again.h5") as again:
            assert again.is_same(table)
        with TableFile(tmp_path / "small.h5") as small:
            assert small.part.left == 2
            verify_table(small)


@pytest.mark.parametrize(
    ("word", "versions", "error"),
    # version 3 has all blocks; finkel's ranks are of version 7
    [("casual:2", (4, 3), DamagedTableError), ("finkel:2", (7, 7), TableVersionError)],
)
def test_files_of_a_part_are_of_a_later_version_than_3(tmp_path, word, versions, error):
    rules, paths = named_rules(word), (tmp_path / "part.h5", tmp_path / "whole.h5")
    make_table(rules, paths[0], part=part_of(rules, 1))
    make_table(rules, paths[1])
    with h5py.File(paths[0], "r+") as file, h5py.File(paths[1]) as whole:
        assert (file.attrs["version"], whole.attrs["version"]) == versions
        file.attrs["version"] = 3
    with pytest.raises(error):
        TableFile(paths[0])


def forge(path, change):
    """Change the rows of blocks, and let the digest agree."""
    from ur_solver.table.format import digest

    with TableFile(path) as table:
        header = table.header
    with h5py.File(path, "r+") as file:
        blocks = change(file["blocks"][()])
        del file["blocks"]
        file["blocks"] = blocks
        whole = digest(header.attributes(), blocks, file["checksums"][()], 4)
        file.attrs["digest"] = np.bytes_(whole)


@pytest.mark.parametrize("index", [-1, 66, 10**9])
def test_blocks_that_cannot_be_are_refused(endings, index):
    def change(blocks):
        blocks["index"][-1] = index
        return blocks

    forge(endings, change)
    with pytest.raises(DamagedTableError, match="its blocks are not those of finkel"):
        TableFile(endings)


def test_blocks_out_of_order_or_without_rows_are_refused(endings):
    forge(endings, lambda blocks: blocks[::-1])
    with pytest.raises(DamagedTableError, match="in their order"):
        TableFile(endings)
    forge_empty = endings.with_name("empty.h5")
    shutil.copy(endings, forge_empty)
    for rows in (0, 67, 2**20):
        with h5py.File(forge_empty, "r+") as file:
            dtype = file["blocks"].dtype
            del file["blocks"]
            file.create_dataset("blocks", (rows,), dtype)
        with pytest.raises(DamagedTableError, match="not 1 to 66 rows"):
            TableFile(forge_empty)


def test_a_block_that_moves_lead_to_and_is_not_there_is_found(tmp_path):
    held = [index for index in part_of(RULES, 2).indices if index != 3]
    part = Part(space_of(RULES), held)
    with TableWriter(tmp_path / "a.h5", RULES, tolerance=1e-12, part=part) as writer:
        for result in hash_results(RULES):
            if result.record.index in part:
                writer.add(result)
        writer.finish(seconds=1)
    with (
        TableFile(tmp_path / "a.h5") as table,
        pytest.raises(DamagedTableError, match="its moves lead to block 3, which is missing"),
    ):
        verify_table(table)


def test_a_solve_of_a_part_goes_on(tmp_path):
    part, output = part_of(RULES, 2), tmp_path / "a.h5"
    reported = itertools.count()

    def interrupt(_done, _total):
        if next(reported) == 9:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_table(RULES, output, part=part, threads=1, progress=interrupt)
    with pytest.raises(CheckpointError, match="is of left-2, not of the whole game"):
        make_table(RULES, output)
    with pytest.raises(CheckpointError, match="is of left-2, not of left-1"):
        make_table(RULES, output, part=part_of(RULES, 1))
    events = []
    summary = make_table(RULES, output, part=part, events=events)
    assert 9 <= summary.resumed_blocks <= 10
    assert [each for each in events if isinstance(each, Resumed)] == [
        Resumed(summary.resumed_blocks, 28)
    ]


def test_a_table_that_is_there_counts_for_what_it_holds(endings):
    wanted = {"tolerance": 1e-12, "value_type": "float64", "certify": False}
    assert is_present(endings, RULES, part=part_of(RULES, 2), **wanted)
    with pytest.raises(OutputError, match="with at most 2 pieces left a side, not all positions"):
        is_present(endings, RULES, **wanted)
    with pytest.raises(OutputError, match="not the positions with at most 1 piece left a side"):
        is_present(endings, RULES, part=part_of(RULES, 1), **wanted)
