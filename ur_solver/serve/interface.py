"""The HTTP interface as types: what requests hold and replies are made of, and its document.

msgspec checks requests by these types, and makes the schemas of the OpenAPI document of them. The
tests hold replies to the schemas and replay all examples, which ask for a table of finkel with
three pieces, ``finkel-3``.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from ur_solver import __version__
from ur_solver.common.text import printable

Json = dict[str, Any]

_SCHEMAS = "#/components/schemas/"

MAX_BATCH = 10_000
"""The most positions, or encoded states, of one request."""


class RefusedError(Exception):
    """A refused request: its status, and the reason in one sentence."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def checked(values: object, kind: type[Struct]) -> Json:
    """The values of a request by name; status 400 for those that are not of its type."""
    try:
        found = msgspec.convert(values, kind, str_keys=True)
    except msgspec.ValidationError as error:
        known = ", ".join(kind.__struct_encode_fields__) or "none"
        reason = printable(str(error)).replace("\n", " ")
        raise RefusedError(400, f"{reason:.200}; expected {known}") from None
    return {name: getattr(found, name) for name in kind.__struct_fields__}


class Object(Struct, forbid_unknown_fields=True):
    """Has these keys and no others."""


def note(text: str) -> Meta:
    """A description of a type, for the document."""
    return Meta(description=text)


_Kind = TypeVar("_Kind")
Maybe: TypeAlias = _Kind | UnsetType
"""What not all objects have."""

Side = Literal["light", "dark"]
Mark = Literal["inaccuracy", "mistake", "blunder"]
Verdict = Literal["best", "close", "worse"]
Chance = Annotated[float, Meta(ge=0, le=1)]
Count = Annotated[int, Meta(ge=0)]
TableId = Annotated[str, note("the table's name in addresses")]
Throw = Annotated[int | list[int], note("two numbers where the first throw earns a second")]
_POSITION_PATTERN = r"^\s*[^\s/]+/[^\s/]+/[^\s/]+\s+[LD]\s+\S+\s+\S+(\s+p[0-9]+)?\s*$"
_POSITION = Meta(  # the notation's own reader says better what is wrong
    description="in the notation of positions: rows A, B and C, side to throw, homes, fines",
    extra_json_schema={"maxLength": 200, "pattern": _POSITION_PATTERN},
)
PositionText = Annotated[str, _POSITION]
_RECORD = Meta(
    description="games, in RoyalUr's JSON, RGN or the plain notation",
    extra_json_schema={"minLength": 1},
)
RecordText = Annotated[str, _RECORD]


# What requests hold.


class Nothing(Object):
    """Nothing is asked for besides."""


class PositionAsked(Object):
    """A position."""

    position: PositionText


_ANY = Meta(description="all else gets an error in its place", max_length=MAX_BATCH)
_STATES = Meta(
    description="seen from the side about to throw: by square, the number of what stands there in "
    "`contents` of the rule set's data; its pieces at home, then the other side's; with stakes the "
    "fines paid",
    max_length=MAX_BATCH,
)


class PositionsAsked(Object):
    """Many positions."""

    positions: Annotated[list[Any], _ANY]


class StatesAsked(Object):
    """Many positions as encoded states."""

    states: Annotated[list[list[Annotated[int, Meta(ge=0, lt=1 << 32)]]], _STATES]


class GamesAsked(Object):
    """Games."""

    text: RecordText


class ConvertAsked(GamesAsked):
    """Games, and a notation to write them in."""

    notation: str


Counts = Annotated[dict[Annotated[int, Meta(ge=0, le=999)], Count], note("how often, by throw")]


class DiceAsked(Object):
    """Counts of throws."""

    light: Counts
    dark: Counts


# What replies are made of: rule sets, and tables of them.


class Place(Object):
    """A place in a text."""

    line: int
    column: int | None


class Refusal(Object):
    """Why there is no answer, in one sentence."""

    message: str
    place: Place | None


class Fault(Refusal):
    """Why a game cannot be read."""

    game: int


class Measured(Object):
    """Throws a game with that count of pieces, and what says how much of it is luck or skill."""

    pieces: int
    throws: float
    greedy: Annotated[float, Meta(ge=0, le=1, description="what a rule of thumb wins of the games")]
    forced: Annotated[float, Meta(ge=0, le=1, description="the throws that leave no choice")]


