"""The socket and the server on it; and one request answered without either."""

from __future__ import annotations

import asyncio
import socket
from typing import Any
from urllib.parse import unquote

import uvicorn

from ur_solver.errors import InputError
from ur_solver.serve.guard import Application, Message

_MAX_CONNECTIONS = 200
_MAX_HEAD = 16 << 10
"""The most bytes of a request's first line and headers."""


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 is any that is free.

    Raises
    ------
    InputError
        If the address is not to be had.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        sock = socket.socket(family, kind, protocol)
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind(address)
            sock.listen(_MAX_CONNECTIONS)
        except OSError:
            sock.close()
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"cannot serve at {host}, port {port}: {reason}") from None
    return sock


def serve(app: Application, sock: socket.socket) -> None:
    """Answer requests on a socket until the process is interrupted."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="off",
        ws="none",
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_MAX_CONNECTIONS,
        h11_max_incomplete_event_size=_MAX_HEAD,
        timeout_graceful_shutdown=1,
    )
    uvicorn.Server(config).run(sockets=[sock])


def answer_once(app: Application, path: str) -> tuple[int, bytes]:
    """The status and the body of the answer to one GET, without a server.

    Parameters
    ----------
    app : ASGI application
    path : str
        With its query, percent-encoded as in an address.
    """
    address, _, query = path.partition("?")
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": unquote(address),
        "raw_path": address.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(b"host", b"localhost")],
        "client": None,
        "server": None,
    }
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    async def run() -> None:
        await app(scope, receive, send)

    asyncio.run(run())
    status = next(each["status"] for each in sent if each["type"] == "http.response.start")
    return status, b"".join(each.get("body", b"") for each in sent)
