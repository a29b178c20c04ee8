/* The row kernel's sweep, residual and reading of bounds by one instruction set with one sort of numbers
   (vectors.h). X(name) is a name of vectors as long as the set's registers. */

#include "instruction_sets.h"
#if UR_HAS_SET

#include "row_pairs.h"

#define X(name) UR_OWN(name)

/* Four bytes for each number of a vector. */
typedef int32_t Places __attribute__((vector_size(4 * UR_WIDTH), aligned(4), may_alias));

/* Numbers from here and there. Single loads take less time than AVX2's gather of doubles on some
   processors. */
UR_INLINE X(vec) take(const REAL *from, const Places *places)
{
    const Places at = *places;
#if UR_VECTOR_BYTES == 64
    return _mm512_i32gather_pd((__m256i)at, from, 8);
#elif UR_VECTOR_BYTES == 32 && UR_FLOAT_SUMS
    return _mm256_i32gather_ps(from, (__m256i)at, 4);
#else
    X(vec) values;
#pragma GCC unroll 8
    for (int i = 0; i < UR_WIDTH; i++)
        values[i] = from[at[i]];
    return values;
#endif
}

/* Whole numbers as wide as sums. */
UR_INLINE X(bits) widened(Places numbers)
{
#if UR_VECTOR_BYTES == 64
    return (X(bits))_mm512_cvtepi32_epi64((__m256i)numbers); /* compilers convert the halves */
#elif UR_VECTOR_BYTES == 32 && !UR_FLOAT_SUMS
    return (X(bits))_mm256_cvtepi32_epi64((__m128i)numbers);
#else
    return __builtin_convertvector(numbers, X(bits));
#endif
}

/* What a map names of a row, NO_MOVE where it has -1. */
UR_INLINE X(vec) gather(const REAL *row, const int32_t *map)
{
#if UR_VECTOR_BYTES == 64
    const __m256i columns = _mm256_loadu_si256((const __m256i *)map);
    const __mmask8 is_move = (__mmask8)~_mm256_movemask_ps(_mm256_castsi256_ps(columns));
    return _mm512_mask_i32gather_pd(X(set)(NO_MOVE), is_move, columns, row, 8);
#else
    const Places columns = *(const Places *)map, read = columns & ~(columns >> 31);
    const X(mask) is_none = widened(columns >> 31);
    return X(select)(is_none, X(set)(NO_MOVE), take(row, &read));
#endif
}

/* The lists of one row, for `k` vectors of columns from `column` on: what they are worth where
   they move, and with what chance. `last` says where the row's words
   and leaving rows end. */
UR_INLINE void read_lists(
    const RowKind *kind, const RowReader *at, RowReader *last, const int is_wide,
    const REAL *values, const int32_t *maps, int columns, int column, const REAL *passed,
    int keeps, X(vec) *worth, X(vec) *moving, const int k)
{
    const int size = is_wide ? sizeof(uint64_t) : sizeof(uint32_t);
    const char *words = at->words + size;
    const REAL *leaving = at->leaving;
    for (int i = 0; i < k; i++)
        worth[i] = moving[i] = X(set)(0);
    for (int c = 0; c < kind->n_choices; c++) {
        X(vec) sum[4], moves[4];
        for (int i = 0; i < k; i++)
            sum[i] = moves[i] = X(set)(0);
        for (int n = 0; n < kind->n_throws[c]; n++) {
            const int64_t head = word_at(words, is_wide);
            words += size;
            if (head == 0)
                continue;
            const X(vec) chance = X(set)(kind->chance[c][n]);
            X(vec) best[4];
            for (int i = 0; i < k; i++)
                best[i] = X(set)(NO_MOVE);
            if (head & UR_LEAVES) {
                for (int i = 0; i < k; i++)
                    best[i] = X(load)(leaving + column + UR_WIDTH * i);
                leaving += columns;
            }
            for (int rows = head & UR_MOST_ROWS; rows; rows--, words += size) {
                const REAL *row = values + word_at(words, is_wide) + column;
                for (int i = 0; i < k; i++)
                    best[i] = X(max)(X(load)(row + UR_WIDTH * i), best[i]);
            }
            for (int rows = head >> UR_MAPPED_SHIFT & UR_MOST_ROWS; rows;
                 rows--, words += 2 * size) {
                const REAL *row = values + word_at(words, is_wide);
                const int32_t *map = maps + word_at(words + size, is_wide) + column;
                for (int i = 0; i < k; i++)
                    best[i] = X(max)(gather(row, map + UR_WIDTH * i), best[i]);
            }
            if (head & UR_COVERED)
                for (int i = 0; i < k; i++) {
                    sum[i] += chance * best[i];
                    moves[i] += chance;
                }
            else
                for (int i = 0; i < k; i++) {
                    const X(mask) is_move = X(above)(best[i], X(set)(NO_MOVE / 2));
                    sum[i] += X(select)(is_move, chance * best[i], X(set)(0));
                    moves[i] += X(select)(is_move, chance, X(set)(0));
                }
        }
        if (kind->n_choices == 1) {
            for (int i = 0; i < k; i++)
                worth[i] = sum[i], moving[i] = moves[i];
        } else
            for (int i = 0; i < k; i++) {
                /* With `keeps` the best choice is kept to while a pair is solved. */
                const X(vec) other = X(load)(passed + column + UR_WIDTH * i);
                const X(vec) total = sum[i] + (X(set)(1) - moves[i]) * other;
                const X(vec) kept = keeps ? sum[i] : total;
                const X(vec) moved = keeps ? moves[i] : X(set)(1);
                if (c == 0) {
                    worth[i] = kept;
                    moving[i] = moved;
                } else {
                    const X(mask) is_better =
                        X(above)(total, worth[i] + (X(set)(1) - moving[i]) * other);
                    worth[i] = X(select)(is_better, kept, worth[i]);
                    moving[i] = X(select)(is_better, moved, moving[i]);
                }
            }
    }
    last->words = words;
    last->leaving = leaving;
}