class Game(Object):
    """A rule set as a game to choose from, in plain words, with the documents that have it."""

    name: str
    pieces: int
    title: str
    sentence: Annotated[str, note("what sets it apart")]
    sources: list[str]
    measured: Measured | None
    settings: Annotated[dict[str, Any] | None, note("those that RoyalUr's JSON has of its games")]


class Answering(Object):
    """A table, or an estimator, and the game of the catalogue that it answers for."""

    id: TableId
    game: str | None
    pieces: int
    exact: Annotated[bool, note("false of an estimator")]


Said = Annotated[
    dict[str, list[Any]],
    note("by text, its sentences: keys with arguments, by which the page translates them"),
]


class Games(Object):
    """All rule sets, and what answers for them."""

    rules: list[Game]
    tables: list[Answering]
    said: Said


class TableFacts(Object):
    """What is said of a table; of an estimator `value_type` and `tolerance` are null."""

    id: TableId
    word: Annotated[str, note("the rule set and its count of pieces")]
    name: str
    pieces: int
    positions: int
    value_type: Literal["float64", "float32", "uint16"] | None
    tolerance: float | None
    error: Annotated[float | None, note("proven of all values; of an estimator, of the start's")]
    digest: Annotated[str, note("SHA-256 of all that the table holds")]
    value: Annotated[float, note("of the start, with a free first throw")]
    opening_value: Maybe[Annotated[float, note("the first player's, as a game begins")]] = UNSET
    exact: Maybe[Annotated[bool, note("false of an estimator")]] = UNSET
    plies: Maybe[Annotated[int, note("how far an estimator looks ahead")]] = UNSET
    agreement: Maybe[
        Annotated[float, note("how the errors of the values of two moves correlate")]
    ] = UNSET


class Tables(Object):
    """The tables that are served."""

    tables: list[TableFacts]


class BoardFacts(Object):
    """The board of a rule set: what squares mean, what they hold, which may hold several pieces."""

    rows: Annotated[list[str], note("rows A, B and C: '.' a square, '_' none")]
    rosettes: list[str]
    pieces_on: dict[str, list[str]]
    words: dict[str, str]
    shared: list[str]


class Paths(Object):
    """The squares of both sides' paths, in order."""

    light: list[str]
    dark: list[str]


class Face(Object):
    """A throw of the dice, and how far it moves a piece."""

    throw: int
    probability: Chance
    fraction: str
    steps: int


class Look(Object):
    """How the dice are drawn: by throw, how many show their mark, or a die's pips."""

    kind: Literal["pyramids", "sticks", "die", "number"]
    count: int
    marks: dict[str, int]


class StakesFacts(Object):
    """What is at stake."""

    ante: int
    fine: int
    reach: int


class Rules(Game):
    """A rule set."""

    word: str
    rules: Annotated[Json, note("as `ur rules NAME --json` writes them")]
    board: BoardFacts
    paths: Paths
    dice: list[Face]
    look: Look
    start: str
    opening: Annotated[str | None, note("who is first: lots, highest, one or ben")]
    opening_throw: Annotated[int | None, note("the first of a game, where the rules give it")]
    choices: Annotated[list[str], note("before a throw")]
    is_numbered: bool
    stakes: StakesFacts | None
    record_rules: Annotated[str, note("as a record in the plain notation names the rule set")]
    notations: Annotated[list[str], note("in which games can be written")]


Players = Annotated[
    dict[str, float],
    note("temperatures: a move that loses as much is played 1/e times as often as the best"),
]
WholeTable = msgspec.defstruct(  # classes of types have one base each
    "WholeTable",
    [
        *(
            (each.name, each.type) if each.required else (each.name, each.type, UNSET)
            for each in msgspec.structs.fields(TableFacts)
        ),
        ("players", Players),
    ],
    bases=(Rules,),
    kw_only=True,
    forbid_unknown_fields=True,
)
"""A table with its rule set."""


