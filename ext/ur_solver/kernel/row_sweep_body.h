/* The sweep of one instruction set. `row_double.c` and `row_single.c` include this once for each,
   with

       UR_SWEEPS, UR_CHECKS whether there is to be a sweep, and residuals and bounds
       UR_CHOOSES           whether there are to be policies
       UR_SET               its name, which UR_NAMED(name) puts behind another
       UR_SUM               what it calculates with: in residuals and bounds doubles
       UR_V, UR_N           a vector of UR_SUM and how many it has, 8 at most
       UR_MASK              of comparing two of them
       UR_LOAD(at)          a vector, of Reals
       UR_GATHER(row, map)  of the Reals of a row that a map names, NO_MOVE where it has -1
       UR_STORE, UR_ALL, UR_MAX, UR_ABOVE, UR_SELECT

   and none of them is defined any more behind it. Vectors are added and multiplied by the operators
   of C. */

/* The lists of one row, for `k` vectors of columns from `column` on: what they are worth where
   they move, and with what chance. Their rows are at `places`. `last` says where the row's words
   and leaving rows end. */
UR_INLINE void UR_NAMED(read_lists)(
    const RowKind *kind, const RowReader *at, RowReader *last, const int is_wide,
    const Real *places, const int32_t *maps, int columns, int column, const Real *passed,
    int is_bound, UR_V *worth, UR_V *moving, const int k)
{
    const int size = is_wide ? sizeof(uint64_t) : sizeof(uint32_t);
    const char *words = at->words + size;
    const Real *leaving = at->leaving;
    for (int i = 0; i < k; i++)
        worth[i] = moving[i] = UR_ALL(0);
    for (int c = 0; c < kind->n_choices; c++) {
        UR_V sum[4], moves[4];
        for (int i = 0; i < k; i++)
            sum[i] = moves[i] = UR_ALL(0);
        for (int n = 0; n < kind->n_throws[c]; n++) {
            const int64_t head = word_at(words, is_wide);
            words += size;
            if (head == 0)
                continue;
            const UR_V chance = UR_ALL(kind->chance[c][n]);
            UR_V best[4];
            for (int i = 0; i < k; i++)
                best[i] = UR_ALL(NO_MOVE);
            if (head & UR_LEAVES) {
                for (int i = 0; i < k; i++)
                    best[i] = UR_LOAD(leaving + column + UR_N * i);
                leaving += columns;
            }
            for (int rows = head & UR_MOST_ROWS; rows; rows--, words += size) {
                const Real *row = places + word_at(words, is_wide) + column;
                for (int i = 0; i < k; i++)
                    best[i] = UR_MAX(UR_LOAD(row + UR_N * i), best[i]);
            }
            for (int rows = head >> UR_MAPPED_SHIFT & UR_MOST_ROWS; rows;
                 rows--, words += 2 * size) {
                const Real *row = places + word_at(words, is_wide);
                const int32_t *map = maps + word_at(words + size, is_wide) + column;
                for (int i = 0; i < k; i++)
                    best[i] = UR_MAX(UR_GATHER(row, map + UR_N * i), best[i]);
            }
            if (head & UR_COVERED)
                for (int i = 0; i < k; i++) {
                    sum[i] += chance * best[i];
                    moves[i] += chance;
                }
            else
                for (int i = 0; i < k; i++) {
                    const UR_MASK is_move = UR_ABOVE(best[i], UR_ALL(NO_MOVE / 2));
                    sum[i] += UR_SELECT(is_move, chance * best[i], UR_ALL(0));
                    moves[i] += UR_SELECT(is_move, chance, UR_ALL(0));
                }
        }
        if (kind->n_choices == 1) {
            for (int i = 0; i < k; i++)
                worth[i] = sum[i], moving[i] = moves[i];
        } else
            for (int i = 0; i < k; i++) {
                /* a bound is for the best choice; else that is kept to until the next sweep */
                const UR_V other = UR_LOAD(passed + column + UR_N * i);
                const UR_V total = sum[i] + (UR_ALL(1) - moves[i]) * other;
                const UR_V kept = is_bound ? total : sum[i];
                const UR_V moved = is_bound ? UR_ALL(1) : moves[i];
                if (c == 0) {
                    worth[i] = kept;
                    moving[i] = moved;
                } else {
                    const UR_MASK is_better =
                        UR_ABOVE(total, worth[i] + (UR_ALL(1) - moving[i]) * other);
                    worth[i] = UR_SELECT(is_better, kept, worth[i]);
                    moving[i] = UR_SELECT(is_better, moved, moving[i]);
                }
            }
    }
    last->words = words;
    last->leaving = leaving;
}

