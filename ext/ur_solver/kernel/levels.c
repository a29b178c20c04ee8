#include "levels.h"

#include <fenv.h>
#include <math.h>
#include <stddef.h>

#define UR_INLINE static inline __attribute__((always_inline))

typedef struct {
    const uint8_t *counts;
    const uint32_t *words;
    const uint8_t *choices;          /* of bounds */
} LevelReader;

/* Which bound is read, and what it allows for. */
typedef struct {
    const LevelErrors *errors;
    double sign;                     /* 1 for the upper one, -1 for the lower one */
} LevelSide;

/* What a position's throws are worth: `moving` + `passes` times what passing is worth. */
typedef struct {
    double moving[UR_MAX_LANES];
    double passes;
} LevelWorth;

UR_INLINE const double *levels_row(const LevelRows *rows, const int64_t place, const int lanes)
{
    if (place < rows->n_own)
        return rows->own + place * lanes;
    int k = 0;
    while (k + 1 < rows->n_inputs && rows->first[k + 1] <= place)
        k++;
    return rows->base[k] + (place - rows->first[k]) * lanes;
}

/* Ask for the row of a word. */
UR_INLINE void levels_fetch(const LevelRows *rows, const uint32_t word, const int lanes)
{
    const double *row = levels_row(rows, word & ~UR_ROSETTE, lanes);
    for (int line = 0; line < lanes; line += 8)
        __builtin_prefetch(row + line);
}

/* The lane that a lane turns into when the other side throws. */
UR_INLINE int levels_other(int reach, int lane)
{
    const int past = lane - reach - 2;
    return past < 0 ? lane : reach + 2 + (past ^ 1);
}

/* The best of a throw's moves so far and one more, which level `reach` may prefer. */
UR_INLINE void levels_take(
    double *best, const double *worth, const int is_preferred, const int reach, const int lanes)
{
    const double least_chance = is_preferred ? worth[reach + 2] : best[reach + 2];
    const double least = is_preferred ? worth[reach + 4] : best[reach + 4];
    for (int i = 0; i < lanes; i++)
        best[i] = worth[i] > best[i] ? worth[i] : best[i];
    best[reach + 2] = least_chance;
    best[reach + 4] = least;
}

/* What a move onto a rosette is worth. */
UR_INLINE void levels_pay(
    double *worth, const double *row, const double fine, const int reach, const int lanes)
{
    for (int i = 0; i + 1 < lanes; i++)
        worth[i] = row[i + 1] - fine;
    worth[reach] = row[reach] + fine * row[reach + 1] - fine;
    worth[reach + 1] = row[reach + 1];
    worth[reach + 2] = row[reach + 2];
    worth[reach + 3] = row[reach + 3];
    worth[reach + 4] = row[reach + 4] + fine * row[reach + 2] - fine;
    worth[reach + 5] = row[reach + 5] + fine * row[reach + 3] - fine;
}

/* What a position's throws are worth; `side` is NULL but for bounds. */
UR_INLINE void levels_read(
    const Levels *levels, LevelReader *at, const LevelRows *rows, const LevelSide *side,
    LevelWorth *worth, const int lanes)
{
    const int reach = lanes - UR_CUT_LANES - 1;
    for (int i = 0; i < lanes; i++)
        worth->moving[i] = 0.0;
    worth->passes = levels->pass_chance;
    for (int n = 0; n < UR_LEVEL_THROWS; n++) {
        double best[UR_MAX_LANES], moved[UR_MAX_LANES], paid[UR_MAX_LANES];
        const double chance = levels->chances[n];
        const int count = *at->counts++, moves = count & ~UR_WINS;
        const int choice = side ? *at->choices++ : UR_NO_CHOICE;
        if (count == 0) {
            worth->passes += chance;
            continue;
        }
        for (int i = 0; i < lanes; i++)
            best[i] = count & UR_WINS ? levels->pots[i] : -1e300;
        for (int k = 0; k < moves; k++) {
            const uint32_t word = at->words[k];
            const int64_t place = word & ~UR_ROSETTE;
            const double *row = levels_row(rows, place, lanes);
            levels_fetch(rows, at->words[k + UR_AHEAD], lanes);
            if (side && place >= rows->n_own) {
                for (int i = 0; i < lanes; i++)
                    moved[i] = row[i] + side->sign * side->errors->outside[i];
                row = moved;
            }
            if (word & UR_ROSETTE) {
                levels_pay(paid, row, levels->fine, reach, lanes);
                if (side && side->errors->is_cut && reach > 0)
                    paid[reach - 1] = row[reach + (side->sign > 0.0 ? 5 : 4)] - levels->fine;
                row = paid;
            }
            const int is_preferred =
                side ? k == choice : row[reach] > best[reach] + UR_PREFERRED;
            levels_take(best, row, is_preferred, reach, lanes);
        }
        at->words += moves;
        for (int i = 0; i < lanes; i++)
            worth->moving[i] += chance * best[i];
    }
}

/* Two positions that pass to each other: a linear equation for each, of which this is the
   solution for `mine`. If all they ever do is pass, it is a draw. */
