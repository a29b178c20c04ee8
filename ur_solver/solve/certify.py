"""Certifying values that are there already, block by block, on this machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ur_solver.kernel import Workspace, check_provable, prove_again
from ur_solver.solve.walk import Walk, default_threads
from ur_solver.space import Space


@dataclass(frozen=True)
class BlockBound:
    """What is proven of one block.

    Attributes
    ----------
    index : int
        Its place in `Space.blocks`.
    error : float
        How far its values are off at most.
    """

    index: int
    error: float


def certify(
    space: Space,
    values: npt.NDArray[np.float64],
    *,
    threads: int | None = None,
    on_block: Callable[[BlockBound], object] = lambda bound: None,
) -> npt.NDArray[np.float64]:
    """Prove of every block how far given values can be off.

    Parameters
    ----------
    space : Space
    values : float64, shape (n_positions,)
        From wherever they are: the proof needs nothing but them.
    threads : int, optional
        One a processor by default.
    on_block : callable
        Called with every block's bound, from this thread.

    Returns
    -------
    float64, shape (blocks,)
        The errors.

    Raises
    ------
    CertificateError
        If of some block nothing can be proven, or the dice are not exact in binary.
    """
    check_provable(space.rules)
    walk = _Certify(space, values, threads or default_threads(), on_block)
    walk.run()
    return walk.errors


class _Certify(Walk[BlockBound]):
    def __init__(
        self,
        space: Space,
        values: npt.NDArray[np.float64],
        threads: int,
        on_block: Callable[[BlockBound], object],
    ) -> None:
        super().__init__(space, threads, on_block)
        self.values = values
        self.errors = np.zeros(len(space.blocks))

    def work_on(self, index: int, threads: int, workspace: Workspace) -> BlockBound:
        block = self.space.blocks[index]
        _, error = prove_again(
            self.space,
            block,
            self.values,
            workspace,
            outside=float(max((self.errors[each] for each in self.leads_to[index]), default=0.0)),
            threads=threads,
            between=self.check_stop,
        )
        self.errors[index] = error
        return BlockBound(index, error)