class RulesData(Object):
    """A rule set as data: moves, positions and drawings (`ur_solver.serve.rules_data`)."""

    version: int
    about: Annotated[Json, note("the rule set, or the table")]
    contents: Annotated[list[list[str]], note("by square, what may stand there, by number")]
    tables: Annotated[Json, note("the tables of moves")]
    has_rests: bool
    movers: list[Any]
    types: list[Any]
    rolls: Json
    decision_marks: list[str]
    payoff: Json
    faults: list[dict[str, list[str]]]
    opening: Json | None
    rgn: Json | None
    stacks: list[str]
    drawing: Json
    said: Said


class Block(Object):
    """A paragraph or an item as runs of a style and a text; a text as it is; or a drawing."""

    kind: Literal["p", "li", "pre", "board"]
    runs: Maybe[list[tuple[str, str]]] = UNSET
    text: Maybe[str] = UNSET
    svg: Maybe[str] = UNSET


class Section(Object):
    """A section of the rules."""

    title: str
    blocks: list[Block]


class Prose(Object):
    """The rules in prose; the sentences in `short` are enough to begin a game."""

    word: str
    title: str
    short: list[str]
    sources: list[str]
    sections: list[Section]
    said: Said


# Positions.

Error = Annotated[float, note("of an estimate: half the width of its 95 % interval")]
LossError = Annotated[float, note("of an estimator: the error of the comparison with the best")]
IsExact = Annotated[bool, note("of an estimator: whether the value is exact")]
Worths = dict[str, float | None]


class Values(Object):
    """The values of encoded states; errors are proven, or those of estimates, or not known."""

    values: list[float]
    errors: list[float] | None
    chances: Maybe[Annotated[list[Chance], note("with stakes: to win, if that alone counted")]] = (
        UNSET
    )


class Worth(Object):
    """The value of a position to the side about to throw: a chance to win, or money with stakes."""

    position: str
    value: Maybe[float] = UNSET
    tolerance: Maybe[Annotated[float | None, note("null of an estimate")]] = UNSET
    error: Maybe[Annotated[float | None, note("proven, or null; or that of an estimate")]] = UNSET
    exact: Maybe[IsExact] = UNSET
    cut_error: Maybe[Annotated[float, note("with stakes: of the limited number of fines")]] = UNSET
    chance: Maybe[Annotated[Chance, note("with stakes: to win, if that alone counted")]] = UNSET


_WORTH_OR_REFUSAL = {"oneOf": [{"$ref": f"{_SCHEMAS}Worth"}, {"$ref": f"{_SCHEMAS}Refusal"}]}


class Batch(Object):
    """The values of many positions; an error in the place of each that is none."""

    positions: list[Annotated[Json, Meta(extra_json_schema=_WORTH_OR_REFUSAL)]]


class Estimated(Object):
    """What is said of an estimator's values."""

    exact: Maybe[IsExact] = UNSET
    error: Maybe[Error] = UNSET


class Move(Estimated, kw_only=True):
    """A move from a square or home to a square or off, with its value to the side that makes it."""

    move: str
    from_: str = field(name="from")
    to: str
    again: Annotated[bool, note("whether the same side throws again")]
    capture: bool
    position: Annotated[str, note("after the move")]
    value: Maybe[float] = UNSET
    loss: Maybe[Annotated[float, note("against the best move")]] = UNSET
    loss_error: Maybe[LossError] = UNSET
    mark: Maybe[Mark | None] = UNSET
    chance: Maybe[Chance] = UNSET
    cost: Maybe[Annotated[int, note("the fine that the move costs")]] = UNSET


class Thrown(Estimated, kw_only=True):
    """A throw in a position, after a choice; its moves, the best first, none where it passes."""

    choice: Maybe[str] = UNSET
    throw: Throw
    probability: Chance
    value: Maybe[Annotated[float, note("after the best move, or the pass")]] = UNSET
    luck: Maybe[Annotated[float, note("how much more that is than before the throw")]] = UNSET
    best: Maybe[str | None] = UNSET
    moves: list[Move]


class Position(Worth, kw_only=True):
    """A position with all throws and moves; choices that are not allowed are worth null."""

    side: Annotated[Side, note("the side about to throw")]
    winner: Side | None
    is_draw: bool
    total: Annotated[int, note("what both sides' values sum to")]
    after_pass: Annotated[str, note("the position after a turn without a move")]
    choices: Maybe[Worths] = UNSET
    choice_marks: Maybe[dict[str, Mark | None]] = UNSET
    choice_errors: Maybe[dict[str, Error]] = UNSET
    choice_loss_errors: Maybe[dict[str, LossError]] = UNSET
    throws: list[Thrown]


