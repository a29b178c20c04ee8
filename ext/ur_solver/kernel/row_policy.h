/* Policies of a block in double precision: their numbers, and sweeps of the values under them.
   What is compiled for each instruction set needs `write_row`. */

#ifndef UR_ROW_POLICY_H
#define UR_ROW_POLICY_H

#include <float.h>

#include "row_pairs.h"

enum {
    ROWS_AHEAD = 2,     /* rows whose moves' values are on their way while another is looked at */
    POLICY_LANES = 8,   /* pairs in a vector */
    PAIRS_AHEAD = 64,   /* pairs whose moves' values are on their way from memory; no block with policies
                           has fewer */
};

/* The number of the position that passes to another. */
UR_INLINE int64_t number_of_image(const RowPolicy *policy, int64_t number)
{
    return number < policy->n_pairs ? number + policy->n_pairs : number - policy->n_pairs;
}

/* Where the moves of a position are: of its first throw. */
UR_INLINE uint32_t *moves_of(const RowPolicy *policy, int64_t number)
{
    const int64_t pair = number < policy->n_pairs ? number : number - policy->n_pairs;
    const int64_t side = number >= policy->n_pairs;
    return policy->next + pair % POLICY_LANES +
           (pair / POLICY_LANES * 2 + side) * policy->n_throws * POLICY_LANES;
}

/* Ask for the values that the moves of a vector of pairs lead to. What is behind the last vector has
   other numbers in it, which do no harm. */
UR_INLINE void fetch_followed(const RowPolicy *policy, int64_t pair)
{
    const uint32_t *next = policy->next + pair * 2 * policy->n_throws;
    for (int i = 0; i < 2 * POLICY_LANES * policy->n_throws; i++)
        __builtin_prefetch(policy->followed + (next[i] & ~UR_TURNED));
}

/* What the moves of a position that leave the block add to its value. */
UR_INLINE double *leaving_of(const RowPolicy *policy, int64_t number)
{
    return number < policy->n_leaving ? policy->leaving + number
                                      : policy->leaving_behind + (number - policy->n_leaving);
}

/* Ask for the policy of a position. */
UR_INLINE void fetch_moves(const RowPolicy *policy, int64_t number)
{
    const uint32_t *next = moves_of(policy, number);
    for (int n = 0; n < policy->n_throws; n += 64 / (POLICY_LANES * (int)sizeof(*next)))
        __builtin_prefetch(next + n * POLICY_LANES, 1);
    __builtin_prefetch(leaving_of(policy, number), 1);
}

/* Which of the moves of a list: none, the one that leaves the block, then the rows and the mapped
   rows. As much of it as fits a byte is kept by place, for comparing. */
enum { MOVE_NONE, MOVE_LEAVES, MOVE_ROW, MOST_NOTED = UR_NEVER_NOTED - 1 };

enum { WORD = sizeof(uint64_t) };   /* bytes that are compared together */

enum { NOWHERE = -1, LEAVES = -2 }; /* in place of where a move leads to in the block */

/* The best moves of a row, by throw and column. */
typedef struct {
    int64_t pitch;              /* from one throw to the next */
    REAL *moves;
    int64_t *places;            /* where they lead to, in F or in G */
    REAL *worth;                /* by column: what those that leave the block add to the value */
    REAL *closest;              /* by column: how far below the best move another one is, at most 0 */
    uint8_t *noted;              /* the moves, in a byte */
    int32_t *differing;         /* the columns where the policy may be another one */
} BestMoves;

/* The place in F of the position, or of its image, that is at a place in F or in G. */
UR_INLINE int64_t place_in_f(const RowBlock *block, int64_t place)
{
    return place < block->n_values ? place : place - block->n_values;
}

UR_INLINE BestMoves open_moves(int columns, void *scratch)
{
    BestMoves best = {.pitch = pitch_of(columns), .moves = scratch};
    const int64_t size = UR_ROW_THROWS * best.pitch;
    best.places = (int64_t *)(best.moves + size);
    best.worth = (REAL *)(best.places + size);
    best.closest = best.worth + best.pitch;
    best.differing = (int32_t *)(best.closest + best.pitch);
    best.noted = (uint8_t *)(best.differing + best.pitch);
    return best;
}

