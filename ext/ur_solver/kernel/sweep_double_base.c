/* The tiled kernel by the base set with doubles. */

#define UR_VECTOR_BYTES 16
#define UR_FLOATS 0
#define UR_FLOAT_SUMS 0
#include "instruction_sets.h"
#include "tiled_body.h"
