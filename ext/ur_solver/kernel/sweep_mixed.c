/* The sweep and the checks by AVX2 with numbers that are floats in memory and doubles in
   arithmetic. */

#include "sweep.h"

#if UR_X86
#pragma GCC target("avx2,fma")

#define UR_FLOATS 1
#define UR_FLOAT_SUMS 0
#include "numbers.h"
#include "vectors_avx2x8.h"

#define UR_LANE 1
#include "checks_body.h"
#include "sweep_body.h"

const Sweeps avx2_sweeps_mixed = UR_SWEEPS;
const Checks avx2_checks_of_floats = UR_CHECKS;
#endif
