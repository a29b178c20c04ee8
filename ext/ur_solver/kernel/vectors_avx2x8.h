/* Vectors of eight doubles by AVX2, two of four. */

#ifndef UR_VECTORS_AVX2X8_H
#define UR_VECTORS_AVX2X8_H

#include "vectors_avx2x4.h"

typedef struct { vec4 a, b; } vec8;
static inline vec8 set8(double x) { return (vec8){set4(x), set4(x)}; }
static inline vec8 load8(const REAL *p)
{
    return (vec8){load4(p), load4(p + 4)};
}
static inline void store8(REAL *p, vec8 v)
{
    store4(p, v.a);
    store4(p + 4, v.b);
}
static inline vec8 max8(vec8 x, vec8 y)
{
    return (vec8){max4(x.a, y.a), max4(x.b, y.b)};
}
static inline vec8 min8(vec8 x, vec8 y)
{
    return (vec8){min4(x.a, y.a), min4(x.b, y.b)};
}
static inline vec8 mul8(vec8 x, vec8 y)
{
    return (vec8){mul4(x.a, y.a), mul4(x.b, y.b)};
}
static inline vec8 fma8(vec8 x, vec8 y, vec8 z)
{
    return (vec8){fma4(x.a, y.a, z.a), fma4(x.b, y.b, z.b)};
}
static inline vec8 mask_below8(int n)
{
    return (vec8){mask_below4(n), mask_below4(n - 4)};
}
static inline vec8 distance8(vec8 x, vec8 y, vec8 valid)
{
    return (vec8){
        distance4(x.a, y.a, valid.a), distance4(x.b, y.b, valid.b)};
}
static inline vec8 select8(vec8 valid, vec8 x, vec8 y)
{
    return (vec8){select4(valid.a, x.a, y.a), select4(valid.b, x.b, y.b)};
}
static inline double largest8(vec8 x) { return largest4(max4(x.a, x.b)); }
static inline vec8 spread8(const REAL *p, const int bit)
{
    const __m256d x = load4(p);
    if (bit == 0)
        return (vec8){_mm256_permute4x64_pd(x, 0x50), _mm256_permute4x64_pd(x, 0xFA)};
    if (bit == 1)
        return (vec8){_mm256_permute4x64_pd(x, 0x44), _mm256_permute4x64_pd(x, 0xEE)};
    return (vec8){x, x};
}
static inline __attribute__((always_inline)) void transpose8(
    const REAL *f, const int64_t stride, REAL *g, const int64_t to_stride, const int n_rows,
    const int n_columns)
{
    for (int r = 0; r < 8 && r < n_rows; r += 4)
        for (int c = 0; c < 8 && c < n_columns; c += 4)
            transpose4(
                f + r * stride + c, stride, g + c * to_stride + r, to_stride, n_rows - r,
                n_columns - c);
}

#endif
