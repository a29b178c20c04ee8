"""`ur plan`, and the cost of a solve as text and as JSON."""

from __future__ import annotations

import pathlib
from dataclasses import asdict, dataclass, replace
from typing import Any

import click

from ur_solver.cli.custom import SectionedCommand, custom_rule_options, custom_rules
from ur_solver.cli.options import (
    MAX_THREADS,
    OUTPUT_FILE,
    json_option,
    left_option,
    memory_option,
    number_option,
    pieces_option,
    precision_option,
    rules_argument,
)
from ur_solver.cli.output import columns, echo, gib_text, say_written, time_text
from ur_solver.common.files import check_outputs, write_file
from ur_solver.common.progress import shown_task
from ur_solver.common.text import json_text, size_text
from ur_solver.errors import MemoryLimitError, SolveError
from ur_solver.estimators.estimator import estimator_path
from ur_solver.rules import RuleSet
from ur_solver.rules.game import is_catalogued
from ur_solver.solving.costs import (
    Schedule,
    budget_of,
    check_disk,
    check_memory,
    disk_bytes,
    estimate,
    expected_seconds,
    free_bytes,
    measured_speed,
    nearest_place,
    room_for,
    schedule_of,
)
from ur_solver.solving.plan import path_of
from ur_solver.solving.request import Request


@dataclass(frozen=True)
class Cost:
    """The memory, disk and time of a solve, and the memory and disk that are free.

    The disk is what is used during the solve, and what is free in the folder of the table. There
    are no `seconds` if the solve is not timed or does not fit; `reason` then says why it does not,
    and `estimates` what answers in its place.
    """

    positions: int
    memory_bytes: int
    memory_free_bytes: int
    table_bytes: int
    disk_bytes: int
    disk_free_bytes: int
    seconds: float | None
    reason: str | None
    estimates: str | None

    def to_json(self) -> dict[str, Any]:
        """The figures by name, and whether the solve fits."""
        return {**asdict(self), "fits": self.reason is None}

    def rows(self) -> list[list[str]]:
        """The figures as rows of two columns."""
        if self.reason is not None:
            solving = f"not possible: {self.reason}"
        else:
            time = "" if self.seconds is None else f"some {time_text(self.seconds)}, "
            solving = (
                f"{time}{size_text(self.memory_bytes)} of memory, "
                f"{size_text(self.disk_bytes)} of disk on the way"
            )
        return [
            ["  positions", f"{self.positions:,}"],
            ["  table", f"some {size_text(self.table_bytes)} on disk"],
            ["  to solve", solving],
            *([["  estimates", self.estimates]] if self.estimates is not None else []),
        ]


def cost_of(request: Request, *, is_timed: bool = True) -> Cost:
    """The cost of a solve in this process; the output's folder need not exist yet.

    With `is_timed`, the time is estimated by solving the rules with fewer pieces, which takes some
    tenths of a second.
    """
    place, free = nearest_place(path_of(request)), budget_of(request)
    request, reason, seconds = replace(request, memory=free), None, None
    try:
        room_for(request)
        check_disk(request, place)
        seconds = expected_seconds(request) if is_timed else None
    except SolveError as error:  # of a game without end, too
        reason = str(error)
    found = estimate(request)
    return Cost(
        positions=found.positions,
        memory_bytes=found.within(free),
        memory_free_bytes=free,
        table_bytes=found.table_bytes,
        disk_bytes=disk_bytes(request),
        disk_free_bytes=free_bytes(place),
        seconds=seconds,
        reason=reason,
        estimates=None if reason is None else _estimates_of(request.rules),
    )


def _estimates_of(rules: RuleSet) -> str:
    """What answers for rules that are not solved here."""
    if estimator_path(rules) is not None:
        return f"'ur best {rules.word}' answers by an estimator"
    named = f" {rules.name} -n {rules.pieces}" if is_catalogued(rules) else ""
    return f"'ur train{named}' makes an estimator"


_WIDTH, _ROW = 800, 40
"""The width of a chart and the height of a worker's row, in pixels."""


