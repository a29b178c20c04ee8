/* The compiled sweeps, one for each instruction set: sweep_plain.c, sweep_avx2.c and
   sweep_avx512.c. Which one runs is chosen at run time, so that one build works on all
   machines. In single precision there is one, sweep_single.c, for AVX2: eight floats are one of
   its vectors. README.md has the map of the other files. */

#ifndef UR_SWEEP_H
#define UR_SWEEP_H

#include <stdint.h>

#include "tiles.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define UR_X86 1
#else
#define UR_X86 0
#endif

/* In single precision. */
typedef struct {
    /* One sweep, each pair of tiles `rounds` times in a row (`pair_of`), strips with their
       mirrors once; the largest change. */
    double (*sweep)(
        const Program *, float *, const int32_t *order, const int64_t *group_start,
        int64_t n_groups, int rounds, int threads);
    /* What sweeps of a lane may look at from now on, to the lists of the second program. */
    void (*eliminate)(
        const Program *, const float *, const int32_t *order, int64_t n_pairs, double margin,
        const Program *, int threads);
    /* Copy all F; later add `factor` times what has changed since. */
    void (*remember)(const Program *, const float *, float *memory, int64_t n_tiles, int threads);
    void (*extrapolate)(
        const Program *, float *, const float *memory, int64_t n_tiles, double factor,
        int threads);
} SingleSweeper;

/* In double precision. */
typedef struct {
    const char *name;
    int has_lanes;                /* whether the rows of a lane are compiled in */
    const SingleSweeper *single;  /* NULL if the set has none */
    /* As in single precision. */
    double (*sweep)(
        const Program *, double *, const int32_t *order, const int64_t *group_start,
        int64_t n_groups, int rounds, int threads);
    void (*remember)(
        const Program *, const double *, double *memory, int64_t n_tiles, int threads);
    void (*extrapolate)(
        const Program *, double *, const double *memory, int64_t n_tiles, double factor,
        int threads);
    /* The largest |T(V) - V|. */
    double (*residual)(const Program *, const double *, int64_t n_tiles, int threads);
    /* All G from all F. */
    void (*write_g)(const Program *, double *, int64_t n_tiles, int threads);
    /* Bounds: one sweep of both, both from values in place of the upper one, all of their G. */
    void (*narrow)(
        const Program *upper, const Program *lower, double *, const int32_t *order,
        const int64_t *group_start, int64_t n_groups, int rounds, int threads);
    void (*widen)(double *upper, double *lower, int64_t n_vectors, double by);
    void (*write_g_of_bounds)(
        const Program *upper, const Program *lower, double *, int64_t n_tiles);
} Sweeper;

extern const Sweeper sweeper_plain;
#if UR_X86
extern const SingleSweeper sweeper_single;
extern const Sweeper sweeper_avx2;
#ifndef UR_WITHOUT_AVX512
extern const Sweeper sweeper_avx512;
#endif
#endif

enum { MAX_SWEEPERS = 3 };

/* Those that this processor can run, the fastest first; how many there are. */
int find_sweepers(const Sweeper *found[MAX_SWEEPERS]);

/* Numbers of one precision from those of the other. */
void to_single(const double *from, float *to, int64_t n, int threads);
void to_double(const float *from, double *to, int64_t n, int threads);

#endif
