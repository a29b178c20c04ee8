"""`ur record`: a game at a real table, every throw and move typed, and any corrected."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import click

from ur_solver.cli.answering import playing_if_any, plies_option
from ur_solver.cli.asking import agrees, ask, is_conversation
from ur_solver.cli.audit import audit_of
from ur_solver.cli.options import OUTPUT_FILE, table_argument
from ur_solver.cli.output import columns, echo, say, side_name
from ur_solver.cli.playing import (
    HINT,
    SHARED_WORDS,
    MovedError,
    Playing,
    QuitError,
    Weigh,
    chosen_index,
    either,
    end_words,
    last_text,
    played,
    possible,
    turn_text,
)
from ur_solver.common.files import check_outputs
from ur_solver.common.text import counted
from ur_solver.errors import InputError, RecordError, ThrowError
from ur_solver.estimators.evaluator import Evaluator
from ur_solver.records import Ending, GameRecord, Ply, Replay, check_output
from ur_solver.records.history import beginning, is_same, length
from ur_solver.records.parts import End, by_names, read_result
from ur_solver.records.series import Series
from ur_solver.rules import DARK, LIGHT, RuleSet, named_rules
from ur_solver.rules.family import Roll

_TYPED = re.compile(r"(\d{1,2}(?: +\d{1,2})*)(?: +(\S.*))?")
"""A throw, or two, and perhaps the move."""

_BOTH = re.compile(r"(\d{1,2})[\s-]+(\d{1,2})")
"""Both sides' throws in a round of an opening."""


