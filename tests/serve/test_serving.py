"""The shelf of tables, the command, and a server on a real socket."""

from __future__ import annotations

import asyncio
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
from collections.abc import Callable

import numpy as np
import pytest
from click.testing import CliRunner

from tests.serve.asking import Asker, answer
from tests.serve.conftest import position_path
from ur_solver.api.table import Table
from ur_solver.cli import cli
from ur_solver.errors import DamagedTableError, IgnoredFileWarning
from ur_solver.rules import UR, named_rules
from ur_solver.serve.app import make_app
from ur_solver.serve.front import Front, bound_socket
from ur_solver.serve.page_app import Opening, page_app
from ur_solver.serve.page_files import page_files
from ur_solver.serve.run import answer_once, serve
from ur_solver.serve.shelf import Shelf, open_shelf
from ur_solver.table.names import FOLDER_VARIABLE
from ur_solver.table.reader import TableFile

LIST = "/api/v1/tables"


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(cli, ["serve", *arguments])
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.stderr


def test_one_request_from_the_command_line(finkel2):
    (table,) = json.loads(run("finkel:2", "--get", LIST))["tables"]
    assert table["id"] == "finkel-2"
    failed = CliRunner().invoke(cli, ["serve", "finkel:2", "--get", "/nothing"])
    assert failed.exit_code == 2
    assert "nothing at this address" in json.loads(failed.stdout)["message"]
    assert "expected an address" in run("finkel:2", "--get", "tables", code=2)
    assert "2Q" in run("finkel:2", "--memory", "2Q", code=2)


def test_without_the_extra_the_command_says_so(monkeypatch, finkel2):
    monkeypatch.setattr("ur_solver.cli.serve.find_spec", lambda name: None)
    assert "pip install 'ur-solver[serve]'" in run("finkel:2", code=2)


@pytest.mark.parametrize("words", [(), ("finkel:2",), ("nothing.h5",)])
def test_the_browser_is_opened_once_and_before_the_server_waits(monkeypatch, finkel2, words):
    """At once; where tables are named, after they were found."""
    order: list[str] = []
    monkeypatch.setattr("webbrowser.open", order.append)
    found = Shelf.__init__

    def note(*arguments: object, **named: object) -> None:
        order.append("tables")
        found(*arguments, **named)

    monkeypatch.setattr(Shelf, "__init__", note)

    def serve(load: Callable[[], object], front: object, sock: object) -> None:
        load()
        order.append("served")

    monkeypatch.setattr("ur_solver.serve.run.serve", serve)
    result = CliRunner().invoke(cli, ["serve", *words, "--port", "0", "--open"])
    opened = [each for each in order if each.startswith("http://127.0.0.1:")]
    if words == ("nothing.h5",):
        assert result.exit_code != 0
        assert not order
    else:
        expected = ["tables", *opened] if words else [*opened, "tables"]
        assert order == [*expected, "served"]
        assert len(opened) == 1


def test_every_address_on_the_page_is_relative():
    """So that the page works under any path of a proxy."""
    for path, (content, kind) in page_files().items():
        text = content.decode()
        found = re.findall(r'(?:href|src|action)="([^"]*)"', text) if "html" in kind else []
        if "javascript" in kind:
            found = re.findall(
                r"""(?:\bfetch\(|\bfrom |\bimport\(|\bBASE = )["'`]([^"'`]*)""", text
            )
        elif "css" in kind:
            found = re.findall(r"""url\(["']?([^"')]*)""", text)
        assert not [each for each in found if each.startswith("/")], path


def test_the_page_comes_with_a_board():
    """Which nobody can press, and screen readers pass over: a picture of the first game."""
    text = page_files()["/"][0].decode()
    start = text.index('inert aria-hidden="true"><svg', text.index('id="hero"'))
    board = text[start : text.index("</svg>", start)]
    assert board.count('class="square"') == len(UR.squares)
    assert board.count('class="rosette"') == len(UR.rosettes)
    assert "<!--" not in text


def test_an_address_that_is_taken(finkel2):
    with bound_socket("127.0.0.1", 0) as taken:
        port = str(taken.getsockname()[1])
        assert f"cannot serve at 127.0.0.1, port {port}" in run("finkel:2", "--port", port, code=2)
    assert "cannot serve" in run("finkel:2", "--host", "nowhere.invalid", code=2)


def test_all_tables_of_the_folders_are_served(solved, tmp_path, monkeypatch):
    sound = solved(named_rules("finkel:2")).read_bytes()
    (tmp_path / "one.h5").write_bytes(sound)
    (tmp_path / "odd näme.h5").write_bytes(sound)
    (tmp_path / "none.h5").write_bytes(b"nothing")
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setattr("ur_solver.serve.shelf.table_folders", lambda: [tmp_path])
    with (
        pytest.warns(IgnoredFileWarning, match=r"none\.h5") as said,
        contextlib.closing(open_shelf(lambda text: None)) as shelf,
    ):
        assert list(shelf) == ["odd-n-me", "one"]
    assert len(said) == 1


