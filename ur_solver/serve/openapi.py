"""The document of the interface, as OpenAPI 3.1 has it; the tests replay all of its examples.

The examples ask for a table of finkel with three pieces, ``finkel-3``.
"""

from __future__ import annotations

from typing import Any

from ur_solver import __version__

Json = dict[str, Any]

_START = "....__../......../....__.. L 3 3"
_MIDDLE = "L...__../..D...../....__.. L 2 2"
_GAME = "rules: finkel:3\n\nL 2 A@A3\nD 1 C@C4\nend: unfinished"


def _object(optional: tuple[str, ...] = (), /, **properties: Json) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def _list(items: Json, **rest: Any) -> Json:
    return {"type": "array", "items": items, **rest}


def _or_null(schema: Json) -> Json:
    return {"oneOf": [schema, {"type": "null"}]}


def _of(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _told(schema: Json, text: str) -> Json:
    return schema | {"description": text}


_NUMBER: Json = {"type": "number"}
_WHOLE: Json = {"type": "integer"}
_NUMBERS: Json = {"type": "object", "additionalProperties": {"type": "number"}}
_TEXT: Json = {"type": "string"}
_FLAG: Json = {"type": "boolean"}
_SIDE: Json = {"enum": ["light", "dark"]}
_CHANCE: Json = {"type": "number", "minimum": 0, "maximum": 1}
_VALUE = _told(_NUMBER, "to the side about to throw; a chance to win, or money with stakes")
_THROW: Json = {
    "oneOf": [_WHOLE, _list(_WHOLE, minItems=2, maxItems=2)],
    "description": "what the dice show; two numbers where the first throw earns a second",
}
_MARK: Json = {"enum": ["inaccuracy", "mistake", "blunder", None]}
_PLACE = _or_null(_object(line=_WHOLE, column=_or_null(_WHOLE)))

_EXACT = _told(_FLAG, "of an estimator: whether the value is exact")
_ERROR = _told(_NUMBER, "of an estimate: half the width of its 95 % interval")
_LOSS_ERROR = _told(_NUMBER, "of an estimator: the error of the comparison with the best")
_OF_ESTIMATES = ("exact", "error")

_TABLE: Json = {
    "id": _told(_TEXT, "the name in addresses"),
    "word": _told(_TEXT, "the rule set and its count of pieces"),
    "name": _TEXT,
    "pieces": _WHOLE,
    "positions": _WHOLE,
    "value_type": _told({"enum": ["float64", "float32", "uint16", None]}, "null of an estimator"),
    "tolerance": _told(_or_null(_NUMBER), "null of an estimator"),
    "error": _told(
        _or_null(_NUMBER),
        "how far a value is proven to be off at most; of an estimator, that of the start's value",
    ),
    "digest": _told(_TEXT, "SHA-256 of all that the table holds"),
    "value": _told(_NUMBER, "of the start, with a free first throw"),
    "opening_value": _told(
        _NUMBER,
        "the first player's, by how the rule set begins a game; an estimator's only where one "
        "position tells it",
    ),
    "exact": _told(_FLAG, "false of an estimator"),
    "plies": _told(_WHOLE, "how far an estimator looks ahead"),
}
_TABLE_OPTIONAL = ("exact", "plies", "opening_value")
_GAME_VALUES: Json = {
    "name": _TEXT,
    "pieces": _WHOLE,
    "title": _told(_TEXT, "in plain words"),
    "sentence": _told(_TEXT, "what sets it apart"),
    "sources": _told(_list(_TEXT), "the documents that have it"),
    "measured": _told(
        _or_null(_object(pieces=_WHOLE, throws=_NUMBER, greedy=_CHANCE)),
        "with that count of pieces: throws a game, and the share of games that a player by rule "
        "of thumb wins against best play",
    ),
}
_ANSWERING: Json = {
    "id": _told(_TEXT, "the table's name in addresses"),
    "game": _told(_or_null(_TEXT), "the rule set's name in the catalogue, if it is there"),
    "pieces": _WHOLE,
    "exact": _told(_FLAG, "false of an estimator"),
}
_RULES: Json = {
    "word": _TEXT,
    **_GAME_VALUES,
    "rules": _told({"type": "object"}, "as `ur rules NAME --json` writes them"),
    "board": _object(
        rows=_told(_list(_TEXT), "rows A, B and C: '.' a square, '_' none"),
        rosettes=_list(_TEXT),
        pieces_on=_told(
            {"type": "object", "additionalProperties": _list(_TEXT)},
            "by square, the pieces that may stand there",
        ),
        words=_told({"type": "object", "additionalProperties": _TEXT}, "by square, what it means"),
        shared=_told(_list(_TEXT), "the squares that may hold more than one piece"),
    ),
    "paths": _object(light=_list(_TEXT), dark=_list(_TEXT)),
    "dice": _list(
        _object(throw=_WHOLE, probability=_CHANCE, fraction=_TEXT, steps=_WHOLE),
    ),
    "look": _told(
        _object(
            kind={"enum": ["pyramids", "sticks", "die", "number"]},
            count=_WHOLE,
            marks={"type": "object", "additionalProperties": {"type": "integer"}},
        ),
        "how the dice are drawn: how many of them show their mark, or a die's pips, by throw",
    ),
    "start": _TEXT,
    "opening": _told(_or_null(_TEXT), "how the first player is found: lots, highest, one or ben"),
    "opening_throw": _told(_or_null(_WHOLE), "the first throw of a game, where the rules give it"),
    "choices": _told(_list(_TEXT), "the choices before a throw"),
    "is_numbered": _FLAG,
    "stakes": _or_null(_object(ante=_WHOLE, fine=_WHOLE, reach=_WHOLE)),
    "record_rules": _told(_TEXT, "as a record in the plain notation names the rule set"),
    "notations": _told(_list(_TEXT), "in which games can be written"),
}
_WORTH: Json = {
    "position": _TEXT,
    "value": _VALUE,
    "tolerance": _told(_or_null(_NUMBER), "null of an estimate"),
    "error": _told(
        _or_null(_NUMBER), "proven, or null; of an estimate, half the width of its 95 % interval"
    ),
    "exact": _EXACT,
    "cut_error": _told(_NUMBER, "with stakes: what a limited number of fines may cost"),
    "chance": _told(_CHANCE, "with stakes: to win, if nothing else counted"),
}
_SOMETIMES = ("cut_error", "chance", "exact")

_SCHEMAS: Json = {
    "Error": _object(message=_told(_TEXT, "one sentence"), place=_PLACE),
    "Fault": _object(message=_TEXT, place=_PLACE, game=_WHOLE),
    "Table": _object(_TABLE_OPTIONAL, **_TABLE),
    "WholeTable": _object(
        _TABLE_OPTIONAL,
        **_RULES,
        **{key: value for key, value in _TABLE.items() if key not in _RULES},
        players=_told(
            {"type": "object", "additionalProperties": _NUMBER},
            "temperatures: a move that loses as much is played 1/e times as often as the best",
        ),
    ),
    "Rules": _object(**_RULES),
    "Worth": _object(_SOMETIMES, **_WORTH),
    "Move": _object(
        ("value", "loss", "mark", "chance", "cost", "arrows", "loss_error", *_OF_ESTIMATES),
        move=_TEXT,
        again=_told(_FLAG, "whether the same side throws again"),
        capture=_FLAG,
        position=_told(_TEXT, "after the move"),
        value=_told(_NUMBER, "to the side that moves"),
        loss=_told(_NUMBER, "against the best move"),
        exact=_EXACT,
        error=_ERROR,
        loss_error=_LOSS_ERROR,
        mark=_MARK,
        chance=_CHANCE,
        cost=_told(_WHOLE, "the fine that the move costs"),
        arrows=_told(_object(best=_TEXT, played=_TEXT), "with a drawing: the curve of an arrow"),
        to=_told(_TEXT, "a square, or off"),
        **{"from": _told(_TEXT, "a square, or home")},
    ),
    "Throw": _object(
        ("choice", "value", "luck", *_OF_ESTIMATES),
        choice=_told(_TEXT, "the choice before it"),
        throw=_THROW,
        probability=_CHANCE,
        value=_told(_NUMBER, "after the best move, or the pass"),
        luck=_told(_NUMBER, "how much more that is than before the throw"),
        exact=_EXACT,
        error=_ERROR,
        moves=_told(_list(_of("Move")), "the best first; none where the turn passes"),
    ),
    "Position": _object(
        (
            *(*_SOMETIMES, "value", "tolerance", "error", "svg"),
            *("choices", "choice_marks", "choice_errors", "choice_loss_errors"),
        ),
        **_WORTH,
        svg=_told(_TEXT, "the board, where a drawing is asked for"),
        choices=_told(
            {"type": "object", "additionalProperties": _or_null(_NUMBER)},
            "what each choice is worth; null where it is not allowed",
        ),
        choice_marks=_told({"type": "object", "additionalProperties": _MARK}, "their marks"),
        choice_errors=_told(_NUMBERS, "of an estimator: half the widths of their 95 % intervals"),
        choice_loss_errors=_told(_NUMBERS, "of an estimator: the errors of what they lose"),
        side=_told(_SIDE, "the side about to throw"),
        winner=_or_null(_SIDE),
        is_draw=_FLAG,
        total=_told(_WHOLE, "what both sides' values sum to"),
        after_pass=_told(_TEXT, "the position after a turn without a move"),
        throws=_list(_of("Throw")),
    ),
    "Ply": _object(
        (
            "best",
            "value",
            "best_value",
            "loss",
            "luck",
            "mark",
            "options",
            "cost",
            "position_after",
            "loss_error",
            *_OF_ESTIMATES,
        ),
        side=_SIDE,
        position=_TEXT,
        choice=_or_null(_TEXT),
        throw=_told({"oneOf": [*_THROW["oneOf"], {"type": "null"}]}, "null: a choice before it"),
        move=_or_null(_TEXT),
        best=_or_null(_TEXT),
        value=_VALUE,
        best_value=_NUMBER,
        loss=_NUMBER,
        luck=_NUMBER,
        exact=_EXACT,
        error=_ERROR,
        loss_error=_LOSS_ERROR,
        mark=_MARK,
        options=_told(_WHOLE, "how many moves, or choices, there were"),
        cost=_told(_WHOLE, "the fine that the move cost"),
        position_after=_TEXT,
    ),
    "Side": _object(
        ("cost", "conceded", "loss_error"),
        choices=_WHOLE,
        best=_WHOLE,
        loss=_NUMBER,
        loss_error=_told(_NUMBER, "of estimates: half the width of the total's 95 % interval"),
        luck=_NUMBER,
        cost=_WHOLE,
        conceded=_told(_NUMBER, "what the position was worth to a side that gave it up"),
    ),
    "Line": _object(
        ("start_value", "end_value", "light", "dark", *_OF_ESTIMATES),
        plies=_list(_of("Ply")),
        position=_TEXT,
        start=_TEXT,
        start_value=_told(_NUMBER, "to light"),
        exact=_EXACT,
        error=_ERROR,
        end_value=_told(_NUMBER, "to light"),
        light=_of("Side"),
        dark=_of("Side"),
    ),
    "Audit": _object(
        ("opening", *_OF_ESTIMATES),
        file=_TEXT,
        rules=_TEXT,
        winner=_or_null(_SIDE),
        ending=_TEXT,
        first_throw=_told(_WHOLE, "the number of the first that is judged"),
        start_value=_told(_NUMBER, "to light"),
        exact=_EXACT,
        error=_ERROR,
        light=_of("Side"),
        dark=_of("Side"),
        rounds=_told(_or_null(_TEXT), "of the opening, as a record writes them"),
        opening=_told(_list(_of("Ply")), "the throws of both sides in the rounds of the opening"),
        plies=_list(_of("Ply")),
        game=_WHOLE,
        names=_object(light=_or_null(_TEXT), dark=_or_null(_TEXT)),
        start=_TEXT,
        position=_told(_TEXT, "where the record stops"),
        end_value=_told(_NUMBER, "of the last position, to light"),
        result_value=_told(_NUMBER, "to light; all or nothing after a resignation"),
        result=_TEXT,
        account=_TEXT,
    ),
    "Throws": _object(
        throws=_told(_WHOLE, "their number"),
        counts=_list(_object(throw=_WHOLE, count=_WHOLE, expected=_NUMBER, probability=_CHANCE)),
        mean=_or_null(_NUMBER),
        fair_mean=_NUMBER,
        fair_error=_told(_or_null(_NUMBER), "95 % of the means of fair dice are as near"),
        chance=_told(_or_null(_CHANCE), "of fair series, those with counts at least as uneven"),
        mean_chance=_told(_or_null(_CHANCE), "those with a mean at least as far off"),
        shift=_told(_or_null(_NUMBER), "of the mean, that is found in four of five series"),
        verdict={"enum": ["usual", "rare", "very rare", "nothing"]},
        text=_told(_TEXT, "what this says, in a sentence or two"),
    ),
    "Opening": _object(
        ("value", "svg"),
        marker=_told(_or_null(_TEXT), "the square of light's marker; null before both enter"),
        value=_told(_NUMBER, "to light, before the round"),
        svg=_told(_TEXT, "the board, where a drawing is asked for"),
        throws=_list(_of("Round")),
    ),
    "Round": _object(
        throws=_told(_list(_WHOLE), "light's and dark's; light's alone where that decides"),
        probability=_CHANCE,
        chooser=_told(_or_null(_SIDE), "the side that chooses its square; null for no choice"),
        outcomes=_told(
            _list(
                _object(
                    ("value", "loss", "mark"),
                    round=_told(_TEXT, "as a record writes it"),
                    move=_told(_or_null(_TEXT), "of the side that chooses"),
                    value=_told(_NUMBER, "to light"),
                    loss=_told(_NUMBER, "to the side that chooses"),
                    mark=_MARK,
                    marker=_told(_or_null(_TEXT), "of the next round"),
                    position=_told(_or_null(_TEXT), "where the game begins; null: another round"),
                )
            ),
            "the best first",
        ),
    ),
    "Batch": _object(positions=_list({"oneOf": [_of("Worth"), _of("Error")]})),
}

_IN_TABLE: Json = {
    "name": "table",
    "in": "path",
    "required": True,
    "schema": _TEXT,
    "example": "finkel-3",
}
_IN_RULES: Json = _IN_TABLE | {"name": "rules", "example": "finkel:3"}
_POSITION: Json = {
    "name": "position",
    "in": "query",
    "required": True,
    "schema": _TEXT,
    "examples": {"start": {"value": _START}, "middle": {"value": _MIDDLE}},
}
_DRAWING: Json = {
    "name": "drawing",
    "in": "query",
    "required": False,
    "description": "whether to draw the board, and the side on top",
    "schema": _SIDE,
    "examples": {"dark": {"value": "dark"}},
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
    _optional("seed", "of the games that are played", _WHOLE | {"minimum": 0}, "1"),
    _optional("count", "the most exercises", _WHOLE | {"minimum": 0, "maximum": 50}, "3"),
    _optional("cost", "the least that the second best option loses, a share", _CHANCE, "0.02"),
)
_MARKER = _optional("marker", "light's square; empty before both enter", _TEXT, "")
_FIRST_TURNS = [[None, [2], "A@A3"], [None, [0], None]]


def _operation(summary: str, schema: Json, *parameters: Json, body: Json | None = None) -> Json:
    """An operation that answers JSON."""
    content = {"application/json": {"schema": schema}}
    return _with_content(summary, content, *parameters, body=body)


def _with_content(summary: str, content: Json, *parameters: Json, body: Json | None = None) -> Json:
    error = {"application/json": {"schema": _of("Error")}}
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
    return {"schema": _object(**properties), "example": example}


_RUN = _told(_list(_TEXT, minItems=2, maxItems=2), "a style and a text")
_PROSE = (
    "The rules in prose",
    _object(
        word=_TEXT,
        title=_TEXT,
        short=_told(_list(_TEXT), "enough to begin a game"),
        sources=_list(_TEXT),
        sections=_list(
            _object(
                title=_TEXT,
                blocks=_list(
                    _object(
                        ("runs", "text", "svg"),
                        kind={"enum": ["p", "li", "pre", "board"]},
                        runs=_list(_RUN),
                        text=_TEXT,
                        svg=_TEXT,
                    )
                ),
            )
        ),
    ),
)
_OPENING = ("A round of the opening, with all throws", _of("Opening"))
_BOARD = (
    "A position that may be impossible, drawn, with its faults",
    _object(position=_TEXT, svg=_TEXT, faults=_list(_TEXT)),
)
_TURN = _told(
    _list({}, minItems=3, maxItems=3),
    "the choice before the throw or null, the list of throws, and the move or null",
)
_EXERCISE = _object(
    position=_TEXT,
    choice=_told(_or_null(_TEXT), "said before the throw; null if nothing is, or to be decided"),
    throws=_told(_list(_WHOLE), "what the dice show; none to decide what to say before"),
    cost=_told(_CHANCE, "what the second best option loses, a share of what there is to win"),
)
_LINE_BODY = _body({"start": _START, "turns": _FIRST_TURNS}, start=_TEXT, turns=_list(_TURN))
_CONVERTED: tuple[str, Json] = ("Games in another notation", {"text/plain": {}})
_CONVERT_BODY = _body({"text": _GAME, "notation": "rgn"}, text=_TEXT, notation=_TEXT)
_COUNTS = _told(
    {"type": "object", "additionalProperties": _WHOLE | {"minimum": 0}}, "how often, by throw"
)
_DICE = (
    "Counts of throws, compared with those of fair dice",
    _object(light=_of("Throws"), dark=_of("Throws"), both=_of("Throws")),
)
_DICE_BODY = _body(
    {"light": {"0": 1, "2": 9}, "dark": {"1": 4, "3": 2}}, light=_COUNTS, dark=_COUNTS
)
_TEXT_BODY = _body({"text": _GAME}, text=_told(_TEXT, "games, in JSON, RGN or the plain notation"))


_PATHS: Json = {
    "/openapi.json": {"get": _operation("This document", {"type": "object"})},
    "/tables": {
        "get": _operation("The tables that are served", _object(tables=_list(_of("Table"))))
    },
    "/tables/{table}": {"get": _operation("A table", _of("WholeTable"), _IN_TABLE)},
    "/tables/{table}/prose": {"get": _operation(*_PROSE, _IN_TABLE)},
    "/tables/{table}/position": {
        "get": _operation(
            "A position with all throws and moves",
            _of("Position"),
            _IN_TABLE,
            _POSITION,
            _DRAWING,
        )
    },
    "/tables/{table}/board": {"get": _operation(*_BOARD, _IN_TABLE, _POSITION, _DRAWING)},
    "/tables/{table}/opening": {"get": _operation(*_OPENING, _IN_TABLE, _MARKER, _DRAWING)},
    "/tables/{table}/exercises": {
        "get": _operation(
            "Decisions drawn from play in which a mistake costs something",
            _object(rules=_TEXT, seed=_WHOLE, exercises=_list(_EXERCISE)),
            _IN_TABLE,
            *_DRAWN,
        )
    },
    "/tables/{table}/positions": {
        "post": _operation(
            "The values of many positions",
            _of("Batch"),
            _IN_TABLE,
            body=_body({"positions": [_START, "no position"]}, positions=_list(_TEXT)),
        )
    },
    "/tables/{table}/line": {
        "post": _operation("Turns played", _of("Line"), _IN_TABLE, body=_LINE_BODY)
    },
    "/tables/{table}/audit": {
        "post": _operation(
            "The audit of games",
            _object(games=_list(_of("Audit")), faults=_list(_of("Fault"))),
            _IN_TABLE,
            body=_TEXT_BODY,
        )
    },
    "/tables/{table}/report": {
        "post": _with_content(
            "The audit of games, as a page", {"text/html": {}}, _IN_TABLE, body=_TEXT_BODY
        )
    },
    "/tables/{table}/convert": {"post": _with_content(*_CONVERTED, _IN_TABLE, body=_CONVERT_BODY)},
    "/tables/{table}/dice": {"post": _operation(*_DICE, _IN_TABLE, body=_DICE_BODY)},
    "/rules": {
        "get": _operation(
            "All rule sets, and the tables and estimators that answer for them",
            _object(rules=_list(_object(**_GAME_VALUES)), tables=_list(_object(**_ANSWERING))),
        )
    },
    "/rules/{rules}": {"get": _operation("A rule set", _of("Rules"), _IN_RULES)},
    "/rules/{rules}/prose": {"get": _operation(*_PROSE, _IN_RULES)},
    "/rules/{rules}/position": {
        "get": _operation(
            "A position with all throws and moves, without values",
            _of("Position"),
            _IN_RULES,
            _POSITION,
            _DRAWING,
        )
    },
    "/rules/{rules}/board": {"get": _operation(*_BOARD, _IN_RULES, _POSITION, _DRAWING)},
    "/rules/{rules}/opening": {"get": _operation(*_OPENING, _IN_RULES, _MARKER, _DRAWING)},
    "/rules/{rules}/line": {
        "post": _operation("Turns played, without values", _of("Line"), _IN_RULES, body=_LINE_BODY)
    },
    "/rules/{rules}/convert": {"post": _with_content(*_CONVERTED, _IN_RULES, body=_CONVERT_BODY)},
    "/rules/{rules}/dice": {"post": _operation(*_DICE, _IN_RULES, body=_DICE_BODY)},
}


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
        "paths": _PATHS,
        "components": {"schemas": _SCHEMAS},
    }
