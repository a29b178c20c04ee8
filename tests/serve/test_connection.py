"""Connections on a real socket: too many of them, the log, the end."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from ur_solver.serve.front import POLICY

# A server in a process of its own, whose application answers /slow never and all else at once.
_SERVER = """
import asyncio, sys
from ur_solver.serve.front import Front, Guard, bound_socket
from ur_solver.serve.run import serve

async def answer(scope, receive, send):
    if scope["path"] == "/slow":
        print("asked", flush=True)
        await asyncio.sleep(3600)
    await send({"type": "http.response.start", "status": 200,
                "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})

with bound_socket("127.0.0.1", 0) as sock:
    print(sock.getsockname()[1], flush=True)
    try:
        serve(lambda: Guard(answer), Front((), "", len(sys.argv) > 1), sock)
    except KeyboardInterrupt:
        pass
"""


OK = (200, POLICY, b"ok")


@contextlib.contextmanager
def process(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    command = [sys.executable, "-c", _SERVER, *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as started:
        try:
            assert started.stdout is not None
            yield started, int(started.stdout.readline())
        finally:
            started.kill()


def ask(port: int, path: str = "/", **headers: str) -> tuple[int, str, bytes]:
    """The status, the policy and the body of an answer."""
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    with contextlib.closing(client):
        client.request("GET", path, headers=headers)
        reply = client.getresponse()
        return reply.status, reply.headers["content-security-policy"], reply.read()


def head_of(reply: bytes) -> tuple[int, dict[str, str], dict[str, object]]:
    head, _, body = reply.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    return int(first.split()[1]), dict(line.split(": ", 1) for line in lines), json.loads(body)


def received(client: socket.socket) -> bytes:
    parts = []
    with contextlib.suppress(ConnectionResetError):
        while part := client.recv(65536):
            parts.append(part)
    return b"".join(parts)


def test_too_many_connections_at_once_are_refused(monkeypatch):
    """By uvicorn's own limit, here of three."""
    command = _SERVER.replace(
        "with bound_socket",
        "import ur_solver.serve.run as run; run.MAX_CONNECTIONS = 3\nwith bound_socket",
    )
    monkeypatch.setattr(f"{__name__}._SERVER", command)
    with process() as (_, port), contextlib.ExitStack() as held:
        assert ask(port) == OK
        for _ in range(3):
            client = socket.create_connection(("127.0.0.1", port), timeout=120)
            held.enter_context(client).sendall(b"GET / HTTP/1.1\r\n")
        assert ask(port)[0] == 503


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_server_that_is_stopped_during_a_request_says_so_and_prints_nothing():
    with process() as (server, port):
        with socket.create_connection(("127.0.0.1", port), timeout=120) as client:
            client.sendall(b"GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert server.stdout.readline() == "asked\n"
            server.send_signal(signal.SIGINT)
            status, headers, body = head_of(received(client))
        assert (status, body["message"]) == (503, "the server is being stopped")
        assert headers["content-security-policy"] == POLICY
        assert server.stderr.read() == ""
        assert server.wait(120) == 0


def test_the_access_log_has_a_line_for_each_request():
    """With the client's address, which a proxy on this machine tells, and nothing harmful."""
    with process("log") as (server, port):
        ask(port, "/a%1b?b=c")
        ask(port, "/", **{"X-Forwarded-For": "evil, 192.0.2.7"})
        ask(port, "/", **{"X-Forwarded-For": "\x9b31m"})
        server.terminate()
        lines = server.stderr.read().splitlines()
    time = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4}"
    expected = ['127.0.0.1 "GET /a%1B?b=c HTTP/1.1" 200', '192.0.2.7 "GET / HTTP/1.1" 200',
                '31m "GET / HTTP/1.1" 200']  # fmt: skip
    assert [re.sub(time, "T", line) for line in lines] == [f"T {line}" for line in expected]
