/* The compiled sweeps of the tiled kernel: what a C file hands out that is compiled for an instruction
   set and a sort of numbers. Which one runs is chosen at run time, so that one build works on all
   machines. README.md has the map of the other files. */

#ifndef UR_SWEEP_H
#define UR_SWEEP_H

#include <stdint.h>

#include "tiles.h"

/* What numbers are in memory and in arithmetic: doubles in both, floats in both, or floats in memory
   and doubles in arithmetic. */
enum { UR_DOUBLE, UR_SINGLE, UR_MIXED };

/* Numbers are passed as void *: what they are is the record's. */
typedef struct {
    /* One sweep, each pair of tiles `rounds` times in a row (`pair_of`), strips with their
       mirrors once; the largest change. */
    double (*sweep)(
        const Program *, void *, const int32_t *order, const int64_t *group_start,
        int64_t n_groups, int rounds, int threads);
    /* Copy all F; later add `factor` times what has changed since. */
    void (*remember)(const Program *, const void *, void *memory, int64_t n_tiles, int threads);
    void (*extrapolate)(
        const Program *, void *, const void *memory, int64_t n_tiles, double factor, int threads);

    /* With floats in arithmetic: to the lists of `kept`, which have the same room, what sweeps may look
       at from now on. */
    void (*eliminate)(
        const Program *, const void *, const int32_t *order, int64_t n_pairs, double margin,
        const Program *kept, int threads);

    /* With doubles in arithmetic: the largest |T(V) - V|. */
    double (*residual)(const Program *, const void *, int64_t n_tiles, int threads);
    /* All G from all F. */
    void (*write_g)(const Program *, void *, int64_t n_tiles, int threads);
    /* One sweep of upper and lower bounds. */
    void (*narrow)(
        const Program *upper, const Program *lower, void *, const int32_t *order,
        const int64_t *group_start, int64_t n_groups, int rounds, int threads);
    /* From values in place of the upper bounds: both bounds, further out by so much. */
    void (*widen)(void *upper, void *lower, int64_t n_vectors, double by);
    /* All G of both bounds from all F. */
    void (*write_g_of_bounds)(
        const Program *upper, const Program *lower, void *, int64_t n_tiles);
} Sweeps;

/* Those of an instruction set, by `find_set`, for a precision. */
const Sweeps *tiled_sweeps(int set, int precision);

#endif
