/* Turned tiles of a lane: those of one column, all of whose numbers are what the opponent
   sees of them, in the rows of strips (tiles.h). */

#ifndef UR_TURNED_BODY_H
#define UR_TURNED_BODY_H

#include "columns.h"
#include "lane.h"

static inline REAL lesser(REAL a, REAL b) { return a < b ? a : b; }

/* What a move from an entry square leads to: a single number may be a corner. */
static inline const REAL *turned_row(
    const REAL *buffer, const MatrixRef ref, const int rows_after)
{
    return matrix_at(buffer, ref) + (rows_after == 1 ? (int64_t)(ref & 255) - 1 : 0);
}

/* The best of the moves that leave the tile, by throw and row; constants as of `prepare_lane`. */
UR_INLINE void prepare_turned(
    const Program *program, const Tile *tile, const REAL *buffer, LaneFrame *frame,
    const int rows, const int rows_after)
{
    const int vectors = (rows + LANES - 1) / LANES;
    const MatrixRef *move = program->moves + tile->first_move;
    const MatrixRef *slots = program->slots + tile->first_slot;
#pragma GCC unroll 4
    for (int n = 0; n < LANE_SQUARES; n++) {
        REAL *best = frame->best[n];
        if (n >= program->n_throws) { /* as above */
            memset(best, 0, (size_t)(vectors * LANES) * sizeof(REAL));
            continue;
        }
        const int n_moves = tile->n_moves[n];
        UR_COLUMNS(
            vectors, find_least8(buffer, move, n_moves, best, column),
            find_least4(buffer, move, n_moves, best, column))
        move += n_moves;
#pragma GCC unroll 5
        for (int source = LANE_SQUARES - n; source <= LANE_SQUARES; source++) {
            const MatrixRef ref = slots[program->slot[n][source]];
            const REAL *to =
                ref ? turned_row(buffer, ref, rows_after) : NO_TURNED_MOVE;
#pragma GCC unroll 16
            for (int r = 0; r < rows; r++) {
                const int after = lane_row_without(r, source);
                if (after >= 0)
                    best[r] = lesser(best[r], to[after]);
            }
        }
    }
}

/* A row's best move by a throw, from the best of those that leave the tile. */
UR_INLINE REAL least_with_own(
    const Program *program, REAL best, const REAL *f, const REAL *g, const int n, const int r,
    const int pieces)
{
#pragma GCC unroll 5
    for (int source = 0; source + n < LANE_SQUARES; source++) {
        const int after = lane_row_after(r, n, source, pieces);
        const REAL *own = program->again[n] >> (source + n) & 1 ? f : g;
        if (after >= 0)
            best = lesser(best, own[after]);
    }
    return best;
}

/* To what else a row is worth, its best moves by their chances; `bits`: its pass bits. */
UR_INLINE SUM add_turned_moves(
    const Program *program, SUM sum, const LaneFrame *frame, const REAL *f, const REAL *g,
    const int bits, const int r, const int pieces)
{
    const SUM *chance = chances_of(program, bits);
#pragma GCC unroll 4
    for (int n = 0; n < LANE_SQUARES; n++)
        sum += chance[n] * least_with_own(program, frame->best[n][r], f, g, n, r, pieces);
    return sum;
}

static inline SUM largest_of(SUM delta, SUM now, SUM before)
{
    const SUM change = now > before ? now - before : before - now;
    return change > delta ? change : delta;
}

/* All rows; the largest change. Later rows see new values if `to` is F. */
UR_INLINE double update_turned(
    const Program *program, const Tile *tile, const REAL *buffer,
    const LaneFrame *frame, REAL *to, const int pieces, const int rows)
{
    const REAL *f = buffer + tile->f * LANES;
    const REAL *g = f - (rows + LANES - 1) / LANES * LANES;
    const uint8_t *pass_bits = program->pass_bits + tile->first_row;
    SUM delta = 0;
#pragma GCC unroll 16
    for (int k = 0; k < LANE_ROWS; k++) {
        const int r = LANE_ORDER[k];
        if (r >= rows)
            continue;
        const int bits = pass_bits[r];
        const SUM sum = add_turned_moves(
            program, pass_chance_of(program, bits) * g[r], frame, f, g, bits, r, pieces);
        delta = largest_of(delta, sum, f[r]);
        to[r] = (REAL)sum;
    }
    return delta;
}

/* G of the mirrored tile, which may be of another bound, from F of this one. A strip's is there
   already, and so is what it shares with the turned tile, but for its corner. */
UR_INLINE void write_g_tile(
    const Tile *tile, const Tile *mirror, REAL *buffer, const int rows, const int vectors)
{
    const REAL *f = buffer + tile->f * LANES;
    const int to_stride = (rows + LANES - 1) / LANES * LANES;
    if ((rows == 1) == (vectors == 1))
        write_g_matrix(
            f, vectors * LANES, buffer + mirror->f * LANES + mirror->n_rows * to_stride, to_stride,
            rows, vectors < LANE_VECTORS ? LANE_COLUMNS[vectors - 1] : tile->n_columns);
    else if (rows == CORNER_COLUMNS || vectors == CORNER_VECTORS) {
        /* beside the mirror: a strip's F is followed by its G, which is the turned tile's F */
        const int64_t own = rows == 1 ? mirror->f - vectors : mirror->f + to_stride / LANES;
        buffer[own * LANES + CORNER] = WHOLE - f[0];
    }
}

#endif
