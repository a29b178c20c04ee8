"""The game for OpenSpiel, with throws as chance nodes; importing the module registers it.

Two-player, sequential, of perfect information. Only decisions are nodes of players: passes and
forced moves happen by themselves after the throw. The actions are `Actions`, the observations
those of all environments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel

from ur_solver.common.copies import Unchanging
from ur_solver.envs.game_batch import actions_of
from ur_solver.errors import InputError
from ur_solver.estimators.network import features_of
from ur_solver.moves import AGAIN, ROSETTE, WIN, generator_of
from ur_solver.moves.tables import PieceChoice
from ur_solver.players.policies import MAX_THROWS
from ur_solver.rules import DARK, LIGHT, RuleSet, named_rules

NAME = "python_royal_game_of_ur"

GAME_TYPE = pyspiel.GameType(
    short_name=NAME,
    long_name="Royal Game of Ur",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=False,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"rules": "finkel", "most_throws": MAX_THROWS},
)


class _Shared(Unchanging):
    """What all states of a game share; copies of a state do not copy it."""

    def __init__(self, rules: RuleSet, most_throws: int) -> None:
        self.rules, self.most_throws = rules, most_throws
        self.generator = generator_of(rules)
        self.actions = actions_of(rules)
        self.features = features_of(rules)

    def __reduce__(self) -> tuple[type[_Shared], tuple[RuleSet, int]]:
        return _Shared, (self.rules, self.most_throws)

    def row(self, state: bytes) -> Any:
        """An encoded state as an array of one row."""
        return np.frombuffer(state, self.generator.space.state_dtype)[np.newaxis]

    def choices(self, state: bytes) -> tuple[PieceChoice, ...]:
        """The choices before the throw."""
        ((choices, _),) = self.generator.by_choices(self.row(state))
        return choices


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """The Royal Game of Ur in OpenSpiel.

    Parameters
    ----------
    params : dict, optional
        ``rules``, a rule set's name such as ``"finkel:3"`` or the path of its JSON file, and
        ``most_throws``, after which a game is a draw.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        params = params or {}
        rules = named_rules(params.get("rules", "finkel"))
        self.shared = _Shared(rules, params.get("most_throws", MAX_THROWS))
        payoff, most_throws = rules.payoff, self.shared.most_throws
        most = float(payoff.total(most_throws))
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.shared.actions),
            max_chance_outcomes=len(self.shared.generator.throws) + 1,
            num_players=2,
            min_utility=-most,
            max_utility=most,
            utility_sum=0.0,
            max_game_length=2 * most_throws,
        )
        super().__init__(GAME_TYPE, info, params)

    def new_initial_state(self) -> SpielState:
        """The start of a game."""
        return SpielState(self)

    def make_py_observer(
        self, _type: Any = None, _params: dict[str, Any] | None = None
    ) -> SpielObserver:
        """What reads observations from states."""
        return SpielObserver(self.shared)


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A state of a game: before a choice, before a throw, or before a move.

    `side` decides or throws, 0 for light; `throw` is the number of the throw, -1 before it.
    """

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.shared = game.shared
        generator = self.shared.generator
        self.row = generator.start()[0].tobytes()
        self.side, self.throw, self._length, self._net = 0, -1, 0, 0.0
        self._is_over = False
        self._choice: PieceChoice | None = None
        self._options: list[tuple[int, int, int, bytes]] = []
        if generator.opening is None:
            self._begin_turn()
        else:
            self._choice = self.shared.choices(self.row)[0]
            self._after_throw(generator.opening)

    def current_player(self) -> int:
        """0 for light, 1 for dark, or chance."""
        if self._is_over:
            return int(pyspiel.PlayerId.TERMINAL)
        if self._choice is not None and self.throw < 0:
            return int(pyspiel.PlayerId.CHANCE)
        return self.side

    def _legal_actions(self, _player: int) -> list[int]:
        if self.throw < 0:
            return sorted(self._choice_actions())
        return sorted(self._action_of(option) for option in self._options)

    def _choice_actions(self) -> list[int]:
        names = self.shared.actions.names
        return [names.index(choice.name) for choice in self.shared.choices(self.row)]

    def _action_of(self, option: tuple[int, int, int, bytes]) -> int:
        mover, target, flags, _ = option
        return self.shared.actions.number(mover, self.throw, target, bool(flags & AGAIN))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The throws with their probabilities; 0 for one that moves nothing."""
        assert self._choice is not None
        return [(number + 1, chance) for number, chance in self._choice.outcomes]

    def _apply_action(self, action: int) -> None:
        self._check(action)
        if self.is_chance_node():
            self._after_throw(action - 1)
        elif self.throw < 0:
            at = self._choice_actions().index(action)
            self._choice = self.shared.choices(self.row)[at]
        else:
            found = [each for each in self._options if self._action_of(each) == action]
            self._take(found[0])

    def _check(self, action: int) -> None:
        """Raise InputError unless an action is possible."""
        if self._is_over:
            raise InputError(f"action {action}: the game is over in {self}")
        if self.is_chance_node():
            possible = [number for number, _ in self.chance_outcomes()]
        else:
            possible = self._legal_actions(self.side)
        if action not in possible:
            raise InputError(
                f"action {action} is not legal in {self}; expected one of "
                f"{', '.join(map(str, possible))}"
            )

    def _begin_turn(self) -> None:
        choices = self.shared.choices(self.row)
        self.throw, self._options = -1, []
        self._choice = choices[0] if len(choices) == 1 else None

    def _after_throw(self, number: int) -> None:
        assert self._choice is not None
        compiled = self.shared.generator.compiled
        self._length += 1
        if self._length > self.shared.most_throws:
            self._is_over = True
            return
        options = [] if number < 0 else compiled.moves(self.row, number, self._choice.may)
        if len(options) > 1:
            self.throw, self._options = number, options
        elif options:
            self._take(options[0])
        else:
            self.row, self.side = compiled.mirror(self.row), 1 - self.side
            self._begin_turn()

    def _take(self, option: tuple[int, int, int, bytes]) -> None:
        _, _, flags, after = option
        payoff, sign = self.shared.rules.payoff, 1 - 2 * self.side
        self._net -= sign * payoff.cost(bool(flags & ROSETTE))
        if flags & WIN:
            fines = int(self.shared.row(self.row)[0, -1]) if payoff.has_fines else 0
            self._net += sign * payoff.total(fines)
            self._is_over = True
            return
        self.row = after
        self.side = self.side if flags & AGAIN else 1 - self.side
        self._begin_turn()

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            throws = self.shared.generator.throws
            return f"throw {throws[action - 1]}" if action else "throw that moves nothing"
        if self.throw < 0:
            return self.shared.actions.names[action]
        mover, target, flags, _ = next(
            each for each in self._options if self._action_of(each) == action
        )
        side = (LIGHT, DARK)[player]
        return self.shared.generator.text(side, mover, target, flags)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._is_over

    def returns(self) -> list[float]:
        """What light and dark have got: 1 and -1, or money."""
        net = self._net if self._is_over else 0.0
        return [net, -net]

    def __str__(self) -> str:
        position = self.shared.generator.position(self.shared.row(self.row)[0])
        notation = (position.mirror() if self.side else position).notation
        throw = self.shared.generator.throws[self.throw]
        return f"{notation} throw {throw}" if self.throw >= 0 else notation


class SpielObserver:
    """Reads an observation of a state, as `GameBatch.observations` has it."""

    def __init__(self, shared: _Shared) -> None:
        self._shared = shared
        n_features = len(shared.features)
        self.tensor = np.zeros(n_features + len(shared.generator.throws), np.float32)

    @property
    def dict(self) -> Mapping[str, npt.NDArray[np.float32]]:
        """The parts of `tensor`: ``features`` and ``throw``."""
        n_features = len(self._shared.features)
        return {"features": self.tensor[:n_features], "throw": self.tensor[n_features:]}

    def set_from(self, state: SpielState, player: int) -> None:
        """Read a state as a player sees it."""
        shared, row = self._shared, state.shared.row(state.row)
        own = row if player == state.side else shared.generator.mirror(row)
        parts = self.dict
        parts["features"][:] = shared.features.of(own)[0]
        parts["throw"][:] = 0
        if player == state.side and state.throw >= 0:
            parts["throw"][state.throw] = 1

    def string_from(self, state: SpielState, _player: int) -> str:
        """The position and the throw."""
        return str(state)


pyspiel.register_game(GAME_TYPE, SpielGame)