class Recording(Playing):
    """A game in the terminal whose throws are typed; the parameters are those of `Playing`.

    A turn is corrected where it stands: those after it are kept as far as they still fit. Until
    the turn has been typed again, `history` has the game as it was.
    """

    WORDS: ClassVar = (
        ("undo", "take back the last turn, a correction or an end"),
        ("back 3", "correct throw 3 and keep the later turns as far as they fit"),
        ("turns", "list the turns with their numbers"),
        *SHARED_WORDS,
        HINT,
        ("L wins", "end the game; or 'dark resigned', 'Ann resigned', 'light lost on time'"),
    )
    TYPING: ClassVar = "Type each throw, alone or with its move: 3, or 3 a@a2."
    SHOWS_DICE = False

    _played = -1
    """The move that was typed with its throw."""
    _is_thrown = False
    """Whether a throw has been typed whose move is asked for."""
    _skips = False
    """Whether the opening is skipped."""
    _corrected: GameRecord | None = None
    """The whole game, while one of its turns is corrected."""

    def __init__(self, table: Evaluator | None, begun: GameRecord, *, has_hints: bool) -> None:
        super().__init__(table, begun, {LIGHT: None, DARK: None}, 0, has_hints=has_hints)
        self._is_agreed = begun.ending is not Ending.UNFINISHED

    @property
    def settled(self) -> GameRecord:
        """The game to keep: at a terminal without an end that nobody has agreed to."""
        now = self.history.now
        is_said = now.ending not in (Ending.UNFINISHED, Ending.WON)
        if is_said and not self._is_agreed and self._talks:
            return beginning(now, length(now) - 1)
        return now

    def _is_over(self) -> bool:
        """Whether the game has ended, and the player says that the record is right.

        Where nobody answers it is over as well.
        """
        now = self.history.now
        if now.ending is Ending.UNFINISHED or self._corrected is not None:
            return False
        if self.replay.winner is not None:
            self._draw()
        echo(f"\n{end_words(now)}, {counted(len(now.plies), 'throw')}")
        question = "is the record right? Enter ends it; undo or back 5 corrects it"
        echo(question)
        while True:
            try:
                answer = ask("right", lambda _line: self._words(), blank="y")
            except click.Abort:
                if self._talks:
                    raise
                return True
            try:
                match answer.lower():
                    case "y" | "yes":
                        self._is_agreed = True
                        return True
                    case "n" | "no":
                        self._undo()
                    case _ if not self._obeys(answer):
                        say(f"{answer[:40]!r}: {question}; 'help' lists what else you can type")
            except MovedError:
                return self._is_over()
            except QuitError:
                if self._talks:
                    raise
                return True

    def _end(self, end: End) -> None:
        """End the game by a word; whether the player means it is asked when it is over."""
        if self._corrected is not None:
            say("first type the throw that is corrected; 'undo' drops the correction")
            return
        self._is_agreed = False
        self.history.add(self.record(**end._asdict()))
        raise MovedError

    def _take_turn(self) -> None:
        self._played, self._is_thrown = -1, False
        super()._take_turn()

    def _take_round(self) -> None:
        self._is_thrown = False
        super()._take_round()

    # Corrections.

    def _complete(self) -> None:
        """Add what was typed to the history, in a correction with the later turns."""
        self._is_thrown = False
        corrected, self._corrected = self._corrected, None
        if corrected is None:
            self.history.add(self.record())
            return
        later = corrected.plies[len(self.replay.plies) :]
        is_kept = self._take_again(later)
        # an end that was said goes for the same turns
        has_end = len(self.replay.plies) == len(corrected.plies) and self.replay.winner is None
        end = {key: getattr(corrected, key) for key in End._fields}
        is_said = has_end and corrected.ending is not Ending.WON
        record = self.record(**end) if is_said else self.record()
        if not is_kept or is_same(record, corrected):
            self._go_on("nothing is changed")
        self._is_agreed = False
        self.history.add(record)

    def _correct(self, number: int) -> None:
        """Go back to before a throw, which is asked for next."""
        whole = self._whole
        if not 1 <= number <= len(whole.plies):
            say(f"there is no throw {number}; 'turns' lists the turns")
            return
        self._corrected = whole
        rules, plies = whole.rules, whole.plies[: number - 1]
        self.replay = Replay.after(rules, whole.start, plies, whole.opening)
        was = turn_text(whole, whole.plies[number - 1])
        say(f"throw {number} was {was}; type it again, or undo to leave it")
        raise MovedError

    @property
    def _whole(self) -> GameRecord:
        """The game with all its turns, those after a corrected one as well."""
        return self._corrected or self.history.now

    def _take_again(self, later: Sequence[Ply]) -> bool:
        """Take the turns after a corrected one, as far as they fit; False to leave it as it was."""
        for k, ply in enumerate(later):
            if not _takes(self.replay, ply):
                number = len(self.replay.plies) + 1
                rest = counted(len(later) - k, "turn")
                say(
                    f"throw {number}, {turn_text(self.record(), ply)}, does not fit any more; "
                    f"{rest} from there on must be typed again"
                )
                if self._talks and not agrees("keep the correction?", default=True):
                    return False
                say("undo brings the old turns back, also after you have left")
                return True
        if later:
            say(f"{counted(len(later), 'later turn')} kept")
        return True

    def _undo(self) -> None:
        """Take back a throw, the last turn, a correction or an end, or give up a correction."""
        if self._is_thrown:
            say("the throw is taken back; type it again")
            raise MovedError
        if self._corrected is not None:
            self._corrected = None
            self._go_on("the correction is dropped")
        before = self.history.now
        if not self.history.undo():
            say("nothing to undo: no turn has been typed yet")
            return
        self._is_agreed = False
        if length(self.history.now) < length(before):
            self._go_on(f"taken back: {last_text(before)}; 'redo' brings it back")
        self._go_on(
            f"the game is as it was before: {counted(len(self.history.now.plies), 'throw')}"
        )

    def _redo(self) -> None:
        if self._corrected is not None:
            say("first type the throw that is corrected; 'undo' drops the correction")
            return
        self._is_agreed = False
        super()._redo()

    def _take_up(self, number: int) -> None:
        self._corrected, self._is_agreed = None, False
        super()._take_up(number)

    # What is typed.

    @property
    def _is_opening(self) -> bool:
        return super()._is_opening and not self._skips

    def _rolled_round(self) -> tuple[int, ...]:
        """Ask for both throws of a round of the opening; quit, undo and skip are words, too."""
        prompt = f"round {len(self.replay.opening) + 1}, light and dark throw"
        while True:
            answer = ask(prompt, lambda _line: [*self._words(), "skip"])
            if not self.replay.opening and answer.lower() == "skip":
                self._skips = True
                raise MovedError
            # '0-1' would be a result as well
            if not _BOTH.fullmatch(answer) and self._obeys(answer):
                continue
            if not _BOTH.fullmatch(answer):
                say(
                    f"{answer[:40]!r} is not a round such as '2 1', light's throw first; 'skip' "
                    "records a game without its opening"
                )
                continue
            throws = tuple(map(int, re.findall(r"\d+", answer)))
            try:
                self.replay.rounds(throws)
            except RecordError:
                say(f"{answer!r}: for each side type {_throws_text(self.replay.rules.dice.throws)}")
                continue
            self._is_thrown = True
            return throws

    def _rolled(self, choice: str) -> Roll:
        """Ask for the throws of this turn, and take the move if it is typed with them."""
        replay = self.replay
        prompt = f"{len(replay.plies) + 1} {side_name(replay.side)} throws"
        while True:
            answer = ask(prompt, lambda line: [*self._typed_moves(line, choice), *self._words()])
            if self._obeys(answer):
                continue
            match answer.lower():
                case "hint":
                    say("hints are for the moves of a throw; type the throw first")
                    continue
                case "pass":
                    say("type the throw; a turn without a move passes by itself")
                    continue
            typed = _TYPED.fullmatch(answer)
            if typed is None:
                say(
                    f"{answer[:40]!r} is not a throw such as 3, or a throw with its move such as "
                    "'3 A@A2'; 'help' lists what else you can type"
                )
                continue
            throws = tuple(map(int, typed[1].split()))
            try:
                steps = replay.legal(throws, choice)
            except ThrowError:
                say(f"{typed[1]!r}: {self._expected(throws, choice)}")
                continue
            texts = [replay.stepper.text(replay.side, step) for step in steps]
            played = -1 if typed[2] is None else chosen_index(typed[2], texts)
            if played is None:
                say(f"{typed[2][:40]!r}: {possible(f'with a {typed[1]}', texts)}")
                continue
            roll = replay.rolls(choice).of(throws)
            assert roll is not None
            self._played, self._is_thrown = played, True
            return roll

    def _typed_moves(self, line: str, choice: str) -> list[str]:
        """A throw with each of its moves, for a line that begins with the throw."""
        typed = _TYPED.match(line)
        if typed is None:
            return []
        throws = tuple(map(int, typed[1].split()))
        with suppress(ThrowError):
            steps = self.replay.legal(throws, choice)
            return [f"{typed[1]} {self.replay.stepper.text(self.replay.side, s)}" for s in steps]
        return []

    def _expected(self, throws: tuple[int, ...], choice: str) -> str:
        """What the dice can show here, where they cannot show `throws`."""
        rolls = self.replay.rolls(choice)
        seconds = sorted({each.throws[1] for each in rolls if each.throws[:-1] == throws[:1]})
        if seconds:
            return f"after the {throws[0]} type the second throw too, {_throws_text(seconds)}"
        firsts = sorted({each.throws[0] for each in rolls})
        if len(firsts) == 1:
            return f"the first throw of {self.replay.rules.name} is always {firsts[0]}"
        one = " once" if (throws[0],) in {each.throws for each in rolls} else ""
        return f"type {_throws_text(firsts)}{one}"

    def _ask(self, texts: Sequence[str], what: str, weigh: Weigh) -> int:
        if what == "move" and self._played >= 0:
            return self._played
        if what == "move" and len(texts) == 1:
            return 0
        return super()._ask(texts, what, weigh)

    def _obeys(self, answer: str) -> bool:
        names = {side: self.history.now.player(side) for side in (LIGHT, DARK)}
        if (end := read_result(by_names(answer, names))) is not None:
            self._end(end)
            return True
        match answer.lower().split():
            case ["back", number] if number.isdecimal():
                self._correct(int(number[:9]))
            case ["turns"]:
                echo(_turns_text(self._whole))
            case _:
                return super()._obeys(answer)
        return True


