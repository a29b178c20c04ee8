from __future__ import annotations

import subprocess
import sys

import pytest

from tests.games import random_game
from tests.serve.browser import Person, launched
from tests.serve.page.playing import WORDS
from ur_solver.rules import named_rules


@pytest.fixture(scope="package")  # Playwright's event loop keeps others from theirs
def browser():
    with launched() as browser:
        yield browser


@pytest.fixture(scope="package")
def origin(solved):
    paths = [str(solved(named_rules(word))) for word in (*WORDS, "finkel:1", "masters-games:1")]
    command = [sys.executable, "-m", "ur_solver", "serve", *paths, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        address = process.stderr.readline().partition(": ")[2].partition(" ")[0]
        yield address.rstrip("/")
        process.terminate()
        process.stderr.read()


@pytest.fixture
def person(browser, origin):
    person = Person(browser, origin)
    yield person
    person.close()


@pytest.fixture(scope="session")
def long_game():
    game = random_game(named_rules("finkel:3"), 5)
    game.metadata.update(Light="Ann <b>", Dark="Ben")
    return game
