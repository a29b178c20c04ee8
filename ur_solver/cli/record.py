"""`ur record`: a game at a real table, every throw and move typed, and any corrected."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from ur_solver.cli.answering import playing_if_any, plies_option
from ur_solver.cli.audit import audit_of
from ur_solver.cli.options import OUTPUT_FILE, table_argument
from ur_solver.cli.output import columns, echo, say, side_name
from ur_solver.cli.play import EndError, Playing, Weigh, chosen_index, played
from ur_solver.common.files import check_outputs
from ur_solver.common.text import counted
from ur_solver.errors import InputError, RecordError, ThrowError
from ur_solver.estimators.evaluator import Evaluator
from ur_solver.records import Ending, GameRecord, Ply, Replay, check_output, read_file, write_games
from ur_solver.records.parts import read_result
from ur_solver.rules import DARK, LIGHT, RuleSet, named_rules
from ur_solver.rules.family import Roll

_TYPED = re.compile(r"(\d{1,2}(?: +\d{1,2})*)(?: +(\S.*))?")
"""A throw, or two, and perhaps the move."""

_BOTH = re.compile(r"(\d{1,2})[\s-]+(\d{1,2})")
"""Both sides' throws in a round of an opening."""


class _BackError(Exception):
    """The turn with a number is to be corrected."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class _SkipError(Exception):
    """The opening is not recorded."""


class Recording(Playing):
    """A game in the terminal whose throws are typed; the parameters are those of `Playing`.

    A turn is corrected where it stands: those after it are kept as far as they still fit.
    """

    HELP = (
        "'undo' takes back the last turn, 'back 3' corrects throw 3, 'turns' lists the turns, "
        "'hint' shows the values of moves, 'L wins' or 'dark resigned' ends the game, 'quit' "
        "saves it for later"
    )
    SHOWS_DICE = False

    _played = -1
    """The move that was typed with its throw."""
    _skips = False
    """Whether the opening is skipped."""
    _before: tuple[Ply, ...] = ()
    """All turns, while one of them is corrected."""

    def _take_turn(self) -> None:
        self._played = -1
        number = len(self.replay.plies)
        try:
            super()._take_turn()
        except _BackError as back:
            self._correct(back.number)
            return
        if self._before:
            later, self._before = self._before[number + 1 :], ()
            self._take_again(later)

    def _correct(self, number: int) -> None:
        """Go back to before a throw, which is asked for next."""
        plies = self._before or self.replay.plies
        if not 1 <= number <= len(plies):
            say(f"there is no throw {number}; 'turns' lists the turns")
            return
        self._before = tuple(plies)
        self._set(plies[: number - 1])
        say(f"throw {number} was {_turn_text(self.replay, plies[number - 1])}; type it again")

    def _take_again(self, later: Sequence[Ply]) -> None:
        """Take the turns after a corrected one, as far as they fit."""
        for k, ply in enumerate(later):
            if not _takes(self.replay, ply):
                number = len(self.replay.plies) + 1
                say(
                    f"throw {number}, {_turn_text(self.replay, ply)}, does not fit any more; "
                    f"{counted(len(later) - k, 'turn')} from there on must be typed again"
                )
                return
        if later:
            say(f"{counted(len(later), 'later turn')} kept")

    def _undo(self) -> None:
        """Take back the last turn, or give up a correction."""
        if self._before:
            self._set(self._before)
            self._before = ()
            say("the correction is dropped")
        elif self.replay.plies:
            self._set(self.replay.plies[:-1])
        elif self.replay.opening:
            rules, rounds = self.replay.rules, self.replay.opening[:-1]
            self.replay = Replay.after(rules, rules.start(), (), rounds)
        else:
            say("nothing to undo: no turn has been typed yet")

    @property
    def _is_opening(self) -> bool:
        return super()._is_opening and not self._skips

    def _rolled_round(self) -> tuple[int, ...]:
        """Ask for both throws of a round of the opening; quit, undo and skip are words, too."""
        prompt = f"round {len(self.replay.opening) + 1}, light and dark throw"
        while True:
            answer = click.prompt(prompt, prompt_suffix="> ").strip()
            if not self.replay.opening and answer.lower() == "skip":
                self._skips = True
                raise _SkipError
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
            except RecordError as error:
                say(str(error))
                continue
            return throws

    def _take_round(self) -> None:
        try:
            with contextlib.suppress(_SkipError):
                super()._take_round()
        except _BackError as back:
            self._correct(back.number)

    def _set(self, plies: Sequence[Ply]) -> None:
        replay = self.replay
        self.replay = Replay.after(replay.rules, replay.start, plies, replay.opening)

    def _rolled(self, choice: str) -> Roll:
        """Ask for the throws of this turn, and take the move if it is typed with them."""
        replay = self.replay
        prompt = f"{len(replay.plies) + 1} {side_name(replay.side)} throws"
        while True:
            answer = click.prompt(prompt, prompt_suffix="> ").strip()
            if self._obeys(answer):
                continue
            if answer.lower() == "hint":
                say("hints are for the moves of a throw; type the throw first")
                continue
            typed = _TYPED.fullmatch(answer)
            if typed is None:
                say(
                    f"{answer[:40]!r} is not a throw such as 3, or a throw with its move such as "
                    f"'3 A@A2'; {self.HELP}"
                )
                continue
            throws = tuple(map(int, typed[1].split()))
            try:
                steps = replay.legal(throws, choice)
            except ThrowError as error:
                say(str(error))
                continue
            texts = [replay.stepper.text(replay.side, step) for step in steps]
            played = -1 if typed[2] is None else chosen_index(typed[2], texts)
            if played is None:
                say(replay.illegal(throws, typed[2], choice))
                continue
            roll = replay.rolls(choice).of(throws)
            assert roll is not None
            self._played = played
            return roll

    def _ask(self, texts: Sequence[str], what: str, weigh: Weigh) -> int:
        if what == "move" and self._played >= 0:
            return self._played
        if what == "move" and len(texts) == 1:
            return 0
        return super()._ask(texts, what, weigh)

    def _obeys(self, answer: str) -> bool:
        if (end := read_result(answer)) is not None:
            raise EndError(end)
        words = answer.lower().split()
        if words[:1] == ["back"] and len(words) == 2 and words[1].isdecimal():
            raise _BackError(int(words[1][:9]))
        if words == ["turns"]:
            echo(_turns_text(self.replay))
            return True
        return super()._obeys(answer)


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


def _turn_text(replay: Replay, ply: Ply) -> str:
    step = ply.step
    move = "no move" if step is None else replay.stepper.text(ply.side, step)
    words = [side_name(ply.side), ply.choice, ply.throw_text, move]
    return " ".join(word for word in words if word)


def _turns_text(replay: Replay) -> str:
    rows = [[f"  {k}", _turn_text(replay, ply)] for k, ply in enumerate(replay.plies, start=1)]
    return columns(rows, "><") if rows else "no turn has been typed yet"


def recorded_game(path: Path, rules: RuleSet, *, resumes: bool) -> GameRecord | None:
    """The unfinished game in a file that is to be recorded into; None if the file is new.

    Raises InputError if the file is there and the game is not to be resumed, or is not one
    unfinished game.
    """
    if not path.exists():
        if resumes:
            raise InputError(f"{str(path)!r} does not exist, so there is no game to resume")
        return None
    if not resumes:
        raise InputError(
            f"{str(path)!r} exists; name another file, or add --resume to go on with its game"
        )
    games = list(read_file(str(path), rules))
    game = games[0]
    if not isinstance(game, GameRecord):
        raise RecordError(str(game))
    if len(games) > 1 or game.ending != "unfinished":
        raise InputError(f"{str(path)!r} does not hold one unfinished game; name another file")
    return game


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
    throw, alone or with its move, as 3 or 3 a@a2; the only legal move need not be typed. undo takes
    back the last turn; back 5 corrects throw 5 and keeps the later turns as far as they fit; turns
    lists them. A line such as 'L wins' or 'dark resigned' ends a game early. FILE is written after
    every turn, and --resume continues it. Without a table the game is still recorded, but there are
    no hints and no audit.

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
        begun = recorded_game(file, rules, resumes=resume)
        record, stop = _recorded(table, rules, begun, file, (light_name, dark_name), hints)
        if record.ending is Ending.UNFINISHED:
            echo(f"\nthe game is in {file}: 'ur record {word} {file} --resume' continues it")
        else:
            say(f"the game is in {file}")
        if stop is not None:
            raise stop
        is_over = record.plies and record.ending is not Ending.UNFINISHED
        if with_audit and table is not None and is_over:
            echo(f"\n{audit_of(record, table)}")


def _recorded(
    table: Evaluator | None,
    rules: RuleSet,
    begun: GameRecord | None,
    file: Path,
    names: tuple[str | None, str | None],
    has_hints: bool,
) -> tuple[GameRecord, KeyboardInterrupt | None]:
    """Record a game to its end or until it is left; return it and the Ctrl-C, if any."""
    replay, kept = Replay(rules), {}
    metadata: dict[str, str] = {}
    if begun is not None:
        replay = Replay.resumed(begun)
        metadata, kept = dict(begun.metadata), dict(begun.comments)
    metadata |= {side: name for side, name in zip(("Light", "Dark"), names, strict=True) if name}
    recording = Recording(table, replay, {LIGHT: None, DARK: None}, 0, has_hints=has_hints)

    def written(**ending: Any) -> GameRecord:
        n_plies = len(recording.replay.plies)
        comments = {number: text for number, text in kept.items() if number <= n_plies}
        record = recording.replay.finish(
            metadata=metadata, comments=comments, file=str(file), **ending
        )
        write_games([record], file)
        return record

    ending, stop = played(recording, written)
    return written(**ending), stop
