/* The row kernel in single precision. Sweeps calculate with floats: rows have few columns, which a
   vector of eight holds, so that there is none of sixteen. Residuals and bounds calculate with
   doubles, of values that are floats: where every operation of a bound was rounded outwards to a
   float, ten times as much was proven (casual 3: 7.3e-5, now 7.1e-6). */

typedef float Real;
#define NO_MOVE UR_NO_MOVE_SINGLE
#define UR_ABS fabsf
#define UR_NEXT nextafterf
#include "row_pairs.h"

/* Plain C: vectors of 16 bytes, which compilers have on every machine. */
typedef float Four __attribute__((vector_size(16)));
typedef float FourAnywhere __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t FourMask __attribute__((vector_size(16)));
#define UR_SWEEPS 1
#define UR_CHECKS 0
#define UR_CHOOSES 0
#define UR_SET plain
#define UR_SUM float
#define UR_V Four
#define UR_N 4
#define UR_MASK FourMask
#define UR_LOAD(at) (*(const FourAnywhere *)(at))
#define UR_STORE(at, v) (*(FourAnywhere *)(at) = (v))
#define UR_ALL(x) all_four(x)
#define UR_ABOVE(a, b) ((a) > (b))
#define UR_SELECT(mask, yes, no) \
    ((Four)(((mask) & (FourMask)(yes)) | (~(mask) & (FourMask)(no))))
#define UR_MAX(a, b) UR_SELECT(UR_ABOVE(a, b), a, b)
#define UR_GATHER(row, map) gather_four(row, map)
UR_INLINE Four all_four(float x)
{
    return (Four){x, x, x, x};
}

UR_INLINE Four gather_four(const float *row, const int32_t *map)
{
    return (Four){mapped(row, map[0]), mapped(row, map[1]), mapped(row, map[2]),
                  mapped(row, map[3])};
}
#include "row_sweep_body.h"

typedef double Two __attribute__((vector_size(16)));
typedef double TwoAnywhere __attribute__((vector_size(16), aligned(8), may_alias));
typedef int64_t TwoMask __attribute__((vector_size(16)));
#define UR_SWEEPS 0
#define UR_CHECKS 1
#define UR_CHOOSES 0
#define UR_SET plain_doubles
#define UR_SUM double
#define UR_V Two
#define UR_N 2
#define UR_MASK TwoMask
#define UR_LOAD(at) ((Two){(at)[0], (at)[1]})
#define UR_STORE(at, v) (*(TwoAnywhere *)(at) = (v))
#define UR_ALL(x) ((Two){(x), (x)})
#define UR_ABOVE(a, b) ((a) > (b))
#define UR_SELECT(mask, yes, no) ((Two)(((mask) & (TwoMask)(yes)) | (~(mask) & (TwoMask)(no))))
#define UR_MAX(a, b) UR_SELECT(UR_ABOVE(a, b), a, b)
#define UR_GATHER(row, map) ((Two){mapped(row, (map)[0]), mapped(row, (map)[1])})
#include "row_sweep_body.h"

#ifdef UR_X86
#pragma GCC push_options
#pragma GCC target("avx2")
#define UR_SWEEPS 1
#define UR_CHECKS 0
#define UR_CHOOSES 0
#define UR_SET avx2
#define UR_SUM float
#define UR_V __m256
#define UR_N 8
#define UR_MASK __m256
#define UR_LOAD(at) _mm256_loadu_ps(at)
#define UR_STORE(at, v) _mm256_storeu_ps(at, v)
#define UR_ALL(x) _mm256_set1_ps(x)
#define UR_ABOVE(a, b) _mm256_cmp_ps(a, b, _CMP_GT_OQ)
#define UR_SELECT(mask, yes, no) _mm256_blendv_ps(no, yes, mask)
#define UR_MAX(a, b) _mm256_max_ps(a, b)
#define UR_GATHER(row, map) gather_eight(row, map)
UR_INLINE __m256 gather_eight(const float *row, const int32_t *map)
{
    const __m256i places = _mm256_loadu_si256((const __m256i *)map);
    const __m256i none = _mm256_srai_epi32(places, 31);
    const __m256 is_move = _mm256_castsi256_ps(_mm256_xor_si256(none, _mm256_set1_epi32(-1)));
    return _mm256_mask_i32gather_ps(_mm256_set1_ps(NO_MOVE), row, places, is_move, 4);
}
#include "row_sweep_body.h"

#define UR_SWEEPS 0
#define UR_CHECKS 1
#define UR_CHOOSES 0
#define UR_SET avx2_doubles
#define UR_SUM double
#define UR_V __m256d
#define UR_N 4
#define UR_MASK __m256d
#define UR_LOAD(at) _mm256_cvtps_pd(_mm_loadu_ps(at))
#define UR_STORE(at, v) _mm256_storeu_pd(at, v)
#define UR_ALL(x) _mm256_set1_pd(x)
#define UR_ABOVE(a, b) _mm256_cmp_pd(a, b, _CMP_GT_OQ)
#define UR_SELECT(mask, yes, no) _mm256_blendv_pd(no, yes, mask)
#define UR_MAX(a, b) _mm256_max_pd(a, b)
#define UR_GATHER(row, map) gather_doubles(row, map)
UR_INLINE __m256d gather_doubles(const float *row, const int32_t *map)
{
    const __m128i places = _mm_loadu_si128((const __m128i *)map);
    const __m128i none = _mm_srai_epi32(places, 31);
    const __m128 is_move = _mm_castsi128_ps(_mm_xor_si128(none, _mm_set1_epi32(-1)));
    return _mm256_cvtps_pd(
        _mm_mask_i32gather_ps(_mm_set1_ps(NO_MOVE), row, places, is_move, 4));
}
#include "row_sweep_body.h"
#pragma GCC pop_options
#endif

/* The fastest first. */
static const InstructionSet instruction_sets[] = {
#ifdef UR_X86
#ifndef UR_WITHOUT_AVX512
    {"avx512", runs_avx512, sweep_avx2, residual_avx2_doubles, read_bound_avx2_doubles},
#endif
    {"avx2", runs_avx2, sweep_avx2, residual_avx2_doubles, read_bound_avx2_doubles},
#endif
    {"plain", runs_everywhere, sweep_plain, residual_plain_doubles, read_bound_plain_doubles},
};

#define UR_SWEEPER row_single
#include "row_block.h"
