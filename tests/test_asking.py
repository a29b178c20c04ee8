"""Asking destroys nothing: commands and functions leave the files that they find as they are.

Every command and every public name of the package has an entry below; a new one without it fails.
"""

from __future__ import annotations

import functools
import json
import os
import pathlib
import shlex
import shutil
from collections.abc import Callable, Iterator

import pytest
from click.testing import CliRunner

import ur_solver as ur
from tests.meaningless import write_meaningless
from tests.solving import make_table
from ur_solver.cli import COMMANDS, cli
from ur_solver.errors import UrError
from ur_solver.estimators.calibration import Effort
from ur_solver.rules import RuleSet, named_rules
from ur_solver.space import part_of
from ur_solver.table.names import FOLDER_VARIABLE, exact_name

pytestmark = pytest.mark.medium

Files = dict[str, bytes | str]
"""What a folder holds: the bytes of files, a word for anything else, by path."""

SPRINT = named_rules("finkel:1").changed(name="sprint")
OTHER_SPRINT = SPRINT.changed(name="sprint", safe_rosettes=False)
"""Another rule set of the same name, of which there is no table."""

CHINESE = named_rules("finkel:1").changed(name="乌尔", extra_on_rosette=False)
NO_MASTERS = named_rules("finkel:1").changed(name="masters", safe_rosettes=False)

MISSING = ("other-sprint.json", "chinese.json", "no-masters.json", "blitz:1")
"""Words of rule sets without a table; another rule set's has the name that theirs would have."""

BLOCKED = ("murray:1", "aseb:1", "skiriuk:1", "casual:1")
"""Words of rule sets whose names foreign files have: one of text, a folder, a pipe, a solve."""

THERE = ("finkel:1", "sprint.json")

WORDS = ("other-sprint.json", "blitz:1", *BLOCKED, *THERE)

START = named_rules("finkel:1").start().notation


