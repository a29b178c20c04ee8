"""Duels: games of two players in pairs, with the same throws and the sides exchanged.

A player may be a program of its own, by a line protocol over standard input and output.

The program is sent a line and, where that asks for something, answers with one:

    ur                                        -> ready NAME
    newgame RULES
    position P throw T moves M1, M2, ...      -> move M
    position P choices C1, C2, ...            -> choice C
    quit

P is a position in notation, in which the program is the side to throw. T is the throw that moves
a piece. The moves are the legal ones, as RGN writes them, in the order of `legal_moves`; choices
are those before the throw that some rule sets have. Only what leaves a choice is asked. A line
that begins with ``info`` is ignored, and gives no more time.
"""

from __future__ import annotations

import contextlib
import queue
import shlex
import threading
import time
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ur_solver.common.children import Child
from ur_solver.common.files import Closing
from ur_solver.common.progress import Progress
from ur_solver.common.text import whole_number
from ur_solver.errors import InputError
from ur_solver.players.policies import MAX_THROWS, PLAYERS, Asked, Player, Policy
from ur_solver.rules import FREE_THROW, LIGHT, Position, RuleSet
from ur_solver.rules.game import Move, legal_moves
from ur_solver.rules.turns import turn
from ur_solver.space import space_of
from ur_solver.study.estimates import UNKNOWN, IntervalEstimate, mean_of

_LEAVE = 1.0
"""Seconds that a program has to end after ``quit``."""

_MOST_LINE = 10_000
"""The longest line that is read; a longer one is cut, and so is no answer."""

_MOST_UNREAD = 100
"""The most lines that are kept until the program is asked again; the first is its answer."""


class Question(NamedTuple):
    """What a player of a whole game is asked.

    `throw` is the one that moves a piece, None before the throw; `choice` was made before it.
    `options` are legal moves, or choices before the throw.
    """

    position: Position
    throw: int | None
    choice: str
    options: tuple[str, ...]


class Program(Closing):
    """A running program that plays; it ends with the context, and what it has started with it.

    `command` is read as a shell would read it, without its expansions; `seconds`, which may be
    changed, is the time in which each answer must be complete; `name` is what the program calls
    itself. InputError if it cannot be started or does not answer; later, if it ends, takes too
    long, or answers anything but what it is asked.
    """

    def __init__(self, command: str, seconds: float = 10.0) -> None:
        self._command, self.seconds = command, seconds
        try:
            self._child = Child(shlex.split(command))
        except IndexError:
            raise InputError(f"player {command!r:.200} has no command to start") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(
                f"player {command!r:.200} is not built in ({', '.join(PLAYERS)}) and cannot be "
                f"started: {reason}"
            ) from None
        # nothing that the program does or leaves undone keeps this thread
        self._sent: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=each, daemon=True) for each in (self._read, self._write)
        ]
        for thread in self._threads:
            thread.start()
        try:
            self.name = self._asked("ur", "ready") or command
        except BaseException:
            self.close()
            raise

    def _read(self) -> None:
        assert self._child.process.stdout is not None
        is_begun = False
        with self._child.process.stdout as output:
            while piece := output.readline(_MOST_LINE):
                is_info = piece.split(maxsplit=1)[:1] == ["info"]
                if not (is_begun or is_info) and self._lines.qsize() < _MOST_UNREAD:
                    self._lines.put(piece)
                is_begun = not piece.endswith("\n")
        self._lines.put(None)

    def _write(self) -> None:
        pipe = self._child.process.stdin
        assert pipe is not None
        with contextlib.suppress(OSError):  # it has ended: the next answer is missing
            while (line := self._sent.get()) is not None:
                pipe.write(f"{line}\n")
                pipe.flush()
        with contextlib.suppress(OSError):
            pipe.close()

    def new_game(self, rules: str) -> None:
        """Tell the program that a game begins."""
        self._sent.put(f"newgame {rules}")

    def decide(self, decision: Question) -> int:
        """The index of the option that it takes."""
        notation, throw = decision.position.notation, decision.throw
        noun, ask = ("choice", "choices") if throw is None else ("move", f"throw {throw} moves")
        line = f"position {notation} {ask} {', '.join(decision.options)}"
        answer = self._asked(line, noun)
        if answer not in decision.options:
            raise InputError(
                f"player {self._command!r:.200}, asked '{line:.500}', answered "
                f"{f'{noun} {answer}'!r:.100}, which is none of these"
            )
        return decision.options.index(answer)

    def _asked(self, line: str, word: str) -> str:
        """The rest of the answer that begins with a word."""
        until = time.monotonic() + self.seconds
        self._sent.put(line)
        where = f"player {self._command!r:.200}, asked '{line:.500}',"
        try:
            answer = self._lines.get(timeout=self.seconds)
        except queue.Empty:
            raise InputError(f"{where} did not answer within {self.seconds:g} s") from None
        if answer is None:
            self._lines.put(None)
            code = self._child.exit_code(min(_LEAVE, max(0.0, until - time.monotonic())))
            how = "closed its output" if code is None else f"ended with exit code {code}"
            raise InputError(f"{where} {how} instead of answering")
        first, _, rest = answer.strip().partition(" ")
        if first != word:
            raise InputError(f"{where} answered {answer.strip()!r:.100}; expected '{word} ...'")
        return rest.strip()

    def close(self) -> None:
        """End the program, by force if it does not leave."""
        self._sent.put("quit")
        self._sent.put(None)
        self._child.end(_LEAVE)
        for thread in self._threads:
            thread.join(_LEAVE)


