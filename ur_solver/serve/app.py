"""The application: the routes of the interface, and their handlers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache, partial
from typing import Any

import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from ur_solver import __version__
from ur_solver.audit.dice_test import compared_throws
from ur_solver.common.text import dumped
from ur_solver.errors import InputError, PositionSyntaxError, UrError
from ur_solver.estimators.evaluator import Evaluator, position_values
from ur_solver.records import NOTATIONS
from ur_solver.rules import LIGHT, digest_of, named_rules
from ur_solver.serve import openapi
from ur_solver.serve.asked import (
    RefusedError,
    counts_of,
    json_body,
    parameters,
    rules_of_word,
    turns_of,
    view_of,
)
from ur_solver.serve.describe import (
    answering_values,
    rules_values,
    table_values,
    whole_table_values,
)
from ur_solver.serve.drawn import exercise_values
from ur_solver.serve.front import Front
from ur_solver.serve.guard import Application, Guard
from ur_solver.serve.judged import (
    audit_text,
    converted_text,
    fault_values,
    line_values,
    report_text,
)
from ur_solver.serve.page_files import page_files
from ur_solver.serve.page_routes import COMPRESSED, page_routes
from ur_solver.serve.plain import games_values, prose_values
from ur_solver.serve.replies import (
    HTML,
    JSON,
    TEXT,
    attachment,
    is_known,
    json_reply,
    reply,
    tag_of,
    unchanged,
)
from ur_solver.serve.rounds import opening_values
from ur_solver.serve.unfold import Json, ServedRules, Unfolded, board_values

MAX_BODY = 1 << 20
"""The most bytes of a request's body."""

MAX_BATCH = 10_000
"""The most positions of one request."""

BODY_SECONDS = 10.0
"""The seconds that a body may take to arrive."""

_CACHED = 4096
"""The number of cached answers to positions, of 2 to 10 kB."""


def make_app(tables: Mapping[str, Evaluator], front: Front | None = None) -> Application:
    """The application, behind its guard.

    Parameters
    ----------
    tables : mapping of str to Table or Estimator
        By the id under which each is served (`ur_solver.serve.shelf.Shelf`).
    front : Front, optional
        The names and the path of the server.
    """
    front = front or Front()
    served = _Served(tables, front.root_path)
    routes = [
        Route(
            f"/api/v1{path}",
            partial(_answered, served.handler(path), operation),
            methods=[method.upper()],
        )
        for path, operations in openapi.PATHS.items()
        for method, operation in operations.items()
    ]
    app = Starlette(
        routes=[*routes, *page_routes(page_files())],
        middleware=[COMPRESSED],
        exception_handlers={HTTPException: _refused, Exception: _failed},
    )
    app.router.redirect_slashes = False
    return Guard(app, front.names)


Handler = Callable[..., Awaitable[Response]]

_NAMED = {"/openapi.json": "openapi", "/rules": "rule_sets"}
"""Handlers by path, where they do not have the name of its last part."""


