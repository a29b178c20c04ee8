"""Commands that an estimator answers where there is no table."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import re

import numpy as np
import pytest
from click.testing import CliRunner

import ur_solver as ur
from tests.cli.test_commands import run
from tests.estimators.test_file import stored_of
from tests.solving import make_table
from ur_solver.audit.audits import ESTIMATES
from ur_solver.cli import cli
from ur_solver.cli.answering import text_of
from ur_solver.cli.study import study_page
from ur_solver.errors import MissingTableError, NotATableError
from ur_solver.estimators.estimator import Estimator, new_estimator_path
from ur_solver.estimators.file import write
from ur_solver.rules import named_rules
from ur_solver.space import part_of

pytestmark = pytest.mark.medium

HERE = "L...__../..D...../....__.. L 6 6"


@pytest.fixture
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A folder of tables with nothing but an estimator of finkel with 7 pieces."""
    monkeypatch.setenv("UR_TABLES", str(tmp_path / "own"))
    path = new_estimator_path(named_rules("finkel:7"))
    path.parent.mkdir(parents=True)
    write(path, stored_of("finkel:7"))
    return path.parent.parent


def test_best_says_that_moves_are_estimates(folder):
    page = run("best", "finkel", HERE, "2")
    assert page.endswith(
        "values with ± are estimates, by a search of 3 plies, with their 95 % intervals\n"
    )
    assert page.count(" % ± 1") == 2
    assert ", too close to call" in page
    answer = json.loads(run("best", "finkel", HERE, "2", "--json"))
    for each in (answer, *answer["moves"]):
        assert each["exact"] is False
        assert each["error"] == pytest.approx(0.2 * 0.52, abs=0.01)


def test_query_says_that_the_value_is_an_estimate(folder):
    assert " % ± 1" in run("query", "finkel", HERE)
    answer = json.loads(run("query", "finkel", HERE, "--json"))
    assert (answer["exact"], answer["tolerance"]) == (False, None)
    assert 0 < answer["error"] < 0.2
    lines = run("query", "finkel", "-", stdin=f"{HERE}\n").splitlines()
    assert lines[0].startswith(f"{HERE}\t")
    assert lines[0].endswith(" % ± 10")


def test_rollouts_are_played_when_asked(folder):
    page = run("query", "finkel", HERE, "--rollouts", "20", "--cut", "4")
    assert "\n  by rollouts" in page
    wide, narrow = (
        json.loads(run("query", "finkel", HERE, "--json", *asked))["rollouts"]
        for asked in (("--rollouts", "20"), ("--within", "8"))
    )
    assert wide["high"] - wide["low"] > 0.16 > narrow["high"] - narrow["low"]
    for arguments, message in (
        (("--cut", "4"), "--cut needs --rollouts or --within"),
        (("--rollouts", "20", "--within", "1"), "exclude each other"),
    ):
        assert message in run("query", "finkel", HERE, *arguments, code=2)
    assert "rollouts take one position" in run("query", "finkel", "-", "--within", "1", code=2)
    assert "rollouts need an estimator" in run("query", "finkel:1", "--within", "1", code=2)


def test_plies_are_chosen(folder):
    one, four = (
        json.loads(run("best", "finkel", HERE, "2", "--json", "--plies", plies))["error"]
        for plies in "14"
    )
    assert one > 3 * four


def test_a_search_goes_on_until_it_is_sure(folder):
    path = new_estimator_path(named_rules("finkel:7"))
    for width, ended, plies in ((1e-9, "sure", 1), (0.9, "plies", 4)):
        write(path, dataclasses.replace(stored_of("finkel:7"), errors=np.full(4, width)))
        answer = json.loads(run("best", "finkel", HERE, "2", "--sure", "--json"))
        assert answer["ended"] == ended
        assert [each["plies"] for each in answer["moves"]] == [plies] * 2
        every = json.loads(run("best", "finkel", HERE, "--sure", "--json"))["throws"]
        assert every[2]["moves"] == answer["moves"]
        assert [each["ended"] for each in every] == ["sure", ended, ended, ended, "sure"]
    page = run("best", "finkel", HERE, "2", "--sure")
    assert "\n\n  the best move is not sure by a search of 4 plies, the deepest\n" in page
    assert page.count(" (4 plies)  ") == 2
    assert page.endswith(
        "estimates, by searches of the plies in brackets, with their 95 % intervals\n"
    )
    (line,) = run("best", "finkel", "-", "--sure", stdin=f"{HERE}\t2\n").splitlines()
    assert line.endswith(" (not sure by a search of 4 plies, the deepest)")
    soon = run("best", "finkel", HERE, "2", "--sure", "--seconds", "1e-9")
    assert "  the best move is not sure by a search of 1 ply when the time was over\n" in soon


