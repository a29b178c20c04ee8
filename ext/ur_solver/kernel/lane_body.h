/* Tiles of a lane of four entry squares, everything about their rows known to the compiler. */

#ifndef UR_LANE_BODY_H
#define UR_LANE_BODY_H

#include "columns.h"
#include "lane.h"
#include "turned_body.h"

/* To rows of `vectors`, from longer ones: a capture gives the opponent more columns. */
UR_INLINE void copy_rows(
    const REAL *from, int64_t stride, REAL *to, int rows, const int vectors)
{
    for (int r = 0; r < rows; r++, from += stride, to += vectors * LANES) {
        UR_COLUMNS(
            vectors, copy8(from + column, to + column), copy4(from + column, to + column))
    }
}

/* The elementwise best of some matrices, as a matrix of `vectors` a row: one of them itself if it is
   the only one and has that shape. */
UR_INLINE const REAL *best_of(
    const REAL *buffer, const MatrixRef *move, int n_moves, int rows, const int vectors,
    REAL *scratch)
{
    if (n_moves == 0)
        return NO_MOVE;
    if (n_moves == 1 && (int)(move[0] & 255) == vectors)
        return matrix_at(buffer, move[0]);
    const REAL *a = matrix_at(buffer, move[0]);
    int64_t stride = (int64_t)(move[0] & 255) * LANES;
    if (n_moves == 1) {
        copy_rows(a, stride, scratch, rows, vectors);
        return scratch;
    }
    for (int k = 1; k < n_moves; k += 2) {
        /* two more at a time: a itself holds what came before */
        const REAL *b = matrix_at(buffer, move[k]);
        const int64_t b_stride = (int64_t)(move[k] & 255) * LANES;
        REAL *to = scratch;
        if (k + 1 < n_moves) {
            const REAL *c = matrix_at(buffer, move[k + 1]);
            const int64_t c_stride = (int64_t)(move[k + 1] & 255) * LANES;
            for (int r = 0; r < rows; r++) {
                UR_COLUMNS(
                    vectors, best_of_three8(a + column, b + column, c + column, to + column),
                    best_of_three4(a + column, b + column, c + column, to + column))
                a += stride, b += b_stride, c += c_stride, to += vectors * LANES;
            }
        } else
            for (int r = 0; r < rows; r++) {
                UR_COLUMNS(
                    vectors, best_of_two8(a + column, b + column, to + column),
                    best_of_two4(a + column, b + column, to + column))
                a += stride, b += b_stride, to += vectors * LANES;
            }
        a = scratch;
        stride = (int64_t)vectors * LANES;
    }
    return scratch;
}

/* The best of the moves that leave the tile, by throw and row. `rows` (`rows_after` with a piece less)
   and `vectors` are constants after inlining, and with them the list of every row's moves. */
UR_INLINE void prepare_lane(
    const Program *program, const Tile *tile, const REAL *buffer, LaneFrame *frame,
    const int rows, const int rows_after, const int vectors)
{
    REAL scratch[LANE_ROWS * LANE_VECTORS * LANES] __attribute__((aligned(64)));
    REAL reshaped[LANE_SQUARES][LANE_ROWS * LANE_VECTORS * LANES] __attribute__((aligned(64)));
    const MatrixRef *move = program->moves + tile->first_move;
    const MatrixRef *slots = program->slots + tile->first_slot;
#pragma GCC unroll 4
    for (int n = 0; n < LANE_SQUARES; n++) {
        if (n >= program->n_throws) { /* without a chance, but read: any finite numbers */
            memset(frame->best[n], 0, (size_t)(rows * vectors * LANES) * sizeof(REAL));
            continue;
        }
        const REAL *to[LANE_SQUARES + 1];
        const REAL *best =
            best_of(buffer, move, tile->n_moves[n], rows, vectors, scratch);
        move += tile->n_moves[n];
        /* source 0 is home, source k the entry square k - 1 */
#pragma GCC unroll 5
        for (int source = LANE_SQUARES - n; source <= LANE_SQUARES; source++) {
            const MatrixRef ref = slots[program->slot[n][source]];
            to[source] = ref ? matrix_at(buffer, ref) : NO_MOVE;
            if (rows_after > 1 && ref && (int)(ref & 255) != vectors) {
                REAL *copy = reshaped[source - 1];
                copy_rows(to[source], (int64_t)(ref & 255) * LANES, copy, rows_after, vectors);
                to[source] = copy;
            }
        }
        UR_COLUMNS(
            vectors,
            prepare_columns8(best, to, frame->best[n], n, rows, vectors * LANES, column),
            prepare_columns4(best, to, frame->best[n], n, rows, vectors * LANES, column))
    }
}

/* The constants are those of `prepare_lane`; `pieces` is 4 for more. */
UR_INLINE double update_lane(
    const Program *program, const Tile *tile, const REAL *buffer,
    const LaneFrame *frame, REAL *to, const int pieces, const int rows, const int vectors)
{
    double delta = 0.0;
    UR_COLUMNS(
        vectors,
        delta = larger(
            delta, update_columns8(
                       program, tile, buffer, frame, to, pieces, rows, vectors * LANES, column)),
        delta = larger(
            delta, update_columns4(
                       program, tile, buffer, frame, to, pieces, rows, vectors * LANES, column)))
    return delta;
}

#endif
