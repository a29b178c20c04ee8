"""The turns of a rule set on encoded states, many at once, as plain arrays.

Everything that `rules/moves.py` asks a rule set's family is asked here once, for every piece,
square content and throw, and written down by the numbers that stand for them in encoded states
(`Space.encode`). Ranks and kernels have no part in it, so that what walks here from position
to position can be held against what they say.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ur_solver.rules import FREE_THROW, HOME, Position, RuleSet, mirror_square
from ur_solver.rules.contents import LIGHT, Pieces, side_of, split, swap_sides
from ur_solver.space import Space, space_of
from ur_solver.study import _walker
from ur_solver.study._walker import AGAIN, CAPTURE, PASS, ROSETTE, WIN

__all__ = [
    "AGAIN",
    "CAPTURE",
    "PASS",
    "ROSETTE",
    "WIN",
    "Rows",
    "Saying",
    "Turns",
    "Walker",
    "walker_of",
]

Rows = npt.NDArray[Any]
"""Encoded states, shape (states, state width), of the space's own type."""

_NONE = -1
"""A number that stands for no content: the move is not there."""


@dataclass(frozen=True)
class WalkTables:
    """What compiled code must know of a rule set to move pieces on rows.

    Attributes
    ----------
    width : int
        Of a row.
    mover_cell, mover_part, mover_source : int32, shape (movers,)
        A *mover* is a piece in a place: its cell and path index (-1 at home), and what it is of
        its side's stock.
    lift : int32, shape (movers, codes)
        By the number on its cell: the number without the mover, -1 if it may not leave.
    step_start : int32, shape (movers, throws + 1)
        The steps of mover m with throw n are `step_start[m, n]` to `step_start[m, n + 1]`.
    step_target, step_landing : int32
        The path index (the path's length for off), and the landing there, -1 for off.
    landing_cell : int32, shape (landings,)
    landing_after, landing_taken : int32, shape (landings, codes)
        By the number on its cell: the number afterwards, -1 if landing is forbidden, and what is
        captured of the opponent's stock.
    is_rosette : uint8, shape (path length + 1,)
    again : uint8, shape (throws, path length + 1, 2)
        By throw, target and whether it captures: 1 if the turn may end, plus 2 if the same side
        may throw again.
    mirror_cell : int32, shape (cells,)
    mirror_code : int32, shape (cells, codes)
        What a number is on the cell across the board, in the mirror image.
    n_mine : uint8, shape (cells, codes)
        How many pieces of the side to throw stand there.
    has_part : uint8, shape (stocks, stocks)
        Whether a stock has a part.
    stock_count : uint8, shape (stocks,)
        How many pieces a stock is.
    """

    width: int
    mover_cell: npt.NDArray[np.int32]
    mover_part: npt.NDArray[np.int32]
    mover_source: npt.NDArray[np.int32]
    lift: npt.NDArray[np.int32]
    step_start: npt.NDArray[np.int32]
    step_target: npt.NDArray[np.int32]
    step_landing: npt.NDArray[np.int32]
    landing_cell: npt.NDArray[np.int32]
    landing_after: npt.NDArray[np.int32]
    landing_taken: npt.NDArray[np.int32]
    is_rosette: npt.NDArray[np.uint8]
    again: npt.NDArray[np.uint8]
    mirror_cell: npt.NDArray[np.int32]
    mirror_code: npt.NDArray[np.int32]
    n_mine: npt.NDArray[np.uint8]
    has_part: npt.NDArray[np.uint8]
    stock_count: npt.NDArray[np.uint8]


class Saying(NamedTuple):
    """What may be said before a throw, and what may be thrown then.

    Attributes
    ----------
    name : str
    may : int
        1 if a piece may enter, plus 2 if one on the board may move.
    outcomes : tuple of pairs
        The number of a throw, -1 for those that move nothing, and its probability.
    """

    name: str
    may: int
    outcomes: tuple[tuple[int, float], ...]

    @property
    def source(self) -> int:
        """The lowest path index from which a piece may then move."""
        return HOME if self.may & 1 else 0


