"""Audits by tables that hold a part of a game."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from tests.audit.test_judge import EXACT, identity_gap
from tests.games import random_game
from tests.solving import make_table
from ur_solver.answers.decisions import Thresholds
from ur_solver.api.table import Table
from ur_solver.audit.judge import first_covered
from ur_solver.audit.report import html_report
from ur_solver.cli import cli
from ur_solver.errors import BeyondTableError
from ur_solver.records import Replay, write_games
from ur_solver.rules import named_rules
from ur_solver.space import part_of

pytestmark = pytest.mark.medium


@pytest.fixture(scope="module", params=["finkel:3", "murray:2", "skiriuk:2", "birds:2"])
def tables(request, tmp_path_factory):
    rules = named_rules(request.param)
    folder = tmp_path_factory.mktemp("tables")
    make_table(rules, folder / "whole.h5", threads=1)
    part = part_of(rules, rules.pieces - 1)
    make_table(rules, folder / "part.h5", part=part, threads=1)
    with Table(folder / "whole.h5") as whole, Table(folder / "part.h5") as part:
        yield whole, part


def first_with_few_left(record, left):
    """The first ply before which each side has at most `left` pieces to bear off."""
    pieces = record.rules.pieces
    for index, ply in enumerate(record.plies):
        position = record.stepper.position(ply.state, ply.side)
        if max(pieces - position.n_off(side) for side in "LD") <= left:
            return index
    return None


def test_the_end_of_a_game_is_judged_as_by_the_whole_table(tables):
    whole, part = tables
    games = [random_game(whole.rules, seed) for seed in range(40)]
    n_judged = 0
    for game in games:
        first = first_with_few_left(game, part.left)
        assert first_covered(game, part) == first
        if first is None:
            with pytest.raises(BeyondTableError, match="does not come to the positions"):
                part.audit(game)
            continue
        n_judged += 1
        audit, full = part.audit(game), whole.audit(game)
        assert audit.first == first > 0
        skipped = sum(each.ply in game.plies[:first] for each in full.plies)
        for one, other in zip(audit.plies, full.plies[skipped:], strict=True):
            assert (one.ply, one.best, one.is_before_throw) == (
                other.ply,
                other.best,
                other.is_before_throw,
            )
            assert one[1:4] == pytest.approx(other[1:4], abs=EXACT)
        assert audit.curve == pytest.approx(full.curve[skipped:], abs=EXACT)
        assert audit.start_value == pytest.approx(full.curve[skipped], abs=EXACT)
        assert audit.end_value == full.end_value
        assert identity_gap(audit) < 1e-9
        assert full.first == 0
    assert n_judged > 5


def test_a_game_that_begins_in_the_part_is_judged_from_its_beginning(tables):
    whole, part = tables
    games = (random_game(whole.rules, seed) for seed in range(20))
    game = next(game for game in games if first_with_few_left(game, part.left) is not None)
    ply = game.plies[first_with_few_left(game, part.left)]
    begun = game.stepper.position(ply.state, ply.side)
    late = Replay(whole.rules, begun).finish()
    assert part.audit(late).first == 0
    assert part.audit(late).start_value == pytest.approx(whole.audit(late).start_value, abs=EXACT)


def run(*words, code=0):
    result = CliRunner().invoke(cli, ["audit", *map(str, words)])
    assert result.exit_code == code, result.output
    return result


def test_the_command_says_from_where(tables, tmp_path):
    whole, part = tables
    games = [random_game(whole.rules, seed) for seed in range(8)]
    covered = next(game for game in games if first_covered(game, part) is not None)
    first = first_covered(covered, part)
    write_games([covered], tmp_path / "one.ur")
    text = run(part.path, tmp_path / "one.ur").stdout
    assert f"at throw {first + 1}, where the table begins" in text
    assert "strength" not in text
    found = json.loads(run(part.path, tmp_path / "one.ur", "--json").stdout)
    assert found["first_throw"] == first + 1
    run(part.path, tmp_path / "one.ur", "--csv", tmp_path / "a.csv", "--html", tmp_path / "a.html")
    head, light, _dark = (tmp_path / "a.csv").read_text().splitlines()
    assert dict(zip(head.split(","), light.split(","), strict=True))["first_throw"] == str(
        first + 1
    )
    page = (tmp_path / "a.html").read_text()
    assert f"at throw {first + 1}, where the table begins" in page
    assert f"<tr><td>{first + 1}</td>" in page
    assert f"<tr><td>{first}</td>" not in page


def test_a_game_that_never_reaches_the_table_is_listed_apart(tables, tmp_path):
    whole, part = tables
    games = [random_game(whole.rules, seed) for seed in range(8)]
    covered = next(game for game in games if first_covered(game, part) is not None)
    write_games([random_game(whole.rules, 1, max_plies=3), covered], tmp_path / "two.ur")
    found = run(part.path, tmp_path / "two.ur", "--json", code=2)
    assert json.loads(found.stdout)["first_throw"] > 1
    assert "not audited: " in found.stderr
    assert "the game does not come to the positions that the table holds" in found.stderr


def test_reports_of_whole_tables_say_nothing_of_it(tables):
    whole, _ = tables
    page = html_report([whole.audit(random_game(whole.rules, 1))], Thresholds(), {})
    assert "where the table begins" not in page
    assert "at the start" in page
