"""The commands through click's runner: exact output and exit codes."""

from __future__ import annotations

import json
import re

import click
import pytest
from click.testing import CliRunner

from tests.meaningless import write_meaningless
from ur_solver import __version__
from ur_solver.cli import COMMANDS, cli
from ur_solver.cli.options import memory_size
from ur_solver.rules import named_rules
from ur_solver.table.names import FOLDER_VARIABLE

START = "....__../......../....__.. L 2 2"
MIDDLE = "L...__../..D...../....__.. L 1 1"


def sure_digits(output: str) -> str:
    """The output without the last two digits of percentages, which are within the tolerance."""
    return re.sub(r"(\.\d{8})\d\d %", r"\1 %", output)


def run(*arguments: str, stdin: str | bytes | None = None, code: int = 0) -> str:
    """The command's standard output; its exit code must be `code`."""
    result = CliRunner().invoke(cli, arguments, input=stdin)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.stdout if code == 0 else result.stderr


@pytest.fixture(autouse=True)
def _table_of_finkel_2(finkel2):
    """Every command finds this table."""


def test_help_and_version():
    help_text = run("--help")
    for name, line in COMMANDS.items():
        assert f"{name}" in help_text
        assert line in help_text
        assert "Usage: " in run(name, "--help")
    assert run("--version") == f"ur, version {__version__}\n"


# ur query


OF_LINES = ("position", "value", "tolerance", "error", "opening_value")
OF_POSITIONS = {"side", "winner", "is_draw", "total", "after_pass", "throws"}
OF_THROWS = {"throw", "probability", "value", "luck", "best", "moves"}
OF_MOVES = {
    *("move", "from", "to", "again", "capture", "position"),
    *("value", "loss", "mark"),
}
"""The keys of a table's answers."""


def test_query_as_json():
    answer = json.loads(run("query", "finkel:2", START, "--json"))
    assert set(answer) == {*OF_LINES, *OF_POSITIONS}
    assert answer["position"] == START
    assert answer["opening_value"] == answer["value"]
    assert answer["value"] == pytest.approx(0.518572907495, abs=1e-11)
    assert answer["tolerance"] == 1e-12


def test_query_as_json_has_the_throws_that_the_text_has():
    throws = json.loads(run("query", "finkel:2", MIDDLE, "--json"))["throws"]
    assert [set(each) for each in throws] == 5 * [OF_THROWS]
    reported = run("query", "finkel:2", MIDDLE).splitlines()[-5:]
    for each, line in zip(throws, reported, strict=True):
        cells = line.split()
        assert int(cells[0]) == each["throw"]
        assert float(cells[1]) == 100 * each["probability"]
        assert float(cells[3]) == pytest.approx(100 * each["value"], abs=1e-9)
        assert (each["best"] or "none:") == cells[5]
    mean = sum(each["probability"] * each["value"] for each in throws)
    assert mean == pytest.approx(
        json.loads(run("query", "finkel:2", MIDDLE, "--json"))["value"], abs=1e-11
    )
    over = "....__../......../....__.. D 0 2"
    assert json.loads(run("query", "finkel:2", over, "--json"))["throws"] == []


def test_query_for_people():
    assert sure_digits(run("query", "finkel:2", MIDDLE)) == (
        "     1  2  3  4  5  6  7  8\n"
        "  A  L  .  .  .        *  .\n"
        "  B  .  .  D  *  .  .  .  .\n"
        "  C  *  .  .  .        *  .\n"
        "\n"
        "  light  home 1  off 0  to throw\n"
        "  dark   home 1  off 0\n"
        "\n"
        "  light wins  50.89698496 %  ####################--------------------\n"
        "  dark wins   49.10301503 %  ####################--------------------\n"
        "\n"
        "  throw   chance  light then wins  best move\n"
        "      0   6.25 %  42.47280486 %  none: the turn passes\n"
        "      1  25.00 %  46.86443005 %  A1B1\n"
        "      2  37.50 %  48.39507971 %  A1B2\n"
        "      3  25.00 %  59.49220231 %  A1B3x\n"
        "      4   6.25 %  56.08194677 %  A1B4*\n"
    )