def files_in(folder: pathlib.Path) -> Files:
    found: Files = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if path.is_file():
            found[name] = path.read_bytes()
        else:
            found[name] = "folder" if path.is_dir() else "pipe"
    return found


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder of what users have, and, among it, the folder `tables`."""
    home = tmp_path_factory.mktemp("home")
    tables = home / "tables"
    tables.mkdir()
    make_table(named_rules("finkel:1"), tables / "finkel-1.h5", certify=True)
    make_table(named_rules("finkel:1"), tables / "finkel-1", certify=True)
    make_table(SPRINT, tables / "sprint-1.h5", certify=True)
    make_table(named_rules("finkel:2"), tables / "finkel-2-left-1.h5", part=part_of(
        named_rules("finkel:2"), 1))  # fmt: skip
    write_meaningless(tables / "blitz-1.h5", named_rules("finkel:1").changed(name="blitz"))
    write_meaningless(tables / "custom-1.h5", SPRINT)
    write_meaningless(tables / "masters-1.h5", named_rules("masters:1"))
    write_meaningless(tables / "ben-1-float32.h5", named_rules("finkel:1"), "float32")
    whole = (tables / "finkel-1.h5").read_bytes()
    (tables / "damaged.h5").write_bytes(whole[: len(whole) // 2])
    (tables / "murray-1.h5").write_text("my notes")
    (tables / "aseb-1.h5").mkdir()
    (tables / "aseb-1.h5" / "notes").write_text("my notes")
    leave_unfinished(named_rules("skiriuk:1"), tables / "skiriuk-1.h5")
    (home / "mine").mkdir()
    (home / "mine" / "notes").write_text("my notes")
    for name, rules in (
        *(("sprint", SPRINT), ("other-sprint", OTHER_SPRINT)),
        *(("chinese", CHINESE), ("no-masters", NO_MASTERS)),
    ):
        (home / f"{name}.json").write_text(json.dumps(rules.to_json()))
    (home / "output.rgu").write_text("my notes")
    with ur.Table(tables / "finkel-1.h5") as table:
        ur.write_games(ur.sample(table, 3), home / "games.ur")
        ur.write_games(ur.sample(table, 3), home / "games.rgn")
    with ur.Table(tables / "sprint-1.h5") as table:
        (home / "state" / "games").mkdir(parents=True)
        ur.write_games(ur.sample(table, 1), home / "state" / "games" / "sprint-1.ur")
    done = CliRunner().invoke(cli, ["export", str(tables / "finkel-1.h5"), str(home / "map.rgu")])
    assert done.exit_code == 0
    return home


def leave_unfinished(rules: RuleSet, path: pathlib.Path) -> None:
    def stop(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_table(rules, path, certify=True, threads=1, progress=stop)
    assert any(path.with_name(f"{path.name}.blocks").glob("*/*.block"))


@pytest.fixture
def home(
    template: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> pathlib.Path:
    """A copy of `template`, the working directory, whose tables are found by name."""
    home = tmp_path / "home"
    shutil.copytree(template, home)
    os.mkfifo(home / "tables" / "casual-1.h5")
    monkeypatch.chdir(home)
    monkeypatch.setenv(FOLDER_VARIABLE, str(home / "tables"))
    monkeypatch.setattr("platformdirs.user_state_path", lambda _name: home / "state")
    # files are what is looked at, not how near an estimator is
    least = functools.partial(Effort, positions=20, rollouts=2)
    monkeypatch.setattr("ur_solver.estimators.training.Effort", least)
    return home


def changed(before: Files, after: Files) -> set[str]:
    """The files and folders that are gone, or not what they were."""
    return {name for name, content in before.items() if after.get(name) != content}


def asked(line: str, stdin: str = "") -> int:
    """Run a command; its exit code."""
    result = CliRunner().invoke(cli, shlex.split(line), input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), (line, result)
    return result.exit_code


ASKED: dict[str, list[str]] = {
    "rules": ["rules", "rules {word} --json"],
    "solve": [
        "solve {word} -q",
        "solve {word} -q --certify --value-type float32",
        "solve {word} -q -o tables/sprint-1.h5 --tolerance 1e-9",
        "solve {word} -q -o mine",
        "solve {word} -q -o mine --force",
        "solve {word} -q -o tables/casual-1.h5 --force",
        "solve {word} -q -o tables/finkel-1 --tolerance 1e-9",
        "solve {word} -q --tolerance nan",
        "solve {word} --dry-run",
        "solve {word} -q --objective length-max",
        "solve {word} -q --objective length -o tables/sprint-1.h5",
        "solve {word} -q --objective length-max -o mine --force",
        "solve {word} -q --objective length-max -o tables/casual-1.h5 --force",
    ],
    "train": [
        "train {word} -q --rounds 1 --hidden 4",
        "train {word} -q --rounds 1 --hidden 4 -o tables/sprint-1.h5",
        "train {word} --rounds 1 --minutes 1",
    ],
    "plan": ["plan {word} --chart tables/finkel-1.h5"],
    "query": [
        "query {word}",
        "query {word} - --json",
        "query {word} --solve",
        "query {word} --objective length",
    ],
    "best": ["best {word}", "best {word} --objective length-max"],
    "moves": ["moves {word}"],
    "tables": ["tables", "tables list --json", "tables verify", "tables verify {word} --sample 5"],
    "info": ["info {word} --json", "info --paths"],
    "verify": ["verify {word} --sample 5 -q", "verify {word} --objective length"],
    "certify": ["certify {word} -q"],
    "audit": [
        "audit {word} games.ur --csv tables/finkel-1.h5 --reference-games 0",
        "audit {word} games.ur --html tables/finkel-1/solve.json --reference-games 0",
        "audit {word} games.ur --annotate tables/sprint-1.h5 --reference-games 0",
        "audit {word} games.ur --reference-games 1",
        "audit games.rgn tables games.ur --reference-games 0",
    ],
    "convert": [
        "convert games.ur games.rgn --to json --rules {word}",
        "convert games.ur -o tables/sprint-1.h5",
        "convert games.ur -o games.ur",
        "convert games.ur tables -o games.rgn",
    ],
    "dice": ["dice games.ur", "dice games.rgn tables --rules finkel:1 --json"],
    "practise": [
        "practise {word} --count 2",
        "practise {word} games.ur --cards tables/sprint-1.h5",
        "practise games.ur --cards games.ur",
    ],
    "pack": [
        "pack {word} tables/finkel-1.h5",
        "pack {word} tables/finkel-1",
        "pack {word} mine --force",
        "pack {word} tables/casual-1.h5 --force",
    ],
    "fetch": ["fetch finkel-1.h5", "fetch http://127.0.0.1:1/{word}.h5 -o tables/finkel-1.h5"],
    "import": ["import map.rgu -o tables/sprint-1.h5", "import map.rgu -o map.rgu --force"],
    "export": ["export {word} tables/finkel-1.h5", "export {word} output.rgu"],
    "play": [
        "play {word}",
        "play {word} --light table --no-audit -o tables/sprint-1.h5",
        "play {word} --light first --dark first --no-audit",
    ],
    "record": ["record {word} games.ur", "record {word} tables/sprint-1.h5 --resume"],
    "review": ["review {word} games.ur", "review games.rgn tables --by 1 --thumb win --json"],
    "sample": ["sample {word} -g 2", "sample {word} -g 2 -o tables/sprint-1.h5"],
    "evaluate": [
        "evaluate {word} -g 100",
        "evaluate {word} --policy greedy",
        "evaluate {word} --against {word} -g 2",
    ],
    "duel": ["duel table first --rules {word} -g 2", "duel first greedy --rules finkel:1 -g 2"],
    "study": ["study {word} -g 100"],
    "compare": ["compare {word} -g 100 --csv tables/finkel-1/manifest.bin"],
    "serve": ["serve {word} --get /api/v1/tables", "serve --get /api/v1/tables"],
    "publish": [
        "publish mine",
        "publish tables/finkel-1 {word} --only",
        "publish tables/finkel-1.h5 {word} --only -q",
        "publish tables/site {word} --only -q",
    ],
    "board": [
        "board {word}",
        "board {word} --best 1 -o tables/sprint-1.h5",
        "board games.rgn -o tables/new.gif --width 16",
        "board games.rgn -o games.rgn",
    ],
}
"""Lines of every command; `{word}` is each word of a rule set."""

OWN = {
    ("certify", "finkel:1"): "tables/finkel-1.h5",
    ("certify", "sprint.json"): "tables/sprint-1.h5",
    ("play", "sprint.json"): "state/games/sprint-1.ur",
}
"""What a command says that it changes: the table's certificate, the game that is kept."""


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_leaves_all_files(name: str, home: pathlib.Path):
    assert name in ASKED, f"add lines of 'ur {name}' to ASKED"
    before = found = files_in(home)
    for line in ASKED[name]:
        for word in WORDS if "{word}" in line else [""]:
            asked(line.format(word=word), "n\nq\n")
            own = {OWN[name, word]} if (name, word) in OWN else set()
            assert changed(before, files_in(home)) <= own, (line, word)
            before = {each: before[each] for each in before.keys() - own}
    new = files_in(home).keys() - found.keys()
    assert all(each.startswith(("tables/", "state/")) for each in new), new
    assert not any("lock" in each or ".part" in each for each in new), new


