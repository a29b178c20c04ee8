/* Vectors of WIDTH numbers. vectors.h includes this file once a width, with

     X(name), HALF(name)   the names of this width and of half of it
     UR_REPEAT(x)          x, WIDTH times
     UR_COUNT              0 to WIDTH - 1
     UR_SWAPPED and the like
                           0 to WIDTH - 1, neighbours changed for each other
     UR_INTERLEAVED_LOW and the like, UR_TRANSPOSED
                           the steps of a transposition, and the columns that its results are */

#if WIDTH * UR_SUM_BYTES <= UR_VECTOR_BYTES

#define UR_BYTES (WIDTH * UR_SUM_BYTES)
#define UR_MASKED (UR_BYTES == 64)   /* comparisons make masks of bits */
#if UR_BYTES == 64
#define UR_OP UR_OF_64
#elif UR_BYTES == 32
#define UR_OP UR_OF_32
#elif UR_BYTES == 16 && defined(UR_OF_16)
#define UR_OP UR_OF_16
#endif

typedef SUM X(vec) __attribute__((vector_size(UR_BYTES)));
typedef BITS X(bits) __attribute__((vector_size(UR_BYTES)));
/* in memory, anywhere */
typedef REAL X(reals)
    __attribute__((vector_size(WIDTH * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));
typedef SUM X(sums) __attribute__((vector_size(UR_BYTES), aligned(sizeof(SUM)), may_alias));
#if UR_MASKED
typedef __mmask8 X(mask);
#else
typedef X(bits) X(mask);
#endif

UR_INLINE X(vec) X(set)(SUM x)
{
    return (X(vec)){UR_REPEAT(x)};
}

UR_INLINE X(vec) X(load)(const REAL *p)
{
#if UR_FLOATS == UR_FLOAT_SUMS
    return *(const X(reals) *)p;
#elif UR_BYTES == 32
    return _mm256_cvtps_pd(_mm_loadu_ps(p)); /* compilers convert the halves */
#else
    return __builtin_convertvector(*(const X(reals) *)p, X(vec));
#endif
}

UR_INLINE void X(store)(REAL *p, X(vec) v)
{
#if UR_FLOATS == UR_FLOAT_SUMS
    *(X(reals) *)p = v;
#elif UR_BYTES == 32
    _mm_storeu_ps(p, _mm256_cvtpd_ps(v));
#else
    *(X(reals) *)p = __builtin_convertvector(v, X(reals));
#endif
}

UR_INLINE void X(store_sums)(SUM *p, X(vec) v)
{
    *(X(sums) *)p = v;
}

UR_INLINE X(vec) X(mul)(X(vec) x, X(vec) y)
{
    return x * y;
}

/* Whether the first is above the second. */
UR_INLINE X(mask) X(above)(X(vec) x, X(vec) y)
{
#if UR_MASKED
    return _mm512_cmp_pd_mask(x, y, _CMP_GT_OQ);
#else
    return x > y;
#endif
}

/* The first n numbers. */
UR_INLINE X(mask) X(below)(int n)
{
#if UR_MASKED
    return n >= WIDTH ? 0xFF : n <= 0 ? 0 : (X(mask))((1u << n) - 1);
#else
    return (X(bits)){UR_COUNT} < (X(bits)){UR_REPEAT(n)};
#endif
}

UR_INLINE X(vec) X(select)(X(mask) mask, X(vec) yes, X(vec) no)
{
#if UR_MASKED
    return _mm512_mask_blend_pd(mask, no, yes);
#elif UR_BYTES == 32
    return UR_OP(blendv)(no, yes, (X(vec))mask);
#else
    return (X(vec))((mask & (X(bits))yes) | (~mask & (X(bits))no));
#endif
}

UR_INLINE X(vec) X(max)(X(vec) x, X(vec) y)
{
#ifdef UR_OP
    return UR_OP(max)(x, y);
#else
    return X(select)(X(above)(x, y), x, y);
#endif
}

UR_INLINE X(vec) X(min)(X(vec) x, X(vec) y)
{
#ifdef UR_OP
    return UR_OP(min)(x, y);
#else
    return X(select)(X(above)(x, y), y, x);
#endif
}

/* x y + z, in one operation where the set has it. */
UR_INLINE X(vec) X(fma)(X(vec) x, X(vec) y, X(vec) z)
{
#if UR_BYTES > 8 && UR_VECTOR_BYTES > 16
    return UR_OP(fmadd)(x, y, z);
#elif UR_BYTES == 16 && defined(__aarch64__)
    return UR_OP(fma)(z, x, y);
#else
    return x * y + z;
#endif
}

/* How far the valid ones of two vectors are from each other. */
UR_INLINE X(vec) X(distance)(X(vec) x, X(vec) y, X(mask) valid)
{
    const BITS sign = (BITS)1 << (8 * UR_SUM_BYTES - 1);
    const X(vec) apart = (X(vec))((X(bits))(x - y) & ~(X(bits)){UR_REPEAT(sign)});
    return X(select)(valid, apart, (X(vec)){0});
}

#if WIDTH > 1
/* Neighbours changed for each other. */
UR_INLINE X(vec) X(swap)(X(vec) x)
{
    return __builtin_shufflevector(x, x, UR_SWAPPED);
}
#endif

UR_INLINE SUM X(largest)(X(vec) x)
{
#if WIDTH > 4
    x = X(max)(x, __builtin_shufflevector(x, x, UR_SWAPPED_FOURS));
#endif
#if WIDTH > 2
    x = X(max)(x, __builtin_shufflevector(x, x, UR_SWAPPED_PAIRS));
#endif
#if WIDTH > 1
    x = X(max)(x, X(swap)(x));
#endif
    return x[0];
}

/* `whole` less some rows of WIDTH or fewer, the other way round. The last row stands for those past
   n_rows, which end up in the padding of g's rows; columns past n_columns are not written. */
UR_INLINE void X(transpose)(
    const REAL *f, const int64_t stride, REAL *g, const int64_t to_stride, const int n_rows,
    const int n_columns, const SUM whole)
{
#ifdef UR_TRANSPOSED
    static const int column[WIDTH] = {UR_TRANSPOSED};
#else
    static const int column[WIDTH] = {UR_COUNT};
#endif
    X(vec) row[WIDTH];
#pragma GCC unroll 8
    for (int i = 0; i < WIDTH; i++)
        row[i] = X(set)(whole) - X(load)(f + (i < n_rows ? i : n_rows - 1) * stride);
#define UR_STEP(step, low, high)                                                               \
    _Pragma("GCC unroll 8") for (int i = 0; i < WIDTH; i++) if (!(i & step))                   \
    {                                                                                          \
        const X(vec) a = row[i], b = row[i + step];                                            \
        row[i] = __builtin_shufflevector(a, b, low);                                           \
        row[i + step] = __builtin_shufflevector(a, b, high);                                   \
    }
#if WIDTH > 1
    UR_STEP(1, UR_INTERLEAVED_LOW, UR_INTERLEAVED_HIGH)
#endif
#if WIDTH > 2
    UR_STEP(2, UR_PAIRS_LOW, UR_PAIRS_HIGH)
#endif
#if WIDTH > 4
    UR_STEP(4, UR_FOURS_LOW, UR_FOURS_HIGH)
#endif
#undef UR_STEP
#pragma GCC unroll 8
    for (int i = 0; i < WIDTH; i++)
        if (column[i] < n_columns)
            X(store)(g + column[i] * to_stride, row[i]);
}

#undef UR_BYTES
#undef UR_MASKED
#undef UR_OP

#else

typedef struct { HALF(vec) a, b; } X(vec);
typedef struct { HALF(mask) a, b; } X(mask);

UR_INLINE X(vec) X(set)(SUM x)
{
    return (X(vec)){HALF(set)(x), HALF(set)(x)};
}

UR_INLINE X(vec) X(load)(const REAL *p)
{
    return (X(vec)){HALF(load)(p), HALF(load)(p + WIDTH / 2)};
}

UR_INLINE void X(store)(REAL *p, X(vec) v)
{
    HALF(store)(p, v.a);
    HALF(store)(p + WIDTH / 2, v.b);
}

UR_INLINE X(vec) X(mul)(X(vec) x, X(vec) y)
{
    return (X(vec)){HALF(mul)(x.a, y.a), HALF(mul)(x.b, y.b)};
}

UR_INLINE X(mask) X(below)(int n)
{
    return (X(mask)){HALF(below)(n), HALF(below)(n - WIDTH / 2)};
}

UR_INLINE X(vec) X(select)(X(mask) mask, X(vec) yes, X(vec) no)
{
    return (X(vec)){HALF(select)(mask.a, yes.a, no.a), HALF(select)(mask.b, yes.b, no.b)};
}

UR_INLINE X(vec) X(max)(X(vec) x, X(vec) y)
{
    return (X(vec)){HALF(max)(x.a, y.a), HALF(max)(x.b, y.b)};
}

UR_INLINE X(vec) X(min)(X(vec) x, X(vec) y)
{
    return (X(vec)){HALF(min)(x.a, y.a), HALF(min)(x.b, y.b)};
}

UR_INLINE X(vec) X(fma)(X(vec) x, X(vec) y, X(vec) z)
{
    return (X(vec)){HALF(fma)(x.a, y.a, z.a), HALF(fma)(x.b, y.b, z.b)};
}

UR_INLINE X(vec) X(distance)(X(vec) x, X(vec) y, X(mask) valid)
{
    return (X(vec)){HALF(distance)(x.a, y.a, valid.a), HALF(distance)(x.b, y.b, valid.b)};
}

UR_INLINE SUM X(largest)(X(vec) x)
{
    return HALF(largest)(HALF(max)(x.a, x.b));
}

UR_INLINE void X(transpose)(
    const REAL *f, const int64_t stride, REAL *g, const int64_t to_stride, const int n_rows,
    const int n_columns, const SUM whole)
{
#pragma GCC unroll 2
    for (int r = 0; r < WIDTH; r += WIDTH / 2)
#pragma GCC unroll 2
        for (int c = 0; c < WIDTH; c += WIDTH / 2)
            if (r < n_rows && c < n_columns)
                HALF(transpose)(
                    f + r * stride + c, stride, g + c * to_stride + r, to_stride, n_rows - r,
                    n_columns - c, whole);
}

#endif

#undef WIDTH
#undef X
#undef HALF
#undef UR_REPEAT
#undef UR_COUNT
#undef UR_SWAPPED
#undef UR_SWAPPED_PAIRS
#undef UR_SWAPPED_FOURS
#undef UR_INTERLEAVED_LOW
#undef UR_INTERLEAVED_HIGH
#undef UR_PAIRS_LOW
#undef UR_PAIRS_HIGH
#undef UR_FOURS_LOW
#undef UR_FOURS_HIGH
#undef UR_TRANSPOSED
