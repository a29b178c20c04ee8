"""The files of the board's page, by address. They are served without any table."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache, partial
from importlib import resources

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ur_solver.rules import named_rules
from ur_solver.rules.drawing.styles import board_style, page_style, picture_style
from ur_solver.rules.drawing.svg import board_svg
from ur_solver.rules.position import parse_any_position
from ur_solver.serve.guard import Application
from ur_solver.serve.replies import HTML, is_known, reply, tag_of, unchanged

COMPRESSED = Middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
"""The least size to compress, for clients that accept it; smaller files fit a packet."""

_TYPES = {
    "html": HTML,
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
}
"""Types by suffix, written out: some systems have others for these in their registry."""


Files = Mapping[str, tuple[bytes, str]]
"""Content and type of files, by address."""


@lru_cache(maxsize=1)
def page_files() -> Files:
    """The page's files, read once."""
    files = {
        f"/{file.name}": file.read_bytes()
        for file in (resources.files("ur_solver.serve") / "page").iterdir()
        if file.name.rpartition(".")[2] in _TYPES
    }
    files["/"] = files.pop("/index.html").replace(b"<!-- board -->", _empty_board())
    files["/style.css"] = page_style().encode() + files["/style.css"]
    files["/board.css"] = board_style().encode()
    files["/picture.css"] = picture_style().encode()
    kinds = {path: _TYPES[path.rpartition(".")[2] if "." in path else "html"] for path in files}
    return {path: (content, kinds[path]) for path, content in files.items()}


def _empty_board() -> bytes:
    """The board of nearly all rule sets, as a placeholder for the actual one."""
    rules = named_rules("finkel:1")
    squares, side, *_ = rules.start().notation.split()
    drawn = board_svg(parse_any_position(rules, f"{squares} {side} 0 0"))
    return f'<div inert aria-hidden="true">{drawn}</div>'.encode()


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
