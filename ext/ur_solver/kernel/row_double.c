/* The row kernel in double precision. */

#define UR_VECTOR_BYTES 16
#define UR_FLOATS 0
#define UR_FLOAT_SUMS 0
#include "row_policy.h"

UR_DECLARE_SETS(RowSet, rows_double);
static const RowSet *const sweeps[] = UR_LIST_SETS(rows_double, avx512), *const *const checks = sweeps;

#define UR_SWEEPER row_double
#include "row_block.h"

/* What the rows of a pair's tiles have advanced: of the first tile, and of the second. */
typedef struct {
    const uint16_t *mine, *theirs;
} Advance;

/* Those of the next pair; `at` is where its rows begin among those of a chunk. */
UR_INLINE Advance read_advance(const RowChunk *chunk, const RowPair *pair, int64_t *at)
{
    Advance advance = {chunk->advance + *at, chunk->advance + *at};
    *at += pair->mine->rows;
    if (pair->theirs != pair->mine) {
        advance.theirs = chunk->advance + *at;
        *at += pair->theirs->rows;
    }
    return advance;
}

UR_INLINE RowPair tiles_of(const RowBlock *block, const int32_t *pair)
{
    return (RowPair){.mine = block->tiles + pair[0], .theirs = block->tiles + pair[1]};
}

/* The first column of a row whose position is listed here, not as the image of another. */
UR_INLINE int first_column(const RowPair *pair, int r)
{
    return pair->mine == pair->theirs ? r : 0;
}

void policy_count(const RowBlock *block, const RowChunk *chunk, int32_t *counts)
{
    int64_t at = 0;
    for (int k = 0; k < chunk->n_pairs; k++) {
        const RowPair pair = tiles_of(block, chunk->pairs + 2 * k);
        const Advance advance = read_advance(chunk, &pair, &at);
        for (int r = 0; r < pair.mine->rows; r++)
            for (int c = first_column(&pair, r); c < pair.mine->columns; c++)
                counts[advance.mine[r] + advance.theirs[c] - pair.mine->advance]++;
    }
}

void policy_number(
    const RowBlock *block, const RowChunk *chunk, int32_t *next, const RowPolicy *policy)
{
    int64_t at = 0;
    for (int k = 0; k < chunk->n_pairs; k++) {
        const RowPair pair = tiles_of(block, chunk->pairs + 2 * k);
        const Advance advance = read_advance(chunk, &pair, &at);
        const int rows = pair.mine->rows, columns = pair.mine->columns;
        for (int r = 0; r < rows; r++)
            for (int c = first_column(&pair, r); c < columns; c++) {
                const uint32_t number = (uint32_t)next[
                    advance.mine[r] + advance.theirs[c] - pair.mine->advance]++;
                policy->numbers[pair.theirs->first + (int64_t)c * rows + r] =
                    number + (uint32_t)policy->n_pairs;
                policy->numbers[pair.mine->first + (int64_t)r * columns + c] = number;
            }
    }
}

void policy_copy(
    const RowBlock *block, const RowChunk *chunk, double *values, const RowPolicy *policy,
    int is_to_block)
{
    REAL *passed = values + block->n_values;
    for (int k = 0; k < chunk->n_pairs; k++) {
        const RowPair pair = tiles_of(block, chunk->pairs + 2 * k);
        const int rows = pair.mine->rows, columns = pair.mine->columns;
        for (int r = 0; r < rows; r++)
            for (int c = first_column(&pair, r); c < columns; c++) {
                const int64_t place = pair.mine->first + (int64_t)r * columns + c;
                const int64_t image = pair.theirs->first + (int64_t)c * rows + r;
                double *mine = policy->followed + policy->numbers[place];
                double *theirs = mine + policy->n_pairs;
                if (is_to_block) {
                    /* a position that passes to itself has two numbers */
                    const REAL value = *mine, other = place == image ? value : *theirs;
                    values[place] = value;
                    passed[place] = -other;
                    values[image] = other;
                    passed[image] = -value;
                } else {
                    *mine = values[place];
                    *theirs = values[image];
                }
            }
    }
}

int64_t policy_choose(
    const RowBlock *block, const RowChunk *chunk, const void *values, const RowPolicy *policy,
    void *scratch)
{
    return sweeps[block->instruction_set]->choose(block, chunk, values, policy, scratch);
}

double policy_follow(const RowBlock *block, const RowPolicy *policy, int64_t from, int64_t to)
{
    return sweeps[block->instruction_set]->follow(block, policy, from, to);
}
