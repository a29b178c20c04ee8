#include "row_sweep.h"

#include <fenv.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define UR_INLINE static inline __attribute__((always_inline))
/* Compilers do not know that arithmetic reads the rounding mode, and may move it past the call
   that sets the mode; they see nothing of a function apart, nor of one called by its address. */
#define UR_APART static __attribute__((noipa))

/* How often a pair is updated in a sweep: its rows lead to each other, and are in the cache. */
#define UR_ROUNDS 2

#define UR_MOST_FETCHED 512 /* values of a tile that are asked for ahead */

/* Numbers from one row of a scratch matrix to the next. */
UR_INLINE int64_t pitch_of(int64_t columns)
{
    return (columns + UR_ROW_LANES - 1) / UR_ROW_LANES * UR_ROW_LANES;
}

/* Where the words and the moves that leave the block have been read up to. */
typedef struct {
    const char *words;
    const double *leaving;
} RowReader;

/* A word, of 64 or of 32 bits. */
UR_INLINE int64_t word_at(const char *words, int is_wide)
{
    return is_wide ? (int64_t)*(const uint64_t *)words : *(const uint32_t *)words;
}

/* A pair of tiles in work: rows of the one are columns of the other. */
typedef struct {
    const RowTile *mine, *theirs;
    int64_t my_pitch, their_pitch;
    double *worth, *moving, *their_worth, *their_moving;
} RowPair;

UR_INLINE RowPair open_pair(const RowBlock *block, const int32_t *pair, double *scratch)
{
    const RowTile *mine = block->tiles + pair[0], *theirs = block->tiles + pair[1];
    RowPair open = {mine, theirs, pitch_of(mine->columns), pitch_of(theirs->columns),
                    NULL, NULL, NULL, NULL};
    const int64_t my_size = mine->rows * open.my_pitch + UR_ROW_SPARE;
    const int64_t their_size = theirs->rows * open.their_pitch + UR_ROW_SPARE;
    open.worth = scratch;
    open.moving = open.worth + my_size;
    open.their_worth = mine == theirs ? open.worth : open.moving + my_size;
    open.their_moving = mine == theirs ? open.moving : open.their_worth + their_size;
    return open;
}

/* Ask for a pair's values, which come from memory in large blocks. */
UR_INLINE void fetch_pair(const RowBlock *block, const int32_t *pair, const double *values)
{
    for (int side = 0; side < 2; side++) {
        const RowTile *tile = block->tiles + pair[side];
        const int64_t size = (int64_t)tile->rows * tile->columns;
        const double *f = values + tile->first, *g = f + block->n_values;
        for (int64_t k = 0; k < size && k < UR_MOST_FETCHED; k += 8) {
            __builtin_prefetch(f + k, 1);
            __builtin_prefetch(g + k, 1);
        }
    }
}

UR_INLINE double larger(double a, double b)
{
    return a > b ? a : b;
}

#define UR_PASTE(name, set) name##_##set
#define UR_PASTED(name, set) UR_PASTE(name, set)
#define UR_NAMED(name) UR_PASTED(name, UR_SET)

UR_INLINE double mapped(const double *row, int32_t column)
{
    return column < 0 ? UR_NO_MOVE : row[column];
}

/* Plain C: vectors of two, which compilers have on every machine. */
typedef double Two __attribute__((vector_size(16)));
typedef double TwoAnywhere __attribute__((vector_size(16), aligned(8), may_alias));
typedef int64_t TwoMask __attribute__((vector_size(16)));
#define UR_SET plain
#define UR_V Two
#define UR_N 2
#define UR_MASK TwoMask
#define UR_LOAD(at) (*(const TwoAnywhere *)(at))
#define UR_STORE(at, v) (*(TwoAnywhere *)(at) = (v))
#define UR_ALL(x) ((Two){(x), (x)})
#define UR_ABOVE(a, b) ((a) > (b))
#define UR_SELECT(mask, yes, no) ((Two)(((mask) & (TwoMask)(yes)) | (~(mask) & (TwoMask)(no))))
#define UR_MAX(a, b) UR_SELECT(UR_ABOVE(a, b), a, b)
#define UR_GATHER(row, map) ((Two){mapped(row, (map)[0]), mapped(row, (map)[1])})
#include "row_sweep_body.h"
#undef UR_SET
#undef UR_V
#undef UR_N
#undef UR_MASK
#undef UR_LOAD
#undef UR_STORE
#undef UR_ALL
#undef UR_ABOVE
#undef UR_SELECT
#undef UR_MAX
#undef UR_GATHER

#if defined(__x86_64__) && defined(__GNUC__)
#define UR_X86 1
#include <immintrin.h>

