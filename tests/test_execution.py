"""Running a plan: the table, its estimated and actual cost, and when a solve is refused."""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys

import numpy as np
import pytest

from tests.solving import make_table, solve
from ur_solver.blocks.folder import BlockRecord
from ur_solver.blocks.stored import VALUE_TYPES
from ur_solver.errors import InputError, MemoryLimitError, OutputError
from ur_solver.rules import PATHS, RACES, named_rules
from ur_solver.solving import costs as cost
from ur_solver.solving import costs as memory
from ur_solver.solving import costs as room
from ur_solver.solving.costs import (
    BASE_BYTES,
    available_bytes,
    estimate,
    expected_seconds,
    largest_blocks,
    largest_cost,
    room_for,
    solve_sample,
)
from ur_solver.solving.execution import RoomShort
from ur_solver.solving.request import Request
from ur_solver.space import space_of
from ur_solver.table.reader import TableFile

pytestmark = pytest.mark.medium

FINKEL = named_rules("finkel:2")

PEAK = """
import json, pathlib, sys
from ur_solver.solving.costs import estimate
from ur_solver.rules import named_rules
from ur_solver.solving.request import Request
from ur_solver.solving.plan import plan_of
from ur_solver.solving.execution import run
rules, threads, precision = named_rules(sys.argv[1]), int(sys.argv[3]), sys.argv[4]
path = pathlib.Path(sys.argv[2])
run(plan_of(Request.of(rules, path, threads=threads, precision=precision)))
# not ru_maxrss, whose initial value is the parent's at the time that it started this process
status = pathlib.Path("/proc/self/status").read_text()
peak = 1024 * int(status.split("VmHWM:")[1].split()[0])
found = estimate(Request.of(rules, threads=threads, precision=precision))
print(json.dumps([found.memory_bytes, peak]))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize(
    ("word", "threads", "precision"),
    [
        *(("finkel:2", 1, "double"), ("finkel:4", 1, "double"), ("finkel:4", 4, "double")),
        *(("murray:2", 2, "double"), ("skiriuk:2", 1, "single"), ("finkel:4", 2, "single")),
        pytest.param("skiriuk:3", 1, "double", marks=pytest.mark.long),
    ],
)
def test_peak_memory_is_within_the_estimate(word, threads, precision, tmp_path):
    path = str(tmp_path / "table.h5")
    command = [sys.executable, "-c", PEAK, word, path, str(threads), precision]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    estimated, peak = json.loads(result.stdout)
    assert peak <= estimated <= 3 * peak


def test_estimates_grow_with_what_is_asked_for():
    one, four = (
        estimate(Request.of(named_rules("finkel:4"), threads=threads)) for threads in (1, 4)
    )
    assert one.positions == four.positions == 2602822
    assert one.memory_bytes < four.memory_bytes
    sizes = [estimate(Request.of(FINKEL, value_type=name)).table_bytes for name in VALUE_TYPES]
    assert sizes == sorted(sizes, reverse=True)
    counts = [estimate(Request.of(FINKEL.with_pieces(n))).memory_bytes for n in range(1, 8)]
    assert counts == sorted(counts)


@pytest.mark.parametrize("value_type", list(VALUE_TYPES))
def test_the_table_is_about_as_large_as_estimated(value_type, tmp_path):
    rules, path = named_rules("finkel:4"), tmp_path / "table.h5"
    make_table(rules, path, value_type=value_type, tolerance=1e-6)
    expected = estimate(Request.of(rules, value_type=value_type)).table_bytes
    assert 0.7 * expected < path.stat().st_size < 1.3 * expected


def test_a_solve_that_does_not_fit_is_refused_before_it_starts(monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "available_bytes", lambda _threads: 1 << 29)
    room_for(Request.of(named_rules("finkel:4")))
    with pytest.raises(MemoryLimitError) as caught:
        make_table(named_rules("masters:7"), tmp_path / "table.h5")
    assert list(tmp_path.iterdir()) == []
    message = str(caught.value)
    assert message.startswith("masters with 7 pieces has 500,929,993 positions and needs ")
    assert "; 0.5 GiB may be taken; the largest count that fits is " in message
    fitting = int(message.removesuffix(")").rsplit(maxsplit=1)[-1])
    assert f" {fitting} (-n {fitting})" in message
    assert estimate(Request.of(named_rules("masters", fitting))).least_bytes <= 1 << 29
    assert estimate(Request.of(named_rules("masters", fitting + 1))).least_bytes > 1 << 29


@pytest.mark.parametrize("name", ["table.h5", "table"])
@pytest.mark.parametrize(
    ("word", "asked", "error"),
    [
        ("finkel:1", {"tolerance": math.nan}, InputError),
        ("finkel:1", {"tolerance": math.inf}, InputError),
        ("finkel:1", {"tolerance": -1e-9}, InputError),
        ("finkel:1", {"tolerance": 0.6}, InputError),
        ("finkel:1", {"tolerance": 1e-9, "precision": "single"}, InputError),
        ("finkel:1", {"memory": 1 << 20}, MemoryLimitError),
        ("finkel:1", {"certify": True, "value_type": "uint16"}, InputError),
        ("bell-stakes:1", {"value_type": "uint16"}, (InputError, OutputError)),
    ],
)
def test_a_solve_that_is_refused_leaves_nothing(tmp_path, name, word, asked, error):
    with pytest.raises(error):
        make_table(named_rules(word), tmp_path / name, **asked)
    assert list(tmp_path.iterdir()) == []


def test_a_solve_that_stops_before_its_first_block_leaves_nothing(tmp_path, monkeypatch):
    def interrupt(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("ur_solver.solving.execution.solve", interrupt)
    for name in ("table.h5", "table"):
        with pytest.raises(KeyboardInterrupt):
            make_table(named_rules("finkel:1"), tmp_path / name)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "table.h5.blocks").mkdir()
    with pytest.raises(KeyboardInterrupt):
        make_table(named_rules("finkel:1"), tmp_path / "table.h5")
    assert [each.name for each in tmp_path.rglob("*")] == ["table.h5.blocks"]


@pytest.mark.parametrize("name", ["table.h5", "table"])
def test_a_table_stays_where_the_solve_that_is_to_replace_it_does_not_begin(
    tmp_path, monkeypatch, name
):
    def interrupt(*_arguments, **_options):
        raise KeyboardInterrupt

    make_table(FINKEL, tmp_path / name)
    with TableFile(tmp_path / name) as table:
        digest = table.digest
    with monkeypatch.context() as patched:
        patched.setattr("ur_solver.solving.execution.solve", interrupt)
        with pytest.raises(KeyboardInterrupt):
            make_table(named_rules("finkel:1"), tmp_path / name, force=True)
    assert [each.name for each in tmp_path.iterdir()] == [name]
    with TableFile(tmp_path / name) as table:
        assert table.digest == digest
    summary = make_table(named_rules("finkel:1"), tmp_path / name, force=True)
    assert summary.replaced == "a table of finkel with 2 pieces"
    assert [each.name for each in tmp_path.iterdir()] == [name]
    with TableFile(tmp_path / name) as table:
        assert table.rules.pieces == 1


def test_values_are_kept_in_memory_if_there_is_room():
    rules = named_rules("finkel:7")
    whole = estimate(Request.of(rules, threads=1))
    assert room_for(Request.of(rules, memory=whole.memory_bytes, threads=1)).keeps_all
    less = room_for(Request.of(rules, memory=whole.memory_bytes - 1, threads=1))
    assert not less.keeps_all
    assert 0 <= less.most_kept + less.most_unwritten + less.allowance.most <= less.budget
    least = room_for(Request.of(rules, memory=whole.least_bytes, threads=1))
    assert least.most_kept == 0
    with pytest.raises(MemoryLimitError):
        room_for(Request.of(rules, memory=whole.least_bytes - 1, threads=1))


@pytest.mark.parametrize("word", ["finkel:3", "birds:1", "skiriuk:2"])
def test_with_less_memory_the_values_are_the_same(word, tmp_path, monkeypatch):
    rules, path = named_rules(word), tmp_path / "table.h5"
    monkeypatch.setattr(cost, "BASE_BYTES", 0)
    monkeypatch.setattr(room, "BASE_BYTES", 0)
    events, least = [], estimate(Request.of(rules, threads=1)).least_bytes
    make_table(rules, path, threads=1, memory=least, events=events)
    (short,) = [each for each in events if isinstance(each, RoomShort)]
    assert short.budget == least < short.needed
    # blocks of skiriuk have no memory for policies then
    with TableFile(path) as table:
        off = np.abs(table.load() - solve(space_of(rules), tolerance=1e-12, threads=1)).max()
    assert 0.0 < off < 1e-12 if word == "skiriuk:2" else off == 0.0


def test_policies_have_memory_where_it_suffices():
    rules = named_rules("skiriuk:3")
    largest = BASE_BYTES + largest_cost(Request.of(rules))
    enough = room_for(Request.of(rules, memory=largest, threads=1))
    short = room_for(Request.of(rules, memory=largest - 1, threads=1))
    (block,) = largest_blocks(Request.of(rules).part, 1)
    # 32 bytes a position: a value, a number, and for each of 4 throws a number and a byte
    size = space_of(rules).blocks[block].size
    assert enough.allowance.cost(block) - short.allowance.cost(block) > 31 * size
    assert short.allowance.cost(block) <= short.allowance.most < enough.allowance.most
    for each, has in ((enough, True), (short, False)):
        assert each.allowance.has_policies(block, each.allowance.cost(block)) is has


def test_where_nothing_fits_no_count_is_advised(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda _threads: 1 << 20)
    with pytest.raises(MemoryLimitError, match=r"0.0 GiB may be taken$"):
        room_for(Request.of(named_rules("finkel:1")))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit is Linux's")
def test_the_limit_of_the_process_counts(tmp_path):
    limit = 7 << 28
    result = subprocess.run(
        [sys.executable, "-m", "ur_solver", "solve", "masters:7", "-o", str(tmp_path / "table.h5")],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert result.returncode == 1
    assert result.stderr.startswith("Error: masters with 7 pieces has 500,929,993 positions and")
    assert list(tmp_path.iterdir()) == []
    free = float(result.stderr.split("for its largest block; ")[1].split()[0])
    assert 0.3 <= free <= 1.5


def test_memory_is_there():
    assert 1 << 20 < available_bytes() < 1 << 50


LIMITED = """
import resource
from ur_solver.solving.costs import available_bytes
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
print(*(available_bytes(threads) for threads in (1, 2, 100)))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit is Linux's")
def test_threads_take_of_a_limited_address_space():
    found = subprocess.run(
        [sys.executable, "-c", LIMITED], capture_output=True, text=True, check=True
    )
    one, two, many = map(int, found.stdout.split())
    assert one - two == pytest.approx(100 << 20, rel=0.1)
    assert many == 0


