/* The tiled kernel by the base set with numbers that are floats in memory and doubles in arithmetic. */

#define UR_VECTOR_BYTES 16
#define UR_FLOATS 1
#define UR_FLOAT_SUMS 0
#include "instruction_sets.h"
#include "tiled_body.h"
