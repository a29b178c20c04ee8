/* The sweep for AVX-512, for AVX2 and in plain C; which one runs is settled when the
   program runs, so that one build serves all machines. In single precision there is one, for
   AVX2: eight floats are one of its vectors. */

#ifndef UR_SWEEP_H
#define UR_SWEEP_H

#include <fenv.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "lane.h"
#include "prefetch.h"
#include "tiles.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define UR_X86 1
#include <immintrin.h>
#else
#define UR_X86 0
#endif

static inline double larger(double a, double b) { return a > b ? a : b; }

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

/* Something done to the columns of a row of `vectors`, eight at a time and then four. */
#define UR_COLUMNS(vectors, call8, call4)                                                      \
    for (int column = 0; column + 8 <= (vectors)*LANES; column += 8)                           \
        call8;                                                                                 \
    if ((vectors)&1) {                                                                         \
        const int column = ((vectors)-1) * LANES;                                              \
        call4;                                                                                 \
    }

/* What both players' values sum to; in single precision values are less 1/2. */
static const double WHOLE = 1.0;
static const float WHOLE_single = 0.0f;

#define REAL double
#define TABLE(name) name

/* Of vectors, `spread` reads numbers from places whose numbers lack a bit, one of the lowest
   three; `transpose` writes what a part of F is to the opponent. */

/* ---- plain C ---- */
#define VEC(name) name##_plain
#define X4(name) name##_plainx4
#define X8(name) name##_plainx8
#define UR_LANE 0
#define WIDTH 4
#define X X4
#include "vectors_plain.h"
#undef X
#undef WIDTH
#define WIDTH 8
#define X X8
#include "vectors_plain.h"
#undef X
#undef WIDTH
#include "sweep_body.h"
#include "double_body.h"
#undef UR_LANE
#undef X8
#undef X4
#undef VEC

#if UR_X86
/* ---- AVX2 ---- */
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#define VEC(name) name##_avx2
#define X4(name) name##_avx2x4
#define X8(name) name##_avx2x8
#define UR_LANE 1
#include "vectors_avx2.h"
#include "sweep_body.h"
#include "double_body.h"
#undef UR_LANE
#undef X8
#undef X4
#undef VEC
#pragma GCC pop_options

/* ---- AVX-512 ---- */
#ifndef UR_WITHOUT_AVX512
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma")
#define VEC(name) name##_avx512
#define X4(name) name##_avx2x4
#define X8(name) name##_avx512x8
#define UR_LANE 1
#include "vectors_avx512.h"
#include "sweep_body.h"
#include "double_body.h"
#undef UR_LANE
#undef X8
#undef X4
#undef VEC
#pragma GCC pop_options
#endif
#endif
#undef TABLE
#undef REAL

#if UR_X86
/* ---- single precision ---- */
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#define REAL float
#define TABLE(name) name##_single
#define VEC(name) name##_single
#define X4(name) name##_singlex4
#define X8(name) name##_singlex8
#define UR_LANE 1
#include "vectors_single.h"
#include "sweep_body.h"
#include "eliminate_body.h"
#undef UR_LANE
#undef X8
#undef X4
#undef VEC
#undef TABLE
#undef REAL
#pragma GCC pop_options
#endif
#undef LANE_LIST

static inline void to_single(const double *from, float *to, int64_t n, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k < n; k++)
        to[k] = (float)(from[k] - 0.5);
}

static inline void to_double(const float *from, double *to, int64_t n, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k < n; k++)
        to[k] = from[k] + 0.5;
}

/* ---- the one that this processor runs ---- */
typedef struct {
    const char *name;
    int has_lanes;
    /* One sweep, each pair of tiles `rounds` times in a row (`pair_of`), strips with their
       mirrors once; the largest change. */
    double (*sweep)(
        const Program *, double *, const int32_t *order, const int64_t *group_start,
        int64_t n_groups, int rounds, int threads);
    /* The largest |T(V) - V|. */
    double (*residual)(const Program *, const double *, int64_t n_tiles, int threads);
    /* All G from all F. */
    void (*show)(const Program *, double *, int64_t n_tiles, int threads);
    /* Copy all F; later add `factor` times what has changed since. */
    void (*remember)(
        const Program *, const double *, double *memory, int64_t n_tiles, int threads);
    void (*extrapolate)(
        const Program *, double *, const double *memory, int64_t n_tiles, double factor,
        int threads);
    /* The same in single precision; NULL if the set has none. */
    double (*sweep_single)(
        const Program *, float *, const int32_t *order, const int64_t *group_start,
        int64_t n_groups, int rounds, int threads);
    /* What sweeps of a lane may look at from now on, to the lists of the second program. */
    void (*eliminate_single)(
        const Program *, const float *, const int32_t *order, int64_t n_pairs, double margin,
        const Program *, int threads);
    void (*remember_single)(
        const Program *, const float *, float *memory, int64_t n_tiles, int threads);
    void (*extrapolate_single)(
        const Program *, float *, const float *memory, int64_t n_tiles, double factor,
        int threads);
    /* Bounds: one sweep of both, both from the same values, all of their G. */
    void (*narrow)(
        const Program *, double *upper, double *lower, const int32_t *order,
        const int64_t *group_start, int64_t n_groups, int rounds, int threads);
    void (*widen)(
        const double *from, double *upper, double *lower, int64_t n_vectors, double by);
    void (*show_bounds)(const Program *, double *upper, double *lower, int64_t n_tiles);
} Sweeper;

#define UR_SINGLE sweep_single, eliminate_single, remember_single, extrapolate_single
#define UR_NO_SINGLE NULL, NULL, NULL, NULL
#define UR_SWEEPER(set, has_lanes_, ...)                                                       \
    {#set, has_lanes_, sweep_##set, residual_##set, show_##set, remember_##set,                \
     extrapolate_##set, __VA_ARGS__, narrow_##set, widen_##set, show_bounds_##set}

static inline int sweepers(Sweeper *list)
{
    /* Those that this processor can run, the fastest first. */
    int n = 0;
#if UR_X86
    __builtin_cpu_init();
#ifndef UR_WITHOUT_AVX512
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        list[n++] = (Sweeper)UR_SWEEPER(avx512, 1, UR_SINGLE);
#endif
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        list[n++] = (Sweeper)UR_SWEEPER(avx2, 1, UR_SINGLE);
#endif
    list[n++] = (Sweeper)UR_SWEEPER(plain, 0, UR_NO_SINGLE);
    return n;
}

#endif