/* What the throws of a tile's positions are worth where they move, and with what chance. */
UR_INLINE void read_tile(
    const RowBlock *block, const RowChunk *chunk, const int is_wide, const RowTile *tile,
    RowReader *at, const REAL *values, int keeps, SUM *worth, SUM *moving)
{
    const int columns = tile->columns, size = is_wide ? sizeof(uint64_t) : sizeof(uint32_t);
    const int64_t pitch = pitch_of(columns);
    for (int r = 0; r < tile->rows; r++) {
        const RowKind *kind = block->kinds + word_at(at->words, is_wide);
        const REAL *passed = values + block->n_values + tile->first + (int64_t)r * columns;
        RowReader last = *at;
        int column = 0;
        X(vec) sum[4], moves[4];
#define UR_READ(k)                                                                             \
    do {                                                                                       \
        read_lists(                                                                  \
            kind, at, &last, is_wide, values, chunk->maps, columns, column, passed, keeps,  \
            sum, moves, k);                                                                    \
        for (int i = 0; i < k; i++) {                                                          \
            X(store_sums)(worth + column + UR_WIDTH * i, sum[i]);                                       \
            X(store_sums)(moving + column + UR_WIDTH * i, moves[i]);                                    \
        }                                                                                      \
        column += UR_WIDTH * k;                                                                    \
    } while (0)
        while (columns - column > 3 * UR_WIDTH)
            UR_READ(4);
        while (columns - column > UR_WIDTH)
            UR_READ(2);
        if (columns > column)
            UR_READ(1);
#undef UR_READ
        for (const char *word = at->words; word < last.words; word += size)
            fetch_ends(values + word_at(word + UR_ROW_AHEAD * size, is_wide), columns);
        *at = last;
        worth += pitch;
        moving += pitch;
    }
}

UR_INLINE void read_both(
    const RowBlock *block, const RowChunk *chunk, const int is_wide, const RowPair *pair,
    RowReader *at, const REAL *values, int keeps)
{
    read_tile(
        block, chunk, is_wide, pair->mine, at, values, keeps, pair->worth, pair->moving);
    if (pair->theirs != pair->mine)
        read_tile(
            block, chunk, is_wide, pair->theirs, at, values, keeps, pair->their_worth,
            pair->their_moving);
}

static __attribute__((noinline)) void read_narrow(
    const RowBlock *block, const RowChunk *chunk, const RowPair *pair, RowReader *at,
    const REAL *values, int keeps)
{
    read_both(block, chunk, 0, pair, at, values, keeps);
}

static __attribute__((noinline)) void read_wide(
    const RowBlock *block, const RowChunk *chunk, const RowPair *pair, RowReader *at,
    const REAL *values, int keeps)
{
    read_both(block, chunk, 1, pair, at, values, keeps);
}

UR_INLINE void read_pair(
    const RowBlock *block, const RowChunk *chunk, const RowPair *pair, RowReader *at,
    const REAL *values, int keeps)
{
    (chunk->is_wide ? read_wide : read_narrow)(
        block, chunk, pair, at, values, keeps);
}

#if UR_FLOATS == UR_FLOAT_SUMS

/* Two positions that pass to each other: a linear equation for each, solved for both. If all
   that they ever do is pass, it is a draw. By choices that are not kept to, neither passes: the
   turn has passed to what the other was worth before. */
