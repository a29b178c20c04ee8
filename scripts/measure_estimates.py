"""How far estimated times are off: for rule sets of the catalogue and of one's own.

    python scripts/measure_estimates.py

Each is estimated and then solved, in turn, with as many pieces as make some million positions. On a
machine that does other things too, both vary.
"""

from __future__ import annotations

import time

import ur_solver as ur
from ur_solver.engine.runners import ThreadRunner
from ur_solver.engine.solve import solve
from ur_solver.solving.costs import expected_seconds
from ur_solver.solving.request import Request
from ur_solver.space import space_of

MOST = 9_000_000

FINKEL = ur.rule_set("finkel")
SETS = [
    *(ur.rule_set(name) for name in ("finkel", "masters", "murray", "casual")),
    FINKEL.changed(path=ur.PATHS["murray-royalur"]),
    FINKEL.changed(path=ur.PATHS["murray-royalur"], safe_rosettes=False),
    FINKEL.changed(path=ur.PATHS["aseb"]),
    FINKEL.changed(dice=ur.DICE["d4"]),
    FINKEL.changed(safe_rosettes=False, extra_on_capture=True),
    FINKEL.changed(another_piece=True),
]


def main() -> None:
    print("estimated  solved  ratio  rule set")
    for rules in SETS:
        counts = [n for n in range(1, 8) if space_of(rules.with_pieces(n)).n_positions <= MOST]
        chosen = rules.with_pieces(counts[-1])
        expected = expected_seconds(Request.of(chosen))
        began = time.perf_counter()
        solve(space_of(chosen), tolerance=1e-12, runner=ThreadRunner())
        seconds = time.perf_counter() - began
        print(
            f"{expected:7.1f} s {seconds:6.1f} s {expected / seconds:6.2f}  {chosen.word}",
            flush=True,
        )


if __name__ == "__main__":
    main()
