/* The sweep in single precision, by AVX2. */

#include "sweep.h"

#if UR_X86
#pragma GCC target("avx2,fma")

#include "single.h"
#include "vectors_single.h"

#define UR_LANE 1
#include "eliminate_body.h"

const Sweeps avx2_sweeps_of_floats = UR_SWEEPS;
#endif
