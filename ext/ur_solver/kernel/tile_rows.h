/* Tiles by how many vectors are in a row: what tile_rows.c hands out. */

#ifndef UR_TILE_ROWS_H
#define UR_TILE_ROWS_H

#ifdef _OPENMP
#include <omp.h>
#else
#define omp_get_thread_num() 0
#endif

#include "turned_body.h"

/* By pieces, as `lane_pieces` has them. */
typedef struct {
    /* The best of the moves that leave the tile, by throw and row. */
    void (*prepare[5])(const Program *, const Tile *, const REAL *buffer, LaneFrame *);
    /* What a sweep makes of a tile's F goes to `to`, laid out as F is; the largest change. All is read
       from F and G: later rows see new values if `to` is F. */
    double (*update[5])(const Program *, const Tile *, const REAL *buffer, const LaneFrame *, REAL *to);
    /* G of the mirrored tile from F of this one. */
    void (*write_g[5])(const Tile *, const Tile *mirror, REAL *buffer);
#if UR_FLOAT_SUMS
    /* To the lists of `kept` the moves that come within the margin of the best somewhere in a tile; the
       frame is what was prepared of it. */
    void (*eliminate[5])(
        const Program *, const Tile *, const REAL *buffer, LaneFrame *, REAL margin,
        const Program *kept);
#endif
} TileRows;

/* By vectors in a row. */
extern const TileRows UR_NAMED(tile_rows)[LANE_VECTORS];

static inline const TileRows *rows_of(const Tile *tile)
{
    return UR_NAMED(tile_rows) + tile->vectors - 1;
}

/* A tile and its mirror in the order in which they are updated, and how often each is. */
typedef struct {
    const Tile *tiles[2];
    int rounds[2];
} Pair;

/* A tile of one row comes first, whose own moves all leave the pair. By then the other's values are new
   but for passed turns; to update it a last time spares no sweep. */
static inline Pair pair_of(const Program *program, const Tile *tile, int rounds)
{
    const Tile *mirror = program->tiles + tile->mirror;
    const int has_one_row = tile->n_rows == 1 || mirror->n_rows == 1;
    const int last = mirror == tile ? 0 : has_one_row && rounds > 1 ? rounds - 1 : rounds;
    if (mirror->n_rows == 1)
        return (Pair){{mirror, tile}, {rounds, last}};
    return (Pair){{tile, mirror}, {rounds, last}};
}

/* One of this thread's four frames. */
static inline LaneFrame *frame_of(const Program *program, int number)
{
    return (LaneFrame *)program->frames + omp_get_thread_num() * 4 + number;
}

/* To a throw's best moves of a tile those from an entry square, counted from 1, or home, 0, that decline
   an extra throw. */
static inline void add_declined(
    const Program *program, const Tile *tile, const REAL *buffer, const int n, const int source,
    REAL *best)
{
    const int vectors = tile->vectors, pieces = lane_pieces(tile), turned = is_turned(tile);
    const int is_own = source + n < LANE_SQUARES;
    const REAL *to;
    int stride = vectors * LANES;
    if (is_own) {
        if (!(program->again[n] >> (source + n) & 1))
            return;
        const int64_t size = matrix_vectors(tile);
        to = buffer + (turned ? tile->f - size : tile->f + size) * LANES;
    } else {
        const int slot = program->slot[n][source] + program->first_declined;
        const MatrixRef ref = program->slots[tile->first_slot + slot];
        if (!ref)
            return;
        /* with one piece the tile that it leads to has one row */
        to = turned ? turned_row(buffer, ref, pieces) : matrix_at(buffer, ref);
        stride = (int)(ref & 255) * LANES;
    }
    for (int r = 0; r < tile->n_rows; r++) {
        const int after =
            is_own ? lane_row_after(r, n, source, pieces) : lane_row_without(r, source);
        if (after < 0)
            continue;
        if (turned) {
            best[r] = lesser(best[r], to[after]);
            continue;
        }
        REAL *row = best + r * vectors * LANES;
        const REAL *other = to + after * stride;
        UR_COLUMNS(
            vectors, best_of_two8(row + column, other + column, row + column),
            best_of_two4(row + column, other + column, row + column))
    }
}

/* What a tile's moves to other tiles are worth; where extra throws may be declined, moves within it that
   do so as well, by what its G is now. They are apart from all others, as few rules have them. */
static inline void prepare_tile(
    const Program *program, const Tile *tile, const REAL *buffer, LaneFrame *frame)
{
    rows_of(tile)->prepare[lane_pieces(tile)](program, tile, buffer, frame);
    if (may_decline(program) && tile->pieces)
        for (int n = 0; n < program->n_throws; n++)
            for (int source = 0; source <= LANE_SQUARES; source++)
                add_declined(program, tile, buffer, n, source, frame->best[n]);
}

static inline double update_tile(
    const Program *program, const Tile *tile, const REAL *buffer, const LaneFrame *frame, REAL *to)
{
    return rows_of(tile)->update[lane_pieces(tile)](program, tile, buffer, frame, to);
}

static inline void write_mirror_g(const Tile *tile, const Tile *mirror, REAL *buffer)
{
    rows_of(tile)->write_g[lane_pieces(tile)](tile, mirror, buffer);
}

#endif
