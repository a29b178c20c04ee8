"""The interface of every state space, and the layout of encoded states.

Positions are stored once, from the side of the player about to throw, and their ranks run
block by block, in an order in which moves lead only to the same block or an earlier one.
A *side config* is what a side can no longer lose. A *half* is an ordered pair of them,
mine and theirs. A block is the unordered pair, so a half and its mirror image are
solved together.

An encoded state is a row of numbers: one for each square of the board, in the order of
`Board.squares`; then the pieces at home of the side about to throw, and of the other; with stakes
the fines paid besides. It is seen by the side about to throw, whose pieces are ``L`` and whose row
is A. The number of a square is that of its contents in `StateLayout.contents`. Pieces at home are a
count or, where they are numbered, a sum of 2 ** (number - 1). docs/file-formats.md says in which
order contents are numbered. A layout whose numbers mean anything else will have another `VERSION`.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeVar, overload

import numpy as np
import numpy.typing as npt

from ur_solver.common.copies import Unchanging
from ur_solver.errors import IllegalPositionError, InputError, WrongTypeError
from ur_solver.rules import LIGHT, Position, RuleSet
from ur_solver.rules.contents import RESTING, swap_sides
from ur_solver.rules.position_text import MAX_FINES, content_text
from ur_solver.space._state_texts import StateTexts, as_strings, read_texts, write_texts

VERSION = 1
"""Of the layout; the same for every rule set."""

_BOARD = {"_": -1, "/": -2}


def rows_of(states: npt.ArrayLike, dtype: np.dtype[Any], width: int) -> npt.NDArray[Any]:
    """Encoded states as contiguous rows of a type.

    A row with a number that the type does not hold becomes one of its largest number, which is no
    state. WrongTypeError if they are not whole numbers, or no rows of that width.
    """
    try:
        found = np.asarray(states)
    except ValueError as error:
        raise WrongTypeError(f"{states!r:.60} is not an array of encoded states: {error}") from None
    if found.ndim != 2 or found.shape[1] != width:
        raise WrongTypeError(f"states of shape {found.shape}, expected (n, {width})")
    if found.dtype.kind not in "iu":
        raise WrongTypeError(f"states of type {found.dtype}, expected whole numbers")
    rows = np.ascontiguousarray(found, dtype=dtype)
    if found.dtype == dtype or not found.size:
        return rows
    most, is_signed = np.iinfo(dtype).max, found.dtype.kind == "i"
    if found.max() > most or (is_signed and found.min() < 0):
        rows[((found < 0) | (found > most)).any(axis=1)] = most
    return rows


class StateLayout(Unchanging):
    """The layout of the encoded states of one rule set; thread safe.

    Attributes
    ----------
    version : int
        Two layouts of the same rule set and version are equal.
    contents : mapping of str to tuple of str
        For each square, in the order of a row, what it may hold, by number. Pieces are written as
        in the notation, from the bottom up; the empty text comes first.
    dtype : numpy dtype
        A row as a structure: a field for each square, then ``home`` and ``their_home``, with stakes
        ``fines``. The numbers are signed, so that their differences are right.
    number_type : numpy dtype
        Of a row's numbers, unsigned.
    width : int
        How many numbers a row has.

    Examples
    --------
    >>> import ur_solver as ur
    >>> table = ur.solve("finkel:3")
    >>> table.layout.contents["B1"]
    ('', 'D', 'L')
    >>> states = table.encode(["L...__../..D...../....__.. L 2 1"])
    >>> found = table.layout.structured(states)
    >>> found["A1"].tolist(), found["B3"].tolist(), found["their_home"].tolist()
    ([1], [1], [1])
    """

    version = VERSION

    def __init__(
        self,
        rules: RuleSet,
        number_type: np.dtype[Any],
        contents: Mapping[str, tuple[str, ...]],
        homes: Sequence[str],
        mirror_cells: npt.NDArray[np.int32],
        mirrored: Sequence[npt.NDArray[np.uint16]],
    ) -> None:
        """`homes` are the texts of what may be at home; the rest as `TileSpace` has it."""
        self._made_of = (rules, number_type, dict(contents), homes, mirror_cells, mirrored)
        self.contents: Mapping[str, tuple[str, ...]] = MappingProxyType(dict(contents))
        has_fines = rules.payoff.has_fines
        fines = ("fines",) if has_fines else ()
        self._names = names = [*self.contents, "home", "their_home", *fines]
        self.dtype = np.dtype([(name, f"i{number_type.itemsize}") for name in names])
        self.number_type = number_type
        self.width = len(names)
        cells = iter(range(len(self.contents)))
        rows = "/".join(rules.board.rows)
        board = [next(cells) if kind == "." else _BOARD[kind] for kind in rows]
        shown = [list(map(content_text, held)) for held in self.contents.values()]
        turned = [each.tolist() for each in mirrored]
        # A pass wakes what rests, but dark's notation shows it: texts that no state of light's has.
        for held, found, other in zip(self.contents.values(), turned, mirror_cells, strict=True):
            for number, content in enumerate(held):
                if RESTING in content:
                    found[number] = len(shown[other])
                    shown[other].append(content_text(swap_sides(content)))
                    turned[other].append(number)
        listed = [[text.encode() for text in each] for each in (*shown, homes)]
        self._texts = StateTexts(
            np.array(board, dtype=np.int32),
            np.cumsum([0, *map(len, listed)]).astype(np.int32),
            [text for each in listed for text in each],
            mirror_cells,
            np.concatenate(turned).astype(np.uint16),
            MAX_FINES if has_fines else -1,
        )

    def __reduce__(self) -> tuple[type[StateLayout], tuple[Any, ...]]:
        return StateLayout, self._made_of

    def structured(self, states: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Encoded states as structures.

        Parameters
        ----------
        states : unsigned integers, shape (n, state width)

        Returns
        -------
        `dtype`, shape (n,)
            A view of `states`, if these are contiguous and of the rule set's own type.
        """
        return rows_of(states, self.number_type, self.width).view(self.dtype)[:, 0]

    def plain(self, records: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The inverse of `structured`: unsigned integers, shape (n, state width).

        Raises
        ------
        InputError
            If the fields are not those of `dtype`, in any order and of whole numbers of any size.
        """
        names, records = self._names, np.asarray(records)
        if set(records.dtype.names or ()) != {*names}:
            raise InputError(
                f"fields {records.dtype.names}, expected those of the layout: {', '.join(names)}"
            )
        if records.dtype != self.dtype:
            columns = np.stack([records[name] for name in names], axis=1)
            return rows_of(columns, self.number_type, self.width)
        return np.ascontiguousarray(records).view(self.number_type).reshape(-1, len(names))

    def notations(
        self, states: npt.NDArray[Any], is_dark: npt.NDArray[np.bool_] | bool = False
    ) -> npt.NDArray[np.object_]:
        """The positions of encoded states in the notation.

        Parameters
        ----------
        states : unsigned integers, shape (n, state width)
        is_dark : bool, or array of bool, shape (n,)
            Whether dark is about to throw.

        Returns
        -------
        array of str, shape (n,)

        Raises
        ------
        IllegalPositionError
            For the first row with a number that is no content of its square.
        WrongTypeError
            If they are no encoded states.

        Notes
        -----
        About a million a second and core.
        """
        letters, starts = self.notation_bytes(states, is_dark)
        texts = np.empty(len(states), dtype=object)
        if len(texts):
            as_strings(letters, starts, texts)
        return texts

    def notation_bytes(
        self, states: npt.NDArray[Any], is_dark: npt.NDArray[np.bool_] | bool = False
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
        """As `notations`, as ASCII: all texts one after the other, and where each begins.

        Returns
        -------
        letters : uint8
        starts : int64, shape (n + 1,)
        """
        states = rows_of(states, self.number_type, self.width)
        if np.shape(is_dark) not in ((), (len(states),)):
            raise WrongTypeError(f"is_dark of shape {np.shape(is_dark)}, expected ({len(states)},)")
        dark = np.empty(len(states), dtype=np.uint8)
        dark[:] = is_dark
        starts = np.zeros(len(states) + 1, dtype=np.int64)
        fault = write_texts(self._texts, states, dark, starts, np.empty(0, dtype=np.uint8))
        if fault >= 0:
            raise IllegalPositionError(f"row {fault}: {self._fault(states[fault])}")
        letters = np.empty(starts[-1], dtype=np.uint8)
        write_texts(self._texts, states, dark, starts, letters)
        return letters, starts

    def _fault(self, state: npt.NDArray[Any]) -> str:
        """What is wrong with a row that has too large a number."""
        for number, (square, held) in zip(state.tolist(), self.contents.items(), strict=False):
            if number >= len(held):
                return f"{square} has contents 0 to {len(held) - 1}, not {number}"
        return "it has more pieces at home than a side has"

    def read(
        self, texts: npt.NDArray[np.object_]
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Positions read from the notation, as far as they are written as `notations` does.

        Parameters
        ----------
        texts : object array, shape (n,)

        Returns
        -------
        states : unsigned integers, shape (n, state width)
            They need not be legal.
        is_dark : bool, shape (n,)
            Whether dark is about to throw.
        is_read : bool, shape (n,)
            False for other texts and objects, whose state is undefined.
        """
        states = np.zeros((len(texts), self.width), dtype=self.number_type)
        is_dark, is_read = (np.zeros(len(texts), dtype=np.uint8) for _ in range(2))
        read_texts(self._texts, texts, states, is_dark, is_read)
        return states, is_dark.astype(bool), is_read.astype(bool)


LAST_RANKS = 7
"""The last version of the formats of tables and unfinished solves in which some ranks changed."""


@dataclass(frozen=True)
class Half:
    """One ordered pair of side configs and its range of ranks."""

    mine: int
    theirs: int
    offset: int
    size: int


@dataclass(frozen=True)
class Block:
    """Positions that agree, up to mirroring, on everything that cannot go back."""

    index: int
    halves: tuple[Half, ...]

    @property
    def offset(self) -> int:
        """The first rank."""
        return self.halves[0].offset

    @property
    def size(self) -> int:
        """The number of positions."""
        return sum(half.size for half in self.halves)


class Blocks(Sequence[Block]):
    """All blocks of a space, in solving order: arrays, and `Block` objects made when asked for.

    `mine`, `theirs`: int64, shape (blocks, 2), the configs of both halves. `sizes`: int64, shape
    (blocks, 2), the positions in each half, 0 in the second of a block that has but one; `size` is
    their sum, shape (blocks,), and `offset` where each half begins.
    """

    def __init__(
        self,
        mine: npt.NDArray[np.int64],
        theirs: npt.NDArray[np.int64],
        sizes: npt.NDArray[np.int64],
    ) -> None:
        self.mine, self.theirs, self.sizes = mine, theirs, sizes
        self.size: npt.NDArray[np.int64] = sizes.sum(axis=1)
        self.offset = (np.cumsum(sizes) - sizes.ravel()).reshape(sizes.shape)

    @staticmethod
    def of(progress: Sequence[int], counts: npt.NDArray[np.int64]) -> Blocks:
        """The blocks of all unordered pairs of side configs, those furthest on first.

        `progress` has for each side config a number that every change of it increases; `counts`,
        int64, shape (configs, configs), the positions in the half of two configs, mine and theirs.
        """
        first, second = np.triu_indices(len(progress))
        along = np.asarray(progress)
        order = np.argsort(-(along[first] + along[second]), kind="stable")
        first, second = first[order], second[order]
        sizes = np.stack([counts[first, second], counts[second, first]], axis=1)
        sizes[first == second, 1] = 0
        return Blocks(np.stack([first, second], axis=1), np.stack([second, first], axis=1), sizes)

    def times(self, values: int) -> Blocks:
        """The same with each rank this many times."""
        return Blocks(self.mine, self.theirs, self.sizes * values)

    @property
    def is_half(self) -> npt.NDArray[np.bool_]:
        """Whether there is such a half: shape (blocks, 2)."""
        return np.stack([np.ones(len(self), bool), self.mine[:, 0] != self.theirs[:, 0]], axis=1)

    def __len__(self) -> int:
        return len(self.sizes)

    @overload
    def __getitem__(self, index: int) -> Block: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Block, ...]: ...
    def __getitem__(self, index: int | slice) -> Block | tuple[Block, ...]:
        if isinstance(index, slice):
            return tuple(map(self.__getitem__, range(len(self))[index]))
        number = range(len(self))[index]
        mine, theirs = self.mine[number].tolist(), self.theirs[number].tolist()
        offset, size = self.offset[number].tolist(), self.sizes[number].tolist()
        n_halves = 1 if mine[0] == theirs[0] else 2
        halves = zip(mine, theirs, offset, size, strict=True)
        return Block(number, tuple(Half(*half) for half in itertools.islice(halves, n_halves)))

    def __iter__(self) -> Iterator[Block]:
        return map(self.__getitem__, range(len(self)))


