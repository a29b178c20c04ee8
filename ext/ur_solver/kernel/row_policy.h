/* Policies of a block in double precision: their numbers, and sweeps of the values under them.
   `row_double.c` includes this before its instruction sets, for `write_choices`. */

enum {
    POLICY_LANES = 8,   /* pairs in a vector */
    PAIRS_AHEAD = 64,   /* pairs whose moves' values are on their way from memory; FEWEST at most */
    COLUMNS_AHEAD = 8,  /* columns whose policies are, where they change */
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
   rows. As much of it as a byte tells, beside the choice, is kept by place, for comparing. */
enum { MOVE_NONE, MOVE_LEAVES, MOVE_ROW, MOST_TOLD = UR_NEVER_TOLD - 1, CHOICE_SHIFT = 7 };

/* The best moves of a row, by column: of every choice and throw of its turn type, and then of the best
   choice's throws alone. */
typedef struct {
    int64_t pitch;              /* from one throw to the next */
    Real *moves, *worths;
    uint8_t *choices;
    uint8_t *differs;           /* where the policy may be another one */
} BestMoves;

UR_INLINE BestMoves open_moves(int columns, void *scratch)
{
    BestMoves best = {.pitch = pitch_of(columns), .moves = scratch};
    best.worths = best.moves + UR_ROW_CHOICES * UR_ROW_THROWS * best.pitch;
    best.choices = (uint8_t *)(best.worths + UR_ROW_CHOICES * UR_ROW_THROWS * best.pitch);
    best.differs = best.choices + best.pitch;
    return best;
}

/* The choice of a position that is worth the most, by the best moves of each of its throws. */
UR_INLINE int best_choice(
    const RowKind *kind, const Real *moves, const Real *worths, int64_t pitch, Real passed,
    int *first_throw)
{
    int best = 0, first = 0;
    double most = 0;
    for (int c = 0; c < kind->n_choices; c++) {
        double total = passed;
        for (int n = 0; n < kind->n_throws[c]; n++)
            if (moves[(first + n) * pitch] != MOVE_NONE)
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

/* Keep the moves of the best choice of every column; `passed` is by column. */
UR_INLINE void keep_best_choices(
    const RowKind *kind, const BestMoves *best, int columns, const Real *passed)
{
    for (int c = 0; c < columns; c++) {
        Real *moves = best->moves + c;
        int first = 0;
        const int choice =
            best_choice(kind, moves, best->worths + c, best->pitch, passed[c], &first);
        best->choices[c] = (uint8_t)choice;
        for (int n = 0; n < kind->n_throws[choice]; n++)
            moves[n * best->pitch] = moves[(first + n) * best->pitch];
        for (int n = kind->n_throws[choice]; n < UR_ROW_THROWS; n++)
            moves[n * best->pitch] = MOVE_NONE;
    }
}

/* Find where the best moves of a throw, for a row, differ from those that were told before, and tell
   them. */
UR_INLINE void compare_throw(
    const Real *restrict moves, const uint8_t *restrict choices, uint8_t *restrict told,
    uint8_t *restrict differs, int columns)
{
    for (int c = 0; c < columns; c++) {
        const int move = (int)(moves[c] < MOST_TOLD ? moves[c] : MOST_TOLD);
        const int now = move | choices[c] << CHOICE_SHIFT;
        differs[c] = (uint8_t)(differs[c] | (now ^ told[c]) | (move == MOST_TOLD));
        told[c] = (uint8_t)now;
    }
}

/* Where a move of a list leads to, as the policy has it; `words` follow the list's head. */
UR_INLINE uint32_t next_of(
    const RowBlock *block, const RowChunk *chunk, const RowPolicy *policy, int64_t head,
    const char *words, int move, int column)
{
    const int size = chunk->is_wide ? sizeof(uint64_t) : sizeof(uint32_t);
    const int n_rows = (int)(head & UR_MOST_ROWS), mapped = move - MOVE_ROW - n_rows;
    if (move < MOVE_ROW)
        return (uint32_t)(2 * policy->n_pairs) | (move == MOVE_LEAVES ? UR_TURNED : 0);
    words += (mapped < 0 ? move - MOVE_ROW : n_rows + 2 * mapped) * size;
    if (mapped >= 0)
        column = chunk->maps[word_at(words + size, chunk->is_wide) + column];
    const int64_t place = word_at(words, chunk->is_wide) - block->origin + column;
    if (place < block->n_values)
        return policy->numbers[place];
    return (uint32_t)number_of_image(policy, policy->numbers[place - block->n_values]) | UR_TURNED;
}

/* Set the policy of a position to the best moves of a column; whether it is another one. `at` is
   where the row's words begin. */
UR_INLINE int write_moves(
    const RowBlock *block, const RowChunk *chunk, const RowPolicy *policy, const RowReader *at,
    const BestMoves *best, int columns, int column, int64_t number)
{
    const int size = chunk->is_wide ? sizeof(uint64_t) : sizeof(uint32_t);
    const int64_t type = word_at(at->words, chunk->is_wide);
    const RowKind *kind = block->kinds + type;
    const int choice = best->choices[column];
    const char *words = at->words + size;
    const Real *leaving = at->leaving;
    uint32_t *next = moves_of(policy, number), differs = 0;
    double worth = 0;
    for (int c = 0; c <= choice; c++)
        for (int n = 0; n < kind->n_throws[c]; n++) {
            const int64_t head = word_at(words, chunk->is_wide);
            words += size;
            if (c == choice) {
                const int move = (int)best->moves[n * best->pitch + column];
                const uint32_t to = next_of(block, chunk, policy, head, words, move, column);
                differs |= next[n * POLICY_LANES] ^ to;
                next[n * POLICY_LANES] = to;
                if (move == MOVE_LEAVES)
                    worth += kind->chance[c][n] * leaving[column];
            }
            words += ((head & UR_MOST_ROWS) + 2 * (head >> UR_MAPPED_SHIFT & UR_MOST_ROWS)) * size;
            leaving += head & UR_LEAVES ? columns : 0;
        }
    for (int n = kind->n_throws[choice]; n < policy->n_throws; n++) {
        const uint32_t none = (uint32_t)(2 * policy->n_pairs);
        differs |= next[n * POLICY_LANES] ^ none;
        next[n * POLICY_LANES] = none;
    }
    *leaving_of(policy, number) = worth;
    if (policy->n_types > 1) {
        const uint8_t now = (uint8_t)(type * UR_ROW_CHOICES + choice);
        differs |= policy->types[number] ^ now;
        policy->types[number] = now;
    }
    return differs != 0;
}

/* Set the policy of a row's positions to their best moves; how many have another one. */
UR_INLINE int write_row(
    const RowBlock *block, const RowChunk *chunk, const RowPolicy *policy, const RowReader *at,
    const RowTile *tile, int r, const BestMoves *best, const Real *values, int is_own_image)
{
    const RowKind *kind = block->kinds + word_at(at->words, chunk->is_wide);
    const int columns = tile->columns;
    const int64_t place = tile->first + (int64_t)r * columns;
    for (int c = 0; c < columns; c++)
        best->choices[c] = 0;
    if (kind->n_choices > 1)
        keep_best_choices(kind, best, columns, values + block->n_values + place);
    for (int c = 0; c < columns; c++)
        best->differs[c] = 0;
    for (int n = 0; n < policy->n_throws; n++)
        compare_throw(
            best->moves + n * best->pitch, best->choices,
            policy->told + place * policy->n_throws + n * columns, best->differs, columns);
    int changed = 0;
    for (int c = 0; c < columns; c++) {
        if (c + COLUMNS_AHEAD < columns && best->differs[c + COLUMNS_AHEAD])
            fetch_moves(policy, policy->numbers[place + c + COLUMNS_AHEAD]);
        if (best->differs[c]) {
            const int64_t number = policy->numbers[place + c];
            changed += write_moves(block, chunk, policy, at, best, columns, c, number);
            if (is_own_image && c == r)
                write_moves(
                    block, chunk, policy, at, best, columns, c, number_of_image(policy, number));
        }
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
    const RowBlock *block, const RowChunk *chunk, const void *all_values, const RowPolicy *policy)
{
    const Real *values = all_values;
    double *followed = policy->followed;
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

static void store_followed(const RowPolicy *policy, void *values, int64_t from, int64_t n)
{
    for (int64_t k = from; k < from + n; k++)
        ((Real *)values)[k] = policy->followed[policy->numbers[k]];
}
