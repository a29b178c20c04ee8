/* The residual and the bounds, with arithmetic in double precision: compiled for each instruction
   set and for each precision of what is in memory. */

#ifndef UR_CHECKS_BODY_H
#define UR_CHECKS_BODY_H

#include <fenv.h>

#include "tile_rows.h"

/* One frame is enough for one tile: the second takes the values that are not kept. */
static double residual(
    const Program *program, const void *values, int64_t n_tiles, int threads)
{
    const REAL *const buffer = values;
    double residual = 0.0;
#pragma omp parallel for num_threads(threads) reduction(max : residual) schedule(dynamic, 256)
    for (int64_t k = 0; k < n_tiles; k++) {
        LaneFrame *const frame = frame_of(program, 0);
        REAL *const nowhere = frame_of(program, 1)->best[0];
        const Tile *tile = program->tiles + k;
        prepare_tile(program, tile, buffer, frame);
        const double change = update_tile(program, tile, buffer, frame, nowhere);
        residual = change > residual ? change : residual;
    }
    return residual;
}

static void write_g(const Program *program, void *values, int64_t n_tiles, int threads)
{
    REAL *const buffer = values;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k < n_tiles; k++) {
        const Tile *tile = program->tiles + k;
        write_mirror_g(tile, program->tiles + tile->mirror, buffer);
    }
}

/* ---- bounds: upper and lower ones in one buffer, swept together ----

   Each bound has a program of its own: the same tiles and moves, whose values lie further on in
   the buffer for the lower one. What leaves the block both read at the same place.

   Each operation of the upper one is rounded up, of the lower one down, and so is a number that
   is written as a float. The rounding mode
   is the thread's; compilers do not know that arithmetic reads it and may move an operation
   past the call that sets it, so that all arithmetic is in functions that are not inlined,
   whose calls stay where they are. -frounding-math keeps them from rewriting expressions
   into others that are equal only when rounded to nearest. */

static __attribute__((noinline)) void bound_tile(
    const Program *program, const Tile *tile, REAL *bound, const LaneFrame *frame)
{
    update_tile(program, tile, bound, frame, bound + tile->f * LANES);
}

static void narrow_pair(
    const Program *upper, const Program *lower, REAL *buffer, int32_t number, int rounds)
{
    const Pair high = pair_of(upper, upper->tiles + number, rounds);
    const Pair low = pair_of(lower, lower->tiles + number, rounds);
    for (int k = 0; k < 2 && high.rounds[k]; k++) {
        prepare_tile(upper, high.tiles[k], buffer, frame_of(upper, k));
        prepare_tile(lower, low.tiles[k], buffer, frame_of(upper, 2 + k));
    }
    fesetround(FE_UPWARD);
    for (int round = 0; round < rounds; round++)
        for (int k = 0; k < 2 && round < high.rounds[k]; k++) {
            bound_tile(upper, high.tiles[k], buffer, frame_of(upper, k));
            fesetround(FE_DOWNWARD);
            write_mirror_g(high.tiles[k], low.tiles[1 - k], buffer);
            bound_tile(lower, low.tiles[k], buffer, frame_of(upper, 2 + k));
            fesetround(FE_UPWARD);
            write_mirror_g(low.tiles[k], high.tiles[1 - k], buffer);
        }
}

/* Groups as in `sweep`. */
static void narrow(
    const Program *upper, const Program *lower, void *values, const int32_t *order,
    const int64_t *group_start, int64_t n_groups, int rounds, int threads)
{
    REAL *const buffer = values;
    const int64_t n = group_start[n_groups];
#pragma omp parallel num_threads(threads)
    {
        const int mode = fegetround();
#pragma omp for schedule(dynamic)
        for (int64_t group = 0; group < n_groups; group++)
            for (int64_t k = group_start[group]; k < group_start[group + 1]; k++) {
                prefetch_pairs(upper, buffer, sizeof(REAL), order, k, n);
                prefetch_pairs(lower, buffer, sizeof(REAL), order, k, n);
                narrow_pair(upper, lower, buffer, order[k], rounds);
            }
        fesetround(mode);
    }
}

static __attribute__((noinline)) void shift(
    const REAL *from, REAL *to, int64_t n_vectors, double by)
{
    const vec4 one = set4(1.0), step = set4(by);
    for (int64_t v = 0; v < n_vectors * LANES; v += LANES)
        store4(to + v, fma4(one, load4(from + v), step));
}

/* From the values in `upper`: more by `by` there, and less in `lower`, outwards. */
static void widen(void *upper, void *lower, int64_t n_vectors, double by)
{
    const int mode = fegetround();
    fesetround(FE_DOWNWARD);
    shift(upper, lower, n_vectors, -by);
    fesetround(FE_UPWARD);
    shift(upper, upper, n_vectors, by);
    fesetround(mode);
}

/* All G from all F. */
static void write_g_of_bounds(
    const Program *upper, const Program *lower, void *values, int64_t n_tiles)
{
    REAL *const buffer = values;
    const int mode = fegetround();
    for (int64_t k = 0; k < n_tiles; k++) {
        const int32_t mirror = upper->tiles[k].mirror;
        fesetround(FE_DOWNWARD);
        write_mirror_g(upper->tiles + k, lower->tiles + mirror, buffer);
        fesetround(FE_UPWARD);
        write_mirror_g(lower->tiles + k, upper->tiles + mirror, buffer);
    }
    fesetround(mode);
}

#endif
