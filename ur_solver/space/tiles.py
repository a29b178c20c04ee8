"""The state space of any rule set: tiles of shared squares, rows of mine, columns of theirs.

A square's *content* is numbered by its place in `Family.contents_on`, and uses up a part
of each side's *stock* of pieces (`ur_solver.space.counting`). Ranks are laid out so:

    table  = block 0, block 1, ...   in solving order
    block  = its half, and the mirrored half  (one half where both sides agree)
    half   = tiles: shapes of the shared squares, lexicographic, the most advanced square first
    tile   = a matrix, rows x columns; the rest of a side's stock is at home
    row    = the marks and numbers of my pieces on shared squares, then my *placement*: the
             contents of my private squares; a column the same of theirs, as they see it

A square is *shared* if both sides may stand there, *private* if only one may, and *frozen* if
it is at the tail of the path on which nothing is ever captured; a side config has
a side's pieces off and on each frozen square. If a path ends on squares on which it begins, these
are private until a frozen piece closes them. `ur_solver.space.counting` defines shapes and details.

Shapes are counted from the last square backwards: `count[i, j]` is the number of positions
that squares s, s+1, ... and all private ones can have with at most the reserves i of mine and j
of theirs (`ur_solver.space.counting`). Ranks have no gaps, for any contents.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from operator import getitem
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ur_solver.errors import IllegalPositionError, RuleSetError
from ur_solver.rules import LIGHT, Position, RuleSet, mirror_square
from ur_solver.rules.contents import DARK, RESTING, awake, side_of, split, swap_sides
from ur_solver.rules.limits import MAX_LINES, MAX_VALUES
from ur_solver.space._tile_ranking import (
    NO_CONTENT,
    TileRanking,
    rank_one,
    rank_states,
    unrank_states,
)
from ur_solver.space.base import LAST_RANKS, Blocks, Space, StateLayout, rows_of
from ur_solver.space.counting import NO_PART, Digits, Placements, Reserves, Stock, shaped
from ur_solver.space.layout import MOST_CODES, frozen_squares


class Config(NamedTuple):
    """What one side can no longer lose, as parts of its stock: off, and on each frozen square."""

    off: int
    frozen: tuple[int, ...]


class _Numbers(dict[str, int]):
    """The numbers of a square's contents; `NO_CONTENT` for impossible ones."""

    def __missing__(self, content: str) -> int:
        return NO_CONTENT


_Count = TypeVar("_Count", np.int64, np.float64)


