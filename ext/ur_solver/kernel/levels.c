/* The sweep over lanes by one instruction set, in vectors as long as the set's registers, or lane by lane
   where these are 8 bytes long. Lanes are whole vectors. */

#include "instruction_sets.h"
#if UR_HAS_SET

#include "levels_pairs.h"

#define X(name) UR_OWN(name)

/* Lane `reach` of the vector that has it, in all places. Lanes are a multiple of four: it is the third of
   four, the first of two. */
UR_INLINE X(vec) at_reach(X(vec) v)
{
#if UR_WIDTH == 4
    return __builtin_shufflevector(v, v, 2, 2, 2, 2);
#elif UR_WIDTH == 2
    return __builtin_shufflevector(v, v, 0, 0);
#else
    return v;
#endif
}

/* Some lanes as the other side has them. */
UR_INLINE X(vec) swapped(const double *at, const int behind)
{
#if UR_WIDTH > 1
    return X(swap)(X(load)(at));
#else
    return X(load)(at + (behind ^ 1) - behind);
#endif
}

/* From a lane behind `reach` on: where the side to throw plays as level `reach` would have it. */
UR_INLINE X(mask) kept_from(const int behind)
{
#if UR_WIDTH == 4
    return (X(mask)){-1, 0, -1, 0};
#elif UR_WIDTH == 2
    return (X(mask)){-1, 0};
#else
    return (X(mask)){behind % 2 ? 0 : -1};
#endif
}

/* What a move is worth that leads to a row: some lanes. */
UR_INLINE X(vec) worth_of(
    const Levels *levels, const double *row, const int pays, const int lane, const int lanes)
{
    const int reach = lanes - UR_CUT_LANES - 1;
    if (!pays)
        return X(load)(row + lane);
    if (lane + UR_WIDTH <= reach)
        return X(load)(row + lane + 1) - X(set)(levels->fine);
    const X(vec) slope = X(load)(levels->slope + lane), cost = X(load)(levels->cost + lane);
    if (lane >= reach + 2)
        return X(load)(row + lane) + slope * X(load)(row + lane - 2) - cost;
    /* the levels below `reach` are the first two of four, as `at_reach` says */
    const X(vec) next = X(load)(row + lane + 1);
    return X(select)(X(below)(UR_WIDTH == 4 ? 2 : 0), next, X(load)(row + lane)) + slope * next - cost;
}

/* The best of the moves so far and one more, which level `reach` prefers by `bar`, or if it is
   chosen. */
UR_INLINE void take(
    const Levels *levels, const double *row, const int pays, const int is_bound, int is_chosen,
    X(vec) *bar, X(vec) *best, const int lanes)
{
    const int reach = lanes - UR_CUT_LANES - 1;
    const X(vec) level =
        at_reach(worth_of(levels, row, pays, reach / UR_WIDTH * UR_WIDTH, lanes));
    const X(mask) is_preferred =
        is_bound ? X(above)(X(set)(is_chosen), X(set)(0)) : X(above)(level, *bar);
    *bar = X(select)(is_preferred, level + X(set)(UR_PREFERRED), *bar);
#pragma GCC unroll 8
    for (int i = 0; i < lanes / UR_WIDTH; i++) {
        const X(vec) worth = worth_of(levels, row, pays, i * UR_WIDTH, lanes);
        const X(vec) most = X(max)(worth, best[i]);
        const X(vec) kept = X(select)(is_preferred, worth, best[i]);
        best[i] = i * UR_WIDTH < reach + 2 ? most : X(select)(kept_from(i * UR_WIDTH - reach), kept, most);
    }
}

