"""Asking an application without a socket, as a program would over one."""

from __future__ import annotations

import asyncio
import gzip
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

Headers = dict[str, str] | list[tuple[str, str]]

LOCAL = {"host": "localhost:8787"}


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        assert self.headers["content-type"] == "application/json"
        return json.loads(self.body)

    @property
    def sentence(self) -> str:
        """The sentence of a refusal, which has the one shape that all have."""
        values = self.json
        assert 400 <= self.status < 500, (self.status, values)
        assert list(values) == ["message", "place"]
        assert values["message"]
        assert "\n" not in values["message"]
        assert "Traceback" not in values["message"]
        return str(values["message"])


class Asker:
    """Sends requests to an application, all in one event loop."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._loop = asyncio.new_event_loop()

    def close(self) -> None:
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()

    def get(self, path: str, **headers: str) -> Reply:
        return self.ask("GET", path, LOCAL | {_dashed(k): v for k, v in headers.items()})

    def post(self, path: str, values: Any, **headers: str) -> Reply:
        sent = LOCAL | {"content-type": "application/json"}
        body = values if isinstance(values, bytes) else json.dumps(values).encode()
        return self.ask("POST", path, sent | {_dashed(k): v for k, v in headers.items()}, [body])

    def ask(
        self,
        method: str,
        path: str,
        headers: Headers,
        parts: list[bytes] | None = None,
        is_endless: bool = False,
    ) -> Reply:
        """As `answer`, waiting for it."""
        return self._loop.run_until_complete(
            answer(self._app, method, path, headers, parts, is_endless)
        )


async def answer(
    app: Any,
    method: str,
    path: str,
    headers: Headers = LOCAL,
    parts: list[bytes] | None = None,
    is_endless: bool = False,
) -> Reply:
    """One request; an endless one never says that its body is whole."""
    address, _, query = path.partition("?")
    pairs = headers.items() if isinstance(headers, dict) else headers
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(address, errors="surrogateescape"),
        "raw_path": address.encode("latin-1", "replace"),
        "query_string": query.encode("latin-1", "replace"),
        "root_path": "",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in pairs],
        "client": ("127.0.0.1", 4000),
        "server": ("127.0.0.1", 8787),
    }
    waiting = list(parts or [b""])
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        if not waiting:
            await asyncio.sleep(3600)
        part = waiting.pop(0)
        return {
            "type": "http.request",
            "body": part,
            "more_body": is_endless or bool(waiting),
        }

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(scope, receive, send)
    begin = sent[0]
    names = [name.decode().lower() for name, _ in begin["headers"]]
    assert len({*names} - {"vary"}) == len(names) - names.count("vary"), names
    found = {name.decode().lower(): value.decode() for name, value in begin["headers"]}
    body = b"".join(message.get("body", b"") for message in sent[1:])
    if found.get("content-encoding") == "gzip":
        body = gzip.decompress(body)
    return Reply(begin["status"], found, body)


def _dashed(name: str) -> str:
    return name.replace("_", "-")
