"""A web server for tests, of one file and its checksum."""

from __future__ import annotations

import hashlib
import http.server
import threading
from contextlib import suppress


class Web:
    """A server of one file and its checksum, which does as it is asked."""

    def __init__(self, content: bytes) -> None:
        self.files = {"/t.h5": content, "/t.h5.sha256": self.line_of(content)}
        self.breaks: list[int] = []  # after how many bytes each answer breaks off
        self.has_ranges = True
        self.length: int | None = None  # what it says of the file's, if that is a lie
        self.is_chunked = False
        self.tail = b""  # what it sends after the file, again and again until nobody listens
        self.asked: list[tuple[str, str | None]] = []
        web = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                web.answer(self)

            def log_message(self, *arguments: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/t.h5"

    @staticmethod
    def line_of(content: bytes) -> bytes:
        return f"{hashlib.sha256(content).hexdigest()}  t.h5\n".encode()

    def answer(self, handler: http.server.BaseHTTPRequestHandler) -> None:
        asked = handler.headers.get("Range")
        self.asked.append((handler.path, asked))
        if handler.path not in self.files:
            handler.send_error(404)
            return
        content = self.files[handler.path]
        first = int(asked.removeprefix("bytes=").rstrip("-")) if asked and self.has_ranges else 0
        if first and first >= len(content):
            handler.send_error(416)
            return
        is_table = handler.path == "/t.h5"
        is_chunked = is_table and self.is_chunked
        handler.protocol_version = "HTTP/1.1" if is_chunked else "HTTP/1.0"
        handler.send_response(206 if first else 200)
        if is_chunked:
            handler.send_header("Transfer-Encoding", "chunked")
        elif not (is_table and self.tail):
            length = self.length if is_table and self.length is not None else len(content)
            handler.send_header("Content-Length", str(length - first))
        if first:
            handler.send_header("Content-Range", f"bytes {first}-{len(content) - 1}/{len(content)}")
        handler.end_headers()
        stop = first + self.breaks.pop(0) if is_table and self.breaks else len(content)

        def write(part: bytes) -> None:
            size = f"{len(part):x}\r\n".encode() if is_chunked else b""
            handler.wfile.write(size + part + (b"\r\n" if is_chunked else b""))

        write(content[first:stop])
        if is_table and self.tail:
            with suppress(OSError):  # the other side has had enough
                while True:
                    write(self.tail)
        elif is_chunked:
            write(b"")
        handler.close_connection = True

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
