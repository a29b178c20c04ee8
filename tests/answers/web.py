"""A web server for tests, of one file and its checksum."""

from __future__ import annotations

import hashlib
import http.server
import threading


class Web:
    """A server of one file and its checksum, which does as it is asked."""

    def __init__(self, content: bytes) -> None:
        self.files = {"/t.h5": content, "/t.h5.sha256": self.line_of(content)}
        self.breaks: list[int] = []  # after how many bytes each answer breaks off
        self.has_ranges = True
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
        handler.send_response(206 if first else 200)
        handler.send_header("Content-Length", str(len(content) - first))
        if first:
            handler.send_header("Content-Range", f"bytes {first}-{len(content) - 1}/{len(content)}")
        handler.end_headers()
        is_table = handler.path == "/t.h5"
        stop = first + self.breaks.pop(0) if is_table and self.breaks else len(content)
        handler.wfile.write(content[first:stop])

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