UR_INLINE void levels_between(
    const Levels *levels, const LevelWorth *mine, const LevelWorth *theirs, double *value,
    const int lanes)
{
    const int reach = lanes - UR_CUT_LANES - 1;
    const double p = mine->passes, q = theirs->passes;
    double other[UR_MAX_LANES];
    for (int i = 0; i < lanes; i++)
        other[i] = theirs->moving[levels_other(reach, i)];
    if (p * q >= 1.0) {
        for (int i = 0; i < lanes; i++)
            value[i] = 0.5 * levels->pots[i];
        return;
    }
    const double scale = 1.0 / (1.0 - p * q);
    for (int i = 0; i < lanes; i++)
        value[i] = scale * (mine->moving[i] + p * (levels->pots[i] * (1.0 - q) - other[i]));
}

/* A position's value by that of the one that its turn passes to. */
UR_INLINE void levels_passing(
    const Levels *levels, const LevelWorth *mine, const double *image, double *value,
    const int lanes)
{
    const int reach = lanes - UR_CUT_LANES - 1;
    for (int i = 0; i < lanes; i++)
        value[i] =
            mine->moving[i] + mine->passes * (levels->pots[i] - image[levels_other(reach, i)]);
}

UR_INLINE double levels_change(double *row, const double *value, const int store, const int lanes)
{
    double delta = 0.0;
    for (int i = 0; i < lanes; i++) {
        const double change = fabs(value[i] - row[i]);
        delta = change > delta ? change : delta;
    }
    if (store)
        for (int i = 0; i < lanes; i++)
            row[i] = value[i];
    return delta;
}

UR_INLINE double levels_run_lanes(
    const Levels *levels, const uint8_t *counts, const uint32_t *words, int n_pairs,
    const LevelRows *rows, const int store, const int lanes)
{
    LevelReader at = {counts, words, NULL};
    LevelWorth mine, theirs;
    double value[UR_MAX_LANES], image_value[UR_MAX_LANES], delta = 0.0;
    for (int k = 0; k < n_pairs; k++) {
        double *row = rows->own + (int64_t)at.words[0] * lanes;
        double *image = rows->own + (int64_t)at.words[1] * lanes;
        at.words += 2;
        levels_read(levels, &at, rows, NULL, &mine, lanes);
        if (image != row)
            levels_read(levels, &at, rows, NULL, &theirs, lanes);
        else
            theirs = mine;
        if (store)
            levels_between(levels, &mine, &theirs, value, lanes);
        else
            levels_passing(levels, &mine, image, value, lanes);
        levels_passing(levels, &theirs, store ? value : row, image_value, lanes);
        const double change = levels_change(row, value, store, lanes);
        delta = change > delta ? change : delta;
        if (image != row) {
            const double image_change = levels_change(image, image_value, store, lanes);
            delta = image_change > delta ? image_change : delta;
        }
    }
    return delta;
}

/* Compiled for several instruction sets, of which the processor's is chosen at run time. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(UR_WITHOUT_AVX512)
#define UR_CLONED __attribute__((noinline, target_clones("avx512f", "avx2", "default")))
#define UR_CLONED_APART static UR_CLONED /* called by a pointer that is set at run time */
#else
#define UR_CLONED
#define UR_CLONED_APART static __attribute__((noipa))
#endif

/* The lane counts that tables have are known when this is compiled. */
UR_CLONED double levels_run(
    const Levels *levels, const uint8_t *counts, const uint32_t *words, int n_pairs,
    const LevelRows *rows, int store)
{
    switch (levels->lanes) {
    case 8:
        return levels_run_lanes(levels, counts, words, n_pairs, rows, store, 8);
    case 16:
        return levels_run_lanes(levels, counts, words, n_pairs, rows, store, 16);
    case 32:
        return levels_run_lanes(levels, counts, words, n_pairs, rows, store, 32);
    default:
        return levels_run_lanes(levels, counts, words, n_pairs, rows, store, levels->lanes);
    }
}

/* ---- bounds ----

   Each bound has rows of its own. The rounding mode is the thread's; compilers do not know that
   arithmetic reads it and may move an operation past the call that sets it, but see nothing of a
   function apart. -frounding-math keeps them from rewriting expressions into others that are equal
   only when rounded to nearest. */
#define UR_APART static __attribute__((noipa))

void levels_choose(
    const Levels *levels, const uint8_t *counts, const uint32_t *words, int n_pairs,
    const LevelRows *rows, uint8_t *choices)
{
    const int lanes = levels->lanes, reach = levels->reach;
    for (int k = 0; k < n_pairs; k++) {
        const int sides = words[0] == words[1] ? 1 : 2;
        words += 2;
        for (int n = 0; n < sides * UR_LEVEL_THROWS; n++) {
            const int count = *counts++, moves = count & ~UR_WINS;
            double best = count & UR_WINS ? levels->pots[reach] : -1e300;
            int choice = UR_NO_CHOICE;
            for (int m = 0; m < moves; m++) {
                const double *row = levels_row(rows, words[m] & ~UR_ROSETTE, lanes) + reach;
                const double paid = row[0] + levels->fine * row[1] - levels->fine;
                const double worth = words[m] & UR_ROSETTE ? paid : row[0];
                if (worth > best + UR_PREFERRED) {
                    choice = m;
                    best = worth;
                }
            }
            words += moves;
            *choices++ = (uint8_t)choice;
        }
    }
}