def test_query_of_a_game_that_is_over():
    output = run("query", "finkel:2", "....__../......../....__.. D 0 2")
    assert "light  home 0  off 2  has won" in output
    assert "light wins  100.0000000000 %" in output
    assert "throw " not in output


def test_query_many():
    lines = run("query", "finkel:2", "-", "--json", stdin=f"{START}\n\n{MIDDLE}").splitlines()
    assert [json.loads(line)["position"] for line in lines] == [START, MIDDLE]
    whole = json.loads(run("query", "finkel:2", START, "--json"))
    throws = run("query", "finkel:2", "-", "--json", "--throws", stdin=START)
    assert json.loads(throws) == whole
    assert json.loads(lines[0]) == {key: whole[key] for key in OF_LINES}
    assert (
        sure_digits(run("query", "finkel:2", "-", stdin=f"{START}\r\n"))
        == f"{START}\t51.85729074 %\n"
    )
    assert run("query", "finkel:2", "-", stdin="") == ""


@pytest.mark.parametrize(
    ("stdin", "fault"),
    [
        (f"{START}\n{START}x\n", "line 2: position"),
        (f"\n\n{START} 3", "line 3: position"),
        ("....__../......../....__.. L 3 2\n", "line 1: position"),
        (b"\xff\xfe\n", "line 1: position"),
        ("x" * 100_000, "line 1: longer than"),
        ("x" * 1_000_000 + f"\n{START}\n", "line 1: longer than"),
        (f"{START}\n" + "x" * 100_000 + f"\n{START}\n", "line 2"),
    ],
)
def test_a_bad_line_is_named(stdin, fault):
    assert fault in run("query", "finkel:2", "-", stdin=stdin, code=2)


def invoke(*arguments: str, stdin: str):
    result = CliRunner().invoke(cli, arguments, input=stdin)
    assert result.exit_code == 2
    return result


def test_lines_beside_a_bad_one_are_answered():
    stdin = f"{START}\nx\n\n{START}\ny\n"
    result = invoke("query", "finkel:2", "-", stdin=stdin)
    answer = f"{START}\t51.85729074 %"
    first, bad, second, _ = sure_digits(result.stdout).splitlines()
    assert (first, second) == (answer, answer)
    assert bad.startswith("x\terror: position 'x'")
    assert "2 lines of 4 could not be answered; line 2: position 'x'" in result.stderr


@pytest.mark.parametrize("command", ["query", "best", "moves"])
def test_a_bad_line_becomes_an_error_object(command):
    line = START if command == "query" else f"{START}\t2"
    result = invoke(command, "finkel:2", "-", "--json", stdin=f"x\n{line}\n\n{'y' * 2000}\n")
    first, answer, last = map(json.loads, result.stdout.splitlines())
    assert list(first) == list(last) == ["line", "input", "message"]
    assert (first["line"], first["input"]) == (1, "x")
    assert first["message"].startswith("position 'x'")
    assert (last["line"], last["input"]) == (4, "y" * 80)
    assert answer["position"] == START
    assert "message" not in answer


# ur best


def test_best_as_json():
    answer = json.loads(run("best", "finkel:2", MIDDLE, "3", "--json"))
    assert set(answer) == {"position", *OF_THROWS}
    assert answer["value"] == answer["moves"][0]["value"]
    assert (answer["position"], answer["throw"]) == (MIDDLE, 3)
    assert [set(move) for move in answer["moves"]] == 2 * [OF_MOVES]
    assert [move["move"] for move in answer["moves"]] == ["A1B3x", "A@A2"]
    first, second = answer["moves"]
    assert first["loss"] == 0
    assert second["loss"] == first["value"] - second["value"]
    passed = json.loads(run("best", "finkel:2", MIDDLE, "0", "--json"))
    assert passed["moves"] == []
    assert passed["value"] == pytest.approx(0.4247280486, abs=1e-10)