class _Served:
    """The handlers, bound to the tables.

    Each gets a request, and by name the parameters of its query and the values of its body, as
    `ur_solver.serve.openapi` lists them.
    """

    def __init__(self, tables: Mapping[str, Evaluator], root_path: str) -> None:
        self._tables = tables
        self._root_path = root_path
        self._heavy = anyio.CapacityLimiter(1)  # one game at a time: h5py reads one by one anyway
        self._position = lru_cache(_CACHED)(self._find_position)
        # an estimator takes seconds for the value of an opening
        self._in_list = lru_cache(None)(lambda name: table_values(name, tables[name]))

    def handler(self, path: str) -> Handler:
        """The method that answers requests for a path."""
        found: Handler = getattr(self, _NAMED.get(path) or path.rpartition("/")[2].strip("{}"))
        return found

    # Requests.

    def _source(self, request: Request) -> ServedRules:
        """The table, or the rule set, in the request's path."""
        if "rules" in request.path_params:
            return ServedRules(rules_of_word(request.path_params["rules"]))
        name = request.path_params["table"]
        if name not in self._tables:
            known = ", ".join(self._tables)
            raise RefusedError(404, f"there is no table {name!r:.60}; the tables are {known}")
        table = self._tables[name]
        return ServedRules(table.rules, table)

    # Tables and positions.

    async def openapi(self, request: Request) -> Response:
        """The document of this interface."""
        return json_reply(
            openapi.document(self._root_path), _tag("openapi", self._root_path), request
        )

    async def tables(self, request: Request) -> Response:
        """All tables that are served."""
        values = {"tables": [self._in_list(name) for name in self._tables]}
        return json_reply(values, _tag(*(each.digest for each in self._tables.values())), request)

    async def table(self, request: Request) -> Response:
        """One table, with its rule set."""
        source = self._source(request)
        assert source.table is not None
        name = request.path_params["table"]
        etag = _tag(source.table.digest, name)
        values = whole_table_values(source.table) | self._in_list(name)
        return json_reply(values, etag, request)

    async def position(
        self, request: Request, position: str, drawing: str | None = None
    ) -> Response:
        """A position with all throws and moves; of a rule set without values."""
        source, view = self._source(request), view_of(drawing)
        name = request.path_params.get("table")
        version = source.table.digest if source.table else source.rules.word
        etag = _tag(version, position, str(view))
        if is_known(request, etag):
            return unchanged(etag)
        body = self._position(name or source.rules.word, name is not None, position, view)
        return reply(body, JSON, etag)

    def _find_position(self, name: str, is_table: bool, text: str, view: str | None) -> bytes:
        table = self._tables[name] if is_table else None
        rules = table.rules if table is not None else named_rules(name)
        return dumped(Unfolded(ServedRules(rules, table), rules.position(text), view).answer())

    async def board(self, request: Request, position: str, drawing: str | None = None) -> Response:
        """The drawing of a position, which may have faults."""
        view = view_of(drawing) or LIGHT
        return reply(dumped(board_values(self._source(request).rules, position, view)), JSON)

    async def opening(
        self, request: Request, marker: str | None = None, drawing: str | None = None
    ) -> Response:
        """A round of the opening, with all throws."""
        view = view_of(drawing)
        return await self._found(opening_values, self._source(request), marker or None, view)

    async def exercises(self, request: Request, **asked: str) -> Response:
        """Decisions drawn from play, the same for the same seed."""
        return await self._found(exercise_values, self._source(request).table, asked)

    async def positions(self, request: Request, positions: list[object]) -> Response:
        """The values of many positions, with an error for each invalid one."""
        if len(positions) > MAX_BATCH:
            raise RefusedError(400, f"{len(positions)} positions; at most {MAX_BATCH:,} at once")
        return await self._found(_batch, self._source(request).table, positions)

    # Games.

    async def line(self, request: Request, start: str, turns: list[Any]) -> Response:
        """Turns played from a position."""
        source = self._source(request)
        position = source.rules.position(start)
        return await self._found(line_values, source, position, turns_of(turns))

    async def dice(self, request: Request, light: Json, dark: Json) -> Response:
        """Counts of throws compared with those of fair dice."""
        counts = counts_of("light", light), counts_of("dark", dark)
        return await self._found(compared_throws, self._source(request).rules.dice, *counts)

    async def audit(self, request: Request, text: str) -> Response:
        """The audit of a text's games."""
        return await self._found(audit_text, self._source(request).table, text)

    async def report(self, request: Request, text: str) -> Response:
        """The audit of a text's games as a page."""
        page = await self._in_thread(report_text, self._source(request).table, text)
        return attachment(page, HTML, "report.html")

    async def convert(self, request: Request, text: str, notation: str) -> Response:
        """A text's games in another notation."""
        source = self._source(request)
        if notation not in NOTATIONS:
            raise RefusedError(
                400, f"notation is {notation!r:.60}; the notations are {', '.join(NOTATIONS)}"
            )
        written = await self._in_thread(converted_text, source, text, notation)
        return attachment(written, TEXT, f"game{NOTATIONS[notation].suffixes[0]}")

    async def _in_thread(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Run a function that may take seconds in a thread, while other requests are answered."""
        return await anyio.to_thread.run_sync(function, *arguments, limiter=self._heavy)

    async def _found(self, function: Callable[..., Json], *arguments: Any) -> Response:
        """What such a function returns, as JSON that no client keeps."""
        return reply(dumped(await self._in_thread(function, *arguments)), JSON)

    # Rule sets without a table.

    async def rule_sets(self, request: Request) -> Response:
        """All rule sets, as games to choose from, and what answers for them."""
        tables = [answering_values(*each) for each in self._tables.items()]
        etag = _tag("rules", *self._tables, *(each.digest for each in self._tables.values()))
        return json_reply({"rules": games_values(), "tables": tables}, etag, request)

    async def rules(self, request: Request) -> Response:
        """One rule set."""
        rules = self._source(request).rules
        return json_reply(rules_values(rules), _tag(rules.word), request)

    async def prose(self, request: Request) -> Response:
        """The rules of a rule set in prose."""
        rules = self._source(request).rules
        return json_reply(prose_values(rules), _tag("prose", rules.word, digest_of(rules)), request)


async def _body(request: Request) -> bytes:
    """The body of a request, which is said to be JSON."""
    kind, _, _ = request.headers.get("content-type", "").partition(";")
    if kind.strip().lower() != JSON:
        raise RefusedError(415, f"expected a body of type {JSON}")
    text = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                text += part
                if len(text) > MAX_BODY:
                    raise RefusedError(413, f"the body has more than {MAX_BODY:,} bytes")
    except TimeoutError:
        raise RefusedError(
            408, f"the body took more than {BODY_SECONDS:g} seconds to arrive"
        ) from None
    return bytes(text)


def _batch(table: Evaluator, texts: list[object]) -> Json:
    """The figures of each position of a batch."""
    answers: list[Json | None] = []
    sound = []
    for text in texts:
        try:
            if not isinstance(text, str):
                raise PositionSyntaxError(f"{text!r:.60} is not a text")
            sound.append(table.rules.position(text))
            answers.append(None)
        except InputError as error:
            answers.append(fault_values(str(error)))
    values = zip(sound, table.values(sound).tolist(), strict=True)
    found = [
        position_values(table, *next(values)) if answer is None else answer for answer in answers
    ]
    return {"positions": found}


# Answers.


async def _answered(handler: Handler, operation: Json, request: Request) -> Response:
    """The answer of a handler to a request, or its error as one sentence."""
    try:
        asked = parameters(request.query_params.multi_items(), operation["parameters"])
        if "requestBody" in operation:
            content = operation["requestBody"]["content"][JSON]
            asked = json_body(await _body(request), content["schema"]["properties"])
        return await handler(request, **asked)
    except RefusedError as error:
        return _error(error.status, str(error))
    except InputError as error:
        return _error(400, str(error))
    except UrError as error:  # for example a damaged table
        return _error(503, str(error))
    except ClientDisconnect:
        return _error(400, "the request breaks off")


def _error(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    return Response(dumped(fault_values(message)), status, headers, media_type=JSON)


async def _refused(request: Request, error: Exception) -> Response:
    """The framework's own errors: unknown paths, methods, large bodies."""
    assert isinstance(error, HTTPException)
    sentences = {
        404: "there is nothing at this address; /api/v1/openapi.json lists what there is",
        405: "this address does not take that method; /api/v1/openapi.json lists what it takes",
    }
    sentence = sentences.get(error.status_code, error.detail)
    return _error(error.status_code, sentence, error.headers)


async def _failed(request: Request, error: Exception) -> Response:
    return _error(500, "the server has failed at this; its terminal says how")


def _tag(*parts: str) -> str:
    """The tag of an answer, which may change with the program."""
    return tag_of(__version__, *parts)
