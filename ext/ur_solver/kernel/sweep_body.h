/* The sweep, compiled once for each instruction set and precision.

   A file that includes this one has chosen both before:

     REAL and what goes with it     double.h or single.h
     vec4, vec8 and their functions one or two of vectors_*.h
     UR_LANE                        1 to compile in the rows of a lane, 0 to read all from lists

   All functions are static: their names are the same in every such file. */

#ifndef UR_SWEEP_BODY_H
#define UR_SWEEP_BODY_H

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


/* ---- one tile, whichever rows it has ---- */

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

/* ---- whole tiles ---- */

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

static inline double sweep_pair(
    const Program *program, REAL *buffer, const Tile *tile, int rounds)
{
    /* A tile and its mirror in turn, so that passed turns and moves among entry squares,
       which stay in the pair, settle at once; strips with their mirrors are solved. */
    const Pair pair = pair_of(program, tile, rounds);
    REAL *const frames[2] = {frame_of(program, 0), frame_of(program, 1)};
    double delta = 0.0;
    for (int k = 0; k < 2 && pair.rounds[k]; k++)
        prepare_tile(program, pair.tiles[k], buffer, frames[k]);
#if UR_LANE
    if (is_turned(program, pair.tiles[1]))
        return strip_solvers[lane_pieces(pair.tiles[1])](
            program, pair.tiles[0], pair.tiles[1], buffer, (const LaneFrame *)frames[0],
            (const LaneFrame *)frames[1]);
#endif
    for (int round = 0; round < rounds; round++) {
        double change = 0.0;
        for (int k = 0; k < 2 && round < pair.rounds[k]; k++) {
            const Tile *now = pair.tiles[k];
            change = larger(
                change, update_tile(
                            program, now, buffer, frames[k], buffer + now->f * LANES));
            write_mirror_g(program, now, pair.tiles[1 - k], buffer);
        }
        if (round == 0)
            delta = change;
    }
    return delta;
}

static double sweep(
    const Program *program, REAL *buffer, const int32_t *order, const int64_t *group_start,
    int64_t n_groups, int rounds, int threads)
{
    /* Threads take the groups in order. One may read a row while another writes it; the old and
       the new value are both valid. Avoiding barriers within a sweep gains more than a stricter
       order would. */
    double delta = 0.0;
#pragma omp parallel for num_threads(threads) reduction(max : delta) schedule(dynamic)
    for (int64_t group = 0; group < n_groups; group++)
        for (int64_t k = group_start[group]; k < group_start[group + 1]; k++) {
            prefetch_pairs(program, buffer, sizeof(REAL), order, k, group_start[n_groups]);
            const double change =
                sweep_pair(program, buffer, program->tiles + order[k], rounds);
            delta = change > delta ? change : delta;
        }
    return delta;
}

/* The copy of a tile holds F without G, so it lies at half of the tile's offset. Strips follow
   with both: their G is the mirror's F. */

static void remember(
    const Program *program, const REAL *buffer, REAL *memory, int64_t n_tiles, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k < n_tiles; k++) {
        const Tile *tile = program->tiles + k;
        const int64_t size = (int64_t)tile->n_rows * tile->vectors * LANES;
        if (tile->f < program->first_strip)
            memcpy(memory + tile->f / 2 * LANES, buffer + tile->f * LANES, size * sizeof(REAL));
    }
    const REAL *strips = buffer + program->first_strip * LANES;
    REAL *to = memory + program->first_strip / 2 * LANES;
    const int64_t size = (program->end_strips - program->first_strip) * LANES;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t v = 0; v < size; v += LANES)
        store4(to + v, load4(strips + v));
}

static inline void extrapolate_vector(REAL *number, const REAL *before, const REAL factor)
{
    /* A vector of numbers, by `factor` times their change. */
    const vec4 now = load4(number), beyond = set4(factor), behind = set4(-factor);
    const vec4 step = fma4(behind, load4(before), mul4(beyond, now));
    store4(number, fma4(set4(1.0), now, step));
}

static void extrapolate(
    const Program *program, REAL *buffer, const REAL *memory, int64_t n_tiles, double factor,
    int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k < n_tiles; k++) {
        const Tile *tile = program->tiles + k;
        if (tile->f >= program->first_strip)
            continue;
        for (int64_t v = 0; v < (int64_t)tile->n_rows * tile->vectors * LANES; v += LANES)
            extrapolate_vector(
                buffer + tile->f * LANES + v, memory + tile->f / 2 * LANES + v, (REAL)factor);
        write_mirror_g(program, tile, program->tiles + tile->mirror, buffer);
    }
    REAL *strips = buffer + program->first_strip * LANES;
    const REAL *before = memory + program->first_strip / 2 * LANES;
    const int64_t size = (program->end_strips - program->first_strip) * LANES;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t v = 0; v < size; v += LANES)
        extrapolate_vector(strips + v, before + v, (REAL)factor);
}

#endif
