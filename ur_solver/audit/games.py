"""Games between built-in players, their statistics, and the losses of the reference players.

These losses are constants of a rule set, computed once. The program contains those of some rule
sets (`references.json`, by scripts/make_references.py); others are kept in the user's cache.
"""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np

from ur_solver.answers.decisions import Values, position_values
from ur_solver.audit.audits import GameAudit
from ur_solver.audit.judge import audit_games
from ur_solver.blocks.stored import is_measure
from ur_solver.common.files import make_folder, write_file
from ur_solver.common.text import counted, json_text
from ur_solver.errors import OutputError
from ur_solver.players.policies import MAX_THROWS, PLAIN, Asked, Player, Policy, policy_of
from ur_solver.records import Ending, GameRecord, Replay
from ur_solver.rules import DARK, FREE_THROW, LIGHT, RuleSet, digest_of
from ur_solver.rules.game import by_every_name
from ur_solver.rules.openings import opening_of
from ur_solver.table.names import cache_folder, readable_name

_BATCH = 2000
"""The number of games played at a time; they take some 200 MB."""


def play_many(
    rules: RuleSet,
    light: Policy,
    dark: Policy,
    n_games: int,
    rng: np.random.Generator,
    metadata: dict[str, str] | None = None,
    entering: Values | None = None,
) -> Iterator[GameRecord]:
    """Games of two players from the start, with few of them in memory at a time.

    Light throws first, but for games that begin with an opening: `entering` are the values by which
    a player who may choose a square takes the best, where both sides enter a piece first; without
    them light throws first there, too. `rng` is for the dice and for the players' random choices,
    and `metadata` becomes that of every record.
    """
    players = {LIGHT: Player(rules, light), DARK: Player(rules, dark)}
    for first in range(0, n_games, _BATCH):
        replays = [Replay(rules) for _ in range(min(_BATCH, n_games - first))]
        if entering is not None and rules.mechanics.both_enter:
            _enter(replays, entering, rng)
        _play(replays, players, rng)
        for number, replay in enumerate(replays, start=first + 1):
            yield replay.finish(metadata=dict(metadata or {}), file="sample", number=number)


def _play(
    replays: Sequence[Replay], players: Mapping[str, Player], rng: np.random.Generator
) -> None:
    """Play some games to their ends, all at a time."""
    for _ in range(MAX_THROWS):
        going = [replay for replay in replays if replay.winner is None]
        if not going:
            break
        sides = [replay.side for replay in going]
        choices = [replay.choices() for replay in going]
        before = [Asked(replay.state) for replay in going]
        chosen = _chosen(before, choices, sides, players, rng)
        chances = rng.random(len(going)).tolist()
        after, rolls, moves = [], [], []
        for replay, offered, index, chance in zip(going, choices, chosen, chances, strict=True):
            choice = offered[index].name if offered else FREE_THROW
            roll = replay.rolls(choice).pick(chance)
            after.append(Asked(replay.state, roll.moves_by, choice))
            rolls.append(roll)
            moves.append(replay.legal(roll.throws, choice))
        played = _chosen(after, moves, sides, players, rng)
        for k, (roll, steps) in enumerate(zip(rolls, moves, strict=True)):
            going[k].take(roll.throws, steps, played[k], choices=choices[k], chosen=chosen[k])


def _enter(replays: Sequence[Replay], values: Values, rng: np.random.Generator) -> None:
    """Play the rounds of an opening, by the best squares, until each game has a first player."""
    opening, value = opening_of(values.rules), position_values(values)
    assert opening is not None
    for replay in replays:
        while not replay.opening or replay.is_opening:
            rounds = replay.rounds(opening.thrown(rng.random()))
            replay.open(opening.best(rounds, value))


def _chosen(
    asked: Sequence[Asked],
    options: Sequence[Sequence[object]],
    sides: Sequence[str],
    players: Mapping[str, Player],
    rng: np.random.Generator,
) -> list[int]:
    """The index of what each side chooses of its options; -1 where there is none."""
    chosen = [0 if each else -1 for each in options]
    for side, player in players.items():
        those = [k for k, each in enumerate(options) if len(each) > 1 and sides[k] == side]
        if those:
            taken = player.choose([asked[k] for k in those], rng)
            for k, index in zip(those, taken, strict=True):
                chosen[k] = index
    return chosen