/* The drift up to which a row's best moves stay the best: until then no value has changed by half of
   what the closest other move lacks. */
UR_INLINE float limit_of(const RowPolicy *policy, const BestMoves *best, int columns)
{
    REAL closest = NO_MOVE;
    for (int column = 0; column < columns; column++)
        closest = best->closest[column] > closest ? best->closest[column] : closest;
    const double limit = policy->drift - closest / 2;
    return limit < FLT_MAX ? (float)(limit * (1 - FLT_EPSILON)) : FLT_MAX;
}

/* A row whose best moves are to be found: its words, tile and number there. */
typedef struct {
    RowReader at;
    const RowTile *tile;
    int r, is_own_image;
    float *limit;
} WaitingRow;

/* Go to the next row; `is_wanted` says whether the values that this one's moves lead to are asked
   for. */
UR_INLINE void pass_row(
    const RowKind *kinds, RowReader *at, const int is_wide, const REAL *values, int columns,
    const int is_wanted)
{
    const int size = is_wide ? sizeof(uint64_t) : sizeof(uint32_t);
    const RowKind *kind = kinds + word_at(at->words, is_wide);
    at->words += size;
    for (int n = 0; n < kind->n_throws[0]; n++) {
        const int64_t head = word_at(at->words, is_wide);
        const int64_t rows = head & UR_MOST_ROWS, mapped = head >> UR_MAPPED_SHIFT & UR_MOST_ROWS;
        at->words += size;
        for (int64_t k = 0; is_wanted && k < rows; k++)
            fetch_ends(values + word_at(at->words + k * size, is_wide), columns);
        at->words += rows * size;
        for (int64_t k = 0; is_wanted && k < mapped; k++)
            fetch_ends(values + word_at(at->words + 2 * k * size, is_wide), columns);
        at->words += 2 * mapped * size;
        at->leaving += head & UR_LEAVES ? columns : 0;
    }
}

/* Ask for what is noted of the moves of a row. */
UR_INLINE void fetch_noted(const RowPolicy *policy, int64_t place, int columns)
{
    const uint8_t *noted = policy->noted + place * policy->n_throws;
    for (int k = 0; k < columns * policy->n_throws; k += 64)
        __builtin_prefetch(noted + k);
}

UR_INLINE uint64_t word_of(const uint8_t *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, WORD);
    return word;
}

/* Find where the best moves of a row differ from those that were `noted` before; how many columns. */
UR_INLINE int compare_moves(
    const BestMoves *best, const uint8_t *noted, int n_throws, int columns)
{
    static const uint8_t first[2 * WORD] = {255, 255, 255, 255, 255, 255, 255, 255};
    int n_differing = 0;
    for (int c = 0; c < columns; c += WORD) {
        uint64_t differs = 0;
        for (int n = 0; n < n_throws; n++)
            differs |= word_of(best->noted + n * best->pitch + c) ^ word_of(noted + n * columns + c);
        if (columns - c < WORD)
            differs &= word_of(first + WORD - (columns - c));
        uint8_t by_column[WORD];
        memcpy(by_column, &differs, WORD);
        for (int i = 0; differs && i < WORD; i++) {
            /* written without a jump, which could not be predicted */
            best->differing[n_differing] = c + i;
            n_differing += by_column[i] != 0;
        }
    }
    return n_differing;
}

/* Note the best moves of a column. Those that do not fit a byte always differ. */
UR_INLINE void note_moves(
    const BestMoves *best, uint8_t *noted, int n_throws, int columns, int column)
{
    for (int n = 0; n < n_throws; n++) {
        const uint8_t now = best->noted[n * best->pitch + column];
        noted[n * columns + column] = now == MOST_NOTED ? UR_NEVER_NOTED : now;
    }
}

/* Find where the moves that differ lead to, and what those add to the value that leave the block; ask
   for the numbers there, and for what is known of the columns. `at` is where the row's words begin,
   and `place` its first place. */
