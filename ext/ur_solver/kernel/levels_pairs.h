/* A pair of tiles being updated whose positions have lanes, for all instruction sets. */

#ifndef UR_LEVELS_PAIRS_H
#define UR_LEVELS_PAIRS_H

#include "levels.h"
#include "row_pairs.h"

#define UR_MOST_MOVES (256 + 1) /* of a throw: rows, and winning the game */

/* How often a turn is passed to and fro in an update of bounds: they close in by the chance of that. */
#define UR_PASSES 2

#define UR_FETCHED 8 /* words; rows named so far on are on their way from memory */

/* A move of a throw, for all columns of a row. */
typedef struct {
    const double *row;
    int32_t stride;                  /* from one column to the next */
    uint8_t pays, is_outside;
} LevelMove;

/* Which bound is read, and what it allows for. */
typedef struct {
    const LevelRows *rows;
    double sign;                     /* 1 for the upper one, -1 for the lower one */
} LevelSide;

/* A pair of tiles being updated: by position what its throws are worth, by lane, and with what chance they
   move. */
typedef struct {
    const RowTile *mine, *theirs;
    double *worth, *moving, *their_worth, *their_moving;
} LevelPair;

UR_INLINE int lanes_of(const RowBlock *block)
{
    return ((const LevelRows *)block->levels)->levels->lanes;
}

UR_INLINE int64_t numbers_of(const RowTile *tile, int lanes)
{
    return (int64_t)tile->rows * tile->columns * (lanes + 1);
}

UR_INLINE LevelPair open_levels(const RowBlock *block, const int32_t *pair, double *scratch)
{
    const int lanes = lanes_of(block);
    const RowTile *mine = block->tiles + pair[0], *theirs = block->tiles + pair[1];
    const int64_t size = (int64_t)mine->rows * mine->columns;
    double *their_worth = mine == theirs ? scratch : scratch + numbers_of(mine, lanes);
    return (LevelPair){mine, theirs, scratch, scratch + size * lanes, their_worth,
                       their_worth + size * lanes};
}

UR_INLINE int64_t next_word(const RowChunk *chunk, const char **at)
{
    const int64_t word = word_at(*at, chunk->is_wide);
    *at += chunk->is_wide ? sizeof(uint64_t) : sizeof(uint32_t);
    return word;
}

/* Where a place's row is. */
UR_INLINE const double *place_at(const LevelRows *rows, const double *values, int64_t place)
{
    const int lanes = rows->levels->lanes;
    if (place < rows->n_own)
        return values + place * lanes;
    int k = 0;
    while (k + 1 < rows->n_inputs && rows->first[k + 1] <= place)
        k++;
    return rows->base[k] + (place - rows->first[k]) * lanes;
}

UR_INLINE LevelMove move_of(const RowBlock *block, const double *values, int64_t word)
{
    const LevelRows *rows = block->levels;
    const int64_t place = word >> 1;
    return (LevelMove){
        place_at(rows, values, place), rows->levels->lanes, word & 1, place >= rows->n_own};
}

/* Ask for the row of the block that a word some way on names, if it names one: rows come from
   memory. */
UR_INLINE void fetch_row(
    const RowBlock *block, const RowChunk *chunk, const char *at, const double *values, int columns)
{
    const int size = chunk->is_wide ? sizeof(uint64_t) : sizeof(uint32_t), lanes = lanes_of(block);
    const int64_t word = word_at(at + UR_FETCHED * size, chunk->is_wide);
    const int64_t place = word >> 1;
    if (place < 0 || place >= block->n_values)
        return;
    for (int k = 0; k < columns * lanes; k += 8)
        __builtin_prefetch(values + place * lanes + k);
}

/* The moves of a throw; how many. */
UR_INLINE int list_moves(
    const RowBlock *block, const RowChunk *chunk, const char **at, const double *values, int columns,
    LevelMove *moves)
{
    const LevelRows *rows = block->levels;
    const int64_t head = next_word(chunk, at);
    int n = 0;
    if (head & UR_LEAVES)
        moves[n++] = (LevelMove){rows->levels->pots, 0, 0, 0};
    for (int k = head & UR_MOST_ROWS; k; k--) {
        fetch_row(block, chunk, *at, values, columns);
        moves[n++] = move_of(block, values, next_word(chunk, at));
    }
    return n;
}

UR_INLINE const double *row_of(const LevelMove *move, int column)
{
    return move->row + (int64_t)column * move->stride;
}

UR_INLINE uint16_t *choice_of(const LevelRows *rows, int64_t place, int n)
{
    return rows->choices + place * rows->n_throws + n;
}

/* A bound of what a move leads to, in `moved`: of another block's values with what they may be off, and of
   a last level that is not cut by what it is worth at most, or at least. */
UR_INLINE const double *bound_of(
    const LevelSide *side, const LevelMove *move, const double *row, double *moved, const int lanes)
{
    const int reach = lanes - UR_CUT_LANES - 1;
    const LevelRows *rows = side->rows;
    if (!move->is_outside && !(rows->is_cut && move->pays))
        return row;
    const double sign = move->is_outside ? side->sign : 0.0;
    for (int i = 0; i < lanes; i++)
        moved[i] = row[i] + sign * rows->outside[i];
    if (rows->is_cut)
        moved[reach] = moved[reach + (side->sign > 0.0 ? 5 : 4)];
    return moved;
}

/* Something done with lanes, whose counts in tables are known when this is compiled. */
#define UR_BY_LANES(lanes, call, ...)                                                          \
    ((lanes) == 8    ? call(__VA_ARGS__, 8)                                                    \
     : (lanes) == 16 ? call(__VA_ARGS__, 16)                                                   \
     : (lanes) == 32 ? call(__VA_ARGS__, 32)                                                   \
                     : call(__VA_ARGS__, lanes))

/* What is compiled for one instruction set. */
typedef struct {
    double (*sweep)(const RowBlock *, const RowChunk *, double *, double *);
    void (*read)(
        const RowBlock *, const RowChunk *, const LevelPair *, const char **, const double *,
        const LevelSide *);
    void (*pass)(const Levels *, const LevelPair *, const double *, double *, double);
} LevelSet;

#endif
