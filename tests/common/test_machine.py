"""Processors and memory: of the machine, of its control groups, of the affinity."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
from types import SimpleNamespace

import psutil
import pytest

from ur_solver.common import machine
from ur_solver.common.machine import free_memory, usable_processors

MIB = 1 << 20
MACHINE = 1000 * MIB
"""What the tests let the machine have free."""

V2 = "41 31 0:38 {mounted} /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"
V1 = (
    "32 31 0:29 {mounted} /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 {mounted} /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n"
)


@pytest.fixture(autouse=True)
def large_machine(monkeypatch):
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=MACHINE))
    monkeypatch.setattr(machine, "_affinity", lambda: 16)


@pytest.fixture
def root(tmp_path, monkeypatch):
    (tmp_path / "proc/self").mkdir(parents=True)
    monkeypatch.setattr(machine, "_ROOT", tmp_path)
    return tmp_path


def mount(root: pathlib.Path, version: int, group: str, mounted: str = "/") -> None:
    """Say which group the process is in, and which one is mounted."""
    hierarchies = {1: f"5:memory:{group}\n4:cpu,cpuacct:{group}\n", 2: f"0::{group}\n"}
    (root / "proc/self/cgroup").write_text("9:name=systemd:/else\n" + hierarchies[version])
    other = "23 1 0:20 / / rw - ext4 /dev/sda rw\nnot a line\n"
    text = other + {1: V1, 2: V2}[version].format(mounted=mounted)
    (root / "proc/self/mountinfo").write_text(text)


def write(root: pathlib.Path, folder: str, **files: str) -> None:
    """Write files of a group; `__` in a name stands for a dot."""
    path = root / "sys/fs/cgroup" / folder
    path.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (path / name.replace("__", ".")).write_text(f"{text}\n")


@pytest.mark.parametrize("folder", [".", "nothing"])
def test_without_control_groups_the_machine_counts(folder, root, monkeypatch):
    monkeypatch.setattr(machine, "_ROOT", root / folder)
    assert free_memory() == MACHINE
    assert usable_processors() == 16


def test_version_2(root):
    mount(root, 2, "/")
    stat = f"anon 5\nfile {90 * MIB}\ninactive_file {30 * MIB}\nactive_file {20 * MIB}"
    write(root, ".", memory__max=str(200 * MIB), memory__current=str(150 * MIB))
    assert free_memory() == 50 * MIB
    write(root, ".", memory__stat=stat)  # what is cached can be had
    assert free_memory() == 100 * MIB
    write(root, ".", memory__high=str(160 * MIB))
    assert free_memory() == 60 * MIB
    write(root, ".", cpu__max="250000 100000")
    assert usable_processors() == 3


def test_version_1(root):
    mount(root, 1, "/docker/abc", mounted="/docker/abc")
    write(
        root,
        "memory",
        memory__limit_in_bytes=str(300 * MIB),
        memory__usage_in_bytes=str(100 * MIB),
        memory__stat=f"inactive_file 7\ntotal_inactive_file {10 * MIB}\ntotal_active_file 0",
    )
    write(root, "cpu,cpuacct", cpu__cfs_quota_us="150000", cpu__cfs_period_us="100000")
    assert free_memory() == 210 * MIB
    assert usable_processors() == 2


@pytest.mark.parametrize("tightest", ["", "a.slice", "a.slice/b.scope"])
def test_the_smallest_along_the_hierarchy_counts(root, tightest):
    mount(root, 2, "/a.slice/b.scope")
    for folder in ("a.slice/b.scope", "a.slice", "."):
        write(root, folder, memory__max="max", memory__current="0", cpu__max="max 100000")
    write(root, "a.slice/sibling", memory__max="1", memory__current="0", cpu__max="1 100000")
    assert (free_memory(), usable_processors()) == (MACHINE, 16)
    write(root, tightest, memory__max=str(64 * MIB), cpu__max="400000 100000")
    assert (free_memory(), usable_processors()) == (64 * MIB, 4)


def test_memory_counts_where_it_was_taken(root):
    # an outer group has siblings' memory taken as well
    mount(root, 2, "/a/b")
    write(root, "a/b", memory__max=str(100 * MIB), memory__current=str(10 * MIB))
    write(root, "a", memory__max=str(120 * MIB), memory__current=str(100 * MIB))
    assert free_memory() == 20 * MIB
    write(root, "a", memory__current=str(500 * MIB))
    assert free_memory() == 0


def test_both_versions_at_once(root):
    mount(root, 1, "/x")
    (root / "proc/self/cgroup").write_text("5:memory:/x\n0::/y\n")
    (root / "proc/self/mountinfo").write_text(V1.format(mounted="/") + V2.format(mounted="/"))
    write(root, "memory/x", memory__limit_in_bytes=str(9 * MIB), memory__usage_in_bytes="0")
    write(root, "y", cpu__max="200000 100000")
    assert (free_memory(), usable_processors()) == (9 * MIB, 2)


def test_no_limit_and_nonsense_limit_nothing(root):
    mount(root, 1, "/")
    write(root, "cpu,cpuacct", cpu__cfs_quota_us="-1", cpu__cfs_period_us="100000")
    unlimited = str((1 << 63) - 4096)
    write(root, "memory", memory__limit_in_bytes=unlimited, memory__usage_in_bytes="5")
    assert (free_memory(), usable_processors()) == (MACHINE, 16)
    mount(root, 2, "/")
    for quota in ("", "max", "100000 0", "x y", "100000"):
        write(root, ".", cpu__max=quota, memory__max="many", memory__current="few")
        assert (free_memory(), usable_processors()) == (MACHINE, 16)
    write(root, ".", cpu__max="1000 100000")  # less than one processor is one
    assert usable_processors() == 1


@pytest.mark.parametrize("group", ["/../../other", "/not/mounted"])
def test_a_group_that_is_not_mounted(root, group):
    mount(root, 2, group, mounted="/docker/abc")
    write(root, ".", memory__max=str(70 * MIB), memory__current="0")
    assert free_memory() == 70 * MIB


def test_what_cannot_be_read_limits_nothing(root):
    mount(root, 2, "/")
    (root / "sys/fs/cgroup/memory.max").mkdir(parents=True)  # reading it fails, for root as well
    write(root, ".", memory__current="0", cpu__max="100000 100000")
    assert (free_memory(), usable_processors()) == (MACHINE, 1)


def test_a_folder_with_spaces(root):
    mount(root, 2, "/")
    text = V2.format(mounted="/").replace("/sys/fs/cgroup", "/sys/fs/c\\040group")
    (root / "proc/self/mountinfo").write_text(text)
    write(root, "../c group", memory__max=str(MIB), memory__current="0")
    assert free_memory() == MIB


ASK = "from ur_solver.common.machine import *; print(usable_processors(), free_memory())"


def answered(*before: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*before, sys.executable, "-c", ASK], capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity on this system")
@pytest.mark.skipif(shutil.which("taskset") is None, reason="needs taskset")
def test_the_affinity_of_a_process():
    processor = min(os.sched_getaffinity(0))
    assert answered("taskset", "-c", str(processor)).stdout.split()[0] == "1"


def test_a_real_control_group():
    command = "systemd-run"
    if shutil.which(command) is None:
        pytest.skip("needs systemd-run")
    limits = ("-p", "MemoryMax=300M", "-p", "CPUQuota=100%")
    found = answered(command, "--scope", "--quiet", "--collect", *limits)
    if found.returncode:
        pytest.skip(f"systemd-run: {found.stderr.strip() or found.stdout.strip()}")
    processors, memory = map(int, found.stdout.split())
    assert processors == 1
    assert 0 < memory <= 300 * MIB
