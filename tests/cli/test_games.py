"""`ur audit`, `import`, `export`, `play` and `sample` through click's runner."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.games import GAMES, random_game
from ur_solver.api.table import Table
from ur_solver.cli import cli
from ur_solver.records import read_file, write_games
from ur_solver.rules import named_rules

pytestmark = pytest.mark.medium

GREEDY = str(GAMES / "finkel2p-greedy.json")


def run(*arguments, stdin=None, code=0):
    result = CliRunner().invoke(cli, [str(each) for each in arguments], input=stdin)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


@pytest.fixture(autouse=True)
def _table_of_finkel_2(finkel2):
    """Every command finds this table."""


@pytest.fixture
def folder(tmp_path):
    """Five games, one of them truncated and one of other rules."""
    path = tmp_path / "games"
    path.mkdir()
    rules = named_rules("finkel:2")
    write_games([random_game(rules, seed) for seed in range(2)], path / "a.json")
    write_games([random_game(rules, 7)], path / "b.rgn")
    (path / "c.json").write_text(Path(GREEDY).read_text()[:500])
    (path / "d.json").write_text((GAMES / "blitz-1.json").read_text())
    (path / "notes.txt").write_text("not a game")
    return path


def test_audit_for_people():
    output = run("audit", "finkel:2", GREEDY, "--reference-games", 20).stdout
    assert f"{GREEDY}: finkel:2, 35 throws, dark won" in output
    assert (
        "light's chance: 51.9 at the start, light's dice \N{MINUS SIGN}19.0, light's moves "
        "\N{MINUS SIGN}5.8, dark's dice \N{MINUS SIGN}32.8, dark's moves +5.7: 0.0 at the end\n"
        "dark won\n"
    ) in output
    assert (
        f"\nmistake at states[6] of {GREEDY}: dark threw 3 and played B4B7 (52.4 %); best was C@C2 "
        "(58.1 %): 5.7 points lost\n"
    ) in output
    assert "  B  .  L  .  D  .  .  .  ." in output
    assert "lost a choice by reference players: random " in output
    bare = run("audit", "finkel:2", GREEDY, "--reference-games", 0, "--worst", 0).stdout
    assert "reference" not in bare
    assert "points lost" not in bare


def test_audit_as_json():
    (line,) = run("audit", "finkel:2", GREEDY, "--json").stdout.splitlines()
    values = json.loads(line)
    assert values["file"] == GREEDY
    assert values["start_value"] == pytest.approx(0.518572907495, abs=1e-10)
    assert values["light"]["choices"] == 5
    assert values["light"]["strength"] is None  # of so few choices
    bare = run("audit", "finkel:2", GREEDY, "--json", "--reference-games", 0).stdout
    assert "strength" not in bare
    both = run("audit", "finkel:2", "-", "--json", stdin=Path(GREEDY).read_text() + "\n").stdout
    assert json.loads(both) == values | {"file": "-"}


def test_one_bad_game_does_not_stop_the_rest(folder):
    result = run("audit", "finkel:2", folder, "--json", code=2)
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(Path(line["file"]).name, line.get("game", 1)) for line in lines] == [
        ("a.json", 1), ("a.json", 2), ("b.rgn", 1),
    ]  # fmt: skip
    assert "c.json: line 1, column" in result.stderr
    assert "d.json: the game was played by blitz, not finkel:2" in result.stderr


def test_audit_of_a_folder(folder, tmp_path):
    (folder / "c.json").unlink()
    (folder / "d.json").write_text(Path(GREEDY).read_text())
    page, rows = tmp_path / "report.html", tmp_path / "games.csv"
    output = run("audit", "finkel:2", folder, "--html", page, "--csv", rows).stdout
    table = output.split("\n\n")[0].splitlines()
    assert table[0].split("  ")[0] == "game"
    assert [line.split("  ")[0].split(", game")[0] for line in table[1:]] == [
        *(str(folder / name) for name in ("a.json", "a.json", "b.rgn", "d.json")),
    ]
    assert page.read_text().count("<section>") == 4
    assert len(rows.read_text().splitlines()) == 9


def test_a_record_says_by_which_rules_it_was_played(tmp_path):
    """Without a table, each game is judged by that of its rule set, as with it."""
    paths = [tmp_path / "a.rgn", tmp_path / "b.ur", Path(GREEDY)]
    for path, word in zip(paths, ("finkel:2", "birds:1"), strict=False):
        write_games([random_game(named_rules(word), 3)], path)
    found = run("audit", *paths, "--json").stdout.splitlines()
    assert [json.loads(line)["rules"] for line in found] == ["finkel:2", "birds:1", "finkel:2"]
    for word, path, line in zip(("finkel:2", "birds:1", "finkel:2"), paths, found, strict=True):
        assert run("audit", word, path, "--json").stdout == line + "\n"
    page = tmp_path / "report.html"
    text = run("audit", *paths, "--reference-games", 5, "--html", page).stdout
    for path in paths:
        assert f"{path}: " in text
    assert text.count("lost a choice by reference players") == 2  # a line for each rule set
    assert page.read_text().count('class="bars"') == 6


def test_a_folder_may_be_a_table(tmp_path):
    game = tmp_path / "game.ur"
    write_games([random_game(named_rules("finkel:2"), 3)], game)
    run("solve", "finkel:2", "-o", tmp_path / "table", "-q")
    assert run("audit", tmp_path / "table", game, "--json").stdout == (
        run("audit", game, "--json").stdout
    )


def test_a_game_without_a_table_is_passed_over(tmp_path):
    games = tmp_path / "games.ur"
    rules = [named_rules(word) for word in ("finkel:2", "murray:4", "finkel:2")]
    write_games([random_game(each, 3, max_plies=6) for each in rules], games)
    result = run("audit", games, "--json", code=2)
    assert len(result.stdout.splitlines()) == 2
    assert "game 2: there is no table of murray with 4 pieces" in result.stderr
    assert "Missing argument 'FILE...'" in run("audit", "finkel:2", code=2).stderr
    for name in ("nowhere.json", "nowhere.h5"):
        assert f"file '{name}' does not exist" in run("audit", name, code=2).stderr


def test_a_short_game_has_no_strength(tmp_path):
    path = tmp_path / "game.ur"
    write_games([random_game(named_rules("finkel:2"), 1, max_plies=4)], path)
    lines = run("audit", path, "--reference-games", 5).stdout.splitlines()
    (head,) = (number for number, line in enumerate(lines) if line.endswith("strength"))
    for row, side in zip(lines[head + 1 :], ("light", "dark"), strict=False):
        assert row.startswith(f"{side} ")
        assert row.endswith("  too few choices")
    run("sample", "finkel:2", "-g", 30, "-o", path)
    assert "100 \N{PLUS-MINUS SIGN} " in run("audit", path).stdout


def test_audit_refuses(tmp_path):
    blitz = GAMES / "blitz-1.json"
    error = run("audit", "finkel:2", blitz, code=2).stderr
    assert "the game was played by blitz, not finkel:2" in error
    error = run("audit", "finkel:2", GREEDY, "--mistake", 0.5, code=2).stderr
    assert "expected three ascending numbers" in error
    error = run("audit", "finkel:2", tmp_path / "nothing.rgn", code=2).stderr
    assert "No such file" in error
    error = run("audit", "finkel:2", GREEDY, "--html", tmp_path / "no" / "x.html", code=1).stderr
    assert "cannot write" in error
    run("audit", "finkel:2", code=2)


def test_export_then_import_keeps_values(tmp_path, query2):
    path, table = tmp_path / "map.rgu", tmp_path / "table.h5"
    result = run("export", "finkel:2", path)
    assert result.stdout == f"{path}\n"
    assert "12,990 entries" in result.stderr
    result = run("import", path, "-o", table)
    assert result.stdout == f"{table}\n"
    with Table(table) as query:
        assert query.rules == named_rules("finkel:2")
        ranks = range(query.space.n_values)
        ours, theirs = (q.file.read_many(list(ranks)) for q in (query2, query))
        assert abs(ours - theirs).max() <= 0.5001 / 65535
        assert query.tolerance < 1e-4
    run("verify", table)
    assert "--force" in run("import", path, "-o", table, code=1).stderr
    assert "--force" in run("export", "finkel:2", path, code=1).stderr
    run("import", path, "-o", table, "--force")


@pytest.mark.parametrize("value_type", ["f32", "f64"])
def test_exact_maps_make_exact_tables(tmp_path, value_type, query2):
    path, table = tmp_path / "map.rgu", tmp_path / "table.h5"
    run("export", "finkel:2", path, "--value-type", value_type, "--author", "Ann")
    run("import", path, "-o", table)
    with Table(table) as query:
        ranks = list(range(query.space.n_values))
        difference = abs(query.file.read_many(ranks) - query2.file.read_many(ranks)).max()
        assert difference <= (0 if value_type == "f64" else 2.0**-24)


def test_a_file_that_is_no_map_is_refused(tmp_path):
    path = tmp_path / "map.rgu"
    path.write_bytes(b"RGB")
    assert "does not begin with 'RGU'" in run("import", path, code=2).stderr


def test_sample(tmp_path):
    games = tmp_path / "games.rgn"
    output = run("sample", "finkel:2", "-g", 40, "--players", "table,greedy", "-o", games).stdout
    assert output.startswith("games                   40, 40 of them finished\ntable (light) wins ")
    assert len(list(read_file(str(games)))) == 40
    values = json.loads(
        run("sample", "finkel:2", "-g", 40, "--players", "table,greedy", "--json").stdout
    )
    assert values["games"] == 40
    wins = re.search(r"table \(light\) wins +(\d+) % ± (\d+)\n", output)
    assert int(wins[1]) == pytest.approx(100 * values["light_share"], abs=0.5)
    assert int(wins[2]) == pytest.approx(196 * values["share_error"], abs=1.5)
    assert "expected two names" in run("sample", "finkel:2", "--players", "table", code=2).stderr
    assert "policy 'deep'" in run("sample", "finkel:2", "--players", "table,deep", code=2).stderr


def test_play_against_the_table(tmp_path):
    path = tmp_path / "game.rgn"
    result = run(
        "play", "finkel:2", "--seed", 3, "-o", path, stdin="hint\n9\nnonsense\n" + "1\n" * 90
    )
    assert "has won" in result.stdout
    assert "'nonsense': with a 1 you can play only A@A4; 'help' lists" in result.stderr
    assert "-0.00" not in result.stdout
    assert "#####" in result.stdout  # the hint's bars
    assert "strength" in result.stdout
    (record,) = read_file(str(path))
    assert dict(record.metadata) == {"Light": "human", "Dark": "table"}
    assert record.ending == "won"


def test_play_can_be_given_up_and_broken_off(tmp_path):
    path = tmp_path / "game.json"
    output = run("play", "finkel:2", "--seed", 3, "-o", path, stdin="1\nresign\n").stdout
    assert "light resigns" in output
    (record,) = read_file(str(path))
    assert (record.ending, record.winner) == ("resigned", "D")
    for stdin in ("1\n", "1\nquit\n"):
        output = run("play", "finkel:2", "--seed", 3, "-o", path, stdin=stdin).stdout
        assert output.endswith("the game is saved: 'ur play finkel:2 --resume' continues it\n")
        *_, record = read_file(str(path))
        assert (record.ending, record.winner) == ("unfinished", None)


def test_birds_are_played_sampled_and_audited(tmp_path):
    path = tmp_path / "games.ur"
    output = run("sample", "birds:1", "-g", 30, "--players", "greedy,random", "-o", path).stdout
    assert "30, 30 of them finished" in output
    lines = run("audit", "birds:1", path, "--json").stdout.splitlines()
    assert len(lines) == 30
    for line in lines:
        values = json.loads(line)
        gained = sum(
            (ply["luck"] - ply["loss"]) * (1 if ply["side"] == "light" else -1)
            for ply in values["plies"]
        )
        result = {"light": 1, "dark": 0}[values["winner"]]
        assert values["start_value"] + gained == pytest.approx(result, abs=1e-12)
    both = [ply["throw"] for ply in json.loads(lines[0])["plies"]]
    assert any(isinstance(throw, list) and len(throw) == 2 for throw in both)
    error = run("sample", "birds:1", "-o", tmp_path / "games.rgn", code=2).stderr
    assert "RGN cannot hold games of birds:1" in error
    assert not (tmp_path / "games.rgn").exists()
    game = tmp_path / "game.ur"
    result = run("play", "birds:2", "--seed", 1, "-o", game, stdin="hint\nfly\n1\n" * 200)
    assert "\n  1 move   2 enter\nchoose> " in result.stdout
    assert "\nchoose> hint\n  1  move " in result.stdout
    assert "'fly': choose move or enter; 'help' lists" in result.stderr
    assert "has won" in result.stdout
    (record,) = read_file(str(game))
    assert record.ending == "won"
    page = tmp_path / "report.html"
    shown = run("audit", "birds:2", game, "--html", page, "--inaccuracy", 1e-4, "--mistake", 1e-3,
               "--blunder", 2e-3, "--worst", 30).stdout  # fmt: skip
    assert " chose " in shown
    assert "Chose <b>" in page.read_text()


def test_games_for_money_are_played_sampled_and_audited(tmp_path):
    """A sample's mean winnings are what the table says that the start is worth."""
    path, word = tmp_path / "games.ur", "bell-stakes:1"
    output = run("sample", word, "-g", 400, "-o", path).stdout
    values = json.loads(run("sample", word, "-g", 400, "--json").stdout)
    worth = json.loads(run("info", word, "--json").stdout)["value"]
    assert abs(values["light_money"] - worth) < 3 * values["money_error"]
    gets = re.search(r"table \(light\) gets +(\d+\.\d+) ± (\d+\.\d+) a game", output)
    assert float(gets[1]) == pytest.approx(values["light_money"], abs=0.05)
    assert float(gets[2]) == pytest.approx(1.96 * values["money_error"], abs=0.05)
    lines = run("audit", path, "--json", "--reference-games", 0).stdout.splitlines()
    fines = 0
    for line in lines:
        game = json.loads(line)
        fines += game["light"]["cost"] + game["dark"]["cost"]
        gained = sum(
            (ply["luck"] - ply["loss"]) * (1 if ply["side"] == "light" else -1)
            for ply in game["plies"]
        )
        last = game["plies"][-1]["position"]
        pot = 20 + int(last.rpartition(" p")[2])  # the last move leaves the board
        assert game["start_value"] + gained + game["light"]["cost"] == pytest.approx(
            pot * (game["winner"] == "light")
        )
    assert fines == values["fines"]
    game = tmp_path / "game.ur"
    shown = run(
        "play", word, "--dark", "weak", "--seed", 2, "-o", game, stdin="hint\n" + "1\n" * 90
    )
    assert "light's money to come: " in shown.stdout
    assert "won the pot of " in shown.stdout
    page = tmp_path / "report.html"
    text = run("audit", game, "--html", page, "--csv", tmp_path / "games.csv").stdout
    for line in text.splitlines()[1:]:
        assert line in shown.stdout
    assert "Fines paid" in page.read_text()
    assert "points of" not in text
    assert "RGN cannot hold games of" in (
        run("sample", word, "-o", tmp_path / "games.rgn", code=2).stderr
    )


def test_the_program_plays_itself_and_hints():
    output = run("play", "finkel:2", "--light", "strong", "--dark", "first", "--seed", 5).stdout
    assert "has won" in output
    output = run("play", "finkel:2", "--dark", "human", "--hints", "--seed", 5, "--no-audit",
                 stdin="1\n" * 200).stdout  # fmt: skip
    assert re.search(r"^  1  \S+  +\d\d\.\d\d %  +best  #", output, re.MULTILINE)
    assert re.search(r" -\d+\.\d\d ", output)
    assert "-0.00" not in output
    error = run(
        "play", "finkel:2", "--light", "table", "-o", "game.txt", "--seed", 1, code=2
    ).stderr
    assert (
        "nor a suffix of their files; there are ur (.ur), rgn (.rgn), json (.json, .jsonl)" in error
    )
