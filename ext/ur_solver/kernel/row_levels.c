/* Games for money by rows (levels.h). */

#define UR_VECTOR_BYTES 16
#define UR_FLOATS 0
#define UR_FLOAT_SUMS 0
#include "instruction_sets.h"

#include "levels_pairs.h"

/* Lanes are too few to fill vectors of AVX-512. */
UR_DECLARE_SETS(LevelSet, levels_double);
extern const LevelSet levels_double_scalar;
static const LevelSet *const sets[] = UR_LIST_SETS(levels_double, avx2);

/* The block's, where lanes are whole vectors of it. */
static const LevelSet *set_of(const RowBlock *block)
{
    return lanes_of(block) % 4 == 0 ? sets[block->instruction_set] : &levels_double_scalar;
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
