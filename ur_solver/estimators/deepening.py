"""A search that stops when it is sure: deeper only where it is not, for what may be the best.

All moves are valued by a search of one ply. While one of them is too close to call, those that may
be the best are searched a ply deeper. A move whose interval lies wholly below the best's keeps the
value that it has.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import Values, Verdict, encoded, verdict_of
from ur_solver.answers.positions import PositionLike, position_from
from ur_solver.answers.query import Decision, EvaluatedMove, ThrowValue, decision
from ur_solver.common.text import real_number
from ur_solver.errors import InputError
from ur_solver.estimators import MOST_PLIES, Ended
from ur_solver.rules import Position, RuleSet


class SureDecision(NamedTuple):
    """A decision by a search that stops when it is sure.

    Attributes
    ----------
    decision : Decision
        Its moves have `plies`, how far the search looked that valued them, their own ply included.
        The position itself is valued as far ahead as the deepest of them.
    ended : tuple of Ended
        What ended the search of each of `decision.throws`.
    """

    decision: Decision
    ended: tuple[Ended, ...]


class _Known(Values):
    """Values by a search of 1 ply that has those of some states from deeper searches.

    `looking` gives values by a search of some plies.
    """

    rules: RuleSet
    are_exact = False

    def __init__(self, looking: Callable[[int], Values]) -> None:
        self._looking, self._first = looking, looking(1)
        self.rules = self._first.rules
        self._found: dict[bytes, tuple[float, float, int]] = {}

    def learn(self, positions: Sequence[Position], plies: int, is_late: Callable[[], bool]) -> bool:
        """Search some positions; return whether there was time for all, and forget them if not."""
        looking, found = self._looking(plies), {}
        for row in encoded(self.rules, positions):
            if is_late():
                return False
            state = row[np.newaxis]
            value = looking.state_values(state)
            margin = looking.state_margins(state, value)
            found[row.tobytes()] = float(value[0]), float(margin[0]), plies
        self._found |= found
        return True

    @property
    def most_plies(self) -> int:
        """How far the deepest of its searches looked."""
        return max((plies for _, _, plies in self._found.values()), default=1)

    def plies_of(self, position: Position) -> int:
        """How far the search looked that valued a position."""
        found = self._found.get(encoded(self.rules, [position]).tobytes())
        return 1 if found is None else found[2]

    @property
    def agreement(self) -> float:
        """That of the deepest of its searches."""
        return self._looking(self.most_plies).agreement

    def state_values(self, states: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """As `Values.state_values`."""
        return self._with_known(states, self._first.state_values(states), 0)

    def state_margins(
        self, states: npt.NDArray[Any], values: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """As `Values.state_margins`."""
        return self._with_known(states, self._first.state_margins(states, values), 1)

    def _with_known(
        self, states: npt.NDArray[Any], figures: npt.NDArray[np.float64], which: int
    ) -> npt.NDArray[np.float64]:
        for k, row in enumerate(np.ascontiguousarray(states)):
            if (found := self._found.get(row.tobytes())) is not None:
                figures[k] = found[which]
        return figures


def until_sure(
    values: Values,
    looking: Callable[[int], Values],
    position: PositionLike,
    choice: str | None = None,
    throws: tuple[int, ...] = (),
    *,
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
) -> SureDecision:
    """The decision of a position as `Estimator.until_sure` has it, by some clock.

    `looking` gives the same values by a search of some plies.
    """
    if not real_number("seconds", seconds) > 0:
        raise InputError(f"seconds {seconds!r:.40}: expected a number above 0")
    end = clock() + seconds
    here, known = position_from(values.rules, position), _Known(looking)

    def decided() -> Decision:
        return decision(known, here, choice, throws)

    def is_late() -> bool:
        return clock() > end

    found, has_time = decided(), True
    for plies in range(2, MOST_PLIES + 1):
        for throw in found.throws:
            if has_time and not _is_sure(throw, found.total):
                wanted = [each.move.position for each in _candidates(throw)]
                has_time = known.learn(wanted, plies, is_late)
        found = decided()
        if not has_time or all(_is_sure(throw, found.total) for throw in found.throws):
            break
    known.learn([here], known.most_plies, lambda: False)  # what luck is counted from
    found = decided()
    late = Ended.PLIES if has_time else Ended.SECONDS
    ended = tuple(Ended.SURE if _is_sure(each, found.total) else late for each in found.throws)
    return SureDecision(_with_plies(found, known)._replace(source=values), ended)


def _is_sure(throw: ThrowValue, total: float) -> bool:
    """Whether no move is too close to call."""
    verdicts = (verdict_of(each.loss, each.loss_error, total) for each in throw.options)
    return Verdict.CLOSE not in verdicts


def _candidates(throw: ThrowValue) -> list[EvaluatedMove]:
    """The moves that are estimates and whose intervals are not wholly below the best's."""
    best = throw.moves[0]
    return [each for each in throw.options if each.error and each.loss <= best.error + each.error]


def _with_plies(found: Decision, known: _Known) -> Decision:
    """The same with the plies of moves that are estimates."""

    def of(move: EvaluatedMove) -> EvaluatedMove:
        if not move.error:
            return move
        return move._replace(plies=known.plies_of(move.move.position))

    choices = tuple(
        choice._replace(
            throws=tuple(
                throw._replace(options=tuple(map(of, throw.options))) for throw in choice.throws
            )
        )
        for choice in found.choices
    )
    return found._replace(choices=choices)
