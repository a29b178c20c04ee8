"""Connections on a real socket: silent ones, too many of them, long heads, the log, the end."""

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
import threading
from collections.abc import Iterator
from unittest.mock import patch

import pytest

from ur_solver.serve import connection as limits
from ur_solver.serve.front import Front
from ur_solver.serve.guard import MAX_REQUESTS, POLICY
from ur_solver.serve.listen import bound_socket
from ur_solver.serve.run import serve

# A server in a process of its own, whose application answers /slow never and all else at once.
_SERVER = """
import asyncio, sys
from ur_solver.serve.front import Front
from ur_solver.serve.guard import Guard
from ur_solver.serve.listen import bound_socket
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


@pytest.fixture(scope="module")
def port():
    """A server that prints nothing."""
    with process() as (server, port):
        yield port
        server.terminate()
        assert server.stderr.read() == ""


def test_those_that_only_hold_connections_shut_nobody_out(port):
    """The ones that were silent for longest make way."""
    with contextlib.ExitStack() as held:
        silent = []
        for k in range(limits.MAX_CONNECTIONS + 20):
            client = socket.create_connection(("127.0.0.1", port), timeout=120)
            silent.append(held.enter_context(client))
            if k % 2:
                client.sendall(b"GET / HTTP/1.1\r\nHo")
        assert ask(port) == OK
        assert received(silent[0]) == b""
        assert received(silent[19]) == b""


@pytest.mark.parametrize("begun", [b"", b"GET / HTTP/1.1\r\nHost: local"])
def test_a_request_must_arrive_in_time(begun):
    """Here in 0.05 seconds."""
    ended = threading.Event()

    async def answer(scope, receive, send):
        raise AssertionError

    with bound_socket("127.0.0.1", 0) as sock, patch.object(limits, "HEAD_SECONDS", 0.05):
        port = sock.getsockname()[1]

        def load():
            with socket.create_connection(("127.0.0.1", port), timeout=120) as client:
                client.sendall(begun)
                if received(client) == b"":
                    ended.set()
            raise LookupError

        with pytest.raises(LookupError):
            serve(load, Front(), sock)
    assert ended.is_set()


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 20_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 4000 + b"\r\n",
        b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 20_000,
        b"nonsense\r\n\r\n",
    ],
)
def test_heads_that_are_too_long_and_what_is_no_http_are_refused(port, head):
    with socket.create_connection(("127.0.0.1", port), timeout=120) as client:
        client.sendall(head)
        status, headers, body = head_of(received(client))
    assert (status, headers["content-security-policy"]) == (400, POLICY)
    assert list(body) == ["message", "place"]
    assert ask(port) == OK


def test_a_head_of_five_megabytes_is_not_read(port):
    with socket.create_connection(("127.0.0.1", port), timeout=120) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        with pytest.raises(OSError):  # noqa: PT011 - reset, or a broken pipe
            client.sendall((b"X: " + b"x" * 1000 + b"\r\n") * 5000)
    assert ask(port) == OK


def test_too_many_requests_at_once_are_refused_in_the_form_of_all_refusals():
    with process() as (server, port), contextlib.ExitStack() as held:
        for _ in range(MAX_REQUESTS):
            client = socket.create_connection(("127.0.0.1", port), timeout=120)
            held.enter_context(client).sendall(b"GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for _ in range(MAX_REQUESTS):
            assert server.stdout.readline() == "asked\n"
        status, policy, body = ask(port)
        assert (status, policy) == (503, POLICY)
        assert "try again" in json.loads(body)["message"]


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
