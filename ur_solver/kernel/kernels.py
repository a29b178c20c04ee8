"""The kernels, behind the interface that all share, and which one serves a rule set."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from ur_solver.errors import SolveError
from ur_solver.kernel._level_block import LevelBlock
from ur_solver.kernel._levels import LevelTurns
from ur_solver.kernel._row_block import RowBlock
from ur_solver.kernel._row_layout import FIRST_WIDE
from ur_solver.kernel._row_rules import RowRules
from ur_solver.kernel._tiled import TiledBlock, TiledKernel
from ur_solver.kernel._turn_lists import ListPolicy, TurnLists
from ur_solver.kernel._turns import Turns
from ur_solver.kernel._workspace import Workspace
from ur_solver.kernel.interface import BlockWork, FinishedBlocks, Values, inputs_of
from ur_solver.kernel.policy import iterate_policies
from ur_solver.kernel.rounding import (
    DOUBLE,
    NOISE,
    SINGLE,
    blur_of,
    blur_of_shares,
    check_precision,
)
from ur_solver.kernel.sampling import sample_bytes, sample_step
from ur_solver.kernel.tiling import Tiling
from ur_solver.moves import MoveTables, move_tables
from ur_solver.rules import RuleSet
from ur_solver.space import Block, Space, StakesSpace, TileSpace, is_race_of_tiles

_LEAST = 4096
"""The fewest positions for which a sweep takes a further thread."""


class _ListedValues:
    """The values of a block whose moves are lists, as `SweptValues` describes them but for
    sweeps.
    """

    noise = NOISE

    def __init__(self, values: Values) -> None:
        self._values = values

    def refine(self) -> bool:
        """False: values are of float64."""
        return False

    def sample(self) -> Values:
        """A copy of some of the values, always the same."""
        return self._values[:: sample_step(len(self._values), len(self._values))].copy()

    def remember(self, room: Values) -> None:
        """Keep a copy of the values in `room`."""
        self._before = room
        room[:] = self._values

    def extrapolate(self, factor: float) -> None:
        """Add `factor` times the change since `remember`."""
        self._values += factor * (self._values - self._before)


class ListBlock(_ListedValues):
    """One block being solved, as `PolicyWork` describes it; its lists of moves are made by some
    threads.
    """

    is_single = False

    def __init__(
        self,
        turns: Turns,
        space: TileSpace,
        block: Block,
        finished: FinishedBlocks,
        threads: int = 1,
    ) -> None:
        # the last is the value of no position
        self._followed = np.append(np.full(block.size, 0.5), 0.0)
        super().__init__(self._followed[:-1])
        self._turns, self._block = turns, block
        self._blur = blur_of(space.rules.dice.probabilities)
        inputs = inputs_of(space, block, finished)
        self._lists = TurnLists(turns, inputs, block.offset, block.size, threads)
        self._policy: FollowedLists | None = None
        self.has_policies = turns.has_policies(block.size)

    def follow(self, room: Values, threads: int) -> FollowedLists:
        """The values under the best policy by them, which are the block's own."""
        if self._policy is None:
            self._policy = FollowedLists(self._followed, ListPolicy(self._lists))
        self._policy.choose(threads)
        return self._policy

    def keep_all(self) -> bool:
        """False: sweeps look at all moves."""
        return False

    def sweep(self, threads: int) -> float:
        """Update every value in place; return the delta."""
        return self._lists.sweep(self._values, self._threads(threads))

    def _threads(self, threads: int) -> int:
        """How many of these threads a sweep takes."""
        return min(threads, 1 + self._block.size // _LEAST)

    def residual(self, threads: int) -> float:
        """The largest abs(T(V) - V) over the block."""
        return self._lists.residual(self._values, self._threads(threads))

    def store(self, values: Values) -> None:
        """Write the values to an array, in rank order."""
        values[:] = self._values

    def load(self, values: Values) -> None:
        """Take the values from an array, in rank order."""
        self._values[:] = values

    def carry(self, outside: float) -> bool:
        """False: errors of chances add up."""
        return False

    def bracket(self, values: Values, shift: float) -> None:
        """Set bounds around given values; the block's own values stay, its policy does not."""
        self._policy = None
        self.upper = np.nextafter(values + shift, np.inf)
        self.lower = np.nextafter(values - shift, -np.inf)
        self._settle_draws()

    def _settle_draws(self) -> None:
        self.upper[self._draws] = self.lower[self._draws] = 0.5

    @cached_property
    def _draws(self) -> npt.NDArray[np.bool_]:
        return self._turns.draws(self._block.offset, self._block.size)

    def narrow(self, threads: int) -> None:
        """Sweep both bounds, each operation rounded outwards."""
        self._lists.narrow(self.upper, self.lower, self._blur, self._threads(threads))
        self._settle_draws()

    def width(self, values: Values) -> tuple[float, int]:
        """The largest distance of the bounds from given values, rounded up, and its rank."""
        distance = np.maximum(values - self.lower, self.upper - values)
        at = int(np.argmax(distance))
        return float(np.nextafter(distance[at], np.inf)), self._block.offset + at


class FollowedLists(_ListedValues):
    """A block's values under a policy, as `FollowedValues` describes them.

    `values` are those of the block, in rank order, and 0, the value of no position.
    """

    n_changed = 0

    def __init__(self, values: Values, policy: ListPolicy) -> None:
        super().__init__(values[:-1])
        self._followed, self._policy = values, policy

    def choose(self, threads: int) -> None:
        """Take the best policy by the values."""
        self.n_changed = self._policy.choose(self._values, threads)

    def sweep(self, threads: int) -> float:
        """Update every value in place; return the delta."""
        return self._policy.sweep(self._followed, threads)

    def close(self) -> None:
        """Nothing: these values are the block's."""


_LEAST_BYTES = 1 << 20
"""Of a block in the row kernel, however small."""

_SAMPLE_SIZE, _LARGE_SAMPLE_SIZE = 1 << 17, 5_000_000
"""Values of a block that is laid out to see what lists take, at most: usually, and where that is a
small part of the largest block, which takes half a second."""

_SMALL_PART = 16
"""The largest block is this many times as large."""

_MORE_LISTS = 1.05
"""Allocated by what is used."""

_WORD = 4
"""Bytes of a word of lists, in blocks that need no wider ones."""


class Asked(NamedTuple):
    """What `Kernel.lay_out` is asked for."""

    block: Block
    finished: FinishedBlocks
    workspace: Workspace
    threads: int
    single: bool


class Kernel(ABC):
    """Updates the values of one state space; thread safe."""

    space: Space
    turns: Turns  # the generic kernel of the same space
    precision: str  # what values are solved in: "double", or "single" (`check_precision`)
    # how many times as long as the row kernel a position takes, at least; above 1, no less in a
    # large block
    slowness = 1

    def lay_out(
        self,
        block: Block,
        finished: FinishedBlocks,
        workspace: Workspace,
        threads: int = 1,
        *,
        single: bool = False,
    ) -> BlockWork:
        """A block laid out by some threads, its values all 1/2, or half of what is at stake.

        `finished` must have the blocks that this one's moves lead to (`Space.reads`), which are
        read here and, by some kernels, until the block is finished. The workspace must not be used
        for another block before that. With `single` the kernel begins in single precision if it
        can, until `BlockWork.refine`.

        MissingBlockError if a block that is needed is not available; MemoryError if there is no
        room for the workspace.
        """
        return self._lay_out(Asked(block, finished, workspace, threads, single))

    @abstractmethod
    def _lay_out(self, asked: Asked) -> BlockWork:
        """See `lay_out`."""

    def block_residual(
        self, block: Block, values: Values, finished: FinishedBlocks, threads: int = 1
    ) -> float:
        """The largest abs(T(V) - V) over a block of given values, shape (block size,); as for
        `lay_out`.
        """
        work = self.lay_out(block, finished, Workspace(), threads)
        work.load(values)
        return work.residual(threads)

    def residual(
        self,
        block: Block,
        values: Values,
        finished: FinishedBlocks,
        first: int,
        count: int,
        threads: int = 1,
    ) -> float:
        """The largest abs(T(V) - V) over `count` ranks of a block, from rank `first` on.

        Computed rank by rank, without a layout; other parameters are those of `block_residual`.
        With stakes all ranks of a position are looked at.
        """
        n = self.space.values_per_position
        position, end = first // n, -(-(first + count) // n)
        inputs = inputs_of(self.space, block, finished, values)
        return self.turns.residual(inputs, position, end - position, threads)

    def endless_rank(self, block: Block, threads: int = 1) -> int | None:
        """A rank from which both sides together can stay in a block for ever; None without one.

        None too where the kernel serves only rules whose play is known to end.
        """
        return None

    def iterate_policies(self, block: Block, values: Values, finished: FinishedBlocks) -> Values:
        """The values of a block by policy iteration, where sweeps hardly contract.

        The given values are near the solution. SolveError if the kernel or the machine cannot do
        that for this block.
        """
        raise SolveError(
            f"block {block.index} does not settle: sweeps hardly change its values, and there is "
            "no other way to solve a game for money"
        )

    @abstractmethod
    def workspace_bytes(self, block: Block, *, certify: bool = False, policies: bool = True) -> int:
        """An upper bound of the bytes that `lay_out`, the sweeps and, if asked, proofs take.

        Sweeps under policies count if the block has them, unless `policies` is false. With dice
        that are not ordinary they never count, and proofs always do: solves need them.
        """


class _TileKernel(Kernel):
    """A kernel of chances."""

    space: TileSpace

    @cached_property
    def _tables(self) -> MoveTables:
        return move_tables(self.space)

    @cached_property
    def turns(self) -> Turns:  # type: ignore[override]
        """See `Kernel.turns`."""
        return Turns(self.space.ranking, self._tables)

    def endless_rank(self, block: Block, threads: int = 1) -> int | None:
        """See `Kernel.endless_rank`."""
        rank = self.turns.endless_rank(block.offset, block.size, threads)
        return None if rank < 0 else rank

    def iterate_policies(self, block: Block, values: Values, finished: FinishedBlocks) -> Values:
        """See `Kernel.iterate_policies`."""
        inputs = inputs_of(self.space, block, finished)
        return iterate_policies(self.turns, block, values, inputs)


class RaceKernel(_TileKernel):
    """The tiled kernel, for rules that `is_race_of_tiles` accepts; the generic one checks it.

    The options are those of `TiledKernel`. InputError if the rules are not solved in the precision.
    """

    def __init__(
        self,
        space: TileSpace,
        precision: str = DOUBLE,
        **options: Any,
    ) -> None:
        check_precision(space, precision)
        self.space = space
        self.precision = precision
        self.tiling = Tiling(space)
        is_single = precision == SINGLE
        self.tiled = TiledKernel(self.tiling, space.ranking, is_single=is_single, **options)

    def _lay_out(self, asked: Asked) -> TiledBlock:
        # in single precision to the end if it is the kernel's
        halves = [(half.mine, half.theirs) for half in asked.block.halves]
        inputs = inputs_of(self.space, asked.block, asked.finished)
        return TiledBlock(self.tiled, asked.workspace, halves, inputs, asked.threads, asked.single)

    def workspace_bytes(self, block: Block, *, certify: bool = False, policies: bool = True) -> int:
        """See `Kernel.workspace_bytes`."""
        return self.tiling.workspace_bytes(block, certify, self.tiled.is_single)


class RowKernel(_TileKernel):
    """The row kernel, which serves every rule set without stakes.

    By default it uses the best of `instruction_sets` that the processor has. InputError if the
    rules are not solved in the precision.
    """

    def __init__(
        self,
        space: TileSpace,
        instruction_set: str | None = None,
        precision: str = DOUBLE,
    ) -> None:
        check_precision(space, precision)
        self.space = space
        self.precision = precision
        self.is_single = precision == SINGLE
        self.instruction_set = instruction_set
        blur = blur_of(space.rules.dice.probabilities)
        self.rules = RowRules(self.turns, space.stock.is_numbered, blur)

    def _lay_out(self, asked: Asked) -> RowBlock:
        return RowBlock(
            self.rules,
            (asked.block.offset, asked.block.size),
            _halves_of(asked.block),
            inputs_of(self.space, asked.block, asked.finished),
            asked.workspace,
            asked.threads,
            self.instruction_set,
            self.is_single,  # to the end
        )

    @cached_property
    def _list_bytes(self) -> tuple[float, float, float]:
        return _list_bytes(self.space, self.precision)

    def workspace_bytes(self, block: Block, *, certify: bool = False, policies: bool = True) -> int:
        """See `Kernel.workspace_bytes`."""
        # F and G, and another F and G for bounds, in the same memory as policies
        is_ordinary = self.space.rules.dice.is_ordinary
        lists, words, policy = self._list_bytes
        is_wide = 2 * block.size > FIRST_WIDE
        values = 8 if self.is_single else 16
        if self.is_single or not (policies and is_ordinary and self.turns.has_policies(block.size)):
            policy = 0
        further = max(values if certify or not is_ordinary else 0, policy)
        by_value = values + further + lists + (words if is_wide else 0)
        return _LEAST_BYTES + int(by_value * block.size) + sample_bytes(block.size, block.size)


class ListKernel(_TileKernel):
    """The list kernel, which serves rules by which pieces rest."""

    precision = DOUBLE
    slowness = 3

    def __init__(self, space: TileSpace) -> None:
        self.space = space

    def _lay_out(self, asked: Asked) -> ListBlock:
        return ListBlock(self.turns, self.space, asked.block, asked.finished, asked.threads)

    def workspace_bytes(self, block: Block, *, certify: bool = False, policies: bool = True) -> int:
        """See `Kernel.workspace_bytes`."""
        # the words of a position: two, and for every choice and throw at most three and one a move
        choices = int(self._tables.n_choices.max())
        words = 2 + choices * self.turns.n_throws * (3 + self.turns.max_options)
        # the values and a copy, and two bounds of each with the distance of both, or a policy
        is_ordinary, policy = self.space.rules.dice.is_ordinary, 0
        if policies and is_ordinary and self.turns.has_policies(block.size):
            policy = 8 + _WORD * (len(self.turns.policy_chances()) + 1)
        by_value = 16 + max(0 if is_ordinary and not certify else 24, policy) + _WORD * words
        return by_value * block.size + sample_bytes(block.size, block.size)


def _halves_of(block: Block) -> npt.NDArray[np.int32]:
    """The configs of a block's halves, mine and theirs."""
    return np.array([(half.mine, half.theirs) for half in block.halves], dtype=np.int32)


def _list_bytes(space: TileSpace, precision: str) -> tuple[float, float, float]:
    """What a value's part of lists, of their words and of policies takes, with fewer pieces.

    With more pieces rows are longer, and each list serves more values.
    """
    rules = space.rules
    limit = max(_SAMPLE_SIZE, min(_LARGE_SAMPLE_SIZE, space.largest_size // _SMALL_PART))
    for pieces in range(2, rules.pieces + 1):
        if _largest_size(rules.with_pieces(pieces)) > limit:
            return _sampled_bytes(rules.with_pieces(pieces - 1), precision)
    return _sampled_bytes(rules, precision)


@lru_cache(maxsize=64)
def _largest_size(rules: RuleSet) -> int:
    """Values of the largest block."""
    return TileSpace(rules).largest_size


@lru_cache(maxsize=64)
def _sampled_bytes(rules: RuleSet, precision: str) -> tuple[float, float, float]:
    """What a value's part of lists, of their words and of policies takes in the largest block."""
    kernel = RowKernel(TileSpace(rules), precision=precision)
    blocks = kernel.space.blocks
    block = blocks[int(blocks.size.argmax())]
    work = cast(RowBlock, kernel.lay_out(block, _AnyValues(kernel.space), Workspace()))
    used = _MORE_LISTS / block.size
    policies = work.policy_bytes / block.size
    return used * work.list_bytes, used * work.word_bytes, policies


class _AnyValues:
    """Finished blocks whose values do not matter."""

    def __init__(self, space: Space) -> None:
        self._blocks = space.blocks

    def values_of(self, index: int) -> Values:
        """As many values as a block has."""
        return np.zeros(self._blocks.size[index])


class StakesKernel(Kernel):
    """The row kernel with lanes, for games for money; its instruction sets are those of `RowKernel`
    but AVX-512.
    """

    space: StakesSpace
    turns: LevelTurns
    precision = DOUBLE

    def __init__(self, space: StakesSpace, instruction_set: str | None = None) -> None:
        self.space = space
        self.instruction_set = instruction_set
        positions = space.positions
        tables = move_tables(positions)
        squares = np.array(positions.squares)[tables.landing_cell]
        pays = np.isin(squares, list(space.rules.rosettes)).astype(np.uint8)
        fine = space.stakes.fine / space.unit
        self.turns = LevelTurns(positions.ranking, tables, space.reach, fine, space.pots)
        blur = blur_of_shares(space.unit)
        self.rules = RowRules(self.turns, positions.stock.is_numbered, blur, pays)

    def _lay_out(self, asked: Asked) -> LevelBlock:
        n = self.space.values_per_position
        return LevelBlock(
            self.turns,
            self.rules,
            (asked.block.offset // n, asked.block.size // n),
            _halves_of(asked.block),
            inputs_of(self.space, asked.block, asked.finished),
            asked.workspace,
            asked.threads,
            self.instruction_set,
        )

    @cached_property
    def _list_bytes(self) -> tuple[float, float, float]:
        return _list_bytes(self.space.positions, DOUBLE)

    def workspace_bytes(self, block: Block, *, certify: bool = False, policies: bool = True) -> int:
        """See `Kernel.workspace_bytes`."""
        # the values or, where they are proven, two bounds, and a choice for every throw
        n_positions = block.size // self.space.values_per_position
        lists, words, _ = self._list_bytes
        # rows of other blocks are listed too, and named by words that blocks of many need wider
        lists += words
        choices = 2 * len(self.space.rules.dice.throws) if certify else 0
        by_value = 16 if certify else 8
        return (
            _LEAST_BYTES
            + int((lists + choices) * n_positions)
            + by_value * block.size
            + sample_bytes(block.size, block.size)
        )


def kernel_of(space: Space, precision: str = DOUBLE) -> Kernel:
    """The kernel of a space in a precision, built once and shared.

    InputError if the space is not solved in that precision.
    """
    return _kernel_of(space, precision)


@lru_cache(maxsize=8)
def _kernel_of(space: Space, precision: str) -> Kernel:
    check_precision(space, precision)
    if isinstance(space, StakesSpace):
        return StakesKernel(space)
    assert isinstance(space, TileSpace)
    if is_race_of_tiles(space.rules):
        return RaceKernel(space, precision=precision)
    if space.reserves.may_rest:
        return ListKernel(space)
    return RowKernel(space, precision=precision)
