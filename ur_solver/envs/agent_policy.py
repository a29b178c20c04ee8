"""An agent that was trained in the environments, as a policy that can be judged and play."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ur_solver.envs.actions import actions_of
from ur_solver.errors import InputError
from ur_solver.estimators.features import features_of
from ur_solver.moves import TurnBatch
from ur_solver.players.policies import Weights
from ur_solver.rules import RuleSet

Act = Callable[[npt.NDArray[np.float32], npt.NDArray[np.int8]], npt.ArrayLike]
"""The actions, shape (decisions,), for some observations, shape (decisions, features), and masks,
shape (decisions, actions)."""


class AgentPolicy:
    """The policy of an agent.

    Parameters
    ----------
    rules : RuleSet
    act : callable
        Gives the actions for many observations and masks, as `GameBatch` has them. It may be
        called from several threads at once.
    """

    def __init__(self, rules: RuleSet, act: Act) -> None:
        self._rules, self._act = rules, act
        self._actions, self._features = actions_of(rules), features_of(rules)

    def weights(self, turns: TurnBatch) -> Weights:
        """As `Policy.weights`.

        Raises
        ------
        InputError
            If the agent does not give one action for each decision, or one that is not legal.
        """
        weights = np.ones(len(turns.source))
        is_decision = turns.n_options > 1
        if not is_decision.any():
            return weights
        asked = turns.part(is_decision)
        options = self._actions.of(asked)
        masks = np.zeros((len(asked), len(self._actions)), dtype=np.int8)
        masks[asked.turn_of, options] = 1
        chosen = np.asarray(self._act(self._observations(asked), masks), dtype=np.int64)
        if chosen.shape != (len(asked),):
            raise InputError(
                f"an agent gave an array of shape {chosen.shape} for {len(asked)} decisions; "
                "expected one action for each"
            )
        is_action = (chosen >= 0) & (chosen < len(self._actions))
        is_legal = is_action & (masks[np.arange(len(asked)), np.where(is_action, chosen, 0)] == 1)
        if not is_legal.all():
            k = int(is_legal.argmin())
            raise InputError(
                f"an agent took action {chosen[k]}, which is not legal there; expected one of "
                f"{', '.join(map(str, np.flatnonzero(masks[k])))}"
            )
        weights[np.repeat(is_decision, turns.n_options)] = options == chosen[asked.turn_of]
        return weights

    def _observations(self, turns: TurnBatch) -> npt.NDArray[np.float32]:
        throws = np.arange(len(turns.generator.throws)) == turns.throws[:, np.newaxis]
        features = self._features.of(turns.rows)
        return np.concatenate([features, throws.astype(np.float32)], axis=1)
