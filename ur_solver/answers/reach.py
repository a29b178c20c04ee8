"""Solving the positions that one position can reach, in a game that is too large to solve.

They are kept in one table of the rule set, to which every further position adds.
"""

from __future__ import annotations

import bisect
import os
import pathlib
from collections.abc import Callable

from ur_solver.answers.locate import find_file, find_part
from ur_solver.common.progress import Progress
from ur_solver.common.text import counted
from ur_solver.errors import OutputError, UrError
from ur_solver.kernel.rounding import DOUBLE, default_tolerance
from ur_solver.rules import Position, RuleSet
from ur_solver.solving.execution import counts_for, run
from ur_solver.solving.plan import plan_of
from ur_solver.solving.request import Request
from ur_solver.space import Part, part_from, space_of
from ur_solver.table.names import is_made_for
from ur_solver.table.output import new_table_path
from ur_solver.table.reader import TableFile


def table_from(
    rules: RuleSet,
    position: Position,
    *,
    memory: int | None = None,
    threads: int | None = None,
    say: Callable[[str], object] = lambda text: None,
    progress: Progress | None = None,
) -> TableFile:
    """A table that holds a position of these rules, solved if there is none.

    `memory` and `threads` are as for `Request`, `say` is called with a sentence before the solve,
    `progress` with the positions finished and their total. MemoryLimitError or DiskLimitError if
    the reachable positions do not fit; OutputError if the table cannot be written.
    """
    rules = rules.settled()
    table = find_file(rules) or find_part(rules, position)
    if table is not None and table.holds_position(position):
        return table
    if table is not None:
        table.close()
    wanted, known = _to_solve(rules, position)
    try:
        plan = plan_of(
            Request.of(
                rules,
                part=wanted,
                known=known,
                certify=known is not None and known.header.error is not None,
                threads=threads,
                memory=memory,
            )
        )
        solved = 0 if known is None else known.part.n_positions
        say(
            f"solving {counted(wanted.n_positions - solved, 'position')} that "
            f"{position.notation!r} can lead to, of {wanted.space.n_positions:,}, into {plan.path}"
        )
        run(plan, counts_for(progress))
    finally:
        if known is not None:
            known.close()
    return TableFile(plan.path)


def _to_solve(rules: RuleSet, position: Position) -> tuple[Part, TableFile | None]:
    """The part to solve, and the table there, whose blocks it includes."""
    space = space_of(rules)
    rank = space.rank(position)
    ends = [block.offset + block.size for block in space.blocks]
    wanted = part_from(space, [bisect.bisect_right(ends, rank)])
    known = _kept(rules, new_table_path(rules, part=wanted))
    if known is not None:
        wanted = part_from(space, [*wanted.indices, *known.part.indices])
    return wanted, known


def _kept(rules: RuleSet, path: pathlib.Path) -> TableFile | None:
    """The table at a path, to which positions are added; None if there is none.

    OutputError if it cannot be extended.
    """
    if not os.path.lexists(path):
        return None
    remedy = f"'ur tables remove {path}' removes it"
    try:
        table = TableFile(path)
    except UrError as error:
        raise OutputError(f"{error}; {remedy}") from None
    header = table.header
    if (
        is_made_for(rules, header.rules)
        and header.value_type == "float64"
        and header.tolerance <= default_tolerance(DOUBLE)
    ):
        return table
    table.close()
    raise OutputError(
        f"{str(path)!r} holds {header.rules.title} as {header.value_type}, tolerance "
        f"{header.tolerance:.3g}, and cannot be extended; {remedy}"
    )
