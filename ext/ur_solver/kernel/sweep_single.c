/* The sweep in single precision, by AVX2. */

#include "sweep.h"

#if UR_X86
#pragma GCC target("avx2,fma")

#define UR_FLOATS 1
#define UR_FLOAT_SUMS 1
#include "numbers.h"
#include "vectors_single.h"

#define UR_LANE 1
#include "eliminate_body.h"

const Sweeps avx2_sweeps_single = UR_SWEEPS;
#endif
