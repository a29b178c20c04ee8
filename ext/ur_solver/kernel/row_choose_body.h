/* Policies, by one instruction set: `row_sweep_body.h` includes this for values in double precision,
   with

       UR_FOLLOWED(at, next)  the numbers that they lead to, and with the mark their negatives
       UR_EQUAL(next, to)     where they are the same as one
       UR_TELL(at, moves)     moves as bytes

   The best moves of a chunk's positions first. Moves are counted in vectors of doubles. */

/* A move of some positions beside the best so far. */
UR_INLINE void UR_NAMED(add_choice)(
    UR_V worth, UR_V number, UR_V *best, UR_V *second, UR_V *move)
{
    const UR_MASK is_better = UR_ABOVE(worth, *best);
    *second = UR_MAX(*second, UR_SELECT(is_better, *best, worth));
    *move = UR_SELECT(is_better, number, *move);
    *best = UR_MAX(worth, *best);
}

/* For `k` vectors of columns of a row the best move of each throw, and how close another one comes.
   Rows are at `places`. */
UR_INLINE void UR_NAMED(find_best)(
    const RowKind *kind, const RowReader *at, const int is_wide,
    const Real *places, const int32_t *maps, int columns, int column, const BestMoves *to,
    const int k)
{
    const int size = is_wide ? sizeof(uint64_t) : sizeof(uint32_t);
    const char *words = at->words + size;
    const Real *leaving = at->leaving;
    Real *moves = to->moves + column;
    uint8_t *told = to->told + column;
    UR_V closest[4];
    for (int i = 0; i < k; i++)
        closest[i] = UR_ALL(NO_MOVE);
    for (int n = 0; n < kind->n_throws[0]; n++, moves += to->pitch, told += to->pitch) {
        const int64_t head = word_at(words, is_wide);
        words += size;
        UR_V best[4], second[4], move[4], next = UR_ALL(MOVE_ROW);
        for (int i = 0; i < k; i++) {
            best[i] = second[i] = UR_ALL(NO_MOVE);
            move[i] = UR_ALL(MOVE_NONE);
        }
        if (head & UR_LEAVES) {
            for (int i = 0; i < k; i++) {
                best[i] = UR_LOAD(leaving + column + UR_N * i);
                move[i] = UR_SELECT(
                    UR_ABOVE(best[i], UR_ALL(NO_MOVE / 2)), UR_ALL(MOVE_LEAVES), move[i]);
            }
            leaving += columns;
        }
        for (int rows = head & UR_MOST_ROWS; rows; rows--, words += size) {
            const Real *row = places + word_at(words, is_wide) + column;
            for (int i = 0; i < k; i++) {
                const UR_V worth = UR_LOAD(row + UR_N * i);
                UR_NAMED(add_choice)(worth, next, &best[i], &second[i], &move[i]);
            }
            next += UR_ALL(1);
        }
        for (int rows = head >> UR_MAPPED_SHIFT & UR_MOST_ROWS; rows;
             rows--, words += 2 * size) {
            const Real *row = places + word_at(words, is_wide);
            const int32_t *map = maps + word_at(words + size, is_wide) + column;
            for (int i = 0; i < k; i++) {
                const UR_V worth = UR_GATHER(row, map + UR_N * i);
                UR_NAMED(add_choice)(worth, next, &best[i], &second[i], &move[i]);
            }
            next += UR_ALL(1);
        }
        for (int i = 0; i < k; i++) {
            UR_STORE(moves + UR_N * i, move[i]);
            UR_TELL(told + UR_N * i, move[i]);
            closest[i] = UR_MAX(
                closest[i], UR_SELECT(
                                UR_ABOVE(best[i], UR_ALL(NO_MOVE / 2)), second[i] - best[i],
                                UR_ALL(NO_MOVE)));
        }
    }
    for (int i = 0; i < k; i++)
        UR_STORE(to->closest + column + UR_N * i, closest[i]);
}

/* Find the best moves of a row, and let them be the policy; how many positions have another one. */
UR_INLINE int64_t UR_NAMED(choose_row)(
    const RowBlock *block, const RowChunk *chunk, const int is_wide, const Real *places,
    const RowPolicy *policy, const WaitingRow *row, void *scratch)
{
    const RowKind *kind = block->kinds + word_at(row->at.words, is_wide);
    const int columns = row->tile->columns;
    const BestMoves best = open_moves(columns, scratch);
    int column = 0;
#define UR_FIND(k)                                                                             \
    do {                                                                                       \
        UR_NAMED(find_best)(                                                                   \
            kind, &row->at, is_wide, places, chunk->maps, columns, column, &best, k);          \
        column += UR_N * k;                                                                    \
    } while (0)
    while (columns - column > 3 * UR_N)
        UR_FIND(4);
    while (columns - column > UR_N)
        UR_FIND(2);
    if (columns > column)
        UR_FIND(1);
#undef UR_FIND
    *row->limit = limit_of(policy, &best, columns);
    return write_row(
        block, chunk, policy, &row->at, row->tile, row->r, &best, row->is_own_image);
}

