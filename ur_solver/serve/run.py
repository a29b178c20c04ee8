"""The server on a socket; and one request answered without either."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import unquote

import uvicorn

from ur_solver.serve.first_page import Opening
from ur_solver.serve.guard import Application, Guard, Message
from ur_solver.serve.listen import MAX_CONNECTIONS
from ur_solver.serve.page_files import page_files
from ur_solver.serve.page_routes import page_app

_MAX_HEAD = 16 << 10
"""The most bytes of a request's first line and headers."""


def serve(load: Callable[[], Application], names: Iterable[str], sock: socket.socket) -> None:
    """Answer requests on a socket until the process is interrupted.

    Parameters
    ----------
    load : callable
        Returns the application. It is called in a thread, while the page's files are served.
    names : iterable of str
        The host names of the server (`Guard`).
    sock : socket

    Raises
    ------
    Exception
        The exception of `load`, after the server has ended.
    """
    asyncio.run(_serve(load, names, sock))


async def _serve(
    load: Callable[[], Application], names: Iterable[str], sock: socket.socket
) -> None:
    async def loading() -> Application:
        try:
            return await asyncio.to_thread(load)
        except BaseException:
            server.should_exit = True
            raise

    loaded = asyncio.create_task(loading())
    files = page_files()
    config = uvicorn.Config(
        Opening(Guard(page_app(files), names), files.keys(), loaded),
        loop="asyncio",
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="none",
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MAX_CONNECTIONS,
        h11_max_incomplete_event_size=_MAX_HEAD,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    await server.serve(sockets=[sock])
    await loaded


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
