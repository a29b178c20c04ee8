"""The data of a rule set and a table, as JSON values: a page needs no rules besides."""

from __future__ import annotations

from typing import Any

from ur_solver.estimators.evaluator import Evaluator
from ur_solver.players.policies import TEMPERATURES
from ur_solver.records import NOTATIONS, rules_text
from ur_solver.rules import FREE_THROW, SIDE_NAMES, RuleSet
from ur_solver.rules.family import FREE_OPENING
from ur_solver.rules.game import OLD_NAMES, is_catalogued
from ur_solver.rules.payoff import Stakes
from ur_solver.serve.plain import dice_values, game_values, square_words


def rules_values(rules: RuleSet) -> dict[str, Any]:
    """A rule set: its data, its board, and the options of players.

    Probabilities are in [0, 1]. ``pieces_on`` lists the legal contents by square, in the
    notation of positions; ``steps`` is how far a throw moves a piece, 0 if it moves none.
    """
    family = rules.mechanics
    dice = rules.dice
    choices = family.choices(1, 1)
    return {
        "word": rules.word,
        **game_values(rules),
        "rules": rules.to_json(),
        "board": {
            "rows": list(rules.board.rows),
            "rosettes": sorted(rules.rosettes),
            "pieces_on": {square: list(family.pieces_on[square]) for square in rules.board.squares},
            "words": square_words(rules),
            "shared": [square for square in rules.board.squares if _is_shared(rules, square)],
        },
        "paths": {name: list(rules.path.squares(side)) for side, name in SIDE_NAMES.items()},
        "dice": [
            {
                "throw": throw,
                "probability": float(dice.probabilities[throw]),
                "fraction": str(dice.probabilities[throw]),
                "steps": family.steps(throw),
            }
            for throw in dice.throws
        ],
        "look": dice_values(dice.look),
        "start": rules.start().notation,
        "opening": rules.switches.get(FREE_OPENING.key),
        "opening_throw": family.opening_throw,
        "choices": [] if choices == (FREE_THROW,) else list(choices),
        "is_numbered": family.is_numbered,
        "stakes": None if rules.stakes is None else _stakes(rules.stakes, rules.pieces),
        "record_rules": rules_text(rules),
        "notations": [each.name for each in NOTATIONS.values() if each.fault(rules) is None],
    }


def _is_shared(rules: RuleSet, square: str) -> bool:
    """Whether a square may hold more than one piece."""
    family = rules.mechanics
    pieces, rule = family.pieces_on[square], family.squares[square]
    return any(rule.fault((one, other)) is None for one in pieces for other in pieces)


def _stakes(stakes: Stakes, pieces: int) -> dict[str, int]:
    return {"ante": stakes.ante, "fine": stakes.fine, "reach": stakes.reach_of(pieces)}


def answering_values(name: str, table: Evaluator) -> dict[str, Any]:
    """A table and the game of the catalogue that it answers for; None for any other game."""
    rules = table.rules
    game = OLD_NAMES.get(rules.name, rules.name) if is_catalogued(rules) else None
    return {"id": name, "game": game, "pieces": rules.pieces, "exact": table.are_exact}


def table_values(name: str, table: Evaluator) -> dict[str, Any]:
    """A table in a list of tables: its rule set, the value of the start, the error of values.

    Of an estimator the error is that of the value of the start, half the width of its interval;
    the value of an opening in which both sides enter is left out.
    """
    start = table.rules.start()
    values: dict[str, Any] = {
        "id": name,
        "word": table.rules.word,
        "name": table.rules.name,
        "pieces": table.rules.pieces,
        "positions": table.space.n_positions,
        "value_type": table.header.value_type if table.are_exact else None,
        "tolerance": table.tolerance if table.are_exact else None,
        "error": table.max_error if table.are_exact else table.error(start),
        "digest": table.digest if table.are_exact else table.stored.digest,
        "value": table.value(start),
    }
    if not table.are_exact:
        values |= {"exact": False, "plies": table.plies}
    # by an estimator an opening in which both sides enter takes as long as thousands of positions
    if table.are_exact or not table.rules.mechanics.both_enter:
        values["opening_value"] = table.opening_value()
    return values


def whole_table_values(table: Evaluator) -> dict[str, Any]:
    """All of a table's rule set, and the temperatures of the players that play by it."""
    return rules_values(table.rules) | {"players": dict(TEMPERATURES)}
