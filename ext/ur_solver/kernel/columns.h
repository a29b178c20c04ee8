/* Operations on the columns of a tile, by vectors of eight and of four. */

#ifndef UR_COLUMNS_H
#define UR_COLUMNS_H

#include "lane.h"
#include "tiles.h"
#include "vectors.h"

/* In memory floats are values less 1/2: near 0 they are finer than near 1, and what the opponent
   sees of such a number is the same with the other sign, exactly. WHOLE: what both players' numbers
   sum to. */
#if UR_FLOATS
static const REAL WHOLE = 0.0f;
#else
static const REAL WHOLE = 1.0;
#endif

/* The chances of the throws, and of passing the turn, by pass bits. */
UR_INLINE const SUM *chances_of(const Program *program, int bits)
{
#if UR_FLOAT_SUMS
    return program->chance_single[bits];
#else
    return program->chance[bits];
#endif
}

UR_INLINE SUM pass_chance_of(const Program *program, int bits)
{
#if UR_FLOAT_SUMS
    return program->pass_chance_single[bits];
#else
    return program->pass_chance[bits];
#endif
}

/* Something done to the columns of a row of `vectors`, eight at a time and then four; with short
   registers, which eight would not fit into, four at a time. */
#define UR_EIGHT (UR_VECTOR_BYTES > 16)
#define UR_COLUMNS(vectors, call8, call4)                                                      \
    for (int column = 0; UR_EIGHT && column + 8 <= (vectors)*LANES; column += 8)               \
        call8;                                                                                 \
    for (int column = UR_EIGHT ? (vectors) / 2 * 8 : 0; column < (vectors)*LANES; column += 4) \
        call4;

static inline double larger(double a, double b) { return a > b ? a : b; }

static inline const REAL *matrix_at(const REAL *buffer, MatrixRef ref)
{
    return buffer + (int64_t)(ref >> 8) * LANES;
}

/* What a tile's moves to other tiles are worth, by throw and row: the same while the tile
   and its mirror are updated in turn. */
typedef struct {
    REAL best[LANE_SQUARES][LANE_ROWS * LANE_VECTORS * LANES];
} LaneFrame;

#define X(name) name##4
#include "columns_body.h"
#undef X
#define X(name) name##8
#include "columns_body.h"
#undef X

/* F as the opponent's G: the other way round, and their chances. */
UR_INLINE void write_g_matrix(
    const REAL *f, const int stride, REAL *g, const int to_stride, const int rows,
    const int columns)
{
    if (rows == 1) {
        for (int c = 0; c < columns; c++)
            g[c * to_stride] = WHOLE - f[c];
        return;
    }
    UR_COLUMNS(
        to_stride / LANES,
        for (int c = 0; c < columns; c += 8) transpose8(
            f + column * stride + c, stride, g + c * to_stride + column, to_stride, rows - column,
            columns - c, WHOLE),
        for (int c = 0; c < columns; c += 4) transpose4(
            f + column * stride + c, stride, g + c * to_stride + column, to_stride, rows - column,
            columns - c, WHOLE))
}

#endif