@pytest.mark.parametrize("name", RACES)
def test_a_sample_has_as_many_pieces_as_make_few_positions(name, monkeypatch):
    """No more than 600,000 positions, whatever is asked about."""
    monkeypatch.setattr(cost, "solve", lambda *_, **__: None)
    for pieces in range(1, 8):
        rules = RACES[name].with_pieces(pieces)
        space = solve_sample(Request.of(rules, threads=2)).space
        assert space.n_values <= 600_000
        more = space.rules.with_pieces(min(space.rules.pieces + 1, pieces))
        assert more.pieces == space.rules.pieces or space_of(more).n_values > 600_000


def test_where_sweeps_grow_fast_the_time_for_a_position_grows(monkeypatch):
    """Long paths without safe squares: custom rules that took twice the time estimated."""
    rules = named_rules("finkel").changed(path=PATHS["murray-royalur"], safe_rosettes=False)
    sweeps = {1: 67, 2: 102}

    def fake(space, *, tolerance, certify, kernel, runner, on_block):
        for block in space.blocks:
            on_block(BlockRecord(block.index, 0.0, sweeps[space.rules.pieces], 0.0))

    monkeypatch.setattr(cost, "solve", fake)
    slower = solve_sample(Request.of(rules.with_pieces(3))).slower
    assert slower == pytest.approx((102 / 67 / 1.22) ** 2)
    sweeps[2] = 70  # as in other rule sets
    assert solve_sample(Request.of(rules.with_pieces(3))).slower == 1
    assert solve_sample(Request.of(rules.with_pieces(2))).slower == 1  # the sample itself


