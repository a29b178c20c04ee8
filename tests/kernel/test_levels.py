"""The levels kernel against the readable turns, lane by lane."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tests.kernel.blocks import block_of, ranks_of
from tests.solving import solve
from ur_solver.kernel import ArrayBlocks, Workspace, kernel_of
from ur_solver.kernel._levels import LevelsKernel
from ur_solver.kernel.turn_tables import turn_tables
from ur_solver.rules import LIGHT, Stakes, named_rules
from ur_solver.rules.turns import evaluate, move_value, turn
from ur_solver.space import space_of
from ur_solver.space.stakes import CHANCE, LEAST, LEAST_CHANCE, MOST, MOST_CHANCE


def stakes_space(pieces, reach, ante=10, fine=1):
    return space_of(named_rules("bell", pieces).with_stakes(Stakes(ante, fine, reach)))


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
            return self.space.stakes.pot(position.fines)
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


@pytest.mark.parametrize(("pieces", "reach", "fine"), [(1, 0, 1), (1, 2, 3), (2, 2, 1), (3, 4, 2)])
def test_one_step_is_that_of_the_readable_turns(pieces, reach, fine):
    space = stakes_space(pieces, reach, fine=fine)
    random = np.random.default_rng(5)
    values = random.random(space.n_values)  # as of no game: errors cannot cancel
    readable = ReadableLanes(space, values)
    for rank in random.integers(0, space.n_positions, 40) * space.values_per_position:
        position = space.unrank(int(rank), LIGHT)
        expected = max(
            np.abs(readable.step(each) - readable.row(each)).max()
            for each in (position, position.pass_turn())
        )
        block = block_of(space, int(rank))
        found = kernel_of(space).residual(
            block, values[ranks_of(block)], ArrayBlocks(space, values), int(rank), 1
        )
        assert found == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("threads", [1, 2])
def test_sweeps_settle_in_the_same_values_however_many_threads_share_them(threads):
    space = stakes_space(2, 2)
    solved = solve(space, tolerance=1e-12)
    block = space.blocks[-1]
    expected, values = solved[ranks_of(block)], np.empty(block.size)
    work = kernel_of(space).lay_out(block, ArrayBlocks(space, solved), Workspace(), threads)
    work.store(values)
    assert np.abs(values - expected).max() > 0.1
    while work.sweep(threads) > 1e-14:
        pass
    assert work.residual(threads) < 1e-13
    work.store(values)
    assert np.abs(values - expected).max() < 1e-12


def test_the_chance_lane_is_bell_without_stakes():
    space = stakes_space(2, 2)
    rows = solve(space, tolerance=1e-12).reshape(-1, space.values_per_position)
    plain = solve(space.positions, tolerance=1e-12)
    assert np.abs(rows[:, space.reach + CHANCE] - plain).max() < 1e-12


def test_other_rules_are_refused():
    casual = space_of(named_rules("casual", 1))
    with pytest.raises(ValueError, match="not made for"):
        LevelsKernel(
            casual.ranking, turn_tables(casual), np.zeros(1, np.uint8), 0, 0.1, np.ones(6), 0.0
        )
