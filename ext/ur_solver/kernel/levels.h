/* Games for money by rows: what rows are worth at every level of fines.

   A position holds a row of values where others hold one, a *lane* for every level. Lane k, from 0
   to `reach`, is its value with k fines paid; the five lanes that follow are those of the cut behind
   the last level (ur_solver.space.stakes):

       chance          of winning, where both sides play for nothing else
       least_chance    the same, if the side to throw plays as level `reach` would have it and
       most_chance     the other against it; and the other way round
       least, most     what level `reach` is worth at least and at most, by the same play

   A move onto a rosette leads a lane further on. What moves lead to does not depend on the fines,
   so that a block has the lists of `row_sweep.h` once for all lanes. They differ in this:

       rows            2 * place, and 1 where the move pays. The places of the block come first, then
                       those of the blocks that its moves lead to, one block after the other
       LEAVES          the throw can win the game; no row of values follows

   After every move the same side throws again, so that there is no G. What the opponent has on
   private squares no move touches, so that there are no maps, and a move that there is in one column
   there is in all. */

#ifndef UR_LEVELS_H
#define UR_LEVELS_H

#include "row_sweep.h"

#define UR_MAX_LANES 64
#define UR_CUT_LANES 5

/* A move must be better by so much to be preferred at level `reach`: ties are not left to
   rounding, which no sweep settles. */
#define UR_PREFERRED 1e-11

typedef struct {
    int reach, lanes;
    double fine;
    double pots[UR_MAX_LANES];       /* by lane what the two sides' values sum to */
    double slope[UR_MAX_LANES];      /* what a lane behind the last level gets of a chance, and */
    double cost[UR_MAX_LANES];       /* what it costs to pay: `fine`, or 0 */
} Levels;

/* A block's lanes, as `RowBlock.levels` has them. */
typedef struct {
    const Levels *levels;
    int64_t n_own;                   /* places of the block */
    int32_t n_inputs;
    const int64_t *first;            /* by block that moves lead to: the place of its first row */
    const double *const *base;       /* and where that is */
    int32_t n_throws;                /* that may move a piece */
    uint16_t *choices;               /* of bounds, by place and throw: the number of the move that
                                        level `reach` would have */
    double outside[UR_MAX_LANES];    /* by lane what values of other blocks may be off */
    int32_t is_cut;                  /* whether `least` and `most` bound the last level, so that
                                        the levels are those of the game without a cut */
} LevelRows;

/* Half of each pot, for all lanes of `n` positions. */
void levels_begin(const Levels *levels, double *values, int64_t n);

/* Note the choices of a chunk, by given values. */
void levels_choose(const RowBlock *block, const RowChunk *chunk, const double *values);

/* Raise `widths`, by level, to the furthest that bounds are from the values of `n` positions, where they
   allow for the cut; rounded up. */
void levels_widths(
    const Levels *levels, const double *upper, const double *lower, const double *values, int64_t n,
    double *widths);

extern const RowSweeper row_levels;

#endif