def test_best_without_a_throw_lists_all():
    one = [json.loads(run("best", "finkel:2", MIDDLE, str(k), "--json")) for k in range(5)]
    every = json.loads(run("best", "finkel:2", MIDDLE, "--json"))
    assert list(every) == ["position", "throws"]
    chances = {0: 1 / 16, 1: 1 / 4, 2: 3 / 8, 3: 1 / 4, 4: 1 / 16}
    assert [{"position": MIDDLE, **each} for each in every["throws"]] == one
    assert [each["probability"] for each in one] == [chances[each["throw"]] for each in one]
    page = run("best", "finkel:2", MIDDLE)
    for throw, chance in chances.items():
        assert f"\nthrow {throw}, {100 * chance:.2f} %\n" in page
        rows = run("best", "finkel:2", MIDDLE, str(throw)).split("\n\n")[-1]
        assert rows.strip("\n") in page
    assert "the game is over" in run("best", "finkel:2", "....__../......../....__.. D 0 2")
    lines = run("best", "finkel:2", "-", stdin=f"{MIDDLE}\n").splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(f"{MIDDLE}\t0: no move; 1: A1B1 ")
    assert json.loads(run("best", "finkel:2", "-", "--json", stdin=MIDDLE)) == every


def test_moves_without_a_throw_lists_all():
    every = json.loads(run("moves", "finkel:2", MIDDLE, "--json"))
    for each in every["throws"]:
        one = json.loads(run("moves", "finkel:2", MIDDLE, str(each["throw"]), "--json"))
        assert each["moves"] == one["moves"]
    assert sum(each["probability"] for each in every["throws"]) == 1
    page = run("moves", "finkel:2", MIDDLE)
    assert "\nthrow 0, 6.25 %\n  throw 0: no move, the turn passes\n" in page
    assert page.count("throws again") == 1
    stdin = f"{MIDDLE}\n{MIDDLE}\t3\n"
    all_of_them, three = run("moves", "finkel:2", "-", stdin=stdin).splitlines()
    assert three == f"{MIDDLE}\t3\tA@A2, A1B3x"
    assert all_of_them == (
        f"{MIDDLE}\t0: no move; 1: A@A4, A1B1; 2: A@A3, A1B2; 3: A@A2, A1B3x; 4: A1B4*"
    )


BIRDS = "...L2__../....L1D2../....__.. L 345 1345"
NO_BIRDS = "....__../......../....__.. L 12345 12345"


def test_moves_take_the_choice_before_the_throw():
    # rules, section 5.3: the Raven, piece 3, enters by a 3; both pieces on the board may move
    assert json.loads(run("moves", "birds", BIRDS, "move", "1", "--json"))["turns"] == [
        {
            "choice": "move",
            "throws": [1],
            "probability": 0.25,
            "moves": [
                {
                    "move": "2A4A3",
                    "position": "..L2.__../....L1D2../....__.. D 345 1345",
                    "again": False,
                },
                {
                    "move": "1B5B6x",
                    "position": "...L2__../.....L1../....__.. D 345 12345",
                    "again": False,
                },
            ],
        }
    ]
    assert "  3A@A3  ..L3L2__../" in run("moves", "birds", BIRDS, "enter", "3", "2")
    page = run("moves", "birds", BIRDS, "3")
    heads = [line for line in page.splitlines() if line.endswith(" %")]
    assert heads == [
        "move, throw 3, 25.00 %",
        *(
            f"enter, throw 3 and {k}, {p}"
            for k, p in enumerate(("1.56 %", "6.25 %", "9.38 %", "6.25 %", "1.56 %"))
        ),
    ]
    # a first throw of 0 counts as 5, and one that is not the number of a piece ends the turn
    assert "  5A@A4  " in run(
        "moves", "birds", "....__../......../....__.. L 5 5", "enter", "0", "1"
    )
    assert "enter 2: no move, the turn passes" in run("moves", "birds", BIRDS, "enter", "2")
    lines = f"{NO_BIRDS}\tenter 1 3\n{NO_BIRDS}\t2\n{NO_BIRDS}\tmove 2\n"
    result = invoke("moves", "birds", "-", stdin=lines)
    assert result.stdout.splitlines()[:2] == [
        f"{NO_BIRDS}\tenter 1 3: 1A@A2",
        f"{NO_BIRDS}\tenter 2: no move",
    ]
    assert "'move' is not allowed in" in result.stderr


