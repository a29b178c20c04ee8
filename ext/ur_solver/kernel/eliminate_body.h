/* Action elimination: leaving out moves of a lane that cannot become the best, in single precision.

   Once values hardly change, most moves are worse than the best by more than all remaining changes
   (J. MacQueen, Operations Research 15, 1967, 559-561). A move for which that holds in all
   positions of a tile is left out of the tile's lists. */

#ifndef UR_ELIMINATE_BODY_H
#define UR_ELIMINATE_BODY_H

#include "lane_body.h"

/* Pad a list with copies of the last move that was kept; its length. */
static inline int fill_list(
    const Tile *tile, const MatrixRef *from, MatrixRef *to, int n_kept)
{
    const int length = list_length(tile, n_kept);
    for (int k = n_kept; k < length; k++)
        to[k] = n_kept ? to[n_kept - 1] : from[0];
    return length;
}

/* Prefetching goes on past the end of a list. */
static inline void end_lists(const Program *kept, MatrixRef *to, const int64_t end)
{
    for (; to < kept->moves + end; to++)
        *to = 0;
}

/* `reaches` of a turned tile. */
UR_INLINE int reaches_turned(
    const REAL *row, const REAL *bars, const int source, const int rows)
{
    int reaches = 0;
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++) {
        const int after = source ? lane_row_without(r, source) : r;
        if (after >= 0)
            reaches |= row[after] <= bars[r];
    }
    return reaches;
}

/* Whether a move reaches the bar in some position; `source` as of `most_above`. */
UR_INLINE int reaches(
    const REAL *buffer, const MatrixRef ref, const REAL *bars, const int source,
    const int pieces, const int rows, const int rows_after, const int vectors)
{
    const REAL *matrix = matrix_at(buffer, ref);
    const int matrix_stride = (int)(ref & 255) * LANES, stride = vectors * LANES;
    if (lane_is_turned(pieces, vectors))
        return reaches_turned(
            source ? turned_row(buffer, ref, rows_after) : matrix, bars, source, rows);
    vec8 above8 = set8(-1.0);
    vec4 above4 = set4(-1.0);
    UR_COLUMNS(
        vectors,
        above8 = most_above8(above8, matrix, matrix_stride, bars, source, rows, stride, column),
        above4 = most_above4(above4, matrix, matrix_stride, bars, source, rows, stride, column))
    return larger(largest8(above8), largest4(above4)) >= 0.0;
}

/* Each position's best move by a throw less the margin, from the best of those that leave the tile; of
   a turned tile as the opponent sees it. */
UR_INLINE void set_bars(
    const Program *program, const Tile *tile, const REAL *buffer, REAL *bars, const REAL margin,
    const int n, const int pieces, const int rows, const int vectors)
{
    const int stride = vectors * LANES;
    if (lane_is_turned(pieces, vectors)) {
        const REAL *f = buffer + tile->f * LANES;
        const REAL *g = f - (rows + LANES - 1) / LANES * LANES;
#pragma GCC unroll 16
        for (int r = 0; r < rows; r++)
            bars[r] = least_with_own(program, bars[r], f, g, n, r, pieces) + margin;
        return;
    }
    UR_COLUMNS(
        vectors,
        set_bars8(program, tile, buffer, bars, margin, n, pieces, rows, stride, column),
        set_bars4(program, tile, buffer, bars, margin, n, pieces, rows, stride, column))
    for (int r = 0; r < rows; r++)
        for (int c = tile->n_columns; c < stride; c++)
            bars[r * stride + c] = 1; /* padding: nothing reaches it */
}

/* `reaches` for every source: a function apart, as a copy at each call takes long to compile. */
typedef int Reaches(const REAL *buffer, MatrixRef ref, const REAL *bars, int source);
#define UR_REACHES_CASE(name, pieces, rows, rows_after, vectors)                               \
    static __attribute__((noinline)) int name(                                                 \
        const REAL *buffer, MatrixRef ref, const REAL *bars, int source)                       \
    {                                                                                          \
        switch (source) {                                                                      \
        case 0: return reaches(buffer, ref, bars, 0, pieces, rows, rows_after, vectors);       \
        case 1: return reaches(buffer, ref, bars, 1, pieces, rows, rows_after, vectors);       \
        case 2: return reaches(buffer, ref, bars, 2, pieces, rows, rows_after, vectors);       \
        case 3: return reaches(buffer, ref, bars, 3, pieces, rows, rows_after, vectors);       \
        default: return reaches(buffer, ref, bars, 4, pieces, rows, rows_after, vectors);      \
        }                                                                                      \
    }

/* `frame` is what was prepared of the tile, with the same constants. */
UR_INLINE void eliminate_lane(
    const Program *program, const Tile *tile, const REAL *buffer, LaneFrame *frame,
    const REAL margin, const Program *kept, Reaches *reaches, const int pieces, const int rows,
    const int vectors)
{
    const MatrixRef *move = program->moves + tile->first_move;
    const MatrixRef *slots = program->slots + tile->first_slot;
    MatrixRef *to = kept->moves + tile->first_move, *to_slots = kept->slots + tile->first_slot;
    Tile *to_tile = kept->tiles + (tile - program->tiles);
    *to_tile = *tile;
#pragma GCC unroll 4
    for (int n = 0; n < LANE_SQUARES; n++) {
        if (n >= program->n_throws)
            break;
        REAL *bars = frame->best[n];
        int n_kept = 0;
        set_bars(program, tile, buffer, bars, margin, n, pieces, rows, vectors);
        for (int k = 0; k < tile->n_moves[n]; k++) {
            to[n_kept] = move[k];
            n_kept += reaches(buffer, move[k], bars, 0);
        }
        n_kept = fill_list(tile, move, to, n_kept);
        move += tile->n_moves[n];
        to += n_kept;
        to_tile->n_moves[n] = (uint8_t)n_kept;
#pragma GCC unroll 5
        for (int source = LANE_SQUARES - n; source <= LANE_SQUARES; source++) {
            for (int slot = program->slot[n][source]; slot < program->n_slots;
                 slot += program->first_declined) {
                const MatrixRef ref = slots[slot];
                const int is_kept = ref && reaches(buffer, ref, bars, source);
                to_slots[slot] = is_kept ? ref : 0;
            }
        }
    }
    end_lists(kept, to, move - program->moves);
}

#endif
