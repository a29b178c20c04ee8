"""Many games together, against sums made by hand and against the choices of players."""

import dataclasses
import json

import pytest
from click.testing import CliRunner

import ur_solver as ur
from tests.games import random_game
from ur_solver.answers.decisions import Thresholds
from ur_solver.audit.judge import thumb_plays
from ur_solver.audit.review import against_thumbs, first_choices, over_time
from ur_solver.cli import cli
from ur_solver.errors import InputError
from ur_solver.records import read_text, write_games
from ur_solver.rules import named_rules

FINKEL2 = named_rules("finkel:2")
NOT_LOSING = 1e-6


@pytest.fixture
def table(finkel2):
    with ur.Table(finkel2) as table:
        yield table


def games(count, **headers):
    found = []
    for seed in range(count):
        metadata = {"Light": "Ann", "Dark": "Ben"} | {
            name: texts[seed % len(texts)] for name, texts in headers.items()
        }
        found.append(dataclasses.replace(random_game(FINKEL2, seed), metadata=metadata))
    return found


@pytest.mark.parametrize("by", ["year", "month", "day", 2])
def test_over_time_sums_games(table, by):
    records = games(5, Date=["2026-10-03", "2025-12-01", "2026-10-04", "no date", "2026-10-03"])
    audits = list(table.audits(records))
    periods = {
        "year": ["2026", "2025", "2026", "unknown", "2026"],
        "month": ["2026-10", "2025-12", "2026-10", "unknown", "2026-10"],
        "day": ["2026-10-03", "2025-12-01", "2026-10-04", "unknown", "2026-10-03"],
        2: ["games 1 to 2", "games 1 to 2", "games 3 to 4", "games 3 to 4", "game 5"],
    }[by]
    rows = over_time(audits, Thresholds(), by)
    for player, side in (("Ann", "light"), ("Ben", "dark")):
        own = [row for row in rows if row["player"] == player]
        in_order = list(dict.fromkeys(periods if by == 2 else sorted(periods)))
        assert [row["period"] for row in own] == in_order
        for row in own:
            pairs = zip(audits, periods, strict=True)
            those = [audit for audit, period in pairs if period == row["period"]]
            summaries = [getattr(audit, side) for audit in those]
            assert row["games"] == len(those)
            assert row["won"] == sum(a.record.winner == side[0].upper() for a in those)
            assert row["choices"] == sum(each.choices for each in summaries)
            assert row["best"] == sum(each.best for each in summaries)
            assert row["loss"] == pytest.approx(sum(each.loss for each in summaries))
            assert row["luck"] == pytest.approx(sum(each.luck for each in summaries))
            assert row["mean_loss"] == pytest.approx(row["loss"] / row["choices"])


def test_first_choices_count_both_sides_alike(table):
    text = """rules: finkel:2
L 1 A@A4
D 1 C@C4
L 2 A@A3
D 2 C4C2
L 4 A4B1
end: unfinished
"""
    audits = list(table.audits([*read_text(text), *read_text(text)]))
    found = first_choices(audits, 4)
    assert [each["times"] for each in found] == [2, 2]
    assert {json.dumps(each["played"]) for each in found} == {'{"A@A3": 2}', '{"A4A2": 2}'}
    for each in found:
        moves = table.moves(each["position"], int(each["throw"]))
        assert each["best"] == moves[0].move.text
        (played,) = each["played"]
        worth = {one.move.text: one.value for one in moves}
        assert each["loss"] / 2 == pytest.approx(moves[0].value - worth[played], abs=1e-9)
    assert len(first_choices(audits, 3)) == 1
    assert len(first_choices(audits, 5)) == 3


@pytest.mark.parametrize("word", ["finkel:2", "birds:2", "bell-stakes:2"])
def test_thumbs_of_who_plays_by_them(solved, word):
    """In games of a rule of thumb it takes every option that was taken; of the table, a best."""
    rules = named_rules(word)
    with ur.Table(solved(rules)) as table:
        audits = list(table.audits(ur.sample(table, 5, light="first", dark="greedy", seed=2)))
        rows = against_thumbs(audits, table, ["first", "greedy"])
        own = [row for row in rows if row["player"] == row["thumb"]]
        assert len(own) == 2
        for row in own:
            assert row["same"] == row["choices"] > 0
            assert row["mean_loss"] == pytest.approx(row["player_mean_loss"], abs=NOT_LOSING)
        for audit, plays in zip(audits, thumb_plays(audits, table, "table"), strict=True):
            for judged, play in zip(audit.plies, plays, strict=True):
                assert (play is not None) == judged.is_choice
                assert play is None or play.loss == 0


