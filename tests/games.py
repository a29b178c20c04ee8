"""The sample games, games of our own by random moves, and values without a table."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from ur_solver.records import GameRecord, Replay
from ur_solver.rules import CATALOGUE, RuleSet
from ur_solver.space import space_of

GAMES = Path(__file__).parent / "data" / "games"
RACES = [rules for rules in CATALOGUE.values() if rules.family == "race"]
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


class HashValues:
    """Meaningless values: a different number for every state, of rule sets of any size."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.n_calls = 0

    def state_values(self, states: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
        self.n_calls += 1
        ranks = space_of(self.rules).rank_states(states)
        assert (ranks >= 0).all()
        mixed = ranks.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53
