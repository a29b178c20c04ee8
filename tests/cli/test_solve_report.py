"""Events of a run as sentences and as JSON."""

from __future__ import annotations

import json
import pathlib

import pytest
from click.testing import CliRunner

from ur_solver.cli import cli
from ur_solver.cli.messages import Messages
from ur_solver.cli.solve import show_events
from ur_solver.common.progress import Form
from ur_solver.rules import named_rules
from ur_solver.solving.execution import (
    Begun,
    BlockDone,
    Finished,
    FolderMade,
    Resumed,
    RoomShort,
    WorkersChanged,
)
from ur_solver.space import part_of

FOLDER = pathlib.Path("tables")

FINISHED = Finished(
    path=FOLDER / "t.h5",
    part=part_of(named_rules("finkel:1")),
    seconds=1.0,
    error=None,
    resumed_blocks=0,
    sweeps=1.0,
    replaced="a table of finkel with 1 piece",
)

SAID = [
    (FolderMade(FOLDER), "made the folder tables", {"event": "folder", "path": "tables"}),
    (
        Resumed(3, 28),
        "resuming from 3 of 28 blocks that an earlier solve finished",
        {"event": "resumed", "blocks": 3, "total": 28},
    ),
    (
        RoomShort(1 << 30, 3 << 29),
        "all values in memory would take 1.5 GiB or more, and 1.0 GiB may be taken: finished "
        "blocks are read from their files",
        {"event": "from_files", "memory_bytes": 1 << 30, "needed_bytes": 3 << 29},
    ),
    (WorkersChanged(1), "1 worker", {"event": "workers", "workers": 1}),
    (
        FINISHED,
        "replaced a table of finkel with 1 piece",
        {"event": "replaced", "replaced": "a table of finkel with 1 piece"},
    ),
]


@pytest.mark.parametrize(("event", "sentence", "values"), SAID)
def test_an_event_is_a_sentence_or_an_object(capsys, event, sentence, values):
    for form, expected in ((Form.NONE, sentence), (Form.JSON, json.dumps(values))):
        with show_events(Messages(form, is_quiet=False)) as show:
            show(event)
        assert capsys.readouterr().err == f"{expected}\n"
    with show_events(Messages(Form.JSON, is_quiet=True)) as show:
        show(event)
    assert capsys.readouterr() == ("", "")


def test_progress_is_shown_from_the_beginning_to_the_end(capsys):
    with show_events(Messages(Form.JSON, is_quiet=False)) as show:
        show(Begun(217, 6))
        show(BlockDone(217, 217))
        show(FINISHED)
    found = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [each["event"] for each in found] == ["progress", "progress", "replaced"]
    assert [each.get("done") for each in found] == [0, 217, None]


def test_progress_of_a_run_that_fails_has_no_end(capsys):
    def fail() -> None:
        with show_events(Messages(Form.JSON, is_quiet=False)) as show:
            show(Begun(217, 6))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert [json.loads(line)["done"] for line in capsys.readouterr().err.splitlines()] == [0]


def test_a_rounded_table_is_reported_with_the_digits_that_it_has(tmp_path):
    words = ["solve", "finkel:2", "--value-type", "uint16", "-o", str(tmp_path / "t.h5")]
    shown = CliRunner().invoke(cli, words).stdout
    assert "the first player wins 51.858 %\n" in shown  # 51.85729...: steps of 1/65535
    facts, again = (
        json.loads(CliRunner().invoke(cli, [*words, "--json", *more]).stdout)
        for more in (["--force"], [])
    )
    assert (facts["solved"], again["solved"]) == (True, False)
    assert facts["value"] == again["value"] == pytest.approx(0.5185729, abs=1 / 131070)
    assert facts["value"] * 65535 == pytest.approx(round(facts["value"] * 65535), abs=1e-9)
