/* Games for money by rows (levels.h). */

#include "levels.h"

typedef double Real;
#define NO_MOVE UR_NO_MOVE
#define UR_ABS fabs
#define UR_NEXT nextafter
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

/* A pair of tiles in work: by position what its throws are worth, by lane, and with what chance they
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
    const int64_t place = (word >> 1) - block->origin;
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
    const int64_t place = (word >> 1) - block->origin;
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

/* Plain C, a lane at a time. */
#define UR_SET plain
#define UR_V double
#define UR_N 1
#define UR_MASK int
#define UR_LOAD(at) (*(at))
#define UR_STORE(at, v) (*(at) = (v))
#define UR_ALL(x) ((double)(x))
#define UR_ABOVE(a, b) ((a) > (b))
#define UR_SELECT(mask, yes, no) ((mask) ? (yes) : (no))
#define UR_MAX(a, b) ((a) > (b) ? (a) : (b))
#define UR_LEVELS 0
#define UR_AT_REACH(v) (v)
#define UR_KEPT(k) ((k) % 2 == 0)
#define UR_SWAP(at, k) ((at)[((k) ^ 1) - (k)])
#include "levels_body.h"

#ifdef UR_X86
#pragma GCC push_options
#pragma GCC target("avx2")
#define UR_SET avx2
#define UR_V __m256d
#define UR_N 4
#define UR_MASK __m256d
#define UR_LOAD(at) _mm256_loadu_pd(at)
#define UR_STORE(at, v) _mm256_storeu_pd(at, v)
#define UR_ALL(x) _mm256_set1_pd(x)
#define UR_ABOVE(a, b) _mm256_cmp_pd(a, b, _CMP_GT_OQ)
#define UR_SELECT(mask, yes, no) _mm256_blendv_pd(no, yes, mask)
#define UR_MAX(a, b) _mm256_max_pd(a, b)
/* lanes are a multiple of four: `reach` is the third of its vector */
#define UR_LEVELS _mm256_castsi256_pd(_mm256_setr_epi64x(-1, -1, 0, 0))
#define UR_AT_REACH(v) _mm256_permute4x64_pd(v, 0xAA)
#define UR_KEPT(k) _mm256_castsi256_pd(_mm256_setr_epi64x(-1, 0, -1, 0))
#define UR_SWAP(at, k) _mm256_permute_pd(_mm256_loadu_pd(at), 5)
#include "levels_body.h"
#pragma GCC pop_options
#endif

typedef struct {
    const char *name;
    int (*runs)(void);
    double (*sweep)(const RowBlock *, const RowChunk *, double *, double *);
    void (*read)(
        const RowBlock *, const RowChunk *, const LevelPair *, const char **, const double *,
        const LevelSide *);
    void (*pass)(const Levels *, const LevelPair *, const double *, double *, double);
} LevelSet;

/* The best first. */
static const LevelSet instruction_sets[] = {
#ifdef UR_X86
    {"avx2", runs_avx2, sweep_avx2, read_avx2, pass_avx2},
#endif
    {"plain", runs_everywhere, sweep_plain, read_plain, pass_plain},
};

/* The block's, where lanes are whole vectors of it. */
static const LevelSet *set_of(const RowBlock *block)
{
    const int n = (int)(sizeof(instruction_sets) / sizeof(instruction_sets[0]));
    return instruction_sets + (lanes_of(block) % 4 == 0 ? block->instruction_set : n - 1);
}

/* Of a thread: two tiles, twice for bounds. */
static int64_t scratch_size(const RowBlock *block)
{
    return 2 * (int64_t)block->most_rows * block->most_columns * (lanes_of(block) + 1);
}

static int64_t scratch_bytes(const RowBlock *block)
{
    return 2 * scratch_size(block) * (int64_t)sizeof(double);
}

static double sweep(const RowBlock *block, const RowChunk *chunk, void *values, void *scratch)
{
    return set_of(block)->sweep(block, chunk, values, scratch);
}

/* The pair as the other side sees it. */
UR_INLINE LevelPair image_of(const LevelPair *pair)
{
    return (LevelPair){pair->theirs, pair->mine, pair->their_worth, pair->their_moving,
                       pair->worth, pair->moving};
}

static double change_of(const double *before, const double *now, const RowTile *tile, int lanes)
{
    const int64_t size = (int64_t)tile->rows * tile->columns * lanes;
    double delta = 0.0;
    before += tile->first * lanes;
    for (int64_t k = 0; k < size; k++)
        delta = fmax(fabs(now[k] - before[k]), delta);
    return delta;
}

