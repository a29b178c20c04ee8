"""The page behind a proxy under a path, which does not pass the Host header on."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from tests.serve.browser import Person, needs_browser
from tests.serve.page.playing import by_list, turn_of
from tests.serve.proxy import proxied
from ur_solver.rules import named_rules

pytestmark = pytest.mark.slow

PATH = "/games/ur"


@pytest.fixture(params=[False, True], ids=["taken off", "kept"])
def address(solved, request):
    """The address of the server behind a proxy that keeps the path, or takes it off."""
    command = [sys.executable, "-m", "ur_solver", "serve", str(solved(named_rules("finkel:3")))]
    command += ["--port", "0", *(["--root-path", PATH] if request.param else [])]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            port = int(server.stderr.readline().split(":")[3].split("/")[0])
            with proxied(port, PATH, request.param) as address:
                yield address
        finally:
            server.terminate()
            server.stderr.read()


@needs_browser
def test_turns_are_played_and_judged_behind_a_proxy(browser, address):
    person = Person(browser, address)
    person.visit("table=finkel-3")
    for seed in range(2):
        turn_of(person, random.Random(seed), by_list)
    person.page.reload()  # which judges the turns in the address, all by one request
    person.until("#turns .turn >> nth=1")
    person.settle()
    assert all(asked.startswith(address) for asked in person.requests)
    assert sum(asked.endswith("/values") for asked in person.requests) > 2
    person.close()
