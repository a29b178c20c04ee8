"""The application: the routes of the interface, and their handlers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
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
from ur_solver.common.text import decoded, dumped, encoded, json_values
from ur_solver.errors import InputError, UrError
from ur_solver.estimators.evaluator import Evaluator
from ur_solver.records import NOTATIONS
from ur_solver.records.source import text_of
from ur_solver.rules import RuleSet, digest_of, named_rules
from ur_solver.rules.game import catalogued
from ur_solver.serve.answers import (
    audit_text,
    batch_values,
    converted_text,
    fault_values,
    position_answer,
    report_text,
    state_values,
)
from ur_solver.serve.front import Application, Front, Guard
from ur_solver.serve.interface import (
    OPERATIONS,
    GamesAsked,
    Json,
    Operation,
    RefusedError,
    checked,
    document,
)
from ur_solver.serve.page_app import COMPRESSED, is_known, page_routes, reply, tag_of, unchanged
from ur_solver.serve.page_files import page_files
from ur_solver.serve.rules_data import (
    answering_values,
    games_values,
    prose_values,
    rules_data,
    rules_values,
    table_values,
    whole_table_values,
    with_sentences,
)

JSON = "application/json"

MAX_BODY = 1 << 20
"""The most bytes of a request's body."""

BODY_SECONDS = 10.0
"""The seconds that a body may take to arrive."""

_CACHED = 4096
"""The number of cached answers to positions, of 2 to 10 kB."""


