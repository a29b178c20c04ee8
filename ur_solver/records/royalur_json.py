"""RoyalUr's JSON notation: a reader of versions 1 and 2, a writer of version 2.

A game is one object with ``notation_version``, ``metadata`` (which may be left out),
``settings``, ``initial_state`` and ``states``. The latter has one object for each turn and those
that say how the game ended. A piece is written as its path index plus one, negative for dark;
version 1 writes an object with ``owner`` and ``index`` instead. A move names the piece's place
before (``src``, left out on entering) and after the move (``dest``, left out on bearing off).
The first files of version 1 have longer names for the same things, such as ``source``.

Each state may have ``metadata`` of its own. Comments are in it, as ``Comment``, and so is any
ending that the notation cannot express: a loss on time is written as a resignation whose
``Ending`` is ``timeout``, and an end without a known reason as an abandoned game whose ``Ending``
is ``ended``. The game's metadata may hold its opening, as ``Opening``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ur_solver.common.text import counted, json_text
from ur_solver.errors import RecordError
from ur_solver.records.parts import (
    OPENING,
    Comments,
    Faults,
    Placed,
    check_entries,
    comment_of_metadata,
    is_opening,
    metadata_of_comment,
    opened,
    opening_text,
    side_of,
    take_all,
)
from ur_solver.records.record import Ending, GameRecord, Ply, Replay
from ur_solver.records.settings import (
    check_agreement,
    of_any_version,
    rules_from_settings,
    settings_of,
)
from ur_solver.records.steps import Step, Stepper
from ur_solver.rules import DARK, HOME, LIGHT, SIDE_NAMES, Position, RuleSet, opponent
from ur_solver.rules.game import move_text

_READ_VERSIONS = (1, 2)
SIGNS = {LIGHT: 1, DARK: -1}
_TURN_TYPES = ("move", "roll")
_WAIT_TYPES = ("wait4roll", "wait4move")
_END_TYPES = ("resigned", "abandoned", "win")
_OLD_TYPES = {
    "rolled": "roll",
    "moved": "move",
    "waiting_for_roll": "wait4roll",
    "waiting_for_move": "wait4move",
}
ENDING, NO_REASON = "Ending", "external"
OPENING_KEY = OPENING.capitalize()
_OWN_ENDINGS = {Ending.RESIGNED: Ending.TIMEOUT, Ending.ABANDONED: Ending.ENDED}
"""The endings that the notation has, and those that are written as them with `_ENDING`."""

_MAX_TIME = 1 << 53
"""Milliseconds; larger numbers are no times."""


def read_json_game(values: object, file: str = "-", number: int = 1) -> GameRecord:
    """The game of JSON values; RecordError, whose text begins with the JSON path of the fault."""
    game = _object(values, "the game")
    version = game.get("notation_version")
    if version not in _READ_VERSIONS:
        known = " and ".join(map(str, _READ_VERSIONS))
        raise RecordError(f"notation_version is {version!r:.60}; expected one of {known}")
    faults = Faults()
    with faults:
        rules = rules_from_settings(game.get("settings"))
    with faults:
        metadata = _metadata(game.get("metadata", {}), "metadata")
    states = game.get("states")
    with faults:
        if not isinstance(states, list):
            raise RecordError(f"states: expected an array, not {states!r:.60}")
    faults.check()
    assert isinstance(states, list)
    for name, value in metadata.items():
        with faults, Placed(f"metadata.{name:.40}"):
            check_agreement(rules, name, value)
    initial = game.get("initial_state")
    begin, start_time = _initial(rules, initial)
    replay = _replay(rules, begin, metadata)
    with Placed("initial_state"):
        reader = _StatesReader(replay, start_time)
        if isinstance(initial, dict) and "metadata" in initial:
            reader.comment(initial["metadata"])

    def read(numbered: tuple[int, object]) -> None:
        index, state = numbered
        with Placed(f"states[{index}]"):
            reader.read(state, f"states[{index}]")

    def check_form(numbered: tuple[int, object]) -> None:
        index, state = numbered
        with Placed(f"states[{index}]"):
            reader.check_form(state)

    take_all(enumerate(states), read, check_form, faults)
    faults.check()
    with Placed(f"states[{len(states) - 1}]" if states else "states"):
        reader.check_end()
        return replay.finish(
            reader.ending,
            reader.winner,
            loser_by_choice=reader.quitter,
            reason=reader.reason,
            metadata=metadata,
            comments=reader.comments.texts(),
            start_time=start_time,
            end_time=reader.time,
            file=file,
            number=number,
        )


def _replay(rules: RuleSet, begin: Position, metadata: dict[str, str]) -> Replay:
    """The game from `begin`, after the opening that the metadata may hold."""
    text = metadata.get(OPENING_KEY, "")
    if not is_opening(text):
        with Placed("initial_state"):
            return Replay(rules, begin)
    with Placed(f"metadata.{OPENING_KEY}"):
        replay = opened(rules, text)
        if replay.start != begin:
            raise RecordError(
                f"the game begins with {replay.start.notation!r}, but initial_state is "
                f"{begin.notation!r}"
            )
    del metadata[OPENING_KEY]
    return replay


class _StatesReader:
    """Reads ``states``, one object after the other."""

    def __init__(self, replay: Replay, time: int) -> None:
        self.replay = replay
        self.time = time
        self.ending = Ending.UNFINISHED
        self.winner: str | None = None
        self.quitter: str | None = None
        self.reason: str | None = None
        self.comments = Comments()
        self._is_waiting = False
        self._is_closed = False

    def read(self, values: object, place: str) -> None:
        state = _object(values, "a state")
        kind = _kind(state)
        if self._is_closed:
            raise RecordError(f"{kind!r:.40} after the end of the game")
        if "time" in state:
            self.time = _time(state["time"])
        self._is_waiting = kind in _WAIT_TYPES
        if kind in _TURN_TYPES:
            self._turn(state, kind, place)
        elif kind in _WAIT_TYPES:
            self._waiting(state, kind)
        else:
            self._end(state, kind)
        if "metadata" in state:
            self.comment(state["metadata"])

    def check_form(self, values: object) -> None:
        """Check a state in a position that is not known, since one before it has a fault."""
        state = _object(values, "a state")
        kind = _kind(state)
        if "time" in state:
            _time(state["time"])
        if kind in (*_TURN_TYPES, *_WAIT_TYPES):
            side = _side(state.get("turn"), "turn")
        if kind in _TURN_TYPES:
            self.replay.rules.dice.check(_throw(state))
        if kind == "move":
            self._ends(_object(state.get("move"), "move"), side)
        if "metadata" in state:
            _metadata(state["metadata"], "metadata")

    def comment(self, metadata: object) -> None:
        """Read a state's metadata: comments, and an ending that the notation cannot express."""
        entries = _metadata(metadata, "metadata")
        own = _OWN_ENDINGS.get(self.ending)
        if own is not None and entries.get(ENDING) == own:
            del entries[ENDING]
            self.ending = own
            self.reason = None if self.reason == NO_REASON else self.reason
        self.comments.add(len(self.replay.plies), comment_of_metadata(entries))

    def check_end(self) -> None:
        """Raise RecordError if the states end after a turn."""
        replay = self.replay
        is_open = self.ending is Ending.UNFINISHED and not self._is_waiting
        if replay.plies and is_open and replay.winner is None:
            kind = "wait4move" if replay.plies[-1].is_pending else "wait4roll"
            raise RecordError(
                f"the game is incomplete: expected a turn of {SIDE_NAMES[replay.side]}, an end or "
                f"{kind!r}, which ends the states of an unfinished game"
            )

    def _turn(self, state: Mapping[str, Any], kind: str, place: str) -> None:
        if self.ending is not Ending.UNFINISHED:
            raise RecordError(f"a turn after the game was {self.ending}")
        replay = self.replay
        side = _side(state.get("turn"), "turn")
        throw = _throw(state)
        plies = replay.plies
        if kind == "move" and plies and plies[-1].is_pending and plies[-1].side == side:
            # the throw was written as a state of its own before its move: both are one ply
            if plies[-1].throw != throw:
                raise RecordError(f"roll.value is {throw}, but {plies[-1].throw} was thrown")
            plies.pop()
        replay.expect_side(side)
        if kind == "roll":
            replay.play_nothing(throw, self.time, place)
            self._check_available(state)
            return
        move = _object(state.get("move"), "move")
        steps = replay.legal((throw,))
        try:
            source, target = self._ends(move, side)
        except RecordError as error:
            legal = replay.stepper.texts(side, steps)
            raise RecordError(f"{error}; legal with throw {throw}: {legal}") from None
        before = replay.state
        # in the race family, the only one that this notation has, path indices identify a move
        ends = [(step.source, step.target) for step in steps]
        if (source, target) not in ends:
            path = replay.rules.path.squares(side)
            raise RecordError(replay.illegal((throw,), move_text(path, side, source, target)))
        played = ends.index((source, target))
        step = steps[played]
        replay.take((throw,), steps, played, self.time, place)
        captured = _piece(move, "captured", opponent(side))
        expected = captured_index(replay.stepper, before, step) if step.is_capture else None
        if captured != expected:
            raise RecordError(
                f"move.captured is {move.get('captured')!r:.60}, but the move "
                f"{'captures' if step.is_capture else 'captures nothing'}"
                + (f" {SIGNS[opponent(side)] * (expected + 1)}" if expected is not None else "")
            )

    def _ends(self, move: Mapping[str, Any], side: str) -> tuple[int, int]:
        source = _piece(move, "src", side)
        target = _piece(move, "dest", side)
        if source is None and target is None:
            raise RecordError("move has neither src nor dest")
        length = len(self.replay.rules.path)
        for key, index in (("src", source), ("dest", target)):
            if index is not None and index >= length:
                value = of_any_version(move, key)
                raise RecordError(f"move.{key} is {value!r:.60}; the path has {length} squares")
        return (
            HOME if source is None else source,
            length if target is None else target,
        )

    def _check_available(self, state: Mapping[str, Any]) -> None:
        available = of_any_version(state, "moves")
        steps = self.replay.plies[-1].steps
        if isinstance(available, list) and len(available) != len(steps):
            ply = self.replay.plies[-1]
            raise RecordError(
                f"moves lists {counted(len(available), 'move')}; legal with throw {ply.throw}: "
                f"{self.replay.stepper.texts(ply.side, steps)}"
            )

    def _waiting(self, state: Mapping[str, Any], kind: str) -> None:
        side = _side(state.get("turn"), "turn")
        last = self.replay.plies[-1] if self.replay.plies else None
        if kind == "wait4move":
            if last is None or not last.is_pending or last.side != side:
                raise RecordError("waits for a move, but no throw that allows one comes before")
            if _throw(state) != last.throw:
                raise RecordError(f"roll.value is {_throw(state)}, but {last.throw} was thrown")
        else:
            self.replay.expect_side(side)

    def _end(self, state: Mapping[str, Any], kind: str) -> None:
        if kind == "win":
            winner = state.get("winner")
            if winner is not None:
                self.winner = _side(winner, "winner")
            if self.ending is Ending.UNFINISHED:
                self.ending = Ending.WON
            elif self.quitter and self.winner == self.quitter:
                raise RecordError(f"winner is {winner!r}, who {self.ending} the game")
            self._is_closed = True
            return
        if self.ending is not Ending.UNFINISHED:
            raise RecordError(f"{kind} after the game was {self.ending}")
        self.ending = Ending(kind)
        player = state.get("player")
        if player is not None or kind == "resigned":
            self.quitter = _side(player, "player")
        if kind == "resigned":
            self.winner = opponent(self.quitter or "")
        reason = state.get("reason")
        if reason is not None and not isinstance(reason, str):
            raise RecordError(f"reason is {reason!r:.60}, not a text")
        self.reason = reason