def test_best_takes_the_choice_before_the_throw(solved):
    solved(named_rules("birds:1"))
    start = "....__../......../....__.. L 1 1"
    entered = json.loads(run("best", "birds:1", start, "enter", "1", "--json"))["turns"]
    assert [each["throws"] for each in entered] == [[1, k] for k in range(5)]
    assert [[move["move"] for move in each["moves"]] for each in entered] == [
        [],
        ["1A@A4"],
        ["1A@A3"],
        ["1A@A2"],
        ["1A@A1*"],
    ]
    every = json.loads(run("best", "birds:1", start, "--json"))["turns"]
    assert sum(each["probability"] for each in every) == 1
    value = json.loads(run("query", "birds:1", start, "--json"))["value"]
    assert sum(each["probability"] * each["value"] for each in every) == pytest.approx(value)


@pytest.mark.parametrize(
    ("asked", "fault"),
    [
        (["finkel:1", "enter", "1"], "enter"),
        (["finkel:1", "1", "2"], "a turn of finkel has 1 throw at most"),
        (["birds:1", "enter", "2", "1"], "no turn has throws of 2 and 1"),
        (["birds:1", "enter", "1", "1", "1"], "a turn of birds has 2 throws at most"),
        (["birds:1", "entre"], "'entre': expected a throw or a choice, one of move, enter"),
    ],
)
def test_throws_that_no_turn_has(asked, fault):
    word, *said = asked
    assert fault in run("moves", word, "....__../......../....__.. L 1 1", *said, code=2)


# every command


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["rules", "finkle"], "did you mean 'finkel'"),
        (["rules", "finkel", "-n", "16"], "16 is not in the range"),
        (["rules", "finkel:2", "-n", "3"], "asks for 2 pieces"),
        (["rules", "finkel", "--path", "circle"], "'circle' is not one of"),
        (["rules", "finkel", "--extra-on-throw", "7"], "extra_on_throw is 7"),
        (["rules", "finkel", "--extra-on-throw", "3", "--no-extra-on-throw"], "exclude each other"),
        (["rules", "--dice", "d4"], "Missing argument 'RULES'"),
        (["rules", "--no-safe-rosettes"], "Missing argument 'RULES'"),
        (["rules", "nowhere.json"], "nowhere.json"),
        (["unknown"], "no such command: 'unknown'"),
        (["query", "conventional", START], "ur solve conventional -n 7"),
        (["query", "nowhere.h5", START], "nowhere.h5"),
        (["query", "finkel:2", START, "--jsn"], "No such option"),
        (["query", "finkel:2", START, "2"], "Got unexpected extra argument (2)\n"),
        (["tables", "--json", "--checksums"], "exclude each other"),
        (["tables", "--json", "verify", "finkel:2"], "ur tables verify --json"),
        (["tables", "--checksums", "list"], "ur tables list --checksums"),
        (["tables", "remove", "nowhere.h5"], "there is no table 'nowhere.h5'"),
        (["rules", "finkel", "-n", "two"], "'two' is not a whole number"),
        (["export", "finkel:2", "x", "--parquet", "--npy"], "--parquet and --npy name different"),
        (["export", "skiriuk:2", "x.rgu"], "skiriuk:2 has no map in RoyalUr's format"),
        (["export", "murray:3", "x.rgu"], "murray:3 has no map in RoyalUr's format"),
    ],
)
def test_wrong_usage_ends_with_2(arguments, fault):
    assert fault in run(*arguments, code=2)


# ur info, verify, solve


