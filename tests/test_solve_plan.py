"""What a plan finds at its output, and that to plan touches nothing."""

from __future__ import annotations

import pathlib

import pytest

from tests.meaningless import write_meaningless
from tests.solving import make_table
from ur_solver.blocks.folder import BlockFolder, Job
from ur_solver.blocks.lock import checkpoint_folder
from ur_solver.engine.runners import Cluster
from ur_solver.errors import DiskLimitError, InputError, MemoryLimitError, OutputError
from ur_solver.rules import named_rules
from ur_solver.solving import costs as disk
from ur_solver.solving.execution import Begun, BlockDone, Finished, FolderMade, run
from ur_solver.solving.plan import plan_of
from ur_solver.solving.request import Request
from ur_solver.table.names import FOLDER_VARIABLE
from ur_solver.table.reader import TableFile

RULES, OTHER = named_rules("finkel:1"), named_rules("finkel:2")


def nothing(path: pathlib.Path) -> None:
    assert not path.exists()


def same_table(path: pathlib.Path) -> None:
    write_meaningless(path, RULES)


def other_table(path: pathlib.Path) -> None:
    write_meaningless(path, OTHER)


def notes(path: pathlib.Path) -> None:
    path.write_text("my notes")


def folder_of_notes(path: pathlib.Path) -> None:
    path.mkdir()
    (path / "notes").write_text("my notes")


def unfinished(path: pathlib.Path) -> None:
    job = Job(RULES, 1e-12)
    with pytest.raises(KeyboardInterrupt):
        make_table(RULES, path, threads=1, progress=stop)
    with BlockFolder(checkpoint_folder(path) if path.suffix else path, job) as folder:
        assert len(list(folder.finished())) > 0


def stop(_done: int, _total: int) -> None:
    raise KeyboardInterrupt


def other_table_and_unfinished(path: pathlib.Path) -> None:
    unfinished(path)
    other_table(path)


SITUATIONS = [
    # what is there, the output's name, what is asked for, the action or why it is refused
    (nothing, "t.h5", {}, "new"),
    (nothing, "t", {}, "new"),
    (nothing, "t.h5", {"force": True}, "new"),
    (same_table, "t.h5", {}, "present"),
    (same_table, "t.h5", {"tolerance": 1e-9}, "present"),
    (same_table, "t.h5", {"force": True}, "replace"),
    (same_table, "t.h5", {"certify": True}, "with nothing proven"),
    (same_table, "t.h5", {"tolerance": 1e-13}, "holds finkel with 1 piece as float64, tolerance"),
    (same_table, "t.h5", {"value_type": "float32"}, "holds finkel with 1 piece as float64"),
    (other_table, "t.h5", {}, "holds finkel with 2 pieces"),
    (other_table, "t.h5", {"force": True}, "replace"),
    (notes, "t.h5", {}, "is not a table; name another file"),
    (notes, "t.h5", {"force": True}, "replace"),
    (folder_of_notes, "t", {}, "is not a table; name another file"),
    (folder_of_notes, "t", {"force": True}, "a folder that is no table; name another output"),
    (unfinished, "t.h5", {}, "resume"),
    (unfinished, "t", {}, "resume"),
    (unfinished, "t", {"force": True}, "resume"),
    (other_table_and_unfinished, "t.h5", {}, "holds finkel with 2 pieces"),
    (other_table_and_unfinished, "t.h5", {"force": True}, "replace"),
]


def contents(folder: pathlib.Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize(("situation", "name", "asked", "expected"), SITUATIONS)
def test_the_action_for_what_is_there(tmp_path, situation, name, asked, expected):
    situation(tmp_path / name)
    before = contents(tmp_path)
    request = Request.of(RULES, tmp_path / name, **asked)
    if expected in ("new", "present", "resume", "replace"):
        plan = plan_of(request)
        assert plan.action == expected
        assert (plan.replaced is not None) is (expected == "replace")
        assert plan.is_folder is (name == "t")
    else:
        with pytest.raises(OutputError, match=expected):
            plan_of(request)
    assert contents(tmp_path) == before


def test_a_plan_decides_what_is_left_open(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "tables"))
    plan = plan_of(Request.of(OTHER, left=1))
    assert plan.path == tmp_path / "tables" / "finkel-2-left-1.h5"
    assert plan.folder == tmp_path / "tables" / "finkel-2-left-1.h5.blocks"
    assert plan.job == Job(OTHER, 1e-12, part="left-1")
    assert plan.room.keeps_all
    assert plan_of(Request.of(OTHER, precision="single")).job.tolerance == 1e-5
    assert not plan_of(Request.of(OTHER, cluster=Cluster(workers=2))).is_short_of_room
    assert list(tmp_path.iterdir()) == []


def test_what_does_not_fit_is_refused_only_where_there_is_something_to_solve(tmp_path, monkeypatch):
    output = tmp_path / "t.h5"
    with pytest.raises(MemoryLimitError):
        plan_of(Request.of(RULES, output, memory=1 << 20))
    monkeypatch.setattr(disk, "free_bytes", lambda _output: 1000)
    with pytest.raises(DiskLimitError, match=r"needs .* while it is solved"):
        plan_of(Request.of(RULES, output))
    write_meaningless(output, RULES)
    assert plan_of(Request.of(RULES, output, memory=1 << 20)).action == "present"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"value_type": "float16"}, "value type 'float16': expected one of float64, float32"),
        ({"value_type": "uint16", "certify": True}, "rounds what a solve has proven"),
        ({"value_type": "uint16"}, "'ur pack --value-type uint16' makes a smaller table"),
        ({"precision": "half"}, "precision 'half': expected double or single"),
        ({"tolerance": 0.6}, "tolerance 0.6: expected a number from 1e-13 to 0.5"),
        ({"left": 2}, "no part of finkel with 2 pieces: expected 1"),
    ],
)
def test_a_request_that_cannot_be_met_is_refused(asked, said):
    with pytest.raises(InputError, match=said):
        Request.of(OTHER, pathlib.Path("folder"), **asked)


def test_the_default_folder_is_made_and_taken_back(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "new" / "tables"))
    events = []

    def note(event):
        events.append(event)
        if isinstance(event, Begun):
            assert (tmp_path / "new" / "tables").is_dir()
            raise KeyboardInterrupt

    plan = plan_of(Request.of(RULES, threads=1))
    with pytest.raises(KeyboardInterrupt):
        run(plan, note)
    assert list(tmp_path.iterdir()) == []
    made, begun = events
    assert made == FolderMade(plan.path.parent)
    assert begun.positions == 217


def test_events_come_in_order(tmp_path):
    events = []
    found = run(plan_of(Request.of(RULES, tmp_path / "t.h5", threads=1)), events.append)
    assert [type(each) for each in events] == [Begun, *[BlockDone] * events[0].blocks, Finished]
    assert events[-1] is found
    assert events[-2] == BlockDone(217, 217)
    assert found.positions == events[0].positions == 217


def test_a_table_that_is_present_is_not_solved_again(tmp_path):
    output = tmp_path / "t.h5"
    write_meaningless(output, RULES)
    with TableFile(output) as table:
        digest = table.digest
    with pytest.raises(OutputError, match="already exists and is a table of finkel with 1 piece"):
        run(plan_of(Request.of(RULES, output)))
    with TableFile(output) as table:
        assert table.digest == digest
