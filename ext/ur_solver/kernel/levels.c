#include "levels.h"

#include <math.h>

#define UR_INLINE static inline __attribute__((always_inline))

typedef struct {
    const uint8_t *counts;
    const uint32_t *words;
} LevelReader;

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

/* The lane that a lane turns into when the other side throws. */
UR_INLINE int levels_other(int reach, int lane)
{
    const int past = lane - reach - 2;
    return past < 0 ? lane : reach + 2 + (past ^ 1);
}

/* The best of a throw's moves so far and one more. */
UR_INLINE void levels_take(double *best, const double *worth, const int reach, const int lanes)
{
    const int is_preferred = worth[reach] > best[reach] + UR_PREFERRED;
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

UR_INLINE void levels_read(
    const Levels *levels, LevelReader *at, const LevelRows *rows, LevelWorth *worth,
    const int lanes)
{
    const int reach = lanes - UR_CUT_LANES - 1;
    for (int i = 0; i < lanes; i++)
        worth->moving[i] = 0.0;
    worth->passes = levels->pass_chance;
    for (int n = 0; n < UR_LEVEL_THROWS; n++) {
        double best[UR_MAX_LANES], paid[UR_MAX_LANES];
        const double chance = levels->chances[n];
        const int count = *at->counts++, moves = count & ~UR_WINS;
        if (count == 0) {
            worth->passes += chance;
            continue;
        }
        for (int i = 0; i < lanes; i++)
            best[i] = count & UR_WINS ? levels->pots[i] : -1e300;
        for (int k = 0; k < moves; k++) {
            const uint32_t word = at->words[k];
            const double *row = levels_row(rows, word & ~UR_ROSETTE, lanes);
            const double *next = levels_row(rows, at->words[k + UR_AHEAD] & ~UR_ROSETTE, lanes);
            for (int line = 0; line < lanes; line += 8)
                __builtin_prefetch(next + line);
            if (word & UR_ROSETTE) {
                levels_pay(paid, row, levels->fine, reach, lanes);
                row = paid;
            }
            levels_take(best, row, reach, lanes);
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
    LevelReader at = {counts, words};
    LevelWorth mine, theirs;
    double value[UR_MAX_LANES], image_value[UR_MAX_LANES], delta = 0.0;
    for (int k = 0; k < n_pairs; k++) {
        double *row = rows->own + (int64_t)at.words[0] * lanes;
        double *image = rows->own + (int64_t)at.words[1] * lanes;
        at.words += 2;
        levels_read(levels, &at, rows, &mine, lanes);
        if (image != row)
            levels_read(levels, &at, rows, &theirs, lanes);
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

/* The lane counts that tables have are known when this is compiled. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(UR_WITHOUT_AVX512)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
double levels_run(
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
