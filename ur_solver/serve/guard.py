"""The checks of every request, and the headers of every answer: an ASGI middleware.

The server runs on the user's machine, where other sites' pages can make the browser send requests.
So the Host header must name the server: another site's domain that points to 127.0.0.1 is
refused (DNS rebinding). A request with a body must come from a page of the server, or from no
page at all. No other site may read, frame or script the answers.
"""

from __future__ import annotations

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


class Guard:
    """Pass valid requests; refuse the rest with 400, 403 or 405 and one sentence.

    Parameters
    ----------
    app : ASGI application
    names : iterable of str
        The host names of the server, besides ``localhost`` and any IP address, which no other
        domain can take.
    """

    def __init__(self, app: Application, names: Iterable[str] = ()) -> None:
        self._app = app
        self._names = {"localhost", *(name.lower() for name in names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *HEADERS]}
            await send(message)

        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, send_on)
            return
        status, sentence = refusal
        body = json.dumps({"message": sentence, "place": None}).encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        await send_on({"type": "http.response.start", "status": status, "headers": headers})
        await send_on({"type": "http.response.body", "body": body})

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
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return 405, f"the method {scope['method']!r:.20} is not known; expected GET or POST"
        if scope["method"] == "POST":
            site = headers.get(b"sec-fetch-site", ["none"])
            origins = headers.get(b"origin", [])
            if site not in (["none"], ["same-origin"]) or any(
                origin.partition("://")[2] != hosts[0] for origin in origins
            ):
                return 403, "a page of another site may not send anything here"
        return None

    def goes_by(self, host: str) -> bool:
        """Whether a Host header, with its port or without, names this server."""
        found = _HOST.fullmatch(host)
        if found is None:
            return False
        name = found[1].lower().rstrip(".")
        if name in self._names:
            return True
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return True
