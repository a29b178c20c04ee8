"""Count what a solve cannot avoid: updates, vectors, bytes; and the time they take at least.

    python scripts/count_floor.py finkel:7 --sweeps 30
    python scripts/count_floor.py finkel:7 --sweeps 30 --ghz 2.6 --gbytes 14.5

Moves are counted on random positions with the readable rules; shapes of tiles exactly.
Nothing is solved.
"""

from __future__ import annotations

import argparse

import numpy as np

from ur_solver.kernel._layout_tables import LANES
from ur_solver.kernel.tiling import Tiling
from ur_solver.rules import named_rules
from ur_solver.space import TileSpace

SAMPLE = 4000
LOADS_A_CYCLE, FLOATS_A_CYCLE = 2, 2
"""Vectors that a core can load, and combine. One of AVX-512 holds two of those counted here."""


def mean_moves(space: TileSpace) -> float:
    """Legal moves of a random position, over all throws but 0."""
    rng = np.random.default_rng(1)
    ranks = rng.integers(0, space.n_values, SAMPLE)
    states = space.unrank_states(ranks)
    found = 0
    for state in states:
        position = space.decode(state.tolist())
        found += sum(len(space.rules.legal_moves(position, n)) for n in space.rules.dice.throws)
    return found / SAMPLE


def tile_counts(space: TileSpace) -> tuple[int, int]:
    """Tiles of the whole space, and vectors in their F."""
    tiling = Tiling(space)
    tiles = vectors = 0
    for block in space.blocks:
        for half in block.halves:
            kinds = tiling.kinds(half.mine, half.theirs)
            tiles += int(kinds.tiles.sum())
            vectors += int(kinds.vectors.sum())
    return tiles, vectors


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("case", help="such as finkel:7")
    parser.add_argument("--sweeps", type=float, default=30.0, help="mean over positions")
    parser.add_argument("--rounds", type=int, default=2, help="updates in a sweep")
    parser.add_argument("--ghz", type=float, default=2.6)
    parser.add_argument("--gbytes", type=float, default=14.5, help="memory, a second")
    arguments = parser.parse_args()
    space = TileSpace(named_rules(arguments.case))
    n, moves = space.n_values, mean_moves(space)
    tiles, vectors = tile_counts(space)
    updates = n * arguments.sweeps * arguments.rounds
    # By vector: a load for every move and for the old value; a maximum for every move but
    # the first of a throw, a multiply-add for every throw, two for the delta.
    loads, floats = moves + 1, moves + 2
    cycles = max(loads / LOADS_A_CYCLE, floats / FLOATS_A_CYCLE)
    full, padded = n / LANES, float(vectors)
    turns = arguments.sweeps * arguments.rounds
    largest = max(block.size for block in space.blocks)
    print(f"positions                      {n:,}")
    print(f"tiles                          {tiles:,}")
    print(f"positions in a tile            {n / tiles:.1f}")
    print(f"lanes in use                   {n / (padded * LANES):.3f}")
    print(f"moves of a position            {moves:.2f}")
    print(f"updates                        {updates:.3g}")
    print(f"loads, other vector operations {loads:.1f}, {floats:.1f}")
    print(f"cycles by vector, at least     {cycles:.1f}")
    print(f"seconds, one core, full lanes  {turns * full * cycles / arguments.ghz / 1e9:.1f}")
    print(f"seconds, one core, tiles       {turns * padded * cycles / arguments.ghz / 1e9:.1f}")
    print(f"largest block, F and G, MB     {16 * largest / 1e6:.1f}")
    # F and G are read and written in every sweep.
    moved = 2 * 2 * 8 * padded * LANES * arguments.sweeps
    print(f"bytes, F and G from memory     {moved:.3g}")
    print(f"seconds for them, one core     {moved / arguments.gbytes / 1e9:.1f}")
    print(f"bytes of the table             {8 * n:.3g}")


if __name__ == "__main__":
    main()
