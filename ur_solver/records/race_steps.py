"""The moves of plain races on encoded states, fast enough to replay many games.

`moves.py` is the definition of the moves. By it a throw of finkel and the states that it leads to
take some 150 us; a thousand games have 150,000 throws. This module works on the bytes of the state
rows and takes some 20 us. The tests compare the two on every rule set of the race family, and on
random paths.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
from operator import getitem, itemgetter

from ur_solver.records.steps import Saying, Step, Stepper
from ur_solver.rules import DARK, FREE_THROW, HOME, LIGHT, RuleSet
from ur_solver.rules.contents import side_of, swap_sides
from ur_solver.rules.moves import move_text
from ur_solver.space import positions_of

_EMPTY, _GAP, _SLASH = "._/"
_LOW = slice(0 if sys.byteorder == "little" else 1, None, 2)
"""The bytes of a state row that its numbers, all of them small, are in."""


class RaceStepper(Stepper):
    """The turns of a plain race played for nothing but the win."""

    def __init__(self, rules: RuleSet) -> None:
        super().__init__(rules)
        space, switches = positions_of(rules), rules.switches
        self._cell = [space.squares.index(square) for square in rules.path.light]
        self._number = [0] * len(self._cell)
        for index, _, letter in rules.mechanics.places[LIGHT]:
            self._number[index] = space.content_numbers[self._cell[index]][letter]
        self._is_rosette = [square in rules.rosettes for square in rules.path.light]
        self._safe_rosettes: bool = switches["safe_rosettes"]
        self._extra_on_rosette: bool = switches["extra_on_rosette"]
        self._extra_on_capture: bool = switches["extra_on_capture"]
        self._extra_on_throw: int | None = switches["extra_on_throw"]
        self._length = len(self._cell)
        self._home = len(space.squares)
        self._is_mine, self._is_theirs = (
            [[side_of(content) == side if content else False for content in contents]
             for contents in space.contents]
            for side in (LIGHT, DARK)
        )  # fmt: skip
        mirror = space.mirror_cells.tolist()
        self._across = itemgetter(*mirror)
        self._mirrored = [bytes(space.mirrored(cell).tolist()) for cell in mirror]
        self._drawn = {side: self._drawing(side) for side in (LIGHT, DARK)}
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

    def _drawing(self, side: str) -> tuple[str, list[tuple[int, list[str]]]]:
        """The notation's cells: what comes before, and each with the texts of its contents.

        A gap and the end of a row belong to the text of the cell before.
        """
        space = positions_of(self.rules)
        before, found = "", list[tuple[int, list[str]]]()
        cells = iter(range(self._home))
        for number, row in enumerate(self.rules.board.rows):
            for kind in (_SLASH if number else "") + row:
                if kind in (_GAP, _SLASH):
                    before += "" if found else kind
                    if found:
                        found[-1] = found[-1][0], [text + kind for text in found[-1][1]]
                    continue
                cell = next(cells)
                if side == DARK:
                    cell = int(space.mirror_cells[cell])
                texts = [content or _EMPTY for content in space.contents[cell]]
                found.append((cell, [*map(swap_sides, texts)] if side == DARK else texts))
        return before, found

    def flip(self, state: bytes) -> bytes:
        """The state after a pass: `state` from the view of the other side, which throws next."""
        return self._wide(self._flipped(state[_LOW]))

    def _flipped(self, row: bytes | bytearray) -> bytes:
        home = self._home
        cells = bytes(map(getitem, self._mirrored, self._across(row)))
        return cells + bytes((row[home + 1], row[home]))

    def _wide(self, row: bytes | bytearray) -> bytes:
        """The state whose numbers are some bytes."""
        state = bytearray(2 * len(row))
        state[_LOW] = row
        return bytes(state)

    def steps(self, state: bytes, throw: int, choice: str = FREE_THROW) -> tuple[Step, ...]:
        """As `Stepper.steps`, but without `moves.py`."""
        if throw == 0:
            return ()
        length, home = self._length, self._home
        cell, numbers = self._cell, self._number
        row = state[_LOW]
        found = []
        for source in range(-1 if row[home] else 0, length - throw + 1):
            if source >= 0 and row[cell[source]] != numbers[source]:
                continue
            target = source + throw
            is_capture = is_rosette = is_win = False
            if target < length:
                occupant = row[cell[target]]
                is_rosette = self._is_rosette[target]
                if occupant:
                    if self._is_mine[cell[target]][occupant]:
                        continue
                    if is_rosette and self._safe_rosettes:
                        continue
                    is_capture = True
            after = bytearray(row)
            if source < 0:
                after[home] -= 1
            else:
                after[cell[source]] = 0
            if target < length:
                after[cell[target]] = numbers[target]
                after[home + 1] += is_capture
            else:
                is_win = not self._holds(after, home, self._is_mine)
            again = not is_win and (
                (self._extra_on_rosette and is_rosette)
                or (self._extra_on_capture and is_capture)
                or self._extra_on_throw == throw
            )
            reached = self._wide(after if again else self._flipped(after))
            text = self._texts[source, target, is_capture]
            found.append(Step(source, target, is_capture, again, is_win, reached, text))
        return tuple(found)

    def _holds(self, row: Sequence[int], home: int, is_held: list[list[bool]]) -> bool:
        """Whether a side has a piece at home or on the board."""
        return bool(row[home]) or any(map(getitem, is_held, row))

    def is_over(self, state: bytes) -> bool:
        """Whether either side has borne off all its pieces."""
        row, home = state[_LOW], self._home
        return not (
            self._holds(row, home, self._is_mine) and self._holds(row, home + 1, self._is_theirs)
        )

    def sayings(self, state: bytes) -> tuple[Saying, ...]:
        """Empty: in this family nothing is said before throwing."""
        return ()

    def notation(self, state: bytes, side: str) -> str:
        """The notation of the position of `state`."""
        row, home = state[_LOW], self._home
        before, drawn = self._drawn[side]
        board = before + "".join([texts[row[cell]] for cell, texts in drawn])
        light, dark = row[home:] if side == LIGHT else (row[home + 1], row[home])
        return f"{board} {side} {light} {dark}"


@lru_cache(maxsize=32)
def stepper_of(rules: RuleSet) -> Stepper:
    """The stepper of `rules`, built once."""
    if rules.mechanics.is_plain_race and rules.payoff.is_chance:
        return RaceStepper(rules)
    return Stepper(rules)
