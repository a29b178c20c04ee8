"""The server on a socket; and one request answered without either."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

import uvicorn

from ur_solver.common.text import printable
from ur_solver.serve.front import (
    MAX_CONNECTIONS,
    Application,
    Front,
    Guard,
    Message,
    RootPath,
)
from ur_solver.serve.page_app import Opening, page_app
from ur_solver.serve.page_files import page_files


def serve(load: Callable[[], Application], front: Front, sock: socket.socket) -> None:
    """Answer requests on a socket until the process is interrupted.

    `load` returns the application; it is called in a thread, while the page's files are served.
    What it raises is raised here, after the server has ended.
    """
    asyncio.run(_serve(load, front, sock))


async def _serve(load: Callable[[], Application], front: Front, sock: socket.socket) -> None:
    async def loading() -> Application:
        try:
            return await asyncio.to_thread(load)
        except BaseException:
            server.should_exit = True
            raise

    loaded = asyncio.create_task(loading())
    files = page_files()
    app = Opening(Guard(page_app(files), front.names), files.keys(), loaded)
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # requests may be nonsense
    if front.has_access_log:
        _start_access_log()
    config = uvicorn.Config(
        RootPath(app, front.root_path),
        http="httptools",
        limit_concurrency=MAX_CONNECTIONS,
        loop="asyncio",
        log_config=None,
        access_log=front.has_access_log,
        lifespan="off",
        ws="none",
        server_header=False,
        proxy_headers=front.has_access_log,  # a proxy on this machine names the client
        timeout_graceful_shutdown=1,
    )
    server = _Server(config)
    await server.serve(sockets=[sock])
    await loaded


class _Server(uvicorn.Server):
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End; requests that take longer than a second are no errors of the program."""
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        await super().shutdown(sockets)


class _Line(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        """The time, the client, the request and the status, without control characters."""
        assert isinstance(record.args, tuple)
        client, method, path, version, status = record.args
        host, _, _ = str(client).rpartition(":")
        time = self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z")
        return printable(f'{time} {host} "{method} {path} HTTP/{version}" {status}')


def _start_access_log() -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(_Line())
    log = logging.getLogger("uvicorn.access")
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False


def answer_once(app: Application, path: str) -> tuple[int, bytes]:
    """The status and the body of the answer to one GET, without a server.

    `path` may have a query, and is percent-encoded as in an address.
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