/* What the throws of a tile's positions are worth where they move, and with what chance. */
UR_INLINE void UR_NAMED(read_tile)(
    const RowBlock *block, const RowChunk *chunk, const int is_wide, const RowTile *tile,
    RowReader *at, const Real *values, int is_bound, UR_SUM *worth, UR_SUM *moving)
{
    const int columns = tile->columns, size = is_wide ? sizeof(uint64_t) : sizeof(uint32_t);
    const Real *places = is_wide ? values - block->origin : values;
    const int64_t pitch = pitch_of(columns);
    for (int r = 0; r < tile->rows; r++) {
        const RowKind *kind = block->kinds + word_at(at->words, is_wide);
        const Real *passed = values + block->n_values + tile->first + (int64_t)r * columns;
        RowReader last = *at;
        int column = 0;
        UR_V sum[4], moves[4];
#define UR_READ(k)                                                                             \
    do {                                                                                       \
        UR_NAMED(read_lists)(                                                                  \
            kind, at, &last, is_wide, places, chunk->maps, columns, column, passed, is_bound,  \
            sum, moves, k);                                                                    \
        for (int i = 0; i < k; i++) {                                                          \
            UR_STORE(worth + column + UR_N * i, sum[i]);                                       \
            UR_STORE(moving + column + UR_N * i, moves[i]);                                    \
        }                                                                                      \
        column += UR_N * k;                                                                    \
    } while (0)
        while (columns - column > 3 * UR_N)
            UR_READ(4);
        while (columns - column > UR_N)
            UR_READ(2);
        if (columns > column)
            UR_READ(1);
#undef UR_READ
        for (const char *word = at->words; word < last.words; word += size)
            fetch_ends(places + word_at(word + UR_ROW_AHEAD * size, is_wide), columns);
        *at = last;
        worth += pitch;
        moving += pitch;
    }
}

UR_INLINE void UR_NAMED(read_both)(
    const RowBlock *block, const RowChunk *chunk, const int is_wide, const RowPair *pair,
    RowReader *at, const Real *values, int is_bound)
{
    UR_NAMED(read_tile)(
        block, chunk, is_wide, pair->mine, at, values, is_bound, pair->worth, pair->moving);
    if (pair->theirs != pair->mine)
        UR_NAMED(read_tile)(
            block, chunk, is_wide, pair->theirs, at, values, is_bound, pair->their_worth,
            pair->their_moving);
}

static __attribute__((noinline)) void UR_NAMED(read_narrow)(
    const RowBlock *block, const RowChunk *chunk, const RowPair *pair, RowReader *at,
    const Real *values, int is_bound)
{
    UR_NAMED(read_both)(block, chunk, 0, pair, at, values, is_bound);
}

static __attribute__((noinline)) void UR_NAMED(read_wide)(
    const RowBlock *block, const RowChunk *chunk, const RowPair *pair, RowReader *at,
    const Real *values, int is_bound)
{
    UR_NAMED(read_both)(block, chunk, 1, pair, at, values, is_bound);
}

UR_INLINE void UR_NAMED(read_pair)(
    const RowBlock *block, const RowChunk *chunk, const RowPair *pair, RowReader *at,
    const Real *values, int is_bound)
{
    (chunk->is_wide ? UR_NAMED(read_wide) : UR_NAMED(read_narrow))(
        block, chunk, pair, at, values, is_bound);
}

#if UR_SWEEPS

/* Two positions that pass to each other: a linear equation for each, solved for both. If all
   that they ever do is pass, it is a draw. */
