"""The race family's moves on encoded states, fast enough to replay many games.

`moves.py` is the definition of the moves. It takes 22 us for a throw, and encoding what it finds
takes as much again for each move; a thousand games have 150,000 throws. This module works on the
bytes of the state rows and takes 4 us for a throw. The tests compare the two on every rule set of
the family.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from operator import itemgetter

from ur_solver.records.steps import Saying, Step, Stepper
from ur_solver.rules import DARK, FREE_THROW, HOME, LIGHT, RuleSet
from ur_solver.rules.moves import move_text
from ur_solver.space import RaceSpace, move_tables, race_space_of

_OTHER_SIDE = bytes((0, 2, 1, 4, 3)) + bytes(range(5, 256))
_N_CODES = 5
_GAP, _SLASH = _N_CODES, _N_CODES + 1
# The letter of each content code, by the side that is "mine".
_LETTERS = {LIGHT: b".LDld_/", DARK: b".DLdl_/"}


class RaceStepper(Stepper):
    """The turns of a rule set of the race family."""

    def __init__(self, rules: RuleSet) -> None:
        super().__init__(rules)
        space = race_space_of(rules)
        tables = move_tables(space)
        self._cell: list[int] = tables.my_cell.tolist()
        self._code: list[int] = tables.my_code.tolist()
        self._is_rosette: list[bool] = tables.is_rosette.astype(bool).tolist()
        self._safe_rosettes = tables.safe_rosettes
        self._extra_on_rosette = tables.extra_on_rosette
        self._extra_on_capture = tables.extra_on_capture
        self._extra_on_throw = tables.extra_on_throw
        self._length = len(self._cell)
        self._home = space.state_width - 2
        self._across = itemgetter(*tables.mirror_cell.tolist())
        self._drawn = {side: self._drawing_order(side) for side in (LIGHT, DARK)}
        self._letters = {
            side: letters + bytes(range(len(letters), 256)) for side, letters in _LETTERS.items()
        }
        self._texts = self._all_texts()

    def _all_texts(self) -> dict[tuple[int, int, bool], str]:
        """Every move as light writes it, by source, target and whether it captures."""
        path, is_rosette = self.rules.path.light, [*self._is_rosette, False]
        return {
            (source, target, is_capture): move_text(
                path, LIGHT, source, target, is_capture, is_rosette[target]
            )
            for source in range(HOME, len(path))
            for target in range(source + 1, len(path) + 1)
            for is_capture in (False, True)
        }

    def _drawing_order(self, side: str) -> Callable[[bytes], Iterable[int]]:
        # Cells in the order of the notation. A gap and a slash have the two codes after the cells.
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
        """The state after a pass: `state` from the view of the other side, which throws next."""
        home = self._home
        cells = bytes(self._across(state)).translate(_OTHER_SIDE)
        return cells + bytes((state[home + 1], state[home]))

    def steps(self, state: bytes, throw: int, choice: str = FREE_THROW) -> tuple[Step, ...]:
        """As `Stepper.steps`, but without `moves.py`."""
        if throw == 0:
            return ()
        length, home = self._length, self._home
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
                    if is_rosette and self._safe_rosettes:
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
                (self._extra_on_rosette and is_rosette)
                or (self._extra_on_capture and is_capture)
                or self._extra_on_throw == throw
            )
            reached = bytes(after)
            if not again:
                reached = self.flip(reached)
            text = self._texts[source, target, is_capture]
            found.append(Step(source, target, is_capture, again, is_win, reached, text))
        return tuple(found)

    def is_over(self, state: bytes) -> bool:
        """Whether either side has borne off all its pieces."""
        cells = state[: self._home]
        mine = state[self._home] or any(code & 1 for code in cells)
        theirs = state[self._home + 1] or any(code and not code & 1 for code in cells)
        return not (mine and theirs)

    def sayings(self, state: bytes) -> tuple[Saying, ...]:
        """Empty: in this family nothing is said before throwing."""
        return ()

    def notation(self, state: bytes, side: str) -> str:
        """The notation of the position of `state`."""
        home = self._home
        cells = state[:home] + bytes((_GAP, _SLASH))
        board = bytes(self._drawn[side](cells)).translate(self._letters[side]).decode()
        mine, theirs = state[home], state[home + 1]
        light, dark = (mine, theirs) if side == LIGHT else (theirs, mine)
        return f"{board} {side} {light} {dark}"


@lru_cache(maxsize=32)
def stepper_of(rules: RuleSet) -> Stepper:
    """The stepper of `rules`, built once."""
    return RaceStepper(rules) if RaceSpace.serves(rules) else Stepper(rules)
