"""Simulated schedules, beside what can be worked out by hand, and what must always hold."""

from __future__ import annotations

import json
import pathlib
import re
from itertools import count, pairwise

import pytest
from click.testing import CliRunner

import ur_solver
from tests.solving import needs_openmp
from ur_solver.blocks.folder import BlockRecord
from ur_solver.cli import cli
from ur_solver.errors import MemoryLimitError
from ur_solver.rules import named_rules
from ur_solver.solving import costs as cost
from ur_solver.solving.costs import Speed, measured_speed, schedule_of
from ur_solver.solving.request import Request
from ur_solver.space import space_of

SPACE = space_of(named_rules("finkel:4"))
EVEN = Speed(1e-6, 0.0)
GIB = 1 << 30


def asked(cores, word="finkel:4", memory=GIB):
    """A solve by workers with these processors and this memory each."""
    return Request.of(named_rules(word), threads=cores, memory=memory)


def test_one_core_takes_as_long_as_all_blocks_together():
    found = schedule_of(asked(1), workers=1, speed=EVEN)
    assert found.seconds == pytest.approx(SPACE.n_values * 1e-6)
    assert found.busy == pytest.approx(1)
    assert found.written_bytes == 8 * SPACE.n_values
    assert 8 * SPACE.n_values < found.disk_bytes < 16 * SPACE.n_values  # with the table
    reads = [space for block in SPACE.blocks for space in SPACE.reads(block.index)]
    assert found.read_bytes == 8 * sum(SPACE.blocks[index].size for index in reads)
    assert max(block.size for block in SPACE.blocks) * 8 < found.live_bytes < found.disk_bytes


@pytest.mark.parametrize(("workers", "cores"), [(1, 4), (2, 1), (4, 2), (50, 1)])
def test_a_schedule_keeps_to_the_order_and_to_the_processors(workers, cores):
    found = schedule_of(asked(cores), workers=workers, speed=Speed(1e-6, 1e-4))
    ends = {span.index: span.end for span in found.spans}
    assert sorted(ends) == list(range(len(SPACE.blocks)))
    events = []
    for span in found.spans:
        assert all(ends[each] <= span.start for each in SPACE.reads(span.index))
        events += [(span.start, 1, span), (span.end, 0, span)]
    busy = [0] * workers
    for _, is_start, span in sorted(events, key=lambda each: each[:2]):
        busy[span.worker] += span.threads if is_start else -span.threads
        assert 0 <= busy[span.worker] <= cores
    one = schedule_of(asked(1), workers=1, speed=Speed(1e-6, 1e-4))
    assert found.critical_seconds <= found.seconds * (1 + 1e-9)
    assert found.seconds <= one.seconds * (1 + 1e-9)
    assert found.seconds >= one.seconds / (workers * cores) * (1 - 1e-9)
    assert 0 < found.busy <= 1


def test_more_workers_take_no_longer():
    times = [schedule_of(asked(1), workers=n, speed=EVEN).seconds for n in (1, 2, 4, 8)]
    assert all(one >= other for one, other in pairwise(times))


