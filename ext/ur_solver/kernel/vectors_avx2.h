/* Vectors of LANES doubles by AVX2. */

typedef struct { __m256d a, b; } v8_avx2;
static inline v8_avx2 set_avx2(double x)
{
    return (v8_avx2){_mm256_set1_pd(x), _mm256_set1_pd(x)};
}
static inline v8_avx2 load_avx2(const double *p)
{
    return (v8_avx2){_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)};
}
static inline void store_avx2(double *p, v8_avx2 v)
{
    _mm256_storeu_pd(p, v.a);
    _mm256_storeu_pd(p + 4, v.b);
}
static inline v8_avx2 max_avx2(v8_avx2 x, v8_avx2 y)
{
    return (v8_avx2){_mm256_max_pd(x.a, y.a), _mm256_max_pd(x.b, y.b)};
}
static inline v8_avx2 mul_avx2(v8_avx2 x, v8_avx2 y)
{
    return (v8_avx2){_mm256_mul_pd(x.a, y.a), _mm256_mul_pd(x.b, y.b)};
}
static inline v8_avx2 fma_avx2(v8_avx2 x, v8_avx2 y, v8_avx2 z)
{
    return (v8_avx2){_mm256_fmadd_pd(x.a, y.a, z.a), _mm256_fmadd_pd(x.b, y.b, z.b)};
}
static inline v8_avx2 lanes_below_avx2(int n)
{
    const __m256i count = _mm256_set1_epi64x(n);
    return (v8_avx2){
        _mm256_castsi256_pd(_mm256_cmpgt_epi64(count, _mm256_setr_epi64x(0, 1, 2, 3))),
        _mm256_castsi256_pd(_mm256_cmpgt_epi64(count, _mm256_setr_epi64x(4, 5, 6, 7)))};
}
static inline v8_avx2 distance_avx2(v8_avx2 x, v8_avx2 y, v8_avx2 valid)
{
    const __m256d sign = _mm256_set1_pd(-0.0);
    return (v8_avx2){
        _mm256_and_pd(valid.a, _mm256_andnot_pd(sign, _mm256_sub_pd(x.a, y.a))),
        _mm256_and_pd(valid.b, _mm256_andnot_pd(sign, _mm256_sub_pd(x.b, y.b)))};
}
static inline double largest_avx2(v8_avx2 x)
{
    double lanes[LANES], m = 0.0;
    store_avx2(lanes, x);
    for (int i = 0; i < LANES; i++)
        m = lanes[i] > m ? lanes[i] : m;
    return m;
}
static inline void transpose_avx2(
    const double *f, int64_t stride, double *g, int64_t to_stride, int n_rows, int n_columns)
{
    /* 8 x 8 at most, in fours. The last row stands for those past n_rows, which end up in the
       padding of g's rows; columns past n_columns are not written. */
    const __m256d one = _mm256_set1_pd(1.0);
    n_columns = n_columns < LANES ? n_columns : LANES;
    if (n_rows == 1) {
        for (int c = 0; c < n_columns; c++)
            g[c * to_stride] = 1.0 - f[c];
        return;
    }
    for (int r = 0; r < LANES && r < n_rows; r += 4)
        for (int c = 0; c < n_columns; c += 4) {
            __m256d row[4], t[4];
            for (int i = 0; i < 4; i++)
                row[i] = _mm256_sub_pd(
                    one, _mm256_loadu_pd(
                             f + (r + i < n_rows ? r + i : n_rows - 1) * stride + c));
            for (int i = 0; i < 4; i += 2) {
                t[i] = _mm256_unpacklo_pd(row[i], row[i + 1]);
                t[i + 1] = _mm256_unpackhi_pd(row[i], row[i + 1]);
            }
            for (int k = 0; k < 2; k++) {
                row[k] = _mm256_permute2f128_pd(t[k], t[k + 2], 0x20);
                row[k + 2] = _mm256_permute2f128_pd(t[k], t[k + 2], 0x31);
            }
            for (int k = 0; k < 4 && c + k < n_columns; k++)
                _mm256_storeu_pd(g + (c + k) * to_stride + r, row[k]);
        }
}
static inline v8_avx2 spread_avx2(const double *p, const int bit)
{
    const __m256d x = _mm256_loadu_pd(p);
    if (bit == 0)
        return (v8_avx2){_mm256_permute4x64_pd(x, 0x50), _mm256_permute4x64_pd(x, 0xFA)};
    if (bit == 1)
        return (v8_avx2){_mm256_permute4x64_pd(x, 0x44), _mm256_permute4x64_pd(x, 0xEE)};
    return (v8_avx2){x, x};
}
