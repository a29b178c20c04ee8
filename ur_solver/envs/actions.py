"""The actions of agents, numbered once for all decisions of a rule set.

An action is a piece that moves, named by where it stands: what the throw makes of it follows.
Where a throw lets a piece choose between squares (the jumps of ben), each of them in order is an
action, and where a side may end its turn or throw again, both are. The choices before the throw
come last. So finkel has 15 actions: a piece from home, and one from each of 14 squares.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ur_solver.moves import AGAIN, MoveGenerator, TurnBatch, generator_of
from ur_solver.rules import HOME, RuleSet


class Actions:
    """The actions of a rule set; `actions_of` gives the shared ones.

    Attributes
    ----------
    names : tuple of str
        What each moves: ``home``, or the square that the piece stands on, as light; with its number
        where pieces have numbers, ``l`` for a marked piece; then, where there are several, the
        number of the square among those that it reaches, and ``again``. Or a choice before the
        throw.
    steps, ends : int
        The actions of a piece: its squares, times the ways to end the move.
    step_of : int16, shape (movers, throws, path length + 1)
        Of a move: the number of its square among those of its piece and throw, -1 if it has none.
    choice_action : int32, shape (turn types, choices)
        The actions of the choices before the throw, -1 where there is none.
    """

    def __init__(self, generator: MoveGenerator) -> None:
        tables, path = generator.tables, generator.rules.path.light
        starts = tables.step_start
        self.steps = int(np.diff(starts, axis=1).max())
        self.ends = 2 if (tables.again == 3).any() else 1
        self.step_of = np.full((*np.diff(starts, axis=1).shape, len(path) + 1), -1, dtype=np.int16)
        for mover, throw in np.ndindex(self.step_of.shape[:2]):
            targets = tables.step_target[starts[mover, throw] : starts[mover, throw + 1]]
            self.step_of[mover, throw, targets] = np.arange(len(targets))
        words = [
            ("home" if source == HOME else path[source]) + _mark(piece)
            for piece, source in tables.movers
        ]
        names = [
            word + (f" {step + 1}" if self.steps > 1 else "") + (" again" if end else "")
            for word in words
            for step in range(self.steps)
            for end in range(self.ends)
        ]
        choices = [choice.name for kind in tables.types if len(kind) > 1 for choice in kind]
        known = list(dict.fromkeys(choices))
        self.choice_action = np.full((len(tables.types), 2), -1, dtype=np.int32)
        for number, kind in enumerate(tables.types):
            if len(kind) > 1:
                found = [len(names) + known.index(choice.name) for choice in kind]
                self.choice_action[number, : len(kind)] = found
        self.names = (*names, *known)
        self._first_choice = len(names)

    def __len__(self) -> int:
        return len(self.names)

    def of(self, turns: TurnBatch) -> npt.NDArray[np.int64]:
        """The action of each option of some turns, shape (options,); -1 for a pass."""
        if turns.choices is not None:
            choices = [
                self.names.index(choice.name, self._first_choice) for choice in turns.choices
            ]
            return np.tile(np.array(choices, dtype=np.int64), len(turns))
        mover = turns.mover.astype(np.int64)
        step = self.step_of[mover, turns.throws[turns.turn_of], turns.target]
        action = (mover * self.steps + step) * self.ends
        if self.ends > 1:
            action += turns.has(AGAIN)
        return np.where(mover < 0, -1, action)

    def number(self, mover: int, throw: int, target: int, is_again: bool) -> int:
        """The action of a move by its mover, its throw's number and its target's path index."""
        action = (mover * self.steps + int(self.step_of[mover, throw, target])) * self.ends
        return action + 1 if self.ends > 1 and is_again else action


def _mark(piece: str) -> str:
    """What distinguishes a piece from others on its square: its number, or that it is marked."""
    return piece[1:] and f":{piece[1:]}" if piece[0].isupper() else f":{piece}"


@lru_cache(maxsize=8)
def actions_of(rules: RuleSet) -> Actions:
    """The actions of a rule set, numbered once and shared."""
    return Actions(generator_of(rules))
