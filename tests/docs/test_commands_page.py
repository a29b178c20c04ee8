"""docs/commands.md: the keys of JSON, exit codes and variables are those of the program."""

from __future__ import annotations

import ast
import json
import pathlib
import re

import click
import pytest
from click.testing import CliRunner

from tests.answers.web import Web
from tests.docs.session import ROOT
from ur_solver.cli import COMMANDS, INTERRUPTED, TERMINATED, cli
from ur_solver.common.progress import Form
from ur_solver.rules import named_rules
from ur_solver.table.names import FOLDER_VARIABLE

pytestmark = pytest.mark.medium

PAGE = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")

START = "....__../......../....__.. L 2 2"
START_OF_7 = "....__../......../....__.. L 7 7"
ONE = "....__../......../....__.. L 1 1"
TWO_BIRDS = "....__../......../....__.. L 12 12"

# By heading, commands that together have every key.
ASKED = {
    "ur query": [
        ["query", "finkel:2", START],
        ["query", "birds:1", ONE],
        ["query", "BIRDS", TWO_BIRDS],
        ["query", "ESTIMATOR", START_OF_7, "--rollouts", "8", "--cut", "3"],
        ["query", "bell-stakes:1", f"{ONE} p0"],
    ],
    "ur best": [
        ["best", "finkel:2", START, "1"],
        ["best", "finkel:2", START],
        ["best", "ESTIMATOR", START_OF_7, "1", "--sure"],
        ["best", "ESTIMATOR", START_OF_7, "--sure"],
        ["best", "bell-stakes:1", f"{ONE} p0", "3"],
        ["best", "bell-stakes:1", "....__../....L.../....__.. L 0 1 p0", "3"],
        ["best", "birds:1", ONE],
        ["best", "BIRDS", TWO_BIRDS, "--sure"],
    ],
    "ur moves": [
        ["moves", "finkel:2", START, "1"],
        ["moves", "finkel:2", START],
        ["moves", "birds:1", ONE],
    ],
    "ur solve": [["solve", "finkel:1", "--force"], ["solve", "finkel:2", "--dry-run"]],
    "ur train": [
        ["train", "finkel:1", "--rounds", "1", "--hidden", "4"],
        ["train", "masters", "-n", "2", "--rounds", "1", "--hidden", "4"],
    ],
    "ur rules": [["rules", "finkel:1", "--estimate"]],
    "ur plan": [["plan", "finkel:2"]],
    "ur tables": [["tables"]],
    "ur tables list": [["tables", "list"]],
    "ur tables verify": [["tables", "verify", "finkel:1"]],
    "ur info": [
        ["info", "ESTIMATOR"],
        ["info", "SHIPPED"],
        ["info", "finkel:1"],
        ["info", "bell-stakes:1"],
        ["info", "skiriuk:1"],
        ["info", "LENGTHS"],
    ],
    "ur verify": [["verify", "finkel:1"]],
    "ur fetch": [["fetch", "WEB", "-o", "FETCHED"]],
    "ur certify": [["certify", "finkel:1"]],
    "ur audit": [
        ["audit", "finkel", "GAMES", "--thumb", "greedy"],
        ["audit", "finkel", "OPENED"],
        ["audit", "bell-stakes:1", "MONEY"],
        ["audit", "ESTIMATOR", "LONG", "--plies", "1"],
    ],
    "ur dice": [["dice", "GAMES"]],
    "ur practise": [
        ["practise", "finkel", "GAMES"],
        ["practise", "birds:1"],
        ["practise", "ben:1", "--cost", "0", "--count", "400"],
        ["practise", "ESTIMATOR", "--plies", "1", "--cost", "0"],
    ],
    "ur review": [["review", "finkel", "GAMES"]],
    "ur sample": [
        ["sample", "finkel:1", "-g", "3"],
        ["sample", "bell-stakes:1", "-g", "3"],
        ["sample", "ESTIMATOR", "-g", "2"],
    ],
    "ur evaluate": [
        ["evaluate", "finkel:1"],
        ["evaluate", "finkel:1", "-g", "5", "--light", "random"],
        ["evaluate", "finkel:2", "--policy", "greedy"],
        ["evaluate", "ESTIMATOR", "-g", "2", "--light", "random", "--dark", "random"],
        ["evaluate", "JUDGED", "--against", "finkel:2", "-g", "2", "--plies", "1"],
    ],
    "ur duel": [
        ["duel", "first", "first", "--rules", "finkel:1", "-g", "2"],
        ["duel", "first", "random", "--rules", "finkel:2", "-g", "12"],
    ],
    "ur study": [["study", "finkel:1", "-g", "100"], ["study", "SMALL", "-g", "100"]],
    "ur compare": [["compare", "finkel:1", "-g", "100"]],
}


