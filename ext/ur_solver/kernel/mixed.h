/* Single precision in memory, double in arithmetic: numbers are values less 1/2, as in single.h.
   Residuals and bounds are found so: only what is written is rounded to a float. */

#ifndef UR_REAL_H
#define UR_REAL_H

#include "tiles.h"

#define UR_FLOATS               /* of vectors_avx2x4.h: in memory */
typedef float REAL;
typedef double SUM;

/* What both players' numbers sum to. */
static const REAL WHOLE = 0.0f;

/* Worse than any number of a turned tile, which is the opponent's. */
#define NO_TURNED 1.0f

/* The chances of the throws, and of passing the turn, by pass bits. */
static inline const SUM *chances_of(const Program *program, int bits)
{
    return program->chance[bits];
}
static inline SUM pass_chance_of(const Program *program, int bits)
{
    return program->pass_chance[bits];
}

#endif
