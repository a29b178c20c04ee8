/* Sweeps over positions that hold a row of values each, a lane for every level of fines.

   Lane k, from 0 to `reach`, is the value of a position with k fines paid; the five lanes that
   follow are those of the cut behind the last level (ur_solver.space.stakes):

       chance          of winning, where both sides play for nothing else
       least_chance    the same, if the side to throw plays as level `reach` would have it and
       most_chance     the other against it; and the other way round
       least, most     what level `reach` is worth at least and at most, by the same play

   A move onto a rosette leads a lane further on. */

#ifndef UR_LEVELS_H
#define UR_LEVELS_H

#include <stdint.h>

#define UR_MAX_LANES 64
#define UR_LEVEL_THROWS 3
#define UR_CUT_LANES 5
#define UR_ROSETTE 0x80000000u
#define UR_WINS 0x80
#define UR_NO_CHOICE 0xFF
#define UR_AHEAD 48 /* words; those read next are on their way from memory */

/* A move must be better by so much to be preferred at level `reach`: ties are not left to
   rounding, which no sweep settles. */
#define UR_PREFERRED 1e-11

typedef struct {
    int reach, lanes;
    double fine;
    double blur;                     /* what an update may be off as `fine` and pots are rounded */
    double chances[UR_LEVEL_THROWS]; /* of the throws that move pieces */
    double pass_chance;              /* of those that never do */
    double pots[UR_MAX_LANES];       /* by lane what the two sides' values sum to */
} Levels;

/* Where rows are. A word names a row by its place: those of the block come first, then those of
   the blocks that its moves lead to, one block after the other. */
typedef struct {
    double *own;
    int64_t n_own;
    int n_inputs;
    const int64_t *first;            /* by block that moves lead to: the place of its first row */
    const double *const *base;       /* and where that is */
} LevelRows;

/* Update the values that a stream is of; the largest change. Without `store` nothing is
   written, and it is the largest abs(T(V) - V). */
double levels_run(
    const Levels *levels, const uint8_t *counts, const uint32_t *words, int n_pairs,
    const LevelRows *rows, int store);

/* The moves that level `reach` would have, by what is stored: by throw the number of one, or
   UR_NO_CHOICE where there is none or the game is won. */
void levels_choose(
    const Levels *levels, const uint8_t *counts, const uint32_t *words, int n_pairs,
    const LevelRows *rows, uint8_t *choices);

/* What bounds allow for. */
typedef struct {
    double outside[UR_MAX_LANES];    /* by lane what values of other blocks may be off */
    int is_cut;                      /* whether `least` and `most` bound the last level, so that
                                        the levels below are those of the game without a cut */
} LevelErrors;

/* Update upper and lower bounds of the values that a stream is of, each operation rounded
   outwards. The lanes of the cut keep to `choices`. */
void levels_narrow(
    const Levels *levels, const uint8_t *counts, const uint32_t *words, const uint8_t *choices,
    int n_pairs, const LevelRows *upper, const LevelRows *lower,
    const LevelErrors *errors);

/* The furthest that bounds are from `n` values, rounded up, and where. */
double levels_width(
    const double *upper, const double *lower, const double *values, int64_t n, int64_t *where);

/* Raise `widths`, by level, to the furthest that bounds are from the values of some rows, where
   they allow for the cut; rounded up. */
void levels_cut_widths(
    const Levels *levels, const double *upper, const double *lower, const double *values,
    int64_t n_rows, double *widths);

#endif
