/* The choice of a sweep by what the processor has. */

#include "sweep.h"

int find_sweepers(const Sweeper *found[MAX_SWEEPERS])
{
    int n = 0;
#if UR_X86
    __builtin_cpu_init();
#ifndef UR_WITHOUT_AVX512
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        found[n++] = &sweeper_avx512;
#endif
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        found[n++] = &sweeper_avx2;
#endif
    found[n++] = &sweeper_plain;
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
