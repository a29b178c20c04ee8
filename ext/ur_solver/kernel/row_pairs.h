/* A pair of tiles in work, and what the sweeps of all instruction sets share. `row_double.c`,
   `row_single.c` and `row_levels.c` include this once, with

       Real             the type of a block's values: double or float
       NO_MOVE          less than any value
       UR_ABS, UR_NEXT  absolute values, and the next number, of the type */

#include "row_sweep.h"

#include <fenv.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define UR_X86 1
#include <immintrin.h>
#endif

#define UR_INLINE static inline __attribute__((always_inline))
/* Compilers do not know that arithmetic reads the rounding mode, and may move it past the call
   that sets the mode; they see nothing of a function apart, nor of one called by its address. */
#define UR_APART static __attribute__((noipa))

/* How often a pair is updated in a sweep: its rows lead to each other, and are in the cache. */
#define UR_ROUNDS 2

#define UR_MOST_FETCHED 512 /* values of a tile that are asked for ahead */
#define UR_LINE (64 / (int64_t)sizeof(Real)) /* values in a cache line */

/* Numbers from one row of a scratch matrix to the next. */
UR_INLINE int64_t pitch_of(int64_t columns)
{
    return (columns + UR_ROW_LANES - 1) / UR_ROW_LANES * UR_ROW_LANES;
}

/* Where the words and the moves that leave the block have been read up to. */
typedef struct {
    const char *words;
    const Real *leaving;
} RowReader;

/* A word, of 64 or of 32 bits. */
UR_INLINE int64_t word_at(const char *words, int is_wide)
{
    return is_wide ? (int64_t)*(const uint64_t *)words : *(const uint32_t *)words;
}

/* A pair of tiles in work: rows of the one are columns of the other. What its throws are worth and
   with what chance they move are numbers of one type, `size` bytes each, not always Real. */
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
UR_INLINE void fetch_pair(const RowBlock *block, const int32_t *pair, const Real *values)
{
    for (int side = 0; side < 2; side++) {
        const RowTile *tile = block->tiles + pair[side];
        const int64_t size = (int64_t)tile->rows * tile->columns;
        const Real *f = values + tile->first, *g = f + block->n_values;
        for (int64_t k = 0; k < size && k < UR_MOST_FETCHED; k += UR_LINE) {
            __builtin_prefetch(f + k, 1);
            __builtin_prefetch(g + k, 1);
        }
    }
}

/* Ask for a row that a move leads to: its first cache line and its last. */
UR_INLINE void fetch_ends(const Real *row, int columns)
{
    __builtin_prefetch(row);
    __builtin_prefetch(row + columns - 1);
}

UR_INLINE Real larger(Real a, Real b)
{
    return a > b ? a : b;
}

UR_INLINE Real mapped(const Real *row, int32_t column)
{
    return column < 0 ? NO_MOVE : row[column];
}

#define UR_PASTE(name, set) name##_##set
#define UR_PASTED(name, set) UR_PASTE(name, set)
#define UR_NAMED(name) UR_PASTED(name, UR_SET)

/* What is compiled for one instruction set, by `row_sweep_body.h`. */
typedef struct {
    const char *name;
    int (*runs)(void);
    double (*sweep)(const RowBlock *, const RowChunk *, void *, void *);
    double (*residual)(const RowBlock *, const RowChunk *, const void *, void *);
    void (*read_bound)(
        const RowBlock *, const RowChunk *, const RowPair *, RowReader *, const Real *);
} InstructionSet;

UR_INLINE int runs_everywhere(void)
{
    return 1;
}

#ifdef UR_X86
UR_INLINE int runs_avx2(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}

#ifndef UR_WITHOUT_AVX512
UR_INLINE int runs_avx512(void)
{
    return __builtin_cpu_supports("avx512f") != 0;
}
#endif
#endif