def sections() -> dict[str, dict[str, bool]]:
    """By heading, the keys that it lists, and whether each is always there."""
    found = {}
    _, _, text = PAGE.partition("\n## JSON\n")
    text, _, _ = text.partition("\n## ")
    for part in text.split("\n### ")[1:]:
        heading = re.match(r"`([^`]+)`", part)[1]
        keys = re.findall(r"^- (\*?)`([^`]+)`", part, flags=re.MULTILINE)
        found[heading] = {key: not star for star, key in keys}
    found["ur tables list"] = found["ur tables"]
    return found


OPAQUE = {
    *("rules", "played", "environment", "first"),
    *("choices", "choice_marks", "choice_errors", "choice_loss_errors"),
}
"""Keys whose objects are described elsewhere."""


def keys_of(values: object, name: str = "") -> set[str]:
    """The keys of an object and of what it holds: ``throws[].best``, ``light.loss``."""
    found = set()
    if isinstance(values, dict):
        for key, value in values.items():
            full = f"{name}.{key}" if name else key
            found.add(full)
            if key not in OPAQUE and full not in (
                "throws[].moves",
                "turns[].moves",
                "plies[].thumbs",
            ):
                found |= keys_of(value, full)
    elif isinstance(values, list):
        for value in values:
            found |= keys_of(value, f"{name}[]")
    return found


def json_commands() -> set[str]:
    found = set()
    for name in COMMANDS:
        command = cli.get_command(None, name)
        inner = command.commands if isinstance(command, click.Group) else {}
        for words, each in [(name, command), *((f"{name} {sub}", c) for sub, c in inner.items())]:
            if any("--json" in parameter.opts for parameter in each.params):
                found.add(f"ur {words}")
    return found


def test_every_command_with_json_is_on_the_page():
    assert set(sections()) == json_commands() == set(ASKED)


# No test solves these: tables of them would answer in the place of the estimators.
STORED = {"ESTIMATOR": "skiriuk:7", "SMALL": "four-again-d4:1", "BIRDS": "birds:2"}
# This one is held against its table.
STORED["JUDGED"] = "finkel:2"


@pytest.fixture
def games(tmp_path, finkel2, monkeypatch):
    from tests.estimators.test_file import stored_of
    from tests.games import random_game
    from ur_solver.estimators.file import write
    from ur_solver.records import write_games

    # what is solved and trained here is not there for other tests
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "tables"))
    found = {}
    for name, word in STORED.items():
        found[name] = str(tmp_path / f"{name}.h5")
        write(tmp_path / f"{name}.h5", stored_of(word))
    for name, word in (("GAMES", "finkel:2"), ("MONEY", "bell-stakes:1"), ("LONG", "skiriuk:7")):
        found[name] = str(tmp_path / f"{name}.ur")
        games = [random_game(named_rules(word), seed) for seed in (1, 2)]
        write_games(games, pathlib.Path(found[name]))
    web = Web(pathlib.Path(finkel2).read_bytes())
    found["WEB"], found["FETCHED"] = web.url, str(tmp_path / "t.h5")
    found["SHIPPED"] = str(ROOT / "ur_solver" / "estimators" / "shipped" / "skiriuk-7.h5")
    found["LENGTHS"] = str(tmp_path / "lengths.h5")
    for arguments in (
        ["finkel:1", "--objective", "length", "-o", found["LENGTHS"]],
        ["masters:2", "--left", "1"],
    ):
        assert CliRunner().invoke(cli, ["solve", "-q", *arguments]).exit_code == 0
    found["OPENED"] = str(tmp_path / "opened.ur")
    text = "rules: finkel:2\nopening: 1-2\n\nD 0 --\nend: unfinished"
    pathlib.Path(found["OPENED"]).write_text(text, encoding="utf-8")
    yield found
    web.close()


