"""The commands that a person talks to, in a pseudo-terminal: what is typed, corrected, left."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys

import pytest

from ur_solver.records import read_file, read_text

pexpect = pytest.importorskip("pexpect")
pytestmark = [
    pytest.mark.medium,
    pytest.mark.skipif(os.name == "nt", reason="no such terminals on Windows"),
    # pexpect forks a process that may have threads
    pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning"),
]

HEAD = "rules: finkel:2\n"
THROWS = r"\d light throws> |\d dark throws> "
MAIN = "from ur_solver.cli import main; main()"
SOLVING = f"from ur_solver.answers import locate; locate.SOLVED_ON_THE_SPOT = 0; {MAIN}"
"""The program without small games that are solved unasked."""

LEAVE = {
    "quit": lambda terminal: terminal.sendline("quit"),
    "Ctrl-C": lambda terminal: terminal.interrupt(),
    "Ctrl-D": lambda terminal: terminal.sendcontrol("d"),
    "a closed window": lambda terminal: terminal.kill(signal.SIGHUP),
}


@pytest.fixture(autouse=True)
def _table_of_finkel_2(finkel2):
    """Every command finds this table."""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "evening.ur"


def heed_signals():
    """What runs the tests may ignore signals, which its children then do as well."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Terminal(getattr(pexpect, "spawn", object)):
    """A command in a terminal of 80 columns, without colours."""

    def __init__(self, *words, main=MAIN):
        super().__init__(
            sys.executable,
            ["-c", main, *map(str, words)],
            env={**os.environ, "NO_COLOR": "1", "TERM": "xterm"},
            encoding="utf-8",
            dimensions=(24, 80),
            timeout=600,
            preexec_fn=heed_signals,
            echo=True,
        )
        self.delaybeforesend = None

    def until(self, prompt):
        """Wait for a prompt, and give what was shown before, and it."""
        self.expect(prompt)
        return self.before + self.after

    def type(self, line):
        """Type a line, and wait until it is shown."""
        self.sendline(line)
        self.expect_exact(line)

    def answer(self, prompt, *lines):
        """Type lines, each where the prompt is."""
        for line in lines:
            self.until(prompt)
            self.type(line)

    def interrupt(self):
        """Press Ctrl-C; one that comes between the prompt and the read waits for the next key."""
        self.sendcontrol("c")
        with contextlib.suppress(OSError):  # where nobody reads it any more
            self.send("\n")

    def end(self):
        """Wait for the end, and give what was shown and the exit code."""
        self.expect(pexpect.EOF)
        self.close()
        return self.before, self.exitstatus


def recording(path, *options):
    return Terminal("record", "finkel:2", path, "--no-audit", *options)


def turns_of(game):
    return [(ply.side, ply.throws, game.move_text(ply)) for ply in game.plies]


def turns(text):
    (game,) = read_text(f"{HEAD}{text}end: unfinished")
    return turns_of(game)


def recorded(path):
    *_, game = read_file(str(path))
    return game


@pytest.fixture
def four(path):
    """A game of four throws that has been left; the last is the only move."""
    turns = "L 3 A@A2\nD 0 --\nL 2 A2B1\nD 1 C@C4\n"
    path.write_text(f"{HEAD}Light: Ann\nDark: Ben\n\n{turns}end: unfinished\n")
    return path


@pytest.mark.parametrize("way", LEAVE)
def test_a_correction_that_is_left_leaves_the_game_as_it_was(four, way):
    before = four.read_bytes()
    terminal = recording(four, "--resume")
    terminal.answer(THROWS, "back 2")
    assert "2 dark throws" in terminal.until(THROWS)
    LEAVE[way](terminal)
    shown, code = terminal.end()
    assert code == {"Ctrl-C": 130, "a closed window": None}.get(way, 0)
    assert "--resume' continues it" in shown or way == "a closed window"
    assert four.read_bytes() == before
    terminal = recording(four, "--resume")
    assert "5 light throws" in terminal.until(THROWS)
    terminal.type("quit")
    terminal.end()


