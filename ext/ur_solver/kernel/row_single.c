/* The row kernel in single precision. Sweeps calculate with floats: rows have few columns, which a
   vector of eight holds, so that there is none of sixteen. Residuals and bounds calculate with
   doubles, of values that are floats: where every operation of a bound was rounded outwards to a
   float, ten times as much was proven (casual 3: 7.3e-5, now 7.1e-6). */

#define UR_VECTOR_BYTES 16
#define UR_FLOATS 1
#define UR_FLOAT_SUMS 1
#include "row_pairs.h"

UR_DECLARE_SETS(RowSet, rows_single);
UR_DECLARE_SETS(RowSet, rows_mixed);
static const RowSet *const sweeps[] = UR_LIST_SETS(rows_single, avx2);
static const RowSet *const checks[] = UR_LIST_SETS(rows_mixed, avx2);

#define UR_SWEEPER row_single
#include "row_block.h"