def test_the_losses_of_a_thumb_are_those_of_queries(table):
    (audit,) = table.audits([random_game(FINKEL2, 3)])
    (plays,) = thumb_plays([audit], table, "greedy")
    lost = 0
    for judged, play in zip(audit.plies, plays, strict=True):
        if play is None:
            continue
        position = audit.record.stepper.position(judged.ply.state, judged.ply.side)
        worth = {each.move.text: each.value for each in table.moves(position, judged.ply.throw)}
        loss = max(worth.values()) - worth[audit.option_text(judged, play.option)]
        assert play.loss == pytest.approx(loss, abs=NOT_LOSING)
        lost += loss > NOT_LOSING
    assert lost
    with pytest.raises(InputError, match="unknown part 'clever'"):
        thumb_plays([audit], table, "clever")


def test_the_command(finkel2, tmp_path):
    path = tmp_path / "games.ur"
    write_games(games(4, Date=["2026-10-03", "2026-11-01"]), path)
    with path.open("a") as file:
        file.write("\nrules: finkel:2\nL 7 A@A1\nend: unfinished\n")
    words = ["review", str(path), "--thumb", "greedy"]
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 2
    assert "not reviewed" in result.stderr
    assert "throw 7" in result.stderr
    rows = [line.split()[:3] for line in result.stdout.splitlines() if "2026-10" in line]
    assert rows == [["Ann", "2026-10", "2"], ["Ben", "2026-10", "2"]]
    assert "choices in the first 8 throws" in result.stdout
    result = CliRunner().invoke(cli, [*words, "--by", "3", "--json"])
    values = json.loads(result.stdout)
    assert [row["period"] for row in values["over_time"][:2]] == ["games 1 to 3", "game 4"]
    for bad in ("week", "0", "-1", ""):
        result = CliRunner().invoke(cli, [*words, "--by", bad])
        assert result.exit_code == 2
        assert "expected year, month, day or a number of games" in result.stderr


def test_an_audit_says_what_thumbs_would_have_played(finkel2, tmp_path):
    """In JSON in every choice, in the report at the worst moves."""
    path, page = tmp_path / "games.ur", tmp_path / "report.html"
    write_games(games(2), path)
    words = ["audit", str(path), "--thumb", "greedy", "--thumb", "enter+safe", "--html", str(page)]
    result = CliRunner().invoke(cli, [*words, "--json", "--reference-games", "0"])
    assert result.exit_code == 0, result.output
    marked = 0
    with ur.Table(finkel2) as table:
        for line, record in zip(result.stdout.splitlines(), games(2), strict=True):
            (audit,) = table.audits([record])
            (plays,) = thumb_plays([audit], table, "greedy")
            for judged, play, values in zip(
                audit.plies, plays, json.loads(line)["plies"], strict=True
            ):
                assert ("thumbs" in values) == judged.is_choice
                if play is not None:
                    move = audit.option_text(judged, play.option)
                    assert values["thumbs"]["greedy"] == {
                        "move": move,
                        "loss": play.loss,
                        "verdict": play.verdict,
                    }
                    assert set(values["thumbs"]) == {"greedy", "enter+safe"}
                    marked += Thresholds().mark(judged) is not None
    assert marked
    assert page.read_text().count(" greedy would have played ") == marked
    result = CliRunner().invoke(cli, ["audit", str(path), "--thumb", "clever"])
    assert result.exit_code == 2
    assert "unknown part 'clever'" in result.stderr


def test_squares_chosen_in_an_opening_are_first_choices_and_mistakes(solved):
    """Both chose one of four squares after 0-2: dark badly, by what the game is then worth."""
    of_light, of_dark = "0-2 A@A1 C@C3", "2-0 A@A3 C@C4"
    texts = [f"rules: ben:2\nopening: {each}\n\nend: unfinished" for each in (of_light, of_dark)]
    with ur.Table(solved(named_rules("ben:2"))) as table:
        audits = list(table.audits([game for text in texts for game in read_text(text)]))
        worth = {}
        for square in ("A1", "A2", "A3", "A4"):
            opening = f"0-2 A@{square} C@C3"
            (game,) = read_text(f"rules: ben:2\nopening: {opening}\n\nend: unfinished")
            if square == "A3":  # another round, which favours neither
                worth[square] = 0.5
            else:
                value = table.value(game.start)
                worth[square] = value if game.start.side == "L" else 1 - value
    (found,) = first_choices(audits, 1)
    assert found["position"] == "....__../......../....__.. L 2 2"
    assert found["throw"] == "0-2"
    assert found["times"] == 2
    assert found["played"] == {"A@A1": 1, "A@A4": 1}
    best = max(worth, key=worth.__getitem__)
    assert found["best"] == f"A@{best}"
    loss = 2 * worth[best] - worth["A1"] - worth["A4"]
    assert found["loss"] == pytest.approx(loss, abs=1e-9)
    light, dark = over_time(audits, Thresholds(), "year")
    assert (light["choices"], dark["choices"]) == (1, 1)
    assert light["loss"] + dark["loss"] == pytest.approx(loss, abs=1e-9)
