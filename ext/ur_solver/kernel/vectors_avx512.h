/* Vectors of LANES doubles by AVX-512. */

typedef __m512d v8_avx512;
static inline v8_avx512 set_avx512(double x) { return _mm512_set1_pd(x); }
static inline v8_avx512 load_avx512(const double *p) { return _mm512_loadu_pd(p); }
static inline void store_avx512(double *p, v8_avx512 v) { _mm512_storeu_pd(p, v); }
static inline v8_avx512 max_avx512(v8_avx512 x, v8_avx512 y) { return _mm512_max_pd(x, y); }
static inline v8_avx512 mul_avx512(v8_avx512 x, v8_avx512 y) { return _mm512_mul_pd(x, y); }
static inline v8_avx512 fma_avx512(v8_avx512 x, v8_avx512 y, v8_avx512 z)
{
    return _mm512_fmadd_pd(x, y, z);
}
static inline v8_avx512 lanes_below_avx512(int n)
{
    const __mmask8 mask = n >= LANES ? 0xFF : n <= 0 ? 0 : (__mmask8)((1u << n) - 1);
    return _mm512_castsi512_pd(_mm512_maskz_set1_epi64(mask, -1));
}
static inline v8_avx512 distance_avx512(v8_avx512 x, v8_avx512 y, v8_avx512 valid)
{
    return _mm512_and_pd(valid, _mm512_abs_pd(_mm512_sub_pd(x, y)));
}
static inline double largest_avx512(v8_avx512 x) { return _mm512_reduce_max_pd(x); }
static inline void transpose_avx512(
    const double *f, int64_t stride, double *g, int64_t to_stride, int n_rows, int n_columns)
{
    /* 8 x 8 at most. Rows past n_rows are loaded as zeros and columns past n_columns not
       written; the padding of g's rows takes what the zeros give. */
    __m512d row[LANES], t[LANES];
    const __m512d one = _mm512_set1_pd(1.0);
    if (n_rows == 1) {
        for (int c = 0; c < (n_columns < LANES ? n_columns : LANES); c++)
            g[c * to_stride] = 1.0 - f[c];
        return;
    }
    for (int i = 0; i < LANES; i++)
        row[i] = _mm512_sub_pd(one, i < n_rows ? _mm512_loadu_pd(f + i * stride) : one);
    for (int i = 0; i < LANES; i += 2) {
        t[i] = _mm512_unpacklo_pd(row[i], row[i + 1]);
        t[i + 1] = _mm512_unpackhi_pd(row[i], row[i + 1]);
    }
    for (int i = 0; i < LANES; i += 4)
        for (int k = 0; k < 2; k++) {
            row[i + k] = _mm512_shuffle_f64x2(t[i + k], t[i + k + 2], 0x88);
            row[i + k + 2] = _mm512_shuffle_f64x2(t[i + k], t[i + k + 2], 0xDD);
        }
    for (int k = 0; k < 4; k++) {
        t[k] = _mm512_shuffle_f64x2(row[k], row[k + 4], 0x88);
        t[k + 4] = _mm512_shuffle_f64x2(row[k], row[k + 4], 0xDD);
    }
    for (int c = 0; c < LANES && c < n_columns; c++)
        _mm512_storeu_pd(g + c * to_stride, t[c]);
}
static inline v8_avx512 spread_avx512(const double *p, const int bit)
{
    const __m512d x = _mm512_broadcast_f64x4(_mm256_loadu_pd(p));
    if (bit == 0)
        return _mm512_permutexvar_pd(_mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3), x);
    if (bit == 1)
        return _mm512_permutexvar_pd(_mm512_setr_epi64(0, 1, 0, 1, 2, 3, 2, 3), x);
    return x;
}
