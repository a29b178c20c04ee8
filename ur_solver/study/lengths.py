"""Lengths of games as the objective of a solve: tables of the expected number of throws to come.

Under the objective ``length`` both sides play to win, as their table does; under ``length-max``
both play to make the game as long as possible. docs/length.md defines them and has the proof of
the error that a table states.

The length L of a position is 1 more than the mean over the throws of the length of the longest
move; where a policy decides, of its move. The block is written out in memory. A solution is found
by policy iteration: the moves that are longest by the lengths found so far make linear equations,
which are solved by the stabilised biconjugate gradient method (van der Vorst, 1992). In long
games sweeps would need as many rounds as a game has throws.
"""

from __future__ import annotations

import pathlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import Branches, Decisions, Values
from ur_solver.blocks.folder import BlockRecord, BlockResult
from ur_solver.common.machine import free_memory
from ur_solver.common.progress import Progress
from ur_solver.errors import (
    CertificateError,
    DamagedTableError,
    InputError,
    MemoryLimitError,
    UnsettledError,
    UnsolvableError,
)
from ur_solver.moves import WIN, MoveGenerator, Rows, generator_of
from ur_solver.moves.tables import PieceChoice
from ur_solver.players.policies import Policy, TablePolicy
from ur_solver.rules import RuleSet
from ur_solver.space import Block, space_of
from ur_solver.table.format import LENGTH, LONGEST, Header
from ur_solver.table.reader import TableFile
from ur_solver.table.writer import TableWriter

Floats = npt.NDArray[np.float64]

GOAL = 1e-12
"""The residual at which a block is solved, in throws."""

_ROUNDING = 2.0**-46
"""The residual that rounding may leave, as a share of the longest length."""

_PART = 1 << 14
_MOST_ROUNDS = 500
_MOST_STEPS = 2000
_LESS = 0.01
"""By how much a round reduces the residual of its linear equations."""


class _ByRank(Values):
    """Lengths by rank, 0 behind the last one: states are named by their ranks."""

    rules: RuleSet
    is_shared = True

    def __init__(self, rules: RuleSet, lengths: Floats) -> None:
        self.rules, self._lengths = rules, lengths

    def state_values(self, states: npt.NDArray[Any]) -> Floats:
        """As `Values.state_values`."""
        return np.asarray(self._lengths[states])