def test_with_a_slow_kernel_the_time_for_a_position_grows_with_the_sweeps(monkeypatch):
    """Finkel's game with `another_piece` was solved in several times the time estimated."""
    monkeypatch.setattr(cost, "solve", lambda *_, **__: None)
    rules = named_rules("finkel").changed(another_piece=True)
    sample = solve_sample(Request.of(rules))
    assert sample.space.rules.pieces == 2
    assert sample.slower == pytest.approx(1.22**5)


def test_a_sample_is_really_solved(monkeypatch):
    request, solve_blocks, solved = Request.of(named_rules("finkel:2")), cost.solve, []

    def noting(space, *, on_block, **options):
        def note(record):
            solved.append((space.rules.word, record.index))
            on_block(record)

        solve_blocks(space, on_block=note, **options)

    monkeypatch.setattr(cost, "solve", noting)
    assert expected_seconds(request) > 0
    assert sorted(solved) == [("finkel:2", index) for index in request.part.indices]


def test_the_summary_is_of_the_table(tmp_path):
    reported = []
    summary = make_table(
        FINKEL, tmp_path / "table.h5", progress=lambda *counts: reported.append(counts), threads=1
    )
    space = space_of(FINKEL)
    values = solve(space, tolerance=1e-12, threads=1)
    assert summary.positions == 12869
    assert summary.resumed_blocks == 0
    with TableFile(summary.path) as table:
        assert np.array_equal(table.load(), values)
        assert table.header.residual == table.blocks["residual"].max()
        mean = (table.blocks["sweeps"] * table.blocks["size"]).sum() / 12869
        assert summary.sweeps == pytest.approx(mean)
        assert 0 < table.header.seconds <= summary.seconds
    assert reported == sorted(reported)
    assert len(reported) == len(space.blocks)
    assert reported[-1] == (12869, 12869)


@pytest.mark.parametrize("value_type", list(VALUE_TYPES))
def test_every_value_type_holds_the_values(value_type, tmp_path):
    path = tmp_path / "table.h5"
    make_table(FINKEL, path, value_type=value_type)
    kind = VALUE_TYPES[value_type]
    with TableFile(path) as table:
        values = kind.decode(table.load())
        assert table.header.tolerance == 1e-12 + kind.rounding
    expected = solve(space_of(FINKEL), tolerance=1e-12)
    assert np.abs(values - expected).max() <= 1e-12 + kind.rounding