@dataclass
class SampleStatistics:
    """Statistics of many games of two players; `add` adds a game.

    Wins, lengths and money are those of the games that were played to the end, the rest is that of
    all games, of both sides together.
    """

    games: int = 0
    finished: int = 0
    light_wins: int = 0
    plies: int = 0  # throws: in all games, in the shortest and in the longest
    shortest: int = 0
    longest: int = 0
    captures: int = 0
    extra_throws: int = 0  # moves that gave one
    passes: int = 0  # throws without a move
    fines: int = 0
    # winnings from the pots, minus fines; 0 without stakes
    light_money: int = 0
    squared_light_money: int = 0

    def add(self, record: GameRecord) -> None:
        """Add a game."""
        self.games += 1
        if record.ending is Ending.WON:
            length = len(record.plies)
            self.shortest = min(self.shortest, length) if self.finished else length
            self.longest = max(self.longest, length)
            self.finished += 1
            self.light_wins += record.winner == LIGHT
            self.plies += length
            if record.rules.payoff.has_fines:
                money = _light_money(record)
                self.light_money += money
                self.squared_light_money += money**2
        for ply in record.plies:
            step = ply.step
            self.captures += step is not None and step.is_capture
            self.extra_throws += step is not None and step.again
            self.passes += step is None
            self.fines += step is not None and step.cost > 0

    @property
    def light_share(self) -> float:
        """Light's share of the finished games."""
        return self.light_wins / max(self.finished, 1)

    @property
    def share_error(self) -> float:
        """The standard error of `light_share`."""
        share = self.light_share
        return float(np.sqrt(share * (1 - share) / max(self.finished, 1)))

    @property
    def mean_light_money(self) -> float:
        """Light's mean payoff in a finished game."""
        return self.light_money / max(self.finished, 1)

    @property
    def money_error(self) -> float:
        """The standard error of `mean_light_money`."""
        n = max(self.finished, 1)
        return float(np.sqrt(max(0.0, self.squared_light_money / n - self.mean_light_money**2) / n))

    @property
    def mean_length(self) -> float:
        """The mean number of throws in a finished game."""
        return self.plies / max(self.finished, 1)


def _light_money(record: GameRecord) -> int:
    """Light's winnings from the pot of a finished game, minus its fines."""
    steps = [(ply.side, ply.step) for ply in record.plies if ply.step is not None]
    paid = sum(step.cost for side, step in steps if side == LIGHT)
    return (steps[-1][1].total if record.winner == LIGHT else 0) - paid


def losses_per_choice(audits: Iterable[GameAudit]) -> np.ndarray:
    """The loss of every choice, float64, in win probability, or with stakes in money."""
    losses = (
        judged.loss
        for judged in chain.from_iterable(audit.plies for audit in audits)
        if judged.is_choice
    )
    return np.fromiter(losses, dtype=np.float64)


def reference_losses(values: Values, n_games: int, seed: int = 1) -> dict[str, float]:
    """The mean loss per choice of each player of `PLAIN` in games against itself.

    The games are judged by `values` and played by their rule set; losses are in win probability.
    """
    losses = {}
    for name in PLAIN:
        policy, rng = policy_of(name, values), np.random.default_rng(seed)
        records = play_many(values.rules, policy, policy, n_games, rng)
        found = losses_per_choice(audit_games(records, values))
        losses[name] = float(found.mean()) if len(found) else 0.0
    return losses


REFERENCE_GAMES = 100
"""The usual number of games of each reference player; those of finkel with seven pieces have some
6,000 choices, which gives a standard error of a few percent."""

_MAX_TOLERANCE = 1e-4
"""The losses by a table of a larger tolerance are its own, and not kept."""


def references_of(
    table: Values,
    games: int = REFERENCE_GAMES,
    *,
    digest: str = "",
    say: Callable[[str], object] = lambda _text: None,
) -> dict[str, float]:
    """The reference players' mean loss per choice by a table's rules, in win probability.

    Each of them plays `games` games. `digest` is that of an estimator, with its table of endings:
    what is kept by it is its own; losses by a table are known of some games. `say` is called with a
    sentence for people before games are played.
    """
    if table.tolerance > _MAX_TOLERANCE:
        return reference_losses(table, games)
    keys = [reference_key(each, games) for each in by_every_name(table.rules)]
    shipped = next(filter(None, map(shipped_references().get, keys)), None)
    if shipped is not None:
        return shipped
    path = cache_folder() / "references" / f"{'-'.join(filter(None, (keys[0], digest)))}.json"
    found = _read(path)
    if found is None:
        n_games = games * len(PLAIN)
        say(f"playing {counted(n_games, 'game')} of reference players, once for {table.rules.word}")
        found = reference_losses(table, games)
        _write(path, found)
    return found


def reference_key(rules: RuleSet, games: int) -> str:
    """The name under which losses are kept; it depends on the game and not on its name alone."""
    return f"{readable_name(rules)}-{games}-{digest_of(rules)}"


@lru_cache(maxsize=1)
def shipped_references() -> dict[str, dict[str, float]]:
    """The losses that come with the program, by `reference_key`."""
    text = pathlib.Path(__file__).with_name("references.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, float]] = json.loads(text)
    return found


def _read(path: pathlib.Path) -> dict[str, float] | None:
    """The losses kept at a path; None if the file is missing or invalid."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    is_sound = isinstance(found, dict) and found.keys() == {*PLAIN}
    are_losses = is_sound and all(isinstance(each, float) for each in found.values())
    return found if are_losses and is_measure([*found.values()]) else None


def _write(path: pathlib.Path, losses: dict[str, float]) -> None:
    """Keep losses, unless nothing can be written there: then they are computed again."""
    with suppress(OSError, OutputError):
        make_folder(path.parent)
        write_file(path, json_text(losses))
