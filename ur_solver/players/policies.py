"""Policies: the action in every turn, for many turns at once.

A policy has one method, `weights`, which returns the probability of each option of some turns. A
function of a position and its options also works (`policy_of`), and so does a name: one of
`PLAYERS`, or priorities joined by ``+`` such as ``capture+safe+furthest``.

A `Player` chooses by a policy in games that are played throw by throw. `policy_from` loads policies
of the user's own, from a Python file or an importable module.
"""

from __future__ import annotations

import importlib
import importlib.util
import pathlib
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import (
    Decisions,
    Ranked,
    Values,
    at_stake,
    decide,
    decide_thrown,
    states_of,
)
from ur_solver.common.copies import Unchanging
from ur_solver.errors import InputError, UrError
from ur_solver.moves import (
    AGAIN,
    CAPTURE,
    ROSETTE,
    WIN,
    MoveGenerator,
    Rows,
    TurnBatch,
    _options,
    generator_of,
)
from ur_solver.rules import FREE_THROW, HOME, Move, Position, RuleSet
from ur_solver.rules.game import legal_moves

MAX_THROWS = 5000
"""The throws after which a game stays unfinished. Bad players can play for very long."""

Weights = npt.NDArray[np.float64]
"""The probability of each option, shape (options,); they sum to 1 in every turn."""

Decide = Callable[[Position, Sequence[Move | str]], Move | str]
"""Chooses one of the options: legal moves, or in some rule sets the choices before the throw.

The deciding side is light in the position, and it is its turn."""


class Policy(Protocol):
    """The action in every turn."""

    def weights(self, turns: TurnBatch) -> Weights:
        """The probability of each option of some turns, float64, shape (options,)."""


PolicyLike = Policy | Decide | str
"""A policy, a function that decides, or a name."""


def first_best(scores: npt.NDArray[np.float64], turns: TurnBatch) -> Weights:
    """Weights that choose the first option with the highest score of each turn."""
    chosen = np.empty(len(turns), dtype=np.int64)
    _options.first_best(scores, turns.starts, chosen)
    weights = np.zeros(len(scores))
    weights[chosen] = 1
    return weights


def decision_turns(
    generator: MoveGenerator,
    rows: Rows,
    throws: npt.NDArray[np.int32],
    may: npt.NDArray[np.uint8],
) -> Iterator[tuple[TurnBatch, npt.NDArray[np.int64]]]:
    """Decisions of some states as turns, with the numbers of those in each batch.

    Where the number of the throw is -1, it is a choice before the throw. `may` is as for
    `MoveGenerator.successors`.
    """
    before, after = np.flatnonzero(throws < 0), np.flatnonzero(throws >= 0)
    if len(before):
        for choices, members in generator.by_choices(rows[before]):
            those = before[members]
            yield generator.before_throw(rows[those], choices), those
    if len(after):
        yield generator.successors(rows[after], throws[after], may[after]), after


class AnyMove:
    """Chooses any option, all with equal probability."""

    def weights(self, turns: TurnBatch) -> Weights:
        """As `Policy.weights`."""
        shares = np.ones(len(turns)) / turns.n_options
        return np.asarray(np.repeat(shares, turns.n_options), dtype=np.float64)


def _safe(turns: TurnBatch) -> npt.NDArray[np.float64]:
    if turns.choices is not None:
        return np.zeros(len(turns.source))
    threats = turns.after.copy()
    # a side that throws again is not captured now, but its piece is there when the turn ends
    again = turns.has(AGAIN)
    threats[again] = turns.generator.mirror(np.ascontiguousarray(threats[again]))
    risk = turns.generator.capture_chances(np.ascontiguousarray(threats))
    risk[turns.has(WIN)] = 0
    return np.asarray(-np.round(risk, 12), dtype=np.float64)


