"""What a tile's number stands for: who holds each shared square, and which ranks it has."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from ur_solver.space._tile_ranking cimport MAX_SHARED, TileRanking

cimport cython


@cython.final
cdef class TileTables:
    """The counting tables of a space's tiles; thread safe.

    Parameters
    ----------
    tiling : Tiling
    ranking : TileRanking
    """

    def __init__(self, tiling, TileRanking ranking):
        visits = tiling.visits
        self.ranking = ranking
        self.n_shared = len(tiling.space.shared)
        self.count, self.below = tiling.tile_below
        self.mask_counts = tiling.mask_counts
        self.index, self.shape = visits["index"], visits["shape"]
        self.square, self.mirror = visits["square"], visits["mirror"]

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

    cdef int64_t number_after(
        self, const Filling* filling, int source, int target
    ) noexcept nogil:
        # The number of what a move of mine makes of a filling, from a shared square to
        # another or, -1, from elsewhere: squares before count for what they did, and so do
        # those after unless a capture leaves the opponent one more piece for them, or one that
        # enters leaves me one fewer.
        cdef int s = target if source < 0 else min(source, target), last = max(source, target), d
        cdef int i = filling.i[s], j = filling.j[s]
        cdef int64_t number = filling.numbers[s]
        while s < self.n_shared:
            if s > last and j == filling.j[s] and i == filling.i[s]:
                return number + filling.numbers[self.n_shared] - filling.numbers[s]
            d = MINE if s == target else NOBODY if s == source else filling.digits[s]
            number += self.below[s, i, j, d]
            i -= d == MINE
            j -= d == THEIRS
            s += 1
        return number

    cdef void hold(self, Filling* filling, int s, int d) noexcept nogil:
        # What a square's digit makes of the counts of the squares before it.
        cdef int i = filling.i[s], j = filling.j[s]
        filling.digits[s] = d
        filling.numbers[s + 1] = filling.numbers[s] + self.below[s, i, j, d]
        filling.i[s + 1] = i - (d == MINE)
        filling.j[s + 1] = j - (d == THEIRS)
        filling.mine[s + 1] = filling.mine[s] | (<uint64_t>1 << self.index[0, s] if d == MINE else 0)
        filling.theirs[s + 1] = filling.theirs[s] | (<uint64_t>1 << self.index[0, s] if d == THEIRS else 0)

    cdef void fill(self, int64_t number, int i, int j, Filling* filling) noexcept nogil:
        # The filling of a number among those with at most i and j pieces.
        cdef int s, d
        filling.i[0], filling.j[0], filling.numbers[0] = i, j, 0
        filling.mine[0] = filling.theirs[0] = 0
        for s in range(self.n_shared):
            d = THEIRS
            while not 0 <= self.below[s, filling.i[s], filling.j[s], d] <= (
                    number - filling.numbers[s]):
                d -= 1
            self.hold(filling, s, d)

    cdef void next_filling(self, Filling* filling) noexcept nogil:
        # That of the next number; after the last it stays as it is.
        cdef int s = self.n_shared - 1, d
        while s >= 0:
            for d in range(filling.digits[s] + 1, THEIRS + 1):
                if self.below[s, filling.i[s], filling.j[s], d] >= 0:
                    self.hold(filling, s, d)
                    for s in range(s + 1, self.n_shared):
                        self.hold(filling, s, NOBODY)
                    return
            s -= 1

    cdef void mirrored(self, const int32_t* digits, int32_t* other) noexcept nogil:
        cdef int s
        for s in range(self.n_shared):
            other[self.mirror[s]] = (
                THEIRS if digits[s] == MINE else MINE if digits[s] == THEIRS else NOBODY)

    cdef int64_t first_rank(
        self, int mine, int theirs, const int32_t* digits, int64_t* columns
    ) noexcept nogil:
        # The rank of a tile's first position; those of its others follow row by row, with so many
        # columns in each.
        cdef int i = self.ranking.config_free[mine], j = self.ranking.config_free[theirs], s, d
        cdef int64_t rank = self.ranking.half_offset[mine, theirs]
        for s in range(self.n_shared):
            d = digits[s]
            rank += self.ranking.below[
                self.ranking.below_start[s]
                + (<int64_t>i * self.ranking.n_reserves + j)
                * self.ranking.n_shapes[self.ranking.shared[s]] + self.shape[s, d]]
            i -= d == MINE
            j -= d == THEIRS
        columns[0] = self.ranking.n_placements[j]
        return rank
