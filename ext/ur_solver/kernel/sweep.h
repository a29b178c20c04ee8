/* The sweep for AVX-512, for AVX2 and in plain C; which one runs is settled when the
   program runs, so that one build serves all machines. */

#ifndef UR_SWEEP_H
#define UR_SWEEP_H

#include <fenv.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "tiles.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define UR_X86 1
#include <immintrin.h>
#else
#define UR_X86 0
#endif

/* ---- the rows of a lane of four entry squares ---- */
/* Masks by population, then by value, as ur_solver.space.layout.entry_masks orders them. */
static const uint8_t LANE_MASK[LANE_ROWS] = {0, 1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14, 15};
static const uint8_t LANE_PIECES[LANE_ROWS] = {0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4};
static const uint8_t LANE_ROW[LANE_ROWS] = {0, 1, 2, 5, 3, 6, 7, 11, 4, 8, 9, 12, 10, 13, 14, 15};
/* Rows, the furthest on first. */
static const uint8_t LANE_ORDER[LANE_ROWS] = {15, 14, 13, 10, 12, 9, 11, 7, 8, 4, 6, 3, 5, 2, 1, 0};

/* The matrix that a move which is not legal leads to: worse than any value. */
#define UR_8(x) x, x, x, x, x, x, x, x
#define UR_64(x) UR_8(x), UR_8(x), UR_8(x), UR_8(x), UR_8(x), UR_8(x), UR_8(x), UR_8(x)
static const double NO_MOVE[LANE_ROWS * 2 * LANES] __attribute__((aligned(64))) = {
    UR_64(-1.0), UR_64(-1.0), UR_64(-1.0), UR_64(-1.0)};

/* What a tile's moves to other tiles are worth, by throw and row: the same while the tile
   and its mirror are updated in turn. */
typedef struct {
    double best[LANE_SQUARES][LANE_ROWS * 2 * LANES];
} LaneFrame;

static inline double *frame_of(const Program *program, int number)
{
    /* One of this thread's four frames. */
    return program->frames +
           (omp_get_thread_num() * 4 + number) * program->frame_step * program->n_throws;
}

/* ---- what the next pair of tiles will read ---- */

static inline void prefetch_lines(const double *from, int lines)
{
    for (int line = 0; line < lines; line++)
        __builtin_prefetch(from + line * LANES);
}

/* F, and matrices that moves lead to. Of a lane the first of each throw: if some move leaves
   the block it is theirs, which no other tile reads and no cache holds. The other matrices
   belong to tiles close by: to prefetch them too costs more than it saves. Measured in one run
   against no prefetch: a sweep takes 0.84 of the time on finkel 6 and on masters 4; with all
   matrices 0.90 and 0.93. Tiles with forks are smaller and lead further: the first lines of
   all matrices. */
static inline void prefetch_tile(const Program *program, const double *buffer, const Tile *tile)
{
    const int lines = tile->n_rows * tile->vectors;
    const int most = lines < PREFETCH_LINES ? lines : PREFETCH_LINES;
    const int first = lines < MOVE_LINES ? lines : MOVE_LINES;
    uint32_t move = tile->first_move;
    for (int n = 0; n < program->n_throws; n++) {
        const uint32_t end = move + tile->n_moves[n];
        if (program->is_lane) {
            if (move < end)
                prefetch_lines(buffer + (int64_t)(program->refs[move] >> 8) * LANES, most);
            move = end;
        } else
            for (; move < end; move++)
                prefetch_lines(
                    buffer + (int64_t)(program->moves[move].matrix >> 8) * LANES, first);
    }
    prefetch_lines(buffer + tile->f * LANES, 2 * most);
}

/* A tile's record, its lists and what they lead to are each known only once the one before
   is there: each is asked for some pairs before the next. */
enum { RECORD_AHEAD = 8, MIRROR_AHEAD = 6, LISTS_AHEAD = 4, VALUES_AHEAD = 2 };

static inline void prefetch_lists(const Program *program, const Tile *tile)
{
    if (program->is_lane) {
        const MatrixRef *moves = program->refs + tile->first_move;
        __builtin_prefetch(moves);
        __builtin_prefetch(moves + 8);
        if (tile->pieces) {
            const MatrixRef *slots = program->slots + tile->first_slot;
            __builtin_prefetch(slots);
            __builtin_prefetch(slots + 8);
        }
        return;
    }
    const Move *move = program->moves + tile->first_move;
    int n_moves = 0;
    for (int n = 0; n < program->n_throws; n++)
        n_moves += tile->n_moves[n];
    for (int k = 0; k < n_moves; k += 4)
        __builtin_prefetch(move + k);
    __builtin_prefetch(program->pass_bits + tile->first_row);
}

