/* The sweep over lanes of one instruction set. `row_levels.c` includes this once for each, with

       UR_SET               its name, which UR_NAMED(name) puts behind another
       UR_V, UR_N           a vector of doubles and how many it has: 1 or 4
       UR_MASK              of comparing two of them
       UR_LOAD, UR_STORE, UR_ALL, UR_MAX, UR_ABOVE, UR_SELECT
       UR_LEVELS            of the vector that has lane `reach` in it: where levels below it are
       UR_AT_REACH(v)       its lane `reach`, in all places
       UR_KEPT(k)           of the k-th lane behind `reach` and those that follow: where the side to
                            throw plays as level `reach` would have it
       UR_SWAP(at, k)       their lanes as the other side has them

   and none of them is defined any more behind it. Lanes are whole vectors: where they are not four at
   a time they are taken one by one. */

/* What a move is worth that leads to a row: some lanes. */
UR_INLINE UR_V UR_NAMED(worth_of)(
    const Levels *levels, const double *row, const int pays, const int lane, const int lanes)
{
    const int reach = lanes - UR_CUT_LANES - 1;
    if (!pays)
        return UR_LOAD(row + lane);
    if (lane + UR_N <= reach)
        return UR_LOAD(row + lane + 1) - UR_ALL(levels->fine);
    const UR_V slope = UR_LOAD(levels->slope + lane), cost = UR_LOAD(levels->cost + lane);
    if (lane >= reach + 2)
        return UR_LOAD(row + lane) + slope * UR_LOAD(row + lane - 2) - cost;
    const UR_V next = UR_LOAD(row + lane + 1);
    return UR_SELECT(UR_LEVELS, next, UR_LOAD(row + lane)) + slope * next - cost;
}

/* The best of the moves so far and one more, which level `reach` prefers by `bar`, or if it is
   chosen. */
UR_INLINE void UR_NAMED(take)(
    const Levels *levels, const double *row, const int pays, const int is_bound, int is_chosen,
    UR_V *bar, UR_V *best, const int lanes)
{
    const int reach = lanes - UR_CUT_LANES - 1;
    const UR_V level =
        UR_AT_REACH(UR_NAMED(worth_of)(levels, row, pays, reach / UR_N * UR_N, lanes));
    const UR_MASK is_preferred =
        is_bound ? UR_ABOVE(UR_ALL(is_chosen), UR_ALL(0)) : UR_ABOVE(level, *bar);
    *bar = UR_SELECT(is_preferred, level + UR_ALL(UR_PREFERRED), *bar);
#pragma GCC unroll 8
    for (int i = 0; i < lanes / UR_N; i++) {
        const UR_V worth = UR_NAMED(worth_of)(levels, row, pays, i * UR_N, lanes);
        const UR_V most = UR_MAX(worth, best[i]);
        const UR_V kept = UR_SELECT(is_preferred, worth, best[i]);
        best[i] = i * UR_N < reach + 2 ? most : UR_SELECT(UR_KEPT(i * UR_N - reach), kept, most);
    }
}

/* The best of a throw's moves in a column. `side` is NULL but for bounds. */
UR_INLINE void UR_NAMED(find_best)(
    const Levels *levels, const LevelMove *moves, int n_moves, int column, const LevelSide *side,
    int choice, UR_V *best, const int lanes)
{
    UR_V bar = UR_ALL(UR_NO_MOVE);
#pragma GCC unroll 8
    for (int i = 0; i < lanes / UR_N; i++)
        best[i] = UR_ALL(UR_NO_MOVE);
    for (int k = 0; k < n_moves; k++) {
        const double *row = row_of(moves + k, column);
        double moved[UR_MAX_LANES];
        if (side)
            row = bound_of(side, moves + k, row, moved, lanes);
        if (moves[k].pays)
            UR_NAMED(take)(levels, row, 1, side != NULL, k == choice, &bar, best, lanes);
        else
            UR_NAMED(take)(levels, row, 0, side != NULL, k == choice, &bar, best, lanes);
    }
}

/* What the throws of a tile's positions are worth where they move, by lane, and with what chance they
   move. */