@pytest.mark.parametrize("word", MISSING)
def test_what_is_missing_gets_a_name_of_its_own(word: str, home: pathlib.Path):
    before = files_in(home)
    assert asked(f"query {word}") == 0
    (new,) = files_in(home).keys() - before.keys()
    rules = named_rules(word)
    assert new == f"tables/{exact_name(rules)}.h5"
    with ur.open_table(word) as table:
        assert table.rules.is_same_game(rules)
        assert table.path == home / new
        assert table.verify(sample=20)
    before = files_in(home)
    assert asked(f"query {word}") == 0
    assert asked(f"solve {word} -q") == 0
    assert files_in(home) == before
    assert asked(f"tables remove {word} -y") == 0
    assert before.keys() - files_in(home).keys() == {new}


@pytest.mark.parametrize("word", BLOCKED)
def test_foreign_files_are_named_and_left(word: str, home: pathlib.Path):
    """The folder of an unfinished solve is no stray: another program may be at work on it."""
    before = files_in(home)
    path = home / "tables" / f"{named_rules(word).word.replace(':', '-')}.h5"
    result = CliRunner().invoke(cli, ["query", word])
    assert str(path) in result.stderr
    after = files_in(home)
    assert not changed(before, after)
    if result.exit_code:
        assert after == before
    else:
        (new,) = after.keys() - before.keys()
        assert new == f"tables/{exact_name(named_rules(word))}.h5"


