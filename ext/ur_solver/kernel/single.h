/* Single precision: numbers are values less 1/2. Near 0 floats are finer than near 1, and what
   the opponent sees is the same number with the other sign, exactly. */

#ifndef UR_REAL_H
#define UR_REAL_H

#include "tiles.h"

typedef float REAL;
typedef float SUM;

/* What both players' numbers sum to. */
static const REAL WHOLE = 0.0f;

/* Worse than any number of a turned tile, which is the opponent's. */
#define NO_TURNED 1.0f

/* The chances of the throws, and of passing the turn, by pass bits. */
static inline const SUM *chances_of(const Program *program, int bits)
{
    return program->chance_single[bits];
}
static inline SUM pass_chance_of(const Program *program, int bits)
{
    return program->pass_chance_single[bits];
}

#endif
