/* Policies, by one instruction set: `row_sweep_body.h` includes this for values in double precision,
   with

       UR_FOLLOWED(at, next)  the numbers that they lead to, and with the mark their negatives
       UR_EQUAL(next, to)     where they are the same as one

   The best moves of a chunk's positions first. Places are counted in vectors of doubles, which hold them
   exactly. */

#define UR_NOWHERE (-1.0)   /* no move, in place of a place */
#define UR_OUTSIDE (-2.0)   /* a move that leaves the block */

/* For a vector of columns of a row, by choice and throw: the best move's place, and its worth. */
UR_INLINE void UR_NAMED(find_best)(
    const RowKind *kind, const RowReader *at, RowReader *last, const int is_wide,
    const Real *values, int64_t origin, const int32_t *maps, int columns, int column, Real *places,
    Real *worths, int64_t pitch)
{
    const int size = is_wide ? sizeof(uint64_t) : sizeof(uint32_t);
    const char *words = at->words + size;
    const Real *leaving = at->leaving;
    Real lanes[UR_N];
    for (int i = 0; i < UR_N; i++)
        lanes[i] = column + i;
    const UR_V across = UR_LOAD(lanes);
    for (int c = 0; c < kind->n_choices; c++)
        for (int n = 0; n < kind->n_throws[c]; n++, places += pitch, worths += pitch) {
            const int64_t head = word_at(words, is_wide);
            words += size;
            UR_V best = UR_ALL(NO_MOVE), place = UR_ALL(UR_NOWHERE);
            if (head & UR_LEAVES) {
                best = UR_LOAD(leaving + column);
                place = UR_SELECT(UR_ABOVE(best, UR_ALL(NO_MOVE / 2)), UR_ALL(UR_OUTSIDE), place);
                leaving += columns;
            }
            for (int rows = head & UR_MOST_ROWS; rows; rows--, words += size) {
                const int64_t row = word_at(words, is_wide) - origin;
                const UR_V worth = UR_LOAD(values + row + column);
                place = UR_SELECT(UR_ABOVE(worth, best), across + UR_ALL((Real)row), place);
                best = UR_MAX(worth, best);
            }
            for (int rows = head >> UR_MAPPED_SHIFT & UR_MOST_ROWS; rows;
                 rows--, words += 2 * size) {
                const int64_t row = word_at(words, is_wide) - origin;
                const int32_t *map = maps + word_at(words + size, is_wide) + column;
                const UR_V worth = UR_GATHER(values + row, map);
                for (int i = 0; i < UR_N; i++)
                    lanes[i] = (Real)(row + map[i]);
                place = UR_SELECT(UR_ABOVE(worth, best), UR_LOAD(lanes), place);
                best = UR_MAX(worth, best);
            }
            UR_STORE(places + column, place);
            UR_STORE(worths + column, best);
        }
    last->words = words;
    last->leaving = leaving;
}

static int64_t UR_NAMED(choose)(
    const RowBlock *block, const RowChunk *chunk, const void *all_values, const RowPolicy *policy,
    void *scratch)
{
    const Real *values = all_values;
    RowReader at = {chunk->words, chunk->leaving};
    const int size = chunk->is_wide ? sizeof(uint64_t) : sizeof(uint32_t);
    int64_t changed = 0;
    for (int k = 0; k < 2 * chunk->n_pairs; k++) {
        if (k % 2 && chunk->pairs[k] == chunk->pairs[k - 1])
            continue;
        const RowTile *tile = block->tiles + chunk->pairs[k];
        const int is_own_image = chunk->pairs[k] == chunk->pairs[k ^ 1];
        const int64_t pitch = pitch_of(tile->columns);
        Real *places = scratch, *worths = places + UR_ROW_CHOICES * UR_ROW_THROWS * pitch;
        for (int r = 0; r < tile->rows; r++) {
            const int type = (int)word_at(at.words, chunk->is_wide);
            RowReader last = at;
            for (int column = 0; column < tile->columns; column += UR_N)
                UR_NAMED(find_best)(
                    block->kinds + type, &at, &last, chunk->is_wide, values, block->origin,
                    chunk->maps, tile->columns, column, places, worths, pitch);
            for (const char *word = at.words; word < last.words; word += size)
                __builtin_prefetch(
                    values + word_at(word + UR_ROW_AHEAD * size, chunk->is_wide) - block->origin);
            at = last;
            changed += write_choices(
                block, policy, type, tile, r, places, worths, pitch, values, is_own_image);
        }
    }
    return changed;
}

/* What a side of a vector of pairs is worth where it moves, and with what chance. */
UR_INLINE void UR_NAMED(follow_side)(
    const RowPolicy *policy, const double *followed, int64_t first, int side, UR_V *worth,
    UR_V *moving)
{
    const int64_t number = first + side * policy->n_pairs;
    const uint32_t *next =
        policy->next + first % POLICY_LANES +
        (first / POLICY_LANES * 2 + side) * policy->n_slots * POLICY_LANES;
    const uint32_t none = (uint32_t)(2 * policy->n_pairs);
    UR_V sum = UR_LOAD(leaving_of(policy, number)), moves = UR_ALL(0);
    for (int n = 0; n < policy->n_slots; n++, next += POLICY_LANES) {
        const double *chances = policy->chances + n * UR_POLICY_TYPES;
        UR_V chance = UR_ALL(chances[0]);
        if (policy->n_types > 1) {
            double lanes[UR_N];
            for (int i = 0; i < UR_N; i++)
                lanes[i] = chances[policy->types[number + i]];
            chance = UR_LOAD(lanes);
        }
        sum += chance * UR_FOLLOWED(followed, next);
        moves += UR_SELECT(UR_EQUAL(next, none), UR_ALL(0), chance);
    }
    *worth = sum;
    *moving = moves;
}

static double UR_NAMED(follow)(
    const RowPolicy *policy, double *followed, int64_t from, int64_t to)
{
    UR_V most = UR_ALL(0);
    for (int64_t k = from * POLICY_LANES; k < to * POLICY_LANES; k += UR_N) {
        double *mine = followed + k, *theirs = mine + policy->n_pairs;
        UR_V worth, moving, others, others_moving;
        UR_NAMED(follow_side)(policy, followed, k, 0, &worth, &moving);
        UR_NAMED(follow_side)(policy, followed, k, 1, &others, &others_moving);
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
#undef UR_NOWHERE
#undef UR_OUTSIDE
