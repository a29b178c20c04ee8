"""The page over HTTP: replies, routes, and a server that has the page before anything else."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Collection, Iterable
from functools import partial

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ur_solver.serve.front import HEADERS, Application, Receive, Scope, Send
from ur_solver.serve.page_files import Files

COMPRESSED = Middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
"""The least size to compress, for clients that accept it; smaller files fit a packet."""


# Replies, and the tags by which clients keep them.


def tag_of(parts: Iterable[str]) -> str:
    """A weak tag, as a reply may be compressed, of everything that a reply depends on."""
    text = "\n".join(parts)
    return f'W/"{hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]}"'


def is_known(request: Request, etag: str) -> bool:
    """Whether the client has the reply with that tag."""
    known = request.headers.get("if-none-match")
    return known is not None and etag in (each.strip() for each in known.split(","))


def unchanged(etag: str) -> Response:
    """The reply to a client with a current copy."""
    return Response(status_code=304, headers={"etag": etag, "cache-control": "no-cache"})


def reply(body: bytes, kind: str, etag: str | None = None) -> Response:
    """A body of a type; kept by no client unless it has a tag."""
    cache = {"cache-control": "no-store"}
    if etag is not None:
        cache = {"cache-control": "no-cache", "etag": etag}
    return Response(body, media_type=kind, headers=cache)


# Routes.


def page_routes(files: Files) -> list[Route]:
    """The routes of files."""
    return [
        Route(path, partial(_file, content, kind, tag_of([hashlib.sha256(content).hexdigest()])))
        for path, (content, kind) in files.items()
    ]


def page_app(files: Files) -> Application:
    """An application that serves the files only."""
    return Starlette(routes=page_routes(files), middleware=[COMPRESSED])


async def _file(content: bytes, kind: str, etag: str, request: Request) -> Response:
    return unchanged(etag) if is_known(request, etag) else reply(content, kind, etag)


# Serving from the first moment.

_FAILED = b"the server could not be started; its terminal says why\n"


class Opening:
    """An ASGI application that another one replaces when it is loaded.

    NumPy, HDF5 and the tables take a quarter of a second to load. A browser needs as long to load
    the page and compile its scripts, so the two are done at the same time: until then `page`
    answers requests for `paths`. Other requests wait, and get an error if loading fails.
    """

    def __init__(
        self, page: Application, paths: Collection[str], app: asyncio.Future[Application]
    ) -> None:
        self._page, self._paths, self._app = page, paths, app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if not self._app.done() and scope["path"] in self._paths:
            await self._page(scope, receive, send)
            return
        await asyncio.wait([self._app])
        if self._app.exception() is None:
            await self._app.result()(scope, receive, send)
            return
        headers = [(b"content-type", b"text/plain; charset=utf-8"), *HEADERS]
        await send({"type": "http.response.start", "status": 503, "headers": headers})
        await send({"type": "http.response.body", "body": _FAILED})