UR_INLINE void find_places(
    const RowBlock *block, const RowChunk *chunk, const RowPolicy *policy, const RowReader *at,
    const RowKind *kind, const BestMoves *best, int n_differing, int columns, int64_t place)
{
    const int size = chunk->is_wide ? sizeof(uint64_t) : sizeof(uint32_t);
    const char *words = at->words + size;
    const REAL *leaving = at->leaving;
    for (int i = 0; i < n_differing; i++) {
        best->worth[best->differing[i]] = 0;
        fetch_moves(policy, policy->numbers[place + best->differing[i]]);
    }
    for (int n = 0; n < kind->n_throws[0]; n++) {
        const int64_t head = word_at(words, chunk->is_wide);
        const int n_rows = (int)(head & UR_MOST_ROWS);
        const int n_mapped = (int)(head >> UR_MAPPED_SHIFT & UR_MOST_ROWS);
        words += size;
        for (int i = 0; i < n_differing; i++) {
            const int column = best->differing[i];
            const int move = (int)best->moves[n * best->pitch + column];
            const int mapped = move - MOVE_ROW - n_rows;
            int64_t *to = best->places + n * best->pitch + column;
            if (move < MOVE_ROW) {
                *to = move == MOVE_LEAVES ? LEAVES : NOWHERE;
                if (move == MOVE_LEAVES)
                    best->worth[column] += kind->chance[0][n] * leaving[column];
                continue;
            }
            const char *word = words + (mapped < 0 ? move - MOVE_ROW : n_rows + 2 * mapped) * size;
            *to = word_at(word, chunk->is_wide) +
                  (mapped < 0 ? column
                              : chunk->maps[word_at(word + size, chunk->is_wide) + column]);
            __builtin_prefetch(policy->numbers + place_in_f(block, *to));
        }
        words += (n_rows + 2 * n_mapped) * size;
        leaving += head & UR_LEAVES ? columns : 0;
    }
}

/* The number of the position at a place, as the policy has it. */
UR_INLINE uint32_t next_of(const RowBlock *block, const RowPolicy *policy, int64_t place)
{
    if (place < 0)
        return (uint32_t)(2 * policy->n_pairs) | (place == LEAVES ? UR_TURNED : 0);
    const uint32_t number = policy->numbers[place_in_f(block, place)];
    return place < block->n_values ? number
                                   : (uint32_t)number_of_image(policy, number) | UR_TURNED;
}

/* Set the policy of a position to what was found for a column; whether it is another one. */
UR_INLINE int write_moves(
    const RowBlock *block, const RowPolicy *policy, const BestMoves *best, int column,
    int64_t number)
{
    uint32_t *next = moves_of(policy, number), differs = 0;
    for (int n = 0; n < policy->n_throws; n++) {
        const uint32_t to = next_of(block, policy, best->places[n * best->pitch + column]);
        differs |= next[n * POLICY_LANES] ^ to;
        next[n * POLICY_LANES] = to;
    }
    *leaving_of(policy, number) = best->worth[column];
    return differs != 0;
}

/* Set the policy of a row's positions to their best moves; how many have another one. */
UR_INLINE int write_row(
    const RowBlock *block, const RowChunk *chunk, const RowPolicy *policy, const RowReader *at,
    const RowTile *tile, int r, const BestMoves *best, int is_own_image)
{
    const RowKind *kind = block->kinds + word_at(at->words, chunk->is_wide);
    const int columns = tile->columns, n_throws = policy->n_throws;
    const int64_t place = tile->first + (int64_t)r * columns;
    uint8_t *noted = policy->noted + place * n_throws;
    const int n_differing = compare_moves(best, noted, n_throws, columns);
    if (n_differing == 0)
        return 0;
    find_places(block, chunk, policy, at, kind, best, n_differing, columns, place);
    int changed = 0;
    for (int i = 0; i < n_differing; i++) {
        const int c = best->differing[i];
        const int64_t number = policy->numbers[place + c];
        changed += write_moves(block, policy, best, c, number);
        if (is_own_image && c == r)
            write_moves(block, policy, best, c, number_of_image(policy, number));
        note_moves(best, noted, n_throws, columns, c);
    }
    return changed;
}

#endif