@dataclass(frozen=True)
class Turns:
    """Some turns with their options: legal moves, a pass where there is none, or sayings.

    Attributes
    ----------
    walker : Walker
    rows : unsigned, shape (turns, state width)
        The states before, seen by the side whose turn it is.
    throws : int32, shape (turns,)
        The number of the throw that a piece is moved by (`Walker.throws`), -1 if nothing moves.
    may : uint8, shape (turns,)
        1 if a piece may enter, plus 2 if one on the board may move.
    starts : int64, shape (turns + 1,)
        The options of turn k are `starts[k]` to `starts[k + 1]`.
    after : unsigned, shape (options, state width)
        The states afterwards, seen by the side that throws next; the state before where an option
        wins, so that all of them are states.
    source, target : int8, shape (options,)
        Path indices: -1 for home, the path's length for off; both -1 for a pass.
    taken : int8, shape (options,)
        The pieces captured.
    flags : uint8, shape (options,)
    sayings : tuple of Saying, or None
        Where something is said before throwing: what option `starts[k] + i` says. All turns of
        one batch then have the same. Sources and targets are the lowest path index from which a
        piece may move then.
    """

    walker: Walker
    rows: Rows
    throws: npt.NDArray[np.int32]
    may: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]
    after: Rows
    source: npt.NDArray[np.int8]
    target: npt.NDArray[np.int8]
    taken: npt.NDArray[np.int8]
    flags: npt.NDArray[np.uint8]
    sayings: tuple[Saying, ...] | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def n_options(self) -> npt.NDArray[np.int64]:
        """How many options each turn has."""
        return np.diff(self.starts)

    @cached_property
    def turn_of(self) -> npt.NDArray[np.int64]:
        """The turn of each option."""
        return np.repeat(np.arange(len(self)), self.n_options)

    def has(self, flag: int) -> npt.NDArray[np.bool_]:
        """Of which options something is so: `AGAIN`, `WIN`, `ROSETTE`, `PASS` or `CAPTURE`."""
        return np.asarray((self.flags & flag) != 0)

    def part(self, wanted: npt.NDArray[np.bool_]) -> Turns:
        """Some of the turns, by a mask."""
        options = np.flatnonzero(np.repeat(wanted, self.n_options))
        return Turns(
            self.walker,
            self.rows[wanted],
            self.throws[wanted],
            self.may[wanted],
            np.concatenate([[0], np.cumsum(self.n_options[wanted])]),
            np.take(self.after, options, axis=0),
            np.take(self.source, options),
            np.take(self.target, options),
            np.take(self.taken, options),
            np.take(self.flags, options),
            self.sayings,
        )


