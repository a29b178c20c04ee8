"""Replies over HTTP: bodies with their types, and the tags by which a client keeps them."""

from __future__ import annotations

import hashlib
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ur_solver.common.text import dumped, encoded

JSON = "application/json"
TEXT = "text/plain; charset=utf-8"
HTML = "text/html; charset=utf-8"


def tag_of(*parts: str) -> str:
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


def json_reply(values: dict[str, Any], etag: str, request: Request) -> Response:
    """Values as JSON, or status 304 if the client has them."""
    return unchanged(etag) if is_known(request, etag) else reply(dumped(values), JSON, etag)


def attachment(text: str, kind: str, name: str) -> Response:
    """A text that a browser saves as a file of that name."""
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    return Response(encoded(text), media_type=kind, headers=headers)
