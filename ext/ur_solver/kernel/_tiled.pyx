"""The tiled kernel: a block as matrices whose rows are updated with whole vectors.

`TiledKernel` holds what a space's blocks share; `TiledBlock` is one block laid out in a
workspace of its own, from which its values are read when it is done.
"""

from cython.parallel cimport prange
from libc.math cimport INFINITY, fabs, nextafter
from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

from ur_solver.kernel.rounding import NOISE, SINGLE_NOISE, SINGLE_RESIDUAL
from ur_solver.kernel.sampling import sample_step

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.kernel._layout_tables cimport LayoutTables
from ur_solver.kernel._program cimport (
    LANE_ROWS, LANE_SQUARES, LANE_VECTORS, LANES, UR_DOUBLE, UR_MIXED, UR_SINGLE, MatrixRef, Program,
    Sweeps, Tile, is_turned, tiled_sweeps,
)
from ur_solver.kernel._sets cimport find_set, n_instruction_sets
from ur_solver.kernel._sets cimport instruction_sets as compiled_sets
from ur_solver.kernel._tile_layout cimport TileLayout
from ur_solver.kernel._workspace cimport Workspace
from ur_solver.space._tile_ranking cimport TileRanking


cdef enum:
    NEAR = 1 << 17    # vectors: 2 MiB in single precision, 4 in double, twice that for bounds

# Half of the last place of numbers, at most: of doubles up to 1, of floats up to 1/2.
cdef double HALF_UNIT = 2.0**-53
cdef double HALF_UNIT_SINGLE = 2.0**-26

# Arithmetic with floats ends before changes are mostly rounding: limits down to 2e-7 cost no further
# sweeps, 1e-7 does in some blocks.
cdef double FLOAT_DELTA = 3e-7

# Changes below which moves are left out, of floats: 1e-6 to 1e-4 take equally long.
cdef double ELIMINATION = 1e-5


def instruction_sets():
    """The instruction sets of this build that this processor runs, the fastest first."""
    return tuple(
        compiled_sets[k].name.decode() for k in range(n_instruction_sets)
        if compiled_sets[k].runs())


cdef class TiledKernel(LayoutTables):
    """The tables that all blocks of a space share; thread safe.

    Parameters
    ----------
    tiling : Tiling
    ranking : TileRanking
    instruction_set : str, optional
        One of `instruction_sets`; the fastest by default.
    rounds : int
        The number of times that a tile and its mirror are updated in turn before the next pair; a
        strip and its mirror are solved once.
    near : int
        Blocks of at most this many vectors fit the caches and are not prefetched: a sweep then
        takes 0.8 of the time. They are swept with all moves, too: finding those that can be
        left out takes the time of two sweeps.
    margin : float
        Moves are left out that are worse than the best by more than this multiple of the last
        change, or of the rounding error of single precision if that is larger. With contraction
        factor r the remaining change of a value is at most r / (1 - r) times the last one, that
        of the difference of two values twice as much: 98 for r = 0.98. This is an estimate; the
        residual, which uses all moves, shows an error.
    is_single : bool
        Whether blocks are solved in single precision to the end.
    """

    cdef const Sweeps* sweeps[3]   # by precision
    cdef readonly str instruction_set
    cdef readonly int rounds
    cdef readonly double margin
    cdef readonly bint is_single

    def __init__(
        self, tiling, TileRanking ranking, instruction_set=None, int rounds=2, int64_t near=NEAR,
        double margin=98.0, bint is_single=False
    ):
        cdef int k
        names = instruction_sets()
        self.instruction_set = names[0] if instruction_set is None else instruction_set
        if self.instruction_set not in names:
            raise ValueError(
                f"instruction set {instruction_set!r}: this processor runs {', '.join(names)}"
            )
        name = self.instruction_set.encode()
        for k in range(3):
            self.sweeps[k] = tiled_sweeps(find_set(name), k)
        self.rounds = rounds
        self.margin = margin
        self.is_single = is_single
        super().__init__(tiling, ranking, near)


