"""The states in which the first player throws first, in the games of a study."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ur_solver.answers.positions import states_from
from ur_solver.answers.values import Values, position_values
from ur_solver.moves import Rows, generator_of
from ur_solver.rules.openings import beginnings
from ur_solver.space import space_of


class FirstStates(NamedTuple):
    """States with light, the first player, to throw.

    Attributes
    ----------
    rows : unsigned, shape (states, state width)
    chances : float64, shape (states,)
        The probability of each.
    """

    rows: Rows
    chances: npt.NDArray[np.float64]

    def drawn(self, n: int, rng: np.random.Generator) -> Rows:
        """The rows of `n` games."""
        if len(self.rows) == 1:
            return np.tile(self.rows, (n, 1))
        found: Rows = self.rows[rng.choice(len(self.rows), n, p=self.chances)]
        return found


def first_states(values: Values) -> FirstStates:
    """The start; where both sides enter first, what two perfect players enter to.

    Parameters
    ----------
    values : Values
        By which a player chooses a square who may choose it.
    """
    rules, space = values.rules, space_of(values.rules)
    if not rules.mechanics.both_enter:
        return FirstStates(generator_of(rules).start(), np.ones(1))
    found = beginnings(rules, position_values(values))
    rows = states_from(space, [each.position for each in found]).rows
    return FirstStates(rows, np.array([each.probability for each in found]))
