"""Duels: games of two players in pairs, with the same throws and the sides exchanged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ur_solver.common.progress import Progress
from ur_solver.common.text import whole_number
from ur_solver.errors import InputError
from ur_solver.players.player import Asked, Player
from ur_solver.players.policies import Policy
from ur_solver.players.program import Decision
from ur_solver.rules import FREE_THROW, LIGHT, Position, RuleSet
from ur_solver.rules.game import Move, legal_moves
from ur_solver.rules.turns import turn
from ur_solver.space import space_of
from ur_solver.study.estimates import IntervalEstimate, mean_of
from ur_solver.study.match import MAX_THROWS


class Duellist(Protocol):
    """A player of whole games, such as `ur_solver.players.program.Program`."""

    def new_game(self, rules: str) -> None:
        """Hear that a game begins."""

    def decide(self, decision: Decision) -> int:
        """The index of the option to take."""


class PolicyDuellist:
    """A policy as a player of whole games.

    Parameters
    ----------
    rules : RuleSet
    policy : Policy
    seed : int
        Of its random choices.
    """

    def __init__(self, rules: RuleSet, policy: Policy, seed: int) -> None:
        self._player, self._space = Player(rules, policy), space_of(rules)
        self._rng = np.random.default_rng(seed)

    def new_game(self, rules: str) -> None:
        """As `Duellist.new_game`."""

    def decide(self, decision: Decision) -> int:
        """As `Duellist.decide`."""
        row = list(self._space.encode(decision.position))
        state = np.array(row, dtype=self._space.state_dtype).tobytes()
        (chosen,) = self._player.choose([Asked(state, decision.throw, decision.choice)], self._rng)
        return chosen


@dataclass(frozen=True)
class Duel:
    """The result of a duel.

    Attributes
    ----------
    share : IntervalEstimate
        The share of games that the first player wins, half of which it begins; games that are not
        finished count half. The interval is that of the mean over pairs.
    games, unfinished : int
    throws : float
        In a game, on average.
    """

    share: IntervalEstimate
    games: int
    unfinished: int
    throws: float

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "share": self.share.to_json(),
            "games": self.games,
            "unfinished": self.unfinished,
            "throws": self.throws,
        }


def duel(
    rules: RuleSet,
    first: Duellist,
    second: Duellist,
    games: int,
    *,
    seed: int = 1,
    progress: Progress | None = None,
) -> Duel:
    """Let two players play pairs of games: the same throws, with the sides exchanged.

    Parameters
    ----------
    rules : RuleSet
    first, second : Duellist
    games : int
        An even number.
    seed : int
        Of the dice: the throws of a pair depend on it and on the pair's number alone.
    progress : callable, optional
        Called with the games done and their total.

    Raises
    ------
    InputError
        If the number of games or the seed is invalid, or a program fails (`Program`).
    """
    whole_number("seed", seed)
    if whole_number("games", games, 2) % 2:
        raise InputError(f"games {games}: expected an even number, as they are played in pairs")
    results, throws, unfinished = np.zeros((games // 2, 2)), 0, 0
    for pair, begins in np.ndindex(results.shape):
        players = (first, second) if begins == 0 else (second, first)
        light_won, n_throws = _game(rules, players, np.random.default_rng([seed, pair]))
        results[pair, begins] = 0.5 if light_won is None else light_won == (begins == 0)
        throws += n_throws
        unfinished += light_won is None
        if progress is not None:
            progress(2 * pair + begins + 1, games)
    return Duel(mean_of(results.mean(axis=1)), games, unfinished, throws / games)


def _game(
    rules: RuleSet, players: tuple[Duellist, Duellist], rng: np.random.Generator
) -> tuple[bool | None, int]:
    """Whether light has won, None if the game is not finished; and the number of throws."""
    for player in players:
        player.new_game(rules.word)
    position, given = rules.start(), rules.mechanics.opening_throw
    for n_throws in range(MAX_THROWS):
        if position.winner is not None:
            return position.winner == LIGHT, n_throws
        player = players[position.side != LIGHT]
        chance = rng.random()  # one for each throw, whatever is decided
        if given is not None and n_throws == 0:
            throw, choice, moves = given, FREE_THROW, tuple(legal_moves(position, given))
        else:
            throw, choice, moves = _thrown(position, player, chance)
        if not moves:
            position = position.pass_turn()
            continue
        asked = Decision(position, throw, choice, tuple(move.text for move in moves))
        position = moves[player.decide(asked) if len(moves) > 1 else 0].position
    return None, MAX_THROWS


def _thrown(
    position: Position, player: Duellist, chance: float
) -> tuple[int, str, tuple[Move, ...]]:
    """The throw that moves a piece, the choice before them, and the legal moves."""
    choices = turn(position)
    names = tuple(choice.name for choice in choices)
    asked = Decision(position, None, FREE_THROW, names)
    choice = choices[player.decide(asked) if len(choices) > 1 else 0]
    sums = np.cumsum([float(outcome.probability) for outcome in choice.outcomes[:-1]])
    outcome = choice.outcomes[int(np.searchsorted(sums, chance, side="right"))]
    return outcome.throws[-1], choice.name, outcome.moves