UR_INLINE void UR_NAMED(read_tile)(
    const RowBlock *block, const RowChunk *chunk, const RowTile *tile, const char **at,
    const double *values, const LevelSide *side, double *worth, double *moving, const int lanes)
{
    const LevelRows *rows = block->levels;
    const int columns = tile->columns;
    LevelMove moves[UR_MOST_MOVES];
    for (int r = 0; r < tile->rows; r++) {
        const RowKind *kind = block->kinds + next_word(chunk, at);
        memset(worth, 0, (size_t)columns * (size_t)lanes * sizeof(double));
        memset(moving, 0, (size_t)columns * sizeof(double));
        for (int n = 0; n < kind->n_throws[0]; n++) {
            const int n_moves = list_moves(block, chunk, at, values, columns, moves);
            const UR_V chance = UR_ALL(kind->chance[0][n]);
            for (int c = 0; c < columns && n_moves; c++) {
                UR_V best[UR_MAX_LANES / UR_N];
                const int choice =
                    side ? *choice_of(rows, tile->first + r * columns + c, n) : 0;
                UR_NAMED(find_best)(
                    rows->levels, moves, n_moves, c, side, choice, best, lanes);
                moving[c] += kind->chance[0][n];
                double *sum = worth + c * lanes;
#pragma GCC unroll 8
                for (int i = 0; i < lanes / UR_N; i++)
                    UR_STORE(sum + i * UR_N, UR_LOAD(sum + i * UR_N) + chance * best[i]);
            }
        }
        worth += columns * lanes;
        moving += columns;
    }
}

/* A position's value by that of the one that its turn passes to, some lanes of it. */
UR_INLINE UR_V UR_NAMED(passing)(
    const Levels *levels, const double *worth, double passes, const double *image, const int lane,
    const int lanes)
{
    const int behind = lane - (lanes - UR_CUT_LANES - 1);
    const UR_V other = behind >= 2 ? UR_SWAP(image + lane, behind) : UR_LOAD(image + lane);
    return UR_LOAD(worth + lane) + UR_ALL(passes) * (UR_LOAD(levels->pots + lane) - other);
}

/* Two positions that pass to each other: a linear equation for each, of which this is the solution,
   into `mine` and `theirs`. If all they ever do is pass, it is a draw. */
UR_INLINE UR_V UR_NAMED(settle_two)(
    const Levels *levels, const double *worth, double p, const double *their_worth, double q,
    double *mine, double *theirs, const int lanes)
{
    const UR_MASK is_draw = UR_ABOVE(UR_ALL(p * q >= 1.0), UR_ALL(0));
    const double scale = p * q < 1.0 ? 1.0 / (1.0 - p * q) : 0.0;
    double value[UR_MAX_LANES];
    UR_V delta = UR_ALL(0);
#pragma GCC unroll 8
    for (int lane = 0; lane < lanes; lane += UR_N) {
        const int behind = lane - (lanes - UR_CUT_LANES - 1);
        const UR_V pot = UR_LOAD(levels->pots + lane), before = UR_LOAD(mine + lane);
        const UR_V other =
            behind >= 2 ? UR_SWAP(their_worth + lane, behind) : UR_LOAD(their_worth + lane);
        const UR_V passed = UR_ALL(p) * (pot * UR_ALL(1.0 - q) - other);
        const UR_V solved = UR_ALL(scale) * (UR_LOAD(worth + lane) + passed);
        const UR_V now = UR_SELECT(is_draw, UR_ALL(0.5) * pot, solved);
        delta = UR_MAX(UR_MAX(now - before, before - now), delta);
        UR_STORE(value + lane, now);
    }
#pragma GCC unroll 8
    for (int lane = 0; lane < lanes; lane += UR_N) {
        const UR_V before = UR_LOAD(theirs + lane);
        const UR_V now = UR_NAMED(passing)(levels, their_worth, q, value, lane, lanes);
        delta = UR_MAX(UR_MAX(now - before, before - now), delta);
        UR_STORE(theirs + lane, now);
        UR_STORE(mine + lane, UR_LOAD(value + lane));
    }
    return delta;
}

UR_INLINE void UR_NAMED(read_pair)(
    const RowBlock *block, const RowChunk *chunk, const LevelPair *pair, const char **at,
    const double *values, const LevelSide *side, const int lanes)
{
    UR_NAMED(read_tile)(
        block, chunk, pair->mine, at, values, side, pair->worth, pair->moving, lanes);
    if (pair->theirs != pair->mine)
        UR_NAMED(read_tile)(
            block, chunk, pair->theirs, at, values, side, pair->their_worth,
            pair->their_moving, lanes);
}

