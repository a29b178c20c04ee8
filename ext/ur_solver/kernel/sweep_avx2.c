/* The sweep in double precision by AVX2. */

#include "sweep.h"

#if UR_X86
#pragma GCC target("avx2,fma")

#include "double.h"
#include "vectors_avx2x8.h"

#define UR_LANE 1
#include "double_body.h"

const Sweeper sweeper_avx2 = UR_SWEEPER("avx2", &sweeper_single);
#endif
