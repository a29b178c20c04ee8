/* Vectors of four doubles by AVX2, of numbers that are doubles or floats in memory. */

#ifndef UR_VECTORS_AVX2X4_H
#define UR_VECTORS_AVX2X4_H

#include <immintrin.h>
#include <stdint.h>

typedef __m256d vec4;
static inline vec4 set4(double x) { return _mm256_set1_pd(x); }
#if UR_FLOATS
static inline vec4 load4(const float *p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
static inline void store4(float *p, vec4 v) { _mm_storeu_ps(p, _mm256_cvtpd_ps(v)); }
#else
static inline vec4 load4(const double *p) { return _mm256_loadu_pd(p); }
static inline void store4(double *p, vec4 v) { _mm256_storeu_pd(p, v); }
#endif
static inline vec4 max4(vec4 x, vec4 y) { return _mm256_max_pd(x, y); }
static inline vec4 min4(vec4 x, vec4 y) { return _mm256_min_pd(x, y); }
static inline vec4 mul4(vec4 x, vec4 y) { return _mm256_mul_pd(x, y); }
static inline vec4 fma4(vec4 x, vec4 y, vec4 z)
{
    return _mm256_fmadd_pd(x, y, z);
}
static inline vec4 mask_below4(int n)
{
    return _mm256_castsi256_pd(
        _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3)));
}
static inline vec4 distance4(vec4 x, vec4 y, vec4 valid)
{
    return _mm256_and_pd(valid, _mm256_andnot_pd(_mm256_set1_pd(-0.0), _mm256_sub_pd(x, y)));
}
static inline vec4 select4(vec4 valid, vec4 x, vec4 y)
{
    return _mm256_blendv_pd(y, x, valid);
}
static inline double largest4(vec4 x)
{
    const __m128d most = _mm_max_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
    return _mm_cvtsd_f64(_mm_max_sd(most, _mm_unpackhi_pd(most, most)));
}
static inline vec4 spread4(const REAL *p, const int bit)
{
    const __m256d x = load4(p);
    return bit == 0   ? _mm256_permute4x64_pd(x, 0x50)
           : bit == 1 ? _mm256_permute4x64_pd(x, 0x44)
                      : x;
}
static inline __attribute__((always_inline)) void transpose4(
    const REAL *f, const int64_t stride, REAL *g, const int64_t to_stride, const int n_rows,
    const int n_columns)
{
    /* 4 x 4 at most. The last row stands for those past n_rows, which end up in the padding
       of g's rows; columns past n_columns are not written. */
    const __m256d whole = _mm256_set1_pd(WHOLE);
    __m256d row[4], t[4];
    for (int i = 0; i < 4; i++)
        row[i] = _mm256_sub_pd(whole, load4(f + (i < n_rows ? i : n_rows - 1) * stride));
    for (int i = 0; i < 4; i += 2) {
        t[i] = _mm256_unpacklo_pd(row[i], row[i + 1]);
        t[i + 1] = _mm256_unpackhi_pd(row[i], row[i + 1]);
    }
    for (int k = 0; k < 2; k++) {
        row[k] = _mm256_permute2f128_pd(t[k], t[k + 2], 0x20);
        row[k + 2] = _mm256_permute2f128_pd(t[k], t[k + 2], 0x31);
    }
    for (int c = 0; c < 4 && c < n_columns; c++)
        store4(g + c * to_stride, row[c]);
}

#endif