/* The best of a throw's moves in a column. `side` is NULL but for bounds. */
UR_INLINE void find_best(
    const Levels *levels, const LevelMove *moves, int n_moves, int column, const LevelSide *side,
    int choice, X(vec) *best, const int lanes)
{
    X(vec) bar = X(set)(UR_NO_MOVE);
#pragma GCC unroll 8
    for (int i = 0; i < lanes / UR_WIDTH; i++)
        best[i] = X(set)(UR_NO_MOVE);
    for (int k = 0; k < n_moves; k++) {
        const double *row = row_of(moves + k, column);
        double moved[UR_MAX_LANES];
        if (side)
            row = bound_of(side, moves + k, row, moved, lanes);
        if (moves[k].pays)
            take(levels, row, 1, side != NULL, k == choice, &bar, best, lanes);
        else
            take(levels, row, 0, side != NULL, k == choice, &bar, best, lanes);
    }
}

/* What the throws of a tile's positions are worth where they move, by lane, and with what chance they
   move. */
UR_INLINE void read_tile(
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
            const X(vec) chance = X(set)(kind->chance[0][n]);
            for (int c = 0; c < columns && n_moves; c++) {
                X(vec) best[UR_MAX_LANES / UR_WIDTH];
                const int choice =
                    side ? *choice_of(rows, tile->first + r * columns + c, n) : 0;
                find_best(
                    rows->levels, moves, n_moves, c, side, choice, best, lanes);
                moving[c] += kind->chance[0][n];
                double *sum = worth + c * lanes;
#pragma GCC unroll 8
                for (int i = 0; i < lanes / UR_WIDTH; i++)
                    X(store)(sum + i * UR_WIDTH, X(load)(sum + i * UR_WIDTH) + chance * best[i]);
            }
        }
        worth += columns * lanes;
        moving += columns;
    }
}

/* A position's value by that of the one that its turn passes to, some lanes of it. */
UR_INLINE X(vec) passing(
    const Levels *levels, const double *worth, double passes, const double *image, const int lane,
    const int lanes)
{
    const int behind = lane - (lanes - UR_CUT_LANES - 1);
    const X(vec) other = behind >= 2 ? swapped(image + lane, behind) : X(load)(image + lane);
    return X(load)(worth + lane) + X(set)(passes) * (X(load)(levels->pots + lane) - other);
}

/* Two positions that pass to each other: a linear equation for each, of which this is the solution,
   into `mine` and `theirs`. If all they ever do is pass, it is a draw. */
UR_INLINE X(vec) settle_two(
    const Levels *levels, const double *worth, double p, const double *their_worth, double q,
    double *mine, double *theirs, const int lanes)
{
    const X(mask) is_draw = X(above)(X(set)(p * q >= 1.0), X(set)(0));
    const double scale = p * q < 1.0 ? 1.0 / (1.0 - p * q) : 0.0;
    double value[UR_MAX_LANES];
    X(vec) delta = X(set)(0);
#pragma GCC unroll 8
    for (int lane = 0; lane < lanes; lane += UR_WIDTH) {
        const int behind = lane - (lanes - UR_CUT_LANES - 1);
        const X(vec) pot = X(load)(levels->pots + lane), before = X(load)(mine + lane);
        const X(vec) other =
            behind >= 2 ? swapped(their_worth + lane, behind) : X(load)(their_worth + lane);
        const X(vec) passed = X(set)(p) * (pot * X(set)(1.0 - q) - other);
        const X(vec) solved = X(set)(scale) * (X(load)(worth + lane) + passed);
        const X(vec) now = X(select)(is_draw, X(set)(0.5) * pot, solved);
        delta = X(max)(X(max)(now - before, before - now), delta);
        X(store)(value + lane, now);
    }
#pragma GCC unroll 8
    for (int lane = 0; lane < lanes; lane += UR_WIDTH) {
        const X(vec) before = X(load)(theirs + lane);
        const X(vec) now = passing(levels, their_worth, q, value, lane, lanes);
        delta = X(max)(X(max)(now - before, before - now), delta);
        X(store)(theirs + lane, now);
        X(store)(mine + lane, X(load)(value + lane));
    }
    return delta;
}