@dataclass
class _Part:
    """Some states of a block with the same choices, written out.

    States are named by their ranks in `branches`, a game that is won by the number of all ranks.
    Where `is_over`, neither side can ever move, and no throws are counted. `followed` and
    `weights`, shape (states, throws), are what `prefer` takes: places in the block, its size for
    those outside it and for a game that is over; and probabilities, 0 for choices that are not
    made.
    """

    branches: Branches
    is_over: npt.NDArray[np.bool_]
    followed: npt.NDArray[np.int64] = field(init=False)
    weights: Floats = field(init=False)

    @property
    def ranks(self) -> npt.NDArray[np.int64]:
        """The states."""
        return self.branches.rows

    def lengths(self, longest: Decisions) -> Floats:
        """The right sides of the equations, shape (states,), by the lengths after each throw."""
        return np.where(self.is_over, 0.0, longest.backup)

    def prefer(self, longest: Decisions, block: Block) -> None:
        """Take the longest options, of equal ones the first, as the policy."""
        branches, n = self.branches, len(self.ranks)
        is_made = np.zeros(len(branches.throw_starts) - 1, dtype=bool)
        is_made[longest.choices.best] = True
        chosen = is_made.repeat(np.diff(branches.throw_starts))
        self.weights = np.where(chosen, branches.chances, 0.0).reshape(n, -1)
        reached = branches.after[longest.options.best].reshape(n, -1)
        is_here = (reached >= block.offset) & (reached < block.offset + block.size)
        is_here &= ~self.is_over[:, np.newaxis]
        self.followed = np.where(is_here, reached - block.offset, block.size)

    def may_stay(self, may_stay: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Whether a choice leads to states of those, by rank, whatever is thrown after it."""
        branches = self.branches
        by_throw = np.logical_or.reduceat(may_stay[branches.after], branches.option_starts[:-1])
        by_choice = np.logical_and.reduceat(by_throw, branches.throw_starts[:-1])
        return np.asarray(np.logical_or.reduceat(by_choice, branches.choice_starts[:-1]))


class LengthBlock:
    """One block, written out: some 400 bytes a position.

    Both sides do what `policy` says, or without one whatever makes the game longest.
    """

    def __init__(
        self, generator: MoveGenerator, block: Block, policy: Policy | None = None
    ) -> None:
        self._generator, self._policy, self.block = generator, policy, block
        self._parts = list(self._written_out())

    def _written_out(self) -> Iterator[_Part]:
        generator, end = self._generator, self.block.offset + self.block.size
        for begin in range(self.block.offset, end, _PART):
            ranks = np.arange(begin, min(begin + _PART, end))
            rows = generator.space.unrank_states(ranks)
            is_over = generator.are_drawn(rows)
            for choices, members in generator.by_choices(rows):
                for made, those in self._made(rows[members], choices):
                    at = members[those]
                    yield self._part(ranks[at], rows[at], made, is_over[at])

    def _made(
        self, rows: Rows, choices: tuple[PieceChoice, ...]
    ) -> Iterator[tuple[tuple[PieceChoice, ...], npt.NDArray[np.int64]]]:
        """The choices before the throw that may be made, each with those states' numbers."""
        if self._policy is None or len(choices) == 1:
            yield choices, np.arange(len(rows))
            return
        weights = self._policy.weights(self._generator.before_throw(rows, choices))
        made = weights.reshape(len(rows), len(choices)).argmax(axis=1)
        for number in np.unique(made):
            yield (choices[number],), np.flatnonzero(made == number)

    def _part(
        self,
        ranks: npt.NDArray[np.int64],
        rows: Rows,
        choices: tuple[PieceChoice, ...],
        is_over: npt.NDArray[np.bool_],
    ) -> _Part:
        space, n = self._generator.space, len(rows)
        turns = self._generator.every_throw(rows, *choices)
        reached, starts = space.rank_states(turns.after), turns.starts
        reached[turns.has(WIN)] = space.n_values
        if self._policy is not None:
            reached = reached[self._policy.weights(turns) > 0]
            starts = np.arange(len(turns) + 1)
        chances = [chance for choice in choices for _, chance in choice.outcomes]
        sizes = [len(choice.outcomes) for choice in choices]
        no = np.zeros(len(reached), dtype=bool)
        branches = Branches(
            ranks,
            np.arange(n + 1) * len(choices),
            np.cumsum([0, *sizes * n]),
            np.tile(chances, n),
            starts,
            reached,
            again=no,
            won=no,
            fined=no,
        )
        return _Part(branches, is_over)

    def _longest(self, part: _Part, values: Floats) -> Decisions:
        """The decisions of some states for the longest game, by lengths of all ranks."""
        return Decisions(_ByRank(self._generator.rules, values), part.branches)

    def check_that_it_ends(self) -> None:
        """Raise UnsolvableError if both sides together may stay in the block for ever."""
        may_stay = np.zeros(self._generator.space.n_values + 1, dtype=bool)
        for part in self._parts:
            may_stay[part.ranks] = ~part.is_over
        n_before, n_left = 0, int(may_stay.sum())
        while n_left != n_before:
            for part in self._parts:
                may_stay[part.ranks] &= part.may_stay(may_stay)
            n_before, n_left = n_left, int(may_stay.sum())
        if n_left:
            rules = self._generator.rules
            first = self._generator.space.unrank(int(np.argmax(may_stay))).notation
            raise UnsolvableError(
                f"{rules.name}: play may go on for ever from {first!r}, so games have no longest "
                "length"
            )

    def solve(self, values: Floats) -> int:
        """Solve the equations; return the number of sweeps, those of linear equations included.

        `values` are by rank, 0 behind the last one: the lengths of the blocks that this one reads;
        those of this block are written. UnsettledError if the lengths do not converge.
        """
        own = values[self.block.offset : self.block.offset + self.block.size]
        own[:] = 0.0
        n_sweeps = 0
        for _ in range(_MOST_ROUNDS):
            lengths = np.empty(self.block.size)
            for part in self._parts:
                longest = self._longest(part, values)
                part.prefer(longest, self.block)
                lengths[part.ranks - self.block.offset] = part.lengths(longest)
            left = lengths - own
            most = float(np.abs(left).max())
            n_sweeps += 1
            if most <= max(GOAL, _ROUNDING * float(lengths.max())):
                return n_sweeps
            step, n_steps = self._solve_linear(left, max(most * _LESS, GOAL / 4))
            n_sweeps += n_steps
            # a step that has come to nothing is one sweep
            own[:] = own + step if np.isfinite(step).all() else lengths
        raise UnsettledError(
            n_sweeps,
            f"{self._generator.rules.name}: the lengths of block {self.block.index} have not "
            f"converged in {n_sweeps:,} sweeps",
        )

    def _less_followed(self, values: Floats) -> Floats:
        """The values less the means of those that the policy leads to in the block."""
        found, room = values.copy(), np.append(values, 0.0)
        for part in self._parts:
            means = np.einsum("ij,ij->i", part.weights, room[part.followed])
            found[part.ranks - self.block.offset] -= means
        return found

    def _solve_linear(self, right: Floats, goal: float) -> tuple[Floats, int]:
        """The solution to within `goal` of the equations of the policy, and the sweeps."""
        found, left = right.copy(), right - self._less_followed(right)
        shadow = left.copy()
        along = flow = np.zeros_like(right)
        product = alpha = omega = 1.0
        n_steps = 1
        best, least = found, float(np.abs(left).max())
        while least > goal and n_steps < _MOST_STEPS:
            before, product = product, _dot(shadow, left)
            if product == 0.0 or omega == 0.0:
                break
            along = left + product / before * alpha / omega * (along - omega * flow)
            flow = self._less_followed(along)
            alpha = product / (_dot(shadow, flow) or np.inf)
            half = left - alpha * flow
            turned = self._less_followed(half)
            omega = _dot(turned, half) / (_dot(turned, turned) or np.inf)
            found = found + alpha * along + omega * half
            left = half - omega * turned
            n_steps += 2
            size = float(np.abs(left).max())
            if not np.isfinite(size):
                break
            if size < least:
                best, least = found, size
        return best, n_steps

    def residual(self, values: Floats) -> float:
        """By how much the two sides of an equation differ at most, rounding included.

        Twice what rounding may have changed is added, so that the same lengths have no larger
        residual if sums are computed in another order.
        """
        largest = 0.0
        for part in self._parts:
            lengths = part.lengths(self._longest(part, values))
            n_throws = len(part.branches.chances) // len(part.ranks)
            rounding = (n_throws + 5) * 2.0**-52 * lengths
            largest = max(largest, float((np.abs(lengths - values[part.ranks]) + rounding).max()))
        return largest


def _dot(first: Floats, second: Floats) -> float:
    return float(np.einsum("i,i", first, second))


_VALUE_BYTES = 8
_BLOCK_BYTES = 500
"""Memory: of a length, which is kept for every position, and of a position of the largest block."""

_EQUAL_WITHIN = 1e-9
"""Moves that are worse than the best by no more count as equal to it."""

_SLACK = 1 + 2.0**-50
"""More than the rounding of an error's last two operations."""


def check_lengths(rules: RuleSet, objective: str) -> None:
    """Check that lengths of a rule set can be solved here, by ``"length"`` or ``"length-max"``.

    InputError if there is no such objective, or the rules have stakes; MemoryLimitError if it would
    take more memory than is free.
    """
    if objective not in (LENGTH, LONGEST):
        raise InputError(
            f"objective {objective!r:.50}: expected {LENGTH!r} or {LONGEST!r} for lengths of games"
        )
    if rules.payoff.has_fines:
        raise InputError(f"{rules.name} has stakes; lengths are computed of games without them")
    space = space_of(rules)
    needed, free = _VALUE_BYTES * space.n_values + _BLOCK_BYTES * space.largest_size, free_memory()
    if needed > free:
        raise MemoryLimitError(
            f"lengths of {rules.title} take {needed / 2**30:.1f} GiB of memory, and "
            f"{free / 2**30:.1f} GiB are free; fewer pieces (-n) take less"
        )


def solve_lengths(
    rules: RuleSet,
    objective: str,
    path: pathlib.Path,
    values: Values | None = None,
    *,
    progress: Progress | None = None,
) -> Header:
    """Solve the lengths of all positions, prove their error, and write their table.

    The table replaces an existing one at the end. `values` are those of the rule set's own table,
    which ``"length"`` alone needs. Raises as `check_lengths`; UnsolvableError if play may go on for
    ever, UnsettledError if lengths do not converge, CertificateError if nothing can be proven of
    them, and OutputError if the table cannot be written.
    """
    began = time.perf_counter()
    check_lengths(rules, objective)
    space = space_of(rules)
    lengths = np.zeros(space.n_values + 1)
    residual = 0.0
    with TableWriter(path, rules, tolerance=0.0, objective=objective) as writer:
        for work in _blocks(rules, objective, values):
            block, since = work.block, time.perf_counter()
            work.check_that_it_ends()
            sweeps = work.solve(lengths)
            own = lengths[block.offset : block.offset + block.size]
            found = work.residual(lengths)
            residual = max(residual, found)
            error = proven_error(residual, own)
            seconds = time.perf_counter() - since
            record = BlockRecord(block.index, found, sweeps, seconds, error)
            writer.add(BlockResult(record, own))
            if progress is not None:
                progress(block.offset + block.size, space.n_values)
        return writer.finish(seconds=time.perf_counter() - began)


def _blocks(rules: RuleSet, objective: str, values: Values | None) -> Iterator[LengthBlock]:
    """The blocks in solving order, each written out when its turn comes."""
    policy: Policy | None = None
    if objective == LENGTH:
        if values is None:
            raise InputError(f"the objective {LENGTH!r} needs the values that both sides play by")
        policy = TablePolicy(values, tie=_EQUAL_WITHIN)
    generator = generator_of(rules)
    for block in generator.space.blocks:
        yield LengthBlock(generator, block, policy)


def proven_error(residual: float, lengths: npt.NDArray[np.float64]) -> float:
    """How far lengths may be off, by the largest residual of all that they lead to.

    CertificateError if that is 1 throw or more, by which nothing is proven.
    """
    if not residual < 1.0:
        raise CertificateError(
            f"lengths are {residual:.3g} throws off what their moves are worth, by which nothing "
            "is proven"
        )
    return float(residual / (1.0 - residual) * lengths.max() * _SLACK)


@dataclass(frozen=True)
class LengthVerification:
    """What was checked and found correct.

    `residual` is the largest as computed again, `error` how far a length can be off at most as
    proven again, both in throws.
    """

    positions: int
    chunks: int
    blocks: int
    residual: float
    error: float


def verify_lengths(
    table: TableFile, values: Values | None = None, *, progress: Progress | None = None
) -> LengthVerification:
    """Check a table of lengths from its file: checksums, equations, and its proven error.

    `values` are as for `solve_lengths`. DamagedTableError at the first fault.
    """
    header, rules = table.header, table.rules
    assert header.objective is not None
    table.check_whole("a verification of lengths")
    lengths = np.append(table.load(), 0.0)
    largest = 0.0
    for work in _blocks(rules, header.objective, values):
        block, row = work.block, table.blocks[work.block.index]
        own = lengths[block.offset : block.offset + block.size]
        found = work.residual(lengths)
        largest = max(largest, float(row["residual"]))
        is_sound = bool((own >= 0).all()) and found <= row["residual"] <= header.residual
        if not (is_sound and largest < 1 and proven_error(largest, own) <= row["error"]):
            raise DamagedTableError(
                f"table {str(table.path)!r} is wrong: block {block.index}: its lengths are "
                f"{found:.3g} throws off what their moves are worth, and it records "
                f"{row['residual']:.3g}, with an error of {row['error']:.3g}"
            )
        if progress is not None:
            progress(block.offset + block.size, header.positions)
    assert header.error is not None
    return LengthVerification(
        header.positions, table.n_chunks, len(table.blocks), largest, header.error
    )
