/* The sweep in double precision by AVX-512; vectors of four are AVX2's. */

#include "sweep.h"

#if UR_X86 && !defined(UR_WITHOUT_AVX512)
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma")

#include "double.h"
#include "vectors_avx2x4.h"
#include "vectors_avx512.h"

#define UR_LANE 1
#include "double_body.h"

const Sweeper sweeper_avx512 = UR_SWEEPER("avx512", &sweeper_single);
#endif