cdef class TiledBlock(TileLayout):
    """One block laid out as tiles.

    Parameters
    ----------
    kernel : TiledKernel
    workspace, halves, inputs, threads
        As of `TileLayout`.
    starts_single : bool
        Begin with arithmetic in floats, until `refine`; blocks in single precision always do. Such
        sweeps leave out the moves that are too bad to become the best, once changes are small.
    """

    cdef TiledKernel kernel
    cdef void* values              # in `buffer`, or while floats come first in `beyond`
    cdef int precision             # of sweeps: UR_DOUBLE, with floats UR_SINGLE and then UR_MIXED
    # Behind the numbers of `buffer` there is room for floats that come first, for a copy of values
    # or for lower bounds; while there are bounds, the upper ones are in place of the values.
    cdef void* beyond
    cdef void* memory              # the copy; NULL if there is none
    cdef bint is_bounded           # whether there are bounds
    cdef Program kept              # of the moves that sweeps use, or of the lower bounds
    cdef bint eliminated           # whether sweeps use `kept`
    cdef bint may_eliminate        # whether moves will be left out once changes are small

    def __init__(
        self, TiledKernel kernel, Workspace workspace, halves, Inputs inputs, int threads=1,
        bint starts_single=False
    ):
        cdef int64_t k = 0
        super().__init__(kernel, workspace, halves, inputs, threads, kernel.is_single)
        self.kernel = kernel
        self.memory = NULL
        self.is_bounded = False
        self.eliminated = self.may_eliminate = False
        self.values = self.buffer
        self.precision = UR_MIXED if self.is_single else UR_DOUBLE
        if self.is_single:
            self.beyond = <float*>self.buffer + self.n_vectors * LANES
        else:
            self.beyond = <double*>self.buffer + self.n_vectors * LANES
        if starts_single or self.is_single:
            self.may_eliminate = not self.program.is_near
            if self.may_eliminate:
                self._take_kept()
            self._start_single()
        for k in prange(
                self.n_state_vectors * LANES, nogil=True, schedule="static",
                num_threads=threads):
            if self.precision != UR_DOUBLE:
                (<float*>self.values)[k] = 0.0
            else:
                (<double*>self.values)[k] = 0.5

    cdef void _start_single(self) noexcept nogil:
        # Sweep with floats; with what leaves the block as floats too.
        cdef int64_t k
        self.precision = UR_SINGLE
        if not self.is_single:
            self.values = self.beyond
            for k in prange(
                    self.n_state_vectors * LANES, self.n_vectors * LANES, schedule="static",
                    num_threads=self.threads):
                (<float*>self.values)[k] = <float>((<double*>self.buffer)[k] - 0.5)

    cdef _take_kept(self):
        # Room for another program of the same size.
        self.kept = self.program
        self.kept.tiles = <Tile*>self.workspace.kept_tiles.take(self.n_tiles * sizeof(Tile))
        self._take_lists(&self.kept, self.workspace.kept_moves, self.workspace.kept_slots)

    cdef _take_frames(self, int threads):
        # Four for each thread: of a tile and its mirror, by both bounds.
        self.program.frames = self.workspace.frames.vectors(
            4 * threads * LANE_SQUARES * LANE_ROWS * LANE_VECTORS)
        self.kept.frames = self.program.frames

    def sweep(self, int threads):
        """Update every tile in place, the furthest on first.

        Parameters
        ----------
        threads : int
            How many threads share the groups.

        Returns
        -------
        float
            The delta: the largest change of a value on its first update.
        """
        cdef double delta
        cdef const Program* program = &self.kept if self.eliminated else &self.program
        self._take_frames(threads)
        with nogil:
            delta = self.kernel.sweeps[self.precision].sweep(
                program, self.values, &self.order[0], &self.group_start[0],
                self.group_start.shape[0] - 1, self.kernel.rounds, threads)
        if delta <= ELIMINATION and self.may_eliminate and self.precision != UR_DOUBLE:
            self._eliminate(self.kernel.margin * max(delta, FLOAT_DELTA), threads)
        return delta

    cdef _eliminate(self, double margin, int threads):
        with nogil:
            self.kernel.sweeps[UR_SINGLE].eliminate(
                &self.program, self.values, &self.order[0], self.order.shape[0], margin,
                &self.kept, threads)
        self.may_eliminate, self.eliminated = False, True

    @property
    def n_looked_at(self):
        """The number of moves that sweeps use: of tiles, and from entry squares and home."""
        cdef const Program* program = &self.kept if self.eliminated else &self.program
        cdef int64_t t, k, moves = 0, slots = 0
        cdef int64_t move
        cdef uint64_t ref, before
        cdef int n
        for t in range(self.n_tiles):
            move = program.tiles[t].first_move
            for n in range(program.n_throws):
                before = 0
                for k in range(program.tiles[t].n_moves[n]):
                    ref = program.moves[move]
                    moves += ref != before and <int64_t>(ref >> 8) < self.no_moves
                    before = ref
                    move += 1
        for k in range(self.n_tiles * program.n_slots):
            slots += program.slots[k] != 0
        return moves, slots

    @property
    def has_policies(self):
        """False: its sweeps look at all moves."""
        return False

    def keep_all(self):
        """Use all moves from now on; return whether some may have been left out."""
        eliminated = self.eliminated
        self.eliminated = self.may_eliminate = False
        return eliminated

    @property
    def noise(self):
        """The largest change that may be due to rounding."""
        if self.precision == UR_SINGLE:
            return FLOAT_DELTA
        return SINGLE_NOISE if self.is_single else NOISE

    def refine(self):
        """Switch from arithmetic with floats to doubles; return whether. `remember` is undone."""
        cdef int64_t k
        if self.precision != UR_SINGLE:
            return False
        self.precision = UR_MIXED if self.is_single else UR_DOUBLE
        self.memory = NULL
        if not self.is_single:
            for k in prange(
                    self.n_state_vectors * LANES, nogil=True, schedule="static",
                    num_threads=self.threads):
                (<double*>self.buffer)[k] = (<float*>self.values)[k] + 0.5
            self.values = self.buffer
        return True

    def residual(self, int threads):
        """The largest abs(T(V) - V); in single precision it is at most that. As `refine`, it writes
        no values."""
        cdef double residual
        self.refine()
        self._take_frames(threads)
        with nogil:
            residual = self.kernel.sweeps[self.precision].residual(
                &self.program, self.values, self.n_tiles, threads)
        return residual + (SINGLE_RESIDUAL if self.is_single else 0.0)

    def sample(self):
        """The values of some tiles, always the same ones: float64, a copy."""
        cdef int64_t step = sample_step(self.n_tiles, self.n_own_vectors * LANES)
        cdef int64_t t, k = 0
        for t in range(0, self.n_tiles, step):
            k += self.tiles[t].n_rows * self.tiles[t].n_columns
        values = np.empty(k)
        cdef double[::1] view = values
        k = 0
        for t in range(0, self.n_tiles, step):
            self._copy_tile(
                &self.tiles[t], self.values, self.precision != UR_DOUBLE, &view[k], NULL)
            k += self.tiles[t].n_rows * self.tiles[t].n_columns
        return values

    def remember(self, room=None):
        """Keep a copy of the values, for `extrapolate`; there is room of its own."""
        # floats that come first are in the place of a copy, and the copy in that of doubles
        self.memory = self.buffer if self.values == self.beyond else self.beyond
        with nogil:
            self.kernel.sweeps[self.precision].remember(
                &self.program, self.values, self.memory, self.n_tiles, self.threads)

    def extrapolate(self, double factor):
        """Add to every value `factor` times its change since `remember`."""
        if self.memory == NULL:
            raise ValueError("extrapolate before remember")
        with nogil:
            self.kernel.sweeps[self.precision].extrapolate(
                &self.program, self.values, self.memory, self.n_tiles, factor, self.threads)

    def carry(self, double outside):
        """False: errors of chances add up."""
        return False

    def bracket(self, const double[::1] values, double shift):
        """Set bounds around the given values; the block's own values are lost.

        Parameters
        ----------
        values : float64, shape (block size,)
            The block's, in rank order.
        shift : float
            The initial distance of the bounds from the values; draws are exactly 1/2.
        """
        self.refine()
        self.keep_all()
        self.memory = NULL
        if not self.is_bounded:
            self._take_kept()
            with nogil:
                self._shift_program()
            self.is_bounded = True
        self._copy(self.values, self.is_single, NULL, &values[0])
        with nogil:
            # a turned tile's are 1 less the value, rounded to nearest; floats are rounded as well
            self.kernel.sweeps[self.precision].widen(
                self.values, self.beyond, self.n_state_vectors,
                nextafter(
                    shift + HALF_UNIT + (HALF_UNIT_SINGLE if self.is_single else 0.0), INFINITY))
            self._settle_draws()
            self.kernel.sweeps[self.precision].write_g_of_bounds(
                &self.program, &self.kept, self.values, self.n_tiles)

    cdef void _shift_program(self) noexcept nogil:
        # The program of the lower bounds: all that is read of this block lies behind the buffer.
        cdef int64_t k
        for k in range(self.n_tiles):
            self.kept.tiles[k] = self.tiles[k]
            self.kept.tiles[k].f += self.n_vectors
        for k in range(self.n_moves):
            self.kept.moves[k] = self._shifted(self.program.moves[k])
        for k in range(self.n_tiles * self.program.n_slots):
            self.kept.slots[k] = self._shifted(self.program.slots[k])

    cdef MatrixRef _shifted(self, MatrixRef ref) noexcept nogil:
        # What leaves the block is where it was, and 0 stands for no move.
        if ref == 0 or <int64_t>(ref >> 8) >= self.n_state_vectors:
            return ref
        return ref + (<uint64_t>self.n_vectors << 8)

    cdef void _settle_draws(self) noexcept nogil:
        # Both bounds of positions in which neither side has a move by any throw.
        cdef int stuck = (1 << self.program.n_throws) - 1
        cdef int64_t t, at
        cdef int r, c
        cdef const Tile* tile
        cdef const Tile* mirror
        for t in range(self.n_tiles):
            tile, mirror = &self.tiles[t], &self.tiles[self.tiles[t].mirror]
            for r in range(tile.n_rows):
                if self.pass_bits[tile.first_row + r] != stuck:
                    continue
                for c in range(tile.n_columns):
                    if self.pass_bits[mirror.first_row + c] == stuck:
                        at = self._row(tile, r) + c
                        if self.is_single:
                            (<float*>self.values)[at] = (<float*>self.beyond)[at] = 0.0
                        else:
                            (<double*>self.values)[at] = (<double*>self.beyond)[at] = 0.5

    def narrow(self, int threads):
        """Sweep both bounds, each update rounded outwards."""
        self._take_frames(threads)
        with nogil:
            self.kernel.sweeps[self.precision].narrow(
                &self.program, &self.kept, self.values, &self.order[0], &self.group_start[0],
                self.group_start.shape[0] - 1, self.kernel.rounds, threads)

    def width(self, const double[::1] values):
        """The largest distance of the bounds from the given values, and its rank.

        Parameters
        ----------
        values : float64, shape (block size,)
            In rank order.

        Returns
        -------
        width : float
            The largest that an upper bound is above its value, or a lower one below it,
            rounded up.
        rank : int
            Where it is that large.
        """
        cdef double width = -1.0, off, blur
        cdef double[LANE_ROWS * LANE_ROWS] upper
        cdef double[LANE_ROWS * LANE_ROWS] lower
        cdef int64_t t, first = 0, worst = 0
        cdef int k
        cdef const Tile* tile
        with nogil:
            for t in range(self.n_tiles):
                tile = &self.tiles[t]
                self._copy_tile(tile, self.values, self.is_single, upper, NULL)
                self._copy_tile(tile, self.beyond, self.is_single, lower, NULL)
                # 1 less a bound, which makes an upper one a lower one, and a float and 1/2: rounded
                blur = HALF_UNIT * (is_turned(tile) + self.is_single)
                for k in range(tile.n_rows * tile.n_columns):
                    off = max(fabs(upper[k] - values[first + k]), fabs(values[first + k] - lower[k]))
                    if blur > 0.0:
                        off = nextafter(off + blur, INFINITY)
                    if off > width:
                        width, worst = off, first + k
                first += tile.n_rows * tile.n_columns
        # one subtraction, rounded to nearest
        return nextafter(width, INFINITY), self.first_rank + worst

    def store(self, double[::1] values):
        """Write the block's values to `values`, float64, shape (block size,), by rank; see `refine`."""
        self.refine()
        self._copy(self.values, self.is_single, &values[0], NULL)

    def load(self, const double[::1] values):
        """Take the block's values from `values`, float64, shape (block size,), in rank order."""
        self.refine()
        self._copy(self.values, self.is_single, NULL, &values[0])
        with nogil:
            self.kernel.sweeps[self.precision].write_g(
                &self.program, self.values, self.n_tiles, self.threads)
