/* Vectors of four and of eight doubles by AVX2. */

typedef __m256d v_avx2x4;
static inline v_avx2x4 set_avx2x4(double x) { return _mm256_set1_pd(x); }
static inline v_avx2x4 load_avx2x4(const double *p) { return _mm256_loadu_pd(p); }
static inline void store_avx2x4(double *p, v_avx2x4 v) { _mm256_storeu_pd(p, v); }
static inline v_avx2x4 max_avx2x4(v_avx2x4 x, v_avx2x4 y) { return _mm256_max_pd(x, y); }
static inline v_avx2x4 min_avx2x4(v_avx2x4 x, v_avx2x4 y) { return _mm256_min_pd(x, y); }
static inline v_avx2x4 mul_avx2x4(v_avx2x4 x, v_avx2x4 y) { return _mm256_mul_pd(x, y); }
static inline v_avx2x4 fma_avx2x4(v_avx2x4 x, v_avx2x4 y, v_avx2x4 z)
{
    return _mm256_fmadd_pd(x, y, z);
}
static inline v_avx2x4 lanes_below_avx2x4(int n)
{
    return _mm256_castsi256_pd(
        _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3)));
}
static inline v_avx2x4 distance_avx2x4(v_avx2x4 x, v_avx2x4 y, v_avx2x4 valid)
{
    return _mm256_and_pd(valid, _mm256_andnot_pd(_mm256_set1_pd(-0.0), _mm256_sub_pd(x, y)));
}
static inline v_avx2x4 select_avx2x4(v_avx2x4 valid, v_avx2x4 x, v_avx2x4 y)
{
    return _mm256_blendv_pd(y, x, valid);
}
static inline double largest_avx2x4(v_avx2x4 x)
{
    const __m128d most = _mm_max_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
    return _mm_cvtsd_f64(_mm_max_sd(most, _mm_unpackhi_pd(most, most)));
}
static inline v_avx2x4 spread_avx2x4(const double *p, const int bit)
{
    const __m256d x = _mm256_loadu_pd(p);
    return bit == 0   ? _mm256_permute4x64_pd(x, 0x50)
           : bit == 1 ? _mm256_permute4x64_pd(x, 0x44)
                      : x;
}
static inline __attribute__((always_inline)) void transpose_avx2x4(
    const double *f, const int64_t stride, double *g, const int64_t to_stride, const int n_rows,
    const int n_columns)
{
    /* 4 x 4 at most. The last row stands for those past n_rows, which end up in the padding
       of g's rows; columns past n_columns are not written. */
    const __m256d one = _mm256_set1_pd(1.0);
    __m256d row[4], t[4];
    for (int i = 0; i < 4; i++)
        row[i] = _mm256_sub_pd(one, _mm256_loadu_pd(f + (i < n_rows ? i : n_rows - 1) * stride));
    for (int i = 0; i < 4; i += 2) {
        t[i] = _mm256_unpacklo_pd(row[i], row[i + 1]);
        t[i + 1] = _mm256_unpackhi_pd(row[i], row[i + 1]);
    }
    for (int k = 0; k < 2; k++) {
        row[k] = _mm256_permute2f128_pd(t[k], t[k + 2], 0x20);
        row[k + 2] = _mm256_permute2f128_pd(t[k], t[k + 2], 0x31);
    }
    for (int c = 0; c < 4 && c < n_columns; c++)
        _mm256_storeu_pd(g + c * to_stride, row[c]);
}

typedef struct { v_avx2x4 a, b; } v_avx2x8;
static inline v_avx2x8 set_avx2x8(double x) { return (v_avx2x8){set_avx2x4(x), set_avx2x4(x)}; }
static inline v_avx2x8 load_avx2x8(const double *p)
{
    return (v_avx2x8){load_avx2x4(p), load_avx2x4(p + 4)};
}
static inline void store_avx2x8(double *p, v_avx2x8 v)
{
    store_avx2x4(p, v.a);
    store_avx2x4(p + 4, v.b);
}
static inline v_avx2x8 max_avx2x8(v_avx2x8 x, v_avx2x8 y)
{
    return (v_avx2x8){max_avx2x4(x.a, y.a), max_avx2x4(x.b, y.b)};
}
static inline v_avx2x8 min_avx2x8(v_avx2x8 x, v_avx2x8 y)
{
    return (v_avx2x8){min_avx2x4(x.a, y.a), min_avx2x4(x.b, y.b)};
}
static inline v_avx2x8 mul_avx2x8(v_avx2x8 x, v_avx2x8 y)
{
    return (v_avx2x8){mul_avx2x4(x.a, y.a), mul_avx2x4(x.b, y.b)};
}
static inline v_avx2x8 fma_avx2x8(v_avx2x8 x, v_avx2x8 y, v_avx2x8 z)
{
    return (v_avx2x8){fma_avx2x4(x.a, y.a, z.a), fma_avx2x4(x.b, y.b, z.b)};
}
static inline v_avx2x8 lanes_below_avx2x8(int n)
{
    return (v_avx2x8){lanes_below_avx2x4(n), lanes_below_avx2x4(n - 4)};
}
static inline v_avx2x8 distance_avx2x8(v_avx2x8 x, v_avx2x8 y, v_avx2x8 valid)
{
    return (v_avx2x8){
        distance_avx2x4(x.a, y.a, valid.a), distance_avx2x4(x.b, y.b, valid.b)};
}
static inline v_avx2x8 select_avx2x8(v_avx2x8 valid, v_avx2x8 x, v_avx2x8 y)
{
    return (v_avx2x8){select_avx2x4(valid.a, x.a, y.a), select_avx2x4(valid.b, x.b, y.b)};
}
static inline double largest_avx2x8(v_avx2x8 x) { return largest_avx2x4(max_avx2x4(x.a, x.b)); }
static inline v_avx2x8 spread_avx2x8(const double *p, const int bit)
{
    const __m256d x = _mm256_loadu_pd(p);
    if (bit == 0)
        return (v_avx2x8){_mm256_permute4x64_pd(x, 0x50), _mm256_permute4x64_pd(x, 0xFA)};
    if (bit == 1)
        return (v_avx2x8){_mm256_permute4x64_pd(x, 0x44), _mm256_permute4x64_pd(x, 0xEE)};
    return (v_avx2x8){x, x};
}
static inline __attribute__((always_inline)) void transpose_avx2x8(
    const double *f, const int64_t stride, double *g, const int64_t to_stride, const int n_rows,
    const int n_columns)
{
    for (int r = 0; r < 8 && r < n_rows; r += 4)
        for (int c = 0; c < 8 && c < n_columns; c += 4)
            transpose_avx2x4(
                f + r * stride + c, stride, g + c * to_stride + r, to_stride, n_rows - r,
                n_columns - c);
}
