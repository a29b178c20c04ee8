"""A whole space solved, its values as one array, and compared with the readable rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pytest

from ur_solver import engine
from ur_solver.blocks import BlockRecord
from ur_solver.engine import BlockResult, MemoryStore, ThreadRunner
from ur_solver.kernel import Kernel, Values
from ur_solver.rules import Position
from ur_solver.rules.turns import evaluate
from ur_solver.space import Space


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
        block = space.blocks[result.index]
        values[block.offset : block.offset + block.size] = result.values
        return result

    def tell(record: BlockRecord) -> None:
        result = BlockResult.of(record, store.values_of(record.index))
        on_block(keep(result))

    for result in finished:
        store.put(keep(result))
        earlier.append(result.index)
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
