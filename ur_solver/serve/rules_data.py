"""A rule set as data, by which a page without a server knows moves, positions and drawings.

There are no rules in the page: it looks moves up in the tables that the compiled generator uses
(`ur_solver.moves.tables`), and notations, faults and drawings in what is written here. The keys:

``version``
    `VERSION`.
``about``
    The rule set as the HTTP interface describes it (`rules_values`).
``contents``
    By square, in the order of `Board.squares`, what it may hold, by number.
``tables``
    Arrays of `MoveTables` as lists, by name.
``has_rests``
    Whether a piece ever rests.
``movers``
    Pieces and their path indices, as `MoveTables.movers`.
``types``
    By turn type its choices, each ``{"name", "may", "chances", "passes"}`` as
    `PieceChoice` has them.
``rolls``
    By choice and by the number of the piece that would enter, empty if pieces have
    none: ``[probability, throws, the throw that a piece is moved by or null]``.
``decision_marks``
    What follows a move where an extra throw may be declined: declined, and made.
``payoff``
    ``total``, what both sides' values sum to without fines; ``fine``, what a fine adds to
    it; ``cost``, what landing on a rosette costs; ``most_fines``, null without stakes.
``faults``
    By square: by sentence, the contents that cannot be there for that reason, each one
    piece more than a content that can.
``opening``
    The rounds by which the first player is found; null if there are none. ``share`` is the
    chance that light is the first player where it does not depend on where the game
    begins; ``rounds`` has, by the square of light's marker, empty before it enters, what
    `opening_values` says of a round without values, and the ``board`` as a position.
``rgn``
    `rgn_texts`.
``stacks``
    Squares on which the order of pieces matters.
``drawing``
    ``light`` and ``dark``, the side on top: `board_template`; ``sizes``: `board_sizes`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ur_solver.answers.openings import sources_of
from ur_solver.moves import generator_of
from ur_solver.records.rgn import rgn_texts
from ur_solver.rules import DARK, LIGHT, SIDE_NAMES, Position, RuleSet
from ur_solver.rules.contents import awake, split
from ur_solver.rules.notation import MAX_FINES
from ur_solver.rules.openings import level, opening_of
from ur_solver.rules.svg import board_sizes, board_template
from ur_solver.serve.describe import rules_values
from ur_solver.serve.rounds import opening_values
from ur_solver.serve.unfold import ServedRules
from ur_solver.space import positions_of

VERSION = 2
"""Of these data; a page refuses others."""

_TABLES = (
    "throws", "mover_cell", "mover_part", "lift_start", "lift", "step_start", "step_target",
    "step_landing", "landing_cell", "landing_start", "landing_content", "landing_taken", "again",
    "is_rosette", "first_content", "mirror_cell", "mirror_content", "awake", "n_mine",
    "stock_count", "type_of",
)  # fmt: skip
"""The arrays of `MoveTables` that a page needs."""


def rules_data(rules: RuleSet) -> dict[str, Any]:
    """A rule set's moves, positions and drawings.

    Parameters
    ----------
    rules : RuleSet

    Returns
    -------
    dict
        JSON values; see the module's head.
    """
    tables, positions = generator_of(rules).tables, positions_of(rules)
    empty = Position(rules, ("",) * len(rules.board.squares), LIGHT, 0, 0)
    return {
        "version": VERSION,
        "about": rules_values(rules),
        "contents": [list(contents) for contents in positions.contents],
        "tables": {name: getattr(tables, name).tolist() for name in _TABLES},
        "has_rests": tables.may_rest,
        "movers": [list(mover) for mover in tables.movers],
        "types": [
            [
                {
                    "name": choice.name,
                    "may": choice.may,
                    "chances": choice.chances,
                    "passes": choice.passes,
                }
                for choice in choices
            ]
            for choices in tables.types
        ],
        "rolls": _rolls(rules),
        "decision_marks": rules.mechanics.decision_marks,
        "payoff": _payoff(rules),
        "faults": [dict(_faults(rules, square)) for square in positions.squares],
        "opening": _opening(rules),
        "rgn": rgn_texts(rules),
        "stacks": [
            square for square in positions.squares if rules.mechanics.squares[square].is_stack
        ],
        "drawing": {
            **{SIDE_NAMES[side]: board_template(empty, side) for side in (LIGHT, DARK)},
            "sizes": board_sizes(rules),
        },
    }


def _rolls(rules: RuleSet) -> dict[str, dict[str, Any]]:
    family = rules.mechanics
    candidates = [None, *range(1, rules.pieces + 1)] if family.is_numbered else [None]
    return {
        choice: {
            str(candidate or ""): [
                [float(roll.probability), roll.throws, roll.moves_by]
                for roll in family.rolls(choice, candidate)
            ]
            for candidate in candidates
        }
        for choice in family.choices(1, 1)
    }


def _payoff(rules: RuleSet) -> dict[str, Any]:
    payoff = rules.payoff
    return {
        "total": payoff.total(0),
        "fine": payoff.total(1) - payoff.total(0),
        "cost": payoff.cost(True),
        "most_fines": MAX_FINES if payoff.has_fines else None,
    }


def _opening(rules: RuleSet) -> dict[str, Any] | None:
    opening = opening_of(rules)
    if opening is None:
        return None
    rounds = {
        marker or "": opening_values(ServedRules(rules), marker, None)
        | {"board": level(rules, source).notation}
        for marker, source in sources_of(opening).items()
    }
    whole = rules.payoff.total(0)
    # as if the first player had everything
    share = opening.value(lambda position: whole if position.side == LIGHT else 0) / (whole or 1)
    return {"share": share, "rounds": rounds}


def _faults(rules: RuleSet, square: str) -> Iterator[tuple[str, list[str]]]:
    """The sentences of a square's faults, each with the contents that have it."""
    family = rules.mechanics
    rule = family.squares[square]
    found: dict[str, dict[str, None]] = {}
    pieces = dict.fromkeys(map(awake, family.pieces_on[square]))
    for content in dict.fromkeys(map(awake, family.contents_on(square))):
        for piece in pieces:
            taller = family.arranged(square, (*split(content), piece))
            if fault := rule.fault(split(taller)):
                found.setdefault(fault, {})[taller] = None
    yield from ((fault, [*contents]) for fault, contents in found.items())