def _throws_text(throws: Sequence[int]) -> str:
    """Throws of dice: ``0 to 4``, or ``0, 1 or 4``."""
    first, *_, last = sorted(throws)
    if len(throws) == last - first + 1:
        return f"{first} to {last}"
    return either([str(throw) for throw in sorted(throws)])


def _takes(replay: Replay, ply: Ply) -> bool:
    """Take a turn as it was typed, in a position that may have changed; False if it is illegal."""
    choices = replay.choices()
    names = [choice.name for choice in choices]
    if replay.winner or ply.side != replay.side or (choices and ply.choice not in names):
        return False
    try:
        steps = replay.legal(ply.throws, ply.choice)
    except ThrowError:
        return False
    step = ply.step
    texts = [each.text for each in steps]
    if (step is None and steps) or (step is not None and step.text not in texts):
        return False
    played = -1 if step is None else texts.index(step.text)
    chosen = names.index(ply.choice) if choices else -1
    replay.take(ply.throws, steps, played, ply.time, ply.place, choices, chosen)
    return True


def _turns_text(record: GameRecord) -> str:
    rows = [[f"  {k}", turn_text(record, ply)] for k, ply in enumerate(record.plies, start=1)]
    return columns(rows, "><") if rows else "no turn has been typed yet"


@click.command()
@table_argument
@click.argument("file", type=OUTPUT_FILE)
@click.option("--light", "light_name", metavar="NAME", help="Name the player of light.")
@click.option("--dark", "dark_name", metavar="NAME", help="Name the player of dark.")
@click.option("--resume", is_flag=True, help="Resume the unfinished game in FILE.")
@click.option("--hints", is_flag=True, help="Show the value of every move before each choice.")
@plies_option()
@click.option("--audit/--no-audit", "with_audit", default=True, help="Audit the game when it ends.")
def record_command(
    word: str,
    file: Path,
    light_name: str | None,
    dark_name: str | None,
    resume: bool,
    hints: bool,
    plies: int,
    with_audit: bool,
) -> None:
    """Record into FILE a game that two people play with their own dice.

    TABLE is a file or a rule set, such as finkel:3; FILE ends in .rgn, .json or .ur. Type each
    throw, alone or with its move, as 3 or 3 a@a2. The only legal move need not be typed. undo takes
    back the last turn; back 5 corrects throw 5 and keeps the later turns as far as they fit; help
    lists what else you can type. A line such as 'L wins' or 'dark resigned' ends a game early. FILE
    is written after every turn. --resume continues its last game, with all that undo and redo can
    bring back, also where that has ended; without it, a game is added to those in FILE. Without a
    table the game is still recorded, but there are no hints and no audit.

    \b
    ur record finkel:3 evening.ur --light Ann --dark Ben
    """
    check_outputs({"FILE": file}, [word])
    table, missing = playing_if_any(word, plies)
    rules = named_rules(word) if table is None else table.rules
    if missing is not None:
        say(f"there is no table of {rules.title}: no hints and no audit")
    with table or nullcontext():
        check_output(file, rules)
        check_outputs({"FILE": file}, [] if table is None or table.path is None else [table.path])
        series = Series(file, rules)
        begun = _begun(series, rules, resumes=resume)
        names = {"Light": light_name, "Dark": dark_name}
        metadata = {**begun.metadata, **{side: name for side, name in names.items() if name}}
        begun = replace(begun, metadata=metadata, file=str(file), number=series.number)
        recording = Recording(table, begun, has_hints=hints)
        stop, is_saved = _recorded(recording, series)
        file = series.path
        record = replace(recording.settled, file=str(file), number=series.number)
        if not is_saved:
            echo("\nno turn was typed, and nothing is saved")
        elif record.ending is Ending.UNFINISHED:
            command = shlex.join(["ur", "record", word, str(file), "--resume"])
            echo(f"\nthe game is in {file}: '{command}' continues it")
        else:
            say(f"the game is in {file}")
        if stop is not None:
            raise stop
        is_over = record.plies and record.ending is not Ending.UNFINISHED
        if with_audit and table is not None and is_over:
            echo(f"\n{audit_of(record, table)}")


