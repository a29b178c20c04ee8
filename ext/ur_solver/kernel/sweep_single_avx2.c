/* The tiled kernel by AVX2 with floats. */

#define UR_VECTOR_BYTES 32
#define UR_FLOATS 1
#define UR_FLOAT_SUMS 1
#include "instruction_sets.h"
#if UR_HAS_AVX2
#include "tiled_body.h"
#endif
