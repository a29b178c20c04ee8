"""The sample games, and games of our own by random moves."""

from pathlib import Path

import numpy as np

from ur_solver.records import GameRecord, Replay
from ur_solver.rules import RuleSet

GAMES = Path(__file__).parent / "data" / "games"
NAMES = sorted(path.stem for path in GAMES.glob("*.json"))


def random_game(rules: RuleSet, seed: int, max_plies: int = 10_000) -> GameRecord:
    """A game of random moves, cut off after `max_plies`."""
    rng = np.random.default_rng(seed)
    throws = rules.dice.throws
    chances = [float(rules.dice.probabilities[throw]) for throw in throws]
    replay = Replay(rules)
    while replay.winner is None and len(replay.plies) < max_plies:
        throw = int(rng.choice(throws, p=chances))
        steps = replay.legal(throw)
        replay.take(throw, steps, int(rng.integers(len(steps))) if steps else -1)
    return replay.finish()
