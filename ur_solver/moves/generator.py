"""The move generator of a rule set: the successors of many encoded states at once.

It does not use ranks or kernels, so its successors can be compared with theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.common.copies import Unchanging
from ur_solver.moves._generator import (
    AGAIN,
    CAPTURE,
    OPTIONAL,
    PASS,
    ROSETTE,
    Generator,
    capture_chances,
    mirror,
    successors,
)
from ur_solver.moves.tables import PieceChoice, move_tables
from ur_solver.rules import FREE_THROW, Position, RuleSet
from ur_solver.rules.contents import DARK, LIGHT, split
from ur_solver.rules.game import move_text
from ur_solver.space import Space, positions_of, space_of

Rows = npt.NDArray[Any]
"""Encoded states, shape (states, state width), of the space's own type."""


@dataclass(frozen=True)
class TurnBatch:
    """Some turns with their options: legal moves, a pass if there is none, or choices.

    In turns before the throw, which have `choices`, option `starts[k] + i` is choice i. All turns
    of one batch then have the same. Sources and targets are the lowest path index from which a
    piece may move then.
    """

    generator: MoveGenerator
    rows: Rows  # shape (turns, state width): the states before, seen by the side whose turn it is
    # shape (turns,): the number of the throw that moves a piece; -1 if nothing moves
    throws: npt.NDArray[np.int32]
    # shape (turns,): 1 if a piece may enter, plus 2 if one on the board may move
    may: npt.NDArray[np.uint8]
    # shape (turns + 1,): the options of turn k are `starts[k]` to `starts[k + 1]`
    starts: npt.NDArray[np.int64]
    # shape (options, state width): the states afterwards, seen by the side that throws next; the
    # state before if an option wins, so all of them are states
    after: Rows
    # shape (options,): in `MoveTables.movers`; -1 for a pass or a choice
    mover: npt.NDArray[np.int16]
    source: npt.NDArray[np.int8]  # shape (options,): a path index, -1 for home; -1 for a pass
    target: npt.NDArray[np.int8]  # shape (options,): likewise, the path's length for off
    taken: npt.NDArray[np.uint8]  # shape (options,): the number of pieces captured
    flags: npt.NDArray[np.uint8]  # shape (options,)
    choices: tuple[PieceChoice, ...] | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def n_options(self) -> npt.NDArray[np.int64]:
        """The number of options of each turn."""
        return np.diff(self.starts)

    @cached_property
    def turn_of(self) -> npt.NDArray[np.int64]:
        """The turn of each option."""
        return np.repeat(np.arange(len(self)), self.n_options)

    def has(self, flag: int) -> npt.NDArray[np.bool_]:
        """Which options have a flag: `AGAIN`, `WIN`, `ROSETTE`, `PASS`, `CAPTURE`, `OPTIONAL`."""
        return np.asarray((self.flags & flag) != 0)

    def part(self, wanted: npt.NDArray[np.bool_]) -> TurnBatch:
        """Some of the turns, by a mask."""
        options = np.flatnonzero(np.repeat(wanted, self.n_options))
        return TurnBatch(
            self.generator,
            self.rows[wanted],
            self.throws[wanted],
            self.may[wanted],
            np.concatenate([[0], np.cumsum(self.n_options[wanted])]),
            np.take(self.after, options, axis=0),
            np.take(self.mover, options),
            np.take(self.source, options),
            np.take(self.target, options),
            np.take(self.taken, options),
            np.take(self.flags, options),
            self.choices,
        )


