/* Games for money by rows, by AVX2. */

#define UR_VECTOR_BYTES 32
#define UR_FLOATS 0
#define UR_FLOAT_SUMS 0
#include "instruction_sets.h"
#if UR_HAS_AVX2
#include "levels_body.h"
#endif