#pragma GCC push_options
#pragma GCC target("avx2")
#define UR_SET avx2
#define UR_V __m256d
#define UR_N 4
#define UR_MASK __m256d
#define UR_LOAD(at) _mm256_loadu_pd(at)
#define UR_STORE(at, v) _mm256_storeu_pd(at, v)
#define UR_ALL(x) _mm256_set1_pd(x)
#define UR_ABOVE(a, b) _mm256_cmp_pd(a, b, _CMP_GT_OQ)
#define UR_SELECT(mask, yes, no) _mm256_blendv_pd(no, yes, mask)
#define UR_MAX(a, b) _mm256_max_pd(a, b)
#define UR_GATHER(row, map) gather_four(row, map)
UR_INLINE __m256d gather_four(const double *row, const int32_t *map)
{
    const __m128i places = _mm_loadu_si128((const __m128i *)map);
    const __m256i none = _mm256_cvtepi32_epi64(_mm_srai_epi32(places, 31));
    const __m256d is_move = _mm256_castsi256_pd(_mm256_xor_si256(none, _mm256_set1_epi64x(-1)));
    return _mm256_mask_i32gather_pd(_mm256_set1_pd(UR_NO_MOVE), row, places, is_move, 8);
}
#include "row_sweep_body.h"
#undef UR_SET
#undef UR_V
#undef UR_N
#undef UR_MASK
#undef UR_LOAD
#undef UR_STORE
#undef UR_ALL
#undef UR_ABOVE
#undef UR_SELECT
#undef UR_MAX
#undef UR_GATHER
#pragma GCC pop_options

#ifndef UR_WITHOUT_AVX512
#pragma GCC push_options
#pragma GCC target("avx512f")
#define UR_SET avx512
#define UR_V __m512d
#define UR_N 8
#define UR_MASK __mmask8
#define UR_LOAD(at) _mm512_loadu_pd(at)
#define UR_STORE(at, v) _mm512_storeu_pd(at, v)
#define UR_ALL(x) _mm512_set1_pd(x)
#define UR_ABOVE(a, b) _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ)
#define UR_SELECT(mask, yes, no) _mm512_mask_blend_pd(mask, no, yes)
#define UR_MAX(a, b) _mm512_max_pd(a, b)
#define UR_GATHER(row, map) gather_eight(row, map)
UR_INLINE __m512d gather_eight(const double *row, const int32_t *map)
{
    const __m256i places = _mm256_loadu_si256((const __m256i *)map);
    const __mmask8 is_move = (__mmask8)~_mm256_movemask_ps(_mm256_castsi256_ps(places));
    return _mm512_mask_i32gather_pd(
        _mm512_set1_pd(UR_NO_MOVE), is_move, places, row, 8);
}
#include "row_sweep_body.h"
#pragma GCC pop_options
#endif
#endif

static int runs_everywhere(void)
{
    return 1;
}

#ifdef UR_X86
static int runs_avx2(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}

#ifndef UR_WITHOUT_AVX512
static int runs_avx512(void)
{
    return __builtin_cpu_supports("avx512f") != 0;
}
#endif
#endif

typedef struct {
    const char *name;
    int (*runs)(void);
    double (*sweep)(const RowBlock *, const RowChunk *, double *, double *);
    double (*residual)(const RowBlock *, const RowChunk *, const double *, double *);
    void (*read_bound)(
        const RowBlock *, const RowChunk *, const RowPair *, RowReader *, const double *);
} InstructionSet;

/* The fastest first. */
static const InstructionSet instruction_sets[] = {
#ifdef UR_X86
#ifndef UR_WITHOUT_AVX512
    {"avx512", runs_avx512, sweep_avx512, residual_avx512, read_bound_avx512},
#endif
    {"avx2", runs_avx2, sweep_avx2, residual_avx2, read_bound_avx2},
#endif
    {"plain", runs_everywhere, sweep_plain, residual_plain, read_bound_plain},
};

int row_find_set(const char *name)
{
    const int n = (int)(sizeof(instruction_sets) / sizeof(instruction_sets[0]));
    for (int k = 0; k < n; k++)
        if ((name == NULL || strcmp(instruction_sets[k].name, name) == 0) &&
            instruction_sets[k].runs())
            return k;
    return -1;
}

double row_sweep(
    const RowBlock *block, const RowChunk *chunk, double *values, double *scratch)
{
    return instruction_sets[block->instruction_set].sweep(block, chunk, values, scratch);
}

double row_residual(
    const RowBlock *block, const RowChunk *chunk, const double *values, double *scratch)
{
    return instruction_sets[block->instruction_set].residual(block, chunk, values, scratch);
}

int64_t row_scratch_size(const RowBlock *block)
{
    const int64_t rows = block->most_rows + 32, columns = block->most_columns + 32;
    const int64_t matrix = (rows * pitch_of(columns) > columns * pitch_of(rows)
                                ? rows * pitch_of(columns)
                                : columns * pitch_of(rows));
    return 8 * matrix;
}

