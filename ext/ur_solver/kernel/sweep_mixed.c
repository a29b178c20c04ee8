/* The checks of numbers that are floats in memory, by AVX2. Sweeps of them are in sweep_single.c. */

#include "sweep.h"

#if UR_X86
#pragma GCC target("avx2,fma")

#include "mixed.h"
#include "vectors_avx2x8.h"

#define UR_LANE 1
#include "checks_body.h"

const Checks avx2_checks_of_floats = UR_CHECKS;
#endif
