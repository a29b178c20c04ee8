"""The rounds of an opening, weighed by the values of the positions that games then begin in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from ur_solver.answers.decisions import Mark, Ranked, Values, encoded, mark_of, to_side
from ur_solver.errors import ThrowError, WrongTypeError
from ur_solver.rules import HOME, LIGHT, Position, RuleSet
from ur_solver.rules.openings import Opening, Round, asked_of, chooser, opening_of
from ur_solver.rules.turns import total

Estimates = Mapping[Position, tuple[float, float]]
"""The values of positions to the side to throw, and half the widths of their intervals."""


class EvaluatedRound(NamedTuple):
    """What may come of a round of an opening, with its worth.

    Attributes
    ----------
    round : Round
    value : float
        To light: 1/2, or with stakes half the pot, where another round favours neither side.
    loss : float
        What the side that chooses loses by it; 0 for the best, and where there is no choice.
    error, loss_error : float
        Half the widths of the 95 % intervals of `value` and `loss`; 0 of exact ones.
    mark : Mark or None
        Of a loss that is large and sure, where there is a choice.
    """

    round: Round
    value: float
    loss: float
    error: float = 0.0
    loss_error: float = 0.0
    mark: Mark | None = None


def known_opening(rules: RuleSet) -> Opening:
    """The rounds of a rule set; ThrowError if its first player is found without any."""
    opening = opening_of(rules)
    if opening is None:
        raise ThrowError(f"the lots of {rules.name} need no throws")
    return opening


def sources_of(opening: Opening) -> dict[str | None, int]:
    """The path indices that both markers may be on before a round, by light's square.

    `HOME` comes first, under None; the squares follow in the order of the path.
    """
    found, waiting = {HOME}, [HOME]
    while waiting:
        source = waiting.pop()
        follow = {
            each.then
            for throws in opening.throws
            for each in opening.rounds(source, throws)
            if each.position is None
        }
        waiting += follow - found
        found |= follow
    light = opening.rules.path.light
    return {None: HOME} | {light[source]: source for source in sorted(found - {HOME})}


def source_of(opening: Opening, marker: str | None) -> int:
    """The path index that both markers are on, by light's square; `HOME` without one.

    Raises ThrowError if the opening does not go on from there.
    """
    sources = sources_of(opening)
    square = marker.upper() if isinstance(marker, str) else marker
    if square not in sources:
        known = ", ".join(each for each in sources if each) or "none, as there are no markers"
        raise ThrowError(
            f"an opening of {opening.rules.name} cannot continue from {marker!r:.40}; the squares "
            f"of light's marker are {known}"
        )
    return sources[square]


def estimates_of(values: Values, positions: Iterable[Position]) -> Estimates:
    """The values of positions, asked for at once."""
    asked = list(dict.fromkeys(positions))
    if not asked:
        return {}
    rows = encoded(values.rules, asked)
    found = values.state_values(rows)
    margins = values.state_margins(rows, found)
    return dict(zip(asked, zip(found.tolist(), margins.tolist(), strict=True), strict=True))


def positions_of_rounds(opening: Opening, rounds: Iterable[Round]) -> tuple[Position, ...]:
    """The positions on whose values the worth of rounds depends."""
    return asked_of(lambda value: [opening.worth(each, value) for each in rounds])


def ranked_rounds(opening: Opening, rounds: tuple[Round, ...], known: Estimates) -> Ranked:
    """What may come of a round, as alternatives of the side that chooses, in one group."""
    side, whole = chooser(rounds), total(opening.rules.start())
    to_light = [opening.worth(each, lambda position: known[position][0]) for each in rounds]
    errors = [
        max((known[each][1] for each in positions_of_rounds(opening, [one])), default=0.0)
        for one in rounds
    ]
    worth = np.array([to_side(each, side == LIGHT, whole) for each in to_light])
    return Ranked(worth, np.array([0, len(rounds)]), lambda: np.array(errors))


def decide_rounds(values: Values, rounds: tuple[Round, ...]) -> Ranked:
    """The same, by the values of the positions that follow."""
    opening = known_opening(values.rules)
    known = estimates_of(values, positions_of_rounds(opening, rounds))
    return ranked_rounds(opening, rounds, known)


def evaluated_rounds(
    values: Values, throws: tuple[int, ...], marker: str | None
) -> list[EvaluatedRound]:
    """What may come of a round, as `Answers.opening_rounds` says."""
    opening = known_opening(values.rules)
    source = source_of(opening, marker)
    try:
        throws = tuple(throws)
    except TypeError:
        raise WrongTypeError(f"{throws!r:.40} is no round of throws, such as (1, 2)") from None
    if throws not in opening.throws:
        thrown = "-".join(map(str, throws))
        raise ThrowError(
            f"{thrown!r:.40} cannot be thrown in a round of the opening of {values.rules.name}"
        )
    rounds = opening.rounds(source, throws)
    side, whole, of = chooser(rounds), total(values.rules.start()), decide_rounds(values, rounds)
    columns = (each.tolist() for each in (of.worth, of.loss, of.error, of.loss_error))
    found = [
        EvaluatedRound(
            each,
            to_side(worth, side == LIGHT, whole),
            loss,
            error,
            loss_error,
            mark_of(loss, loss_error, whole, len(rounds)),
        )
        for each, worth, loss, error, loss_error in zip(rounds, *columns, strict=True)
    ]
    return sorted(found, key=lambda each: each.loss)
