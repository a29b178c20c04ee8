"""A policy in play: it chooses in games that are played throw by throw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ur_solver.moves import Rows, TurnBatch, _options, generator_of
from ur_solver.players.policies import Policy, Weights
from ur_solver.rules import FREE_THROW, RuleSet


class Asked(NamedTuple):
    """A decision of a player in a game: a choice before the throw, or a move.

    Attributes
    ----------
    state : bytes
        The encoded state, seen by the side that chooses.
    moves_by : int or None
        The throw that a piece is moved by; None before the throw.
    choice : str
        The choice made before the throw.
    """

    state: bytes
    moves_by: int | None = None
    choice: str = FREE_THROW


class Player:
    """Chooses by a policy, for many games at once, so a table is read once for all of them.

    Parameters
    ----------
    rules : RuleSet
    policy : Policy
    """

    def __init__(self, rules: RuleSet, policy: Policy) -> None:
        self.policy = policy
        self._generator = generator_of(rules)

    def choose(self, asked: Sequence[Asked], rng: np.random.Generator) -> list[int]:
        """For each choice the index of the option to take, in the order of `legal_moves`.

        Random numbers are drawn only if several options have a chance.
        """
        weights: list[Weights] = [np.ones(1)] * len(asked)
        for turns, numbers in self._turns(asked):
            parts = np.split(self.policy.weights(turns), turns.starts[1:-1])
            for number, part in zip(numbers.tolist(), parts, strict=True):
                weights[number] = part
        return _drawn(weights, rng)

    def _turns(self, asked: Sequence[Asked]) -> Iterator[tuple[TurnBatch, npt.NDArray[np.int64]]]:
        """Turns with the numbers of the choices that they are."""
        generator = self._generator
        is_before = np.array([each.moves_by is None for each in asked])
        before, after = np.flatnonzero(is_before), np.flatnonzero(~is_before)
        if len(before):
            rows = self._rows([asked[k] for k in before.tolist()])
            for choices, members in generator.by_choices(rows):
                yield generator.before_throw(rows[members], choices), before[members]
        if len(after):
            those = [asked[k] for k in after.tolist()]
            throws = [generator.throws.index(each.moves_by) for each in those]
            may = [generator.may(each.choice) for each in those]
            numbers = np.array(throws, dtype=np.int32), np.array(may, dtype=np.uint8)
            yield generator.successors(self._rows(those), *numbers), after

    def _rows(self, asked: Sequence[Asked]) -> Rows:
        states = b"".join(each.state for each in asked)
        return np.frombuffer(states, self._generator.space.state_dtype).reshape(len(asked), -1)


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