def test_without_any_table_one_is_solved(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "new"))
    monkeypatch.setattr(
        "ur_solver.serve.shelf.table_folders", lambda: [tmp_path / "new", tmp_path / "none"]
    )
    with contextlib.closing(open_shelf(lambda text: None)) as shelf:
        assert list(shelf) == ["finkel-3"]


def test_tables_of_one_name_are_distinguished(finkel2):
    with contextlib.closing(Shelf([Table(finkel2), Table(finkel2)])) as shelf:
        assert list(shelf) == ["finkel-2", "finkel-2.2"]


def test_memory_is_shared_and_kept_to(solved):
    """With room for two chunks, values are those of a table without a limit, and no more stays."""
    path = solved(named_rules("murray-3dice:2"))
    chunk = TableFile(path).chunk_length * 8
    file = TableFile(path)
    whole = file.n_decoded_bytes
    assert whole > 4 * chunk
    with contextlib.closing(Shelf([Table(file)], memory=2 * chunk)), Table(path) as free:
        rng = np.random.default_rng(1)
        for _ in range(60):
            ranks = rng.integers(0, file.header.positions, 20)
            assert (file.read_many(ranks) == free.file.read_many(ranks)).all()
        assert file._flat is None
        assert file._chunk.cache_info().currsize <= 2
        assert free.file._flat is not None
    small, large = TableFile(solved(named_rules("finkel:1"))), TableFile(path)
    with contextlib.closing(Shelf([Table(large), Table(small)], memory=whole)):
        assert small._memory == small.n_decoded_bytes
        assert large._memory == whole - small.n_decoded_bytes


def test_the_page_is_served_while_the_rest_is_loaded():
    """Its files at once; what else is asked for waits, and gets what the application answers."""

    async def application(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": f"whole {scope['path']}".encode()})

    async def fails():
        raise ValueError

    async def script() -> None:
        files = page_files()
        loaded = asyncio.get_running_loop().create_future()
        opening = Opening(page_app(files), files.keys(), loaded)
        assert (await answer(opening, "GET", "/board.css")).body == files["/board.css"][0]
        waiting = asyncio.create_task(answer(opening, "GET", "/api/v1/tables"))
        gone = asyncio.create_task(answer(opening, "GET", "/api/v1/rules"))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.sleep(0)
        assert not waiting.done()
        loaded.set_result(application)
        assert (await waiting).body == b"whole /api/v1/tables"
        assert (await answer(opening, "GET", "/board.css")).body == b"whole /board.css"
        failed = asyncio.create_task(fails())
        refused = await answer(Opening(page_app(files), (), failed), "GET", "/")
        assert refused.status == 503
        assert b"its terminal says why" in refused.body

    asyncio.run(script())


def test_what_fails_to_load_ends_the_server():
    def load():
        raise DamagedTableError("it is damaged")

    with (
        bound_socket("127.0.0.1", 0) as sock,
        pytest.raises(DamagedTableError, match="it is damaged"),
    ):
        serve(load, Front(), sock)


@pytest.fixture
def server(finkel2):
    """The command in a process of its own; gives its port."""
    command = [sys.executable, "-m", "ur_solver", "serve", str(finkel2), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line.startswith("finkel-2: http://127.0.0.1:")
        yield int(line.split(":")[3].split("/")[0])
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        assert process.wait(120) in (0, 130), rest
        assert "Traceback" not in rest


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_server_on_a_socket(server, finkel2):
    with Table(finkel2) as table:
        start = table.rules.start()
        connection = http.client.HTTPConnection("127.0.0.1", server, timeout=120)
        connection.request("GET", position_path("finkel-2", start.notation))
        answer = json.loads(connection.getresponse().read())
        assert answer["value"] == table.value(start)
    for sent in (
        b"nonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\n",
    ):
        with socket.create_connection(("127.0.0.1", server), timeout=120) as raw:
            raw.sendall(sent)
            raw.shutdown(socket.SHUT_WR)
            reply = raw.recv(100)
            assert reply == b"" or reply.startswith(b"HTTP/1.1 4")
    connection.request("GET", LIST)
    assert connection.getresponse().read()
    connection.close()


def test_many_ask_at_once(finkel2):
    """Threads that ask the application by themselves get what a single one gets."""
    with Table(finkel2) as table:
        app = make_app({"finkel-2": table})
        paths = [
            position_path("finkel-2", table.space.unrank(rank).notation)
            for rank in range(0, table.space.n_positions, table.space.n_positions // 60)
        ]
        asker = Asker(app)
        expected = [asker.get(path).body for path in paths]
        asker.close()
        other = make_app({"finkel-2": table})
        wrong: list[str] = []

        def ask() -> None:
            for path, body in zip(paths, expected, strict=True):
                if answer_once(other, path) != (200, body):
                    wrong.append(path)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong
