"""Solving a space on this machine, block by block."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
import numpy.typing as npt

from ur_solver.kernel import KernelBlock, LevelsBlock, Workspace, check_provable, open_block, prove
from ur_solver.solve.iterate import iterate
from ur_solver.solve.result import BlockResult
from ur_solver.solve.walk import Walk, default_threads
from ur_solver.space import Space

MIN_TOLERANCE = 1e-13
"""What float64 values can be asked for: some hundred units of their rounding."""

_GOAL = 0.1
"""A block is iterated to this share of the tolerance: errors of blocks add up."""

_CERTIFIED_GOAL = 0.005
"""And to this where it is certified: what is left shows in the bounds several times over."""

_LINE = 8
"""Numbers in a cache line."""


def _empty(length: int) -> npt.NDArray[np.float64]:
    """float64, at the beginning of a cache line: rows that fill lines stay in theirs."""
    room = np.empty(length + _LINE)
    skipped = -(room.ctypes.data // room.itemsize) % _LINE
    return room[skipped : skipped + length]


def solve(
    space: Space,
    *,
    tolerance: float,
    certify: bool = False,
    threads: int | None = None,
    finished: Iterable[BlockResult] = (),
    on_block: Callable[[BlockResult], object] = lambda result: None,
) -> npt.NDArray[np.float64]:
    """The values of all positions of a space.

    Parameters
    ----------
    space : Space
    tolerance : float
        What a value may be off, as far as deltas can tell; at least `MIN_TOLERANCE`.
    certify : bool
        Prove of every block, as it is finished, how far its values can be off. That may
        be more than the tolerance.
    threads : int, optional
        One a processor by default.
    finished : iterable of BlockResult
        Blocks that an earlier solve finished, certified if this one is to be.
    on_block : callable
        Called with every block as it is finished, from this thread; its `values` are a
        view of the array returned. What it raises ends the solve.

    Returns
    -------
    float64, shape (n_positions,)
        Win probabilities in [0, 1] of the side about to throw, by rank; with stakes what
        the ranks stand for (`ur_solver.space.stakes`), in the unit of the space.

    Raises
    ------
    ValueError
        If the tolerance is too small.
    CertificateError
        If of some block nothing can be proven.
    """
    if not tolerance >= MIN_TOLERANCE:
        raise ValueError(f"tolerance {tolerance!r}: float64 values reach {MIN_TOLERANCE}")
    if certify:
        check_provable(space.rules)
    goal = (_CERTIFIED_GOAL if certify else _GOAL) * tolerance
    walk = _Solve(space, goal, certify, threads or default_threads(), on_block)
    walk.run(walk.take(finished))
    return walk.values


class _Solve(Walk[BlockResult]):
    """The state of one call of `solve`."""

    def __init__(
        self,
        space: Space,
        goal: float,
        certify: bool,
        threads: int,
        on_block: Callable[[BlockResult], object],
    ) -> None:
        super().__init__(space, threads, on_block)
        self.goal = goal
        self.certify = certify
        self.errors: dict[int, float] = {}
        self.values = _empty(space.n_positions)

    def take(self, finished: Iterable[BlockResult]) -> set[int]:
        """Blocks that an earlier solve finished; which they are."""
        done = set()
        for result in finished:
            block = self.space.blocks[result.index]
            self.values[block.offset : block.offset + block.size] = result.values
            done.add(result.index)
            if result.error is not None:
                self.errors[result.index] = result.error
        return done

    def work_on(self, index: int, threads: int, workspace: Workspace) -> BlockResult:
        began = time.perf_counter()
        block = self.space.blocks[index]
        values = self.values[block.offset : block.offset + block.size]
        work = open_block(self.space, block, self.values, workspace, threads)
        sweeps, residual = self._settle(work, values, index, threads)
        if work.keep_all() and residual > max(self.goal, work.noise):
            # It is about half of that at most, unless the best of some moves was left out.
            further, residual = self._settle(work, values, index, threads)
            sweeps += further
        error = None
        if self.certify:
            assert not isinstance(work, LevelsBlock)  # stakes are refused (`check_provable`)
            error = self.errors[index] = prove(
                work,
                self.space,
                block,
                self.values,
                residual=residual,
                outside=max((self.errors[each] for each in self.leads_to[index]), default=0.0),
                threads=threads,
                between=self.check_stop,
            )
        return BlockResult(
            index=index,
            values=values,
            residual=residual,
            sweeps=sweeps,
            seconds=time.perf_counter() - began,
            error=error,
        )

    def _settle(
        self, work: KernelBlock, values: npt.NDArray[np.float64], index: int, threads: int
    ) -> tuple[int, float]:
        """Bring a block to its fixed point, its own `values`: how many sweeps; the residual."""
        spare = partial(self.spare_threads, index)
        iteration = iterate(work, self.goal, threads, self.stop, spare)
        work.store(self.values)
        if self.space.is_chance and (values.min() < 0.0 or values.max() > 1.0):
            # An extrapolation may step over the ends by less than the tolerance.
            np.clip(values, 0.0, 1.0, out=values)
            work.load(self.values)
        return iteration.sweeps, work.residual(threads + spare())