Ranks = TypeVar("Ranks", int, npt.NDArray[np.int64])


class Space(Unchanging, ABC):
    """The numbered positions of one rule set; `space_of` gives the shared instance."""

    rules: RuleSet
    n_values: int  # the number of ranks, which is that of a table's values
    state_dtype: np.dtype[Any]  # of the rows that `encode` writes
    values_per_position: int = 1  # the number of ranks of every position: more than one with stakes
    unit: float = 1  # the meaning of a stored 1: a certain win or, with stakes, an amount of money
    first_version: int = 3  # the first version of the table format whose ranks are these
    reach: int = 0  # the most fines with stored values: 0 without stakes
    fine: float = 0.0  # its amount, in money: 0 without stakes
    # the least and the largest possible value, in units; finite if no other can occur
    bounds: tuple[float, float] = (0.0, 1.0)

    def __reduce__(self) -> tuple[type[Space], tuple[RuleSet]]:
        return type(self), (self.rules,)

    @property
    def limits(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """The least and the largest that each value of a position can be, in units.

        float64, each of shape (values_per_position,).
        """
        return np.zeros(1), np.ones(1)

    @property
    @abstractmethod
    def blocks(self) -> Blocks:
        """All blocks, in solving order."""

    @property
    @abstractmethod
    def n_configs(self) -> int:
        """The number of side configs."""

    @abstractmethod
    def next_configs(self, config: int) -> Iterator[int]:
        """The side configs that one move can irreversibly lead to, by any throw."""

    @abstractmethod
    def n_off(self, config: int) -> int:
        """The number of pieces that a side with this config has borne off."""

    @cached_property
    def largest_size(self) -> int:
        """The number of values in the largest block."""
        return int(self.blocks.size.max())

    @cached_property
    def left(self) -> npt.NDArray[np.int64]:
        """By block, the most pieces that a side still has to bear off."""
        off = np.array([self.n_off(config) for config in range(self.n_configs)])
        left: npt.NDArray[np.int64] = self.rules.pieces - off[self.blocks.mine].min(axis=1)
        return left

    @cached_property
    def _block_numbers(self) -> npt.NDArray[np.int32]:
        numbers = np.full((self.n_configs, self.n_configs), -1, dtype=np.int32)
        mine, theirs = self.blocks.mine, self.blocks.theirs
        numbers[mine, theirs] = np.arange(len(mine))[:, np.newaxis]
        return numbers

    def chance_rank(self, rank: Ranks) -> Ranks:
        """The rank of a position's chance of winning if only winning counted."""
        return rank

    def cut_error(self, values: npt.NDArray[np.float64]) -> tuple[float, float]:
        """The largest error by the cut of the fines in all values of some positions, in units.

        At any number of fines up to `reach`, 0 without stakes; and the increase for each fine past
        it.
        """
        return 0.0, 0.0

    def block_number(self, mine: int, theirs: int) -> int:
        """The number of the block that has a pair of side configs."""
        return int(self._block_numbers[mine, theirs])

    @cached_property
    def _next_configs(self) -> list[npt.NDArray[np.int64]]:
        return [
            np.array(list(self.next_configs(config)), dtype=np.int64)
            for config in range(self.n_configs)
        ]

    def reads(self, index: int) -> tuple[int, ...]:
        """The numbers of the other blocks with successors of a block, ascending."""
        mine, theirs = self.blocks.mine[index].tolist()
        after = self._block_numbers[self._next_configs[mine], theirs].tolist()
        if mine != theirs:
            after += self._block_numbers[self._next_configs[theirs], mine].tolist()
        return tuple(sorted(set(after)))

    @property
    @abstractmethod
    def state_width(self) -> int:
        """The length of an encoded state: one number per square, then one for each side's home."""

    @property
    @abstractmethod
    def state_layout(self) -> StateLayout:
        """What the numbers of an encoded state mean, and states as notation."""

    @abstractmethod
    def encode(self, position: Position) -> Sequence[int]:
        """`position` from the side about to throw, as a row of `state_width` numbers."""

    @abstractmethod
    def decode(self, state: Sequence[int], side: str = LIGHT) -> Position:
        """The position of a state row, `side` about to throw; the inverse of `encode`."""

    @abstractmethod
    def _rank_rows(self, states: npt.NDArray[Any], ranks: npt.NDArray[np.int64]) -> None:
        """Write the rank of each row, -1 for an invalid one."""

    @abstractmethod
    def _unrank_rows(self, ranks: npt.NDArray[np.int64], states: npt.NDArray[Any]) -> None:
        """Write the row of each rank."""

    @property
    def n_positions(self) -> int:
        """The number of positions; with stakes, not counting the fines."""
        return self.n_values

    @property
    def has_levels(self) -> bool:
        """Whether positions have values at several levels of fines."""
        return self.values_per_position > 1

    def rank(self, position: Position) -> int:
        """The rank of a position that is not over.

        IllegalPositionError if the position is over or is not of this rule set.
        """
        rank = self._rank_one(position)
        if rank < 0:
            text = position.notation
            over = position.winner is not None
            reason = "the game is over" if over else f"not a position of {self.rules.name}"
            raise IllegalPositionError(f"position {text!r}: {reason}")
        return rank

    def _rank_one(self, position: Position) -> int:
        """The rank of a position, -1 if it has none."""
        return int(self.rank_states(np.array([self.encode(position)], self.state_dtype))[0])

    def unrank(self, rank: int, side: str = LIGHT) -> Position:
        """The position of a rank, `side` about to throw; the inverse of `rank`."""
        return self.decode(self.unrank_states(np.array([rank]))[0].tolist(), side)

    def rank_states(self, states: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """The ranks of many states, rows as `encode` gives them: int64, shape (n,).

        -1 where a row is over or is not a state of this space.
        """
        states = rows_of(states, self.state_dtype, self.state_width)
        ranks = np.empty(len(states), dtype=np.int64)
        if len(states):
            self._rank_rows(states, ranks)
        return ranks

    def go_on(self, states: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """For each row of `rank_states` whether it has a rank; builds no ranks where it can."""
        return self.rank_states(states) >= 0

    def unrank_states(self, ranks: npt.ArrayLike) -> npt.NDArray[Any]:
        """The state rows of many ranks: `state_dtype`, shape (n, state_width).

        IndexError if a rank is not in 0 .. n_values - 1; WrongTypeError if they are no ranks.
        """
        try:
            ranks = np.asarray(ranks)
        except ValueError as error:
            raise WrongTypeError(f"{ranks!r:.60} is not an array of ranks: {error}") from None
        if ranks.ndim != 1:
            raise WrongTypeError(f"ranks of shape {ranks.shape}, expected one dimension")
        if ranks.size and ranks.dtype.kind not in "iu":
            raise WrongTypeError(f"ranks of type {ranks.dtype}, expected whole numbers")
        if ranks.size and not (0 <= ranks.min() and ranks.max() < self.n_values):
            raise IndexError(f"ranks run from 0 to {self.n_values - 1}")
        states = np.zeros((len(ranks), self.state_width), dtype=self.state_dtype)
        if len(ranks):
            self._unrank_rows(np.ascontiguousarray(ranks, dtype=np.int64), states)
        return states