UR_INLINE Real UR_NAMED(settle_pair)(const RowPair *pair, Real *values, int64_t n_values)
{
    const int rows = pair->mine->rows, columns = pair->mine->columns;
    Real *f = values + pair->mine->first, *g = f + n_values;
    Real *their_f = values + pair->theirs->first, *their_g = their_f + n_values;
    const UR_SUM *their_worth = pair->their_worth, *their_moving = pair->their_moving;
    Real delta = 0;
    for (int r = 0; r < rows; r++) {
        const UR_SUM *worth = (const UR_SUM *)pair->worth + r * pair->my_pitch;
        const UR_SUM *moving = (const UR_SUM *)pair->moving + r * pair->my_pitch;
        for (int c = 0; c < columns; c++) {
            const UR_SUM other = their_worth[c * pair->their_pitch + r];
            const UR_SUM moves = their_moving[c * pair->their_pitch + r];
            const UR_SUM passes = 1 - moving[c];
            const UR_SUM scale = moving[c] + passes * moves;
            const Real mine = scale > 0 ? (worth[c] - passes * other) / scale : 0;
            const Real theirs = other - (1 - moves) * mine;
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

static double UR_NAMED(sweep)(
    const RowBlock *block, const RowChunk *chunk, void *all_values, void *scratch)
{
    Real *values = all_values;
    RowReader at = {chunk->words, chunk->leaving};
    Real delta = 0;
    for (int k = 0; k < chunk->n_pairs; k++) {
        const RowPair pair = open_pair(block, chunk->pairs + 2 * k, scratch, sizeof(UR_SUM));
        const RowReader begin = at;
        if (k + 1 < chunk->n_pairs)
            fetch_pair(block, chunk->pairs + 2 * (k + 1), values);
        for (int round = 0; round < UR_ROUNDS; round++) {
            at = begin;
            UR_NAMED(read_pair)(block, chunk, &pair, &at, values, 0);
            delta = larger(UR_NAMED(settle_pair)(&pair, values, block->n_values), delta);
        }
    }
    return delta;
}

#endif

#if UR_CHECKS

UR_INLINE double UR_NAMED(residual_of)(
    const RowTile *tile, const double *worth, const double *moving, const Real *values,
    int64_t n_values)
{
    const Real *f = values + tile->first, *g = f + n_values;
    const int64_t pitch = pitch_of(tile->columns);
    double delta = 0;
    for (int r = 0; r < tile->rows; r++, worth += pitch, moving += pitch)
        for (int c = 0; c < tile->columns; c++, f++, g++) {
            const double off = fabs(worth[c] + (1 - moving[c]) * *g - *f);
            delta = off > delta ? off : delta;
        }
    return delta;
}

static double UR_NAMED(residual)(
    const RowBlock *block, const RowChunk *chunk, const void *all_values, void *scratch)
{
    const Real *values = all_values;
    RowReader at = {chunk->words, chunk->leaving};
    double delta = 0;
    for (int k = 0; k < chunk->n_pairs; k++) {
        const RowPair pair = open_pair(block, chunk->pairs + 2 * k, scratch, sizeof(double));
        UR_NAMED(read_pair)(block, chunk, &pair, &at, values, 0);
        delta = fmax(
            UR_NAMED(residual_of)(
                pair.mine, pair.worth, pair.moving, values, block->n_values),
            delta);
        delta = fmax(
            UR_NAMED(residual_of)(
                pair.theirs, pair.their_worth, pair.their_moving, values, block->n_values),
            delta);
    }
    return delta;
}

/* What a pair is worth by one of two bounds, in the rounding mode that there is. */
static void UR_NAMED(read_bound)(
    const RowBlock *block, const RowChunk *chunk, const RowPair *pair, RowReader *at,
    const Real *values)
{
    UR_NAMED(read_pair)(block, chunk, pair, at, values, 1);
}

#endif

#if UR_CHOOSES
#include "row_choose_body.h"
#endif

#undef UR_SWEEPS
#undef UR_CHOOSES
#undef UR_CHECKS
#undef UR_SET
#undef UR_SUM
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
