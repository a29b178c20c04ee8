/* The sweeps that a processor has. */

#include "instruction_sets.h"

#include "sweep.h"

extern const Sweeps tiled_double_base, tiled_single_base, tiled_mixed_base;
#if UR_HAS_AVX2
extern const Sweeps tiled_double_avx2, tiled_single_avx2, tiled_mixed_avx2;
#endif
#if UR_HAS_AVX512
extern const Sweeps tiled_double_avx512;
#endif

/* The fastest first. Eight floats are a vector of AVX2: longer ones would hold more than a row. */
static const Sweeper sweepers[] = {
#if UR_HAS_AVX512
    {"avx512", runs_avx512, {&tiled_double_avx512, &tiled_single_avx2, &tiled_mixed_avx2}},
#endif
#if UR_HAS_AVX2
    {"avx2", runs_avx2, {&tiled_double_avx2, &tiled_single_avx2, &tiled_mixed_avx2}},
#endif
    {UR_BASE_NAME, runs_base, {&tiled_double_base, &tiled_single_base, &tiled_mixed_base}},
};

int find_sweepers(const Sweeper *found[MAX_SWEEPERS])
{
    int n = 0;
    for (unsigned k = 0; k < sizeof(sweepers) / sizeof(sweepers[0]); k++)
        if (sweepers[k].runs())
            found[n++] = &sweepers[k];
    return n;
}

void to_single(const double *from, float *to, int64_t n, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k < n; k++)
        to[k] = (float)(from[k] - 0.5);
}

void to_double(const float *from, double *to, int64_t n, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k < n; k++)
        to[k] = from[k] + 0.5;
}