@needs_openmp
def test_workers_of_one_machine_lend_each_other_processors():
    """Two of them are never slower than one with the processors of both."""
    one, two = (schedule_of(asked(2 // n), workers=n, speed=EVEN, machines=1) for n in (1, 2))
    apart = schedule_of(asked(1), workers=2, speed=EVEN)
    assert two.seconds == pytest.approx(one.seconds)
    assert two.critical_seconds == one.critical_seconds < apart.critical_seconds
    assert two.seconds < apart.seconds


@pytest.mark.parametrize(
    ("word", "memory", "message"),
    [
        ("murray:7", 128, r"murray with 7 pieces .* needs 1\d\d\.\d GiB .* 128.0 GiB"),
        ("skiriuk:5", 100, r"skiriuk with 5 pieces .* needs 1\d\d\.\d GiB .* 100.0 GiB"),
    ],
)
def test_a_game_whose_largest_block_is_too_large_is_refused(word, memory, message):
    with pytest.raises(MemoryLimitError, match=message):
        schedule_of(asked(16, word, memory * GIB), workers=8, speed=EVEN)


def test_a_block_of_more_than_32_bits_can_number_fits_a_large_worker():
    planned = schedule_of(asked(16, "skiriuk:5", 256 * GIB), workers=1, speed=EVEN)
    assert planned.seconds > 0


def test_the_speed_is_that_of_a_sample(monkeypatch):
    """Of its large blocks. The processor was another program's half of the time: not counted."""
    sampled, certified = [], []

    def fake(space, *, tolerance, certify, kernel, runner, on_block):
        sampled.append(space)
        certified.append(certify)
        for block in space.blocks:
            slow = 0.0 if block.size <= 1024 else 2e-6 if block.size > 12_000 else 5e-6
            seconds = 0.004 + slow * block.size
            on_block(BlockRecord(block.index, 0.0, 1, seconds))

    wall, processor = count(0, 0.08), count(0, 0.04)  # another sample is quick
    monkeypatch.setattr(cost, "solve", fake)
    monkeypatch.setattr(cost.time, "perf_counter", lambda: float(next(wall)))
    monkeypatch.setattr(cost.time, "process_time", lambda: float(next(processor)))
    speed = measured_speed(Request.of(named_rules("finkel:7")))
    space = sampled[-1]
    assert space.rules.word == "finkel:4"
    assert 2 * sum(block.size for block in space.blocks if block.size > 12_000) > space.n_values
    assert speed.seconds_per_block == pytest.approx(0.002)
    assert speed.seconds_per_value == pytest.approx(1e-6)
    assert not any(certified)
    measured_speed(Request.of(named_rules("finkel:5"), certify=True))
    assert certified[-1]
    assert sampled[-1].rules.word == "finkel:3"
    assert Speed(2e-6, 0.5).seconds(1000, threads=2) == pytest.approx(0.501)


def test_the_command(tmp_path):
    chart = tmp_path / "chart.svg"
    words = ["plan", "finkel", "-n", "3", "--workers", "2", "--cores", "1", "--memory", "1GiB"]
    result = CliRunner().invoke(cli, [*words, "--chart", str(chart)])
    assert result.exit_code == 0, result.output
    assert re.search(r"^positions +263,121$", result.output, re.MULTILINE)
    assert chart.read_text().count("<polygon") == 2
    facts = json.loads(CliRunner().invoke(cli, [*words, "--json"]).output)
    assert facts["positions"] == 263121
    assert facts["seconds"] > 0
    assert "spans" not in facts
    result = CliRunner().invoke(cli, ["plan", "finkel", "-n", "3", "--memory", "many"])
    assert result.exit_code == 2
    assert "'many' is not a size such as 12GiB, 500MB or 2G" in result.output


def test_plan_and_rules_give_one_answer(monkeypatch):
    """Time, memory and disk of one process, by either command; both say what answers instead."""
    for module in ("cli.plan", "solving.costs"):
        name = f"ur_solver.{module}.measured_speed"
        monkeypatch.setattr(name, lambda _request: Speed(1e-6, 1e-4))
    shipped = pathlib.Path(ur_solver.__file__).parent / "estimators" / "shipped"
    monkeypatch.setattr("ur_solver.estimators.estimator.SHIPPED", shipped)

    def said(*words):
        result = CliRunner().invoke(cli, [*words, "--memory", "8GiB", "--json"])
        return json.loads(result.stdout)

    planned, solved = said("plan", "casual:7"), said("solve", "casual:7", "--dry-run")
    for name in ("positions", "seconds", "memory_bytes", "disk_bytes"):
        assert planned[name] == solved[name]
    assert said("solve", "birds:5", "--dry-run")["estimates"] == (
        "'ur best birds:5' answers by an estimator"
    )
    refused = CliRunner().invoke(cli, ["plan", "skiriuk:6", "--memory", "8GiB"])
    assert "'ur train skiriuk -n 6' makes an estimator" in refused.stderr


def test_a_long_solve_says_first_what_it_takes(monkeypatch, tmp_path):
    monkeypatch.setattr("ur_solver.solving.costs.measured_speed", lambda _request: Speed(1e-4, 0.0))
    monkeypatch.setattr("ur_solver.cli.solve._SHORT_VALUES", 1)

    def stop(plan, show):
        raise KeyboardInterrupt

    monkeypatch.setattr("ur_solver.cli.solve.run", stop)
    for word, is_long in (("finkel:5", True), ("finkel:3", False)):
        table = str(tmp_path / f"{word[-1]}.h5")
        # by one thread, whatever shares a block: 14,669,769 values
        result = CliRunner().invoke(cli, ["solve", word, "-o", table, "--threads", "1"])
        assert ("this takes some 24 min 27 s" in result.stderr) == is_long
