/* Policies by one instruction set: `rows.c` includes this for values in double precision. The
   best moves of a chunk's positions first. Moves are counted in vectors of doubles. */

#include "row_policy.h"

/* Moves as bytes; compilers convert numbers one by one. */
UR_INLINE void note(uint8_t *at, X(vec) moves)
{
    const X(vec) noted = X(min)(moves, X(set)(MOST_NOTED));
#if UR_VECTOR_BYTES == 64
    const __m512i numbers = _mm512_castsi256_si512(_mm512_cvttpd_epi32(noted));
    _mm_storel_epi64((__m128i *)at, _mm512_cvtepi32_epi8(numbers));
#elif UR_VECTOR_BYTES == 32
    const __m128i numbers = _mm256_cvttpd_epi32(noted), halves = _mm_packs_epi32(numbers, numbers);
    const int bytes = _mm_cvtsi128_si32(_mm_packus_epi16(halves, halves));
    memcpy(at, &bytes, sizeof(bytes));
#else
    typedef uint8_t Bytes __attribute__((vector_size(UR_WIDTH), aligned(1), may_alias));
    *(Bytes *)at = __builtin_convertvector(__builtin_convertvector(noted, Places), Bytes);
#endif
}

/* The values of the positions that moves lead to, and with the mark, which is the sign, their
   negatives. */
UR_INLINE X(vec) followed(const REAL *values, Places next, X(bits) wide)
{
    const Places numbers = next & INT32_MAX;
    return (X(vec))((X(bits))take(values, &numbers) ^ (wide & INT64_MIN));
}

/* A move of some positions, compared with the best so far. */
UR_INLINE void add_choice(
    X(vec) worth, X(vec) number, X(vec) *best, X(vec) *second, X(vec) *move)
{
    const X(mask) is_better = X(above)(worth, *best);
    *second = X(max)(*second, X(select)(is_better, *best, worth));
    *move = X(select)(is_better, number, *move);
    *best = X(max)(worth, *best);
}

/* For `k` vectors of columns of a row the best move of each throw, and how close another one comes. */
UR_INLINE void find_best(
    const RowKind *kind, const RowReader *at, const int is_wide,
    const REAL *values, const int32_t *maps, int columns, int column, const BestMoves *to,
    const int k)
{
    const int size = is_wide ? sizeof(uint64_t) : sizeof(uint32_t);
    const char *words = at->words + size;
    const REAL *leaving = at->leaving;
    REAL *moves = to->moves + column;
    uint8_t *noted = to->noted + column;
    X(vec) closest[4];
    for (int i = 0; i < k; i++)
        closest[i] = X(set)(NO_MOVE);
    for (int n = 0; n < kind->n_throws[0]; n++, moves += to->pitch, noted += to->pitch) {
        const int64_t head = word_at(words, is_wide);
        words += size;
        X(vec) best[4], second[4], move[4], next = X(set)(MOVE_ROW);
        for (int i = 0; i < k; i++) {
            best[i] = second[i] = X(set)(NO_MOVE);
            move[i] = X(set)(MOVE_NONE);
        }
        if (head & UR_LEAVES) {
            for (int i = 0; i < k; i++) {
                best[i] = X(load)(leaving + column + UR_WIDTH * i);
                move[i] = X(select)(
                    X(above)(best[i], X(set)(NO_MOVE / 2)), X(set)(MOVE_LEAVES), move[i]);
            }
            leaving += columns;
        }
        for (int rows = head & UR_MOST_ROWS; rows; rows--, words += size) {
            const REAL *row = values + word_at(words, is_wide) + column;
            for (int i = 0; i < k; i++) {
                const X(vec) worth = X(load)(row + UR_WIDTH * i);
                add_choice(worth, next, &best[i], &second[i], &move[i]);
            }
            next += X(set)(1);
        }
        for (int rows = head >> UR_MAPPED_SHIFT & UR_MOST_ROWS; rows;
             rows--, words += 2 * size) {
            const REAL *row = values + word_at(words, is_wide);
            const int32_t *map = maps + word_at(words + size, is_wide) + column;
            for (int i = 0; i < k; i++) {
                const X(vec) worth = gather(row, map + UR_WIDTH * i);
                add_choice(worth, next, &best[i], &second[i], &move[i]);
            }
            next += X(set)(1);
        }
        for (int i = 0; i < k; i++) {
            X(store)(moves + UR_WIDTH * i, move[i]);
            note(noted + UR_WIDTH * i, move[i]);
            closest[i] = X(max)(
                closest[i], X(select)(
                                X(above)(best[i], X(set)(NO_MOVE / 2)), second[i] - best[i],
                                X(set)(NO_MOVE)));
        }
    }
    for (int i = 0; i < k; i++)
        X(store)(to->closest + column + UR_WIDTH * i, closest[i]);
}

