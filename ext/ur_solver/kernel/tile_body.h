/* One tile: what its moves are worth, its update, and what its mirror sees.

   A file that includes this one, or those that do, is compiled for an instruction set
   (instruction_sets.h), with the numbers that vectors.h asks for. All functions are static: their names
   are the same in every such file, which hands them out in records. */

#ifndef UR_TILE_BODY_H
#define UR_TILE_BODY_H

#include <omp.h>
#include <string.h>

#include "lane_body.h"
#include "prefetch.h"
#include "tiles.h"

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

static void prepare_tile(
    const Program *program, const Tile *tile, const REAL *buffer, LaneFrame *frame)
{
    prepare[tile->vectors - 1][lane_pieces(tile)](program, tile, buffer, frame);
}

/* What a sweep makes of a tile's F goes to `to`, laid out as F is; the largest change. All is read from
   F and G: later rows see new values if `to` is F. */
static double update_tile(
    const Program *program, const Tile *tile, const REAL *buffer, const LaneFrame *frame, REAL *to)
{
    return update[tile->vectors - 1][lane_pieces(tile)](program, tile, buffer, frame, to);
}

/* G of the mirrored tile from F of this one. */
static void write_mirror_g(const Tile *tile, const Tile *mirror, REAL *buffer)
{
    write_g_of[tile->vectors - 1][lane_pieces(tile)](tile, mirror, buffer);
}

#endif
