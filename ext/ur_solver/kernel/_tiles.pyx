"""What a tile's number stands for: who holds each shared square, and which ranks it has."""

from libc.stdint cimport int32_t, int64_t

from ur_solver.space._ranking cimport MAX_SHARED, Ranking

cimport cython


@cython.final
cdef class TileTables:
    """The counting tables of a space's tiles; thread safe.

    Parameters
    ----------
    tiling : Tiling
    ranking : Ranking
    """

    def __init__(self, tiling, Ranking ranking):
        visits = tiling.visits
        self.ranking = ranking
        self.n_shared = len(tiling.layout.shared)
        self.count, self.below = tiling.tile_below
        self.mask_counts = tiling.mask_counts
        self.place = visits["place"]
        self.index, self.digit = visits["index"], visits["digit"]
        self.square, self.leg = visits["square"], visits["leg"]
        self.mirror = visits["mirror"]
        if self.n_shared > MAX_SHARED:
            raise ValueError("rules larger than the compiled limits")

    cdef int64_t number(self, const int32_t* digits, int i, int j) noexcept nogil:
        # The place of a filling among those with at most i and j pieces.
        cdef int64_t number = 0
        cdef int s, d
        for s in range(self.n_shared):
            d = digits[s]
            number += self.below[s, i, j, d]
            if d == MINE:
                i -= 1
            elif d == THEIRS:
                j -= 1
        return number

    cdef void fill(self, int64_t number, int i, int j, Filling* filling) noexcept nogil:
        cdef int s, d
        filling.my_forks = filling.their_forks = 0
        for s in range(self.n_shared):
            d = THEIRS
            while not 0 <= self.below[s, i, j, d] <= number:
                d -= 1
            number -= self.below[s, i, j, d]
            filling.digits[s] = d
            if d == MINE:
                i -= 1
                filling.my_forks += self.index[0, s, 1] >= 0
            elif d == THEIRS:
                j -= 1
                filling.their_forks += self.index[1, s, 1] >= 0
        filling.mine, filling.theirs = i, j

    cdef void mirrored(self, const int32_t* digits, int32_t* other) noexcept nogil:
        cdef int s
        for s in range(self.n_shared):
            other[self.mirror[s]] = (
                THEIRS if digits[s] == MINE else MINE if digits[s] == THEIRS else NOBODY)

    cdef int my_bit(self, const int32_t* digits, int square) noexcept nogil:
        # Which bit of a row's number tells the leg of my piece on a fork.
        cdef int s, bit = 0
        for s in range(square):
            bit += digits[s] == MINE and self.index[0, s, 1] >= 0
        return bit

    cdef int their_bit(self, const int32_t* digits, int square) noexcept nogil:
        # Likewise of a column's number: bits are in the order in which the opponent, whose
        # rows these are, sees the squares.
        cdef int s, bit = 0
        for s in range(self.n_shared):
            bit += (self.mirror[s] < self.mirror[square] and digits[s] == THEIRS
                    and self.index[1, s, 1] >= 0)
        return bit

    cdef void ranks(
        self, int mine, int theirs, const int32_t* digits, int64_t* rows, int64_t* columns
    ) noexcept nogil:
        # The rank of each position of a tile is the sum of a number of its row and one of
        # its column: how many pieces are left on a square does not depend on their legs.
        cdef const int64_t[:, :, :, :, :, ::1] below = self.ranking.below
        cdef int mine_shape = self.ranking.config_shape[mine]
        cdef int their_shape = self.ranking.config_shape[theirs]
        cdef int i = self.ranking.config_free[mine], j = self.ranking.config_free[theirs]
        cdef int s, k, d, first, side, forks = 0
        cdef int64_t second_leg[MAX_SHARED]
        cdef int64_t step, m
        rows[0], columns[0] = self.ranking.half_offset[mine, theirs], 0
        for k in range(self.n_shared):
            s = self.place[k]
            d = digits[s]
            if d == NOBODY:
                continue  # the first digit: none come before
            side = d - MINE
            first = self.digit[side, s, 0]
            rows[0] += below[mine_shape, their_shape, k, i, j, first]
            if self.index[side, s, 1] >= 0:
                second_leg[s] = (
                    below[mine_shape, their_shape, k, i, j, self.digit[side, s, 1]]
                    - below[mine_shape, their_shape, k, i, j, first])
            if side:
                j -= 1
            else:
                i -= 1
        for s in range(self.n_shared):
            if digits[s] == MINE and self.index[0, s, 1] >= 0:
                for k in range(1 << forks):
                    rows[1 << forks | k] = rows[k] + second_leg[s]
                forks += 1
        step = self.ranking.row_prefix[their_shape, j]
        for m in range(1, self.ranking.row_prefix[mine_shape, i]):
            for k in range(1 << forks):
                rows[m << forks | k] = rows[k] + m * step
        forks = 0
        for k in range(self.n_shared):
            s = self.mirror[k]
            if digits[s] == THEIRS and self.index[1, s, 1] >= 0:
                for d in range(1 << forks):
                    columns[1 << forks | d] = columns[d] + second_leg[s]
                forks += 1
        for m in range(1, step):
            for k in range(1 << forks):
                columns[m << forks | k] = columns[k] + m
