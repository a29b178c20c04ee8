"""The schemas of the interface's document: what requests and answers are made of."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


class _Optional(dict[str, Any]):
    """The schema of a property that not all objects have."""


def may_have(schema: Json, text: str | None = None) -> Json:
    """The schema of a property that not all objects have, with a description or without."""
    return _Optional(schema if text is None else noted(schema, text))


def object_of(**properties: Json) -> Json:
    """An object with these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name, each in properties.items() if not isinstance(each, _Optional)],
        "additionalProperties": False,
    }


def list_of(items: Json, **rest: Any) -> Json:
    """A list of such items."""
    return {"type": "array", "items": items, **rest}


def or_null(schema: Json) -> Json:
    """Such a value, or null."""
    return {"oneOf": [schema, {"type": "null"}]}


def schema_of(name: str) -> Json:
    """A schema of `SCHEMAS` by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


def noted(schema: Json, text: str) -> Json:
    """A schema with a description."""
    return schema | {"description": text}


_NUMBER: Json = {"type": "number"}
WHOLE: Json = {"type": "integer"}
_NUMBERS: Json = {"type": "object", "additionalProperties": {"type": "number"}}
TEXT: Json = {"type": "string"}
POSITION: Json = {
    "type": "string",
    "maxLength": 200,
    "pattern": r"^\s*[^\s/]+/[^\s/]+/[^\s/]+\s+[LD]\s+\S+\s+\S+(\s+p[0-9]+)?\s*$",
    "description": "in the notation of positions: rows A, B and C, side to throw, homes, fines",
}
TURN: Json = {
    "type": "array",
    "prefixItems": [
        {"type": ["string", "null"], "description": "the choice before the throw"},
        list_of({"type": "integer"}, minItems=1, maxItems=2),
        {"type": ["string", "null"], "description": "the move; null where the turn passes"},
    ],
    "minItems": 3,
    "maxItems": 3,
    "description": "the choice before the throw or null, the list of throws, the move or null",
}
RECORD: Json = {
    "type": "string",
    "minLength": 1,
    "description": "games, in RoyalUr's JSON, RGN or the plain notation",
}
_FLAG: Json = {"type": "boolean"}
SIDE: Json = {"enum": ["light", "dark"]}
CHANCE: Json = {"type": "number", "minimum": 0, "maximum": 1}
_VALUE = noted(_NUMBER, "to the side about to throw; a chance to win, or money with stakes")
_THROW: Json = {
    "oneOf": [WHOLE, list_of(WHOLE, minItems=2, maxItems=2)],
    "description": "what the dice show; two numbers where the first throw earns a second",
}
_MARK: Json = {"enum": ["inaccuracy", "mistake", "blunder", None]}
_PLACE = or_null(object_of(line=WHOLE, column=or_null(WHOLE)))

_ESTIMATED: Json = {
    "exact": may_have(_FLAG, "of an estimator: whether the value is exact"),
    "error": may_have(_NUMBER, "of an estimate: half the width of its 95 % interval"),
}
_LOSS_ERROR = may_have(_NUMBER, "of an estimator: the error of the comparison with the best")

_TABLE: Json = {
    "id": noted(TEXT, "the name in addresses"),
    "word": noted(TEXT, "the rule set and its count of pieces"),
    "name": TEXT,
    "pieces": WHOLE,
    "positions": WHOLE,
    "value_type": noted({"enum": ["float64", "float32", "uint16", None]}, "null of an estimator"),
    "tolerance": noted(or_null(_NUMBER), "null of an estimator"),
    "error": noted(
        or_null(_NUMBER),
        "how far a value is proven to be off at most; of an estimator, that of the start's value",
    ),
    "digest": noted(TEXT, "SHA-256 of all that the table holds"),
    "value": noted(_NUMBER, "of the start, with a free first throw"),
    "opening_value": may_have(
        _NUMBER,
        "the first player's, by how the rule set begins a game; an estimator's only where one "
        "position gives it",
    ),
    "exact": may_have(_FLAG, "false of an estimator"),
    "plies": may_have(WHOLE, "how far an estimator looks ahead"),
}
GAME_VALUES: Json = {
    "name": TEXT,
    "pieces": WHOLE,
    "title": noted(TEXT, "in plain words"),
    "sentence": noted(TEXT, "what sets it apart"),
    "sources": noted(list_of(TEXT), "the documents that have it"),
    "measured": noted(
        or_null(object_of(pieces=WHOLE, throws=_NUMBER, greedy=CHANCE)),
        "with that count of pieces: throws a game, and the share of games that a player by rule "
        "of thumb wins against best play",
    ),
}
ANSWERING: Json = {
    "id": noted(TEXT, "the table's name in addresses"),
    "game": noted(or_null(TEXT), "the rule set's name in the catalogue, if it is there"),
    "pieces": WHOLE,
    "exact": noted(_FLAG, "false of an estimator"),
}
_RULES: Json = {
    "word": TEXT,
    **GAME_VALUES,
    "rules": noted({"type": "object"}, "as `ur rules NAME --json` writes them"),
    "board": object_of(
        rows=noted(list_of(TEXT), "rows A, B and C: '.' a square, '_' none"),
        rosettes=list_of(TEXT),
        pieces_on=noted(
            {"type": "object", "additionalProperties": list_of(TEXT)},
            "by square, the pieces that may stand there",
        ),
        words=noted({"type": "object", "additionalProperties": TEXT}, "by square, what it means"),
        shared=noted(list_of(TEXT), "the squares that may hold more than one piece"),
    ),
    "paths": object_of(light=list_of(TEXT), dark=list_of(TEXT)),
    "dice": list_of(
        object_of(throw=WHOLE, probability=CHANCE, fraction=TEXT, steps=WHOLE),
    ),
    "look": noted(
        object_of(
            kind={"enum": ["pyramids", "sticks", "die", "number"]},
            count=WHOLE,
            marks={"type": "object", "additionalProperties": {"type": "integer"}},
        ),
        "how the dice are drawn: how many of them show their mark, or a die's pips, by throw",
    ),
    "start": TEXT,
    "opening": noted(or_null(TEXT), "how the first player is found: lots, highest, one or ben"),
    "opening_throw": noted(or_null(WHOLE), "the first throw of a game, where the rules give it"),
    "choices": noted(list_of(TEXT), "the choices before a throw"),
    "is_numbered": _FLAG,
    "stakes": or_null(object_of(ante=WHOLE, fine=WHOLE, reach=WHOLE)),
    "record_rules": noted(TEXT, "as a record in the plain notation names the rule set"),
    "notations": noted(list_of(TEXT), "in which games can be written"),
}
_WORTH: Json = {
    "position": TEXT,
    "value": _VALUE,
    "tolerance": noted(or_null(_NUMBER), "null of an estimate"),
    "error": noted(
        or_null(_NUMBER), "proven, or null; of an estimate, half the width of its 95 % interval"
    ),
    "exact": _ESTIMATED["exact"],
    "cut_error": may_have(_NUMBER, "with stakes: what a limited number of fines may cost"),
    "chance": may_have(CHANCE, "with stakes: to win, if nothing else counted"),
}

SCHEMAS: Json = {
    "Error": object_of(message=noted(TEXT, "one sentence"), place=_PLACE),
    "Fault": object_of(message=TEXT, place=_PLACE, game=WHOLE),
    "Table": object_of(**_TABLE),
    "WholeTable": object_of(
        **_RULES,
        **{key: value for key, value in _TABLE.items() if key not in _RULES},
        players=noted(
            {"type": "object", "additionalProperties": _NUMBER},
            "temperatures: a move that loses as much is played 1/e times as often as the best",
        ),
    ),
    "Rules": object_of(**_RULES),
    "Worth": object_of(**_WORTH),
    "Move": object_of(
        move=TEXT,
        again=noted(_FLAG, "whether the same side throws again"),
        capture=_FLAG,
        position=noted(TEXT, "after the move"),
        value=may_have(_NUMBER, "to the side that moves"),
        loss=may_have(_NUMBER, "against the best move"),
        **_ESTIMATED,
        loss_error=_LOSS_ERROR,
        mark=may_have(_MARK),
        chance=may_have(CHANCE),
        cost=may_have(WHOLE, "the fine that the move costs"),
        arrows=may_have(object_of(best=TEXT, played=TEXT), "with a drawing: the curve of an arrow"),
        to=noted(TEXT, "a square, or off"),
        **{"from": noted(TEXT, "a square, or home")},
    ),
    "Throw": object_of(
        choice=may_have(TEXT, "the choice before it"),
        throw=_THROW,
        probability=CHANCE,
        value=may_have(_NUMBER, "after the best move, or the pass"),
        luck=may_have(_NUMBER, "how much more that is than before the throw"),
        **_ESTIMATED,
        moves=noted(list_of(schema_of("Move")), "the best first; none where the turn passes"),
    ),
    "Position": object_of(
        **_WORTH | {name: may_have(_WORTH[name]) for name in ("value", "tolerance", "error")},
        svg=may_have(TEXT, "the board, where a drawing is asked for"),
        choices=may_have(
            {"type": "object", "additionalProperties": or_null(_NUMBER)},
            "what each choice is worth; null where it is not allowed",
        ),
        choice_marks=may_have({"type": "object", "additionalProperties": _MARK}, "their marks"),
        choice_errors=may_have(
            _NUMBERS, "of an estimator: half the widths of their 95 % intervals"
        ),
        choice_loss_errors=may_have(_NUMBERS, "of an estimator: the errors of what they lose"),
        side=noted(SIDE, "the side about to throw"),
        winner=or_null(SIDE),
        is_draw=_FLAG,
        total=noted(WHOLE, "what both sides' values sum to"),
        after_pass=noted(TEXT, "the position after a turn without a move"),
        throws=list_of(schema_of("Throw")),
    ),
    "Ply": object_of(
        side=SIDE,
        position=TEXT,
        choice=or_null(TEXT),
        throw=noted({"oneOf": [*_THROW["oneOf"], {"type": "null"}]}, "null: a choice before it"),
        move=or_null(TEXT),
        best=may_have(or_null(TEXT)),
        value=may_have(_VALUE),
        best_value=may_have(_NUMBER),
        loss=may_have(_NUMBER),
        luck=may_have(_NUMBER),
        **_ESTIMATED,
        loss_error=_LOSS_ERROR,
        mark=may_have(_MARK),
        options=may_have(WHOLE, "how many moves, or choices, there were"),
        cost=may_have(WHOLE, "the fine that the move cost"),
        position_after=may_have(TEXT),
    ),
    "Side": object_of(
        choices=WHOLE,
        best=WHOLE,
        loss=_NUMBER,
        loss_error=may_have(_NUMBER, "of estimates: half the width of the total's 95 % interval"),
        luck=_NUMBER,
        cost=may_have(WHOLE),
        conceded=may_have(_NUMBER, "what the position was worth to a side that gave it up"),
    ),
    "Line": object_of(
        plies=list_of(schema_of("Ply")),
        position=TEXT,
        start=TEXT,
        start_value=may_have(_NUMBER, "to light"),
        **_ESTIMATED,
        end_value=may_have(_NUMBER, "to light"),
        light=may_have(schema_of("Side")),
        dark=may_have(schema_of("Side")),
    ),
    "Audit": object_of(
        file=TEXT,
        rules=TEXT,
        winner=or_null(SIDE),
        ending=TEXT,
        first_throw=noted(WHOLE, "the number of the first that is judged"),
        start_value=noted(_NUMBER, "to light"),
        **_ESTIMATED,
        light=schema_of("Side"),
        dark=schema_of("Side"),
        rounds=noted(or_null(TEXT), "of the opening, as a record writes them"),
        opening=may_have(
            list_of(schema_of("Ply")), "the throws of both sides in the rounds of the opening"
        ),
        plies=list_of(schema_of("Ply")),
        game=WHOLE,
        names=object_of(light=or_null(TEXT), dark=or_null(TEXT)),
        start=TEXT,
        position=noted(TEXT, "where the record stops"),
        end_value=noted(_NUMBER, "of the last position, to light"),
        result_value=noted(_NUMBER, "to light; all or nothing after a resignation"),
        result=TEXT,
        account=TEXT,
    ),
    "Throws": object_of(
        throws=noted(WHOLE, "their number"),
        counts=list_of(object_of(throw=WHOLE, count=WHOLE, expected=_NUMBER, probability=CHANCE)),
        mean=or_null(_NUMBER),
        fair_mean=_NUMBER,
        fair_error=noted(or_null(_NUMBER), "95 % of the means of fair dice are as near"),
        chance=noted(or_null(CHANCE), "of fair series, those with counts at least as uneven"),
        mean_chance=noted(or_null(CHANCE), "those with a mean at least as far off"),
        shift=noted(or_null(_NUMBER), "of the mean, that is found in four of five series"),
        verdict={"enum": ["usual", "rare", "very rare", "nothing"]},
        text=noted(TEXT, "what this says, in a sentence or two"),
    ),
    "Opening": object_of(
        marker=noted(or_null(TEXT), "the square of light's marker; null before both enter"),
        value=may_have(_NUMBER, "to light, before the round"),
        svg=may_have(TEXT, "the board, where a drawing is asked for"),
        throws=list_of(schema_of("Round")),
    ),
    "Round": object_of(
        throws=noted(list_of(WHOLE), "light's and dark's; light's alone where that decides"),
        probability=CHANCE,
        chooser=noted(or_null(SIDE), "the side that chooses its square; null for no choice"),
        outcomes=noted(
            list_of(
                object_of(
                    round=noted(TEXT, "as a record writes it"),
                    move=noted(or_null(TEXT), "of the side that chooses"),
                    value=may_have(_NUMBER, "to light"),
                    loss=may_have(_NUMBER, "to the side that chooses"),
                    mark=may_have(_MARK),
                    marker=noted(or_null(TEXT), "of the next round"),
                    position=noted(or_null(TEXT), "where the game begins; null: another round"),
                )
            ),
            "the best first",
        ),
    ),
    "Batch": object_of(positions=list_of({"oneOf": [schema_of("Worth"), schema_of("Error")]})),
}
