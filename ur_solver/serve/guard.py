"""The checks of every request, and the headers of every answer: an ASGI middleware.

The server runs on the user's machine, where other sites' pages can make the browser send requests.
So the Host header must name the server: another site's domain that points to 127.0.0.1 is
refused (DNS rebinding). A request with a body must come from a page of the server, or from no
page at all. No other site may read, frame or script the answers.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The content security policy: everything from the server itself, and nothing inline."""

HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]{1,255})(?::[0-9]{1,5})?")


MAX_REQUESTS = 200
"""The most requests that are answered at the same time; further ones get status 503."""


def refusal(sentence: str) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """The headers and the body of an answer that refuses a request before anything reads it."""
    body = json.dumps({"message": sentence, "place": None}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    return headers, body


class Guard:
    """Pass valid requests; refuse the rest with 400, 403 or 503 and one sentence.

    Parameters
    ----------
    app : ASGI application
    names : iterable of str
        The host names of the server, besides ``localhost`` and any IP address, which no other
        domain can take. A page that came from one of them may send bodies, also where a proxy
        puts its own name for the server into the Host header.
    """

    def __init__(self, app: Application, names: Iterable[str] = ()) -> None:
        self._app = app
        self._given = {name.lower() for name in names}
        self._names = {"localhost", *self._given}
        self._under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return

        has_started = False

        async def send_on(message: Message) -> None:
            nonlocal has_started
            if message["type"] == "http.response.start":
                has_started = True
                message = {**message, "headers": [*message["headers"], *HEADERS]}
            await send(message)

        refused = self._refusal(scope)
        if refused is not None:
            await self._refuse(*refused, send_on)
            return
        self._under_way += 1
        try:
            await self._app(scope, receive, send_on)
        except asyncio.CancelledError:  # which is how the server ends a request that takes long
            if has_started:
                raise
            await self._refuse(503, "the server is being stopped", send_on)
        finally:
            self._under_way -= 1

    @staticmethod
    async def _refuse(status: int, sentence: str, send: Send) -> None:
        headers, body = refusal(sentence)
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """The status and the sentence that refuse a request; None if it passes."""
        headers: dict[bytes, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name, []).append(value.decode("latin-1"))
        hosts = headers.get(b"host", [])
        if len(hosts) != 1 or not self.goes_by(hosts[0]):
            given = ", ".join(hosts)
            return 400, (
                f"the host {given!r:.100} is none that this server goes by; "
                "'ur serve --name' adds a name"
            )
        if scope["method"] not in ("GET", "HEAD") and not self._is_own_page(headers, hosts[0]):
            return 403, "a page of another site may not send anything here"
        if self._under_way >= MAX_REQUESTS:
            return 503, f"the server is answering {MAX_REQUESTS} requests; try again"
        return None

    def _is_own_page(self, headers: dict[bytes, list[str]], host: str) -> bool:
        """Whether a page of the server, or a program, sends a request.

        Browsers say whether a page is of the same origin over HTTPS and to this machine, and else
        only what origin it has.
        """
        site = headers.get(b"sec-fetch-site")
        if site is not None and site != ["none"]:
            return site == ["same-origin"]
        origins = [each.partition("://")[2] for each in headers.get(b"origin", [])]
        return all(each == host or self._name_of(each) in self._given for each in origins)

    def goes_by(self, host: str) -> bool:
        """Whether a Host header, with its port or without, names this server."""
        name = self._name_of(host)
        if name is None or name in self._names:
            return name is not None
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return True

    @staticmethod
    def _name_of(host: str) -> str | None:
        """The name in a Host header, without its port; None if it is malformed."""
        found = _HOST.fullmatch(host)
        return None if found is None else found[1].lower().rstrip(".")
