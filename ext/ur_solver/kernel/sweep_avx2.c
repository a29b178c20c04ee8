/* The sweep in double precision by AVX2. */

#include "sweep.h"

#if UR_X86
#pragma GCC target("avx2,fma")

#define UR_FLOATS 0
#define UR_FLOAT_SUMS 0
#include "numbers.h"
#include "vectors_avx2x8.h"

#define UR_LANE 1
#include "checks_body.h"
#include "sweep_body.h"

static const Sweeps in_doubles = UR_SWEEPS;
static const Checks of_doubles = UR_CHECKS;

const Sweeper sweeper_avx2 = {
    .name = "avx2",
    .has_lanes = UR_LANE,
    .starts_single = 1,
    .sweeps = {&in_doubles, &avx2_sweeps_single, &avx2_sweeps_mixed},
    .checks = {&of_doubles, &avx2_checks_of_floats},
    .eliminate = avx2_eliminate,
};
#endif
