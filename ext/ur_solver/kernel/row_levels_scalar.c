/* Games for money by rows, lane by lane. */

#define UR_VECTOR_BYTES 8
#define UR_FLOATS 0
#define UR_FLOAT_SUMS 0
#include "instruction_sets.h"
#include "levels_body.h"
