"""The rounds of an opening by the values of the positions in which the game then begins."""

from __future__ import annotations

from dataclasses import dataclass

from ur_solver.errors import ThrowError
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


def source_of(rules: RuleSet, opening: Opening, marker: str | None) -> int:
    """The path index that both markers are on, by light's square; `HOME` without one.

    Raises
    ------
    ThrowError
        If no opening of these rules goes on from there.
    """
    if marker is None:
        return HOME
    sources, found = {HOME}, [HOME]
    while found:
        source = found.pop()
        follow = {
            each.then
            for throws in opening.throws
            for each in opening.rounds(source, throws)
            if each.position is None
        }
        found += follow - sources
        sources |= follow
    squares = {rules.path.light[source]: source for source in sorted(sources - {HOME})}
    if marker.upper() not in squares:
        known = ", ".join(squares) or "none, as there are no markers"
        raise ThrowError(
            f"an opening of {rules.name} does not go on from {marker!r:.40}; the squares of "
            f"light's marker are {known}"
        )
    return squares[marker.upper()]


def evaluated_rounds(
    rules: RuleSet, value: Value, throws: tuple[int, ...], marker: str | None
) -> list[EvaluatedRound]:
    """What may come of a round, as `Answers.opening_rounds` says."""
    opening = known_opening(rules)
    source = source_of(rules, opening, marker)
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