def test_a_table_that_is_replaced_is_named(home: pathlib.Path):
    for line in (
        "solve finkel:1 --force -o tables/sprint-1.h5",
        "pack finkel:1 tables/sprint-1.h5 --force",
        "export finkel:1 tables/sprint-1.h5 --force",
        "import map.rgu -o tables/sprint-1.h5 --force",
    ):
        make_table(SPRINT, home / "tables" / "sprint-1.h5", force=True)
        result = CliRunner().invoke(cli, shlex.split(line))
        assert result.exit_code == 0, result.output
        assert "replaced a table of sprint with 1 piece\n" in result.stderr
    assert asked("pack finkel:1 tables/finkel-1.h5 --force") == 1
    assert asked("import map.rgu -o map.rgu --force") == 2


def test_a_game_in_play_is_kept_beside_one_of_other_rules(home: pathlib.Path):
    kept = home / "state" / "games"
    before = files_in(kept)
    assert asked("play other-sprint.json --dark first --seed 1", "\n1\n\n1\nquit\n") == 0
    new = files_in(kept)
    assert new["sprint-1.ur"] == before["sprint-1.ur"]
    assert {*new} == {"sprint-1.ur", f"{exact_name(OTHER_SPRINT)}.ur"}


def _call(function: Callable[..., object], *arguments: object, **options: object) -> None:
    try:
        found = function(*arguments, **options)
        if isinstance(found, Iterator):
            list(found)
        if isinstance(found, (ur.Table, ur.Lengths, ur.Estimator)):
            found.close()
    except UrError:
        pass


def _solve() -> None:
    for word in (*MISSING, *BLOCKED, *THERE):
        _call(ur.solve, word)
        _call(ur.solve, word, value_type="float32", certify=True)
        for path in ("mine", "tables/finkel-1", "tables/sprint-1.h5"):
            _call(ur.solve, word, path, tolerance=1e-9)
        for path in ("mine", "tables/aseb-1.h5", "tables/casual-1.h5"):
            _call(ur.solve, word, path, force=True)


def _solve_from() -> None:
    for word in (*MISSING, *BLOCKED, *THERE):
        _call(ur.solve_from, word, named_rules(word).start())
    _call(ur.solve_from, "finkel:2", "....__../......../....__.. L 2 1")


def _write_games() -> None:
    with ur.open_table("finkel:1") as table:
        for path in ("tables/sprint-1.h5", "tables/finkel-1/solve.json", "tables"):
            _call(ur.write_games, list(ur.sample(table, 1)), path)


def _sample() -> None:
    with ur.open_table("finkel:1") as table:
        _call(ur.sample, table, 2)


def _open_table() -> None:
    for word in (*MISSING, *BLOCKED, *THERE, "tables/damaged.h5", "tables/casual-1.h5", "mine"):
        _call(ur.open_table, word)


def _read_games() -> None:
    for path in ("games.ur", "games.rgn", "tables/finkel-1.h5", "."):
        _call(lambda path=path: list(ur.read_games(path)))


def _table_paths() -> None:
    for path in sorted(pathlib.Path("tables").iterdir()):
        _call(ur.Table, path)


def _train() -> None:
    for word in ("finkel:1", "sprint.json", "other-sprint.json"):
        for path in (None, "tables/sprint-1.h5", "tables/finkel-1", "games.ur"):
            _call(ur.train, word, path, rounds=1, hidden=(4,))
        _call(ur.open_estimator, word)


def _open_evaluator() -> None:
    for word in (*MISSING, *BLOCKED, *THERE, "tables/damaged.h5", "tables/casual-1.h5", "mine"):
        _call(ur.open_evaluator, word)


def _solve_lengths() -> None:
    for word in ("finkel:1", "sprint.json", "casual:1", "aseb:1"):
        for path in (None, "mine", "tables/finkel-1", "tables/sprint-1.h5", "tables/damaged.h5"):
            _call(ur.solve_lengths, word, "length-max", path)
        _call(ur.solve_lengths, word, "length-max", "tables/casual-1.h5", force=True)
        _call(ur.solve_lengths, word, "length")


def _lengths_paths() -> None:
    for path in sorted(pathlib.Path("tables").iterdir()):
        _call(ur.Lengths, path)


