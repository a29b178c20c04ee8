"""What others see of a server, and what stands before its application: socket, checks, path.

The server runs on its user's machine, where other sites' pages can make the browser send requests.
Floods, silent connections and heads of any length are the business of uvicorn's limits and of a
proxy; what neither can stop is stopped by `Guard`.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from typing import Any

from ur_solver.common.text import json_text
from ur_solver.errors import InputError
from ur_solver.serve.page_files import inline_digests

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

MAX_CONNECTIONS = 500
"""The most connections; further ones get status 503 from uvicorn."""

_INLINE = " ".join(f"'{digest}'" for digest in inline_digests())

POLICY = (
    f"default-src 'none'; script-src 'self' {_INLINE}; style-src 'self'; "
    "img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The content security policy: everything from the server itself, and nothing inline but the
digests of the modules and the choice of a language."""

HEADERS = (
    # a name in a game that is markup, and another site that frames the page to catch presses
    (b"content-security-policy", POLICY.encode()),
    # an answer, such as a game in a notation, that a browser takes for a script or a page
    (b"x-content-type-options", b"nosniff"),
    # another site that learns the game from the address of the page that leads to it
    (b"referrer-policy", b"no-referrer"),
    # another site that loads answers as scripts or pictures
    (b"cross-origin-resource-policy", b"same-origin"),
    # another site that opens the page and keeps hold of its window
    (b"cross-origin-opener-policy", b"same-origin"),
)

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]{1,255})(?::[0-9]{1,5})?")
_ROOT_PATH = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")


@dataclass(frozen=True)
class Front:
    """What others see of a server.

    `names` are its host names (`Guard`); `root_path` is the path of a proxy under which it appears
    (`RootPath`), without a slash at its end, empty for the root itself; with an access log each
    request gets a line on standard error. InputError if the path does not begin with a slash, or
    holds anything but letters, digits and ``._~-``.
    """

    names: tuple[str, ...] = ()
    root_path: str = ""
    has_access_log: bool = False

    def __post_init__(self) -> None:
        root = self.root_path.rstrip("/")
        if _ROOT_PATH.fullmatch(root) is None:
            raise InputError(f"root path {self.root_path!r:.80}: expected a path such as /ur")
        object.__setattr__(self, "root_path", root)


def bound_socket(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 chooses a free one. InputError if it is not available."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        sock = socket.socket(family, kind, protocol)
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind(address)
            sock.listen(MAX_CONNECTIONS)
        except OSError:
            sock.close()
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"cannot serve at {host}, port {port}: {reason}") from None
    return sock


class Guard:
    """Passes valid requests to an application; refuses the rest with 400 or 403 and one sentence.

    `names` are host names of the server besides ``localhost`` and any IP address, which no other
    domain can take. A page that came from one of them may send bodies, also where a proxy puts its
    own name for the server into the Host header.
    """

    def __init__(self, app: Application, names: Iterable[str] = ()) -> None:
        self._app = app
        self._given = {name.lower() for name in names}
        self._names = {"localhost", *self._given}

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
            await _refuse(*refused, send_on)
            return
        try:
            await self._app(scope, receive, send_on)
        except asyncio.CancelledError:  # which is how the server ends a request that takes long
            if has_started:
                raise
            await _refuse(503, "the server is being stopped", send_on)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """The status and the sentence that refuse a request; None if it passes."""
        headers: dict[bytes, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name, []).append(value.decode("latin-1"))
        # another site's domain that points to this machine, by which its pages would be the same
        # site (DNS rebinding)
        hosts = headers.get(b"host", [])
        if len(hosts) != 1 or not self.goes_by(hosts[0]):
            given = ", ".join(hosts)
            return 400, (
                f"the host {given!r:.100} is none that this server goes by; "
                "'ur serve --name' adds a name"
            )
        # another site's page that keeps the server busy with audits (a request forged across sites)
        if scope["method"] not in ("GET", "HEAD") and not self._is_own_page(headers, hosts[0]):
            return 403, "a page of another site may not send anything here"
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
        return all(each == host or _name_of(each) in self._given for each in origins)

    def goes_by(self, host: str) -> bool:
        """Whether a Host header, with its port or without, names this server."""
        name = _name_of(host)
        if name is None or name in self._names:
            return name is not None
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return True


def _name_of(host: str) -> str | None:
    """The name in a Host header, without its port; None if it is malformed."""
    found = _HOST.fullmatch(host)
    return None if found is None else found[1].lower().rstrip(".")


async def _refuse(status: int, sentence: str, send: Send) -> None:
    body = json_text({"message": sentence, "place": None}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class RootPath:
    """Passes requests to an application with the path of a proxy, such as ``/ur``, taken off.

    Some proxies take it off themselves, so addresses without it are answered too. The root path
    without a slash at its end is redirected: relative addresses on the page need the slash.
    """

    def __init__(self, app: Application, root: str) -> None:
        self._app, self._root = app, root

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        path = scope.get("path", "")
        if self._root and path == self._root:
            location = (b"location", f"{self._root}/".encode())
            headers = [location, (b"content-length", b"0"), *HEADERS]
            await send({"type": "http.response.start", "status": 308, "headers": headers})
            await send({"type": "http.response.body", "body": b""})
            return
        if path.startswith(f"{self._root}/"):
            raw = scope.get("raw_path", b"").removeprefix(self._root.encode())
            scope = {**scope, "path": path.removeprefix(self._root), "raw_path": raw}
        await self._app(scope, receive, send)
