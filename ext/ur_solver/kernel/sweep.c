/* The sweeps that a processor has. */

#include "instruction_sets.h"

#include "sweep.h"

UR_DECLARE_SETS(Sweeps, tiled_double);
UR_DECLARE_SETS(Sweeps, tiled_single);
UR_DECLARE_SETS(Sweeps, tiled_mixed);

/* Eight floats are a vector of AVX2: longer ones would hold more than a row. */
static const Sweeps *const sweeps[][UR_MOST_SETS] = {
    [UR_DOUBLE] = UR_LIST_SETS(tiled_double, avx512),
    [UR_SINGLE] = UR_LIST_SETS(tiled_single, avx2),
    [UR_MIXED] = UR_LIST_SETS(tiled_mixed, avx2),
};

const Sweeps *tiled_sweeps(int set, int precision)
{
    return sweeps[precision][set];
}
