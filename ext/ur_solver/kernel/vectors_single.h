/* Vectors of LANES floats by AVX2. They hold values less 1/2: near 1/2 floats are finer than
   near 1, and what the opponent sees is the same number with the other sign, exactly. */

typedef __m256 v8_single;
static inline v8_single set_single(float x) { return _mm256_set1_ps(x); }
static inline v8_single load_single(const float *p) { return _mm256_loadu_ps(p); }
static inline void store_single(float *p, v8_single v) { _mm256_storeu_ps(p, v); }
static inline v8_single max_single(v8_single x, v8_single y) { return _mm256_max_ps(x, y); }
static inline v8_single mul_single(v8_single x, v8_single y) { return _mm256_mul_ps(x, y); }
static inline v8_single fma_single(v8_single x, v8_single y, v8_single z)
{
    return _mm256_fmadd_ps(x, y, z);
}
static inline v8_single lanes_below_single(int n)
{
    return _mm256_castsi256_ps(
        _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
}
static inline v8_single distance_single(v8_single x, v8_single y, v8_single valid)
{
    return _mm256_and_ps(valid, _mm256_andnot_ps(_mm256_set1_ps(-0.0f), _mm256_sub_ps(x, y)));
}
static inline double largest_single(v8_single x)
{
    __m128 most = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    most = _mm_max_ps(most, _mm_movehl_ps(most, most));
    return _mm_cvtss_f32(_mm_max_ss(most, _mm_shuffle_ps(most, most, 1)));
}
static inline void transpose_single(
    const float *f, int64_t stride, float *g, int64_t to_stride, int n_rows, int n_columns)
{
    /* 8 x 8 at most. The last row stands for those past n_rows, which end up in the padding
       of g's rows; columns past n_columns are not written. */
    const __m256 zero = _mm256_setzero_ps();
    __m256 row[LANES], t[LANES];
    if (n_rows == 1) {
        for (int c = 0; c < (n_columns < LANES ? n_columns : LANES); c++)
            g[c * to_stride] = -f[c];
        return;
    }
    for (int i = 0; i < LANES; i++)
        row[i] = _mm256_sub_ps(
            zero, _mm256_loadu_ps(f + (i < n_rows ? i : n_rows - 1) * stride));
    for (int i = 0; i < LANES; i += 2) {
        t[i] = _mm256_unpacklo_ps(row[i], row[i + 1]);
        t[i + 1] = _mm256_unpackhi_ps(row[i], row[i + 1]);
    }
    for (int i = 0; i < LANES; i += 4)
        for (int k = 0; k < 2; k++) {
            row[i + 2 * k] = _mm256_shuffle_ps(t[i + k], t[i + k + 2], 0x44);
            row[i + 2 * k + 1] = _mm256_shuffle_ps(t[i + k], t[i + k + 2], 0xEE);
        }
    for (int k = 0; k < 4; k++) {
        t[k] = _mm256_permute2f128_ps(row[k], row[k + 4], 0x20);
        t[k + 4] = _mm256_permute2f128_ps(row[k], row[k + 4], 0x31);
    }
    for (int c = 0; c < LANES && c < n_columns; c++)
        _mm256_storeu_ps(g + c * to_stride, t[c]);
}
static inline v8_single spread_single(const float *p, const int bit)
{
    const __m256 x = _mm256_broadcast_ps((const __m128 *)p);
    if (bit == 0)
        return _mm256_permutevar8x32_ps(x, _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3));
    if (bit == 1)
        return _mm256_permutevar8x32_ps(x, _mm256_setr_epi32(0, 1, 0, 1, 2, 3, 2, 3));
    return x;
}
