"""Compute what the reference players lose, and keep it in ur_solver/audit/references.json.

    python scripts/make_references.py finkel:1 finkel:2 ...

Solves what is missing among the tables, and adds to what the file holds.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import ur_solver as ur
from ur_solver.audit.games import REFERENCE_GAMES, reference_key, reference_losses

KEPT = Path(__file__).resolve().parent.parent / "ur_solver" / "audit" / "references.json"


def main(words: list[str]) -> None:
    for word in words:
        with ur.solve(word) as table:
            losses = reference_losses(table, REFERENCE_GAMES)
            key = reference_key(table.rules, REFERENCE_GAMES)
        kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
        kept[key] = losses
        KEPT.write_text(json.dumps(dict(sorted(kept.items())), indent=1) + "\n")
        print(key, *(f"{name} {100 * loss:.2f}" for name, loss in losses.items()), flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit(__doc__)
    main(sys.argv[1:])