def test_a_search_until_it_is_sure_has_no_other_end(folder):
    for asked, message in (
        (("--sure", "--plies", "2"), "--plies is not for a search with --sure"),
        (("--seconds", "2"), "--seconds is not for a search without --sure"),
        (("--sure", "--seconds", "0"), "0.0 is not in the range x>0"),
        (("--sure", "--seconds", "nan"), "'nan' is not a finite number"),
        (("--sure", "--objective", "length"), "--sure is not for lengths of games"),
    ):
        assert message in run("best", "finkel", HERE, "2", *asked, code=2)
    # a table does not search
    small = "L...__../..D...../....__.. L 1 1"
    for asked in ((), ("--json",)):
        exact = run("best", "finkel:2", small, "2", *asked)
        assert run("best", "finkel:2", small, "2", "--sure", *asked) == exact


def test_endings_of_a_table_are_exact(folder):
    rules = named_rules("finkel:7")
    make_table(rules, folder / "finkel-7-left-1.h5", part=part_of(rules, 1), threads=1)
    ending = "....__../.......L/....__.D L 0 0"
    for words in (["finkel"], [str(new_estimator_path(rules)), "--tables", "endings"]):
        answer = json.loads(run("query", *words, ending, "--json"))
        assert answer["value"] == pytest.approx(0.556701, abs=1e-6)
        assert answer.get("exact", True)
        assert json.loads(run("query", *words, HERE, "--json"))["exact"] is False


def test_without_either_both_commands_are_offered(folder):
    message = run("best", "masters", HERE, "2", code=2)
    assert "'ur solve masters -n 7'" in message
    assert "'ur train masters -n 7 --minutes 45' makes an estimator of it; solving takes" in message
    assert re.search(r"some (\d+ h )?\d+ min( \d+ s)? and \d+\.\d GiB of memory here", message)
    for line in (
        "query skiriuk",
        "board skiriuk --best 2",
        "study skiriuk",
        "serve skiriuk --get /",
    ):
        message = run(*line.split(), code=2)
        assert "this machine cannot make it: skiriuk with 7 pieces has 1,072,022,880,769" in message
        assert "'ur train skiriuk -n 7 --minutes 45' makes an estimator of it" in message


def test_train_makes_what_best_asks(folder):
    facts = json.loads(
        run("train", "masters", "-n", "1", "--rounds", "1", "--hidden", "4", "--json", "-q")
    )
    path = new_estimator_path(named_rules("masters:1"))
    assert facts["path"] == str(path)
    assert facts["rules"]["pieces"] == 1
    assert json.loads(run("info", str(path), "--json")) == facts
    reported = run("info", str(path))
    assert reported.startswith("masters with 1 piece: an estimator of ")
    assert "\n  32,768 positions of play in " in reported
    assert not Estimator(path).is_exact(named_rules("masters:1").start())
    both = run("train", "masters", "--rounds", "1", "--minutes", "1", code=2)
    assert "--minutes and --rounds both say how long to train" in both
    assert "is not a list of sizes such as 128,64" in run(
        "train", "masters", "--hidden", "12,x", code=2
    )


def test_digits_are_those_that_an_estimate_has():
    chances, money = (Estimator(stored_of(word)) for word in ("finkel:1", "bell-stakes:1"))
    assert text_of(chances, 0.5312, 0.021) == "53 % ± 2"
    assert text_of(chances, 0.5312, 0.0021) == "53.1 % ± 0.2"
    assert text_of(money, 12.345, 0.41) == "12.3 ± 0.4"
    assert np.isclose(float(text_of(chances, 0.25, 0).split()[0]), 25)


def test_an_estimator_plays_where_there_is_no_table(folder):
    said = "there is no table of finkel with 7 pieces: an estimator plays, 1-ply"
    sampled = run("sample", "finkel", "-g", "20", "--players", "table,random")
    assert "20, 20 of them finished" in sampled
    assert said in CliRunner().invoke(cli, ["sample", "finkel", "-g", "2"]).stderr
    shares = json.loads(run("evaluate", "finkel", "--dark", "random", "-g", "40", "--json"))
    assert shares["games"] == 40
    game = run("play", "finkel", "--light", "table", "--plies", "1", "--seed", "3")
    assert "has won" in game
    assert f"\n\n{ESTIMATES}\n\n" in game
    assert "reference players" not in game


def test_what_reference_players_lose_depends_on_the_endings(folder, tmp_path):
    rules = named_rules("finkel:7")
    own = folder / "game.ur"
    run("sample", "finkel", "-g", "1", "--players", "random,random", "-o", str(own))
    audit = ("audit", str(own), "--plies", "1", "--reference-games", "2")
    run(*audit)
    (kept,) = (tmp_path / "cache" / "references").iterdir()
    make_table(rules, folder / "finkel-7-left-1.h5", part=part_of(rules, 1), threads=1)
    run(*audit)
    assert {*kept.parent.iterdir()} > {kept}


