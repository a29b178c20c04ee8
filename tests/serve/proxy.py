"""A reverse proxy for tests, as nginx is with `proxy_pass` and nothing else."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def proxied(port: int, path: str, keeps_path: bool) -> Iterator[str]:
    """Pass what is asked for under a path to a server, and nothing else; gives the address.

    The Host header is the server's, not the one that the client has sent. The path is passed on or
    taken off.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if not self.path.startswith(path):
                self.send_error(404)
                return
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {k: v for k, v in self.headers.items() if k.lower() != "host"}
            target = self.path if keeps_path else self.path.removeprefix(path)
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=120)) as server:
                server.request(self.command, target or "/", body, headers)
                reply = server.getresponse()
                content = reply.read()
            self.send_response_only(reply.status)
            for name, value in reply.getheaders():
                if name.lower() not in ("content-length", "connection"):
                    self.send_header(name, value)
            if reply.status != 304:
                self.send_header("content-length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_POST = do_HEAD = do_GET  # noqa: N815 - the names of http.server

        def log_message(self, *arguments: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{proxy.server_address[1]}{path}"
        proxy.shutdown()