def _begun(series: Series, rules: RuleSet, *, resumes: bool) -> GameRecord:
    """The game to record: the last one of the file, if that goes on, or a new one."""
    name = str(series.path)
    last = series.games[-1] if series.games else None
    if resumes and last is None:
        raise InputError(f"{name!r} has no game to resume")
    is_open = last is not None and last.ending is Ending.UNFINISHED
    if is_open and not resumes:
        if not is_conversation():
            raise InputError(
                f"{name!r} ends with an unfinished game; add --resume to go on with it, or name "
                "another file"
            )
        assert last is not None
        echo(f"{last.title} is an unfinished game, {counted(len(last.plies), 'throw')}")
        resumes = agrees("go on with it? no adds another game", default=True)
    if not resumes or last is None:
        if last is not None:
            say(f"this is game {series.number} of {name}")
        return Replay(rules).finish()
    if not last.rules.is_same_game(rules):
        raise InputError(f"{last.title} was played by {last.rules.word}, not {rules.word}")
    series.resume()
    return last


def _recorded(recording: Recording, series: Series) -> tuple[KeyboardInterrupt | None, bool]:
    """Record a game to its end or until it is left; return the Ctrl-C, if any, and if it is saved.

    The file is written once there is something new.
    """
    is_there = series.number <= len(series.games)
    written = recording.settled
    if is_there:  # perhaps with other names
        written = replace(written, metadata=series.games[-1].metadata)
    recording.bring_versions(series.path, series.number)

    def write() -> None:
        nonlocal written, is_there
        named, settled = series.path, recording.settled
        if is_same(settled, written) and settled.metadata == written.metadata:
            return
        written, is_there = settled, True
        series.write(settled)
        if series.path != named:
            say(f"{named} was changed by another program; the game goes on in {series.path}")
        recording.keep_versions(series.path, series.number)

    stop = played(recording, write)
    write()
    return stop, is_there