def captured_index(stepper: Stepper, state: bytes, step: Step) -> int:
    """The path index, on its own side's path, of the piece that `step` captures."""
    rules = stepper.rules
    square = rules.path.light[step.target]
    held = stepper.position(state, LIGHT).contents[rules.board.squares.index(square)]
    return next(
        index
        for index, visited, letter in rules.mechanics.places[DARK]
        if (visited, letter) == (square, held)
    )


def _object(value: object, name: str) -> Mapping[str, Any]:
    if isinstance(value, dict):
        return value
    raise RecordError(f"{name} is {value!r:.60}, not an object")


def _kind(state: Mapping[str, Any]) -> str:
    """The type of a state by its present name."""
    kind = state.get("type")
    known = (*_TURN_TYPES, *_WAIT_TYPES, *_END_TYPES)
    if isinstance(kind, str) and (found := _OLD_TYPES.get(kind, kind)) in known:
        return found
    raise RecordError(f"type is {kind!r:.40}; known: {', '.join(known)}")


def _whole(value: object, key: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise RecordError(f"{key} is {value!r:.60}, not a whole number")


def _time(value: object) -> int:
    """Milliseconds, which some versions write as decimals."""
    if isinstance(value, float) and abs(value) < _MAX_TIME:  # neither infinite nor not a number
        return int(value)
    return _whole(value, "time")


def _side(value: object, key: str) -> str:
    if value in (LIGHT, DARK):
        return str(value)
    if isinstance(value, str) and (side := side_of(value)):
        return side
    raise RecordError(f"{key} is {value!r:.60}, expected 'L' or 'D'")


def _throw(state: Mapping[str, Any]) -> int:
    return _whole(_object(state.get("roll"), "roll").get("value"), "roll.value")


def _piece(move: Mapping[str, Any], key: str, side: str) -> int | None:
    """The path index of the piece of `side` at `key`; None where there is none."""
    value = of_any_version(move, key)
    if value is None:
        return None
    if isinstance(value, dict):  # version 1
        if value.get("owner") != side:
            raise RecordError(f"move.{key}.owner is {value.get('owner')!r:.60}, expected {side!r}")
        index = _whole(value.get("index"), f"move.{key}.index")
    else:
        index = _whole(value, f"move.{key}") * SIGNS[side] - 1
    if index < 0:
        raise RecordError(f"move.{key} is {value!r:.60}, not a piece of {side!r}")
    return index


def _metadata(values: object, name: str) -> dict[str, str]:
    metadata = dict(_object(values, name))
    with Placed(name):
        check_entries(metadata)
    for key, value in metadata.items():
        if not isinstance(value, str):
            raise RecordError(f"{name}.{key:.40} is {value!r:.60}, not a text")
    return metadata


def _initial(rules: RuleSet, values: object) -> tuple[Position, int]:
    """The position and the time that ``initial_state`` describes."""
    if values is None:
        return rules.start(), 0
    state = _object(values, "initial_state")
    with Placed("initial_state"):
        side = _side(state.get("turn"), "turn")
        pieces = _object(_object(state.get("board"), "board").get("pieces"), "board.pieces")
        contents = dict.fromkeys(rules.board.squares, "")
        for square, value in pieces.items():
            if square not in contents:
                raise RecordError(f"board.pieces has {square!r:.40}, which is not a square")
            contents[square] = _letter_at(rules, square, value)
        players = _object(state.get("players"), "players")
        stated = {player: _object(players.get(player), f"players.{player}") for player in "LD"}
        homes = {
            player: _whole(entry.get("pieces"), f"players.{player}.pieces")
            for player, entry in stated.items()
        }
        position = Position(rules, tuple(contents.values()), side, homes[LIGHT], homes[DARK])
        faults = position.faults()
        if faults or min(homes.values()) < 0:
            raise RecordError("; ".join(faults) or "players: a count of pieces below 0")
        for player, entry in stated.items():
            score = _whole(entry.get("score"), f"players.{player}.score")
            if score != position.n_off(player):
                raise RecordError(
                    f"players.{player}.score is {score}, but home and board leave "
                    f"{position.n_off(player)} of {counted(rules.pieces, 'piece')}"
                )
        return position, _time(state.get("time", 0))


def _letter_at(rules: RuleSet, square: str, value: object) -> str:
    if isinstance(value, dict):
        side = _side(value.get("owner"), "owner")
    else:
        side = LIGHT if _whole(value, square) > 0 else DARK
    index = _piece({square: value}, square, side)
    path = rules.path.squares(side)
    if index is None or index >= len(path) or path[index] != square:
        raise RecordError(
            f"board.pieces.{square} is {value!r:.60}, a piece that belongs on another square"
        )
    return rules.mechanics.stands(side, index)


VERSION = 2


def write_json_game(record: GameRecord) -> str:
    """A record in version 2 of the notation, as RoyalUr's library writes it.

    RuleSetError if the notation cannot express the rule set.
    """
    values: dict[str, Any] = {"notation_version": VERSION}
    metadata = dict(record.metadata)
    if record.opening:
        metadata[OPENING_KEY] = opening_text(record.opening)
    if metadata:
        values["metadata"] = metadata
    values["settings"] = settings_of(record.rules)
    values["initial_state"] = _written_start(record)
    values["states"] = [_written_ply(record, ply) for ply in record.plies] + _written_end(record)
    written = [values["initial_state"], *values["states"]]
    for n_plies, text in record.comments.items():
        written[n_plies]["metadata"] = metadata_of_comment(text)
    return json_text(values, ensure_ascii=False, separators=(",", ":"))


def _written_start(record: GameRecord) -> dict[str, Any]:
    rules, begin = record.rules, record.start
    pieces = {}
    for square, content in zip(rules.board.squares, begin.contents, strict=True):
        if content:
            side = content.upper()
            path = rules.path.squares(side)
            index = next(
                index
                for index, name in enumerate(path)
                if name == square and rules.mechanics.stands(side, index) == content
            )
            pieces[square] = SIGNS[side] * (index + 1)
    players = {
        side: {"pieces": begin.home(side), "score": begin.n_off(side)} for side in (LIGHT, DARK)
    }
    return {
        "board": {"pieces": pieces},
        "players": players,
        "type": "wait4roll",
        "time": record.start_time,
        "turn": begin.side,
    }


def _written_ply(record: GameRecord, ply: Ply) -> dict[str, Any]:
    step = ply.step
    kind = "roll" if step is None else "move"
    values = {"type": kind, "time": ply.time, "turn": ply.side, "roll": {"value": ply.throw}}
    if step is None:
        return {**values, "moves": [_written_move(record, ply, each) for each in ply.steps]}
    return {**values, "move": _written_move(record, ply, step)}


def _written_move(record: GameRecord, ply: Ply, step: Step) -> dict[str, int]:
    sign = SIGNS[ply.side]
    move = {}
    if step.source != HOME:
        move["src"] = sign * (step.source + 1)
    if step.target < len(record.rules.path):
        move["dest"] = sign * (step.target + 1)
    if step.is_capture:
        move["captured"] = -sign * (captured_index(record.stepper, ply.state, step) + 1)
    return move


def _written_end(record: GameRecord) -> list[dict[str, Any]]:
    time = record.end_time
    win: dict[str, Any] = {"type": "win", "time": time}
    if record.winner:
        win["winner"] = record.winner
    if record.ending is Ending.WON:
        return [win]
    if record.ending is not Ending.UNFINISHED:
        return [_written_stop(record), win]
    if not record.plies:
        return []
    last = record.plies[-1]
    if last.is_pending:
        return [{**_written_ply(record, last), "type": "wait4move", "time": time}]
    passed = last.step is None or not last.step.again
    turn = opponent(last.side) if passed else last.side
    return [{"type": "wait4roll", "time": time, "turn": turn}]


def _written_stop(record: GameRecord) -> dict[str, Any]:
    """The state of a game that was over before either side had won."""
    is_resigned = record.ending in (Ending.RESIGNED, Ending.TIMEOUT)
    kind = Ending.RESIGNED if is_resigned else Ending.ABANDONED
    stop: dict[str, Any] = {"type": str(kind), "time": record.end_time}
    if record.ending is not kind:
        stop["metadata"] = {ENDING: str(record.ending)}
    left = record.loser_by_choice or (is_resigned and record.conceded_by)
    if left:
        stop["player"] = left
    if not is_resigned:
        stop["reason"] = record.reason or NO_REASON
    return stop
