"""The parts of a request: parameters, JSON bodies, turns; everything else is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ur_solver.common.text import decoded, json_values
from ur_solver.rules import SIDE_NAMES, RuleSet, named_rules
from ur_solver.rules.game import catalogued
from ur_solver.serve.judged import MAX_LINE_TURNS, Turn

_KINDS: dict[str, tuple[type, str]] = {
    "string": (str, "text"),
    "array": (list, "list"),
    "object": (dict, "object"),
}
"""The types of a body's values, by their names in a schema, and in words."""


class RefusedError(Exception):
    """A refused request: its status, and the reason in one sentence."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def parameters(
    given: Sequence[tuple[str, str]], documented: Sequence[Mapping[str, Any]]
) -> dict[str, str]:
    """The parameters of a query: each at most once, and those that are required.

    Parameters
    ----------
    given : sequence of (str, str)
        Names and values.
    documented : sequence of mapping
        The parameters of an operation, as OpenAPI has them.

    Raises
    ------
    RefusedError
    """
    known = {each["name"]: each["required"] for each in documented if each["in"] == "query"}
    for name, _ in given:
        if name not in known:
            expected = ", ".join(known) or "none"
            raise RefusedError(400, f"unknown parameter {name!r:.60}; expected {expected}")
    values = dict(given)
    if len(values) < len(given):
        raise RefusedError(400, "a parameter is given twice")
    for name, is_required in known.items():
        if is_required and name not in values:
            raise RefusedError(400, f"the parameter {name!r} is missing")
    return values


def view_of(name: str | None) -> str | None:
    """The side on top of the drawing; None for no drawing.

    Raises
    ------
    RefusedError
    """
    for side, each in SIDE_NAMES.items():
        if name == each:
            return side
    if name is None:
        return None
    raise RefusedError(400, f"drawing is {name!r:.60}; expected light or dark, the side on top")


def json_body(text: bytes, schemas: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The JSON object of a body, with exactly the keys of some schemas and values of their types.

    Raises
    ------
    RefusedError
    """
    try:
        values = json_values(decoded(text))
    except (ValueError, RecursionError) as error:
        raise RefusedError(400, f"the body is not JSON: {error!s:.200}") from None
    if not isinstance(values, dict):
        raise RefusedError(400, f"the body is not an object with {', '.join(schemas)}")
    for key in values:
        if key not in schemas:
            raise RefusedError(400, f"unknown key {key!r:.60}; the keys are {', '.join(schemas)}")
    for key, schema in schemas.items():
        if key not in values:
            raise RefusedError(400, f"the key {key!r} is missing")
        kind, word = _KINDS[schema["type"]]
        if not isinstance(values[key], kind):
            raise RefusedError(400, f"{key} is {values[key]!r:.60}, not a {word}")
    return values


def rules_of_word(word: str) -> RuleSet:
    """The catalogue's rule set in an address; no file is ever opened.

    Raises
    ------
    RefusedError
        If there is none.
    RuleSetError
        If it cannot have this number of pieces.
    """
    if catalogued(word.partition(":")[0]) is None:
        raise RefusedError(404, f"unknown rules {word!r:.60}; /api/v1/rules lists them")
    return named_rules(word)


def counts_of(name: str, values: dict[str, Any]) -> dict[int, int]:
    """Counts by throw, of an object such as ``{"0": 3, "2": 7}``.

    Raises
    ------
    RefusedError
        If a key is no throw or a value no count; the function that takes them has more to say.
    """
    for throw, count in values.items():
        if not (throw.isascii() and throw.isdigit() and len(throw) < 4 and type(count) is int):
            raise RefusedError(
                400, f'{name} has {throw!r:.20}: {count!r:.20}, not a throw and a count as "2": 7'
            )
    return {int(throw): count for throw, count in values.items()}


def turns_of(values: list[Any]) -> list[Turn]:
    """The turns of a line, each ``[choice, throws, move]``.

    Raises
    ------
    RefusedError
    """
    if len(values) > MAX_LINE_TURNS:
        raise RefusedError(400, f"{len(values)} turns; at most {MAX_LINE_TURNS:,} at once")
    turns = []
    for number, value in enumerate(values, start=1):
        is_right = (
            isinstance(value, list)
            and len(value) == 3
            and isinstance(value[0], str | None)
            and isinstance(value[1], list)
            and len(value[1]) in (1, 2)
            and all(type(throw) is int for throw in value[1])
            and isinstance(value[2], str | None)
        )
        if not is_right:
            raise RefusedError(
                400,
                f'turn {number} is {value!r:.60}, not such as [null, [2], "A@A3"]: the choice, '
                "what was thrown, and the move",
            )
        turns.append(Turn(value[0], tuple(value[1]), value[2]))
    return turns