class Walker:
    """The turns of one rule set on encoded states; `walker_of` gives the shared one.

    Thread safe.

    Attributes
    ----------
    rules : RuleSet
    space : Space
    throws : tuple of int
        The throws that move a piece somewhere; compiled code knows them by number.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.space: Space = space_of(rules)
        builder = _Builder(rules, self.space)
        self.throws = builder.throws
        self.arrays = builder.build()
        self._tables = _walker.Tables(self.arrays)
        self._counts = builder.counts()
        self._sayings: dict[tuple[int, bool], tuple[Saying, ...]] = {}
        self._most_options = self._bound()

    def _bound(self) -> int:
        # of one turn: each piece on the board and one from home, by one throw, and two options
        # where the mover may choose to throw again
        steps = np.diff(self.arrays.step_start, axis=1).max(initial=1)
        choices = 2 if (self.arrays.again == 3).any() else 1
        return max(1, (self.rules.pieces + 1) * int(steps) * choices)

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
        return len(self.arrays.mirror_cell)

    @cached_property
    def opening(self) -> int | None:
        """The number of the first throw, where the rules give it."""
        throw = self.rules.mechanics.opening_throw
        return None if throw is None else self.throws.index(throw)

    @cached_property
    def asks(self) -> bool:
        """Whether anything is said before throwing."""
        return self.rules.mechanics.choices(1, 1) != (FREE_THROW,)

    def kinds(self, rows: Rows) -> list[tuple[tuple[Saying, ...], npt.NDArray[np.int64]]]:
        """What may be said in some states, with the numbers of the states where that is so."""
        if not self.asks:
            return [(self._said(1, True), np.arange(len(rows)))]
        n = self.n_cells
        on_board = self.n_mine(rows).any(axis=1)
        key = rows[:, n].astype(np.int64) * 2 + on_board
        return [
            (self._said(int(each) // 2, bool(each % 2)), np.flatnonzero(key == each))
            for each in np.unique(key)
        ]

    def n_mine(self, rows: Rows) -> npt.NDArray[np.uint8]:
        """How many pieces of the side to throw stand on each square: shape (states, squares)."""
        cells = np.arange(self.n_cells)
        return self.arrays.n_mine[cells, rows[:, : self.n_cells]]

    def placed(self, rows: Rows) -> npt.NDArray[np.int64]:
        """How many pieces of the side to throw are where: shape (states, path length + 2).

        By path index; then those borne off, and those at home.
        """
        found = np.zeros((len(rows), len(self.rules.path) + 2), dtype=np.int64)
        for index, cell, count in self._counts:
            found[:, index] += count[rows[:, cell]]
        found[:, -1] = self.arrays.stock_count[rows[:, self.n_cells]]
        found[:, -2] = self.rules.pieces - found.sum(axis=1)
        return found

    def _said(self, home: int, on_board: bool) -> tuple[Saying, ...]:
        key = home, on_board
        if key not in self._sayings:
            family, numbered = self.rules.mechanics, self.rules.mechanics.is_numbered
            numbers = [k + 1 for k in range(self.rules.pieces) if home >> k & 1]
            count = len(numbers) if numbered else home
            candidate = min(numbers, default=None) if numbered else None
            self._sayings[key] = tuple(
                self._saying(name, candidate) for name in family.choices(count, int(on_board))
            )
        return self._sayings[key]

    def _saying(self, name: str, candidate: int | None) -> Saying:
        chances: Counter[int] = Counter()
        for roll in self.rules.mechanics.rolls(name, candidate):
            number = self.throws.index(roll.moves_by) if roll.moves_by in self.throws else _NONE
            chances[number] += roll.probability  # type: ignore[assignment]
        from_home, on_board = self.rules.mechanics.moves_from(name)
        outcomes = tuple((number, float(chances[number])) for number in sorted(chances))
        return Saying(name, from_home + 2 * on_board, outcomes)

    def mirror(self, rows: Rows) -> Rows:
        """Rows as the other side sees them."""
        others = np.empty_like(rows)
        _walker.mirror(self._tables, rows, others)
        return others

    def expand(
        self, rows: Rows, throws: npt.NDArray[np.int32], may: npt.NDArray[np.uint8]
    ) -> Turns:
        """The options of turns whose throws are made.

        Parameters
        ----------
        rows : unsigned, shape (turns, state width)
            States that are not over.
        throws : int32, shape (turns,)
            Numbers of throws, -1 for one that moves nothing.
        may : uint8, shape (turns,)
            As `Saying.may`.
        """
        rows = np.ascontiguousarray(rows)
        room = len(rows) * self._most_options
        after = np.empty((room, rows.shape[1]), dtype=rows.dtype)
        source, target, taken = (np.empty(room, dtype=np.int8) for _ in range(3))
        flags = np.empty(room, dtype=np.uint8)
        starts = np.empty(len(rows) + 1, dtype=np.int64)
        n = _walker.expand(
            self._tables, rows, throws, may, starts, after, source, target, taken, flags
        )
        found = (after[:n], source[:n], target[:n], taken[:n], flags[:n])
        return Turns(self, rows, throws, may, starts, *found)

    def open(self, rows: Rows) -> Turns:
        """The first turns of games, where the rules give the first throw."""
        assert self.opening is not None
        may = self.kinds(rows[:1])[0][0][0].may
        throws = np.full(len(rows), self.opening, dtype=np.int32)
        return self.expand(rows, throws, np.full(len(rows), may, dtype=np.uint8))

    def say(self, rows: Rows, sayings: tuple[Saying, ...]) -> Turns:
        """The turns of states in which all of some sayings may be said, before the throw."""
        n = len(sayings)
        source = np.tile(np.array([each.source for each in sayings], dtype=np.int8), len(rows))
        nothing = np.zeros(len(source), dtype=np.int8)
        return Turns(
            self,
            rows,
            np.full(len(rows), _NONE, dtype=np.int32),
            np.zeros(len(rows), dtype=np.uint8),
            np.arange(len(rows) + 1, dtype=np.int64) * n,
            np.repeat(rows, n, axis=0),
            source,
            source,
            nothing,
            nothing.astype(np.uint8),
            sayings,
        )

    def every_throw(self, rows: Rows, saying: Saying) -> tuple[Turns, npt.NDArray[np.float64]]:
        """The turns of states after a saying, a turn for every outcome, state by state.

        Returns
        -------
        Turns
            The outcomes of one state are neighbours: as many as `saying.outcomes`.
        float64, shape (outcomes,)
            Their chances, of each state's alike.
        """
        numbers = np.array([number for number, _ in saying.outcomes], dtype=np.int32)
        chances = np.array([chance for _, chance in saying.outcomes])
        many = np.repeat(rows, len(numbers), axis=0)
        may = np.full(len(many), saying.may, dtype=np.uint8)
        return self.expand(many, np.tile(numbers, len(rows)), may), chances

    def capture_chances(self, rows: Rows) -> npt.NDArray[np.float64]:
        """The chance that the side to throw throws what lets it capture.

        Where something is said before, after the saying that makes it the highest.
        """
        found = np.zeros(len(rows))
        for sayings, members in self.kinds(rows):
            part = np.ascontiguousarray(rows[members])
            for saying in sayings:
                chance = np.zeros(len(self.throws))
                for number, probability in saying.outcomes:
                    if number >= 0:
                        chance[number] = probability
                may = np.full(len(part), saying.may, dtype=np.uint8)
                chances = np.tile(chance, (len(part), 1))
                one = np.empty(len(part))
                _walker.capture_chances(self._tables, part, may, chances, one)
                found[members] = np.maximum(found[members], one)
        return found


class _Mover(NamedTuple):
    piece: str
    source: int


class _Landing(NamedTuple):
    cell: int
    outcomes: tuple[tuple[int, int], ...]


class _Builder:
    """Asks a family everything; as `WalkTables` says."""

    def __init__(self, rules: RuleSet, space: Space) -> None:
        self.rules = rules
        self.family = rules.mechanics
        self.path = rules.path.light
        self.squares = rules.board.squares
        self.cell = {square: k for k, square in enumerate(self.squares)}
        self.space = space
        self.contents = [self.family.contents_on(square) for square in self.squares]
        self.code = [self._codes(cell) for cell in range(len(self.squares))]
        self.n_codes = 1 + max(max(codes.values()) for codes in self.code)
        numbers = range(1, rules.pieces + 1) if self.family.is_numbered else ("",)
        self.movers = [_Mover(f"{LIGHT}{number}", HOME) for number in numbers] + [
            _Mover(f"{place.letter}{number}", place.path_index)
            for place in self.family.places[LIGHT]
            for number in numbers
        ]
        # throws that move some piece somewhere; the others only pass
        self.throws = tuple(
            throw
            for throw in rules.dice.throws
            if any(self.family.reached(*mover, throw) for mover in self.movers)
        )
        self.landings: dict[_Landing, int] = {}

    def _codes(self, cell: int) -> dict[str, int]:
        """The number of each content of a square in an encoded state."""
        start = self.rules.start()
        codes = {}
        for content in self.contents[cell]:
            contents = ["" for _ in self.squares]
            contents[cell] = content
            position = Position(
                self.rules,
                tuple(contents),
                LIGHT,
                start.light_home,
                start.dark_home,
                start.numbers_home,
            )
            codes[content] = int(self.space.encode(position)[cell])
        return codes

    def _stock(self, pieces: Pieces) -> int:
        if self.family.is_numbered:
            return sum(1 << int(piece[1:]) - 1 for piece in pieces)
        return len(pieces)

    def build(self) -> WalkTables:
        targets: list[int] = []
        landings: list[int] = []
        starts = []
        for mover in self.movers:
            starts.append([len(targets)])
            for throw in self.throws:
                for target in self.family.reached(*mover, throw):
                    targets.append(target)
                    landings.append(self._landing(mover.piece, target, throw))
                starts[-1].append(len(targets))
        after = np.full((len(self.landings), self.n_codes), _NONE, dtype=np.int32)
        taken = np.zeros((len(self.landings), self.n_codes), dtype=np.int32)
        for landing, row in self.landings.items():
            codes = self.code[landing.cell]
            for content, outcome in zip(self.contents[landing.cell], landing.outcomes, strict=True):
                after[row, codes[content]], taken[row, codes[content]] = outcome
        full = (1 << self.rules.pieces) - 1 if self.family.is_numbered else self.rules.pieces
        stocks = np.arange(full + 1)
        if self.family.is_numbered:
            has_part = (stocks[:, np.newaxis] & stocks) == stocks
        else:
            has_part = stocks[:, np.newaxis] >= stocks
        return WalkTables(
            width=self.space.state_width,
            mover_cell=np.array(
                [self.cell[self.path[m.source]] if m.source >= 0 else -1 for m in self.movers],
                dtype=np.int32,
            ),
            mover_part=np.array([self._stock((m.piece,)) for m in self.movers], dtype=np.int32),
            mover_source=np.array([m.source for m in self.movers], dtype=np.int32),
            lift=np.array([self._lift(mover) for mover in self.movers], dtype=np.int32),
            step_start=np.array(starts, dtype=np.int32),
            step_target=np.array(targets, dtype=np.int32),
            step_landing=np.array(landings, dtype=np.int32),
            landing_cell=np.array([each.cell for each in self.landings], dtype=np.int32),
            landing_after=after,
            landing_taken=taken,
            is_rosette=np.array(
                [square in self.rules.rosettes for square in (*self.path, None)], dtype=np.uint8
            ),
            again=np.array([self._again(throw) for throw in self.throws], dtype=np.uint8),
            mirror_cell=np.array(
                [self.cell[mirror_square(square)] for square in self.squares], dtype=np.int32
            ),
            mirror_code=np.array(
                [self._mirrored(cell) for cell in range(len(self.squares))], dtype=np.int32
            ),
            n_mine=np.array(
                [self._n_mine(cell) for cell in range(len(self.squares))], dtype=np.uint8
            ),
            has_part=has_part.astype(np.uint8),
            stock_count=np.array(
                [
                    stock.bit_count() if self.family.is_numbered else stock
                    for stock in range(full + 1)
                ],
                dtype=np.uint8,
            ),
        )

    def _lift(self, mover: _Mover) -> list[int]:
        left = [_NONE] * self.n_codes
        if mover.source == HOME:
            return left
        square = self.path[mover.source]
        codes = self.code[self.cell[square]]
        for content, code in codes.items():
            held = split(content)
            free = held[-1:] if self.family.squares[square].is_stack else held
            if mover.piece in free:
                below, _, above = content.rpartition(mover.piece)
                left[code] = codes[below + above]
        return left

    def _landing(self, piece: str, target: int, throw: int) -> int:
        """The number of the landing of a piece on a path index; -1 if it is borne off."""
        if target == len(self.path):
            return _NONE
        square = self.path[target]
        cell = self.cell[square]
        rule, met = self.family.squares[square], self.family.meets(piece, target)
        stands = self.family.stands(piece, target)
        outcomes = []
        for content in self.contents[cell]:
            held = split(content)
            taken = rule.land(met, held, throw)
            if taken is None:
                outcomes.append((_NONE, 0))
                continue
            left = list(held)
            for other in taken:
                left.remove(other)
            after = self.family.arranged(square, (*left, stands))
            # a side has more pieces on this square than it has at all: no position has that
            code = self.code[cell].get(after, _NONE)
            outcomes.append((code, self._stock(taken) if taken else 0))
        landing = _Landing(cell, tuple(outcomes))
        return self.landings.setdefault(landing, len(self.landings))

    def _again(self, throw: int) -> list[list[int]]:
        return [
            [
                sum({1 << again for again in self.family.again(throw, square, is_capture)})
                for is_capture in (False, True)
            ]
            for square in (*self.path, None)
        ]

    def _mirrored(self, cell: int) -> list[int]:
        across = mirror_square(self.squares[cell])
        codes = self.code[self.cell[across]]
        mirrored = [0] * self.n_codes
        for content, code in self.code[cell].items():
            mirrored[code] = codes[self.family.arranged(across, split(swap_sides(content)))]
        return mirrored

    def counts(self) -> list[tuple[int, int, npt.NDArray[np.int64]]]:
        """By place of light: its path index, its cell, and by number the pieces there."""
        counts = []
        for place in self.family.places[LIGHT]:
            cell = self.cell[place.square]
            count = np.zeros(self.n_codes, dtype=np.int64)
            for content, code in self.code[cell].items():
                count[code] = sum(piece[0] == place.letter for piece in split(content))
            counts.append((place.path_index, cell, count))
        return counts

    def _n_mine(self, cell: int) -> list[int]:
        count = [0] * self.n_codes
        for content, code in self.code[cell].items():
            count[code] = sum(side_of(piece) == LIGHT for piece in split(content))
        return count


@lru_cache(maxsize=8)
def walker_of(rules: RuleSet) -> Walker:
    """The walker of a rule set, built once and shared."""
    return Walker(rules)
