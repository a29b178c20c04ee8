/* Vectors of LANES doubles in plain C. */

typedef struct { double x[LANES]; } v8_plain;
static inline v8_plain set_plain(double x)
{
    v8_plain v;
    for (int i = 0; i < LANES; i++)
        v.x[i] = x;
    return v;
}
static inline v8_plain load_plain(const double *p)
{
    v8_plain v;
    memcpy(v.x, p, sizeof v.x);
    return v;
}
static inline void store_plain(double *p, v8_plain v) { memcpy(p, v.x, sizeof v.x); }
static inline v8_plain max_plain(v8_plain a, v8_plain b)
{
    for (int i = 0; i < LANES; i++)
        a.x[i] = b.x[i] > a.x[i] ? b.x[i] : a.x[i];
    return a;
}
static inline v8_plain mul_plain(v8_plain a, v8_plain b)
{
    for (int i = 0; i < LANES; i++)
        a.x[i] *= b.x[i];
    return a;
}
static inline v8_plain fma_plain(v8_plain a, v8_plain b, v8_plain c)
{
    for (int i = 0; i < LANES; i++)
        c.x[i] += a.x[i] * b.x[i];
    return c;
}
static inline v8_plain lanes_below_plain(int n)
{
    v8_plain v;
    for (int i = 0; i < LANES; i++)
        v.x[i] = i < n ? 1.0 : 0.0;
    return v;
}
static inline v8_plain distance_plain(v8_plain a, v8_plain b, v8_plain valid)
{
    for (int i = 0; i < LANES; i++)
        a.x[i] = fabs(a.x[i] - b.x[i]) * valid.x[i];
    return a;
}
static inline double largest_plain(v8_plain a)
{
    double m = a.x[0];
    for (int i = 1; i < LANES; i++)
        m = a.x[i] > m ? a.x[i] : m;
    return m;
}
static inline void transpose_plain(
    const double *f, int64_t stride, double *g, int64_t to_stride, int n_rows, int n_columns)
{
    n_rows = n_rows < LANES ? n_rows : LANES;
    n_columns = n_columns < LANES ? n_columns : LANES;
    for (int r = 0; r < n_rows; r++)
        for (int c = 0; c < n_columns; c++)
            g[c * to_stride + r] = 1.0 - f[r * stride + c];
}
static inline v8_plain spread_plain(const double *p, int bit)
{
    v8_plain v;
    for (int i = 0; i < LANES; i++)
        v.x[i] = p[without_bit(i, bit)];
    return v;
}
