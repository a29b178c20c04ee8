"""Write tests/data/perft.tsv: counts of move sequences and positions for every rule set.

    python scripts/make_perft.py > tests/data/perft.tsv

For each rule set of the catalogue, from the start and from one
position of a random game (its seed is the rule set's name). The counts come from the
readable moves in `ur_solver.rules.game`; compiled moves are tested against them.
"""

from __future__ import annotations

import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # the tests are not installed

from tests.oracles.perft import perft  # noqa: E402
from ur_solver.rules import CATALOGUE, Position, RuleSet  # noqa: E402
from ur_solver.rules.turns import turn  # noqa: E402

DEPTHS = (1, 2, 3, 4)
PLIES = 60


def midgame(rules: RuleSet) -> Position:
    """A position some way into a random game that is not over."""
    dice = random.Random(rules.name)
    position = rules.start()
    for _ in range(PLIES):
        outcome = dice.choice(dice.choice(turn(position)).outcomes)
        reached = [move.position for move in outcome.moves] or [position.pass_turn()]
        following = dice.choice(reached)
        if following.winner is None:
            position = following
    return position


def main() -> None:
    """Print the table."""
    print("rule set\tposition\tdepth\tsequences\tpositions")
    for rules in CATALOGUE.values():
        for position in (rules.start(), midgame(rules)):
            for depth in DEPTHS:
                counts = perft(position, depth)
                if counts.n_positions > 20_000:
                    break
                text = position.notation
                print(rules.name, text, depth, *counts, sep="\t")
        print(rules.name, file=sys.stderr)


if __name__ == "__main__":
    main()