UR_INLINE void read_pair(
    const RowBlock *block, const RowChunk *chunk, const LevelPair *pair, const char **at,
    const double *values, const LevelSide *side, const int lanes)
{
    read_tile(
        block, chunk, pair->mine, at, values, side, pair->worth, pair->moving, lanes);
    if (pair->theirs != pair->mine)
        read_tile(
            block, chunk, pair->theirs, at, values, side, pair->their_worth,
            pair->their_moving, lanes);
}

UR_INLINE double settle_pair(
    const Levels *levels, const LevelPair *pair, double *values, const int lanes)
{
    const int n = pair->mine->rows, m = pair->mine->columns;
    double *mine = values + pair->mine->first * lanes, *theirs = values + pair->theirs->first * lanes;
    X(vec) delta = X(set)(0);
    for (int r = 0; r < n; r++)
        for (int c = mine == theirs ? r : 0; c < m; c++) {
            const int64_t at = (int64_t)r * m + c, image = (int64_t)c * n + r;
            const X(vec) change = settle_two(
                levels, pair->worth + at * lanes, 1.0 - pair->moving[at],
                pair->their_worth + image * lanes, 1.0 - pair->their_moving[image],
                mine + at * lanes, theirs + image * lanes, lanes);
            delta = X(max)(change, delta);
        }
    return X(largest)(delta);
}

UR_INLINE double sweep_lanes(
    const RowBlock *block, const RowChunk *chunk, double *values, double *scratch, const int lanes)
{
    const LevelRows *rows = block->levels;
    const char *at = chunk->words;
    double delta = 0.0;
    for (int k = 0; k < chunk->n_pairs; k++) {
        const LevelPair pair = open_levels(block, chunk->pairs + 2 * k, scratch);
        read_pair(block, chunk, &pair, &at, values, NULL, lanes);
        delta = larger(settle_pair(rows->levels, &pair, values, lanes), delta);
    }
    return delta;
}

static double sweep(
    const RowBlock *block, const RowChunk *chunk, double *values, double *scratch)
{
    return UR_BY_LANES(
        lanes_of(block), sweep_lanes, block, chunk, values, scratch);
}

/* What a pair's throws are worth, by one of two bounds in the rounding mode that there is, or by
   values. */
UR_APART void read(
    const RowBlock *block, const RowChunk *chunk, const LevelPair *pair, const char **at,
    const double *values, const LevelSide *side)
{
    UR_BY_LANES(
        lanes_of(block), read_pair, block, chunk, pair, at, values, side);
}

/* The values of a pair's first tile by those that turns pass to, `blur` added, in the rounding mode
   that there is. */
UR_APART void pass(
    const Levels *levels, const LevelPair *pair, const double *from, double *to, double blur)
{
    const int n = pair->mine->rows, m = pair->mine->columns, lanes = levels->lanes;
    from += pair->theirs->first * lanes;
    to += pair->mine->first * lanes;
    for (int r = 0; r < n; r++)
        for (int c = 0; c < m; c++) {
            const int64_t at = (int64_t)r * m + c, image = (int64_t)c * n + r;
            const double passes = 1.0 - pair->moving[at];
            const X(mask) is_draw =
                X(above)(X(set)(passes * (1.0 - pair->their_moving[image]) >= 1.0), X(set)(0));
            for (int lane = 0; lane < lanes; lane += UR_WIDTH) {
                const X(vec) half = X(set)(0.5) * X(load)(levels->pots + lane);
                const X(vec) value = passing(
                    levels, pair->worth + at * lanes, passes, from + image * lanes, lane, lanes);
                X(store)(
                    to + at * lanes + lane, X(select)(is_draw, half, value) + X(set)(blur));
            }
        }
}

const LevelSet UR_NAMED(levels) = {.sweep = sweep, .read = read, .pass = pass};

UR_END_SET
#endif
