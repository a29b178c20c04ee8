/* Policies of a block in double precision: their numbers, and sweeps of the values under them.
   `row_double.c` includes this before its instruction sets, for `write_choices`. */

enum { POLICY_LANES = 8 }; /* pairs in a vector */

/* The number of the position that passes to another. */
UR_INLINE int64_t number_of_image(const RowPolicy *policy, int64_t number)
{
    return number < policy->n_pairs ? number + policy->n_pairs : number - policy->n_pairs;
}

/* Where the moves of a position are: of its first slot. */
UR_INLINE uint32_t *moves_of(const RowPolicy *policy, int64_t number)
{
    const int64_t pair = number < policy->n_pairs ? number : number - policy->n_pairs;
    const int64_t side = number >= policy->n_pairs;
    return policy->next + pair % POLICY_LANES +
           (pair / POLICY_LANES * 2 + side) * policy->n_slots * POLICY_LANES;
}

/* What the moves of a position that leave the block add to its value. */
UR_INLINE double *leaving_of(const RowPolicy *policy, int64_t number)
{
    return number < policy->n_leaving ? policy->leaving + number
                                      : policy->leaving_behind + (number - policy->n_leaving);
}

/* Set the policy of a position to the best moves of one of its choices; how many of them changed. */
UR_INLINE int write_choice(
    const RowPolicy *policy, int64_t number, int type, const RowKind *kind, int choice,
    const Real *places, const Real *worths, int64_t pitch, int64_t n_values)
{
    uint32_t *next = moves_of(policy, number);
    const uint32_t none = (uint32_t)(2 * policy->n_pairs);
    double leaving = 0;
    int changed = 0;
    for (int n = 0; n < policy->n_slots; n++, next += POLICY_LANES) {
        uint32_t to = none;
        if (n < kind->n_throws[choice]) {
            const int64_t place = (int64_t)places[n * pitch];
            if (place >= n_values)
                to = (uint32_t)number_of_image(policy, policy->numbers[place - n_values]) | UR_TURNED;
            else if (place >= 0)
                to = policy->numbers[place];
            else if (place < -1) {
                to = none | UR_TURNED;
                leaving += kind->chance[choice][n] * worths[n * pitch];
            }
        }
        changed += *next != to;
        *next = to;
    }
    *leaving_of(policy, number) = leaving;
    if (policy->n_types > 1)
        policy->types[number] = (uint8_t)(type * UR_ROW_CHOICES + choice);
    return changed;
}

/* The choice of a position that is worth the most, by the best moves of each of its throws. */
UR_INLINE int best_choice(
    const RowKind *kind, const Real *places, const Real *worths, int64_t pitch, Real passed,
    int *first_throw)
{
    int best = 0, first = 0;
    double most = 0;
    for (int c = 0; c < kind->n_choices; c++) {
        double total = passed;
        for (int n = 0; n < kind->n_throws[c]; n++)
            if (places[(first + n) * pitch] != -1)
                total += kind->chance[c][n] * (worths[(first + n) * pitch] - passed);
        if (c == 0 || total > most) {
            best = c;
            most = total;
            *first_throw = first;
        }
        first += kind->n_throws[c];
    }
    return best;
}

UR_INLINE int write_choices(
    const RowBlock *block, const RowPolicy *policy, int type, const RowTile *tile, int r,
    const Real *places, const Real *worths, int64_t pitch, const Real *values, int is_own_image)
{
    const RowKind *kind = block->kinds + type;
    const int64_t row = tile->first + (int64_t)r * tile->columns;
    int changed = 0;
    for (int c = 0; c < tile->columns; c++) {
        int first = 0, choice = 0;
        if (kind->n_choices > 1)
            choice = best_choice(
                kind, places + c, worths + c, pitch, values[block->n_values + row + c], &first);
        const int64_t number = policy->numbers[row + c], begin = first * pitch + c;
        changed += write_choice(
            policy, number, type, kind, choice, places + begin, worths + begin, pitch,
            block->n_values);
        if (is_own_image && r == c)
            write_choice(
                policy, number_of_image(policy, number), type, kind, choice, places + begin,
                worths + begin, pitch, block->n_values);
    }
    return changed;
}

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

static void count_pairs(const RowBlock *block, const RowChunk *chunk, int32_t *counts)
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

static void number_pairs(
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

static void load_followed(
    const RowBlock *block, const RowChunk *chunk, const void *all_values, const RowPolicy *policy,
    double *followed)
{
    const Real *values = all_values;
    for (int k = 0; k < chunk->n_pairs; k++) {
        const RowPair pair = tiles_of(block, chunk->pairs + 2 * k);
        const int rows = pair.mine->rows, columns = pair.mine->columns;
        for (int r = 0; r < rows; r++)
            for (int c = first_column(&pair, r); c < columns; c++) {
                const int64_t place = pair.mine->first + (int64_t)r * columns + c;
                const uint32_t number = policy->numbers[place];
                followed[number] = values[place];
                followed[number + policy->n_pairs] =
                    values[pair.theirs->first + (int64_t)c * rows + r];
            }
    }
}

static void store_followed(
    const RowPolicy *policy, const double *followed, void *values, int64_t from, int64_t n)
{
    for (int64_t k = from; k < from + n; k++)
        ((Real *)values)[k] = followed[policy->numbers[k]];
}