class Duellist(Protocol):
    """A player of whole games, such as `ur_solver.study.duel.Program`."""

    def new_game(self, rules: str) -> None:
        """Hear that a game begins."""

    def decide(self, decision: Question) -> int:
        """The index of the option to take."""


class PolicyDuellist:
    """A policy as a player of whole games; the seed is that of its random choices."""

    def __init__(self, rules: RuleSet, policy: Policy, seed: int) -> None:
        self._player, self._space = Player(rules, policy), space_of(rules)
        self._rng = np.random.default_rng(seed)

    def new_game(self, rules: str) -> None:
        """As `Duellist.new_game`."""

    def decide(self, decision: Question) -> int:
        """As `Duellist.decide`."""
        row = list(self._space.encode(decision.position))
        state = np.array(row, dtype=self._space.state_dtype).tobytes()
        (chosen,) = self._player.choose([Asked(state, decision.throw, decision.choice)], self._rng)
        return chosen


@dataclass(frozen=True)
class Duel:
    """The result of a duel.

    `share` is the share of games that the first player wins, half of which it begins; games that
    are not finished count half. Its interval is that of the mean over pairs. `throws` are those of
    a game, on average.
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

    `games` is an even number; the throws of a pair depend on the seed and on the pair's number
    alone. InputError if one of these is invalid, or a program fails (`Program`).
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
    return Duel(_share(results.mean(axis=1)), games, unfinished, throws / games)


def _share(pairs: npt.NDArray[np.float64]) -> IntervalEstimate:
    """The mean of the shares of pairs; its interval is one of shares, too.

    A single pair with a win each says nothing of it.
    """
    found = mean_of(pairs)
    if found is UNKNOWN:
        return IntervalEstimate(float(pairs[0]), 0.0, 1.0)
    return IntervalEstimate(found.value, max(0.0, found.low), min(1.0, found.high))


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
        asked = Question(position, throw, choice, tuple(move.text for move in moves))
        position = moves[player.decide(asked) if len(moves) > 1 else 0].position
    return None, MAX_THROWS


def _thrown(
    position: Position, player: Duellist, chance: float
) -> tuple[int, str, tuple[Move, ...]]:
    """The throw that moves a piece, the choice before them, and the legal moves."""
    choices = turn(position)
    names = tuple(choice.name for choice in choices)
    asked = Question(position, None, FREE_THROW, names)
    choice = choices[player.decide(asked) if len(choices) > 1 else 0]
    sums = np.cumsum([float(outcome.probability) for outcome in choice.outcomes[:-1]])
    outcome = choice.outcomes[int(np.searchsorted(sums, chance, side="right"))]
    return outcome.throws[-1], choice.name, outcome.moves
