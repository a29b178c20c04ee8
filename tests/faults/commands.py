"""Every command with hostile words, files and standard input.

A command ends in an answer or in one sentence; it raises nothing, and it changes no file that it
was not asked to write.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
from collections.abc import Iterator, Mapping
from unittest import mock

from click.testing import CliRunner
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.faults.strangers import CORPUS, mutated
from tests.faults.tally import Tally
from ur_solver.cli import COMMANDS, cli
from ur_solver.solving.costs import Speed

_START = "....__../......../....__.. L 1 1"
_FILES = {
    "g.rgn": "rgn",
    "g.json": "json",
    "g.ur": "plain",
    "r.json": "rules",
    "m.rgu": "maps",
    "t.h5": "tables",
}
"""Files that hold something drawn from a corpus."""

_SOUND = ("sound.h5", "sound.rgn")

_NUMBERS = ["-1", "0", "1", "2", "x", "", "nan", "inf", "-0.5", "0.5", "1e999", "9" * 30, "1_0"]
_SOURCE = "SOURCE"
"""In the name of an output: the file that the command reads."""

_OUTPUTS = [
    *(
        "out/o.csv",
        "out/o.html",
        "out/o.svg",
        "out/o.png",
        "out/o.gif",
        "out/o.rgn",
        "out/o.ur",
        "out/o.json",
        "out/o.h5",
    ),
    *("out/o.rgu", "out", "out/no/such.rgn", "/dev/null"),
    *(f"out/{'x' * 300}.rgn", "out/\udcff.rgn", "sound.h5/o.rgn", _SOURCE, f"out/../{_SOURCE}"),
]
_TABLE, _GAME, _RULES, _POSITION, _THROW, _NUMBER, _OUTPUT, _TEXT = "TGRPHNOX"

_TEMPLATES: dict[str, tuple[list[str], dict[str, str]]] = {
    "rules": (
        [_RULES],
        {"-n": _NUMBER, "--path": _TEXT, "--dice": _TEXT, "--extra-on-throw": _NUMBER,
         "--extra-throw": _TEXT, "--opening": _TEXT, "--stakes": "", "--ante": _NUMBER,
         "--fine": _NUMBER, "--fines": _NUMBER, "--json": ""},
    ),
    "query": (
        [_TABLE, _POSITION],
        {"--throws": "", "--json": "", "--memory": _NUMBER, "--plies": _NUMBER,
         "--rollouts": _NUMBER, "--within": _NUMBER, "--cut": _NUMBER, "--objective": _TEXT},
    ),
    "best": (
        [_TABLE, _POSITION, _THROW],
        {"--json": "", "--plies": _NUMBER, "--objective": _TEXT},
    ),
    "moves": ([_RULES, _POSITION, _THROW], {"--json": "", "-n": _NUMBER}),
    "tables": ([_TEXT], {"--json": "", "--sample": _NUMBER, "--checksums": ""}),
    "info": ([_TABLE], {"--json": "", "--paths": "", "--objective": _TEXT}),
    "verify": (
        [_TABLE],
        {"--sample": _NUMBER, "--json": "", "-q": "", "--objective": _TEXT},
    ),
    "certify": (["out/t.h5"], {"--json": "", "-q": ""}),
    "audit": (
        [_TABLE, _GAME, _GAME],
        {"--json": "", "--html": _OUTPUT, "--csv": _OUTPUT, "--annotate": _OUTPUT,
         "--thumb": _TEXT,
         "--worst": _NUMBER, "--mistake": _NUMBER, "--reference-games": _NUMBER,
         "--plies": _NUMBER},
    ),
    "convert": ([_GAME, _GAME], {"--to": _TEXT, "-o": _OUTPUT, "--rules": _RULES}),
    "dice": ([_GAME, _GAME], {"--rules": _RULES, "--seed": _NUMBER, "--json": ""}),
    "practise": (
        [_TABLE, _GAME],
        {"--count": _NUMBER, "--cost": _NUMBER, "--player": _TEXT, "--seed": _NUMBER,
         "--cards": _OUTPUT, "--pictures": "out/pictures", "--json": "", "--plies": _NUMBER},
    ),
    "pack": ([_TABLE, _OUTPUT], {"--value-type": _TEXT, "-q": ""}),
    "fetch": ([_TEXT], {"-o": _OUTPUT, "--sha256": _TEXT, "--json": "", "-q": ""}),
    "import": (["m.rgu", "-o", _OUTPUT], {"--json": ""}),
    "export": (
        [_TABLE, _OUTPUT],
        {"--value-type": _TEXT, "--author": _TEXT, "--npy": "", "--parquet": "",
         "--columns": _TEXT, "--memory": _NUMBER, "-q": ""},
    ),
    "play": (
        [_TABLE],
        {"--light": _TEXT, "--dark": _TEXT, "--resume": "", "--hints": "", "--seed": _NUMBER,
         "-o": _OUTPUT},
    ),
    "record": (
        [_TABLE, _OUTPUT],
        {"--light": _TEXT, "--dark": _TEXT, "--resume": "", "--hints": "", "--plies": _NUMBER},
    ),
    "review": (
        [_TABLE, _GAME],
        {"--by": _TEXT, "--throws": _NUMBER, "--top": _NUMBER, "--thumb": _TEXT, "--json": "",
         "--plies": _NUMBER},
    ),
    "sample": (
        [_TABLE, "-g", "2"],
        {"-g": _NUMBER, "--players": _TEXT, "--seed": _NUMBER, "-o": _OUTPUT, "--json": ""},
    ),
    "evaluate": (
        [_TABLE],
        {"--light": _TEXT, "--dark": _TEXT, "-g": _NUMBER, "--seed": _NUMBER, "--json": "",
         "--policy": _TEXT, "--against": _TABLE, "--examples": _NUMBER},
    ),
    "duel": (
        ["first", "random", "-g", "2"],  # another word would be run as a program
        {"--rules": _RULES, "--seed": _NUMBER, "--seconds": _NUMBER, "--json": ""},
    ),
    "study": (["sound.h5", "-g"], {"--seed": _NUMBER, "--plies": _NUMBER, "--json": ""}),
    "compare": (
        ["s.study.json"],
        {"--csv": _OUTPUT, "--json": "", "--seed": _NUMBER, "--plies": _NUMBER},
    ),
    "serve": ([_TABLE], {"--port": _NUMBER, "--host": _TEXT, "--memory": _NUMBER}),
    "board": (
        [_RULES, _POSITION],
        {"-o": _OUTPUT, "--best": _THROW, "--top": _TEXT, "--width": "64", "--game": _NUMBER,
         "--seconds": _NUMBER, "--plies": _NUMBER},
    ),
    "publish": ([_OUTPUT, _TABLE, "--only"], {"-q": ""}),
    "plan": (
        [_RULES],
        {"-n": "1", "--left": _NUMBER, "--workers": _NUMBER, "--cores": _NUMBER,
         "--machines": _NUMBER, "--memory": _NUMBER, "--chart": _OUTPUT, "--json": ""},
    ),
    "train": (
        ["finkel:1", "--rounds", "1", "--hidden", "4"],
        {"--hidden": _TEXT, "--seed": _NUMBER, "-o": _OUTPUT, "--json": ""},
    ),
    "solve": (
        [_RULES],
        {"-n": _NUMBER, "--left": _NUMBER, "-o": _OUTPUT, "--tolerance": _NUMBER,
         "--precision": _TEXT, "--threads": _NUMBER, "--memory": _NUMBER, "--value-type": _TEXT,
         "--json": ""},
    ),
}  # fmt: skip
"""By command: its arguments, and its options with what each takes."""

_ALWAYS = {"solve": ["--dry-run"], "serve": ["--get"], "train": ["-o", "out/e.h5"]}

assert _TEMPLATES.keys() == COMMANDS.keys(), (
    f"_TEMPLATES lacks {COMMANDS.keys() - _TEMPLATES.keys() or 'nothing'}; "
    f"no commands: {_TEMPLATES.keys() - COMMANDS.keys() or 'none'}"
)


def _changed(text: str) -> st.SearchStrategy[str]:
    """A text with something cut out of it or put into it."""
    put = st.sampled_from(["", " ", "\n", "\x1b[31m", "\u202e", "\udcff", "é", "99", "'", "/"])
    return st.builds(
        lambda at, width, new: text[:at] + new + text[at + width :],
        st.integers(0, len(text)),
        st.integers(0, 3),
        put,
    )


def _often(text: str) -> st.SearchStrategy[str]:
    return st.just(text) | st.just(text) | _changed(text)


_WORDS = {
    _TABLE: st.sampled_from(["sound.h5", "sound.h5", "sound.h5", "t.h5", "finkel:1", "r.json", "."])
    | _changed("sound.h5")
    | _changed("finkel:1"),
    _GAME: st.sampled_from(["sound.rgn", "g.rgn", "g.json", "g.ur", "-", "out", "r.json", "t.h5"])
    | _changed("g.rgn"),
    _RULES: st.sampled_from(["finkel:1", "r.json", "skiriuk:1", "sound.rgn"])
    | _changed("skiriuk:1"),
    _POSITION: st.one_of(_often(_START), st.just("-"), st.just("start")),
    _THROW: st.sampled_from(["0", "1", "2", "4", "-", "", "9" * 30, "²"]),
    _NUMBER: st.sampled_from(_NUMBERS),
    _OUTPUT: st.sampled_from(_OUTPUTS),
    _TEXT: st.sampled_from(
        ["light", "dark", "human", "first", "table", "reply", "greedy,first", "win+safe", "bell",
         "float32", "uint16", "percent16", "f64", "double", "list", "verify", "localhost",
         "4-binary", "", "\udcff", "x" * 1000]
    ),
}  # fmt: skip


@st.composite
def _arguments(draw: st.DrawFn) -> list[str]:
    name = draw(st.sampled_from(sorted(_TEMPLATES)))
    arguments, options = _TEMPLATES[name]
    words = [draw(_WORDS[each]) if each in _WORDS else each for each in arguments]
    source = next((word for word in words if word in (*_FILES, *_SOUND)), "out/o.rgn")
    words = [word.replace(_SOURCE, source) for word in words]
    if name == "study":
        words.append(draw(st.sampled_from([*_NUMBERS, "100"])))
    if draw(st.integers(0, 9)) == 0:
        del words[draw(st.integers(0, len(words) - 1))]
        source = next((word for word in words if word in (*_FILES, *_SOUND)), "out/o.rgn")
    words += _ALWAYS.get(name, [])
    if name == "serve":
        words.append(draw(_often("/api/v1/tables/sound/position?position=start")))
    count = draw(st.integers(0, 2))
    for option in draw(st.lists(st.sampled_from(sorted(options)), max_size=count)):
        words.append(option)
        if options[option] in _WORDS:
            words.append(draw(_WORDS[options[option]]).replace(_SOURCE, source))
        elif options[option]:
            words.append(options[option])
    if draw(st.integers(0, 9)) == 0:
        words.insert(0, draw(st.sampled_from(["--x", "", "-"])))
    return [name, *words]


@st.composite
def _cases(draw: st.DrawFn) -> tuple[list[str], dict[str, bytes], bytes]:
    """The words, the contents of files that they name, and standard input."""
    words = draw(_arguments())
    files = {name: draw(mutated(kind)) for name, kind in _FILES.items() if name in words}
    if "s.study.json" in words:
        files["s.study.json"] = draw(mutated("studies"))
    if words[0] == "certify":
        files["out/t.h5"] = draw(mutated("tables"))
    if words[0] == "play" and draw(st.booleans()):
        files["state/ur_solver/games/finkel-1.ur"] = draw(mutated("plain"))
    kind = draw(st.sampled_from(["positions", "rgn", "plain", "moves"]))
    return words, files, draw(mutated(kind))


class _Ground:
    """A folder with sound files, which no command may change, and one for outputs."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        shutil.copy(CORPUS / "tables" / "finkel-1.h5", folder / "sound.h5")
        shutil.copy(sorted((CORPUS / "rgn").iterdir())[0], folder / "sound.rgn")
        tables = folder / "tables"
        tables.mkdir()
        shutil.copy(CORPUS / "tables" / "finkel-1.h5", tables)
        self.runner = CliRunner()

    def run(self, words: list[str], files: Mapping[str, bytes], stdin: bytes) -> tuple[int, str]:
        """The exit code and standard error of a command, before and after which all files agree."""
        for name in ("out", "state"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        (self.folder / "out").mkdir()
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        before = self._contents()
        result = self.runner.invoke(cli, words, input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        after = self._contents()
        assert before == after, sorted(before.items() ^ after.items())
        for name in files:
            (self.folder / name).unlink(missing_ok=True)
        return result.exit_code, result.stderr

    def _contents(self) -> dict[str, bytes]:
        """All files but outputs, which may be called '--json', the cache, and the game in play."""
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for top in self.folder.iterdir()
            if top.name not in ("out", "state", "cache") and not top.name.startswith("--")
            for path in ([top] if top.is_file() else top.rglob("*"))
            if path.is_file()
        }


@contextlib.contextmanager
def _surroundings(folder: pathlib.Path) -> Iterator[None]:
    """Work in a folder that has its own tables, cache and games, and solve nothing large."""
    before = pathlib.Path.cwd()
    names = {"XDG_STATE_HOME": "state", "XDG_CACHE_HOME": "cache", "XDG_DATA_HOME": "data"}
    own = {name: str(folder / each) for name, each in names.items()}
    os.chdir(folder)
    try:
        with (
            mock.patch.dict(os.environ, own | {"UR_TABLES": str(folder / "tables")}),
            mock.patch("ur_solver.table.names.checkout_tables", return_value=None),
            mock.patch("ur_solver.answers.locate.SOLVED_ON_THE_SPOT", 0),
            mock.patch("ur_solver.cli.plan.measured_speed", return_value=Speed(1e-7, 1e-4)),
        ):
            yield
    finally:
        os.chdir(before)


def attack(folder: pathlib.Path, cases: int, number: int) -> Tally:
    """Run `cases` commands, drawn with the seed `number`, in an empty folder.

    Raises
    ------
    Exception
        What a command may not raise, with the smallest case found that causes it.
    """
    tally = Tally("commands with hostile words, files and standard input")
    ground = _Ground(folder)

    @seed(number)
    @settings(
        max_examples=cases,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(_cases())
    def run(case: tuple[list[str], dict[str, bytes], bytes]) -> None:
        code, said = ground.run(*case)
        assert code in (0, 1, 2), code
        last = said.strip().rpartition("\n")[2]
        assert code == 0 or last.startswith(("Error: ", "Aborted!")) or "{" in last or not last, (
            said
        )
        tally.count(survived=code == 0, detected=code != 0, case="")

    with _surroundings(folder):
        run()
    return tally
