/* A pair of tiles being updated, for the sweeps of all instruction sets. */

#ifndef UR_ROW_PAIRS_H
#define UR_ROW_PAIRS_H

#include "instruction_sets.h"

#include "row_sweep.h"

#include <fenv.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "vectors.h"

/* Less than any value, absolute values and the next number, of the type of a block's values. */
#if UR_FLOATS
#define NO_MOVE UR_NO_MOVE_SINGLE
#define UR_ABS fabsf
#define UR_NEXT nextafterf
#else
#define NO_MOVE UR_NO_MOVE
#define UR_ABS fabs
#define UR_NEXT nextafter
#endif

/* Compilers do not know that arithmetic reads the rounding mode, and may move it past the call
   that sets the mode; they see nothing of a function apart, nor of one called by its address. clang
   keeps the order by itself where -frounding-math is given. */
#ifdef __clang__
#define UR_APART static __attribute__((noinline))
#else
#define UR_APART static __attribute__((noipa))
#endif

/* How often a pair is updated in a sweep: its rows lead to each other, and are in the cache. */
#define UR_ROUNDS 2

#define UR_MOST_FETCHED 512 /* values of a tile that are asked for ahead */
#define UR_LINE (64 / (int64_t)sizeof(REAL)) /* values in a cache line */

/* Numbers from one row of a scratch matrix to the next. */
UR_INLINE int64_t pitch_of(int64_t columns)
{
    return (columns + UR_ROW_LANES - 1) / UR_ROW_LANES * UR_ROW_LANES;
}

/* Where the words and the moves that leave the block have been read up to. */
typedef struct {
    const char *words;
    const REAL *leaving;
} RowReader;

/* A word, of 64 or of 32 bits. */
UR_INLINE int64_t word_at(const char *words, int is_wide)
{
    return is_wide ? (int64_t)*(const uint64_t *)words : *(const uint32_t *)words;
}

/* A pair of tiles being solved: rows of the one are columns of the other. What its throws are worth and
   with what chance they move are numbers of one type, `size` bytes each, not always REAL. */
typedef struct {
    const RowTile *mine, *theirs;
    int64_t my_pitch, their_pitch;
    void *worth, *moving, *their_worth, *their_moving;
} RowPair;

UR_INLINE RowPair open_pair(const RowBlock *block, const int32_t *pair, void *scratch, const int size)
{
    const RowTile *mine = block->tiles + pair[0], *theirs = block->tiles + pair[1];
    RowPair open = {mine, theirs, pitch_of(mine->columns), pitch_of(theirs->columns),
                    NULL, NULL, NULL, NULL};
    const int64_t my_size = (mine->rows * open.my_pitch + UR_ROW_SPARE) * size;
    const int64_t their_size = (theirs->rows * open.their_pitch + UR_ROW_SPARE) * size;
    open.worth = scratch;
    open.moving = (char *)open.worth + my_size;
    open.their_worth = mine == theirs ? open.worth : (char *)open.moving + my_size;
    open.their_moving = mine == theirs ? open.moving : (char *)open.their_worth + their_size;
    return open;
}

/* Ask for a pair's values, which come from memory in large blocks. */
UR_INLINE void fetch_pair(const RowBlock *block, const int32_t *pair, const REAL *values)
{
    for (int side = 0; side < 2; side++) {
        const RowTile *tile = block->tiles + pair[side];
        const int64_t size = (int64_t)tile->rows * tile->columns;
        const REAL *f = values + tile->first, *g = f + block->n_values;
        for (int64_t k = 0; k < size && k < UR_MOST_FETCHED; k += UR_LINE) {
            __builtin_prefetch(f + k, 1);
            __builtin_prefetch(g + k, 1);
        }
    }
}

/* Ask for a row that a move leads to: its first cache line and its last. */
UR_INLINE void fetch_ends(const REAL *row, int columns)
{
    __builtin_prefetch(row);
    __builtin_prefetch(row + columns - 1);
}

UR_INLINE REAL larger(REAL a, REAL b)
{
    return a > b ? a : b;
}

/* What is compiled for one instruction set with one sort of numbers: `sweep` with what values are,
   `residual` and `read_bound` with doubles in arithmetic, policies in double precision. */
typedef struct {
    double (*sweep)(const RowBlock *, const RowChunk *, void *, void *);
    double (*residual)(const RowBlock *, const RowChunk *, const void *, void *);
    void (*read_bound)(
        const RowBlock *, const RowChunk *, const RowPair *, RowReader *, const REAL *);
    int64_t (*choose)(
        const RowBlock *, const RowChunk *, const void *, const RowPolicy *, void *);
    double (*follow)(const RowBlock *, const RowPolicy *, int64_t, int64_t);
} RowSet;

#endif