# Games.


class Ply(Estimated, kw_only=True):
    """A throw of a game with its move; or, where the throw is null, a choice before it."""

    side: Side
    position: str
    choice: str | None
    throw: Throw | None
    move: str | None
    best: Maybe[str | None] = UNSET
    value: Maybe[Annotated[float, note("to the side about to throw")]] = UNSET
    best_value: Maybe[float] = UNSET
    loss: Maybe[float] = UNSET
    luck: Maybe[float] = UNSET
    loss_error: Maybe[LossError] = UNSET
    verdict: Maybe[Annotated[Verdict | None, note("close: too close to call")]] = UNSET
    mark: Maybe[Mark | None] = UNSET
    options: Maybe[Annotated[int, note("how many moves, or choices, there were")]] = UNSET
    cost: Maybe[Annotated[int, note("the fine that the move cost")]] = UNSET
    position_after: Maybe[str] = UNSET


class Player(Object, kw_only=True):
    """What one side has made of its choices; `conceded` is what a side gave up with the game.

    `best`, `close` and `worse` count the choices that were the best, too close to call and worse;
    `loss` is that of all, `worse_loss` that of the last.
    """

    choices: int
    best: int
    close: int
    worse: int
    loss: float
    worse_loss: float
    loss_error: Maybe[Error] = UNSET
    luck: float
    cost: Maybe[int] = UNSET
    conceded: Maybe[float] = UNSET


class Names(Object):
    """The players."""

    light: str | None
    dark: str | None


class Audit(Estimated, kw_only=True):
    """A judged game; values are to light."""

    file: str
    rules: str
    winner: Side | None
    ending: str
    first_throw: Annotated[int, note("the number of the first that is judged")]
    start_value: float
    light: Player
    dark: Player
    rounds: Annotated[str | None, note("of the opening, as a record writes them")]
    opening: Maybe[Annotated[list[Ply], note("the throws of both sides in its rounds")]] = UNSET
    plies: list[Ply]
    game: int
    names: Names
    start: str
    position: Annotated[str, note("where the record stops")]
    end_value: Annotated[float, note("of the last position")]
    result_value: Annotated[float, note("all or nothing after a resignation")]
    result: str
    account: str


class Audits(Object):
    """The games of a text, judged."""

    games: list[Audit]
    faults: list[Fault]
    warnings: Maybe[Annotated[list[str], note("what was read otherwise than it is written")]] = (
        UNSET
    )


class ThrowCount(Object):
    """How often a throw fell."""

    throw: int
    count: int
    expected: float
    probability: Chance


class Throws(Object):
    """Counts of throws, compared with those of fair dice."""

    throws: Annotated[int, note("their number")]
    counts: list[ThrowCount]
    mean: float | None
    fair_mean: float
    fair_error: Annotated[float | None, note("95 % of the means of fair dice are as near")]
    chance: Annotated[Chance | None, note("of fair series, those with counts at least as uneven")]
    mean_chance: Annotated[Chance | None, note("those with a mean at least as far off")]
    shift: Annotated[float | None, note("of the mean, that is found in four of five series")]
    verdict: Literal["usual", "rare", "very rare", "nothing"]
    text: Annotated[str, note("what this says, in a sentence or two")]


class Dice(Object):
    """The throws of both sides, compared."""

    light: Throws
    dark: Throws
    both: Throws


# The operations.

_START = "....__../......../....__.. L 3 3"
_MIDDLE = "L...__../..D...../....__.. L 2 2"
_GAME = "rules: finkel:3\n\nL 2 A@A3\nD 1 C@C4\nend: unfinished"
_STATE = [0] * 20 + [3, 3]

_EXAMPLES = {"table": "finkel-3", "rules": "finkel:3"}
"""Of the parts of a path."""


class Operation(NamedTuple):
    """What may be asked for at a path.

    `reply` is a type, or the media type of what is no JSON. `asked` is the type of a body, or of a
    query; `examples` are some.
    """

    summary: str
    reply: type[Struct] | str | None
    asked: type[Struct] = Nothing
    examples: tuple[Json, ...] = ({},)

    @property
    def has_body(self) -> bool:
        """Whether it is asked for by a body."""
        return self.asked not in (Nothing, PositionAsked)


