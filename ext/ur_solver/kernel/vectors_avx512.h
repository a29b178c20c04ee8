/* Vectors of eight doubles by AVX-512; those of four are AVX2's. */

#ifndef UR_VECTORS_AVX512_H
#define UR_VECTORS_AVX512_H

#include <immintrin.h>
#include <stdint.h>

typedef __m512d vec8;
static inline vec8 set8(double x) { return _mm512_set1_pd(x); }
static inline vec8 load8(const double *p) { return _mm512_loadu_pd(p); }
static inline void store8(double *p, vec8 v) { _mm512_storeu_pd(p, v); }
static inline vec8 max8(vec8 x, vec8 y) { return _mm512_max_pd(x, y); }
static inline vec8 min8(vec8 x, vec8 y) { return _mm512_min_pd(x, y); }
static inline vec8 mul8(vec8 x, vec8 y) { return _mm512_mul_pd(x, y); }
static inline vec8 fma8(vec8 x, vec8 y, vec8 z)
{
    return _mm512_fmadd_pd(x, y, z);
}
static inline vec8 mask_below8(int n)
{
    const __mmask8 mask = n >= 8 ? 0xFF : n <= 0 ? 0 : (__mmask8)((1u << n) - 1);
    return _mm512_castsi512_pd(_mm512_maskz_set1_epi64(mask, -1));
}
static inline vec8 distance8(vec8 x, vec8 y, vec8 valid)
{
    return _mm512_and_pd(valid, _mm512_abs_pd(_mm512_sub_pd(x, y)));
}
static inline vec8 select8(vec8 valid, vec8 x, vec8 y)
{
    return _mm512_or_pd(_mm512_and_pd(valid, x), _mm512_andnot_pd(valid, y));
}
static inline double largest8(vec8 x) { return _mm512_reduce_max_pd(x); }
static inline __attribute__((always_inline)) void transpose8(
    const double *f, const int64_t stride, double *g, const int64_t to_stride, const int n_rows,
    const int n_columns)
{
    /* 8 x 8 at most. The last row stands for those past n_rows, which end up in the padding
       of g's rows; columns past n_columns are not written. */
    const __m512d one = _mm512_set1_pd(1.0);
    __m512d row[8], t[8];
    for (int i = 0; i < 8; i++)
        row[i] = _mm512_sub_pd(one, _mm512_loadu_pd(f + (i < n_rows ? i : n_rows - 1) * stride));
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm512_unpacklo_pd(row[i], row[i + 1]);
        t[i + 1] = _mm512_unpackhi_pd(row[i], row[i + 1]);
    }
    for (int i = 0; i < 8; i += 4)
        for (int k = 0; k < 2; k++) {
            row[i + k] = _mm512_shuffle_f64x2(t[i + k], t[i + k + 2], 0x88);
            row[i + k + 2] = _mm512_shuffle_f64x2(t[i + k], t[i + k + 2], 0xDD);
        }
    for (int k = 0; k < 4; k++) {
        t[k] = _mm512_shuffle_f64x2(row[k], row[k + 4], 0x88);
        t[k + 4] = _mm512_shuffle_f64x2(row[k], row[k + 4], 0xDD);
    }
    for (int c = 0; c < 8 && c < n_columns; c++)
        _mm512_storeu_pd(g + c * to_stride, t[c]);
}
static inline vec8 spread8(const double *p, const int bit)
{
    const __m512d x = _mm512_broadcast_f64x4(_mm256_loadu_pd(p));
    if (bit == 0)
        return _mm512_permutexvar_pd(_mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3), x);
    if (bit == 1)
        return _mm512_permutexvar_pd(_mm512_setr_epi64(0, 1, 0, 1, 2, 3, 2, 3), x);
    return x;
}

#endif