UR_CLONED_APART void read_bound(
    const Levels *levels, LevelReader *at, const LevelRows *rows, const LevelErrors *errors,
    double sign, LevelWorth *worth)
{
    const LevelSide side = {errors, sign};
    if (levels->lanes == 16)
        levels_read(levels, at, rows, &side, worth, 16);
    else if (levels->lanes == 32)
        levels_read(levels, at, rows, &side, worth, 32);
    else
        levels_read(levels, at, rows, &side, worth, levels->lanes);
}

/* `levels_passing` of a bound, `image` being of the other one. `passed` is the chance that neither
   side moves: if that is all that they ever do, it is a draw. */
UR_CLONED_APART void bound_passing(
    const Levels *levels, const LevelWorth *mine, double passed, const double *image, double blur,
    double *value)
{
    const int lanes = levels->lanes;
    levels_passing(levels, mine, image, value, lanes);
    for (int i = 0; i < lanes; i++)
        value[i] = (passed >= 1.0 ? 0.5 * levels->pots[i] : value[i]) + blur;
}

/* How often the turn is passed to and fro in an update: bounds close in by the chance of that. */
#define UR_PASSES 2

void levels_narrow(
    const Levels *levels, const uint8_t *counts, const uint32_t *words, const uint8_t *choices,
    int n_pairs, const LevelRows *upper, const LevelRows *lower, const LevelErrors *errors)
{
    const int mode = fegetround(), lanes = levels->lanes;
    LevelReader up = {counts, words, choices}, down = up;
    LevelWorth most, most_of_other, least, least_of_other;
    for (int k = 0; k < n_pairs; k++) {
        const int64_t row = (int64_t)up.words[0] * lanes, image = (int64_t)up.words[1] * lanes;
        up.words += 2;
        down.words += 2;
        fesetround(FE_DOWNWARD);
        read_bound(levels, &down, lower, errors, -1.0, &least);
        if (image != row)
            read_bound(levels, &down, lower, errors, -1.0, &least_of_other);
        fesetround(FE_UPWARD);
        read_bound(levels, &up, upper, errors, 1.0, &most);
        if (image != row)
            read_bound(levels, &up, upper, errors, 1.0, &most_of_other);
        const double passed = most.passes * (image != row ? most_of_other.passes : most.passes);
        for (int pass = 0; pass < UR_PASSES; pass++) {
            fesetround(FE_UPWARD);
            bound_passing(levels, &most, passed, lower->own + image, levels->blur, upper->own + row);
            fesetround(FE_DOWNWARD);
            bound_passing(levels, &least, passed, upper->own + image, -levels->blur, lower->own + row);
            if (image == row)
                continue;
            bound_passing(
                levels, &least_of_other, passed, upper->own + row, -levels->blur, lower->own + image);
            fesetround(FE_UPWARD);
            bound_passing(
                levels, &most_of_other, passed, lower->own + row, levels->blur, upper->own + image);
        }
    }
    fesetround(mode);
}

UR_APART double width_of(
    const double *upper, const double *lower, const double *values, int64_t n, int64_t *where)
{
    double width = -1.0;
    for (int64_t k = 0; k < n; k++) {
        const double above = upper[k] - values[k], below = values[k] - lower[k];
        const double off = above > below ? above : below;
        if (off > width) {
            width = off;
            *where = k;
        }
    }
    return width;
}

double levels_width(
    const double *upper, const double *lower, const double *values, int64_t n, int64_t *where)
{
    const int mode = fegetround();
    fesetround(FE_UPWARD);
    const double width = width_of(upper, lower, values, n, where);
    fesetround(mode);
    return width;
}

UR_APART void cut_widths_of(
    const Levels *levels, const double *upper, const double *lower, const double *values,
    int64_t n_rows, double *widths)
{
    const int lanes = levels->lanes, reach = levels->reach;
    for (int64_t k = 0; k < n_rows; k++, upper += lanes, lower += lanes, values += lanes)
        for (int i = 0; i <= reach; i++) {
            const double above = upper[i == reach ? reach + 5 : i] - values[i];
            const double below = values[i] - lower[i == reach ? reach + 4 : i];
            widths[i] = above > widths[i] ? above : widths[i];
            widths[i] = below > widths[i] ? below : widths[i];
        }
}

void levels_cut_widths(
    const Levels *levels, const double *upper, const double *lower, const double *values,
    int64_t n_rows, double *widths)
{
    const int mode = fegetround();
    fesetround(FE_UPWARD);
    cut_widths_of(levels, upper, lower, values, n_rows, widths);
    fesetround(mode);
}
