"""The document of the interface, as OpenAPI 3.1 has it; the tests replay all of its examples.

The examples ask for a table of finkel with three pieces, ``finkel-3``.
"""

from __future__ import annotations

from ur_solver import __version__
from ur_solver.serve.judged import MAX_LINE_TURNS
from ur_solver.serve.schemas import (
    ANSWERING,
    CHANCE,
    GAME_VALUES,
    POSITION,
    RECORD,
    SCHEMAS,
    SIDE,
    TEXT,
    TURN,
    WHOLE,
    Json,
    list_of,
    may_have,
    noted,
    object_of,
    or_null,
    schema_of,
)

_START = "....__../......../....__.. L 3 3"
_MIDDLE = "L...__../..D...../....__.. L 2 2"
_GAME = "rules: finkel:3\n\nL 2 A@A3\nD 1 C@C4\nend: unfinished"

_IN_TABLE: Json = {
    "name": "table",
    "in": "path",
    "required": True,
    "schema": TEXT,
    "example": "finkel-3",
}
_IN_RULES: Json = _IN_TABLE | {"name": "rules", "example": "finkel:3"}
_POSITION: Json = {
    "name": "position",
    "in": "query",
    "required": True,
    "schema": POSITION,
    "examples": {"start": {"value": _START}, "middle": {"value": _MIDDLE}},
}


def _optional(name: str, text: str, schema: Json, example: str) -> Json:
    return {
        "name": name,
        "in": "query",
        "required": False,
        "description": text,
        "schema": schema,
        "examples": {"usual": {"value": example}},
    }


_DRAWN = (
    _optional("seed", "of the games that are played", WHOLE | {"minimum": 0}, "1"),
    _optional("count", "the most exercises", WHOLE | {"minimum": 0, "maximum": 50}, "3"),
    _optional("cost", "the least that the second best option loses, a share", CHANCE, "0.02"),
)
_DRAWING = _optional("drawing", "whether to draw the board, and the side on top", SIDE, "dark")
_MARKER = _optional("marker", "light's square; empty before both enter", TEXT, "")
_FIRST_TURNS = [[None, [2], "A@A3"], [None, [0], None]]


def _operation(summary: str, schema: Json, *parameters: Json, body: Json | None = None) -> Json:
    """An operation that answers JSON."""
    content = {"application/json": {"schema": schema}}
    return _with_content(summary, content, *parameters, body=body)


def _with_content(summary: str, content: Json, *parameters: Json, body: Json | None = None) -> Json:
    error = {"application/json": {"schema": schema_of("Error")}}
    operation: Json = {
        "summary": summary,
        "parameters": list(parameters),
        "responses": {
            "200": {"description": "the answer", "content": content},
            "4XX": {"description": "why there is none, in one sentence", "content": error},
        },
    }
    if body is not None:
        operation["requestBody"] = {"required": True, "content": {"application/json": body}}
    return operation


def _body(example: Json, **properties: Json) -> Json:
    return {"schema": object_of(**properties), "example": example}


_RUN = noted(list_of(TEXT, minItems=2, maxItems=2), "a style and a text")
_PROSE = (
    "The rules in prose",
    object_of(
        word=TEXT,
        title=TEXT,
        short=noted(list_of(TEXT), "enough to begin a game"),
        sources=list_of(TEXT),
        sections=list_of(
            object_of(
                title=TEXT,
                blocks=list_of(
                    object_of(
                        kind={"enum": ["p", "li", "pre", "board"]},
                        runs=may_have(list_of(_RUN)),
                        text=may_have(TEXT),
                        svg=may_have(TEXT),
                    )
                ),
            )
        ),
    ),
)
_OPENING = ("A round of the opening, with all throws", schema_of("Opening"))
_BOARD = (
    "A position that may be impossible, drawn, with its faults",
    object_of(position=TEXT, svg=TEXT, faults=list_of(TEXT)),
)
_EXERCISE = object_of(
    position=TEXT,
    choice=noted(or_null(TEXT), "the choice before the throw; null for none, or if it is asked"),
    throws=noted(list_of(WHOLE), "what the dice show; none if the choice before is asked"),
    cost=noted(CHANCE, "what the second best option loses, a share of what there is to win"),
)
_LINE_BODY = _body(
    {"start": _START, "turns": _FIRST_TURNS},
    start=POSITION,
    turns=list_of(TURN, maxItems=MAX_LINE_TURNS),
)
_CONVERTED: tuple[str, Json] = ("Games in another notation", {"text/plain": {}})
_CONVERT_BODY = _body({"text": _GAME, "notation": "rgn"}, text=RECORD, notation=TEXT)
_COUNTS = noted(
    {"type": "object", "additionalProperties": WHOLE | {"minimum": 0}}, "how often, by throw"
)
_DICE = (
    "Counts of throws, compared with those of fair dice",
    object_of(light=schema_of("Throws"), dark=schema_of("Throws"), both=schema_of("Throws")),
)
_DICE_BODY = _body(
    {"light": {"0": 1, "2": 9}, "dark": {"1": 4, "3": 2}}, light=_COUNTS, dark=_COUNTS
)
_TEXT_BODY = _body({"text": _GAME}, text=RECORD)


