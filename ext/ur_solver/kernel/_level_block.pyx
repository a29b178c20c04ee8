"""One block of a game for money being solved: a block by rows whose positions have lanes (`levels.h`)."""

from cython.parallel cimport prange
from libc.stdint cimport int32_t, int64_t, uint16_t
from libc.stdlib cimport free, malloc

import numpy as np

from ur_solver.kernel.rounding import NOISE

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.kernel._levels cimport Levels, LevelTurns
from ur_solver.kernel._row_block cimport RowBlock
from ur_solver.kernel._row_layout cimport RowBlock as RowTiles
from ur_solver.kernel._row_layout cimport RowLayout, RowSweeper
from ur_solver.kernel._row_moves cimport RowChunk
from ur_solver.kernel._row_rules cimport RowRules
from ur_solver.kernel._workspace cimport Workspace

cdef extern from "levels.h" nogil:
    const RowSweeper row_levels
    ctypedef struct LevelRows:
        const Levels* levels
        int64_t n_own
        int32_t n_inputs
        const int64_t* first
        const double* const* base
        int32_t n_throws
        uint16_t* choices
        double* outside
        int32_t is_cut
    void levels_begin(const Levels* levels, double* values, int64_t n)
    void levels_choose(const RowTiles* block, const RowChunk* chunk, const double* values)
    void levels_widths(
        const Levels* levels, const double* upper, const double* lower, const double* values,
        int64_t n, double* widths)


cdef class LevelBlock(RowBlock):
    """One block laid out, with all lanes of its positions, which begin at half a pot.

    Parameters
    ----------
    turns : LevelTurns
    rules : RowRules
        With what landings pay.
    block : (first position, size)
    halves, inputs, workspace, threads, instruction_set
        As of `RowBlock`; for AVX-512 that of AVX2 serves. Values of `inputs` are read until the block
        is finished.

    Raises
    ------
    MemoryError
    ValueError
        If the processor lacks the instruction set, or the rules are none of those that levels are
        made for.
    """

    cdef LevelTurns turns
    cdef LevelRows rows
    cdef Inputs inputs
    cdef int64_t[::1] places          # by input: the place of its first row
    cdef const double** base
    cdef uint16_t[::1] choices        # by place and throw, while there are bounds

    def __cinit__(self):
        self.base = NULL

    def __dealloc__(self):
        free(self.base)

    def __init__(
        self, LevelTurns turns, RowRules rules, block, halves, Inputs inputs, Workspace workspace,
        int threads, instruction_set=None
    ):
        cdef int64_t k
        self.sweeper = &row_levels
        self.turns, self.inputs = turns, inputs
        self.is_single, self.lanes, self.n_matrices = False, turns.levels.lanes, 1
        self.noise = NOISE
        self._place_inputs(block[1])
        self.layout = RowLayout(
            rules, block, halves, inputs, threads, self._set_of(instruction_set), False,
            self.lanes, self.places)
        for k in range(self.layout.n_chunks):
            if self.layout.chunks[k].n_maps:
                raise ValueError("rules whose moves change columns, which levels are not made for")
        self.layout.block.levels = &self.rows
        self._open(workspace, threads)
        levels_begin(&turns.levels, <double*>self.values, self.layout.size)

    cdef object _place_inputs(self, int64_t place):
        # Number the rows of other blocks behind those of the block.
        cdef Inputs inputs = self.inputs
        cdef int k, n = <int>inputs.first.shape[0]
        self.places = np.zeros(n + 1, dtype=np.int64)
        self.base = <const double**>malloc((n + 1) * sizeof(double*))
        if self.base == NULL:
            raise MemoryError("no memory for a table of blocks")
        self.rows.n_own, self.rows.n_inputs, self.rows.n_throws = place, n, self.turns.n_throws
        for k in range(n):
            self.places[k] = place
            self.base[k] = inputs.base[k]
            place += (inputs.end[k] - inputs.first[k]) // self.lanes
        self.places[n] = place
        self.rows.levels = &self.turns.levels
        self.rows.first, self.rows.base = &self.places[0], self.base

    def carry(self, double outside):
        """True: a fine weighs what a chance is off, again and again."""
        cdef int lane
        for lane in range(self.lanes):
            self.rows.outside[lane] = outside
        self.rows.is_cut = False
        return True

    def carry_cut(self, const double[::1] levels, double outside):
        """Let bounds of the levels be those of the game whose fines are not cut.

        Parameters
        ----------
        levels : float64, shape (reach + 1,)
            What the levels of other blocks may be off, the cut included.
        outside : float
            What their values may be off, the cut left out.
        """
        cdef int lane
        self.carry(outside)
        for lane in range(self.turns.levels.reach):
            self.rows.outside[lane] = levels[lane]
        self.rows.is_cut = True

    def cut_widths(self, const double[::1] values):
        """How far bounds are from the given values, rounded up: float64, shape (reach + 1,).

        Those of the last level are the bounds of its cut.
        """
        widths = np.zeros(self.turns.levels.reach + 1)
        cdef double[::1] view = widths
        levels_widths(
            &self.turns.levels, <double*>self.values, <double*>self.lower, &values[0],
            self.layout.size, &view[0])
        return widths

    def bracket(self, const double[::1] values, double shift):
        """Set bounds around the given values; the block's own are lost.

        Parameters
        ----------
        values : float64, shape (block size,)
            The block's, in rank order. They say which moves the lanes of the cut keep to.
        shift : float
            The initial distance of the bounds from them.
        """
        cdef RowLayout layout = self.layout
        cdef int64_t k
        if self.rows.choices == NULL:
            self.choices = np.zeros(self.rows.n_throws * layout.size, dtype=np.uint16)
            self.rows.choices = &self.choices[0]
        for k in prange(
                layout.n_chunks, nogil=True, schedule="dynamic", num_threads=self.threads):
            levels_choose(&layout.block, &layout.chunks[k], &values[0])
        RowBlock.bracket(self, values, shift)