UR_INLINE int64_t UR_NAMED(choose_chunk)(
    const RowBlock *block, const RowChunk *chunk, const int is_wide, const Real *values,
    const RowPolicy *policy, void *scratch)
{
    const Real *places = is_wide ? values - block->origin : values;
    RowReader at = {chunk->words, chunk->leaving};
    WaitingRow waiting[ROWS_AHEAD];
    int64_t changed = 0, n = 0;
    float *limit = policy->limits + chunk->first_row;
    for (int k = 0; k < 2 * chunk->n_pairs; k++) {
        if (k % 2 && chunk->pairs[k] == chunk->pairs[k - 1])
            continue;
        const RowTile *tile = block->tiles + chunk->pairs[k];
        const int is_own_image = chunk->pairs[k] == chunk->pairs[k ^ 1], columns = tile->columns;
        for (int r = 0; r < tile->rows; r++, limit++) {
            if (policy->drift < *limit) {
                pass_row(block->kinds, &at, is_wide, places, columns, 0);
                continue;
            }
            WaitingRow *row = &waiting[n++ % ROWS_AHEAD];
            if (n > ROWS_AHEAD)
                changed += UR_NAMED(choose_row)(block, chunk, is_wide, places, policy, row, scratch);
            *row = (WaitingRow){at, tile, r, is_own_image, limit};
            pass_row(block->kinds, &at, is_wide, places, columns, 1);
            fetch_told(policy, tile->first + (int64_t)r * columns, columns);
        }
    }
    for (int64_t k = n > ROWS_AHEAD ? n - ROWS_AHEAD : 0; k < n; k++)
        changed += UR_NAMED(choose_row)(
            block, chunk, is_wide, places, policy, &waiting[k % ROWS_AHEAD], scratch);
    return changed;
}

static int64_t UR_NAMED(choose)(
    const RowBlock *block, const RowChunk *chunk, const void *values, const RowPolicy *policy,
    void *scratch)
{
    return chunk->is_wide ? UR_NAMED(choose_chunk)(block, chunk, 1, values, policy, scratch)
                          : UR_NAMED(choose_chunk)(block, chunk, 0, values, policy, scratch);
}

/* What a side of a vector of pairs is worth where it moves, and with what chance. */
UR_INLINE void UR_NAMED(follow_side)(
    const RowPolicy *policy, int64_t first, int side, UR_V *worth, UR_V *moving)
{
    const int64_t number = first + side * policy->n_pairs;
    const uint32_t *next =
        policy->next + first % POLICY_LANES +
        (first / POLICY_LANES * 2 + side) * policy->n_throws * POLICY_LANES;
    const uint32_t none = (uint32_t)(2 * policy->n_pairs);
    UR_V sum = UR_LOAD(leaving_of(policy, number)), moves = UR_ALL(0);
    for (int n = 0; n < policy->n_throws; n++, next += POLICY_LANES) {
        const UR_V chance = UR_ALL(policy->chances[n]);
        sum += chance * UR_FOLLOWED(policy->followed, next);
        moves += UR_SELECT(UR_EQUAL(next, none), UR_ALL(0), chance);
    }
    *worth = sum;
    *moving = moves;
}

static double UR_NAMED(follow)(const RowPolicy *policy, int64_t from, int64_t to)
{
    UR_V most = UR_ALL(0);
    for (int64_t k = from * POLICY_LANES; k < to * POLICY_LANES; k += UR_N) {
        if (k % POLICY_LANES == 0)
            fetch_followed(policy, k + PAIRS_AHEAD);
        double *mine = policy->followed + k, *theirs = mine + policy->n_pairs;
        UR_V worth, moving, others, others_moving;
        UR_NAMED(follow_side)(policy, k, 0, &worth, &moving);
        UR_NAMED(follow_side)(policy, k, 1, &others, &others_moving);
        /* two equations, as in `settle_pair` */
        const UR_V passes = UR_ALL(1) - moving, scale = moving + passes * others_moving;
        const UR_V divisor = UR_SELECT(UR_ABOVE(scale, UR_ALL(0)), scale, UR_ALL(1));
        const UR_V value = (worth - passes * others) / divisor;
        const UR_V other = others - (UR_ALL(1) - others_moving) * value;
        const UR_V change = value - UR_LOAD(mine), others_change = other - UR_LOAD(theirs);
        most = UR_MAX(UR_MAX(change, UR_ALL(0) - change), most);
        most = UR_MAX(UR_MAX(others_change, UR_ALL(0) - others_change), most);
        UR_STORE(mine, value);
        UR_STORE(theirs, other);
    }
    double lanes[UR_N], delta = 0;
    UR_STORE(lanes, most);
    for (int i = 0; i < UR_N; i++)
        delta = lanes[i] > delta ? lanes[i] : delta;
    return delta;
}

#undef UR_FOLLOWED
#undef UR_EQUAL
#undef UR_TELL
