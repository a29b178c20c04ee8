"""Tables made in one call; a whole space solved, and compared with the readable rules."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

from ur_solver.blocks.folder import BlockRecord, BlockResult
from ur_solver.common.progress import Progress
from ur_solver.engine import solve as engine
from ur_solver.engine.runners import ThreadRunner
from ur_solver.engine.store import MemoryStore
from ur_solver.kernel._workspace import HAS_OPENMP
from ur_solver.kernel.interface import Values
from ur_solver.kernel.kernels import Kernel
from ur_solver.rules import Position, RuleSet
from ur_solver.rules.turns import evaluate
from ur_solver.solving.execution import Event, Finished, counts_for, run
from ur_solver.solving.plan import Action, plan_of
from ur_solver.solving.request import Request
from ur_solver.space import Block, Space

needs_openmp = pytest.mark.skipif(
    not HAS_OPENMP, reason="built without OpenMP: one thread solves a block"
)


def block_of(space: Space, rank: int) -> Block:
    """The block that has a rank."""
    firsts = space.blocks.offset[:, 0]
    return space.blocks[int(np.searchsorted(firsts, rank, side="right")) - 1]


def make_table(
    rules: RuleSet,
    output: pathlib.Path,
    *,
    progress: Progress | None = None,
    events: list[Event] | None = None,
    **asked: Any,
) -> Finished:
    """Request, plan and run: what `ur solve` and `ur.solve` do, without a look at the action."""
    count, noted = counts_for(progress), [] if events is None else events

    def receive(event: Event) -> None:
        noted.append(event)
        count(event)

    return run(plan_of(Request.of(rules, output, **asked)), receive)


def is_present(output: pathlib.Path, rules: RuleSet, **asked: Any) -> bool:
    """Whether the table that is asked for is there already."""
    return plan_of(Request.of(rules, output, **asked)).action is Action.PRESENT


def solve(
    space: Space,
    *,
    tolerance: float,
    certify: bool = False,
    threads: int | None = None,
    kernel: Kernel | None = None,
    finished: Iterable[BlockResult] = (),
    on_block: Callable[[BlockResult], object] = lambda result: None,
) -> Values:
    """The values of all positions of a space, by rank; finished ones among them."""
    values = np.empty(space.n_values)
    store = MemoryStore()
    earlier = []

    def keep(result: BlockResult) -> BlockResult:
        block = space.blocks[result.record.index]
        values[block.offset : block.offset + block.size] = result.values
        return result

    def tell(record: BlockRecord) -> None:
        own = store.values_of(record.index)
        assert own is not None
        on_block(keep(BlockResult(record, own)))

    for result in finished:
        store.put(keep(result))
        earlier.append(result.record.index)
    engine.solve(
        space,
        tolerance=tolerance,
        certify=certify,
        kernel=kernel,
        runner=ThreadRunner(threads),
        store=store,
        finished=earlier,
        on_block=tell,
    )
    return values


def assert_as_the_rules_say(space: Space, values: Values, ranks: Iterable[int]) -> None:
    """Positions of some ranks are sound, and worth what the positions they lead to say."""

    def value(position: Position) -> float:
        if position.winner:
            return float(position.winner == position.side)
        return float(values[space.rank(position)])

    for rank in ranks:
        position = space.unrank(rank)
        assert not position.faults()
        assert space.rank(position) == rank
        text = f"{position.notation} {space.rules.path.light}"
        assert values[rank] == pytest.approx(evaluate(position, value), abs=1e-11), text