def test_info(finkel2):
    facts = json.loads(run("info", "finkel:2", "--json"))
    assert facts["rules"] == named_rules("finkel:2").to_json()
    assert facts["positions"] == 12869
    assert facts["value"] == pytest.approx(0.518572907495, abs=1e-11)
    assert facts["bytes"] == finkel2.stat().st_size
    output = run("info", str(finkel2))
    assert "first player wins  51.85729074" in output
    assert "finkel with 2 pieces" in output


def test_verify(finkel2):
    output = run("verify", "finkel:2", "--sample", "20")
    assert output.startswith(f"{finkel2}: right\n")
    assert "12,869 positions in 28 blocks" in output


def test_verify_of_a_wrong_table_ends_with_1(tmp_path):
    write_meaningless(tmp_path / "hashes.h5", named_rules("finkel:1"))
    assert "block 0, position '" in run("verify", str(tmp_path / "hashes.h5"), code=1)


def test_a_damaged_table_ends_with_1(tmp_path, finkel2):
    content = finkel2.read_bytes()
    (tmp_path / "cut.h5").write_bytes(content[:-100])
    assert "damaged" in run("query", str(tmp_path / "cut.h5"), START, code=1)


def test_a_file_that_is_no_table_ends_with_2(tmp_path):
    (tmp_path / "text.h5").write_text("a text")
    assert "not a solution table" in run("query", str(tmp_path / "text.h5"), START, code=2)
    estimator = str(tmp_path / "estimator.h5")
    run("train", "finkel:1", "--rounds", "1", "--hidden", "4", "-q", "-o", estimator)
    assert "its format is 'ur-solver estimator'" in run("verify", estimator, code=2)


def test_solve_puts_the_table_where_it_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "new" / "tables"))
    output = run("solve", "blitz", "-n", "1")
    assert "blitz with 1 piece: the first player wins 50.92376483" in output
    assert str(tmp_path / "new" / "tables" / "blitz-1.h5") in output
    assert "50.92376483" in run("info", "blitz:1")


def test_solve_of_a_table_that_is_there(tmp_path):
    table = str(tmp_path / "table.h5")
    run("solve", "finkel:1", "-o", table, "--quiet")
    result = CliRunner().invoke(cli, ["solve", "finkel:1", "-o", table])
    assert (result.exit_code, result.stdout) == (0, "")
    assert "already exists" in result.stderr
    other = "holds finkel with 1 piece"
    assert other in run("solve", "finkel:2", "-o", table, code=1)
    assert other in run("solve", "finkel:1", "-o", table, "--value-type", "uint16", code=1)
    assert other in run("solve", "finkel:1", "-o", table, "--tolerance", "1e-13", code=1)
    run("solve", "blitz:1", "-o", table, "--force")
    assert "blitz" in run("info", table)


def test_solve_does_not_replace_what_is_no_table(tmp_path):
    (tmp_path / "precious.h5").write_text("a text")
    message = run("solve", "finkel:1", "-o", str(tmp_path / "precious.h5"), code=1)
    assert "is not a table" in message
    assert (tmp_path / "precious.h5").read_text() == "a text"
    (tmp_path / "precious").write_text("a text")  # where the table would be a folder
    for words in (["solve", "finkel:1", "-o"], ["pack", "finkel:2"]):
        for force in ([], ["--force"]):
            message = run(*words, str(tmp_path / "precious"), *force, code=1)
            assert "is a file, and a table of this name is a folder" in message
    assert (tmp_path / "precious").read_text() == "a text"
    assert {path.name for path in tmp_path.iterdir()} == {"precious", "precious.h5"}


