/* What numbers are. A file that includes this one has chosen before:

     UR_FLOATS       1 for floats in memory, which are values less 1/2; 0 for doubles, the values
     UR_FLOAT_SUMS   1 for arithmetic with floats; 0 with doubles

   Near 0 floats are finer than near 1, and what the opponent sees of a value less 1/2 is the same
   number with the other sign, exactly. */

#ifndef UR_NUMBERS_H
#define UR_NUMBERS_H

#include "tiles.h"

/* REAL: a number in memory. WHOLE: what both players' numbers sum to. NO_TURNED: worse than any
   number of a turned tile, which is the opponent's. */
#if UR_FLOATS
typedef float REAL;
static const REAL WHOLE = 0.0f;
#define NO_TURNED 1.0f
#else
typedef double REAL;
static const REAL WHOLE = 1.0;
#define NO_TURNED 2.0
#endif

/* SUM: a number in arithmetic. The chances of the throws, and of passing the turn, by pass bits. */
#if UR_FLOAT_SUMS
typedef float SUM;
#define UR_CHANCES chance_single
#define UR_PASS_CHANCES pass_chance_single
#else
typedef double SUM;
#define UR_CHANCES chance
#define UR_PASS_CHANCES pass_chance
#endif

static inline const SUM *chances_of(const Program *program, int bits)
{
    return program->UR_CHANCES[bits];
}
static inline SUM pass_chance_of(const Program *program, int bits)
{
    return program->UR_PASS_CHANCES[bits];
}

#endif
