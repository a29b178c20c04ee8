"""Some of the cases that scripts/reliability.py tries in full; none may be lost."""

from __future__ import annotations

import os
import resource
import shutil

import pytest

from tests.faults import (
    askers,
    clusters,
    commands,
    forgeries,
    giants,
    pages,
    solves,
    strangers,
    tables,
)
from tests.faults.tally import Tally
from tests.serve.browser import needs_browser
from ur_solver.rules import named_rules

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="signals and limits of Unix"),
    pytest.mark.slow,
]


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> solves.Solves:
    return solves.Solves(tmp_path_factory.mktemp("solves"), "finkel:3")


def assert_nothing_lost(tally: Tally | None) -> Tally:
    if tally is None:
        pytest.skip("not possible on this machine")
    assert tally.lost == []
    assert tally.tried
    return tally


def test_killed_solves_go_on(small):
    assert_nothing_lost(solves.kills(small, 3, seed=1))


def test_a_full_disk_costs_only_time(small):
    assert_nothing_lost(solves.full_disks(small, 2, seed=1))


def test_a_full_file_system_costs_only_time(small):
    assert_nothing_lost(solves.small_disks(small, 1, seed=1))


def test_a_read_only_folder_costs_only_time(small):
    assert assert_nothing_lost(solves.read_only(small)).detected == 1


def test_a_folder_that_goes_away_costs_only_time(small):
    assert solves.gone(small, 2, seed=1).lost == []


def test_too_little_room_for_the_libraries_is_said(small):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (150 << 20, 150 << 20))

    code, said = small.finish(small.start(before=limit))
    assert code == 1
    assert (
        said
        == "Error: address space is limited to 150 MiB (ulimit -v); at least 256 MiB are needed\n"
    )


def test_a_limit_of_memory_costs_only_time(small):
    assert_nothing_lost(solves.memory_limits(small, 2, seed=1))


def test_two_solves_to_one_output(small):
    assert_nothing_lost(solves.two_at_once(small, 1))


def test_an_output_that_is_open_elsewhere(small):
    tally = assert_nothing_lost(solves.open_elsewhere(small))
    assert (tally.survived, tally.detected) == (1, 1)


def test_a_clock_that_runs_backwards(small):
    assert_nothing_lost(solves.clock_changes(small))


def test_checkpoints_of_others(small):
    assert_nothing_lost(solves.other_checkpoints(small))


@pytest.mark.parametrize("cut", [False, True])
def test_damaged_checkpoints(tmp_path, cut):
    assert_nothing_lost(solves.damaged_checkpoints(tmp_path, "finkel:1", 40, seed=1, cut=cut))


@pytest.mark.parametrize("target", strangers.TARGETS)
def test_strangers(target):
    tally = strangers.attack(target, 150, 1)
    assert tally.detected
    assert tally.survived, "some of the corpus is sound"


@pytest.mark.parametrize("kind", forgeries.KINDS)
def test_forged_files(tmp_path, kind):
    tally = assert_nothing_lost(forgeries.forgeries(tmp_path, kind, 60, seed=1))
    assert tally.detected
    assert tally.survived


@needs_browser
def test_forged_files_of_a_site(tmp_path):
    tally = assert_nothing_lost(pages.forged_files(tmp_path, 60, seed=1))
    assert tally.detected
    assert tally.survived


def test_commands_of_strangers(tmp_path):
    tally = commands.attack(tmp_path, 100, 1)
    assert tally.detected
    assert tally.survived


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("rules", "exponent.json"),
        ("maps", "value-type.rgu"),
        ("words", "5.txt"),
        ("words", "6.txt"),
        ("json", "lines.json"),
    ],
)
def test_what_strangers_once_got_through_is_refused(target, name):
    assert strangers.rejects(target, (strangers.CORPUS / target / name).read_bytes())


@pytest.mark.parametrize(
    "name",
    [
        "a record of a gigabyte",
        "a record a thousand levels deep",
        "values of 2^60 entries",
        "an attribute of a type of 2^31 bytes",
        "a map of 2^31 - 1 entries, all there",
    ],
)
def test_giants(tmp_path, name):
    tally = Tally(name)
    giants.giant(tmp_path, name, tally)
    assert_nothing_lost(tally)


@pytest.mark.parametrize("kind", ["threads", "forks", "processes"])
def test_many_readers_at_once(finkel2, tmp_path, kind):
    path = shutil.copy(finkel2, tmp_path / "finkel-2.h5")
    tally, _ = tables.readers(path, kind, 4, 6, 5000)
    assert assert_nothing_lost(tally).survived == 6


def test_reading_beside_a_solve(finkel2, tmp_path):
    path = tmp_path / "finkel-2.h5"
    solves.make_table(solves.named_rules("finkel:2"), path, threads=1)
    assert_nothing_lost(tables.reading_beside_a_solve(path, "finkel:2", 1))


def test_requests_of_strangers(solved):
    tally = assert_nothing_lost(askers.requests(solved(named_rules("finkel:2")), 400, seed=1))
    assert tally.survived > 20
    assert tally.detected > 200


def test_solves_of_workers_go_on_without_their_driver(small, tmp_path):
    tally = clusters.killed_drivers(small, tmp_path, 1, seed=1, kills=2)
    assert assert_nothing_lost(tally).survived == 1


def test_solves_of_workers_go_on_after_their_scheduler(small, tmp_path):
    tally = clusters.restarted_schedulers(small, tmp_path, 1, seed=1)
    assert assert_nothing_lost(tally).survived == 1
