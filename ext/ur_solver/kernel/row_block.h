/* What is done with a block whose values are of one type, besides what is compiled for each
   instruction set. `row_double.c` and `row_single.c` include this behind their `sweeps` and
   `checks`, by instruction set, with UR_SWEEPER, the name of the record that hands it out. */

static int64_t scratch_size(const RowBlock *block)
{
    const int64_t rows = block->most_rows + 32, columns = block->most_columns + 32;
    const int64_t matrix = (rows * pitch_of(columns) > columns * pitch_of(rows)
                                ? rows * pitch_of(columns)
                                : columns * pitch_of(rows));
    return 8 * matrix;
}

static int64_t scratch_bytes(const RowBlock *block)
{
    return scratch_size(block) * (int64_t)sizeof(double);
}

static double sweep(const RowBlock *block, const RowChunk *chunk, void *values, void *scratch)
{
    return sweeps[block->instruction_set]->sweep(block, chunk, values, scratch);
}

static double residual(
    const RowBlock *block, const RowChunk *chunk, const void *values, void *scratch)
{
    return checks[block->instruction_set]->residual(block, chunk, values, scratch);
}

static void show(const RowBlock *block, const RowChunk *chunk, void *values, const void *other)
{
    for (int k = 0; k < chunk->n_pairs; k++)
        for (int side = 0; side < 2; side++) {
            const RowTile *tile = block->tiles + chunk->pairs[2 * k + side];
            const REAL *f =
                (const REAL *)other + block->tiles[chunk->pairs[2 * k + 1 - side]].first;
            REAL *g = (REAL *)values + block->n_values + tile->first;
            for (int r = 0; r < tile->rows; r++)
                for (int c = 0; c < tile->columns; c++)
                    *g++ = -f[(int64_t)c * tile->rows + r];
        }
}

/* Bounds. Every operation of an upper bound is rounded up, of a lower one down. */

/* What two positions are worth that pass to each other, bounded from above: x = (w + passes * b) /
   scale, where w is at most `worth`, b at most `other`, and the chance of moving between its two
   bounds, for the one position and for the other. To be called with the rounding mode upward, in
   which -(-a op b) is rounded down. */
UR_INLINE double bound_pair(
    double worth, double other, double moving_low, double moving_high, double others_low,
    double others_high)
{
    const double most_passes = 1.0 - moving_low, least_passes = -(moving_high - 1.0);
    const double top = worth + (other > 0.0 ? most_passes : least_passes) * other;
    const double most = moving_high + most_passes * others_high;
    const double least = -(-moving_low - least_passes * others_low);
    return top / (top > 0.0 ? least : most);
}

/* The pair as the other side sees it. */
UR_INLINE RowPair image_of(const RowPair *pair)
{
    return (RowPair){pair->theirs,      pair->mine,         pair->their_pitch, pair->my_pitch,
                     pair->their_worth, pair->their_moving, pair->worth,       pair->moving};
}

/* Both bounds of the values of a pair's first tile, by those of what the throws of both are
   worth. */
UR_APART void narrow_tile(
    const RowPair *high, const RowPair *low, double blur, REAL *upper, REAL *lower)
{
    const RowTile *tile = high->mine;
    const double *worth_high = high->worth, *worth_low = low->worth;
    const double *moving_high = high->moving, *moving_low = low->moving;
    const double *others_high = high->their_worth, *others_low = low->their_worth;
    const double *their_moving_high = high->their_moving, *their_moving_low = low->their_moving;
    upper += tile->first;
    lower += tile->first;
    for (int r = 0; r < tile->rows; r++)
        for (int c = 0; c < tile->columns; c++, upper++, lower++) {
            const int64_t at = r * high->my_pitch + c, image = c * high->their_pitch + r;
            const double most = moving_high[at], most_of_others = their_moving_high[image];
            const double least = moving_low[at], least_of_others = their_moving_low[image];
            if (most == 0.0 && most_of_others == 0.0) {
                *upper = *lower = 0;
                continue;
            }
            /* rounded to the type in the same mode */
            *upper = (REAL)(bound_pair(worth_high[at], -others_low[image], least, most,
                                       least_of_others, most_of_others) + blur);
            *lower = -(REAL)(bound_pair(-worth_low[at], others_high[image], least, most,
                                        least_of_others, most_of_others) + blur);
        }
}

static void narrow(
    const RowBlock *block, const RowChunk *chunk, void *all_upper, void *all_lower, double blur,
    void *scratch)
{
    const int mode = fegetround();
    REAL *upper = all_upper, *lower = all_lower;
    RowReader up = {chunk->words, chunk->leaving}, down = up;
    double *half = (double *)scratch + scratch_size(block) / 2;
    for (int k = 0; k < chunk->n_pairs; k++) {
        const RowPair high = open_pair(block, chunk->pairs + 2 * k, scratch, sizeof(double));
        const RowPair low = open_pair(block, chunk->pairs + 2 * k, half, sizeof(double));
        fesetround(FE_DOWNWARD);
        checks[block->instruction_set]->read_bound(block, chunk, &low, &down, lower);
        fesetround(FE_UPWARD);
        checks[block->instruction_set]->read_bound(block, chunk, &high, &up, upper);
        narrow_tile(&high, &low, blur, upper, lower);
        if (high.theirs != high.mine) {
            const RowPair high_image = image_of(&high), low_image = image_of(&low);
            narrow_tile(&high_image, &low_image, blur, upper, lower);
        }
        fesetround(mode);
        RowChunk shown = *chunk;
        shown.pairs = chunk->pairs + 2 * k;
        shown.n_pairs = 1;
        show(block, &shown, upper, lower);
        show(block, &shown, lower, upper);
    }
    fesetround(mode);
}

#define UR_MIDDLE 0.5
#include "row_values.h"
