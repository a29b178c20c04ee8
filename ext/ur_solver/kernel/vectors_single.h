/* Vectors of four and of eight floats by AVX2. */

#ifndef UR_VECTORS_SINGLE_H
#define UR_VECTORS_SINGLE_H

#include <immintrin.h>
#include <stdint.h>

typedef __m128 vec4;
static inline vec4 set4(float x) { return _mm_set1_ps(x); }
static inline vec4 load4(const float *p) { return _mm_loadu_ps(p); }
static inline void store4(float *p, vec4 v) { _mm_storeu_ps(p, v); }
static inline vec4 max4(vec4 x, vec4 y) { return _mm_max_ps(x, y); }
static inline vec4 min4(vec4 x, vec4 y) { return _mm_min_ps(x, y); }
static inline vec4 mul4(vec4 x, vec4 y) { return _mm_mul_ps(x, y); }
static inline vec4 fma4(vec4 x, vec4 y, vec4 z)
{
    return _mm_fmadd_ps(x, y, z);
}
static inline vec4 mask_below4(int n)
{
    return _mm_castsi128_ps(_mm_cmpgt_epi32(_mm_set1_epi32(n), _mm_setr_epi32(0, 1, 2, 3)));
}
static inline vec4 distance4(vec4 x, vec4 y, vec4 valid)
{
    return _mm_and_ps(valid, _mm_andnot_ps(_mm_set1_ps(-0.0f), _mm_sub_ps(x, y)));
}
static inline vec4 select4(vec4 valid, vec4 x, vec4 y)
{
    return _mm_blendv_ps(y, x, valid);
}
static inline double largest4(vec4 x)
{
    const __m128 most = _mm_max_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_max_ss(most, _mm_shuffle_ps(most, most, 1)));
}
static inline vec4 spread4(const float *p, const int bit)
{
    const __m128 x = _mm_loadu_ps(p);
    return bit == 0 ? _mm_shuffle_ps(x, x, 0x50) : bit == 1 ? _mm_shuffle_ps(x, x, 0x44) : x;
}
static inline __attribute__((always_inline)) void transpose4(
    const float *f, const int64_t stride, float *g, const int64_t to_stride, const int n_rows,
    const int n_columns)
{
    /* 4 x 4 at most. The last row stands for those past n_rows, which end up in the padding
       of g's rows; columns past n_columns are not written. */
    __m128 row[4];
    for (int i = 0; i < 4; i++)
        row[i] = _mm_sub_ps(
            _mm_setzero_ps(), _mm_loadu_ps(f + (i < n_rows ? i : n_rows - 1) * stride));
    _MM_TRANSPOSE4_PS(row[0], row[1], row[2], row[3]);
    for (int c = 0; c < 4 && c < n_columns; c++)
        _mm_storeu_ps(g + c * to_stride, row[c]);
}

typedef __m256 vec8;
static inline vec8 set8(float x) { return _mm256_set1_ps(x); }
static inline vec8 load8(const float *p) { return _mm256_loadu_ps(p); }
static inline void store8(float *p, vec8 v) { _mm256_storeu_ps(p, v); }
static inline vec8 max8(vec8 x, vec8 y) { return _mm256_max_ps(x, y); }
static inline vec8 min8(vec8 x, vec8 y) { return _mm256_min_ps(x, y); }
static inline vec8 mul8(vec8 x, vec8 y) { return _mm256_mul_ps(x, y); }
static inline vec8 fma8(vec8 x, vec8 y, vec8 z)
{
    return _mm256_fmadd_ps(x, y, z);
}
static inline vec8 mask_below8(int n)
{
    return _mm256_castsi256_ps(
        _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
}
static inline vec8 distance8(vec8 x, vec8 y, vec8 valid)
{
    return _mm256_and_ps(valid, _mm256_andnot_ps(_mm256_set1_ps(-0.0f), _mm256_sub_ps(x, y)));
}
static inline vec8 select8(vec8 valid, vec8 x, vec8 y)
{
    return _mm256_blendv_ps(y, x, valid);
}
static inline double largest8(vec8 x)
{
    return largest4(
        max4(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1)));
}
static inline __attribute__((always_inline)) void transpose8(
    const float *f, const int64_t stride, float *g, const int64_t to_stride, const int n_rows,
    const int n_columns)
{
    /* As of four. */
    const __m256 zero = _mm256_setzero_ps();
    __m256 row[8], t[8];
    for (int i = 0; i < 8; i++)
        row[i] = _mm256_sub_ps(
            zero, _mm256_loadu_ps(f + (i < n_rows ? i : n_rows - 1) * stride));
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_ps(row[i], row[i + 1]);
        t[i + 1] = _mm256_unpackhi_ps(row[i], row[i + 1]);
    }
    for (int i = 0; i < 8; i += 4)
        for (int k = 0; k < 2; k++) {
            row[i + 2 * k] = _mm256_shuffle_ps(t[i + k], t[i + k + 2], 0x44);
            row[i + 2 * k + 1] = _mm256_shuffle_ps(t[i + k], t[i + k + 2], 0xEE);
        }
    for (int k = 0; k < 4; k++) {
        t[k] = _mm256_permute2f128_ps(row[k], row[k + 4], 0x20);
        t[k + 4] = _mm256_permute2f128_ps(row[k], row[k + 4], 0x31);
    }
    for (int c = 0; c < 8 && c < n_columns; c++)
        _mm256_storeu_ps(g + c * to_stride, t[c]);
}
static inline vec8 spread8(const float *p, const int bit)
{
    const __m256 x = _mm256_broadcast_ps((const __m128 *)p);
    if (bit == 0)
        return _mm256_permutevar8x32_ps(x, _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3));
    if (bit == 1)
        return _mm256_permutevar8x32_ps(x, _mm256_setr_epi32(0, 1, 0, 1, 2, 3, 2, 3));
    return x;
}

#endif
