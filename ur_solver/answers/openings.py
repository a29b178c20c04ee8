"""The rounds of an opening by the values of the positions in which the game then begins."""

from __future__ import annotations

from dataclasses import dataclass

from ur_solver.errors import ThrowError, WrongTypeError
from ur_solver.rules import HOME, LIGHT, RuleSet
from ur_solver.rules.openings import Opening, Round, chooser, opening_of
from ur_solver.rules.turns import Value


@dataclass(frozen=True, slots=True)
class EvaluatedRound:
    """What may come of a round of an opening, with its worth.

    Attributes
    ----------
    round : Round
    value : float
        To light: 1/2, or with stakes half the pot, where another round favours neither side.
    loss : float
        What the side that chooses loses by it; 0 for the best, and where there is no choice.
    """

    round: Round
    value: float
    loss: float


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

    Raises
    ------
    ThrowError
        If the opening does not go on from there.
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


def evaluated_rounds(
    rules: RuleSet, value: Value, throws: tuple[int, ...], marker: str | None
) -> list[EvaluatedRound]:
    """What may come of a round, as `Answers.opening_rounds` says."""
    opening = known_opening(rules)
    source = source_of(opening, marker)
    try:
        throws = tuple(throws)
    except TypeError:
        raise WrongTypeError(f"{throws!r:.40} is no round of throws, such as (1, 2)") from None
    if throws not in opening.throws:
        thrown = "-".join(map(str, throws))
        raise ThrowError(
            f"{thrown!r:.40} cannot be thrown in a round of the opening of {rules.name}"
        )
    rounds = opening.rounds(source, throws)
    sign = 1 if chooser(rounds) == LIGHT else -1
    worth = [opening.worth(each, value) for each in rounds]
    best = max(worth, key=lambda each: sign * each)
    found = [
        EvaluatedRound(each, of_it, abs(best - of_it))
        for each, of_it in zip(rounds, worth, strict=True)
    ]
    return sorted(found, key=lambda each: each.loss)
