"""The order of blocks, threads, resuming, and solves that are interrupted."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.golden import NAMES, each_kind, golden_rules
from tests.solving import block_of, solve
from ur_solver.engine import runners
from ur_solver.engine.runners import ThreadRunner
from ur_solver.kernel.kernels import RaceKernel
from ur_solver.kernel.rounding import MIN_TOLERANCE
from ur_solver.rules import named_rules
from ur_solver.space import space_of

pytestmark = pytest.mark.medium

FINKEL = space_of(named_rules("finkel:2"))


@pytest.mark.parametrize("pieces", [1, 2, 3])
@pytest.mark.parametrize("name", each_kind(NAMES))
def test_moves_lead_to_the_same_block_or_a_needed_one(name, pieces):
    rules = golden_rules(name, pieces)
    space = space_of(rules)
    for block in space.blocks:
        assert max(space.reads(block.index), default=-1) < block.index
    # some positions of every block, since most positions are in the last few blocks
    dice = random.Random(1)
    blocks = dice.sample(space.blocks, min(len(space.blocks), 100))
    for block in blocks:
        for _ in range(4):
            position = space.unrank(block.offset + dice.randrange(block.size))
            for throw in rules.dice.throws:
                moves = rules.legal_moves(position, throw)
                for after in [move.position for move in moves] or [position.pass_turn()]:
                    if after.winner is None:
                        own = block_of(space, space.rank(after)).index
                        assert own in {block.index, *space.reads(block.index)}


def test_every_block_is_reported_once_and_after_those_it_needs():
    for threads in (1, 2, 8):
        order = []
        values = solve(FINKEL, tolerance=1e-12, threads=threads, on_block=order.append)
        reported = [result.record.index for result in order]
        assert sorted(reported) == list(range(len(FINKEL.blocks)))
        for k, index in enumerate(reported):
            assert set(FINKEL.reads(index)) <= set(reported[:k])
        for result in order:
            block = FINKEL.blocks[result.record.index]
            own = values[block.offset : block.offset + block.size]
            assert np.array_equal(result.values, own)
            assert len(result.values) == block.size
            assert 0 <= result.record.residual < 1e-12
            assert result.record.sweeps >= 1


@pytest.mark.parametrize("word", ["finkel:3", "blitz:2", "murray:1"])
def test_values_do_not_depend_on_the_number_of_threads(word):
    # not bit for bit, since the order of updates depends on the threads
    space = space_of(named_rules(word))
    one = solve(space, tolerance=1e-12, threads=1)
    for threads in (2, 3, 16):
        assert np.abs(solve(space, tolerance=1e-12, threads=threads) - one).max() < 1e-12


@pytest.mark.memory
def test_blocks_worth_several_threads_share_them(monkeypatch):
    monkeypatch.setattr("ur_solver.engine.runners.SHARED_SIZE", 1)
    one = solve(FINKEL, tolerance=1e-12, threads=1)
    assert np.abs(solve(FINKEL, tolerance=1e-12, threads=4) - one).max() < 1e-12


@pytest.mark.memory
def test_a_best_move_that_sweeps_left_out_is_found_again():
    usual, reported = [], []
    expected = solve(FINKEL, tolerance=1e-12, threads=1, on_block=usual.append)
    # so negative a margin leaves out moves that it should not, once changes are below 1e-5
    kernel = RaceKernel(FINKEL, near=0, margin=-1e9)
    values = solve(FINKEL, tolerance=1e-12, threads=1, kernel=kernel, on_block=reported.append)
    assert np.abs(values - expected).max() < 1e-12
    assert max(each.record.residual for each in reported) < 1e-12
    further = sum(each.record.sweeps for each in reported) - sum(
        each.record.sweeps for each in usual
    )
    assert (further > 0) == (kernel.tiled.instruction_set != "plain")


def test_a_finer_tolerance_is_nearer():
    exact = solve(FINKEL, tolerance=MIN_TOLERANCE)
    coarse = np.abs(solve(FINKEL, tolerance=1e-3) - exact).max()
    fine = np.abs(solve(FINKEL, tolerance=1e-8) - exact).max()
    assert fine < 1e-8 < coarse < 1e-3


@pytest.mark.parametrize("tolerance", [1e-14, 0.0, -1.0, float("nan")])
def test_a_tolerance_out_of_reach_is_refused(tolerance):
    with pytest.raises(ValueError, match="expected a number from 1e-13 to"):
        solve(FINKEL, tolerance=tolerance)


@pytest.mark.parametrize("threads", [1, 3])
def test_finished_blocks_are_not_solved_again(threads):
    earlier = []
    expected = solve(FINKEL, tolerance=1e-12, threads=1, on_block=earlier.append)
    for kept in ([], earlier[:10], earlier[::2], earlier[-3:], earlier):
        # a block that was solved again would have lost its mark
        marked = [each._replace(values=each.values.copy()) for each in kept]
        reported = []
        values = solve(
            FINKEL,
            tolerance=1e-12,
            threads=threads,
            finished=iter(marked),
            on_block=lambda result, reported=reported: reported.append(result.record.index),
        )
        kept_indices = {each.record.index for each in kept}
        assert sorted(reported) == sorted(set(range(len(FINKEL.blocks))) - kept_indices)
        # bit for bit with one thread: a block's sweeps read only itself and final values
        if threads == 1:
            assert np.array_equal(values, expected)
        assert np.abs(values - expected).max() < 1e-12


def test_finished_values_are_taken_as_they_are():
    earlier = []
    solve(FINKEL, tolerance=1e-12, on_block=earlier.append)
    last = earlier[-1]
    other = last._replace(values=np.full(len(last.values), 0.25))
    values = solve(FINKEL, tolerance=1e-12, finished=[*earlier[:-1], other])
    assert (values[FINKEL.blocks[last.record.index].offset :][: len(last.values)] == 0.25).all()


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_what_on_block_raises_ends_the_solve(threads, error):
    reported = []

    def on_block(result):
        reported.append(result.record.index)
        if len(reported) == 5:
            raise error("enough")

    with pytest.raises(error, match="enough"):
        solve(FINKEL, tolerance=1e-12, threads=threads, on_block=on_block)
    assert len(reported) == 5


class Cramped(RaceKernel):
    """A kernel that has no room for any block."""

    def lay_out(self, block, finished, workspace, threads=1, *, single=False):
        raise MemoryError("no room")


def test_a_failing_block_ends_the_solve():
    with pytest.raises(MemoryError, match="no room"):
        solve(FINKEL, tolerance=1e-12, kernel=Cramped(FINKEL))


def test_a_thread_a_processor(monkeypatch):
    monkeypatch.setattr(runners, "usable_processors", lambda: 3)
    assert ThreadRunner().threads == 3
    assert ThreadRunner(2).threads == 2