def test_hints_of_an_estimator_are_named_estimates(folder):
    page = run("play", "finkel", "--plies", "1", "--seed", "3", "--hints", stdin="1\nquit\n")
    assert "\n  values with ± are estimates, by a search of 1 ply, with" in page
    assert page.count(" % ± 2") >= 2
    assert ", too close to call" in page


def test_games_are_audited(folder):
    own = folder / "game.ur"
    run("sample", "finkel", "-g", "2", "--players", "random,random", "-o", str(own))
    path = str(new_estimator_path(named_rules("finkel:7")))
    lines = run("audit", str(own), "--plies", "2", "--json").splitlines()
    assert len(lines) == 2
    assert run("audit", path, str(own), "--plies", "2", "--json").splitlines() == lines
    for line in lines:
        values = json.loads(line)
        assert values["exact"] is False
        # who moves at random has the strength 0
        for side in ("light", "dark"):
            assert abs(values[side]["strength"]) <= 2 * values[side]["strength_error"]
        gained = sum(
            (ply["luck"] - ply["loss"]) * (1 if ply["side"] == "light" else -1)
            for ply in values["plies"]
        )
        assert values["start_value"] + gained == pytest.approx(values["end_value"], abs=1e-9)
    page = run("audit", "finkel", str(own), "--html", str(folder / "report.html"))
    assert ESTIMATES in page
    assert "100 the estimator's" in page
    assert page.count("light's chance: 50 ± ") == 2
    assert ESTIMATES[1:] in (folder / "report.html").read_text()


def test_estimators_are_listed_verified_and_removed(folder):
    path = new_estimator_path(named_rules("finkel:7"))
    (listed,) = map(json.loads, run("tables", "--json").splitlines())
    assert (listed["kind"], listed["rules"], listed["pieces"]) == ("estimator", "finkel", 7)
    assert listed["path"] == str(path)
    assert "estimates" in run("tables")
    assert run("tables", "verify", str(path)) == f"{path}: right\n"
    broken = path.with_name("broken.h5")
    whole = bytearray(path.read_bytes())
    at = whole.index(Estimator(path).stored.arrays()["first_layer"].tobytes())
    whole[at] ^= 1
    broken.write_bytes(whole)
    wrong = CliRunner().invoke(cli, ["tables", "verify", str(broken)])
    assert wrong.exit_code == 1
    assert wrong.stdout.startswith(f"{broken}: wrong: estimator")
    assert "its digest does not match its contents" in wrong.stdout
    kinds = [json.loads(line)["kind"] for line in run("tables", "--json").splitlines()]
    assert sorted(kinds) == ["damaged", "estimator"]
    run("tables", "remove", str(path), "-y")
    assert not path.exists()


def test_the_best_move_is_drawn(folder):
    result = CliRunner().invoke(cli, ["board", "finkel", HERE, "--best", "2", "-o", "-"])
    assert 'class="arrow' in result.stdout
    assert " is the choice of an estimator, 3-ply: " in result.stderr
    assert " % ± 1" in result.stderr


def test_a_study_has_what_is_sampled(folder):
    path = folder / "small.h5"
    write(path, stored_of("finkel:1"))
    found = json.loads(run("study", str(path), "-g", "100", "--json"))
    assert found["exact"] is False
    first = found["fairness"]["first_player"]
    assert first["low"] < first["value"] < first["high"]
    assert "first_throw" not in found["fairness"]
    for first in found["openings"]:
        assert first["value"]["low"] < first["value"]["value"] < first["value"]["high"]
        assert first["second"] is None  # one piece, one move
    page = study_page(found)
    assert "an estimator plays in its place, whose values are estimates" in page
    assert re.search(r"\n  the first player wins +\d\d % ± 2\d\n", page)


def test_one_function_opens_what_is_found_first(folder):
    rules = named_rules("finkel:7")
    with ur.open_evaluator("finkel", plies=2) as found:
        assert isinstance(found, ur.Estimator)
        assert (found.plies, found.exact) == (2, None)
    make_table(rules, folder / "finkel-7-left-1.h5", part=part_of(rules, 1), threads=1)
    for word, has_endings in (("finkel:7", True), (str(new_estimator_path(rules)), False)):
        with ur.open_evaluator(word) as found:
            assert isinstance(found, ur.Estimator)
            assert (found.exact is not None) == has_endings
    with ur.open_evaluator(folder / "finkel-7-left-1.h5") as found:
        assert isinstance(found, ur.Table)
    write(new_estimator_path(named_rules("finkel:1")), stored_of("finkel:1"))
    with ur.open_evaluator("finkel", 1) as found:
        assert isinstance(found, ur.Estimator)
    ur.solve("finkel:1", folder / "finkel-1.h5").close()
    with ur.open_evaluator("finkel", 1) as found:
        assert isinstance(found, ur.Table)
    with pytest.raises(MissingTableError, match="'ur train masters -n 7 --minutes 45' makes"):
        ur.open_evaluator("masters")
    with pytest.raises(NotATableError):
        ur.open_evaluator(__file__)
