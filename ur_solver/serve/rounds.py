"""A round of an opening, unfolded for a page: all throws, and what may come of them."""

from __future__ import annotations

from ur_solver.answers.openings import known_opening, source_of
from ur_solver.records import round_text
from ur_solver.rules import DARK, HOME, SIDE_NAMES, Position
from ur_solver.rules.openings import Opening, Round, asked_of, chooser, level
from ur_solver.rules.svg import board_svg
from ur_solver.rules.turns import Value, total
from ur_solver.serve.unfold import THRESHOLDS, Json, ServedRules


def opening_values(source: ServedRules, marker: str | None, view: str | None) -> Json:
    """All throws of a round with their probabilities and outcomes, the best first.

    Values are to light, losses to the side that chooses; both are left out without a table.

    Parameters
    ----------
    source : ServedRules
    marker : str or None
        The square of light's marker; None before both enter.
    view : str or None
        The side on top of the drawing of the board; None for no drawing.

    Raises
    ------
    ThrowError
        If the rules have no rounds, or none that go on from there.
    """
    rules = source.rules
    opening = known_opening(rules)
    begin = source_of(opening, marker)
    answer: Json = {"marker": _square(source, begin)}
    value = _value(source, opening, begin)
    if value is not None:
        answer["value"] = opening.value(value)
    if view is not None:
        answer["svg"] = board_svg(level(rules, begin), view=view, is_named=True)
    throws = []
    for thrown, probability in opening.throws.items():
        rounds = opening.rounds(begin, thrown)
        side = chooser(rounds) if len(rounds) > 1 else None
        throws.append(
            {
                "throws": list(thrown),
                "probability": float(probability),
                "chooser": None if side is None else SIDE_NAMES[side],
                "outcomes": _outcomes(source, opening, rounds, side, value),
            }
        )
    return answer | {"throws": throws}


def _square(source: ServedRules, index: int) -> str | None:
    return None if index == HOME else source.rules.path.light[index]


def _value(source: ServedRules, opening: Opening, begin: int) -> Value | None:
    """The values of the positions that follow, asked for in one go; None without a table."""
    table = source.table
    if table is None:
        return None
    asked = asked_of(
        lambda value: [
            opening.value(value),
            *(
                opening.worth(each, value)
                for thrown in opening.throws
                for each in opening.rounds(begin, thrown)
            ),
        ]
    )
    known: dict[Position, float] = dict(zip(asked, table.values(asked).tolist(), strict=True))
    return known.__getitem__


def _outcomes(
    source: ServedRules,
    opening: Opening,
    rounds: tuple[Round, ...],
    side: str | None,
    value: Value | None,
) -> list[Json]:
    """What may come of a throw, the best first for the side that chooses."""
    found = []
    for each in rounds:
        outcome: Json = {
            "round": round_text(each),
            "move": None if side is None else each.text.split()[side == DARK],
            "marker": None if each.position else _square(source, each.then),
            "position": each.position.notation if each.position else None,
        }
        if value is not None:
            outcome["value"] = opening.worth(each, value)
        found.append(outcome)
    if value is None:
        return found
    whole = total(source.rules.start())
    best = (min if side == DARK else max)(outcome["value"] for outcome in found)
    for outcome in found:
        outcome["loss"] = abs(best - outcome["value"])
        is_choice = len(found) > 1
        outcome["mark"] = THRESHOLDS.mark_of(outcome["loss"] / (whole or 1)) if is_choice else None
    return sorted(found, key=lambda outcome: float(outcome["loss"]))