UR_INLINE REAL settle_pair(const RowPair *pair, REAL *values, int64_t n_values)
{
    const int rows = pair->mine->rows, columns = pair->mine->columns;
    REAL *f = values + pair->mine->first, *g = f + n_values;
    REAL *their_f = values + pair->theirs->first, *their_g = their_f + n_values;
    const SUM *their_worth = pair->their_worth, *their_moving = pair->their_moving;
    REAL delta = 0;
    for (int r = 0; r < rows; r++) {
        const SUM *worth = (const SUM *)pair->worth + r * pair->my_pitch;
        const SUM *moving = (const SUM *)pair->moving + r * pair->my_pitch;
        for (int c = 0; c < columns; c++) {
            const SUM other = their_worth[c * pair->their_pitch + r];
            const SUM moves = their_moving[c * pair->their_pitch + r];
            const SUM passes = 1 - moving[c];
            const SUM scale = moving[c] + passes * moves;
            const REAL mine = scale > 0 ? (worth[c] - passes * other) / scale : 0;
            const REAL theirs = other - (1 - moves) * mine;
            const int64_t at = (int64_t)r * columns + c, image = (int64_t)c * rows + r;
            delta = larger(UR_ABS(mine - f[at]), delta);
            delta = larger(UR_ABS(theirs - their_f[image]), delta);
            f[at] = mine;
            g[at] = -theirs;
            their_f[image] = theirs;
            their_g[image] = -mine;
        }
    }
    return delta;
}

static double sweep(
    const RowBlock *block, const RowChunk *chunk, void *all_values, void *scratch)
{
    REAL *values = all_values;
    RowReader at = {chunk->words, chunk->leaving};
    REAL delta = 0;
    for (int k = 0; k < chunk->n_pairs; k++) {
        const RowPair pair = open_pair(block, chunk->pairs + 2 * k, scratch, sizeof(SUM));
        const RowReader begin = at;
        if (k + 1 < chunk->n_pairs)
            fetch_pair(block, chunk->pairs + 2 * (k + 1), values);
        for (int round = 0; round < UR_ROUNDS; round++) {
            at = begin;
            if (block->keeps_choices) /* constants, for which each is compiled by itself */
                read_pair(block, chunk, &pair, &at, values, 1);
            else
                read_pair(block, chunk, &pair, &at, values, 0);
            delta = larger(settle_pair(&pair, values, block->n_values), delta);
        }
    }
    return delta;
}

#endif

#if !UR_FLOAT_SUMS

UR_INLINE double residual_of(
    const RowTile *tile, const double *worth, const double *moving, const REAL *values,
    int64_t n_values)
{
    const REAL *f = values + tile->first, *g = f + n_values;
    const int64_t pitch = pitch_of(tile->columns);
    double delta = 0;
    for (int r = 0; r < tile->rows; r++, worth += pitch, moving += pitch)
        for (int c = 0; c < tile->columns; c++, f++, g++) {
            const double off = fabs(worth[c] + (1 - moving[c]) * *g - *f);
            delta = off > delta ? off : delta;
        }
    return delta;
}

static double residual(
    const RowBlock *block, const RowChunk *chunk, const void *all_values, void *scratch)
{
    const REAL *values = all_values;
    RowReader at = {chunk->words, chunk->leaving};
    double delta = 0;
    for (int k = 0; k < chunk->n_pairs; k++) {
        const RowPair pair = open_pair(block, chunk->pairs + 2 * k, scratch, sizeof(double));
        read_pair(block, chunk, &pair, &at, values, 1);
        delta = fmax(
            residual_of(
                pair.mine, pair.worth, pair.moving, values, block->n_values),
            delta);
        delta = fmax(
            residual_of(
                pair.theirs, pair.their_worth, pair.their_moving, values, block->n_values),
            delta);
    }
    return delta;
}

/* What a pair is worth by one of two bounds, in the rounding mode that there is. */
static void read_bound(
    const RowBlock *block, const RowChunk *chunk, const RowPair *pair, RowReader *at,
    const REAL *values)
{
    read_pair(block, chunk, pair, at, values, 0);
}

#endif

#if !UR_FLOATS
#include "row_choose_body.h"
#endif

const RowSet UR_NAMED(rows) = {
#if UR_FLOATS == UR_FLOAT_SUMS
    .sweep = sweep,
#endif
#if !UR_FLOAT_SUMS
    .residual = residual,
    .read_bound = read_bound,
#endif
#if !UR_FLOATS
    .choose = choose,
    .follow = follow,
#endif
};

UR_END_SET
#endif