_SCORES: dict[str, tuple[str, Callable[[TurnBatch], npt.NDArray[np.float64]]]] = {
    "win": ("a move that wins", lambda turns: turns.has(WIN).astype(float)),
    "capture": ("a capture", lambda turns: turns.has(CAPTURE).astype(float)),
    "rosette": ("a landing on a rosette", lambda turns: turns.has(ROSETTE).astype(float)),
    "again": ("a move that gives another throw", lambda turns: turns.has(AGAIN).astype(float)),
    "safe": ("the least chance of being captured by the next throw", _safe),
    "off": (
        "bearing off",
        lambda turns: (turns.target == len(turns.generator.rules.path)).astype(float),
    ),
    "enter": ("entering a piece", lambda turns: (turns.source == HOME).astype(float)),
    "furthest": ("the move that ends furthest on", lambda turns: turns.target.astype(float)),
    "rearmost": ("the rearmost piece", lambda turns: -turns.source.astype(float)),
}
"""The priorities of policies: in words, and as scores of options."""

PRIORITIES = {name: words for name, (words, _) in _SCORES.items()}
"""The priorities of policies, in words."""


class Priorities:
    """Chooses by its first priority; the next ones, of `PRIORITIES`, break ties in order.

    Of options that are equal by all of them it takes any, or with `takes_first` the first, which
    moves the rearmost piece.
    """

    def __init__(self, order: Sequence[str], *, takes_first: bool = False) -> None:
        self.order = tuple(order)
        self.takes_first = takes_first

    def __repr__(self) -> str:
        return f"Priorities({'+'.join(self.order)})"

    def weights(self, turns: TurnBatch) -> Weights:
        """As `Policy.weights`."""
        starts = turns.starts[:-1]
        alive = np.ones(len(turns.source), dtype=bool)
        for name in self.order:
            _, score = _SCORES[name]
            preferred = np.where(alive, score(turns), -np.inf)
            best = np.maximum.reduceat(preferred, starts) if len(starts) else preferred
            alive &= preferred == np.repeat(best, turns.n_options)
        if self.takes_first:
            return first_best(alive.astype(float), turns)
        left = np.add.reduceat(alive, starts, dtype=np.int64) if len(starts) else alive
        return np.asarray(alive / np.repeat(left, turns.n_options))


class TablePolicy(Unchanging):
    """Plays by a table: chooses the best option, or errs sometimes.

    An option that loses as much as the `temperature` is chosen 1/e times as often as the best; with
    stakes, it is a share of the pot. 0 chooses the best, of equals the first; options that are
    worse than the best by no more than `tie` count as equal to it. `others` are the values of
    states in which the other side throws, if they differ.
    """

    def __init__(
        self,
        values: Values,
        temperature: float = 0.0,
        others: Values | None = None,
        tie: float = 0.0,
    ) -> None:
        self.values = values
        self.others = others
        self.temperature = temperature
        self.tie = tie
        self.generator = generator_of(values.rules)

    def decide(self, turns: TurnBatch) -> Decisions:
        """The decisions of some turns, before or after the throw."""
        if turns.choices is not None:
            return decide(self.values, turns.rows, self.others)
        return decide_thrown(self.values, turns, self.others)

    def ranked(self, turns: TurnBatch) -> Ranked:
        """The options of each turn, with their worth to the side that chooses."""
        return options_of(self.decide(turns), turns)

    def weights(self, turns: TurnBatch) -> Weights:
        """As `Policy.weights`."""
        found = self.decide(turns)
        options = options_of(found, turns)
        if self.temperature == 0:
            scores = (options.loss <= self.tie).astype(float) if self.tie else options.worth
            return first_best(scores, turns)
        whole = at_stake(found.total).repeat(turns.n_options)
        weights = np.exp(-options.loss / (self.temperature * whole))
        sums = np.add.reduceat(weights, turns.starts[:-1])
        return np.asarray(weights / sums[turns.turn_of])


def options_of(decisions: Decisions, turns: TurnBatch) -> Ranked:
    """What is decided in some turns: choices before the throw, or moves."""
    return decisions.options if turns.choices is None else decisions.choices


