"""What single precision saves and costs: bytes of the largest block, processor seconds, errors.

    python scripts/measure_precision.py casual:4 skiriuk:3

Prints a row of a Markdown table for each rule set. Nothing is written to disk.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from ur_solver.blocks.folder import BlockRecord
from ur_solver.engine.runners import ThreadRunner
from ur_solver.engine.solve import solve
from ur_solver.engine.store import MemoryStore
from ur_solver.kernel.interface import Values
from ur_solver.kernel.kernels import kernel_of
from ur_solver.rules import named_rules
from ur_solver.space import Space, space_of

TOLERANCE = 1e-5

HEAD = (
    "| rule set | bytes a position: double | single | certified: double | single "
    "| double, 1e-12 | double, 1e-5 | single | single, certified | furthest off | proven |"
)


def solved(
    space: Space, precision: str, tolerance: float, certify: bool = False
) -> tuple[Values, float, float]:
    """The values, the processor seconds of one thread, and the proven error or 0."""
    values, store, error = np.empty(space.n_values), MemoryStore(), 0.0

    def on_block(record: BlockRecord) -> None:
        nonlocal error
        block, own = space.blocks[record.index], store.values_of(record.index)
        assert own is not None
        values[block.offset : block.offset + block.size] = own
        error = max(error, record.error or 0.0)

    began = time.process_time()
    solve(
        space,
        tolerance=tolerance,
        certify=certify,
        kernel=kernel_of(space, precision),
        runner=ThreadRunner(1),
        store=store,
        on_block=on_block,
    )
    return values, time.process_time() - began, error


def main() -> None:
    print(HEAD)
    print("|---" * HEAD.count(" |") + "|")
    for word in sys.argv[1:] or ["casual:3"]:
        rules = named_rules(word)
        space = space_of(rules)
        block = max(space.blocks, key=lambda each: each.size)
        room = [
            # with the array that the values go to
            kernel_of(space, precision).workspace_bytes(block, certify=certify) / block.size + 8
            for certify in (False, True)
            for precision in ("double", "single")
        ]
        expected, *seconds = solved(space, "double", 1e-12)[:2]
        seconds.append(solved(space, "double", TOLERANCE)[1])
        found, single, _ = solved(space, "single", TOLERANCE)
        off = float(np.abs(found - expected).max())
        found, certified, error = solved(space, "single", TOLERANCE, certify=True)
        cells = [
            f"{rules.name}, N = {rules.pieces}",
            *(f"{each:.0f}" for each in room),
            *(f"{each:.1f} s" for each in (*seconds, single, certified)),
            *(f"{each:.1e}" for each in (off, error)),
        ]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