def make_app(tables: Mapping[str, Evaluator], front: Front | None = None) -> Application:
    """The application, behind its guard; `tables` are by the ids under which they are served."""
    front = front or Front()
    served = _Served(tables, front.root_path)
    routes = [
        Route(
            f"/api/v1{path}",
            partial(_answered, served.handler(path), operation),
            methods=["POST" if operation.has_body else "GET"],
        )
        for path, operation in OPERATIONS.items()
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
    """The handlers, bound to the tables; each gets a request, and by name what it asks for."""

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

    def _table(self, request: Request) -> Evaluator:
        """The table in the request's path."""
        name = request.path_params["table"]
        if name not in self._tables:
            known = ", ".join(self._tables)
            raise RefusedError(404, f"there is no table {name!r:.60}; the tables are {known}")
        return self._tables[name]

    def _source(self, request: Request) -> tuple[RuleSet, Evaluator | None]:
        """The rule set in the request's path, and the table if it names one."""
        if "rules" in request.path_params:
            return _rules_of(request.path_params["rules"]), None
        table = self._table(request)
        return table.rules, table

    async def _in_thread(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Run a function that may take seconds in a thread, while other requests are answered."""
        return await anyio.to_thread.run_sync(function, *arguments, limiter=self._heavy)

    # Tables and positions.

    async def openapi(self, request: Request) -> Response:
        """The document of this interface."""
        return _kept(request, ("openapi", self._root_path), lambda: document(self._root_path))

    async def tables(self, request: Request) -> Response:
        """All tables that are served."""
        digests = [each.digest for each in self._tables.values()]
        return _kept(
            request, digests, lambda: {"tables": [self._in_list(name) for name in self._tables]}
        )

    async def table(self, request: Request) -> Response:
        """One table, with its rule set."""
        table, name = self._table(request), request.path_params["table"]
        return _kept(
            request,
            (table.digest, name),
            lambda: rules_values(table.rules) | whole_table_values(name, table),
        )

    async def data(self, request: Request) -> Response:
        """A rule set as data, with what is said of its table."""
        rules, table = self._source(request)
        if table is None:
            tag = ("data", rules.word, digest_of(rules))
            return _kept(request, tag, lambda: rules_data(rules))
        name = request.path_params["table"]
        return _kept(
            request,
            ("data", table.digest, name),
            lambda: rules_data(rules, whole_table_values(name, table)),
        )

    async def values(self, request: Request, states: list[list[int]]) -> Response:
        """The values of many encoded states."""
        values = await anyio.to_thread.run_sync(state_values, self._table(request), states)
        return reply(dumped(values), JSON)

    async def position(self, request: Request, position: str) -> Response:
        """A position with all throws and moves; of a rule set without values."""
        rules, table = self._source(request)
        name = request.path_params.get("table")
        etag = _tag(table.digest if table else rules.word, position)
        if is_known(request, etag):
            return unchanged(etag)
        return reply(self._position(name or rules.word, name is not None, position), JSON, etag)

    def _find_position(self, name: str, is_table: bool, text: str) -> bytes:
        table = self._tables[name] if is_table else None
        rules = table.rules if table is not None else named_rules(name)
        return dumped(position_answer(table, rules.position(text)))

    async def positions(self, request: Request, positions: list[object]) -> Response:
        """The values of many positions, with an error for each invalid one."""
        values = await self._in_thread(batch_values, self._table(request), positions)
        return reply(dumped(values), JSON)

    # Games.

    async def dice(self, request: Request, light: Json, dark: Json) -> Response:
        """Counts of throws compared with those of fair dice."""
        rules, _ = self._source(request)
        return reply(dumped(await self._in_thread(compared_throws, rules.dice, light, dark)), JSON)

    async def audit(self, request: Request, text: str) -> Response:
        """The audit of a text's games."""
        found = await self._in_thread(audit_text, self._table(request), text)
        warnings = request.state.warnings
        return reply(dumped(found | {"warnings": warnings} if warnings else found), JSON)

    async def report(self, request: Request, text: str) -> Response:
        """The audit of a text's games as a page."""
        page = await self._in_thread(report_text, self._table(request), text)
        return _attachment(page, "text/html; charset=utf-8", "report.html")

    async def convert(self, request: Request, text: str, notation: str) -> Response:
        """A text's games in another notation."""
        rules, _ = self._source(request)
        if notation not in NOTATIONS:
            raise RefusedError(
                400, f"notation is {notation!r:.60}; the notations are {', '.join(NOTATIONS)}"
            )
        written = await self._in_thread(converted_text, rules, text, notation)
        name = f"game{NOTATIONS[notation].suffixes[0]}"
        return _attachment(written, "text/plain; charset=utf-8", name)

    # Rule sets without a table.

    async def rule_sets(self, request: Request) -> Response:
        """All rule sets, as games to choose from, and what answers for them."""
        digests = [each.digest for each in self._tables.values()]
        return _kept(
            request,
            ("rules", *self._tables, *digests),
            lambda: with_sentences(
                {
                    "rules": games_values(),
                    "tables": [answering_values(*each) for each in self._tables.items()],
                }
            ),
        )

    async def rules(self, request: Request) -> Response:
        """One rule set."""
        rules, _ = self._source(request)
        return _kept(request, (rules.word,), lambda: rules_values(rules))

    async def prose(self, request: Request) -> Response:
        """The rules of a rule set in prose."""
        rules, _ = self._source(request)
        return _kept(request, ("prose", rules.word, digest_of(rules)), lambda: prose_values(rules))


# Requests.


def _rules_of(word: str) -> RuleSet:
    """The catalogue's rule set in an address; no file is ever opened.

    Status 404 if there is none; RuleSetError if it cannot have this number of pieces.
    """
    if catalogued(word.partition(":")[0]) is None:
        raise RefusedError(404, f"unknown rules {word!r:.60}; /api/v1/rules lists them")
    return named_rules(word)


def _query(request: Request) -> dict[str, str]:
    """The parameters of a query, each at most once."""
    pairs = request.query_params.multi_items()
    values = dict(pairs)
    if len(values) < len(pairs):
        raise RefusedError(400, "a parameter is given twice")
    return values


async def _body(request: Request, has_games: bool) -> Any:
    """The JSON values of a body. One that has games need not be UTF-8, as files of games need not.

    Warnings about what was read otherwise than it is written go into the request's state.
    """
    kind, _, _ = request.headers.get("content-type", "").partition(";")
    if kind.strip().lower() != JSON:
        raise RefusedError(415, f"expected a body of type {JSON}")
    text = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):  # a body that never ends
            async for part in request.stream():
                text += part
                if len(text) > MAX_BODY:  # one that fills the memory
                    raise RefusedError(413, f"the body has more than {MAX_BODY:,} bytes")
    except TimeoutError:
        raise RefusedError(
            408, f"the body took more than {BODY_SECONDS:g} seconds to arrive"
        ) from None
    try:
        decode = partial(text_of, warn=request.state.warnings.append) if has_games else decoded
        return json_values(decode(bytes(text)), keys_once=True)
    except (ValueError, RecursionError) as error:
        raise RefusedError(400, f"the body is not JSON: {error!s:.200}") from None


# Replies.


async def _answered(handler: Handler, operation: Operation, request: Request) -> Response:
    """The answer of a handler to a request, or its error as one sentence."""
    request.state.warnings = []
    try:
        has_games = issubclass(operation.asked, GamesAsked)
        given = await _body(request, has_games) if operation.has_body else _query(request)
        return await handler(request, **checked(given, operation.asked))
    except RefusedError as error:
        return _error(error.status, str(error))
    except InputError as error:
        return _error(400, str(error))
    except UrError as error:  # for example a damaged table
        return _error(503, str(error))
    except ClientDisconnect:
        return _error(400, "the request breaks off")


def _kept(request: Request, parts: Iterable[str], make: Callable[[], Json]) -> Response:
    """JSON that clients keep under a tag of all that it depends on; made if they have it not."""
    etag = _tag(*parts)
    return unchanged(etag) if is_known(request, etag) else reply(dumped(make()), JSON, etag)


def _attachment(text: str, kind: str, name: str) -> Response:
    """A text that a browser saves as a file of that name."""
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    return Response(encoded(text), media_type=kind, headers=headers)


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
    return tag_of((__version__, *parts))
