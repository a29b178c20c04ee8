/* The row kernel in single precision. Sweeps calculate with floats: rows have few columns, which a
   vector of eight holds, so that there is none of sixteen. Residuals and bounds calculate with
   doubles, of values that are floats: where every operation of a bound was rounded outwards to a
   float, ten times as much was proven (casual 3: 7.3e-5, now 7.1e-6). */

#define UR_VECTOR_BYTES 16
#define UR_FLOATS 1
#define UR_FLOAT_SUMS 1
#include "row_pairs.h"

extern const RowSet row_single_base, row_checks_base;
#if UR_HAS_AVX2
extern const RowSet row_single_avx2, row_checks_avx2;
#endif

/* The fastest first. */
static const InstructionSet instruction_sets[] = {
#if UR_HAS_AVX512
    {"avx512", runs_avx512, &row_single_avx2, &row_checks_avx2},
#endif
#if UR_HAS_AVX2
    {"avx2", runs_avx2, &row_single_avx2, &row_checks_avx2},
#endif
    {UR_BASE_NAME, runs_base, &row_single_base, &row_checks_base},
};

#define UR_SWEEPER row_single
#include "row_block.h"
