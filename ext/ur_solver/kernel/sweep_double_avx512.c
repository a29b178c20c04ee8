/* The tiled kernel by AVX-512 with doubles. */

#define UR_VECTOR_BYTES 64
#define UR_FLOATS 0
#define UR_FLOAT_SUMS 0
#include "instruction_sets.h"
#if UR_HAS_AVX512
#include "tiled_body.h"
#endif