_TEXT = ({"text": _GAME},)


def _of_both(root: str, note: str) -> dict[str, Operation]:
    """The operations that tables and rule sets share, under their path."""
    positions = ({"position": _START}, {"position": _MIDDLE})
    return {
        f"{root}/data": Operation(f"The rule set as data{note}", RulesData),
        f"{root}/prose": Operation("The rules in prose", Prose),
        f"{root}/position": Operation(
            f"A position with all throws and moves{note}", Position, PositionAsked, positions
        ),
        f"{root}/convert": Operation(
            "Games in another notation",
            "text/plain",
            ConvertAsked,
            ({"text": _GAME, "notation": "rgn"},),
        ),
        f"{root}/dice": Operation(
            "Counts of throws, compared with those of fair dice",
            Dice,
            DiceAsked,
            ({"light": {"0": 1, "2": 9}, "dark": {"1": 4, "3": 2}},),
        ),
    }


OPERATIONS = {
    "/openapi.json": Operation("This document", None),
    "/tables": Operation("The tables that are served", Tables),
    "/tables/{table}": Operation("A table", WholeTable),
    "/tables/{table}/values": Operation(
        "The values of many encoded states", Values, StatesAsked, ({"states": [_STATE]},)
    ),
    "/tables/{table}/positions": Operation(
        "The values of many positions",
        Batch,
        PositionsAsked,
        ({"positions": [_START, "no position"]},),
    ),
    "/tables/{table}/audit": Operation("The audit of games", Audits, GamesAsked, _TEXT),
    "/tables/{table}/report": Operation(
        "The audit of games, as a page", "text/html", GamesAsked, _TEXT
    ),
    "/rules": Operation("All rule sets, and the tables and estimators that answer for them", Games),
    "/rules/{rules}": Operation("A rule set", Rules),
    **_of_both("/tables/{table}", ""),
    **_of_both("/rules/{rules}", ", without values"),
}
"""By path. GET asks for them, and POST for those with a body."""


def document(root_path: str = "") -> Json:
    """The OpenAPI document, as JSON values, of a server under a path."""
    operations = OPERATIONS.values()
    kinds: set[type[Struct]] = {Worth, Refusal, *(each.asked for each in operations)}
    kinds |= {each.reply for each in operations if isinstance(each.reply, type)}
    named = sorted(kinds, key=lambda each: each.__name__)
    _, schemas = msgspec.json.schema_components(named, ref_template=f"{_SCHEMAS}{{name}}")
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
        "paths": {path: _described(path, each, schemas) for path, each in OPERATIONS.items()},
        "components": {"schemas": schemas},
    }


def _described(path: str, operation: Operation, schemas: Json) -> Json:
    """The operation of a path as OpenAPI has it."""
    reply, asked = operation.reply, operation.asked
    if isinstance(reply, str):
        content: Json = {reply: {}}
    else:
        schema = {"type": "object"} if reply is None else _reference(reply)
        content = {"application/json": {"schema": schema}}
    found: Json = {
        "summary": operation.summary,
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"},
             "example": example}
            for name, example in _EXAMPLES.items()
            if f"{{{name}}}" in path
        ],
        "responses": {
            "200": {"description": "the answer", "content": content},
            "4XX": {
                "description": "why there is none, in one sentence",
                "content": {"application/json": {"schema": _reference(Refusal)}},
            },
        },
    }  # fmt: skip
    if operation.has_body:
        body = {"schema": _reference(asked), "example": operation.examples[0]}
        found["requestBody"] = {"required": True, "content": {"application/json": body}}
        return {"post": found}
    schema = schemas[asked.__name__]
    found["parameters"] += [
        {
            "name": name,
            "in": "query",
            "required": name in schema["required"],
            "schema": each,
            "examples": {
                str(k): {"value": given[name]} for k, given in enumerate(operation.examples)
            },
        }
        for name, each in schema["properties"].items()
    ]
    return {"get": found}


def _reference(kind: type[Struct]) -> Json:
    return {"$ref": f"{_SCHEMAS}{kind.__name__}"}