class MoveGenerator(Unchanging):
    """The moves of one rule set on encoded states; `generator_of` gives the shared one.

    Thread safe.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.space: Space = space_of(rules)
        self._positions = positions_of(rules)
        self.tables = move_tables(self._positions)
        # for other compiled code, and for single states
        self.compiled = Generator(self.tables, rules.payoff.has_fines)
        # those that move a piece somewhere; elsewhere a throw is its index here
        self.throws: tuple[int, ...] = tuple(self.tables.throws.tolist())

    def __reduce__(self) -> tuple[Callable[[RuleSet], MoveGenerator], tuple[RuleSet]]:
        return generator_of, (self.rules,)

    def start(self, n: int = 1) -> Rows:
        """The row of the first position, `n` times."""
        row = np.array(list(self.space.encode(self.rules.start())), self.space.state_dtype)
        return np.tile(row, (n, 1))

    def position(self, row: npt.NDArray[Any]) -> Position:
        """The position of a row, light to throw."""
        return self.space.decode(row.tolist())

    @property
    def n_cells(self) -> int:
        """The squares of a row; the homes follow."""
        return len(self.tables.mirror_cell)

    @cached_property
    def opening(self) -> int | None:
        """The number of the first throw, if the rules give it."""
        throw = self.rules.mechanics.opening_throw
        return None if throw is None else self.throws.index(throw)

    @cached_property
    def has_choices(self) -> bool:
        """Whether the rules have a choice before the throw."""
        return self.rules.mechanics.choices(1, 1) != (FREE_THROW,)

    def choices(self, home: int, is_on_board: bool) -> tuple[PieceChoice, ...]:
        """The choices before the throw of a side with a stock at home, and pieces on the board."""
        return self.tables.types[self.tables.type_of[home, int(is_on_board)]]

    def by_choices(self, rows: Rows) -> list[tuple[tuple[PieceChoice, ...], npt.NDArray[np.int64]]]:
        """The choices that states have, each with the indices of the states that have them."""
        if not self.has_choices:
            return [(self.choices(1, True), np.arange(len(rows)))]
        is_on_board = self.n_mine(rows).any(axis=1).astype(np.int64)
        types = self.tables.type_of[rows[:, self.n_cells], is_on_board]
        return [
            (self.tables.types[each], np.flatnonzero(types == each)) for each in np.unique(types)
        ]

    def n_mine(self, rows: Rows) -> npt.NDArray[np.uint8]:
        """The number of pieces of the side to throw on each square: shape (states, squares)."""
        return self.tables.n_mine[self.tables.first_content + rows[:, : self.n_cells]]

    def placed(self, rows: Rows) -> npt.NDArray[np.int64]:
        """The number of pieces of the side to throw by place: shape (states, path length + 2).

        By path index; then those borne off, and those at home.
        """
        found = np.zeros((len(rows), len(self.rules.path) + 2), dtype=np.int64)
        for index, square, letter in self.rules.mechanics.places[LIGHT]:
            cell = self._positions.squares.index(square)
            count = [
                sum(piece[0] == letter for piece in split(content))
                for content in self._positions.contents[cell]
            ]
            found[:, index] += np.array(count)[rows[:, cell]]
        found[:, -1] = self.tables.stock_count[rows[:, self.n_cells]]
        found[:, -2] = self.rules.pieces - found.sum(axis=1)
        return found

    def may(self, choice: str) -> int:
        """Which pieces may move after a choice, as `PieceChoice.may`."""
        from_home, on_board = self.rules.mechanics.moves_from(choice)
        return from_home + 2 * on_board

    def mirror(self, rows: Rows) -> Rows:
        """Rows as the other side sees them."""
        others = np.empty_like(rows)
        mirror(self.compiled, rows, others)
        return others

    def successors(
        self,
        rows: Rows,
        throws: npt.NDArray[np.int32],
        may: npt.NDArray[np.uint8] | None = None,
    ) -> TurnBatch:
        """The options of turns after their throws, with their successors.

        `rows` are states that are not over; `throws`, shape (turns,), are numbers of throws, -1 for
        one that moves nothing; `may`, shape (turns,), is as `PieceChoice.may`, and not needed in
        rule sets without choices. ValueError if shapes do not match, or a throw is none of
        `throws`. Some 10 million options a second and core; the GIL is released.
        """
        rows = np.ascontiguousarray(rows)
        if throws.max(initial=-1) >= len(self.throws):
            raise ValueError(f"throw {throws.max()}; their numbers end at {len(self.throws) - 1}")
        if may is None:
            may = np.full(len(rows), 3, dtype=np.uint8)
        room = len(rows) * self.compiled.max_options
        after = np.empty((room, rows.shape[1]), dtype=rows.dtype)
        mover = np.empty(room, dtype=np.int16)
        target = np.empty(room, dtype=np.int8)
        taken, flags = (np.empty(room, dtype=np.uint8) for _ in range(2))
        starts = np.empty(len(rows) + 1, dtype=np.int64)
        n = successors(self.compiled, rows, throws, may, starts, after, mover, target, taken, flags)
        source = self._sources[mover[:n]]
        found = (after[:n], mover[:n], source, target[:n], taken[:n], flags[:n])
        return TurnBatch(self, rows, throws, may, starts, *found)

    @cached_property
    def _sources(self) -> npt.NDArray[np.int8]:
        # by mover, the last for a pass
        return np.append(self.tables.mover_source, -1).astype(np.int8)

    def open(self, rows: Rows) -> TurnBatch:
        """The first turns of games, if the rules give the first throw."""
        assert self.opening is not None
        may = self.by_choices(rows[:1])[0][0][0].may
        throws = np.full(len(rows), self.opening, dtype=np.int32)
        return self.successors(rows, throws, np.full(len(rows), may, dtype=np.uint8))

    def before_throw(self, rows: Rows, choices: tuple[PieceChoice, ...]) -> TurnBatch:
        """The turns of states that have some choices, before the throw."""
        n = len(choices)
        source = np.tile(np.array([each.source for each in choices], dtype=np.int8), len(rows))
        nothing = np.zeros(len(source), dtype=np.uint8)
        return TurnBatch(
            self,
            rows,
            np.full(len(rows), -1, dtype=np.int32),
            np.zeros(len(rows), dtype=np.uint8),
            np.arange(len(rows) + 1, dtype=np.int64) * n,
            np.repeat(rows, n, axis=0),
            np.full(len(source), -1, dtype=np.int16),
            source,
            source,
            nothing,
            nothing,
            choices,
        )

    def every_throw(self, rows: Rows, *choices: PieceChoice) -> TurnBatch:
        """The turns of states after choices, a turn for every outcome, state by state.

        The turns of one state are neighbours: the outcomes of the first choice, in the order of
        `PieceChoice.outcomes`, then those of the next.
        """
        numbers = [number for choice in choices for number, _ in choice.outcomes]
        may = [choice.may for choice in choices for _ in choice.outcomes]
        return self.successors(
            np.repeat(rows, len(numbers), axis=0),
            np.tile(np.array(numbers, dtype=np.int32), len(rows)),
            np.tile(np.array(may, dtype=np.uint8), len(rows)),
        )

    def are_drawn(self, rows: Rows) -> npt.NDArray[np.bool_]:
        """Whether neither side can ever move again in each state that is not over."""
        found = self._only_pass(rows)
        stuck = np.flatnonzero(found)
        if len(stuck):
            found[stuck] = self._only_pass(self.mirror(np.ascontiguousarray(rows[stuck])))
        return found

    def _only_pass(self, rows: Rows) -> npt.NDArray[np.bool_]:
        """Whether all throws of each state pass, whatever is chosen before them."""
        found = np.zeros(len(rows), dtype=bool)
        for choices, members in self.by_choices(rows):
            left = members  # nearly all states have a move with the first throw
            for choice in choices:
                for number in (each for each, _ in choice.outcomes if each >= 0):
                    if len(left):
                        throws = np.full(len(left), number, dtype=np.int32)
                        may = np.full(len(left), choice.may, dtype=np.uint8)
                        turns = self.successors(rows[left], throws, may)
                        left = left[turns.has(PASS)[turns.starts[:-1]]]
            found[left] = True
        return found

    def text(self, side: str, mover: int, target: int, flags: int) -> str:
        """A move of `side` in RGN's notation, as `Move.text`."""
        piece, source = self.tables.movers[mover]
        path = self.rules.path.squares(side)
        text = move_text(path, piece, source, target, bool(flags & CAPTURE), bool(flags & ROSETTE))
        marks = self.rules.mechanics.decision_marks
        return text + marks[bool(flags & AGAIN)] if flags & OPTIONAL else text

    def texts(
        self, turns: TurnBatch, options: npt.NDArray[np.int64], is_dark: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.object_]:
        """The moves of some options, each made by dark or by light; None for a pass."""
        numbers, words = self.coded_texts(turns, options, is_dark)
        return words[numbers]

    def coded_texts(
        self, turns: TurnBatch, options: npt.NDArray[np.int64], is_dark: npt.NDArray[np.bool_]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.object_]]:
        """As `texts`, as numbers of different texts, and these texts."""
        shape = 2, len(self.tables.movers) + 1, len(self.rules.path) + 1, 2 * OPTIONAL
        target, flags = turns.target[options], turns.flags[options]
        where = is_dark.astype(np.int64), turns.mover[options] % shape[1], target % shape[2], flags
        codes = np.ravel_multi_index(where, shape)
        used = np.flatnonzero(np.bincount(codes))
        words = np.full(len(used), None, dtype=object)
        for number, code in enumerate(used):
            dark, *move = (int(each) for each in np.unravel_index(code, shape))
            if not move[-1] & PASS:
                words[number] = self.text(DARK if dark else LIGHT, *move)
        number_of = np.zeros(np.prod(shape), dtype=np.int64)
        number_of[used] = np.arange(len(used))
        return number_of[codes], words

    def capture_chances(self, rows: Rows) -> npt.NDArray[np.float64]:
        """The chance that the side to throw gets a throw that captures.

        With a choice before the throw, the highest over the choices.
        """
        found = np.zeros(len(rows))
        for choices, members in self.by_choices(rows):
            part = np.ascontiguousarray(rows[members])
            for choice in choices:
                may = np.full(len(part), choice.may, dtype=np.uint8)
                one = np.empty(len(part))
                chances = np.array(choice.chances)
                capture_chances(self.compiled, part, may, chances, one)
                found[members] = np.maximum(found[members], one)
        return found


@lru_cache(maxsize=8)
def generator_of(rules: RuleSet) -> MoveGenerator:
    """The move generator of a rule set, built once and shared."""
    return MoveGenerator(rules)
