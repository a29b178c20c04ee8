"""`ur duel` through click's runner."""

from __future__ import annotations

import json

from tests.cli.test_commands import run
from tests.study.test_duel import ENGINE, command


def test_built_in_players(finkel2):
    arguments = ("duel", "table", "random", "--rules", "finkel:2", "-g", "20")
    lines = run(*arguments).splitlines()
    assert lines[0].startswith("table wins")
    assert lines[2].split() == ["games", "20,", "0", "of", "them", "unfinished"]
    found = json.loads(run(*arguments, "--json"))
    assert found == json.loads(run(*arguments, "--json"))
    assert (found["first"], found["second"], found["games"]) == ("table", "random", 20)


def test_a_program_against_a_built_in_player(tmp_path):
    program = command(tmp_path, ENGINE.format(index=0))
    found = json.loads(
        run(
            "duel", program, "first", "--rules", "finkel:2", "-g", "8", "--seconds", "120", "--json"
        )
    )
    assert found["share"] == 0.5  # the same player
    assert found["throws"] > 20


def test_faults(tmp_path):
    assert "even number" in run("duel", "first", "greedy", "-g", "3", code=2)
    assert "cannot be started" in run("duel", "first", "no-such-program", code=2)
    silent = command(tmp_path, "import time\ntime.sleep(60)\n")
    arguments = ("duel", silent, "first", "--rules", "finkel:2", "--seconds", "1")
    assert "did not answer within 1 s" in run(*arguments, code=2)
