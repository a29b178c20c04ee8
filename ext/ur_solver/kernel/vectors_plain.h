/* Vectors of WIDTH doubles in plain C: included once for each width, with X(name) defined. */

typedef struct { double x[WIDTH]; } X(v);
static inline X(v) X(set)(double x)
{
    X(v) v;
    for (int i = 0; i < WIDTH; i++)
        v.x[i] = x;
    return v;
}
static inline X(v) X(load)(const double *p)
{
    X(v) v;
    memcpy(v.x, p, sizeof v.x);
    return v;
}
static inline void X(store)(double *p, X(v) v) { memcpy(p, v.x, sizeof v.x); }
static inline X(v) X(max)(X(v) a, X(v) b)
{
    for (int i = 0; i < WIDTH; i++)
        a.x[i] = b.x[i] > a.x[i] ? b.x[i] : a.x[i];
    return a;
}
static inline X(v) X(mul)(X(v) a, X(v) b)
{
    for (int i = 0; i < WIDTH; i++)
        a.x[i] *= b.x[i];
    return a;
}
static inline X(v) X(fma)(X(v) a, X(v) b, X(v) c)
{
    for (int i = 0; i < WIDTH; i++)
        c.x[i] += a.x[i] * b.x[i];
    return c;
}
static inline X(v) X(lanes_below)(int n)
{
    X(v) v;
    for (int i = 0; i < WIDTH; i++)
        v.x[i] = i < n ? 1.0 : 0.0;
    return v;
}
static inline X(v) X(distance)(X(v) a, X(v) b, X(v) valid)
{
    for (int i = 0; i < WIDTH; i++)
        a.x[i] = fabs(a.x[i] - b.x[i]) * valid.x[i];
    return a;
}
static inline double X(largest)(X(v) a)
{
    double m = a.x[0];
    for (int i = 1; i < WIDTH; i++)
        m = a.x[i] > m ? a.x[i] : m;
    return m;
}
static inline X(v) X(spread)(const double *p, int bit)
{
    X(v) v;
    for (int i = 0; i < WIDTH; i++)
        v.x[i] = p[without_bit(i, bit)];
    return v;
}
static inline void X(transpose)(
    const double *f, int64_t stride, double *g, int64_t to_stride, int n_rows, int n_columns)
{
    n_rows = n_rows < WIDTH ? n_rows : WIDTH;
    n_columns = n_columns < WIDTH ? n_columns : WIDTH;
    for (int r = 0; r < n_rows; r++)
        for (int c = 0; c < n_columns; c++)
            g[c * to_stride + r] = 1.0 - f[r * stride + c];
}