def _of_both(root: str, source: Json, note: str) -> Json:
    """The operations that tables and rule sets share, under their path."""
    position = f"A position with all throws and moves{note}", schema_of("Position")
    line = f"Turns played{note}", schema_of("Line")
    return {
        f"{root}/prose": {"get": _operation(*_PROSE, source)},
        f"{root}/position": {"get": _operation(*position, source, _POSITION, _DRAWING)},
        f"{root}/board": {"get": _operation(*_BOARD, source, _POSITION, _DRAWING)},
        f"{root}/opening": {"get": _operation(*_OPENING, source, _MARKER, _DRAWING)},
        f"{root}/line": {"post": _operation(*line, source, body=_LINE_BODY)},
        f"{root}/convert": {"post": _with_content(*_CONVERTED, source, body=_CONVERT_BODY)},
        f"{root}/dice": {"post": _operation(*_DICE, source, body=_DICE_BODY)},
    }


PATHS: Json = {
    "/openapi.json": {"get": _operation("This document", {"type": "object"})},
    "/tables": {
        "get": _operation(
            "The tables that are served", object_of(tables=list_of(schema_of("Table")))
        )
    },
    "/tables/{table}": {"get": _operation("A table", schema_of("WholeTable"), _IN_TABLE)},
    "/tables/{table}/exercises": {
        "get": _operation(
            "Decisions drawn from play in which a mistake costs something",
            object_of(rules=TEXT, seed=WHOLE, exercises=list_of(_EXERCISE)),
            _IN_TABLE,
            *_DRAWN,
        )
    },
    "/tables/{table}/positions": {
        "post": _operation(
            "The values of many positions",
            schema_of("Batch"),
            _IN_TABLE,
            body=_body(
                {"positions": [_START, "no position"]},
                positions=list_of(noted({}, "a position; all else gets an error in its place")),
            ),
        )
    },
    "/tables/{table}/audit": {
        "post": _operation(
            "The audit of games",
            object_of(games=list_of(schema_of("Audit")), faults=list_of(schema_of("Fault"))),
            _IN_TABLE,
            body=_TEXT_BODY,
        )
    },
    "/tables/{table}/report": {
        "post": _with_content(
            "The audit of games, as a page", {"text/html": {}}, _IN_TABLE, body=_TEXT_BODY
        )
    },
    "/rules": {
        "get": _operation(
            "All rule sets, and the tables and estimators that answer for them",
            object_of(
                rules=list_of(object_of(**GAME_VALUES)), tables=list_of(object_of(**ANSWERING))
            ),
        )
    },
    "/rules/{rules}": {"get": _operation("A rule set", schema_of("Rules"), _IN_RULES)},
    **_of_both("/tables/{table}", _IN_TABLE, ""),
    **_of_both("/rules/{rules}", _IN_RULES, ", without values"),
}
"""The operations by path and method. The application takes from them what a request may hold."""


def document(root_path: str = "") -> Json:
    """The document, as JSON values, of a server under a path."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "ur_solver",
            "version": __version__,
            "summary": "Exact values of the Royal Game of Ur",
            "description": (
                "Positions and moves are written as everywhere in ur_solver. Probabilities are in "
                "[0, 1]; values are to the side about to throw, those of moves to the side that "
                "makes them, unless another side is named."
            ),
        },
        "servers": [{"url": f"{root_path}/api/v1"}],
        "paths": PATHS,
        "components": {"schemas": SCHEMAS},
    }