def _estimators() -> None:
    for path in sorted(pathlib.Path("tables").iterdir()):
        _call(ur.Estimator, path)
        _call(ur.open_estimator, str(path))


FUNCTIONS: dict[str, Callable[[], None]] = {
    "open_table": _open_table,
    "read_games": _read_games,
    "rule_set": lambda: [_call(ur.rule_set, word) for word in (*MISSING, *BLOCKED)] and None,
    "sample": _sample,
    "solve": _solve,
    "solve_from": _solve_from,
    "solve_lengths": _solve_lengths,
    "Lengths": _lengths_paths,
    "write_games": _write_games,
    "train": _train,
    "open_estimator": _estimators,
    "open_evaluator": _open_evaluator,
    "Estimator": _estimators,
    "Table": _table_paths,
}
"""The public functions that take paths or words."""

WITHOUT_FILES = {
    *("CATALOGUE", "DICE", "PATHS", "Board", "Decision", "Dice", "EvaluatedChoice"),
    *("EvaluatedMove", "EvaluatedRound", "Family", "GameAudit"),
    *("GameRecord", "Games", "JudgedPly", "Mark", "Move", "MoveLength", "Path"),
    *("PlayerSummary", "Ply"),
    *(
        "Position",
        "RecordFault",
        "RuleSet",
        "SquareRule",
        "Stakes",
        "StateLayout",
        "SureDecision",
        "TableComparison",
        "Thresholds",
        "ThrowValue",
    ),
    *("errors", "ply_columns", "register_family", "register_rules", "register_square_rule"),
}
"""Public names of what knows no files; `Games` is what `read_games` returns."""


@pytest.mark.filterwarnings("ignore::ur_solver.errors.IgnoredFileWarning")
@pytest.mark.parametrize("name", ur.__all__)
def test_a_function_leaves_all_files(name: str, home: pathlib.Path):
    assert name in {*FUNCTIONS, *WITHOUT_FILES}, f"add {name} to FUNCTIONS or WITHOUT_FILES"
    if name in FUNCTIONS:
        before = files_in(home)
        FUNCTIONS[name]()
        after = files_in(home)
        assert not changed(before, after)
        assert all(each.startswith("tables/") for each in after.keys() - before.keys())


METHODS: dict[str, Callable[[ur.Table], tuple[object, ...]]] = {
    **dict.fromkeys(
        (
            "value",
            "chance",
            "error",
            "cut_error",
            "check",
            "holds",
            "throws",
            "choices",
            "decision",
        ),
        lambda _table: (START,),
    ),
    **dict.fromkeys(("moves", "best"), lambda _table: (START, 1)),
    **dict.fromkeys(
        ("columns", "move_columns", "values", "encode", "errors", "ranks"),
        lambda _table: ([START],),
    ),
    "states": lambda _table: ([0],),
    "chunks": lambda _table: (),
    "export": lambda _table: (os.devnull, "npy"),
    **dict.fromkeys(
        ("holds_states", "state_values", "state_chances"), lambda table: (table.encode([START]),)
    ),
    "state_margins": lambda table: (table.encode([START]), table.values([START])),
    **dict.fromkeys(("info", "load", "opening_value", "verify", "close"), lambda _table: ()),
    "limit_memory": lambda _table: (1 << 20,),
    "check_whole": lambda _table: ("a test",),
    "looking": lambda _table: (1,),
    "error_of": lambda table: (0.5, table.rules.start()),
    "opening_rounds": lambda _table: ((2, 1),),
    "audit": lambda table: (next(ur.sample(table, 1)),),
    "audits": lambda table: (ur.sample(table, 2),),
}
"""The arguments of every method of a table."""


def test_a_method_leaves_all_files(home: pathlib.Path):
    public = {
        name
        for name in dir(ur.Table)
        if not name.startswith("_") and callable(getattr(ur.Table, name))
    }
    assert public == METHODS.keys(), "add new methods of Table to METHODS"
    before = files_in(home)
    for name, arguments in METHODS.items():
        with ur.open_table("finkel:1") as table:
            found = getattr(table, name)(*arguments(table))
            if isinstance(found, Iterator):
                list(found)
    assert files_in(home) == before
