/* Vectors of WIDTH doubles in plain C, of numbers that are doubles or floats in memory:
   plain_body.h includes this file for both widths, with X(name) for name4 and then for name8. */

typedef struct { double x[WIDTH]; } X(vec);
static inline X(vec) X(set)(double x)
{
    X(vec) v;
    for (int i = 0; i < WIDTH; i++)
        v.x[i] = x;
    return v;
}
static inline X(vec) X(load)(const REAL *p)
{
    X(vec) v;
    for (int i = 0; i < WIDTH; i++)
        v.x[i] = p[i];
    return v;
}
static inline void X(store)(REAL *p, X(vec) v)
{
    for (int i = 0; i < WIDTH; i++)
        p[i] = (REAL)v.x[i];
}
static inline X(vec) X(max)(X(vec) a, X(vec) b)
{
    for (int i = 0; i < WIDTH; i++)
        a.x[i] = b.x[i] > a.x[i] ? b.x[i] : a.x[i];
    return a;
}
static inline X(vec) X(mul)(X(vec) a, X(vec) b)
{
    for (int i = 0; i < WIDTH; i++)
        a.x[i] *= b.x[i];
    return a;
}
static inline X(vec) X(fma)(X(vec) a, X(vec) b, X(vec) c)
{
    for (int i = 0; i < WIDTH; i++)
        c.x[i] += a.x[i] * b.x[i];
    return c;
}
static inline X(vec) X(mask_below)(int n)
{
    X(vec) v;
    for (int i = 0; i < WIDTH; i++)
        v.x[i] = i < n ? 1.0 : 0.0;
    return v;
}
static inline X(vec) X(distance)(X(vec) a, X(vec) b, X(vec) valid)
{
    for (int i = 0; i < WIDTH; i++)
        a.x[i] = fabs(a.x[i] - b.x[i]) * valid.x[i];
    return a;
}
static inline double X(largest)(X(vec) a)
{
    double m = a.x[0];
    for (int i = 1; i < WIDTH; i++)
        m = a.x[i] > m ? a.x[i] : m;
    return m;
}
static inline X(vec) X(spread)(const REAL *p, int bit)
{
    X(vec) v;
    for (int i = 0; i < WIDTH; i++)
        v.x[i] = p[without_bit(i, bit)];
    return v;
}
static inline void X(transpose)(
    const REAL *f, int64_t stride, REAL *g, int64_t to_stride, int n_rows, int n_columns)
{
    n_rows = n_rows < WIDTH ? n_rows : WIDTH;
    n_columns = n_columns < WIDTH ? n_columns : WIDTH;
    for (int r = 0; r < n_rows; r++)
        for (int c = 0; c < n_columns; c++)
            g[c * to_stride + r] = WHOLE - f[r * stride + c];
}