static inline void prefetch_pairs(
    const Program *program, const double *buffer, const int32_t *order, int64_t k, int64_t n)
{
    /* For those that follow the k-th of n pairs. */
    const Tile *tiles = program->tiles;
    if (k + RECORD_AHEAD < n)
        __builtin_prefetch(tiles + order[k + RECORD_AHEAD]);
    if (k + MIRROR_AHEAD < n) {
        const Tile *tile = tiles + order[k + MIRROR_AHEAD];
        __builtin_prefetch(tiles + tile->mirror);
        prefetch_lists(program, tile);
    }
    if (k + LISTS_AHEAD < n)
        prefetch_lists(program, tiles + tiles[order[k + LISTS_AHEAD]].mirror);
    if (k + VALUES_AHEAD < n) {
        const Tile *tile = tiles + order[k + VALUES_AHEAD];
        prefetch_tile(program, buffer, tile);
        prefetch_tile(program, buffer, tiles + tile->mirror);
    }
}

/* `spread`: four doubles where a bit, below the third, is put into their places' numbers. */

/* ---- plain C ---- */
#define VEC(name) name##_plain
typedef struct { double x[LANES]; } v8_plain;
static inline v8_plain set_plain(double x)
{
    v8_plain v;
    for (int i = 0; i < LANES; i++)
        v.x[i] = x;
    return v;
}
static inline v8_plain load_plain(const double *p)
{
    v8_plain v;
    memcpy(v.x, p, sizeof v.x);
    return v;
}
static inline void store_plain(double *p, v8_plain v) { memcpy(p, v.x, sizeof v.x); }
static inline v8_plain max_plain(v8_plain a, v8_plain b)
{
    for (int i = 0; i < LANES; i++)
        a.x[i] = b.x[i] > a.x[i] ? b.x[i] : a.x[i];
    return a;
}
static inline v8_plain mul_plain(v8_plain a, v8_plain b)
{
    for (int i = 0; i < LANES; i++)
        a.x[i] *= b.x[i];
    return a;
}
static inline v8_plain fma_plain(v8_plain a, v8_plain b, v8_plain c)
{
    for (int i = 0; i < LANES; i++)
        c.x[i] += a.x[i] * b.x[i];
    return c;
}
static inline v8_plain lanes_below_plain(int n)
{
    v8_plain v;
    for (int i = 0; i < LANES; i++)
        v.x[i] = i < n ? 1.0 : 0.0;
    return v;
}
static inline v8_plain distance_plain(v8_plain a, v8_plain b, v8_plain valid)
{
    for (int i = 0; i < LANES; i++)
        a.x[i] = fabs(a.x[i] - b.x[i]) * valid.x[i];
    return a;
}
static inline double largest_plain(v8_plain a)
{
    double m = a.x[0];
    for (int i = 1; i < LANES; i++)
        m = a.x[i] > m ? a.x[i] : m;
    return m;
}
static inline void transpose_plain(
    const double *f, int64_t stride, double *g, int64_t to_stride, int n_rows, int n_columns)
{
    n_rows = n_rows < LANES ? n_rows : LANES;
    n_columns = n_columns < LANES ? n_columns : LANES;
    for (int r = 0; r < n_rows; r++)
        for (int c = 0; c < n_columns; c++)
            g[c * to_stride + r] = 1.0 - f[r * stride + c];
}
static inline v8_plain spread_plain(const double *p, int bit)
{
    v8_plain v;
    for (int i = 0; i < LANES; i++)
        v.x[i] = p[without_bit(i, bit)];
    return v;
}
#define UR_LANE 0
#include "sweep_body.h"
#undef UR_LANE
#undef VEC