UR_INLINE double UR_NAMED(settle_pair)(
    const Levels *levels, const LevelPair *pair, double *values, const int lanes)
{
    const int n = pair->mine->rows, m = pair->mine->columns;
    double *mine = values + pair->mine->first * lanes, *theirs = values + pair->theirs->first * lanes;
    UR_V delta = UR_ALL(0);
    for (int r = 0; r < n; r++)
        for (int c = mine == theirs ? r : 0; c < m; c++) {
            const int64_t at = (int64_t)r * m + c, image = (int64_t)c * n + r;
            const UR_V change = UR_NAMED(settle_two)(
                levels, pair->worth + at * lanes, 1.0 - pair->moving[at],
                pair->their_worth + image * lanes, 1.0 - pair->their_moving[image],
                mine + at * lanes, theirs + image * lanes, lanes);
            delta = UR_MAX(change, delta);
        }
    double all[UR_N], most = 0.0;
    UR_STORE(all, delta);
    for (int i = 0; i < UR_N; i++)
        most = all[i] > most ? all[i] : most;
    return most;
}

UR_INLINE double UR_NAMED(sweep_lanes)(
    const RowBlock *block, const RowChunk *chunk, double *values, double *scratch, const int lanes)
{
    const LevelRows *rows = block->levels;
    const char *at = chunk->words;
    double delta = 0.0;
    for (int k = 0; k < chunk->n_pairs; k++) {
        const LevelPair pair = open_levels(block, chunk->pairs + 2 * k, scratch);
        UR_NAMED(read_pair)(block, chunk, &pair, &at, values, NULL, lanes);
        delta = larger(UR_NAMED(settle_pair)(rows->levels, &pair, values, lanes), delta);
    }
    return delta;
}

static double UR_NAMED(sweep)(
    const RowBlock *block, const RowChunk *chunk, double *values, double *scratch)
{
    return UR_BY_LANES(
        lanes_of(block), UR_NAMED(sweep_lanes), block, chunk, values, scratch);
}

/* What a pair's throws are worth, by one of two bounds in the rounding mode that there is, or by
   values. */
UR_APART void UR_NAMED(read)(
    const RowBlock *block, const RowChunk *chunk, const LevelPair *pair, const char **at,
    const double *values, const LevelSide *side)
{
    UR_BY_LANES(
        lanes_of(block), UR_NAMED(read_pair), block, chunk, pair, at, values, side);
}

/* The values of a pair's first tile by those that turns pass to, `blur` added, in the rounding mode
   that there is. */
UR_APART void UR_NAMED(pass)(
    const Levels *levels, const LevelPair *pair, const double *from, double *to, double blur)
{
    const int n = pair->mine->rows, m = pair->mine->columns, lanes = levels->lanes;
    from += pair->theirs->first * lanes;
    to += pair->mine->first * lanes;
    for (int r = 0; r < n; r++)
        for (int c = 0; c < m; c++) {
            const int64_t at = (int64_t)r * m + c, image = (int64_t)c * n + r;
            const double passes = 1.0 - pair->moving[at];
            const UR_MASK is_draw =
                UR_ABOVE(UR_ALL(passes * (1.0 - pair->their_moving[image]) >= 1.0), UR_ALL(0));
            for (int lane = 0; lane < lanes; lane += UR_N) {
                const UR_V half = UR_ALL(0.5) * UR_LOAD(levels->pots + lane);
                const UR_V value = UR_NAMED(passing)(
                    levels, pair->worth + at * lanes, passes, from + image * lanes, lane, lanes);
                UR_STORE(
                    to + at * lanes + lane, UR_SELECT(is_draw, half, value) + UR_ALL(blur));
            }
        }
}

#undef UR_SET
#undef UR_V
#undef UR_N
#undef UR_MASK
#undef UR_LOAD
#undef UR_STORE
#undef UR_ALL
#undef UR_ABOVE
#undef UR_SELECT
#undef UR_MAX
#undef UR_LEVELS
#undef UR_AT_REACH
#undef UR_KEPT
#undef UR_SWAP
