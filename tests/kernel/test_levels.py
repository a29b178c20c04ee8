"""Games for money by rows and by single positions, against the readable turns, lane by lane."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tests.kernel.blocks import ranks_of
from tests.solving import block_of, solve
from ur_solver.kernel import _row_layout
from ur_solver.kernel._levels import LevelTurns
from ur_solver.kernel._tiled import instruction_sets
from ur_solver.kernel._workspace import Workspace
from ur_solver.kernel.interface import ArrayBlocks
from ur_solver.kernel.kernels import StakesKernel, kernel_of
from ur_solver.moves import move_tables
from ur_solver.rules import LIGHT, Stakes, named_rules
from ur_solver.rules.turns import evaluate, move_value, turn
from ur_solver.space import space_of
from ur_solver.space.stakes import CHANCE, LEAST, LEAST_CHANCE, MOST, MOST_CHANCE


def stakes_space(pieces, reach, ante=10, fine=1):
    return space_of(named_rules("bell", pieces).changed(stakes=Stakes(ante, fine, reach)))


class ReadableLanes:
    """The lanes of a position, one step of value iteration on, by the readable turns."""

    def __init__(self, space, values):
        self.space, self.rows = space, values.reshape(-1, space.values_per_position)
        self.fine = space.stakes.fine / space.unit

    def row(self, position):
        won = position.winner
        if won is not None:
            return (
                self.space.pots
                if won == position.side
                else np.zeros(self.space.values_per_position)
            )
        return self.rows[self.space.rank(position) // self.space.values_per_position]

    def value(self, position):
        """The money of a position, by the straight line past the last level."""
        row, reach = self.row(position), self.space.reach
        past = max(0, position.fines - reach)
        if position.winner is not None and row.any():
            return self.space.stakes.total(position.fines)
        money = row[position.fines - past] * self.space.unit
        return money + past * self.space.stakes.fine * row[reach + CHANCE]

    def step(self, position):
        space, reach = self.space, self.space.reach
        levels = [
            evaluate(dataclasses.replace(position, fines=fines), self.value) / space.unit
            for fines in range(reach + 1)
        ]
        lanes = {CHANCE: 0.0, LEAST_CHANCE: 0.0, MOST_CHANCE: 0.0, LEAST: 0.0, MOST: 0.0}
        at_reach = dataclasses.replace(position, fines=reach)
        (choice,) = turn(at_reach)
        image = self.row(at_reach.pass_turn())[reach:]
        for outcome in choice.outcomes:
            for lane in lanes:
                lanes[lane] += float(outcome.probability) * self.lane(lane, outcome.moves, image)
        return np.array([*levels, *lanes.values()])

    def lane(self, lane, moves, image):
        """What a throw is worth in a lane behind the last level."""
        reach = self.space.reach
        if not moves:
            other = {LEAST_CHANCE: MOST_CHANCE, MOST_CHANCE: LEAST_CHANCE, LEAST: MOST, MOST: LEAST}
            return self.space.pots[reach + lane] - image[other.get(lane, lane)]
        slope = {LEAST: LEAST_CHANCE, MOST: MOST_CHANCE}

        def worth(move):
            row = self.row(move.position)[reach:]
            if not move.again:  # the game is won
                return self.space.pots[reach + lane] - row[lane]
            if lane in slope and move.cost:
                return row[lane] + self.fine * (row[slope[lane]] - 1)
            return row[lane]

        if lane in (LEAST_CHANCE, LEAST):  # the move that the last level would have
            return worth(max(moves, key=lambda move: move_value(move, self.value)))
        return max(map(worth, moves))


@pytest.mark.memory
@pytest.mark.parametrize(("pieces", "reach", "fine"), [(1, 0, 1), (1, 2, 3), (2, 2, 1), (3, 4, 2)])
def test_one_step_is_that_of_the_readable_turns(pieces, reach, fine):
    space = stakes_space(pieces, reach, fine=fine)
    random = np.random.default_rng(5)
    values = random.random(space.n_values)  # as of no game: errors cannot cancel
    readable = ReadableLanes(space, values)
    for rank in random.integers(0, space.n_positions, 40) * space.values_per_position:
        position = space.unrank(int(rank), LIGHT)
        expected = np.abs(readable.step(position) - readable.row(position)).max()
        block = block_of(space, int(rank))
        found = kernel_of(space).residual(
            block, values[ranks_of(block)], ArrayBlocks(space, values), int(rank), 1
        )
        assert found == pytest.approx(expected, abs=1e-13)


SETS = pytest.mark.parametrize(
    "instruction_set", [name for name in instruction_sets() if name != "avx512"]
)
"""Lanes are swept by AVX2 where there is AVX-512 too."""

REACHES = pytest.mark.parametrize("reach", [0, 1, 2, 6, 10, 26])
"""6, 7, 8, 12, 16 and 32 lanes: by fours and one by one, with sweeps of their own or not."""


@pytest.mark.memory
@REACHES
@pytest.mark.parametrize("pieces", [1, 2])
def test_rows_and_single_positions_agree(pieces, reach):
    # every position of every block, by every set
    space = stakes_space(pieces, reach, fine=3)
    kernels = [StakesKernel(space, each) for each in instruction_sets()]
    values = np.random.default_rng(8).random(space.n_values)
    blocks = ArrayBlocks(space, values)
    for block in space.blocks:
        own = values[ranks_of(block)].copy()
        by_position = kernels[0].residual(block, own, blocks, block.offset, block.size)
        for kernel in kernels:
            work = kernel.lay_out(block, blocks, Workspace())
            work.load(own)
            assert work.residual(1) == pytest.approx(by_position, abs=1e-14), kernel.instruction_set


@SETS
@REACHES
def test_no_position_changes_where_all_are_solved(reach, instruction_set):
    space = stakes_space(2, reach)
    kernel = StakesKernel(space, instruction_set)
    values = solve(space, tolerance=1e-12, kernel=kernel)
    blocks = ArrayBlocks(space, values)
    for block in space.blocks:
        own = values[ranks_of(block)]
        assert kernel.residual(block, own, blocks, block.offset, block.size, threads=2) < 2e-12


@pytest.mark.memory
@SETS
@pytest.mark.parametrize("threads", [1, 2])
def test_sweeps_settle_in_the_same_values_however_many_threads_share_them(threads, instruction_set):
    space = stakes_space(2, 2)
    solved = solve(space, tolerance=1e-12)
    block = space.blocks[-1]
    expected, values = solved[ranks_of(block)], np.empty(block.size)
    kernel = StakesKernel(space, instruction_set)
    work = kernel.lay_out(block, ArrayBlocks(space, solved), Workspace(), threads)
    work.store(values)
    assert np.abs(values - expected).max() > 0.1
    while work.sweep(threads) > 1e-14:
        pass
    assert work.residual(threads) < 1e-13
    work.store(values)
    assert np.abs(values - expected).max() < 1e-12


@pytest.mark.memory
@SETS
def test_words_of_64_bits_name_the_same_rows(instruction_set, monkeypatch):
    space = stakes_space(2, 2)
    values = np.random.default_rng(9).random(space.n_values)
    blocks, block = ArrayBlocks(space, values), max(space.blocks, key=lambda each: each.size)
    own, found = values[ranks_of(block)].copy(), []
    for first_wide in (2**32, 0):
        monkeypatch.setattr(_row_layout, "FIRST_WIDE", first_wide)
        work = StakesKernel(space, instruction_set).lay_out(block, blocks, Workspace())
        work.load(own)
        residual, swept = work.residual(1), np.empty(block.size)
        work.sweep(1)
        work.store(swept)
        work.bracket(own, 0.1)
        work.narrow(1)
        found.append((work.word_bytes, residual, swept.tolist(), work.width(own)))
    narrow, wide = found
    assert wide == (2 * narrow[0], *narrow[1:])


@pytest.mark.parametrize("reach", [0, 2, 10])
def test_lists_take_no_more_than_is_said(reach):
    space = stakes_space(4, reach)
    kernel, blocks = kernel_of(space), ArrayBlocks(space, np.zeros(space.n_values))
    block = max(space.blocks, key=lambda each: each.size)
    work = kernel.lay_out(block, blocks, Workspace())
    stated = kernel.workspace_bytes(block) - (1 << 20)
    assert work.list_bytes > 1 << 20  # more than what is stated of any block besides
    assert work.list_bytes + 8 * block.size <= stated


def test_the_chance_lane_is_bell_without_stakes():
    space = stakes_space(2, 2)
    rows = solve(space, tolerance=1e-12).reshape(-1, space.values_per_position)
    plain = solve(space.positions, tolerance=1e-12)
    assert np.abs(rows[:, space.reach + CHANCE] - plain).max() < 1e-12


@pytest.mark.memory
def test_other_rules_are_refused():
    casual = space_of(named_rules("casual", 1))
    with pytest.raises(ValueError, match="not made for"):
        LevelTurns(casual.ranking, move_tables(casual), 0, 0.1, np.ones(6))