void row_show_other(
    const RowBlock *block, const RowChunk *chunk, double *values, const double *other)
{
    for (int k = 0; k < chunk->n_pairs; k++)
        for (int side = 0; side < 2; side++) {
            const RowTile *tile = block->tiles + chunk->pairs[2 * k + side];
            const double *f = other + block->tiles[chunk->pairs[2 * k + 1 - side]].first;
            double *g = values + block->n_values + tile->first;
            for (int r = 0; r < tile->rows; r++)
                for (int c = 0; c < tile->columns; c++)
                    *g++ = -f[(int64_t)c * tile->rows + r];
        }
}

void row_show(const RowBlock *block, const RowChunk *chunk, double *values)
{
    row_show_other(block, chunk, values, values);
}

/* Bounds. Every operation of an upper bound is rounded up, of a lower one down. */

/* What two positions are worth that pass to each other, bounded from above: x = (w + passes * b) /
   scale, where w is at most `worth`, b at most `other`, and the chance of moving between its two
   bounds, for the one position and for the other. To be called with the rounding mode upward, in
   which -(-a op b) is rounded down. */
UR_INLINE double bound_pair(
    double worth, double other, double moving_low, double moving_high, double others_low,
    double others_high)
{
    const double most_passes = 1.0 - moving_low, least_passes = -(moving_high - 1.0);
    const double top = worth + (other > 0.0 ? most_passes : least_passes) * other;
    const double most = moving_high + most_passes * others_high;
    const double least = -(-moving_low - least_passes * others_low);
    return top / (top > 0.0 ? least : most);
}

/* The pair as the other side sees it. */
UR_INLINE RowPair image_of(const RowPair *pair)
{
    return (RowPair){pair->theirs,      pair->mine,         pair->their_pitch, pair->my_pitch,
                     pair->their_worth, pair->their_moving, pair->worth,       pair->moving};
}

/* Both bounds of the values of a pair's first tile, by those of what the throws of both are
   worth. */
UR_APART void narrow_tile(
    const RowPair *high, const RowPair *low, double blur, double *upper, double *lower)
{
    const RowTile *tile = high->mine;
    upper += tile->first;
    lower += tile->first;
    for (int r = 0; r < tile->rows; r++)
        for (int c = 0; c < tile->columns; c++, upper++, lower++) {
            const int64_t at = r * high->my_pitch + c, image = c * high->their_pitch + r;
            const double most = high->moving[at], most_of_others = high->their_moving[image];
            const double least = low->moving[at], least_of_others = low->their_moving[image];
            if (most == 0.0 && most_of_others == 0.0) {
                *upper = *lower = 0.0;
                continue;
            }
            *upper = bound_pair(high->worth[at], -low->their_worth[image], least, most,
                                least_of_others, most_of_others) + blur;
            *lower = -(bound_pair(-low->worth[at], high->their_worth[image], least, most,
                                  least_of_others, most_of_others) + blur);
        }
}

void row_narrow(
    const RowBlock *block, const RowChunk *chunk, double *upper, double *lower, double blur,
    double *scratch)
{
    const int mode = fegetround();
    RowReader up = {(const char *)chunk->words, chunk->leaving}, down = up;
    double *half = scratch + row_scratch_size(block) / 2;
    for (int k = 0; k < chunk->n_pairs; k++) {
        const RowPair high = open_pair(block, chunk->pairs + 2 * k, scratch);
        const RowPair low = open_pair(block, chunk->pairs + 2 * k, half);
        fesetround(FE_DOWNWARD);
        instruction_sets[block->instruction_set].read_bound(
            block, chunk, &low, &down, lower);
        fesetround(FE_UPWARD);
        instruction_sets[block->instruction_set].read_bound(
            block, chunk, &high, &up, upper);
        narrow_tile(&high, &low, blur, upper, lower);
        if (high.theirs != high.mine) {
            const RowPair high_image = image_of(&high), low_image = image_of(&low);
            narrow_tile(&high_image, &low_image, blur, upper, lower);
        }
        fesetround(mode);
        RowChunk shown = *chunk;
        shown.pairs = chunk->pairs + 2 * k;
        shown.n_pairs = 1;
        row_show_other(block, &shown, upper, lower);
        row_show_other(block, &shown, lower, upper);
    }
    fesetround(mode);
}

/* The furthest that bounds are from given values, rounded up, and where. */
double row_width(
    const double *upper, const double *lower, const double *values, int64_t n, int64_t *where)
{
    double width = -1.0;
    for (int64_t k = 0; k < n; k++) {
        const double above = upper[k] + (0.5 - values[k]), below = (values[k] - 0.5) - lower[k];
        const double off = above > below ? above : below;
        if (off > width) {
            width = off;
            *where = k;
        }
    }
    return width;
}