class TileSpace(Space):
    """The numbered positions of a rule set of any family."""

    state_dtype = np.dtype(np.uint16)

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.stock = Stock(rules.pieces, rules.mechanics.is_numbered)
        self.squares = rules.board.squares  # the board's, each a cell of a state row
        # for each cell its contents by number, from the side to throw (`L`)
        self.contents = tuple(rules.mechanics.contents_on(square) for square in self.squares)
        # for each cell what each content takes of my stock and of theirs: shape (contents, 2)
        self.parts = tuple(
            np.array([self._parts(content) for content in contents]) for contents in self.contents
        )
        self.shaped = tuple(
            shaped(contents, rules.mechanics.squares[square].is_stack)
            for square, contents in zip(self.squares, self.contents, strict=True)
        )
        self.frozen = frozen_squares(rules, self.contents, self.parts)
        closing = [square.cells[0] for square in self.frozen if square.is_closing]
        self.reserves = Reserves.of(self.stock, closing, bool(rules.mechanics.rests))
        # for each cell what each content uses up of my reserve and of theirs: shape (contents, 2)
        self.uses = tuple(
            parts + self.reserves.rest * np.array([[RESTING in each, False] for each in contents])
            for contents, parts in zip(self.contents, self.parts, strict=True)
        )
        self.digits = Digits.of(self.shaped, self.uses, self.reserves.take)
        advance = dict.fromkeys(self.squares, 0)
        for side in (LIGHT, DARK):
            for index, square in enumerate(rules.path.squares(side)):
                advance[square] += index
        only_frozen = {
            cell for square in self.frozen if not square.is_closing for cell in square.cells
        }
        ranked = sorted(
            {*range(len(self.squares))} - only_frozen,
            key=lambda k: (-advance[self.squares[k]], self.squares[k]),
        )
        # my cells that rows fix; columns fix the cells across the board
        self.private = self._find_private(ranked)
        fixed = {*self.private, *(int(self.mirror_cells[k]) for k in self.private)}
        # the cells that tiles fix, the most significant first
        self.shared = tuple(k for k in ranked if k not in fixed and len(self.contents[k]) > 1)
        self.placements = Placements.of(
            self.reserves, self.private, [self.parts_placed(k) for k in self.private]
        )
        self._check_numbers()
        own, theirs = (
            np.bincount(reserves, minlength=self.reserves.size)
            for reserves in (self.own_reserves, self.config_reserves)
        )
        self._check_sizes(own, theirs)
        self.count, self._below = self._counts()
        self.n_values = int(own @ self.count @ theirs)
        self.first_version = self._find_first_version()

    def _find_first_version(self) -> int:
        """See the version history in `ur_solver.table.format`."""
        # plain races had ranks of their own; at most four frozen squares, none closing
        mechanics = self.rules.mechanics
        is_race = mechanics.is_plain_race and not mechanics.may_decline
        is_race = is_race and self.rules.dice.is_ordinary
        if is_race or self.reserves.closed[1:] or len(self.frozen) > 4:
            return LAST_RANKS
        return 6 if self.stock.is_numbered else 3

    def _find_private(self, ranked: Sequence[int]) -> tuple[int, ...]:
        """My private cells, as many as placements can be numbered by; others count as shared.

        Cells that frozen pieces close come first, as their frozen contents are separate from the
        rest; `frozen_squares` limits their number.
        """
        found = {square.cells[0] for square in self.frozen if square.is_closing}
        codes = math.prod(len(self.contents[cell]) for cell in found)
        for cell in ranked:
            mine, theirs = (bool(self.parts[cell][:, side].any()) for side in range(2))
            size = len(self.contents[cell])
            if mine and not theirs and cell not in found and codes * size <= MOST_CODES:
                found.add(cell)
                codes *= size
        return tuple(cell for cell in ranked if cell in found)

    def parts_placed(self, cell: int) -> npt.NDArray[np.int64]:
        """What contents of a private cell of mine use up of a reserve, unless they are frozen."""
        parts: npt.NDArray[np.int64] = self.uses[cell][:, 0].copy()
        for square in self.frozen:
            if square.cells[0] == cell:
                parts[list(square.contents[0][1:])] = NO_PART
        return parts

    def _check_numbers(self) -> None:
        """Ranks count placements of a number of pieces, whichever they are."""
        count = np.array([self.stock.count(stock) for stock in range(self.stock.size)])
        for ways in (self.digits.n_digits, self.placements.n):
            by_stock = ways.reshape(-1, len(count), *ways.shape[1:])
            for n in set(count.tolist()):
                if (by_stock[:, count == n] != by_stock[:, count == n][:, :1]).any():
                    raise RuleSetError(
                        f"{self.rules.word}: the contents of a square depend on the numbers of "
                        f"pieces, which is not supported"
                    )

    def _check_sizes(self, own: npt.NDArray[np.int64], theirs: npt.NDArray[np.int64]) -> None:
        """Check that ranks, and lines of a tile, fit into the integers of compiled code."""
        places = np.outer(self.placements.n, self.placements.n).astype(np.float64)
        lines = self.placements.n.astype(np.float64)
        for cell in reversed(self.shared):
            shapes = self._shapes_of(cell)
            places = sum((self._ways(places, shape) for shape in shapes), np.zeros_like(places))
            rest, n = self.digits.rest[:, shapes, 0], self.digits.n_digits[:, shapes, 0]
            lines = np.max(lines[np.maximum(rest, 0)] * n, axis=1)
        for what, most, limit in (
            ("positions", float(own @ places @ theirs), MAX_VALUES),
            ("ways to place one side's pieces outside the shared squares", lines.max(), MAX_LINES),
        ):
            if most > limit * (1 - 1e-9):  # sums in floats are exact to that
                raise RuleSetError(
                    f"{self.rules.word}: about {most:.1e} {what}; at most {limit:.1e} "
                    "are supported; fewer pieces have fewer"
                )

    def _parts(self, content: str) -> tuple[int, int]:
        mine, theirs = (
            self.stock.of(tuple(piece for piece in split(content) if side_of(piece) == side))
            for side in (LIGHT, DARK)
        )
        return mine, theirs

    # Side configs and blocks.

    @cached_property
    def configs(self) -> tuple[Config, ...]:
        """All configs of a side that has not won, the furthest on first."""
        stock = self.stock
        held = [sorted(square.parts) for square in self.frozen]
        found = [
            Config(off, frozen)
            for off in range(stock.full)
            for frozen in itertools.product(*held)
            if self._fit(off, *frozen)
        ]
        return tuple(sorted(found, key=lambda config: (-self._progress(config), config.frozen)))

    def _fit(self, *parts: int) -> bool:
        """Whether a side has the pieces of all parts."""
        left = self.stock.full
        for part in parts:
            if not self.stock.has(left, part):
                return False
            left -= part
        return True

    def _progress(self, config: Config) -> int:
        """A count that rises with every change of a side's config."""
        count = self.stock.count
        return count(config.off) * (len(self.rules.path) + 1) + sum(
            (square.index + 1) * count(part)
            for square, part in zip(self.frozen, config.frozen, strict=True)
        )

    @cached_property
    def config_reserves(self) -> tuple[int, ...]:
        """The reserve of each side config: what is neither off nor frozen, and closed squares."""
        return tuple(map(self._reserve, self.configs))

    @cached_property
    def own_reserves(self) -> tuple[int, ...]:
        """The reserve of each config of the side to throw, which may have a piece that rests."""
        return tuple(map(self.reserves.own, self.config_reserves))

    def _reserve(self, config: Config) -> int:
        held = zip(self.frozen, config.frozen, strict=True)
        closed = [square.cells[0] for square, part in held if square.is_closing and part]
        return self.reserves.number(closed, self.stock.full - config.off - sum(config.frozen))

    @cached_property
    def _number_of(self) -> dict[Config, int]:
        return {config: k for k, config in enumerate(self.configs)}

    @property
    def n_configs(self) -> int:
        """The number of side configs."""
        return len(self.configs)

    def next_configs(self, config: int) -> Iterator[int]:
        """The side configs in which one piece is further on for good, dice aside."""
        before = self.configs[config]
        # the places of a piece, the furthest last: free, frozen squares, off
        free = self.reserves.stock_of(self.config_reserves[config])
        places = [free, *before.frozen, before.off]
        for source, target in itertools.combinations(range(len(places)), 2):
            for unit in self.stock.units(places[source]):
                after = list(places)
                after[source] -= unit
                after[target] += unit
                reached = Config(after[-1], tuple(after[1:-1]))
                if reached in self._number_of:
                    yield self._number_of[reached]

    def n_off(self, config: int) -> int:
        """The number of pieces that a side with this config has borne off."""
        return self.stock.count(self.configs[config].off)

    @cached_property
    def blocks(self) -> Blocks:
        """All blocks, in solving order."""
        counts = self.count[np.ix_(self.own_reserves, self.config_reserves)]
        return Blocks.of([self._progress(config) for config in self.configs], counts)

    # Counting.

    def _counts(self) -> tuple[npt.NDArray[np.int64], list[npt.NDArray[np.int64]]]:
        """The number of positions, by both reserves; and of those with smaller shapes.

        int64, shape (my reserves, their reserves); for each shared square int64, shape (my
        reserves, their reserves, shapes).
        """
        count = np.outer(self.placements.n, self.placements.n)
        below = []
        for cell in reversed(self.shared):
            ways = [self._ways(count, shape) for shape in self._shapes_of(cell)]
            sums = np.cumsum([np.zeros_like(count), *ways], axis=0)
            count = sums[-1]
            below.append(np.moveaxis(sums[:-1], 0, 2))
        return count, below[::-1]

    def _shapes_of(self, cell: int) -> range:
        """The numbers of a cell's shapes, counted over all cells."""
        first = sum(square.n_shapes for square in self.shaped[:cell])
        return range(first, first + self.shaped[cell].n_shapes)

    def _ways(self, count: npt.NDArray[_Count], shape: int) -> npt.NDArray[_Count]:
        """The number of positions with a shape, from the `count` of the remaining squares."""
        (mine, theirs), (n_mine, n_theirs) = (
            self.digits.rest[:, shape].T,
            self.digits.n_digits[:, shape].T,
        )
        left = count[np.maximum(mine, 0)][:, np.maximum(theirs, 0)]
        ways: npt.NDArray[_Count] = left * np.outer(n_mine, n_theirs)
        return ways

    @cached_property
    def ranking(self) -> TileRanking:
        """The compiled rank and unrank, thread safe."""
        return TileRanking(self.ranking_arrays())

    @cached_property
    def _unranked(self) -> TileRanking:
        """The same without the places of blocks: it knows which states have ranks, but not which.

        In birds with five pieces it takes 8 ms, and numbering the blocks 1.8 s.
        """
        return TileRanking(ranking_tables(self, self._below, has_blocks=False))

    def ranking_arrays(self) -> dict[str, Any]:
        """The tables that ranks are counted by (`ur_solver.space.tiles`)."""
        return ranking_tables(self, self._below)

    @cached_property
    def mirror_cells(self) -> npt.NDArray[np.int32]:
        """For each cell the one across the board."""
        cell = {square: k for k, square in enumerate(self.squares)}
        return np.array([cell[mirror_square(s)] for s in self.squares], dtype=np.int32)

    @cached_property
    def mirrored(self) -> tuple[npt.NDArray[np.uint16], ...]:
        """For each content of each cell what the mirror cell holds as the other side sees it.

        No piece rests there, as the other side throws.
        """
        arranged = self.rules.mechanics.arranged
        found = []
        for other, contents in zip(self.mirror_cells.tolist(), self.contents, strict=True):
            square, number_of = self.squares[other], self.content_numbers[other]
            swapped = (split(swap_sides(awake(content))) for content in contents)
            found.append(
                np.array([number_of[arranged(square, each)] for each in swapped], np.uint16)
            )
        return tuple(found)

    # Rows.

    @cached_property
    def content_numbers(self) -> tuple[dict[str, int], ...]:
        """For each cell the number of each content."""
        return tuple(
            _Numbers({content: k for k, content in enumerate(contents)})
            for contents in self.contents
        )

    @property
    def state_width(self) -> int:
        """The length of an encoded state: one number per square, then two home stocks."""
        return len(self.squares) + 2

    @cached_property
    def state_layout(self) -> StateLayout:
        """What the numbers of an encoded state mean, and states as notation."""
        return self.layout_of_rows(self.rules, self.state_dtype)

    def layout_of_rows(self, rules: RuleSet, number_type: np.dtype[Any]) -> StateLayout:
        """`state_layout`, for rules with stakes too, and with numbers of a type."""
        stock = self.stock
        homes = [
            "".join(map(str, stock.numbers(each))) or "-" if stock.is_numbered else str(each)
            for each in range(stock.size)
        ]
        contents = dict(zip(self.squares, self.contents, strict=True))
        return StateLayout(rules, number_type, contents, homes, self.mirror_cells, self.mirrored)

    def encode(self, position: Position) -> list[int]:
        """`position` from the side about to throw, as a state row, `state_width` long.

        65535 stands for a content that is none of the square's. IllegalPositionError if it is a
        position on another board.
        """
        own = position if position.side == LIGHT else position.mirror()
        if len(own.contents) != len(self.squares):
            raise IllegalPositionError(
                f"position {own.notation!r}: not of {self.rules.name}'s board"
            )
        row = list(map(getitem, self.content_numbers, own.contents))
        if self.stock.is_numbered:
            return row + [
                sum(1 << number - 1 for number in own.numbers(side)) for side in (LIGHT, DARK)
            ]
        row += (own.light_home, own.dark_home)
        return row

    def decode(self, state: Sequence[int], side: str = LIGHT) -> Position:
        """The position of a state row, `side` about to throw; the inverse of `encode`.

        IllegalPositionError if a number is no content of its square.
        """
        contents = tuple(self._held(cell, state[cell]) for cell in range(len(self.squares)))
        mine, theirs = int(state[-2]), int(state[-1])
        own = Position(
            self.rules,
            contents,
            LIGHT,
            self.stock.count(mine),
            self.stock.count(theirs),
            (self.stock.numbers(mine), self.stock.numbers(theirs)),
        )
        return own if side == LIGHT else own.mirror()

    def _held(self, cell: int, number: int) -> str:
        contents = self.contents[cell]
        if not 0 <= number < len(contents):
            raise IllegalPositionError(
                f"{self.squares[cell]} has contents 0 to {len(contents) - 1}, not {number}"
            )
        return contents[number]

    def _rank_one(self, position: Position) -> int:
        return rank_one(self.ranking, self.encode(position))

    def _rank_rows(self, states: npt.NDArray[Any], ranks: npt.NDArray[np.int64]) -> None:
        rank_states(self.ranking, states, ranks)

    def _unrank_rows(self, ranks: npt.NDArray[np.int64], states: npt.NDArray[Any]) -> None:
        unrank_states(self.ranking, ranks, states)

    def go_on(self, states: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """As `Space.go_on`."""
        rows = rows_of(states, self.state_dtype, self.state_width)
        found = np.empty(len(rows), dtype=np.int64)
        if len(rows):
            rank_states(self._unranked, rows, found)
        return found >= 0


def ranking_tables(
    space: TileSpace, below: Sequence[npt.NDArray[np.int64]], *, has_blocks: bool = True
) -> dict[str, Any]:
    """The tables of `_tile_ranking.TileRanking`, whose declaration describes each array.

    `below` has for each shared square how many positions have smaller shapes there: int64, shape
    (my reserves, their reserves, shapes).
    """
    sizes = [len(contents) for contents in space.contents]
    n_shapes = [square.n_shapes for square in space.shaped]
    counts = [each.ravel() for each in below]
    return {
        "take": space.reserves.take,
        "n_stocks": space.stock.size,
        "n_contents": np.array(sizes, dtype=np.int32),
        "first_content": _starts(sizes).astype(np.int32),
        "parts": np.concatenate(space.parts).astype(np.int16),
        "uses": np.concatenate(space.uses).astype(np.int16),
        "codes": _codes(space),
        "is_numbered": space.stock.is_numbered,
        "mirror_cell": space.mirror_cells,
        "mirror_content": np.concatenate(space.mirrored),
        "shared": np.array(space.shared, dtype=np.int32),
        "private": np.array(space.private, dtype=np.int32),
        "radix": space.placements.radix,
        "n_placements": space.placements.n.astype(np.int32),
        "placement_of": space.placements.number_of,
        "code_of": space.placements.code_of,
        "n_shapes": np.array(n_shapes, dtype=np.int32),
        "first_shape": _starts(n_shapes).astype(np.int32),
        "n_details": np.concatenate([each.n_details for each in space.shaped]).astype(np.int32),
        "shape_of": np.concatenate([each.shape for each in space.shaped]).astype(np.uint16),
        "detail_of": np.concatenate([each.details for each in space.shaped]).astype(np.uint16),
        "n_digits": space.digits.n_digits,
        "rest": space.digits.rest,
        "digit_of": space.digits.digit_of,
        "detail_at": space.digits.detail_at,
        "first_entry": space.digits.first_entry,
        "below": np.concatenate(counts) if counts else np.zeros(0, dtype=np.int64),
        "below_start": _starts([*map(len, counts)]),
        **_config_tables(space),
        **_half_tables(space, has_blocks=has_blocks),
    }


def _starts(sizes: Sequence[int]) -> npt.NDArray[np.int64]:
    """Where each of some runs begins that follow each other."""
    return np.cumsum([0, *sizes[:-1]], dtype=np.int64)


def _codes(space: TileSpace) -> npt.NDArray[np.int32]:
    """What contents add to the code of a placement and of frozen squares: shape (contents, 2, 2).

    By content, counted over all cells, and side: to the one, to the other.
    """
    found = [np.zeros((len(contents), 2, 2), dtype=np.int32) for contents in space.contents]
    for cell, radix in zip(space.private, space.placements.radix.tolist(), strict=True):
        across = int(space.mirror_cells[cell])
        placed = np.flatnonzero(space.parts_placed(cell) != NO_PART)
        found[cell][placed, 0, 0] = placed * radix
        # none of the other side's pieces rests
        placed = placed[space.uses[cell][placed, 0] < space.reserves.rest]
        found[across][space.mirrored[cell][placed], 1, 0] = placed * radix
    for square in space.frozen:
        for side, (cell, numbers) in enumerate(zip(square.cells, square.contents, strict=True)):
            found[cell][list(numbers), side, 1] = np.arange(len(numbers)) * square.radix
    return np.concatenate(found)


def _config_tables(space: TileSpace) -> dict[str, npt.NDArray[Any]]:
    """The contents of side configs, and the config of pieces off and frozen squares."""
    n, n_frozen = len(space.configs), len(space.frozen)
    content = np.zeros((2, n_frozen, space.stock.size), dtype=np.uint16)
    for k, square in enumerate(space.frozen):
        for side in range(2):
            content[side, k, list(square.parts)] = square.contents[side]
    n_codes = space.frozen[0].radix * len(space.frozen[0].parts) if n_frozen else 1
    config_of = np.full((space.stock.size, n_codes), -1, dtype=np.int32)
    for number, config in enumerate(space.configs):
        held = zip(space.frozen, config.frozen, strict=True)
        code = sum(square.parts.index(part) * square.radix for square, part in held)
        config_of[config.off, code] = number
    cells = [[square.cells[side] for square in space.frozen] for side in range(2)]
    frozen = [config.frozen for config in space.configs]
    return {
        "frozen": np.array(cells, dtype=np.int32).reshape(2, n_frozen),
        "is_closing": np.array([square.is_closing for square in space.frozen], dtype=np.uint8),
        "frozen_content": content,
        "config_of": config_of,
        "config_free": np.array(space.config_reserves, dtype=np.int32),
        "config_own": np.array(space.own_reserves, dtype=np.int32),
        "config_frozen": np.array(frozen, dtype=np.int32).reshape(n, n_frozen),
    }


def _half_tables(space: TileSpace, *, has_blocks: bool) -> dict[str, npt.NDArray[Any]]:
    """Where halves begin, by their configs and in order; all at 0 without blocks."""
    if not has_blocks:
        return {
            "half_offset": np.zeros((space.n_configs, space.n_configs), dtype=np.int64),
            "half_start": np.zeros(0, dtype=np.int64),
            "half_configs": np.zeros((0, 2), dtype=np.int32),
        }
    blocks = space.blocks
    is_half = blocks.is_half
    mine, theirs, start = blocks.mine[is_half], blocks.theirs[is_half], blocks.offset[is_half]
    offset = np.full((space.n_configs, space.n_configs), -1, dtype=np.int64)
    offset[mine, theirs] = start
    return {
        "half_offset": offset,
        "half_start": start,
        "half_configs": np.stack([mine, theirs], axis=1).astype(np.int32),
    }
