"""Decisions a second of the environments against a random player, and of judging a policy.

python scripts/measure_envs.py finkel --games 8192 --seconds 5
python scripts/measure_envs.py finkel:5 --regret greedy
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import ur_solver as ur
from ur_solver.envs import GameBatch, policy_regret


def steps(word: str, games: int, seconds: float, threads: int) -> str:
    """Step games for some seconds by the first legal action; what it comes to."""
    batch = GameBatch(word, games, threads=threads)
    batch.begin(1)
    actions = np.zeros(games, dtype=np.int64)
    n_steps, own = 0, 0.0
    begun, used = time.perf_counter(), time.process_time()
    while time.perf_counter() < begun + seconds:
        before = time.process_time()
        np.argmax(batch.masks, axis=1, out=actions)
        own += time.process_time() - before
        batch.step(actions)
        n_steps += 1
    decisions = n_steps * games
    rate = decisions / (time.perf_counter() - begun)
    per_second = decisions / (time.process_time() - used - own)
    return f"{threads} threads: {rate:,.0f} a second, {per_second:,.0f} a second of a processor"


def main() -> None:
    """Measure, and print what is found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("word")
    parser.add_argument("--games", type=int, default=8192)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--regret", metavar="POLICY")
    given = parser.parse_args()
    if given.regret is None:
        for threads in (1, 2):
            print(steps(given.word, given.games, given.seconds, threads))
        return
    with ur.open_table(given.word) as table:
        table.load()
        begun, used = time.perf_counter(), time.process_time()
        found = policy_regret(table, given.regret)
        print(
            f"{found.decisions:,} decisions of {table.space.n_positions:,} positions in "
            f"{time.perf_counter() - begun:.0f} s, {time.process_time() - used:.0f} s of processors"
        )


if __name__ == "__main__":
    main()
