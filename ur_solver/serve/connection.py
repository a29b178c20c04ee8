"""Connections: how long they may be silent, how many there may be, and what is no HTTP."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ur_solver.serve.guard import HEADERS, refusal
from ur_solver.serve.listen import MAX_CONNECTIONS

MAX_HEAD = 16 << 10
"""The most bytes of a request's first line and headers."""

HEAD_SECONDS = 10.0
"""The seconds that a request's first line and headers may take to arrive."""


class Connection(HttpToolsProtocol):
    """A connection of uvicorn, which is closed if no whole request arrives in time.

    Of more than `MAX_CONNECTIONS` that wait for a request, the one that has waited for longest is
    closed, so that clients which only hold connections open shut nobody out.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._silent_since: float | None = None
        self._too_late: asyncio.TimerHandle | None = None
        self._head = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._note(0)
        ours = (each for each in self.connections if isinstance(each, Connection))
        silent = [
            (each._silent_since, each.transport)
            for each in ours
            if each._silent_since is not None and not each.transport.is_closing()
        ]
        if len(silent) > MAX_CONNECTIONS:
            min(silent, key=lambda pair: pair[0])[1].close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        super().connection_lost(exc)
        self._stop_waiting()

    def data_received(self, data: bytes) -> None:
        """Read a part of a request."""
        super().data_received(data)
        self._note(len(data))

    def on_headers_complete(self) -> None:
        """Answer the request, unless its head is too long.

        Raises
        ------
        ValueError
            To the parser, which then takes the request as invalid.
        """
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if size > MAX_HEAD:
            raise ValueError(size)
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request, which may be there already."""
        super().on_response_complete()
        self._note(0)

    def _note(self, n_bytes: int) -> None:
        """Wait for a request, some bytes of it being here; or no longer, if one is answered."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()
        elif not self.transport.is_closing():
            self._head += n_bytes
            if self._head > MAX_HEAD:
                self.send_400_response("")
            elif self._too_late is None:
                self._silent_since = self.loop.time()
                self._too_late = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop_waiting(self) -> None:
        self._silent_since = None
        self._head = 0
        if self._too_late is not None:
            self._too_late.cancel()
            self._too_late = None

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no request, with the headers and in the form of all refusals."""
        headers, body = refusal(
            f"this is not an HTTP request, or its head has more than {MAX_HEAD:,} bytes"
        )
        head = (b"%b: %b" % pair for pair in (*headers, *HEADERS))
        lines = [b"HTTP/1.1 400 Bad Request", *head, b"", body]
        self.transport.write(b"\r\n".join(lines))
        self.transport.close()
