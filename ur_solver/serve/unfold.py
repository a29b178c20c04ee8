"""An unfolded position: its choices, throws and moves, and their values.

Values belong to the side about to throw, those of moves to the side that moves; in [0, 1],
or money with stakes. Without a table the answers lack the values. Those of an estimator have
their errors: half the widths of their 95 % intervals.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from ur_solver.answers.decisions import Thresholds, states_of
from ur_solver.answers.query import exactness
from ur_solver.estimators.evaluator import Evaluator, position_values
from ur_solver.records import Step, stepper_of
from ur_solver.rules import FREE_THROW, HOME, SIDE_NAMES, Position, opponent
from ur_solver.rules.family import Roll
from ur_solver.rules.turns import total

Json = dict[str, Any]


class _Turn(NamedTuple):
    """A roll after a choice, with its moves and the row of its first value."""

    choice: str
    roll: Roll
    steps: tuple[Step, ...]
    row: int


class Unfolded:
    """A position with its turns, found once.

    Parameters
    ----------
    table : Table or Estimator or None
    position : Position
    """

    def __init__(self, table: Evaluator | None, position: Position) -> None:
        self.table, self.position = table, position
        self.rules, self.side = position.rules, position.side
        self.stepper = stepper_of(self.rules)
        self.state = self.stepper.encode(position)
        self.passed = self.stepper.flip(self.state)
        self._rows = [self.state, self.passed]
        self._turns = [] if position.winner else list(self._all_turns())

    def _all_turns(self) -> Iterator[_Turn]:
        stepper, state = self.stepper, self.state
        for choice in [choice.name for choice in stepper.choices(state)] or [FREE_THROW]:
            found: dict[int, tuple[tuple[Step, ...], int]] = {}
            for roll in stepper.rolls(state, choice):
                if roll.moves_by is None:
                    yield _Turn(choice, roll, (), 0)
                    continue
                if roll.moves_by not in found:
                    steps = stepper.steps(state, roll.moves_by, choice)
                    found[roll.moves_by] = steps, len(self._rows)
                    self._rows += (step.state for step in steps)
                yield _Turn(choice, roll, *found[roll.moves_by])

    @cached_property
    def total(self) -> int:
        """The sum of both sides' values."""
        return total(self.position)

    @cached_property
    def is_draw(self) -> bool:
        """Whether neither side can ever move again."""
        if self.position.winner or any(turn.steps for turn in self._turns):
            return False
        other = Unfolded(self.table, self.position.pass_turn())
        return not any(turn.steps for turn in other._turns)

    @cached_property
    def _values(self) -> list[float]:
        """The values of the position, of the pass and of all successors."""
        table = self.table
        assert table is not None
        if self.position.winner or self.is_draw:
            value = table.value(self.position)
            return [value, self.total - value]
        values: list[float] = table.state_values(states_of(self.rules, self._rows)).tolist()
        return values

    @cached_property
    def _margins(self) -> list[float]:
        """Half the widths of their intervals; 0 of those that are exact."""
        table = self.table
        if self.position.winner or self.is_draw or table is None or table.are_exact:
            return [0.0] * len(self._rows)
        values = np.array(self._values)
        margins: list[float] = table.state_margins(
            states_of(self.rules, self._rows), values
        ).tolist()
        return margins

    @property
    def value(self) -> float:
        """The position's."""
        return self._values[0]

    def answer(self) -> Json:
        """The values of the position, as in `ur query --json`, and its turns."""
        answer: Json = {"position": self.position.notation}
        table = self.table
        if table is not None:
            answer |= position_values(table, self.position, self.value)
        answer |= {
            "side": SIDE_NAMES[self.side],
            "winner": SIDE_NAMES[self.position.winner] if self.position.winner else None,
            "is_draw": self.is_draw,
            "total": self.total,
            "after_pass": self.stepper.notation(self.passed, opponent(self.side)),
        }
        turns = [self._turn_answer(turn) for turn in self._turns]
        if self._has_choices and table is not None:
            answer |= self._choices_answer(table, turns)
        return answer | {"throws": turns}

    def _choices_answer(self, table: Evaluator, turns: list[Json]) -> Json:
        """The choices before the throw, by their turns, which get their luck."""
        worth: dict[str, float] = {}
        margins: dict[str, float] = {}
        for each in turns:
            for sums, key in ((worth, "value"), (margins, "error")):
                name, chance = each["choice"], each["probability"]
                sums[name] = sums.get(name, 0.0) + chance * each.get(key, 0.0)
        best = max(worth, key=worth.__getitem__, default="")
        losses = {name: worth[best] - value for name, value in worth.items()}
        errors = {name: _comparison(margins, name, best) for name in worth}
        for each in turns:
            each["luck"] = each["value"] - worth[each["choice"]]
        answer = {
            "choices": {name: worth.get(name) for name in self._choice_names},
            "choice_marks": {
                name: self.mark(loss, len(worth), errors[name]) for name, loss in losses.items()
            },
        }
        if table.are_exact:
            return answer
        return answer | {"choice_errors": margins, "choice_loss_errors": errors}

    @cached_property
    def _choice_names(self) -> tuple[str, ...]:
        return self.rules.mechanics.choices(1, 1)

    @property
    def _has_choices(self) -> bool:
        return self._choice_names != (FREE_THROW,)

    def _turn_answer(self, turn: _Turn) -> Json:
        answer: Json = {"choice": turn.choice} if self._has_choices else {}
        throws = turn.roll.throws
        answer |= {
            "throw": throws[0] if len(throws) == 1 else list(throws),
            "probability": float(turn.roll.probability),
        }
        moves = [self._move_answer(step) for step in turn.steps]
        if self.table is not None:
            answer |= self._valued(turn.row, turn.steps, moves)
        return answer | {"moves": moves}

    def _valued(self, row: int, steps: Sequence[Step], moves: list[Json]) -> Json:
        """The value and luck of a turn; its moves get theirs, and are put in order."""
        table = self.table
        assert table is not None
        is_exact = table.are_exact
        has_chance = is_exact and "chance" in self.rules.payoff.figures
        for k, (move, step) in enumerate(zip(moves, steps, strict=True), start=row):
            move["value"] = step.worth(self._values[k])
            if has_chance:
                move["chance"] = self._chance(table, step)
            if not is_exact:
                move.update(exactness(table, self._margins[k]))
        best = max(moves, key=itemgetter("value"), default=None)
        value = self.total - self._values[1] if best is None else best["value"]
        margin = self._margins[1] if best is None else 0.0
        for move in moves:
            error = 0.0
            move["loss"] = value - move["value"]
            if best is not None and not is_exact:
                own = move.get("error", 0.0)
                error = 0.0 if move is best else math.hypot(best.get("error", 0.0), own)
                move["loss_error"] = error
                # as `ur_solver.answers.decisions` says
                margin = max(margin, own - move["loss"])
            move["mark"] = self.mark(move["loss"], len(moves), error)
        moves.sort(key=itemgetter("loss"))
        return {"value": value, "luck": value - self.value, **exactness(table, margin)}

    def _move_answer(self, step: Step) -> Json:
        stepper, path = self.stepper, self.rules.path.squares(self.side)
        answer: Json = {
            "move": stepper.text(self.side, step),
            "from": "home" if step.source == HOME else path[step.source],
            "to": "off" if step.target == len(path) else path[step.target],
            "again": step.again,
            "capture": step.is_capture,
            "position": stepper.notation(
                step.state, self.side if step.again else opponent(self.side)
            ),
        }
        return answer | {"cost": step.cost} if step.cost else answer

    def _chance(self, table: Evaluator, step: Step) -> float:
        chance = table.chance(
            self.stepper.position(step.state, self.side if step.again else opponent(self.side))
        )
        return chance if step.again else 1 - chance

    def mark(self, loss: float, n_options: int, error: float = 0.0) -> str | None:
        """The mark of a choice, by its loss as a share of both sides' values if it is sure."""
        if n_options < 2 or loss <= error:
            return None
        return THRESHOLDS.mark_of(loss / (self.total or 1))


def _comparison(margins: dict[str, float], name: str, best: str) -> float:
    """The error of what an option loses against the best one."""
    return 0.0 if name == best else math.hypot(margins[name], margins[best])


THRESHOLDS = Thresholds()
"""The usual ones."""
