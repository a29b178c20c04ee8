"""The sample games, games of random moves, and values without a table."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import Values
from ur_solver.moves import WIN, generator_of
from ur_solver.records import GameRecord, Replay, notation_of
from ur_solver.rules import CATALOGUE, FREE_THROW, RuleSet
from ur_solver.space import space_of

GAMES = Path(__file__).parent / "data" / "games"
RACES = [rules for rules in CATALOGUE.values() if rules.mechanics.has_race_turns()]
OWN_RULES = [rules for rules in CATALOGUE.values() if rules not in RACES]
NAMES = sorted(path.stem for path in GAMES.glob("*.json"))


def write_text(record: GameRecord, suffix: str) -> str:
    """A game in the notation of files with a suffix."""
    return notation_of(suffix).write(record)


def random_game(rules: RuleSet, seed: int, max_plies: int = 10_000) -> GameRecord:
    """A game of random moves, left unfinished after `max_plies`."""
    rng = np.random.default_rng(seed)
    replay = Replay(rules)
    while replay.winner is None and len(replay.plies) < max_plies:
        choices = replay.choices()
        chosen = int(rng.integers(len(choices))) if choices else -1
        choice = choices[chosen].name if choices else FREE_THROW
        throws = replay.rolls(choice).pick(rng.random()).throws
        steps = replay.legal(throws, choice)
        played = int(rng.integers(len(steps))) if steps else -1
        replay.take(throws, steps, played, choices=choices, chosen=chosen)
    return replay.finish()


def played_rows(rules: RuleSet, n: int, seed: int = 0) -> npt.NDArray[Any]:
    """Encoded states that random games come through, none twice, shape (n, state width)."""
    rng = np.random.default_rng(seed)
    generator = generator_of(rules)
    rows, seen, found = generator.start(200), set(), []
    while len(found) < n:
        for row in rows:
            if row.tobytes() not in seen:
                seen.add(row.tobytes())
                found.append(row)
        after = np.empty_like(rows)
        for choices, members in generator.by_choices(rows):
            for choice, part in zip(
                choices, np.array_split(rng.permutation(members), len(choices)), strict=True
            ):
                numbers, chances = zip(*choice.outcomes, strict=True)
                throws = rng.choice(numbers, len(part), p=np.array(chances) / sum(chances))
                may = np.full(len(part), choice.may, dtype=np.uint8)
                turns = generator.successors(rows[part], throws.astype(np.int32), may)
                picked = rng.integers(turns.starts[:-1], turns.starts[1:])
                is_won = turns.has(WIN)[picked]
                after[part] = np.where(is_won[:, None], generator.start(), turns.after[picked])
        rows = after
    return np.array(found[:n])


class HashValues(Values):
    """Meaningless values, a different number for every state, for rule sets of any size."""

    rules: RuleSet

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.n_calls = 0

    def state_values(self, states: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        self.n_calls += 1
        ranks = space_of(self.rules).rank_states(states)
        assert (ranks >= 0).all()
        mixed = ranks.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53
