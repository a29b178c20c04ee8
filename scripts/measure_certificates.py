"""What certificates cost and prove: processor seconds of plain and of certified solves.

    python scripts/measure_certificates.py finkel:4 finkel:5

Prints a row of a Markdown table for each rule set. Nothing is written to disk.
"""

from __future__ import annotations

import sys
import time

from ur_solver.blocks.folder import BlockRecord
from ur_solver.engine.solve import solve
from ur_solver.rules import RuleSet, named_rules
from ur_solver.space import space_of

TOLERANCE = 1e-12


def measure(rules: RuleSet, certify: bool) -> tuple[float, float, float]:
    """Processor seconds, mean sweeps of a position, and the proven error or 0."""
    space = space_of(rules)
    sweeps, error = 0, 0.0

    def on_block(record: BlockRecord) -> None:
        nonlocal sweeps, error
        sweeps += record.sweeps * space.blocks[record.index].size
        error = max(error, record.error or 0.0)

    began = time.process_time()
    solve(space, tolerance=TOLERANCE, certify=certify, on_block=on_block)
    return time.process_time() - began, sweeps / space.n_values, error


def main() -> None:
    print("| rule set | plain | sweeps | certified | sweeps | ratio | proven error |")
    print("|---|---|---|---|---|---|---|")
    for word in sys.argv[1:] or ["finkel:4"]:
        rules = named_rules(word)
        plain, plain_sweeps, _ = measure(rules, certify=False)
        seconds, sweeps, error = measure(rules, certify=True)
        print(
            f"| {rules.name}, N = {rules.pieces} | {plain:.1f} s | {plain_sweeps:.1f} "
            f"| {seconds:.1f} s | {sweeps:.1f} | {seconds / plain:.2f} | {error:.3g} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