class Decided:
    """The policy of a function (`Decide`), called turn by turn, by the readable rules: slow."""

    def __init__(self, decide: Decide) -> None:
        self.decide = decide

    def weights(self, turns: TurnBatch) -> Weights:
        """As `Policy.weights`."""
        weights = np.zeros(len(turns.source))
        for k, (row, start) in enumerate(zip(turns.rows, turns.starts[:-1], strict=True)):
            position = turns.generator.position(row)
            options = self._options(turns, k, position)
            chosen = self.decide(position, options) if len(options) > 1 else options[0]
            if chosen not in options:
                raise InputError(
                    f"a policy decided on {chosen!r} in {position.notation!r}, which is none of "
                    f"its options: {', '.join(map(str, options))}"
                )
            weights[start + options.index(chosen)] = 1
        return weights

    def _options(self, turns: TurnBatch, k: int, position: Position) -> list[Move | str]:
        if turns.choices is not None:
            return [choice.name for choice in turns.choices]
        throw = int(turns.throws[k])
        if throw < 0:
            return ["pass"]
        for choice in turns.generator.by_choices(turns.rows[k : k + 1])[0][0]:
            if choice.may == turns.may[k]:
                moves = legal_moves(position, turns.generator.throws[throw], choice.name)
                return [*moves] if moves else ["pass"]
        raise AssertionError("no choice lets these pieces move")


TEMPERATURES = {"table": 0.0, "strong": 0.005, "medium": 0.02, "weak": 0.06}
"""Players by a table, with their temperatures (`TablePolicy`); ``table`` does not err."""

ORDERS: dict[str, tuple[str, ...]] = {
    "first": ("rearmost",),
    "greedy": ("win", "capture", "again", "furthest"),
}
"""Named orders of priorities."""

PLAIN = ("random", *ORDERS)
"""Players without a table. ``random`` takes any move; ``first`` moves the rearmost piece, and
enters one if it can; ``greedy`` prefers to win, then to capture, then an extra throw, then to move
the foremost piece."""

PLAYERS = (*TEMPERATURES, *PLAIN)
"""The names of all built-in players."""


def policy_of(what: PolicyLike, values: Values | None) -> Policy:
    """The policy of a name, a function or a policy.

    Parameters
    ----------
    what : Policy, function or str
        A policy stays as it is; a function decides turn by turn (`Decide`); a name is one of
        `PLAYERS` or of `PRIORITIES`, or several of those joined by ``+``.
    values : Values or None
        Of the table that ``table`` and those that err play by; the others need none.

    Raises
    ------
    InputError
        If there is no policy of that name, or it needs a table and there is none.
    """
    if not isinstance(what, str):
        return what if hasattr(what, "weights") else Decided(what)
    if what in TEMPERATURES:
        if values is None:
            raise InputError(
                f"player {what!r} plays by a table, and none is given; {', '.join(PLAIN)} need none"
            )
        return TablePolicy(values, TEMPERATURES[what])
    if what == "random":
        return AnyMove()
    if what in ORDERS:
        return Priorities(ORDERS[what], takes_first=True)
    order = tuple(what.split("+"))
    unknown = [name for name in order if name not in PRIORITIES]
    if unknown:
        raise InputError(
            f"policy {what!r:.100}: unknown part {unknown[0]!r:.50}; expected one of "
            f"{', '.join(PLAYERS)}, or priorities joined by '+': {', '.join(PRIORITIES)}"
        )
    return Priorities(order)


class Asked(NamedTuple):
    """A decision of a player in a game: a choice before the throw, or a move.

    `state` is encoded, seen by the side that chooses; `moves_by` is the throw that a piece is moved
    by, None before the throw; `choice` was made before the throw.
    """

    state: bytes
    moves_by: int | None = None
    choice: str = FREE_THROW


class Player:
    """Chooses by a policy, for many games at once, so a table is read once for all of them."""

    def __init__(self, rules: RuleSet, policy: Policy) -> None:
        self.policy = policy
        self._generator = generator_of(rules)

    def choose(self, asked: Sequence[Asked], rng: np.random.Generator) -> list[int]:
        """For each choice the index of the option to take, in the order of `legal_moves`.

        Random numbers are drawn only if several options have a chance.
        """
        generator = self._generator
        throws = [
            -1 if each.moves_by is None else generator.throws.index(each.moves_by) for each in asked
        ]
        may = [generator.may(each.choice) for each in asked]
        rows = states_of(generator.rules, [each.state for each in asked])
        weights: list[Weights] = [np.ones(1)] * len(asked)
        for turns, numbers in decision_turns(
            generator, rows, np.array(throws, dtype=np.int32), np.array(may, dtype=np.uint8)
        ):
            parts = np.split(self.policy.weights(turns), turns.starts[1:-1])
            for number, part in zip(numbers.tolist(), parts, strict=True):
                weights[number] = part
        return _drawn(weights, rng)


