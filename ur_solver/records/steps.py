"""Moves on encoded states: the same rules as `ur_solver.moves`, fast enough to replay.

`moves.py` is the definition and takes 22 us a throw, to which ranking what it finds adds
as much again for each move; replaying and judging a thousand games asks for 150,000
throws. This module works on the state rows of `ur_solver.space` (the side about to throw
is always "mine"), which are ready to be ranked, at 4 us a throw. The tests compare the
two on every rule set, and the names of moves are taken from `moves.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from ur_solver.errors import RuleSetError
from ur_solver.kernel import move_tables
from ur_solver.moves import legal_moves
from ur_solver.position import DARK, LIGHT, Position
from ur_solver.rules import RuleSet
from ur_solver.space import race_space_of

_OTHER_SIDE = bytes((0, 2, 1, 4, 3)) + bytes(range(5, 256))
_N_CODES = 5
_GAP, _SLASH = _N_CODES, _N_CODES + 1
# What a content code is written as, by the side that "mine" is.
_LETTERS = {LIGHT: b".LDld_/", DARK: b".DLdl_/"}


class Step(NamedTuple):
    """One legal move on an encoded state.

    `source` and `target` are path indices as in `moves.Move`. `state` is what the move
    leads to, seen from the side that throws next: the same side if `again`.
    """

    source: int
    target: int
    is_capture: bool
    again: bool
    is_win: bool
    state: bytes


class Stepper:
    """The moves of one rule set on encoded states; `stepper_of` gives the shared one.

    Raises
    ------
    RuleSetError
        If the rule set is not of the race family.
    """

    def __init__(self, rules: RuleSet) -> None:
        if rules.family != "race":
            raise RuleSetError(
                f"{rules.name}: games are read, judged and played by rules of the race family "
                f"only, not by those of {rules.family!r}"
            )
        self.rules = rules
        self.space = race_space_of(rules)
        tables = move_tables(self.space)
        self._cell: list[int] = tables.my_cell.tolist()
        self._code: list[int] = tables.my_code.tolist()
        self._is_rosette: list[bool] = tables.is_rosette.astype(bool).tolist()
        self._length = len(self._cell)
        self._home = self.space.state_width - 2
        self._across = itemgetter(*tables.mirror_cell.tolist())
        self._drawn = {side: self._drawing_order(side) for side in (LIGHT, DARK)}
        self._letters = {
            side: letters + bytes(range(len(letters), 256)) for side, letters in _LETTERS.items()
        }
        self._texts: dict[tuple[str, int, int, bool], str] = {}

    def _drawing_order(self, side: str) -> Callable[[bytes], Iterable[int]]:
        # Cells in the notation's order; the gap and the slash stand behind the cells.
        board = self.rules.board
        cells = iter(range(self._home))
        order: list[int] = []
        for row in board.rows:
            order += [self._home if kind == "_" else next(cells) for kind in row]
            order.append(self._home + 1)
        if side == DARK:
            across = [*self._across(range(self._home)), self._home, self._home + 1]
            order = [across[cell] for cell in order]
        return itemgetter(*order[:-1])

    def flip(self, state: bytes) -> bytes:
        """`state` from the other side, which is then about to throw: a turn passed."""
        home = self._home
        cells = bytes(self._across(state)).translate(_OTHER_SIDE)
        return cells + bytes((state[home + 1], state[home]))

    def steps(self, state: bytes, throw: int) -> tuple[Step, ...]:
        """All legal moves, by path index of the piece that moves, home first.

        Parameters
        ----------
        state : bytes
            A state that is not over, as `Space.encode` gives it.
        throw : int
            One that the dice can show.
        """
        if throw == 0:
            return ()
        rules, length, home = self.rules, self._length, self._home
        cell, code = self._cell, self._code
        found = []
        for source in range(-1 if state[home] else 0, length - throw + 1):
            if source >= 0 and state[cell[source]] != code[source]:
                continue
            target = source + throw
            is_capture = is_rosette = is_win = False
            if target < length:
                occupant = state[cell[target]]
                if occupant & 1:
                    continue
                is_rosette = self._is_rosette[target]
                if occupant:
                    if is_rosette and rules.safe_rosettes:
                        continue
                    is_capture = True
            after = bytearray(state)
            if source < 0:
                after[home] -= 1
            else:
                after[cell[source]] = 0
            if target < length:
                after[cell[target]] = code[target]
                after[home + 1] += is_capture
            else:
                is_win = not after[home] and not any(after[where] & 1 for where in cell)
            again = not is_win and (
                (rules.extra_on_rosette and is_rosette)
                or (rules.extra_on_capture and is_capture)
                or rules.extra_on_throw == throw
            )
            reached = bytes(after)
            if not again:
                reached = self.flip(reached)
            found.append(Step(source, target, is_capture, again, is_win, reached))
        return tuple(found)

    def is_over(self, state: bytes) -> bool:
        """Whether either side has borne off all its pieces."""
        cells = state[: self._home]
        mine = state[self._home] or any(code & 1 for code in cells)
        theirs = state[self._home + 1] or any(code and not code & 1 for code in cells)
        return not (mine and theirs)

    def captured_index(self, state: bytes, step: Step) -> int:
        """The path index, on its own side's path, of the piece that `step` captures."""
        square = self.rules.path.light[step.target]
        return self.space.layout.path_index(square, state[self._cell[step.target]])

    def position(self, state: bytes, side: str) -> Position:
        """The position of `state` with `side` about to throw."""
        return self.space.decode(state, side)

    def notation(self, state: bytes, side: str) -> str:
        """What `format_position` writes for the position of `state`."""
        home = self._home
        cells = state[:home] + bytes((_GAP, _SLASH))
        board = bytes(self._drawn[side](cells)).translate(self._letters[side]).decode()
        mine, theirs = state[home], state[home + 1]
        light, dark = (mine, theirs) if side == LIGHT else (theirs, mine)
        return f"{board} {side} {light} {dark}"

    def text(self, state: bytes, side: str, step: Step) -> str:
        """The move `step` of `side` in RGN's notation."""
        key = (side, step.source, step.target, step.is_capture)
        text = self._texts.get(key)
        if text is None:
            throw = step.target - step.source
            moves = legal_moves(self.rules, self.position(state, side), throw)
            text = next(move.text for move in moves if move.source == step.source)
            self._texts[key] = text
        return text


@lru_cache(maxsize=32)
def stepper_of(rules: RuleSet) -> Stepper:
    """The stepper of `rules`, built once."""
    return Stepper(rules)