static double residual(
    const RowBlock *block, const RowChunk *chunk, const void *values, void *scratch)
{
    const Levels *levels = ((const LevelRows *)block->levels)->levels;
    const LevelSet *set = set_of(block);
    const char *at = chunk->words;
    double *half = (double *)scratch + scratch_size(block), delta = 0.0;
    for (int k = 0; k < chunk->n_pairs; k++) {
        const LevelPair pair = open_levels(block, chunk->pairs + 2 * k, scratch);
        const LevelPair image = image_of(&pair);
        const LevelPair *sides[2] = {&pair, &image};
        set->read(block, chunk, &pair, &at, values, NULL);
        for (int side = 0; side < 2; side++) {
            const RowTile *tile = sides[side]->mine;
            set->pass(levels, sides[side], values, half - tile->first * levels->lanes, 0.0);
            delta = fmax(change_of(values, half, tile, levels->lanes), delta);
        }
    }
    return delta;
}

static void narrow(
    const RowBlock *block, const RowChunk *chunk, void *all_upper, void *all_lower, double blur,
    void *scratch)
{
    const int mode = fegetround();
    const LevelRows *rows = block->levels;
    const LevelSet *set = set_of(block);
    const LevelSide above = {rows, 1.0}, below = {rows, -1.0};
    const char *up = chunk->words, *down = up;
    double *upper = all_upper, *lower = all_lower;
    double *half = (double *)scratch + scratch_size(block);
    for (int k = 0; k < chunk->n_pairs; k++) {
        const LevelPair high = open_levels(block, chunk->pairs + 2 * k, scratch);
        const LevelPair low = open_levels(block, chunk->pairs + 2 * k, half);
        const LevelPair high_image = image_of(&high), low_image = image_of(&low);
        fesetround(FE_DOWNWARD);
        set->read(block, chunk, &low, &down, lower, &below);
        fesetround(FE_UPWARD);
        set->read(block, chunk, &high, &up, upper, &above);
        for (int pass = 0; pass < UR_PASSES; pass++) {
            fesetround(FE_UPWARD);
            set->pass(rows->levels, &high, lower, upper, blur);
            fesetround(FE_DOWNWARD);
            set->pass(rows->levels, &low, upper, lower, -blur);
            if (high.theirs == high.mine)
                continue;
            set->pass(rows->levels, &low_image, upper, lower, -blur);
            fesetround(FE_UPWARD);
            set->pass(rows->levels, &high_image, lower, upper, blur);
        }
    }
    fesetround(mode);
}

void levels_choose(const RowBlock *block, const RowChunk *chunk, const double *values)
{
    const LevelRows *rows = block->levels;
    const int reach = rows->levels->reach;
    const double fine = rows->levels->fine;
    const char *at = chunk->words;
    LevelMove moves[UR_MOST_MOVES];
    for (int k = 0; k < 2 * chunk->n_pairs; k++) {
        const RowTile *tile = block->tiles + chunk->pairs[k];
        if (k % 2 && chunk->pairs[k] == chunk->pairs[k - 1])
            continue;
        for (int r = 0; r < tile->rows; r++) {
            const RowKind *kind = block->kinds + next_word(chunk, &at);
            for (int n = 0; n < kind->n_throws[0]; n++) {
                const int n_moves = list_moves(block, chunk, &at, values, tile->columns, moves);
                for (int c = 0; c < tile->columns; c++) {
                    double bar = UR_NO_MOVE;
                    int choice = 0;
                    for (int m = 0; m < n_moves; m++) {
                        const double *row = row_of(moves + m, c);
                        const double paid = row[reach] + fine * row[reach + 1] - fine;
                        const double worth = moves[m].pays ? paid : row[reach];
                        if (worth > bar) {
                            bar = worth + UR_PREFERRED;
                            choice = m;
                        }
                    }
                    *choice_of(rows, tile->first + (int64_t)r * tile->columns + c, n) =
                        (uint16_t)choice;
                }
            }
        }
    }
}

UR_APART void widths_upward(
    const Levels *levels, const double *upper, const double *lower, const double *values, int64_t n,
    double *widths)
{
    const int reach = levels->reach;
    for (int64_t k = 0; k < n * levels->lanes; k += levels->lanes)
        for (int i = 0; i <= reach; i++) {
            const double above = upper[k + (i < reach ? i : reach + 5)] - values[k + i];
            const double below = values[k + i] - lower[k + (i < reach ? i : reach + 4)];
            widths[i] = fmax(fmax(above, below), widths[i]);
        }
}

void levels_widths(
    const Levels *levels, const double *upper, const double *lower, const double *values, int64_t n,
    double *widths)
{
    const int mode = fegetround();
    fesetround(FE_UPWARD);
    widths_upward(levels, upper, lower, values, n, widths);
    fesetround(mode);
}

void levels_begin(const Levels *levels, double *values, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        for (int i = 0; i < levels->lanes; i++)
            *values++ = 0.5 * levels->pots[i];
}

/* There is no G. */
static void show(const RowBlock *block, const RowChunk *chunk, void *values, const void *other) {}

#define UR_MIDDLE 0.0
#define UR_SWEEPER row_levels
#include "row_values.h"