/* Find the best moves of a row, and let them be the policy; how many positions have another one. */
UR_INLINE int64_t choose_row(
    const RowBlock *block, const RowChunk *chunk, const int is_wide, const REAL *values,
    const RowPolicy *policy, const WaitingRow *row, void *scratch)
{
    const RowKind *kind = block->kinds + word_at(row->at.words, is_wide);
    const int columns = row->tile->columns;
    const BestMoves best = open_moves(columns, scratch);
    int column = 0;
#define UR_FIND(k)                                                                             \
    do {                                                                                       \
        find_best(                                                                   \
            kind, &row->at, is_wide, values, chunk->maps, columns, column, &best, k);          \
        column += UR_WIDTH * k;                                                                    \
    } while (0)
    while (columns - column > 3 * UR_WIDTH)
        UR_FIND(4);
    while (columns - column > UR_WIDTH)
        UR_FIND(2);
    if (columns > column)
        UR_FIND(1);
#undef UR_FIND
    *row->limit = limit_of(policy, &best, columns);
    return write_row(
        block, chunk, policy, &row->at, row->tile, row->r, &best, row->is_own_image);
}

UR_INLINE int64_t choose_chunk(
    const RowBlock *block, const RowChunk *chunk, const int is_wide, const REAL *values,
    const RowPolicy *policy, void *scratch)
{
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
                pass_row(block->kinds, &at, is_wide, values, columns, 0);
                continue;
            }
            WaitingRow *row = &waiting[n++ % ROWS_AHEAD];
            if (n > ROWS_AHEAD)
                changed += choose_row(block, chunk, is_wide, values, policy, row, scratch);
            *row = (WaitingRow){at, tile, r, is_own_image, limit};
            pass_row(block->kinds, &at, is_wide, values, columns, 1);
            fetch_noted(policy, tile->first + (int64_t)r * columns, columns);
        }
    }
    for (int64_t k = n > ROWS_AHEAD ? n - ROWS_AHEAD : 0; k < n; k++)
        changed += choose_row(
            block, chunk, is_wide, values, policy, &waiting[k % ROWS_AHEAD], scratch);
    return changed;
}

static int64_t choose(
    const RowBlock *block, const RowChunk *chunk, const void *values, const RowPolicy *policy,
    void *scratch)
{
    return chunk->is_wide ? choose_chunk(block, chunk, 1, values, policy, scratch)
                          : choose_chunk(block, chunk, 0, values, policy, scratch);
}

/* What a side of a vector of pairs is worth where it moves, and with what chance. */
UR_INLINE void follow_side(
    const RowPolicy *policy, int64_t first, int side, X(vec) *worth, X(vec) *moving)
{
    const int64_t number = first + side * policy->n_pairs;
    const uint32_t *next =
        policy->next + first % POLICY_LANES +
        (first / POLICY_LANES * 2 + side) * policy->n_throws * POLICY_LANES;
    const int64_t none = 2 * policy->n_pairs;
    X(vec) sum = X(load)(leaving_of(policy, number)), moves = X(set)(0);
    for (int n = 0; n < policy->n_throws; n++, next += POLICY_LANES) {
        const X(vec) chance = X(set)(policy->chances[n]);
        const Places to = *(const Places *)next;
        const X(bits) wide = widened(to);
        sum += chance * followed(policy->followed, to, wide);
        moves += (X(vec))((X(bits))chance & (wide != none));
    }
    *worth = sum;
    *moving = moves;
}

static double follow(const RowBlock *block, const RowPolicy *policy, int64_t from, int64_t to)
{
    X(vec) most = X(set)(0);
    for (int64_t k = from * POLICY_LANES; k < to * POLICY_LANES; k += UR_WIDTH) {
        if (k % POLICY_LANES == 0)
            fetch_followed(policy, k + PAIRS_AHEAD);
        double *mine = policy->followed + k, *theirs = mine + policy->n_pairs;
        X(vec) worth, moving, others, others_moving;
        follow_side(policy, k, 0, &worth, &moving);
        follow_side(policy, k, 1, &others, &others_moving);
        /* two equations, as in `settle_pair` */
        const X(vec) passes = X(set)(1) - moving, scale = moving + passes * others_moving;
        const X(vec) divisor = X(select)(X(above)(scale, X(set)(0)), scale, X(set)(1));
        const X(vec) value = (worth - passes * others) / divisor;
        const X(vec) other = others - (X(set)(1) - others_moving) * value;
        const X(vec) change = value - X(load)(mine), others_change = other - X(load)(theirs);
        most = X(max)(X(max)(change, X(set)(0) - change), most);
        most = X(max)(X(max)(others_change, X(set)(0) - others_change), most);
        X(store)(mine, value);
        X(store)(theirs, other);
    }
    return X(largest)(most);
}
