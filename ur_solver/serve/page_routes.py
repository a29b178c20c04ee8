"""The routes of the page's files, and an application that has no others."""

from __future__ import annotations

import hashlib
from functools import partial

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ur_solver.serve.guard import Application
from ur_solver.serve.page_files import Files
from ur_solver.serve.replies import is_known, reply, tag_of, unchanged

COMPRESSED = Middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
"""The least size to compress, for clients that accept it; smaller files fit a packet."""


def page_routes(files: Files) -> list[Route]:
    """The routes of files."""
    return [
        Route(path, partial(_file, content, kind, tag_of(hashlib.sha256(content).hexdigest())))
        for path, (content, kind) in files.items()
    ]


def page_app(files: Files) -> Application:
    """An application that serves the files only."""
    return Starlette(routes=page_routes(files), middleware=[COMPRESSED])


async def _file(content: bytes, kind: str, etag: str, request: Request) -> Response:
    return unchanged(etag) if is_known(request, etag) else reply(content, kind, etag)