@click.command(cls=SectionedCommand)
@rules_argument
@pieces_option
@left_option
@number_option("--workers", within=(1, MAX_THREADS), default=1, help="Plan for N workers.")
@number_option(
    "--cores", within=(1, MAX_THREADS), help="Use N processors per worker; by default as here."
)
@number_option(
    "--machines",
    within=(1, MAX_THREADS),
    help="Spread the workers over N machines; by default one each.",
)
@memory_option("Use this much memory per worker; by default what is free.")
@click.option("--certify", is_flag=True, help="Include memory and time for certificates.")
@precision_option
@click.option("--chart", type=OUTPUT_FILE, help="Draw the schedule to an SVG file.")
@json_option
@custom_rule_options
def plan_command(
    rules: str,
    pieces: int | None,
    left: int | None,
    workers: int,
    cores: int | None,
    machines: int | None,
    memory: int | None,
    certify: bool,
    precision: str,
    chart: pathlib.Path | None,
    as_json: bool,
    **custom: Any,
) -> None:
    """Estimate the cost of solving RULES by simulating the schedule, block by block.

    The assumed speed is that of one processor of this machine, measured by solving the rules with
    fewer pieces for some tenths of a second.

    \b
    ur plan finkel -n 7 --workers 4 --cores 2 --memory 2GiB
    """
    check_outputs({"--chart": chart}, [rules])
    chosen = custom_rules(rules, pieces, **custom).settled()
    request = Request.of(
        chosen, left=left, precision=precision, certify=certify, threads=cores, memory=memory
    )
    memory = budget_of(request)
    try:
        check_memory(request, memory)
    except MemoryLimitError as error:
        raise MemoryLimitError(f"{error}; {_estimates_of(chosen)}") from None
    request = replace(request, memory=memory)
    with shown_task("measuring this machine and planning"):
        speed = measured_speed(request)
        found = schedule_of(request, workers=workers, speed=speed, machines=machines)
    if chart is not None:
        write_file(chart, _chart(found))
        say_written("chart", chart)
    if as_json:
        facts = asdict(found)
        del facts["spans"]
        echo(
            json_text(
                {"rules": chosen.name, "pieces": chosen.pieces, "left": request.part.left} | facts
            ),
            raw=True,
        )
        return
    echo(columns(_rows(found), "<<"))


def _rows(found: Schedule) -> list[list[str]]:
    return [
        ["positions", f"{found.positions:,}"],
        ["blocks", f"{found.blocks:,}, the largest of {found.largest_block:,} values"],
        ["time", time_text(found.seconds)],
        ["longest path", f"{time_text(found.critical_seconds)}, whatever the number of workers"],
        ["processors busy", f"{100 * found.busy:.0f} %"],
        ["memory" if found.workers == 1 else "memory of a worker", gib_text(found.memory_bytes)],
        ["disk", f"{size_text(found.disk_bytes)}, {size_text(found.live_bytes)} still read"],
        ["read and written", f"{size_text(found.read_bytes)}, {size_text(found.written_bytes)}"],
    ]


def _chart(found: Schedule) -> str:
    """An SVG of the busy processors of each worker over time."""
    busy = [[0.0] * _WIDTH for _ in range(found.workers)]
    scale = _WIDTH / (found.seconds or 1.0)
    for span in found.spans:
        first, end = span.start * scale, span.end * scale
        for pixel in range(int(first), min(_WIDTH, int(end) + 1)):
            share = max(0.0, min(end, pixel + 1) - max(first, pixel))
            busy[span.worker][pixel] += span.threads * share / found.cores
    height = _ROW * found.workers + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        'font-family="sans-serif" font-size="11">'
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>'
    ]
    for worker, shares in enumerate(busy):
        foot = _ROW * (worker + 1) - 4
        line = " ".join(
            f"{pixel},{foot - min(1.0, share) * (_ROW - 8):.1f}"
            for pixel, share in enumerate(shares)
        )
        parts.append(f'<polygon points="0,{foot} {line} {_WIDTH},{foot}" fill="#4a7ba6"/>')
        parts.append(f'<text x="4" y="{foot - _ROW + 18}">worker {worker + 1}</text>')
    parts.append(
        f'<text x="{_WIDTH}" y="{height - 6}" text-anchor="end">{time_text(found.seconds)}</text>'
    )
    return "\n".join([*parts, "</svg>", ""])
