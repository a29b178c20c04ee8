/* The row kernel by the base set with floats. */

#define UR_VECTOR_BYTES 16
#define UR_FLOATS 1
#define UR_FLOAT_SUMS 1
#include "instruction_sets.h"
#include "row_sweep_body.h"