#if UR_X86
/* ---- AVX2 ---- */
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#define VEC(name) name##_avx2
#define UR_LANE 1
typedef struct { __m256d a, b; } v8_avx2;
static inline v8_avx2 set_avx2(double x)
{
    return (v8_avx2){_mm256_set1_pd(x), _mm256_set1_pd(x)};
}
static inline v8_avx2 load_avx2(const double *p)
{
    return (v8_avx2){_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)};
}
static inline void store_avx2(double *p, v8_avx2 v)
{
    _mm256_storeu_pd(p, v.a);
    _mm256_storeu_pd(p + 4, v.b);
}
static inline v8_avx2 max_avx2(v8_avx2 x, v8_avx2 y)
{
    return (v8_avx2){_mm256_max_pd(x.a, y.a), _mm256_max_pd(x.b, y.b)};
}
static inline v8_avx2 mul_avx2(v8_avx2 x, v8_avx2 y)
{
    return (v8_avx2){_mm256_mul_pd(x.a, y.a), _mm256_mul_pd(x.b, y.b)};
}
static inline v8_avx2 fma_avx2(v8_avx2 x, v8_avx2 y, v8_avx2 z)
{
    return (v8_avx2){_mm256_fmadd_pd(x.a, y.a, z.a), _mm256_fmadd_pd(x.b, y.b, z.b)};
}
static inline v8_avx2 lanes_below_avx2(int n)
{
    const __m256i count = _mm256_set1_epi64x(n);
    return (v8_avx2){
        _mm256_castsi256_pd(_mm256_cmpgt_epi64(count, _mm256_setr_epi64x(0, 1, 2, 3))),
        _mm256_castsi256_pd(_mm256_cmpgt_epi64(count, _mm256_setr_epi64x(4, 5, 6, 7)))};
}
static inline v8_avx2 distance_avx2(v8_avx2 x, v8_avx2 y, v8_avx2 valid)
{
    const __m256d sign = _mm256_set1_pd(-0.0);
    return (v8_avx2){
        _mm256_and_pd(valid.a, _mm256_andnot_pd(sign, _mm256_sub_pd(x.a, y.a))),
        _mm256_and_pd(valid.b, _mm256_andnot_pd(sign, _mm256_sub_pd(x.b, y.b)))};
}
static inline double largest_avx2(v8_avx2 x)
{
    double lanes[LANES], m = 0.0;
    store_avx2(lanes, x);
    for (int i = 0; i < LANES; i++)
        m = lanes[i] > m ? lanes[i] : m;
    return m;
}
static inline void transpose_avx2(
    const double *f, int64_t stride, double *g, int64_t to_stride, int n_rows, int n_columns)
{
    transpose_plain(f, stride, g, to_stride, n_rows, n_columns);
}
static inline v8_avx2 spread_avx2(const double *p, const int bit)
{
    const __m256d x = _mm256_loadu_pd(p);
    if (bit == 0)
        return (v8_avx2){_mm256_permute4x64_pd(x, 0x50), _mm256_permute4x64_pd(x, 0xFA)};
    if (bit == 1)
        return (v8_avx2){_mm256_permute4x64_pd(x, 0x44), _mm256_permute4x64_pd(x, 0xEE)};
    return (v8_avx2){x, x};
}
#include "sweep_body.h"
#undef UR_LANE
#undef VEC
#pragma GCC pop_options