def test_interrupted_commands_end_with_130(monkeypatch, tmp_path):
    def interrupt(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("ur_solver.cli.solve.run", interrupt)
    table = str(tmp_path / "table.h5")
    assert "the same command resumes" in run("solve", "finkel:1", "-o", table, code=130)
    monkeypatch.setattr("ur_solver.cli.query.open_answering", interrupt)
    assert run("query", "finkel:2", START, code=130) == ""


def test_colours_only_where_they_are_wanted(monkeypatch):
    arguments = ["query", "finkel:2", MIDDLE]
    assert "\x1b[" in CliRunner().invoke(cli, arguments, color=True).stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in CliRunner().invoke(cli, arguments, color=True).stdout


def test_the_options_of_solve_are_in_sections():
    command = cli.get_command(None, "solve")
    text = run("solve", "--help")
    headings = re.findall(r"^(\S.+):$", text, re.MULTILINE)
    assert headings == [
        "What to solve",
        "How to solve it",
        "Where to put it, and what to print",
        "Changes of the rules",
    ]
    listed = text.partition("What to solve:")[2]
    shown = re.findall(r"^  (?:-\w, )?(-[-\w]+)", listed, re.MULTILINE)
    options = [each for each in command.params if isinstance(each, click.Option)]
    assert sorted(shown) == sorted(["--help", *(max(each.opts, key=len) for each in options)])
    rules = text.partition("Changes of the rules:")[2]
    assert "--dice" in rules
    assert "--output" not in rules


@pytest.mark.parametrize("command", ["rules", "plan", "train"])
def test_options_that_change_the_rules_come_last(command):
    first, rules = run(command, "--help").split("\nChanges of the rules:\n")
    assert re.findall(r"^(\S.+):$", first, re.MULTILINE) == ["Options"]
    assert "--json" in first
    assert "--dice" in rules
    assert "RULES" not in first.partition("Options:")[2]


@pytest.mark.parametrize("command", ["query", "best", "moves", "board"])
def test_without_a_position_the_start_is_meant(command, finkel2):
    start = named_rules("finkel:2").start().notation
    for options in ([], ["--json"]) if command != "board" else ([],):
        words = [command, "finkel:2"]
        bare, named = (
            CliRunner().invoke(cli, [*words, *position, *options]) for position in ([], [start])
        )
        assert bare.exit_code == 0
        assert bare.stdout == named.stdout


@pytest.mark.parametrize(
    ("text", "size"),
    [("2G", 2 << 30), ("2GiB", 2 << 30), ("500MB", 500_000_000), ("0.5k", 512), ("7", 7)],
)
def test_sizes(text, size):
    assert memory_size(text) == size


@pytest.mark.parametrize("text", ["2Q", "G", "", "-1G", "1e9", "x" * 1000])
def test_sizes_that_are_none(text):
    with pytest.raises(click.BadParameter, match="is not a size such as"):
        memory_size(text)


def test_a_command_that_is_mistyped_is_guessed():
    message = run("quary", code=2)
    assert (
        "no such command: 'quary'; did you mean 'query'? ('ur --help' lists the commands)"
        in message
    )
    assert "did you mean" not in run("xyzzy", code=2)
    assert "No such command 'rm'. Expected one of list, remove, verify." in (
        run("tables", "rm", code=2)
    )


@pytest.mark.parametrize("command", ["query", "best", "board"])
def test_a_position_without_quotes(command):
    words = ["....__../......../....__..", "L", "2", "2"]
    assert "quote a position" in run(command, "finkel:2", *words, code=2)
    assert "quote a" not in run("verify", "finkel:2", *words, code=2)


def test_no_more_positions_are_sampled_than_there_are(tmp_path):
    run("solve", "finkel", "-n", "1", "-o", str(tmp_path / "small.h5"))
    assert "\n  217 of them recomputed" in run("verify", str(tmp_path / "small.h5"))


def test_what_is_too_large_comes_with_what_would_fit():
    message = run("solve", "skiriuk", "-n", "7", "--memory", "1GiB", code=1)
    count = re.search(r"the largest count that fits is (\d) \(-n \1\)", message)
    assert count
    run("solve", "skiriuk", "-n", count[1], "--memory", "1GiB", "--dry-run")
    message = run("solve", "skiriuk", "-n", "7", "--left", "5", "--memory", "1GiB", code=1)
    assert re.search(r"at most (\d) left would fit \(--left \1\)", message)
