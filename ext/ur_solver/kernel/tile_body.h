/* One tile, whichever rows it has: what its moves are worth, its update, and what its mirror sees.
   Compiled once for each instruction set and precision.

   A file that includes this one, or those that do, has chosen before:

     REAL, SUM and the rest         numbers.h
     vec4, vec8 and their functions one or two of vectors_*.h
     UR_LANE                        1 to compile in the rows of a lane, 0 to read all from lists

   All functions are static: their names are the same in every such file. */

#ifndef UR_TILE_BODY_H
#define UR_TILE_BODY_H

#include <omp.h>
#include <string.h>

#include "columns.h"
#if UR_LANE
#include "lane_body.h"
#endif
#include "prefetch.h"
#include "rows_body.h"
#include "tiles.h"

/* A tile and its mirror in the order in which they are updated, and how often each is. */
typedef struct {
    const Tile *tiles[2];
    int rounds[2];
} Pair;

static inline Pair pair_of(const Program *program, const Tile *tile, int rounds)
{
    /* A tile of one row comes first, whose own moves all leave the pair. By then the other's
       values are new but for passed turns; to update it a last time spares no sweep. */
    const Tile *mirror = program->tiles + tile->mirror;
    const int has_one_row = tile->n_rows == 1 || mirror->n_rows == 1;
    const int last = mirror == tile ? 0 : has_one_row && rounds > 1 ? rounds - 1 : rounds;
    if (mirror->n_rows == 1)
        return (Pair){{mirror, tile}, {rounds, last}};
    return (Pair){{tile, mirror}, {rounds, last}};
}

static inline REAL *frame_of(const Program *program, int number)
{
    /* One of this thread's four frames. */
    return (REAL *)program->frames +
           (omp_get_thread_num() * 4 + number) * program->frame_size;
}

static void prepare_tile(
    const Program *program, const Tile *tile, const REAL *buffer, REAL *frame)
{
#if UR_LANE
    if (program->is_lane) {
        prepare[tile->vectors - 1][lane_pieces(tile)](
            program, tile, buffer, (LaneFrame *)frame);
        return;
    }
#endif
    if (tile->vectors == 1)
        prepare_one(program, tile, buffer, frame);
    else if (tile->vectors == 2)
        prepare_two(program, tile, buffer, frame);
    else
        prepare_several(program, tile, buffer, frame);
}

static double update_tile(
    const Program *program, const Tile *tile, const REAL *buffer, const REAL *frame, REAL *to)
{
    /* What a sweep makes of a tile's F goes to `to`, laid out as F is; the largest change. All
       is read from F and G: later rows see new values if `to` is F. */
#if UR_LANE
    if (program->is_lane)
        return update[tile->vectors - 1][lane_pieces(tile)](
            program, tile, buffer, (const LaneFrame *)frame, to);
#endif
    return update_rows(program, tile, buffer, frame, to);
}

static void write_mirror_g(
    const Program *program, const Tile *tile, const Tile *mirror, REAL *buffer)
{
    /* G of the mirrored tile from F of this one. */
#if UR_LANE
    if (program->is_lane) {
        write_g_of[tile->vectors - 1][lane_pieces(tile)](tile, mirror, buffer);
        return;
    }
#endif
    (void)program;
    const int stride = tile->vectors * LANES, to_stride = mirror->vectors * LANES;
    write_g_rows(
        buffer + tile->f * LANES, stride,
        buffer + mirror->f * LANES + mirror->n_rows * to_stride, to_stride, tile->n_rows,
        tile->n_columns);
}

#endif
