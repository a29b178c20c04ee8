"""The processors and the memory that this process may use.

In a container these are fewer than the machine's. Control groups (cgroups, version 1 and 2) limit
memory and processor time for a group of processes and for all groups inside it, so every folder
from the process's own group up to the root counts. A cpuset limits the affinity of a process, from
which it is read. Missing or unreadable files do not limit.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ur_solver.common.text import whole_number


def program_version() -> str:
    """The version of this program, as it was installed."""
    from importlib.metadata import version  # noqa: PLC0415 - for those who write it down

    return version("ur-solver")


_ROOT = Path("/")
"""Where `proc` and the mounted groups are found."""


def usable_processors() -> int:
    """The number of processors that this process may use, at least 1.

    The affinity of the process, or the time limit of its control groups in processors, rounded
    up, if that is less.
    """
    quotas = [math.ceil(quota) for quota in _processor_quotas()]
    return max(1, min([_affinity(), *quotas]))


def chosen_threads(threads: int | None) -> int:
    """The number of threads that a caller has chosen; by default one for each processor.

    WrongTypeError or InputError if it is not a whole number above 0.
    """
    return usable_processors() if threads is None else whole_number("threads", threads, 1)


def free_memory() -> int:
    """The memory that this process can still take, in bytes.

    The free memory of the machine, or of its control groups, if that is less. A group's cached
    files count as free, as the system drops them when memory is needed.
    """
    import psutil  # noqa: PLC0415 - takes 15 ms, and a single query does not need it

    return max(0, min([int(psutil.virtual_memory().available), *_memory_left()]))


def _affinity() -> int:
    if hasattr(os, "process_cpu_count"):  # Python 3.13; heeds PYTHON_CPU_COUNT
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _processor_quotas() -> Iterator[float]:
    """The processors that each control group may keep busy."""
    for folder in _groups(""):
        quota, _, period = _text(folder / "cpu.max").partition(" ")
        yield from _quotient(quota, period)
    for folder in _groups("cpu"):
        yield from _quotient(
            _text(folder / "cpu.cfs_quota_us"), _text(folder / "cpu.cfs_period_us")
        )


def _quotient(quota: str, period: str) -> Iterator[float]:
    # "max" and -1 stand for no limit
    if quota.isdecimal() and period.isdecimal() and int(period):
        yield int(quota) / int(period)


def _memory_left() -> Iterator[int]:
    """The memory that each control group has left, in bytes."""
    for folder in _groups(""):
        for limit in ("memory.max", "memory.high"):  # above the latter, processes are throttled
            yield from _left(folder, limit, "memory.current", "")
    for folder in _groups("memory"):
        yield from _left(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_")


def _left(folder: Path, limit: str, usage: str, prefix: str) -> Iterator[int]:
    most, used = _text(folder / limit), _text(folder / usage)
    if most.isdecimal() and used.isdecimal():
        cached = sum(
            int(count)
            for key, _, count in (
                line.partition(" ") for line in _text(folder / "memory.stat").splitlines()
            )
            if key in {f"{prefix}active_file", f"{prefix}inactive_file"} and count.isdecimal()
        )
        yield int(most) - max(0, int(used) - cached)


def _groups(controller: str) -> Iterator[Path]:
    """The folders of this process's control groups, its own first.

    An empty controller stands for the one hierarchy of version 2.
    """
    own, mount = _own_group(controller), _mount(controller)
    if own is None or mount is None:
        return
    mounted, folder = mount
    if not own.is_relative_to(mounted) or ".." in own.parts:
        yield folder  # some containers name a group that is not mounted
        return
    inside = own.relative_to(mounted)
    for path in (inside, *inside.parents):
        yield folder / path


def _own_group(controller: str) -> PurePosixPath | None:
    for line in _text(_ROOT / "proc/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controller in controllers.split(",") and path:
            return PurePosixPath(path)
    return None


def _mount(controller: str) -> tuple[PurePosixPath, Path] | None:
    """The mounted group and its folder."""
    for line in _text(_ROOT / "proc/self/mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        if len(fields) < 5 or len(kind) < 3:
            continue
        is_wanted = (
            kind[0] == "cgroup" and controller in kind[2].split(",")
            if controller
            else kind[0] == "cgroup2"
        )
        if is_wanted:
            return PurePosixPath(_unescaped(fields[3])), _ROOT / _unescaped(fields[4]).lstrip("/")
    return None


def _unescaped(text: str) -> str:
    # as mountinfo writes spaces, tabs, line ends and backslashes
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, character)
    return text


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