def test_undo_brings_back_what_a_correction_has_replaced_after_leaving_too(four):
    old = turns_of(recorded(four))
    terminal = recording(four, "--resume")
    terminal.answer(THROWS, "back 2", "1")
    assert "throw 4, dark 1 C@C4, does not fit" in terminal.until(r"keep the correction\? \[Y/n\] ")
    terminal.type("")
    terminal.until(THROWS)
    LEAVE["a closed window"](terminal)
    terminal.end()
    assert turns_of(recorded(four)) == turns("L 3 A@A2\nD 1 C@C4\nL 2 A2B1\n")
    terminal = recording(four, "--resume")
    terminal.answer(THROWS, "undo")
    assert "as it was before: 4 throws" in terminal.until(THROWS)
    assert turns_of(recorded(four)) == old
    terminal.type("redo")
    terminal.answer(THROWS, "quit")
    terminal.end()
    assert len(recorded(four).plies) == 3


def test_a_correction_that_does_not_fit_can_be_refused(four):
    before = four.read_bytes()
    terminal = recording(four, "--resume")
    terminal.answer(THROWS, "back 2", "1")
    terminal.answer(r"keep the correction\? \[Y/n\] ", "n")
    shown = terminal.until(THROWS)
    assert "nothing is changed" in shown
    assert "5 light throws" in shown
    terminal.sendcontrol("d")
    terminal.end()
    assert four.read_bytes() == before


def test_what_undo_took_back_is_there_after_another_turn(four):
    terminal = recording(four, "--resume")
    terminal.answer(THROWS, "undo", "undo", "1 a@a4", "versions")
    assert re.search(r"1  4 throws, the last throw 4, dark 1 C@C4", terminal.until(THROWS))
    terminal.type("quit")
    terminal.end()
    terminal = recording(four, "--resume")
    terminal.answer(THROWS, "version 1", "quit")
    terminal.end()
    assert turns_of(recorded(four)) == turns("L 3 A@A2\nD 0 --\nL 2 A2B1\nD 1 C@C4\n")


@pytest.mark.parametrize(
    ("said", "words"),
    [("dark wins", "dark has won, 4 throws"), ("Ann resigned", "dark has won: light resigned")],
)  # fmt: skip
def test_what_ends_a_record_is_asked(four, said, words):
    terminal = recording(four, "--resume")
    terminal.answer(THROWS, said)
    assert words in terminal.until("right> ")
    assert recorded(four).ending == "unfinished"  # nobody has agreed yet
    terminal.type("n")
    terminal.answer(THROWS, said)
    terminal.answer("right> ", "y")
    assert terminal.end()[1] == 0
    assert recorded(four).ending != "unfinished"
    # and its last turn can still be corrected
    terminal = recording(four, "--resume")
    terminal.answer("right> ", "back 4")
    terminal.answer(THROWS, "2")
    terminal.answer("right> ", "")
    terminal.end()
    game = recorded(four)
    assert turns_of(game)[-1] == ("D", (2,), "C@C3")
    assert game.ending != "unfinished"


def test_an_end_that_nobody_has_agreed_to_is_none(four):
    for leave in LEAVE.values():
        terminal = recording(four, "--resume")
        terminal.answer(THROWS, "dark wins")
        terminal.until("right> ")
        leave(terminal)
        terminal.end()
        assert recorded(four).ending == "unfinished"


def test_a_turn_that_wins_on_the_board_can_be_corrected(path):
    path.write_text(
        f"{HEAD}start: ....__.L/......../....__.. L 0 1\n\nL 0 --\nD 0 --\nend: unfinished\n"
    )
    terminal = recording(path, "--resume")
    terminal.answer(THROWS, "2")
    assert "light has won, 3 throws" in terminal.until("right> ")
    terminal.type("back 3")
    terminal.answer(THROWS, "1", "quit")
    terminal.end()
    assert turns_of(recorded(path))[-1] == ("L", (1,), "A8A7*")


def test_a_record_is_added_to_a_file_or_goes_on(four):
    terminal = recording(four)
    assert "unfinished game, 4 throws" in terminal.until(r"go on with it\?.* \[Y/n\] ")
    terminal.type("n")
    terminal.answer(THROWS, "2", "quit")
    terminal.end()
    assert [len(game.plies) for game in read_file(str(four))] == [4, 1]
    terminal = recording(four)
    terminal.answer(r"\[Y/n\] ", "")
    assert "2 dark throws" in terminal.until(THROWS)
    terminal.sendcontrol("d")
    terminal.end()
    assert [len(game.plies) for game in read_file(str(four))] == [4, 1]


