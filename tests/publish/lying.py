"""A server of files that answers wrongly once, as hosts do."""

from __future__ import annotations

import functools
import http.server
import pathlib
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

PAUSE, RETRY_AFTER = 5, 2


class Reply(NamedTuple):
    """What is sent in place of a file, after some seconds."""

    status: int
    content: bytes
    kind: str | None = None
    pause: float = 0
    headers: tuple[tuple[str, str], ...] = ()


Fault = Callable[[bytes], Reply]

HTML = b"<!DOCTYPE html><title>Welcome</title><p>Please accept our terms."

FAULTS: dict[str, Fault] = {
    "HTML": lambda content: Reply(200, HTML, "text/html"),
    "empty": lambda content: Reply(200, b""),
    "cut at a value's border": lambda content: Reply(200, content[: len(content) // 16 * 8]),
    "cut inside a value": lambda content: Reply(200, content[: len(content) // 16 * 8 - 3]),
    "404": lambda content: Reply(404, HTML, "text/html"),
    "429": lambda content: Reply(
        429, b"", "text/plain", headers=(("Retry-After", str(RETRY_AFTER)),)
    ),
    "pause": lambda content: Reply(200, content, pause=PAUSE),
    # one bit, which no length tells
    "changed": lambda content: Reply(200, content[:-9] + bytes([content[-9] ^ 1]) + content[-8:]),
}


class LyingServer:
    """Python's server of files under a path; browsers may keep what it answers for ten minutes.

    `faults` are answers by a pattern of paths, each given once for every file. `asked` has the
    paths of all requests.
    """

    def __init__(self, folder: pathlib.Path) -> None:
        self.faults: dict[str, Fault] = {}
        self.is_steady = False
        self.lied: set[str] = set()
        self.asked: list[str] = []
        handler = functools.partial(_Handler, self, directory=str(folder))
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.origin = f"http://127.0.0.1:{self._server.server_port}"

    def lie(self, how: str, *patterns: str, is_steady: bool = False) -> None:
        """Answer the next request for each file that one of the patterns matches wrongly; or all.

        Without patterns nothing is answered wrongly any more.
        """
        self.lied, self.is_steady = set(), is_steady
        self.faults = dict.fromkeys(patterns, FAULTS[how])

    def fault_of(self, path: str) -> Fault | None:
        """What is to be done to an answer."""
        for pattern, fault in self.faults.items():
            if re.search(pattern, path) and (self.is_steady or path not in self.lied):
                self.lied.add(path)
                return fault
        return None

    def stop(self) -> None:
        """End; nothing is answered any more."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, server: LyingServer, *arguments: object, **more: object) -> None:
        self.liar = server
        super().__init__(*arguments, **more)

    def handle(self) -> None:
        with suppress(ConnectionError):  # a page that is left
            super().handle()

    def log_message(self, *_arguments: object) -> None:
        pass

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "max-age=600")
        super().end_headers()

    def do_GET(self) -> None:
        self.liar.asked.append(self.path)
        path = pathlib.Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        fault = self.liar.fault_of(self.path.partition("?")[0]) if path.exists() else None
        if fault is None:
            super().do_GET()
            return
        status, content, kind, pause, headers = fault(path.read_bytes())
        time.sleep(pause)
        self.send_response(status)
        for name, value in (
            ("Content-Type", kind or self.guess_type(path)),
            ("Content-Length", str(len(content))),
            *headers,
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
