"""Tables that are folders: made by solves, packed and unpacked, asked like files, and damaged."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import shutil

import numpy as np
import pytest
from click.testing import CliRunner

from tests.meaningless import hash_results
from tests.solving import is_present, make_table
from ur_solver.answers.verify import verify_table
from ur_solver.api.table import Table
from ur_solver.blocks.folder import BlockFolder, Job
from ur_solver.blocks.lock import LOCK, LockFile
from ur_solver.blocks.stored import VALUE_TYPES
from ur_solver.cli import cli
from ur_solver.errors import (
    DamagedTableError,
    InputError,
    NotATableError,
    OutputError,
    TableInUseError,
    TableVersionError,
    UrError,
)
from ur_solver.rules import named_rules
from ur_solver.solving import costs
from ur_solver.solving.execution import certify_table
from ur_solver.space import part_of
from ur_solver.table.format import TABLE
from ur_solver.table.output import pack
from ur_solver.table.reader import TableFile
from ur_solver.table.writer import FolderWriter

pytestmark = pytest.mark.medium

RULES = named_rules("finkel:2")


@pytest.fixture
def folder(tmp_path):
    make_table(RULES, tmp_path / "finkel-2", threads=1)
    return tmp_path / "finkel-2"


@pytest.mark.parametrize("word", ["finkel:2", "skiriuk:1", "birds:1"])
def test_a_folder_answers_as_a_file(tmp_path, word):
    rules = named_rules(word)
    make_table(rules, tmp_path / "a.h5", threads=1)
    make_table(rules, tmp_path / "a", threads=1)
    files = [path for path in (tmp_path / "a").rglob("*") if path.is_file()]
    with Table(tmp_path / "a.h5") as file, Table(tmp_path / "a") as folder:
        assert np.array_equal(file.file.load(), folder.file.load())
        ranks = np.random.default_rng(1).integers(file.space.n_values, size=300)
        with TableFile(tmp_path / "a") as again:
            assert np.array_equal(again.read_many(ranks), file.file.read_many(ranks))
            assert [again.read_one(rank) for rank in ranks.tolist()] == [
                file.file.read_one(rank) for rank in ranks.tolist()
            ]
        assert folder.file.n_bytes == sum(path.stat().st_size for path in files)
        facts = {"path", "bytes", "made", "seconds", "digest"}
        one, other = (
            {key: value for key, value in table.info().items() if key not in facts}
            for table in (file, folder)
        )
        assert one == other
        assert verify_table(folder.file).residual == verify_table(file.file).residual


def test_packing_keeps_the_digest_both_ways(folder, tmp_path):
    with TableFile(folder) as table:
        pack(table, tmp_path / "file.h5")
        with TableFile(tmp_path / "file.h5") as file:
            assert file.is_same(table)
            assert file.header == table.header
            assert np.array_equal(file.load(), table.load())
            pack(file, tmp_path / "again")
    with TableFile(folder) as table, TableFile(tmp_path / "again") as again:
        assert again.is_same(table)
        assert np.array_equal(again.load(), table.load())


def test_a_certificate_is_packed_with_its_table(tmp_path):
    make_table(RULES, tmp_path / "a", certify=True)
    with TableFile(tmp_path / "a") as table:
        assert table.header.error < 1e-12
        pack(table, tmp_path / "a.h5")
        with TableFile(tmp_path / "a.h5") as file:
            assert file.is_same(table)
        with pytest.raises(InputError, match="'ur pack' copies it into one file"):
            certify_table(table)


@pytest.mark.parametrize("name", ["small", "small.h5"])
@pytest.mark.parametrize("value_type", ["float32", "uint16"])
def test_a_copy_may_be_smaller(folder, tmp_path, name, value_type):
    kind = VALUE_TYPES[value_type]
    with TableFile(folder) as table:
        pack(table, tmp_path / name, value_type=value_type)
        with TableFile(tmp_path / name) as small:
            assert small.header.tolerance == table.header.tolerance + kind.rounding
            assert np.array_equal(small.load(), kind.encode(table.load()))
            assert small.n_bytes < table.n_bytes
            verify_table(small)
            with pytest.raises(InputError, match="are less exact than"):
                pack(small, tmp_path / "other.h5", value_type="float64")


def test_what_is_there_stays_unless_it_may_be_replaced(folder, tmp_path):
    (tmp_path / "b.h5").write_text("mine")
    with TableFile(folder) as table:
        with pytest.raises(OutputError, match="a file that is no table; --force replaces it"):
            pack(table, tmp_path / "b.h5")
        with pytest.raises(OutputError, match="is itself the source; name another output"):
            pack(table, folder, force=True)
        (tmp_path / "c").mkdir()
        (tmp_path / "c" / "mine").write_text("mine")
        with pytest.raises(OutputError, match="a folder that is no table; name another"):
            pack(table, tmp_path / "c", force=True)
        said = pack(table, tmp_path / "b.h5", force=True)
    assert said == "a file that is no table"
    with TableFile(tmp_path / "b.h5") as file:
        assert file.header.rules.is_same_game(RULES)
    assert (tmp_path / "c" / "mine").exists()


def test_a_copy_that_fails_leaves_what_was_there(folder, tmp_path, monkeypatch):
    copy = tmp_path / "copy"
    with TableFile(folder) as table:
        pack(table, copy)
        before = {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()}
        path = sorted(folder.glob("*/*.block"))[-1]
        path.write_bytes(path.read_bytes()[:-8] + bytes(8))
    names = set(tmp_path.iterdir())
    with TableFile(folder) as table, pytest.raises(DamagedTableError):
        pack(table, copy, force=True)
    assert set(tmp_path.iterdir()) == names
    assert {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()} == before


def test_a_solve_goes_on_in_its_folder(folder, tmp_path):
    with TableFile(folder) as table:
        whole = table.load()
    (folder / TABLE).unlink()
    gone = sorted(folder.glob("*/*.block"))[20:]
    for path in gone:
        path.unlink()
    wanted = {"tolerance": 1e-12, "value_type": "float64", "certify": False}
    with pytest.raises(NotATableError, match="a solve that is not finished; the same 'ur solve'"):
        TableFile(folder)
    assert not is_present(folder, RULES, **wanted)
    assert make_table(RULES, folder, threads=1).resumed_blocks == 20
    assert is_present(folder, RULES, **wanted)
    with TableFile(folder) as table:
        assert np.array_equal(table.load(), whole)
    with pytest.raises(OutputError, match="a table of finkel with 2 pieces; --force replaces it"):
        make_table(RULES, folder, threads=1)
    again = make_table(RULES, folder, threads=1, force=True)
    assert (again.resumed_blocks, again.replaced) == (0, "a table of finkel with 2 pieces")


def stop(_done, _total):
    raise KeyboardInterrupt


def names_of(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_table_stays_until_the_one_that_replaces_it_is_whole(folder, tmp_path):
    asked = {"threads": 1, "force": True}
    with TableFile(folder) as table:
        digest = table.digest
    with pytest.raises(KeyboardInterrupt):
        make_table(RULES, folder, tolerance=1e-9, progress=stop, **asked)
    assert names_of(tmp_path) == ["finkel-2", "finkel-2.blocks"]
    with TableFile(folder) as table:
        assert table.digest == digest
    again = make_table(RULES, folder, tolerance=1e-9, **asked)
    assert again.resumed_blocks > 0
    assert again.replaced == "a table of finkel with 2 pieces"
    assert names_of(tmp_path) == ["finkel-2"]
    with TableFile(folder) as table:
        assert table.header.tolerance == 1e-9
        verify_table(table)


def test_a_replacement_that_was_killed_between_its_renames_goes_on(folder, tmp_path, monkeypatch):
    rename = pathlib.Path.rename

    def kill(path, target):
        if path.name == "finkel-2.blocks":
            raise KeyboardInterrupt
        return rename(path, target)

    asked = {"threads": 1, "force": True, "tolerance": 1e-9}
    with monkeypatch.context() as patched:
        patched.setattr(pathlib.Path, "rename", kill)
        with pytest.raises(KeyboardInterrupt):
            make_table(RULES, folder, **asked)
    assert names_of(tmp_path) == [".finkel-2.old", "finkel-2.blocks"]
    assert make_table(RULES, folder, **asked).resumed_blocks == 28
    assert names_of(tmp_path) == ["finkel-2"]
    with TableFile(folder) as table:
        assert table.header.tolerance == 1e-9


def test_the_disk_of_a_link_is_that_of_its_target(tmp_path, monkeypatch):
    asked = []

    def free(path):
        asked.append(path.parent)
        return 1 << 40

    (tmp_path / "disk").mkdir()
    make_table(RULES, tmp_path / "disk" / "t.h5", threads=1)
    (tmp_path / "t.h5").symlink_to(tmp_path / "disk" / "t.h5")
    monkeypatch.setattr(costs, "free_bytes", free)
    make_table(RULES, tmp_path / "t.h5", threads=1, force=True)
    assert asked == [tmp_path / "disk"]
    assert names_of(tmp_path / "disk") == ["t.h5"]


@pytest.mark.parametrize("name", ["t", "t.h5"])
def test_a_symbolic_link_to_a_table_stays_one(tmp_path, name):
    (tmp_path / "disk").mkdir()
    make_table(RULES, tmp_path / "disk" / name, threads=1)
    link = tmp_path / name
    link.symlink_to(pathlib.Path("disk") / name)
    again = make_table(RULES, link, threads=1, force=True, tolerance=1e-9)
    assert again.replaced == "a table of finkel with 2 pieces"
    if name == "t.h5":
        with TableFile(link) as table:
            certify_table(table)
    assert link.is_symlink()
    assert names_of(tmp_path) == ["disk", name]
    assert names_of(tmp_path / "disk") == [name]
    with TableFile(tmp_path / "disk" / name) as table:
        assert table.header.tolerance == 1e-9
        assert (table.header.error is not None) is (name == "t.h5")


def test_a_block_that_is_solved_again_is_the_one_that_the_table_records(tmp_path):
    rules = RULES.settled()
    results = list(hash_results(rules))
    with BlockFolder(tmp_path / "t", Job(rules, 1e-12)) as blocks:
        writer = FolderWriter(blocks, part_of(rules))
        for result in results:
            writer.add(result)
            blocks.note(blocks.files.write(*result))
        blocks.files.remove(5)
        record = dataclasses.replace(results[5].record, residual=0.25, seconds=9.0)
        blocks.note(blocks.files.write(record, results[5].values))
        header = writer.finish(seconds=1.0)
    assert header.residual == 0.25
    with TableFile(tmp_path / "t") as table:
        assert table.header.residual == table.blocks["residual"].max() == 0.25


def test_a_table_that_is_being_written_is_in_use_not_damaged(folder):
    with TableFile(folder) as table:
        lock = LockFile(folder / LOCK, folder)
        lock.acquire()
        sorted(folder.glob("*/*.block"))[3].unlink()
        with pytest.raises(TableInUseError):
            table.read_block(3)
        lock.release()
        with pytest.raises(DamagedTableError):
            table.read_block(3)


def test_a_folder_holds_what_other_blocks_read(tmp_path):
    with pytest.raises(InputError, match="'ur pack --value-type float32' makes a smaller table"):
        make_table(RULES, tmp_path / "a", value_type="float32")


def test_a_folder_of_other_things_is_no_table(tmp_path):
    with pytest.raises(NotATableError, match="is a folder without a table's blocks"):
        TableFile(tmp_path)


def test_no_flipped_bit_gives_a_wrong_number(folder, tmp_path):
    with TableFile(folder) as table:
        whole = np.array(table.load())
    dice = np.random.default_rng(2)
    files = [path.relative_to(folder) for path in folder.rglob("*") if path.stat().st_size]
    files = [path for path in files if (folder / path).is_file()]
    detected = survived = 0
    for case in range(200):
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder, copy)
        path = copy / files[int(dice.integers(len(files)))]
        content = bytearray(path.read_bytes())
        at = int(dice.integers(len(content)))
        if case % 2:
            content[at] ^= 1 << int(dice.integers(8))
        else:
            del content[at:]
        path.write_bytes(content)
        try:
            with TableFile(copy) as table:
                assert np.array_equal(table.load(), whole)
                survived += 1
        except UrError as error:
            detected += "\n" not in str(error)
    assert detected > 100
    assert detected + survived == 200


@pytest.mark.parametrize(
    ("name", "value"),
    [("tolerance", "much"), ("positions", 1.5), ("made", 3), ("surplus", 1), ("version", 9)],
)
def test_a_head_that_somebody_changed_is_named(folder, name, value):
    head = json.loads((folder / TABLE).read_text())
    (folder / TABLE).write_text(json.dumps(head | {name: value}))
    with pytest.raises(UrError, match=name):
        TableFile(folder)


def test_a_folder_of_birds_whose_positions_had_other_numbers_is_refused(tmp_path):
    make_table(named_rules("birds:1"), tmp_path / "birds", threads=1)
    for name, version, before in ((TABLE, 6, 3), ("solve.json", 6, 5)):
        head = json.loads((tmp_path / "birds" / name).read_text())
        assert head["version"] == version
        (tmp_path / "birds" / name).write_text(json.dumps(head | {"version": before}))
    said = (
        r"version 3, .* birds differently: make it again by 'ur solve birds:1 -o .*birds --force'"
    )
    with pytest.raises(TableVersionError, match=said):
        TableFile(tmp_path / "birds")


def test_a_block_that_has_gone_is_named(folder):
    sorted(folder.glob("*/*.block"))[5].unlink()
    with TableFile(folder) as table, pytest.raises(DamagedTableError, match=r"block 5, from"):
        table.load()


def test_the_commands(tmp_path, monkeypatch):
    monkeypatch.setenv("UR_TABLES", str(tmp_path))

    def run(*arguments, code=0):
        result = CliRunner().invoke(cli, list(map(str, arguments)))
        assert result.exit_code == code, result.output
        return result.output

    run("solve", "finkel:1", "-o", tmp_path / "finkel-1")
    assert "already exists" in run("solve", "finkel:1", "-o", tmp_path / "finkel-1")
    assert run("pack", "finkel:1", tmp_path / "one.h5").startswith(f"{tmp_path / 'one.h5'}, ")
    for word in ("finkel:1", tmp_path / "finkel-1", tmp_path / "one.h5"):
        assert "A@A3" in run("query", word, "....__../......../....__.. L 1 1")
    assert "float32" in run(
        *("pack", "finkel:1", tmp_path / "two.h5", "--value-type", "float32"), "-q"
    ) + run("info", tmp_path / "two.h5")
    run("verify", "finkel:1")
    assert "finkel-1" in run("tables")
