/* Vectors of four and of eight floats by AVX2. They hold values less 1/2: near 1/2 floats are
   finer than near 1, and what the opponent sees is the same number with the other sign,
   exactly. */

typedef __m128 v_singlex4;
static inline v_singlex4 set_singlex4(float x) { return _mm_set1_ps(x); }
static inline v_singlex4 load_singlex4(const float *p) { return _mm_loadu_ps(p); }
static inline void store_singlex4(float *p, v_singlex4 v) { _mm_storeu_ps(p, v); }
static inline v_singlex4 max_singlex4(v_singlex4 x, v_singlex4 y) { return _mm_max_ps(x, y); }
static inline v_singlex4 min_singlex4(v_singlex4 x, v_singlex4 y) { return _mm_min_ps(x, y); }
static inline v_singlex4 mul_singlex4(v_singlex4 x, v_singlex4 y) { return _mm_mul_ps(x, y); }
static inline v_singlex4 fma_singlex4(v_singlex4 x, v_singlex4 y, v_singlex4 z)
{
    return _mm_fmadd_ps(x, y, z);
}
static inline v_singlex4 lanes_below_singlex4(int n)
{
    return _mm_castsi128_ps(_mm_cmpgt_epi32(_mm_set1_epi32(n), _mm_setr_epi32(0, 1, 2, 3)));
}
static inline v_singlex4 distance_singlex4(v_singlex4 x, v_singlex4 y, v_singlex4 valid)
{
    return _mm_and_ps(valid, _mm_andnot_ps(_mm_set1_ps(-0.0f), _mm_sub_ps(x, y)));
}
static inline v_singlex4 select_singlex4(v_singlex4 valid, v_singlex4 x, v_singlex4 y)
{
    return _mm_blendv_ps(y, x, valid);
}
static inline double largest_singlex4(v_singlex4 x)
{
    const __m128 most = _mm_max_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_max_ss(most, _mm_shuffle_ps(most, most, 1)));
}
static inline v_singlex4 spread_singlex4(const float *p, const int bit)
{
    const __m128 x = _mm_loadu_ps(p);
    return bit == 0 ? _mm_shuffle_ps(x, x, 0x50) : bit == 1 ? _mm_shuffle_ps(x, x, 0x44) : x;
}
static inline __attribute__((always_inline)) void transpose_singlex4(
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

typedef __m256 v_singlex8;
static inline v_singlex8 set_singlex8(float x) { return _mm256_set1_ps(x); }
static inline v_singlex8 load_singlex8(const float *p) { return _mm256_loadu_ps(p); }
static inline void store_singlex8(float *p, v_singlex8 v) { _mm256_storeu_ps(p, v); }
static inline v_singlex8 max_singlex8(v_singlex8 x, v_singlex8 y) { return _mm256_max_ps(x, y); }
static inline v_singlex8 min_singlex8(v_singlex8 x, v_singlex8 y) { return _mm256_min_ps(x, y); }
static inline v_singlex8 mul_singlex8(v_singlex8 x, v_singlex8 y) { return _mm256_mul_ps(x, y); }
static inline v_singlex8 fma_singlex8(v_singlex8 x, v_singlex8 y, v_singlex8 z)
{
    return _mm256_fmadd_ps(x, y, z);
}
static inline v_singlex8 lanes_below_singlex8(int n)
{
    return _mm256_castsi256_ps(
        _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
}
static inline v_singlex8 distance_singlex8(v_singlex8 x, v_singlex8 y, v_singlex8 valid)
{
    return _mm256_and_ps(valid, _mm256_andnot_ps(_mm256_set1_ps(-0.0f), _mm256_sub_ps(x, y)));
}
static inline v_singlex8 select_singlex8(v_singlex8 valid, v_singlex8 x, v_singlex8 y)
{
    return _mm256_blendv_ps(y, x, valid);
}
static inline double largest_singlex8(v_singlex8 x)
{
    return largest_singlex4(
        max_singlex4(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1)));
}
static inline __attribute__((always_inline)) void transpose_singlex8(
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
static inline v_singlex8 spread_singlex8(const float *p, const int bit)
{
    const __m256 x = _mm256_broadcast_ps((const __m128 *)p);
    if (bit == 0)
        return _mm256_permutevar8x32_ps(x, _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3));
    if (bit == 1)
        return _mm256_permutevar8x32_ps(x, _mm256_setr_epi32(0, 1, 0, 1, 2, 3, 2, 3));
    return x;
}