def test_two_evenings_with_one_file(tmp_path):
    path = tmp_path / "me.rgn"

    def playing(*options):
        return Terminal("play", "finkel:2", "--no-audit", "-o", path, "--seed", 3, *options)

    for number in (1, 2):
        terminal = playing()
        terminal.answer("move> ", "1", "resign")
        terminal.answer(r"light resigns: end the game\? \[y/N\] ", "")
        terminal.answer("move> ", "resign")
        terminal.answer(r"\[y/N\] ", "y")
        shown, code = terminal.end()
        assert code == 0
        assert (f"{path}, game 2" in " ".join(shown.split())) == (number == 2)
        assert [game.ending for game in read_file(str(path))] == ["resigned"] * number
    # a game that is left stays where another begins
    for answer in (None, "n"):
        terminal = playing()
        if answer is not None:
            assert "you have left a game of finkel:2" in terminal.until(r"\[Y/n\] ")
            terminal.type(answer)
        terminal.answer("move> ", "1", "quit")
        terminal.end()
    terminal = playing("--resume")
    shown = terminal.until("which.*> ")
    assert re.findall(r"  (\d)  human against table", shown) == ["1", "2"]
    terminal.type("2")
    terminal.until("move> ")
    terminal.interrupt()
    assert terminal.end()[1] == 130


def test_a_choice_is_taken_back_and_made_again():
    terminal = Terminal("play", "finkel:2", "--dark", "first", "--seed", 5, "--no-audit")
    terminal.answer("move> ", "1", "undo")
    assert "nothing to undo: that move was forced" in terminal.until("move> ")
    terminal.type("2")
    after = terminal.until("move> ")
    terminal.type("undo")
    assert "taken back" in terminal.until("move> ")
    terminal.type("redo")
    again = terminal.until("move> ")
    boards = [shown[shown.index("     1  2") :] for shown in (after, again)]
    assert boards[0] == boards[1]
    terminal.type("quit")
    terminal.end()


def test_words_that_people_try():
    terminal = Terminal("play", "finkel:2", "--seed", 5, "--no-audit")
    assert "'help' lists what you can type" in terminal.until("move> ")
    for word in ("help", "h", "?"):
        terminal.type(word)
        shown = terminal.until("move> ")
        assert "take back your last choice" in shown
        assert re.search(r"\*  +an empty rosette", shown)
    terminal.type("save")
    assert "saved after every turn" in terminal.until("move> ")
    terminal.type("pass")
    assert "you cannot pass: with a " in terminal.until("move> ")
    terminal.type("c2")
    assert re.search(r"'c2': with a \d you can play", terminal.until("move> "))
    terminal.type("quit")
    terminal.end()


def test_lines_are_edited_remembered_and_completed(path):
    terminal = recording(path)
    terminal.until(THROWS)
    terminal.type("nonsense")
    terminal.until("'nonsense' is not a throw.*" + THROWS)
    terminal.send("\x1b[A\r")  # up: the line before
    assert "^[[A" not in terminal.until("'nonsense' is not a throw.*" + THROWS)
    terminal.send("\x1b[A\x1b[D\x1b[D!\r")  # and left
    terminal.until("'nonsen!se' is not a throw.*" + THROWS)
    terminal.send("3 a\t\r")
    terminal.until("light throws 3: A@A2.*" + THROWS)
    terminal.type("quit")
    terminal.end()


@pytest.mark.parametrize("leave", ["Ctrl-C", "Ctrl-D"])
def test_practice_that_is_left_is_summed_up(leave):
    terminal = Terminal("practise", "finkel:2", "--cost", "0.01", "--count", "2")
    terminal.answer("best> ", "show")
    terminal.until("best> ")
    LEAVE[leave](terminal)
    shown, code = terminal.end()
    assert code == (130 if leave == "Ctrl-C" else 0)
    assert re.search(r"^(\^C)?(\r\n)+0 of 1 decision right at the first try", shown), shown


@pytest.mark.parametrize("word", ["play", "query"])
def test_a_short_solve_is_offered(word, tmp_path, monkeypatch):
    monkeypatch.setenv("UR_TABLES", str(tmp_path / "tables"))
    terminal = Terminal(word, "blitz:2", main=SOLVING)
    terminal.answer(r"Solve it now \(\d+ s\)\? \[Y/n\] ", "n")
    shown, code = terminal.end()
    assert code == 2
    assert "'ur solve blitz -n 2'" in shown
    terminal = Terminal(word, "blitz:2", main=SOLVING)
    assert str(tmp_path / "tables") in terminal.until(r"Solve it now \(\d+ s\)\? \[Y/n\] ")
    terminal.type("")
    terminal.expect("light +home 2")
    assert (tmp_path / "tables" / "blitz-2.h5").is_file()
    terminal.close(force=True)