def _drawn(weights: Sequence[Weights], rng: np.random.Generator) -> list[int]:
    """The chosen option of each turn: of equally likely ones any, by an integer."""
    likely = [np.flatnonzero(part) for part in weights]
    is_even = [
        bool((part[those] == part[those[0]]).all())
        for part, those in zip(weights, likely, strict=True)
    ]
    sizes = [len(those) if even else 1 for those, even in zip(likely, is_even, strict=True)]
    picked = rng.integers(sizes).tolist()
    chosen = [int(those[k]) for those, k in zip(likely, picked, strict=True)]
    uneven = [k for k, even in enumerate(is_even) if not even]
    if uneven:
        parts = [weights[k] for k in uneven]
        starts = np.cumsum([0, *map(len, parts)])
        found = np.empty(len(uneven), dtype=np.int64)
        _options.drawn(np.concatenate(parts), starts, rng.random(len(uneven)), found)
        for k, index in zip(uneven, (found - starts[:-1]).tolist(), strict=True):
            chosen[k] = index
    return chosen


NAME = "policy"
"""What a module's policy is called, unless another name is asked for."""


def policy_from(text: str, values: Values) -> Policy:
    """The policy that a text asks for, built in or of the user's own.

    The text is that of a built-in policy (`policy_of`), which plays by `values`; the path of a
    Python file, which ends in ``.py``; or the name of a module. The last two define `policy`, a
    function or an object with a method `weights`; a colon and a name ask for another
    (``agents.py:greedy``). InputError if there is none, or it cannot be loaded; and from `weights`,
    if it fails.
    """
    if text in PLAYERS or any(part in PRIORITIES for part in text.split("+")):
        return policy_of(text, values)
    place, colon, name = text.partition(":")
    module = _module(place)
    wanted = name if colon else NAME
    found = getattr(module, wanted, None)
    if not callable(found) and not hasattr(found, "weights"):
        raise InputError(
            f"{place!r:.200} has no policy {wanted!r:.50}: expected a function, or an object with "
            "a method 'weights'"
        )
    return _Guarded(text, found if hasattr(found, "weights") else Decided(found))


def _module(place: str) -> ModuleType:
    try:
        if not place.endswith(".py"):
            return importlib.import_module(place)
        if not pathlib.Path(place).is_file():
            raise InputError(f"policy: there is no file {place!r:.200}")
        spec = importlib.util.spec_from_file_location("ur_policy", place)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except UrError:
        raise
    except Exception as error:  # whatever is in the file
        raise InputError(
            f"policy {place!r:.200} is neither built in ({', '.join(PLAYERS)}, or priorities "
            f"joined by '+') nor a module that can be loaded: {type(error).__name__}: {error}"
        ) from error
    return module


class _Guarded:
    """A policy of the user's own, whose failures are sentences."""

    def __init__(self, name: str, policy: Policy) -> None:
        self._name, self._policy = name, policy

    def weights(self, turns: TurnBatch) -> Weights:
        """As `Policy.weights`."""
        try:
            weights = np.asarray(self._policy.weights(turns), dtype=np.float64)
        except UrError:
            raise
        except Exception as error:  # whatever it does
            raise InputError(
                f"policy {self._name!r:.200} has failed: {type(error).__name__}: {error}"
            ) from error
        if weights.shape != turns.source.shape:
            raise InputError(
                f"policy {self._name!r:.200}: weights of shape {weights.shape}; expected one for "
                f"each of {len(turns.source)} options"
            )
        sums = np.add.reduceat(weights, turns.starts[:-1])
        if not (weights >= 0).all() or not np.allclose(sums, 1):
            raise InputError(
                f"policy {self._name!r:.200}: the weights of a turn must be probabilities that sum "
                f"to 1; in one turn they sum to {sums[np.argmax(abs(sums - 1))]:.6g}"
            )
        return weights