/* ---- AVX-512 ---- */
#ifndef UR_WITHOUT_AVX512
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma")
#define VEC(name) name##_avx512
#define UR_LANE 1
typedef __m512d v8_avx512;
static inline v8_avx512 set_avx512(double x) { return _mm512_set1_pd(x); }
static inline v8_avx512 load_avx512(const double *p) { return _mm512_loadu_pd(p); }
static inline void store_avx512(double *p, v8_avx512 v) { _mm512_storeu_pd(p, v); }
static inline v8_avx512 max_avx512(v8_avx512 x, v8_avx512 y) { return _mm512_max_pd(x, y); }
static inline v8_avx512 mul_avx512(v8_avx512 x, v8_avx512 y) { return _mm512_mul_pd(x, y); }
static inline v8_avx512 fma_avx512(v8_avx512 x, v8_avx512 y, v8_avx512 z)
{
    return _mm512_fmadd_pd(x, y, z);
}
static inline v8_avx512 lanes_below_avx512(int n)
{
    const __mmask8 mask = n >= LANES ? 0xFF : n <= 0 ? 0 : (__mmask8)((1u << n) - 1);
    return _mm512_castsi512_pd(_mm512_maskz_set1_epi64(mask, -1));
}
static inline v8_avx512 distance_avx512(v8_avx512 x, v8_avx512 y, v8_avx512 valid)
{
    return _mm512_and_pd(valid, _mm512_abs_pd(_mm512_sub_pd(x, y)));
}
static inline double largest_avx512(v8_avx512 x) { return _mm512_reduce_max_pd(x); }
static inline void transpose_avx512(
    const double *f, int64_t stride, double *g, int64_t to_stride, int n_rows, int n_columns)
{
    /* 8 x 8 at most. Rows past n_rows are loaded as zeros and columns past n_columns not
       written; the padding of g's rows takes what the zeros give. */
    __m512d row[LANES], t[LANES];
    const __m512d one = _mm512_set1_pd(1.0);
    if (n_rows == 1) {
        for (int c = 0; c < (n_columns < LANES ? n_columns : LANES); c++)
            g[c * to_stride] = 1.0 - f[c];
        return;
    }
    for (int i = 0; i < LANES; i++)
        row[i] = _mm512_sub_pd(one, i < n_rows ? _mm512_loadu_pd(f + i * stride) : one);
    for (int i = 0; i < LANES; i += 2) {
        t[i] = _mm512_unpacklo_pd(row[i], row[i + 1]);
        t[i + 1] = _mm512_unpackhi_pd(row[i], row[i + 1]);
    }
    for (int i = 0; i < LANES; i += 4)
        for (int k = 0; k < 2; k++) {
            row[i + k] = _mm512_shuffle_f64x2(t[i + k], t[i + k + 2], 0x88);
            row[i + k + 2] = _mm512_shuffle_f64x2(t[i + k], t[i + k + 2], 0xDD);
        }
    for (int k = 0; k < 4; k++) {
        t[k] = _mm512_shuffle_f64x2(row[k], row[k + 4], 0x88);
        t[k + 4] = _mm512_shuffle_f64x2(row[k], row[k + 4], 0xDD);
    }
    for (int c = 0; c < LANES && c < n_columns; c++)
        _mm512_storeu_pd(g + c * to_stride, t[c]);
}
static inline v8_avx512 spread_avx512(const double *p, const int bit)
{
    const __m512d x = _mm512_broadcast_f64x4(_mm256_loadu_pd(p));
    if (bit == 0)
        return _mm512_permutexvar_pd(_mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3), x);
    if (bit == 1)
        return _mm512_permutexvar_pd(_mm512_setr_epi64(0, 1, 0, 1, 2, 3, 2, 3), x);
    return x;
}
#include "sweep_body.h"
#undef UR_LANE
#undef VEC
#pragma GCC pop_options
#endif
#endif

/* ---- the one that this processor runs ---- */
typedef struct {
    const char *name;
    int has_lanes;
    /* One sweep, each pair of tiles `rounds` times in a row; the largest change. */
    double (*sweep)(
        const Program *, double *, const int32_t *order, const int64_t *group_start,
        int64_t n_groups, int rounds, int threads);
    /* The largest |T(V) - V|. */
    double (*residual)(const Program *, double *, int64_t n_tiles, int threads);
    /* All G from all F. */
    void (*show)(const Program *, double *, int64_t n_tiles, int threads);
    /* Copy all F; later add `factor` times what has changed since. */
    void (*remember)(
        const Program *, const double *, double *memory, int64_t n_tiles, int threads);
    void (*extrapolate)(
        const Program *, double *, const double *memory, int64_t n_tiles, double factor,
        int threads);
    /* Bounds: one sweep of both, both from the same values, all of their G. */
    void (*narrow)(
        const Program *, double *upper, double *lower, const int32_t *order,
        const int64_t *group_start, int64_t n_groups, int rounds, int threads);
    void (*widen)(
        const double *from, double *upper, double *lower, int64_t n_vectors, double by);
    void (*show_bounds)(const Program *, double *upper, double *lower, int64_t n_tiles);
} Sweeper;

#define UR_SWEEPER(set, has_lanes_) \
    {#set,           has_lanes_,      sweep_##set,  residual_##set, show_##set, \
     remember_##set, extrapolate_##set, narrow_##set, widen_##set,    show_bounds_##set}

static inline int sweepers(Sweeper *list)
{
    /* Those that this processor can run, the fastest first. */
    int n = 0;
#if UR_X86
    __builtin_cpu_init();
#ifndef UR_WITHOUT_AVX512
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        list[n++] = (Sweeper)UR_SWEEPER(avx512, 1);
#endif
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        list[n++] = (Sweeper)UR_SWEEPER(avx2, 1);
#endif
    list[n++] = (Sweeper)UR_SWEEPER(plain, 0);
    return n;
}

#endif