@pytest.mark.parametrize("heading", list(ASKED))
def test_keys_of_json_are_those_of_the_page(heading, finkel2, solved, games):
    for word in ("finkel:1", "birds:1", "bell-stakes:1", "skiriuk:1", "ben:1"):
        solved(named_rules(word))
    documented = sections()[heading]
    seen = set()
    for arguments in ASKED[heading]:
        words = [games.get(word, word) for word in arguments]
        words = ["finkel:2" if word == "finkel" else word for word in words]
        result = CliRunner().invoke(cli, [*words, "--json"])
        assert result.exit_code == 0, result.output
        for line in result.stdout.splitlines():
            keys = keys_of(json.loads(line))
            if heading in ("ur study", "ur compare"):  # whose own page has the rest
                keys = {key for key in keys if not re.search(r"[.\[]", key)}
            # the throws of an opening have the form of `plies`
            keys = {key for key in keys if not key.startswith("opening[].")}
            assert keys <= set(documented), f"not on the page: {keys - set(documented)}"
            always = {key for key, is_always in documented.items() if is_always}
            assert always <= keys, f"said to be always there: {always - keys}"
            seen |= keys
    assert set(documented) == seen, f"never seen: {set(documented) - seen}"


def test_codes_variables_and_forms_are_those_of_the_program():
    codes = re.findall(r"^\| (\d+) \|", PAGE, flags=re.MULTILINE)
    assert codes == ["0", "1", "2", str(INTERRUPTED), str(TERMINATED)]
    assert f"`{FOLDER_VARIABLE}`" in PAGE
    forms = re.findall(r"^\| `(\w+)` \| (?:A |Nothing)", PAGE, flags=re.MULTILINE)
    assert forms == [form.value for form in Form]


TASKS = {"solving", "verifying", "certifying", "rewriting", "fetching", "exporting"}


def documented_events() -> dict[str, set[str]]:
    """By event, the other keys that the page's table has."""
    table = re.search(r"\| `event` \| other keys \|\n\|---\|---\|\n((?:\|.*\n)+)", PAGE)[1]
    documented = {}
    for line in table.splitlines():
        event, *keys = re.findall(r"`(\w+)`", line)
        documented[event] = set(keys) - TASKS
    return documented


def sent_events() -> dict[str, set[str]]:
    """By event, the other keys that calls of `Messages.say` in the source give it."""
    found = {}
    for path in sorted((ROOT / "ur_solver").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(ast.Attribute(ast.Name("messages"), "say"), args, facts):
                    _, event = args
                    found[ast.literal_eval(event)] = {fact.arg for fact in facts}
    return found


def test_events_of_the_source_are_those_of_the_page():
    documented = documented_events()
    del documented["progress"]  # of ur_solver.common.progress, which the test below asks
    assert documented == sent_events()


def test_events_are_those_of_the_page(tmp_path, monkeypatch):
    documented = documented_events()
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "new"))
    said = []
    for _ in range(2):
        result = CliRunner().invoke(cli, ["solve", "finkel:1", "--progress", "json"])
        said += [json.loads(line) for line in result.stderr.splitlines()]
    for values in said:
        assert set(values) - {"event"} == documented[values["event"]]
    assert {values["event"] for values in said} == {"folder", "progress", "present"}
