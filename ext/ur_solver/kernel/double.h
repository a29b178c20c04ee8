/* Double precision: numbers are values. */

#ifndef UR_REAL_H
#define UR_REAL_H

#include "tiles.h"

typedef double REAL;              /* a number in memory */
typedef double SUM;               /* and in arithmetic */

/* What both players' values sum to. */
static const REAL WHOLE = 1.0;

/* Worse than any number of a turned tile, which is the opponent's. */
#define NO_TURNED 2.0

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
