/* The rows of a lane of four entry squares, as constants. */

#ifndef UR_LANE_H
#define UR_LANE_H

#include "tiles.h"
#include "vectors.h"

/* Masks by population, then the largest first, as placements are numbered. */
static const uint8_t LANE_MASK[LANE_ROWS] = {0, 8, 4, 2, 1, 12, 10, 9, 6, 5, 3, 14, 13, 11, 7, 15};
static const uint8_t LANE_PIECES[LANE_ROWS] = {0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4};
static const uint8_t LANE_ROW[LANE_ROWS] = {0, 4, 3, 10, 2, 9, 8, 14, 1, 7, 6, 13, 5, 12, 11, 15};
/* Columns, by vectors in a row; of four vectors there may be 15 too. */
static const uint8_t LANE_COLUMNS[LANE_VECTORS] = {1, 5, 11, LANE_ROWS};
/* Rows, the furthest on first. */
static const uint8_t LANE_ORDER[LANE_ROWS] = {15, 11, 12, 5, 13, 6, 14, 7, 8, 1, 9, 2, 10, 3, 4, 0};

/* Pieces that a tile's rows are compiled for: 4 stand for more, as a piece at home enters no full lane. */
static inline int lane_pieces(const Tile *tile) { return tile->pieces < 4 ? tile->pieces : 4; }

/* Of tiles whose pieces and vectors a row the compiler knows: whether they are turned. */
static inline int lane_is_turned(const int pieces, const int vectors)
{
    return pieces > 0 && vectors == 1;
}

/* The row without the piece on an entry square, counted from 1; -1 if there is none. */
UR_INLINE int lane_row_without(const int r, const int source)
{
    const int bit = 1 << (source - 1);
    return LANE_MASK[r] & bit ? LANE_ROW[LANE_MASK[r] ^ bit] : -1;
}

/* The row after a move within a tile of `pieces` pieces by throw n, from an entry square counted
   from 1 or from home, 0; -1 if there is no such move. */
UR_INLINE int lane_row_after(
    const int r, const int n, const int source, const int pieces)
{
    const int target = 1 << (source + n);
    if (source ? lane_row_without(r, source) < 0 : LANE_PIECES[r] >= pieces)
        return -1;
    if (LANE_MASK[r] & target)
        return -1;
    return LANE_ROW[(source ? LANE_MASK[lane_row_without(r, source)] : LANE_MASK[r]) | target];
}

/* The matrix that a move which is not legal leads to: worse than any value. */
#define UR_8(x) x, x, x, x, x, x, x, x
#define UR_64(x) UR_8(x), UR_8(x), UR_8(x), UR_8(x), UR_8(x), UR_8(x), UR_8(x), UR_8(x)
static const REAL NO_MOVE[LANE_ROWS * LANE_VECTORS * LANES] __attribute__((aligned(64))) = {
    UR_64(-1.0), UR_64(-1.0), UR_64(-1.0), UR_64(-1.0)};

/* The same row of a turned tile, as the opponent sees it. */
#define NO_TURNED (UR_FLOATS ? 1.0 : 2.0)
static const REAL NO_TURNED_MOVE[LANE_ROWS] = {UR_8(NO_TURNED), UR_8(NO_TURNED)};

#endif
