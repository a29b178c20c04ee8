/* Values as the engine and other blocks have them: in double precision, in
   rank order; and the record that hands all out. Included last, with

       UR_MIDDLE        what is taken off a value before it is stored
       UR_SWEEPER       the record's name */

/* The least number of the type that is not below another. */
UR_INLINE REAL at_least(double number)
{
    const REAL near = (REAL)number;
    return near < number ? UR_NEXT(near, INFINITY) : near;
}

static void bracket(
    void *upper, void *lower, const double *ranked, double distance, int64_t from, int64_t n)
{
    REAL *above = (REAL *)upper + from, *below = (REAL *)lower + from;
    ranked += from;
    for (int64_t k = 0; k < n; k++) {
        /* two operations, each rounded to nearest */
        above[k] = at_least(
            nextafter(nextafter(ranked[k] - UR_MIDDLE, INFINITY) + distance, INFINITY));
        below[k] = -at_least(
            -nextafter(nextafter(ranked[k] - UR_MIDDLE, -INFINITY) - distance, -INFINITY));
    }
}

/* In the rounding mode upward. */
UR_APART double width_upward(
    const REAL *upper, const REAL *lower, const double *ranked, int64_t n, int64_t *where)
{
    double width = -1.0;
    for (int64_t k = 0; k < n; k++) {
        const double above = upper[k] + (UR_MIDDLE - ranked[k]);
        const double below = (ranked[k] - UR_MIDDLE) - lower[k];
        const double off = above > below ? above : below;
        if (off > width) {
            width = off;
            *where = k;
        }
    }
    return width;
}

static double width(
    const void *upper, const void *lower, const double *ranked, int64_t n, int64_t *where)
{
    const int mode = fegetround();
    fesetround(FE_UPWARD);
    const double found = width_upward(upper, lower, ranked, n, where);
    fesetround(mode);
    return found;
}

static void load(void *values, const double *ranked, int64_t from, int64_t n)
{
    REAL *own = (REAL *)values + from;
    ranked += from;
    for (int64_t k = 0; k < n; k++)
        own[k] = (REAL)(ranked[k] - UR_MIDDLE);
}

static void store(const void *values, double *ranked, int64_t from, int64_t n)
{
    const REAL *own = (const REAL *)values + from;
    ranked += from;
    for (int64_t k = 0; k < n; k++)
        ranked[k] = own[k] + UR_MIDDLE;
}

static void extrapolate(
    void *values, const void *before, double factor, int64_t from, int64_t n)
{
    REAL *own = (REAL *)values + from;
    const REAL *old = (const REAL *)before + from, times = (REAL)factor;
    for (int64_t k = 0; k < n; k++)
        own[k] += times * (own[k] - old[k]);
}

static void sample(const void *values, double *ranked, int64_t step, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        ranked[k] = ((const REAL *)values)[k * step] + UR_MIDDLE;
}

const RowSweeper UR_SWEEPER = {
    .value_size = sizeof(REAL),
    .scratch_bytes = scratch_bytes,
    .sweep = sweep,
    .residual = residual,
    .narrow = narrow,
    .show = show,
    .width = width,
    .bracket = bracket,
    .load = load,
    .store = store,
    .extrapolate = extrapolate,
    .sample = sample,
};
