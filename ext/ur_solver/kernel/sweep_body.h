/* The sweep, once for each instruction set: included with VEC(name) defined, and UR_LANE
   where the rows of a lane are to be unrolled. */

static inline const double *VEC(matrix)(const double *buffer, MatrixRef ref)
{
    return buffer + (int64_t)(ref >> 8) * LANES;
}

#if UR_LANE
/* ---- the lane: four entry squares, everything about rows known to the compiler ---- */

static inline __attribute__((always_inline)) const double *VEC(best_of)(
    const double *buffer, const MatrixRef *move, int n_moves, int rows, int vectors,
    double *scratch)
{
    /* The elementwise best of some matrices, as a matrix of `vectors` a row: one of them
       itself if it is the only one and has that shape. */
    if (n_moves == 0)
        return NO_MOVE;
    if (n_moves == 1 && (int)(move[0] & 255) == vectors)
        return VEC(matrix)(buffer, move[0]);
    const double *a = VEC(matrix)(buffer, move[0]);
    const int64_t a_stride = (int64_t)(move[0] & 255) * LANES;
    if (n_moves == 1) {
        for (int r = 0; r < rows; r++, a += a_stride)
            for (int v = 0; v < vectors; v++)
                VEC(store)(scratch + (r * vectors + v) * LANES, VEC(load)(a + v * LANES));
        return scratch;
    }
    for (int k = 1; k < n_moves; k += 2) {
        /* two more at a time: a itself holds what came before */
        const double *b = VEC(matrix)(buffer, move[k]);
        const int64_t b_stride = (int64_t)(move[k] & 255) * LANES;
        double *to = scratch;
        if (k + 1 < n_moves) {
            const double *c = VEC(matrix)(buffer, move[k + 1]);
            const int64_t c_stride = (int64_t)(move[k + 1] & 255) * LANES;
            const double *from = k == 1 ? a : scratch;
            const int64_t stride = k == 1 ? a_stride : (int64_t)vectors * LANES;
            for (int r = 0; r < rows; r++) {
                for (int v = 0; v < vectors; v++)
                    VEC(store)
                    (to + v * LANES,
                     VEC(max)(VEC(max)(VEC(load)(from + v * LANES), VEC(load)(b + v * LANES)),
                              VEC(load)(c + v * LANES)));
                from += stride, b += b_stride, c += c_stride, to += vectors * LANES;
            }
        } else {
            const double *from = k == 1 ? a : scratch;
            const int64_t stride = k == 1 ? a_stride : (int64_t)vectors * LANES;
            for (int r = 0; r < rows; r++) {
                for (int v = 0; v < vectors; v++)
                    VEC(store)
                    (to + v * LANES,
                     VEC(max)(VEC(load)(from + v * LANES), VEC(load)(b + v * LANES)));
                from += stride, b += b_stride, to += vectors * LANES;
            }
        }
    }
    return scratch;
}

static inline __attribute__((always_inline)) void VEC(prepare_lane)(
    const Program *program, const Tile *tile, const double *buffer, Frame *frame,
    const int pieces, const int rows, const int rows_after, const int vectors,
    const int throws)
{
    /* The best of the moves that leave the tile, by throw and row. `pieces` (5 for more),
       `rows` (`rows_after` with a piece less), `vectors` and `throws` are constants after
       inlining, and with them the list of every row's moves. */
    double scratch[LANE_ROWS * 2 * LANES] __attribute__((aligned(64)));
    double reshaped[LANE_SQUARES][LANE_ROWS * 2 * LANES] __attribute__((aligned(64)));
    const MatrixRef *move = program->moves + tile->first_move;
    const MatrixRef *slots = program->slots + tile->first_slot;
#pragma GCC unroll 4
    for (int n = 0; n < throws; n++) {
        const double *to[LANE_SQUARES + 1];
        const double *best =
            VEC(best_of)(buffer, move, tile->n_moves[n], rows, vectors, scratch);
        move += tile->n_moves[n];
        /* source 0 is home, source k the entry square k - 1 */
#pragma GCC unroll 5
        for (int source = LANE_SQUARES - n; source <= LANE_SQUARES; source++) {
            const MatrixRef ref = slots[program->lane_slot[n][source]];
            to[source] = ref ? VEC(matrix)(buffer, ref) : NO_MOVE;
            if (ref && (int)(ref & 255) != vectors) {
                double *copy = reshaped[source - 1];
                const int64_t stride = (int64_t)(ref & 255) * LANES;
                for (int r = 0; r < rows_after; r++)
                    for (int v = 0; v < vectors; v++)
                        VEC(store)
                        (copy + (r * vectors + v) * LANES,
                         VEC(load)(to[source] + r * stride + v * LANES));
                to[source] = copy;
            }
        }
#pragma GCC unroll 16
        for (int r = 0; r < rows; r++) {
            const int offset = r * vectors * LANES;
#pragma GCC unroll 2
            for (int v = 0; v < vectors; v++) {
                VEC(v8) row = VEC(load)(best + offset + v * LANES);
#pragma GCC unroll 5
                for (int source = LANE_SQUARES - n; source <= LANE_SQUARES; source++) {
                    if (!(LANE_MASK[r] >> (source - 1) & 1))
                        continue;
                    const int after = LANE_ROW[LANE_MASK[r] & ~(1 << (source - 1))];
                    row = VEC(max)(
                        row, VEC(load)(to[source] + (after * vectors + v) * LANES));
                }
                VEC(store)(frame->best[n] + offset + v * LANES, row);
            }
        }
    }
}

static inline __attribute__((always_inline)) void VEC(update_lane)(
    const Program *program, const Tile *tile, double *buffer, const Frame *frame, int store,
    VEC(v8) * delta, const int pieces, const int rows, const int vectors, const int throws)
{
    /* The constants are those of `prepare_lane`. */
    double *f = buffer + tile->f * LANES;
    double *g = f + (int64_t)rows * vectors * LANES;
    const uint8_t *pass_bits = program->pass_bits + tile->first_row;
    const double *own[LANE_SQUARES][LANE_SQUARES];
#pragma GCC unroll 4
    for (int n = 0; n < throws; n++)
#pragma GCC unroll 4
        for (int target = n; target < LANE_SQUARES; target++)
            own[n][target] = program->lane_again[n] >> target & 1 ? f : g;
    const VEC(v8) valid0 = VEC(lanes_below)(tile->n_columns);
    const VEC(v8) valid1 = VEC(lanes_below)(tile->n_columns - LANES);
#pragma GCC unroll 16
    for (int k = 0; k < LANE_ROWS; k++) {
        const int r = LANE_ORDER[k];
        if (r >= rows)
            continue;
        const int mask = LANE_MASK[r], offset = r * vectors * LANES;
        const int bits = pass_bits[r];
        const double *chance = program->chance[bits];
        const VEC(v8) pass_chance = VEC(set)(program->pass_chance[bits]);
        VEC(v8) sum0 = VEC(mul)(pass_chance, VEC(load)(g + offset)), sum1 = sum0;
        if (vectors > 1)
            sum1 = VEC(mul)(pass_chance, VEC(load)(g + offset + LANES));
#pragma GCC unroll 4
        for (int n = 0; n < throws; n++) {
            VEC(v8) best0 = VEC(load)(frame->best[n] + offset), best1 = best0;
            if (vectors > 1)
                best1 = VEC(load)(frame->best[n] + offset + LANES);
#pragma GCC unroll 5
            for (int source = 0; source + n < LANE_SQUARES; source++) {
                const int target = source + n;
                if (source == 0 ? LANE_PIECES[r] >= pieces : !(mask >> (source - 1) & 1))
                    continue;
                if (mask >> target & 1)
                    continue;
                const int left = source == 0 ? mask : mask & ~(1 << (source - 1));
                const double *from =
                    own[n][target] + LANE_ROW[left | 1 << target] * vectors * LANES;
                best0 = VEC(max)(best0, VEC(load)(from));
                if (vectors > 1)
                    best1 = VEC(max)(best1, VEC(load)(from + LANES));
            }
            const VEC(v8) weight = VEC(set)(chance[n]);
            sum0 = VEC(fma)(weight, best0, sum0);
            if (vectors > 1)
                sum1 = VEC(fma)(weight, best1, sum1);
        }
        *delta = VEC(max)(*delta, VEC(distance)(sum0, VEC(load)(f + offset), valid0));
        if (vectors > 1)
            *delta = VEC(max)(*delta, VEC(distance)(sum1, VEC(load)(f + offset + LANES), valid1));
        if (store) {
            VEC(store)(f + offset, sum0);
            if (vectors > 1)
                VEC(store)(f + offset + LANES, sum1);
        }
    }
}

#define LANE_CASE(pieces_, rows_, after_, vectors_, throws_)                                   \
    static void VEC(prepare_##pieces_##_##vectors_##_##throws_)(                               \
        const Program *program, const Tile *tile, const double *buffer, Frame *frame)          \
    {                                                                                          \
        VEC(prepare_lane)                                                                      \
        (program, tile, buffer, frame, pieces_, rows_, after_, vectors_, throws_);             \
    }                                                                                          \
    static VEC(v8) VEC(update_##pieces_##_##vectors_##_##throws_)(                             \
        const Program *program, const Tile *tile, double *buffer, const Frame *frame,          \
        int store)                                                                             \
    {                                                                                          \
        VEC(v8) delta = VEC(set)(0.0);                                                         \
        VEC(update_lane)                                                                       \
        (program, tile, buffer, frame, store, &delta, pieces_, rows_, vectors_, throws_);      \
        return delta;                                                                          \
    }
#define LANE_CASES(pieces_, rows_, after_)                                                     \
    LANE_CASE(pieces_, rows_, after_, 1, 3)                                                    \
    LANE_CASE(pieces_, rows_, after_, 1, 4)                                                    \
    LANE_CASE(pieces_, rows_, after_, 2, 3)                                                    \
    LANE_CASE(pieces_, rows_, after_, 2, 4)
LANE_CASES(0, 1, 0)
LANE_CASES(1, 5, 1)
LANE_CASES(2, 11, 5)
LANE_CASES(3, 15, 11)
LANE_CASES(4, 16, 15)
LANE_CASES(5, 16, 16)
#undef LANE_CASE
#undef LANE_CASES

typedef void (*VEC(Prepare))(const Program *, const Tile *, const double *, Frame *);
typedef VEC(v8) (*VEC(Update))(const Program *, const Tile *, double *, const Frame *, int);
#define LANE_LIST(what, vectors, throws)                                                       \
    {VEC(what##_0_##vectors##_##throws), VEC(what##_1_##vectors##_##throws),                   \
     VEC(what##_2_##vectors##_##throws), VEC(what##_3_##vectors##_##throws),                   \
     VEC(what##_4_##vectors##_##throws), VEC(what##_5_##vectors##_##throws)}
/* by throws (3, 4), vectors (1, 2), pieces */
static const VEC(Prepare) VEC(prepare)[2][2][6] = {
    {LANE_LIST(prepare, 1, 3), LANE_LIST(prepare, 2, 3)},
    {LANE_LIST(prepare, 1, 4), LANE_LIST(prepare, 2, 4)}};
static const VEC(Update) VEC(update)[2][2][6] = {
    {LANE_LIST(update, 1, 3), LANE_LIST(update, 2, 3)},
    {LANE_LIST(update, 1, 4), LANE_LIST(update, 2, 4)}};
#undef LANE_LIST
#endif

/* ---- any other set of rows: their moves are read from lists ---- */

static void VEC(update_rows)(
    const Program *program, const Tile *tile, double *buffer, int column, int store,
    VEC(v8) * delta)
{
    /* All rows of one tile, over 8 columns from `column` on. */
    const int64_t stride = (int64_t)tile->vectors * LANES;
    double *f = buffer + tile->f * LANES + column;
    double *g = f + tile->n_rows * stride;
    const int half = tile->half, n_throws = program->n_throws;
    const int max_rows = program->max_rows[half];
    const RowMoves *lists =
        program->row_moves[half] + (int64_t)tile->pattern * 2 * max_rows * n_throws;
    const VEC(v8) valid = VEC(lanes_below)(tile->n_columns - column);
    const MatrixRef own[2] = {
        ((uint64_t)(tile->f + (int64_t)tile->n_rows * tile->vectors) << 8) | tile->vectors,
        ((uint64_t)tile->f << 8) | tile->vectors,
    };
    const MatrixRef *slots = program->slots + tile->first_slot;
    for (int k = 0; k < max_rows; k++) {
        const int r = program->row_order[half][k];
        if (r >= tile->n_rows)
            continue;
        const int home_empty = program->row_pieces[half][r] == tile->pieces;
        const RowMoves *list = lists + ((int64_t)home_empty * max_rows + r) * n_throws;
        const int pass = program->pass_bits[tile->first_row + r];
        VEC(v8) sum = VEC(mul)(VEC(set)(program->pass_chance[pass]), VEC(load)(g + r * stride));
        const MatrixRef *move = program->moves + tile->first_move;
        for (int n = 0; n < n_throws; n++, list++) {
            const MatrixRef *end = move + tile->n_moves[n];
            VEC(v8) best = VEC(set)(-1.0);
            for (; move < end; move++)
                best = VEC(max)(
                    best, VEC(load)(VEC(matrix)(buffer, *move) +
                                    (int64_t)(*move & 255) * LANES * r + column));
            for (int i = 0; i < list->n; i++) {
                const int s = list->slot[i];
                const MatrixRef ref = s < 2 ? own[s] : slots[s - 2];
                best = VEC(max)(
                    best, VEC(load)(VEC(matrix)(buffer, ref) +
                                    (int64_t)(ref & 255) * LANES * list->row[i] + column));
            }
            sum = VEC(fma)(VEC(set)(program->chance[pass][n]), best, sum);
        }
        *delta = VEC(max)(*delta, VEC(distance)(sum, VEC(load)(f + r * stride), valid));
        if (store)
            VEC(store)(f + r * stride, sum);
    }
}

/* ---- one tile, whichever rows it has ---- */

static void VEC(prepare_tile)(
    const Program *program, const Tile *tile, const double *buffer, Frame *frame)
{
#if UR_LANE
    if (program->is_lane[tile->half])
        VEC(prepare)
        [program->n_throws - 3][tile->vectors - 1][tile->pieces < 5 ? tile->pieces : 5](
            program, tile, buffer, frame);
#else
    (void)program, (void)tile, (void)buffer, (void)frame;
#endif
}

static double VEC(update_tile)(
    const Program *program, const Tile *tile, double *buffer, const Frame *frame, int store)
{
#if UR_LANE
    if (program->is_lane[tile->half])
        return VEC(largest)(
            VEC(update)[program->n_throws - 3][tile->vectors - 1]
                       [tile->pieces < 5 ? tile->pieces : 5](
                           program, tile, buffer, frame, store));
#else
    (void)frame;
#endif
    VEC(v8) delta = VEC(set)(0.0);
    for (int column = 0; column < tile->vectors * LANES; column += LANES)
        VEC(update_rows)(program, tile, buffer, column, store, &delta);
    return VEC(largest)(delta);
}

/* ---- whole tiles ---- */

static __attribute__((noinline)) void VEC(show_in)(
    const Tile *tile, const Tile *mirror, const double *buffer, double *other)
{
    /* G of the mirrored tile, in another buffer, from F of this one. */
    const int64_t stride = (int64_t)tile->vectors * LANES;
    const int64_t to_stride = (int64_t)mirror->vectors * LANES;
    const double *f = buffer + tile->f * LANES;
    double *g = other + mirror->f * LANES + mirror->n_rows * to_stride;
    for (int r = 0; r < tile->n_rows; r += LANES)
        for (int c = 0; c < tile->n_columns; c += LANES)
            VEC(transpose)(
                f + r * stride + c, stride, g + c * to_stride + r, to_stride,
                tile->n_rows - r, tile->n_columns - c);
}

static void VEC(show_opponent)(const Tile *tile, const Tile *mirror, double *buffer)
{
    /* G of the mirrored tile from F of this one. */
    VEC(show_in)(tile, mirror, buffer, buffer);
}

static inline double VEC(sweep_pair)(
    const Program *program, double *buffer, const Tile *tile, int rounds)
{
    /* A tile and its mirror in turn, so that passed turns and moves among entry squares,
       which stay in the pair, settle at once. */
    const Tile *mirror = program->tiles + tile->mirror;
    Frame frame, mirror_frame;
    double delta = 0.0;
    VEC(prepare_tile)(program, tile, buffer, &frame);
    if (mirror != tile)
        VEC(prepare_tile)(program, mirror, buffer, &mirror_frame);
    for (int round = 0; round < rounds; round++) {
        double change = VEC(update_tile)(program, tile, buffer, &frame, 1);
        VEC(show_opponent)(tile, mirror, buffer);
        if (mirror != tile) {
            const double other = VEC(update_tile)(program, mirror, buffer, &mirror_frame, 1);
            VEC(show_opponent)(mirror, tile, buffer);
            change = other > change ? other : change;
        }
        if (round == 0)
            delta = change;
    }
    return delta;
}

static double VEC(sweep)(
    const Program *program, double *buffer, const int32_t *order, const int64_t *group_start,
    int64_t n_groups, int rounds, int threads)
{
    /* Threads share the groups from the first on, so that they work side by side; one may
       read a row while another rewrites it: either value, the old or the new, serves. That
       they wait for no one but at the end of a sweep is worth more than a stricter order. */
    double delta = 0.0;
#pragma omp parallel for num_threads(threads) reduction(max : delta) schedule(dynamic)
    for (int64_t group = 0; group < n_groups; group++)
        for (int64_t k = group_start[group]; k < group_start[group + 1]; k++) {
            prefetch_pairs(program, buffer, order, k, group_start[n_groups]);
            const double change =
                VEC(sweep_pair)(program, buffer, program->tiles + order[k], rounds);
            delta = change > delta ? change : delta;
        }
    return delta;
}

static double VEC(residual)(const Program *program, double *buffer, int64_t n_tiles, int threads)
{
    double residual = 0.0;
#pragma omp parallel for num_threads(threads) reduction(max : residual) schedule(dynamic, 256)
    for (int64_t k = 0; k < n_tiles; k++) {
        Frame frame;
        const Tile *tile = program->tiles + k;
        VEC(prepare_tile)(program, tile, buffer, &frame);
        const double change = VEC(update_tile)(program, tile, buffer, &frame, 0);
        residual = change > residual ? change : residual;
    }
    return residual;
}

static void VEC(show)(const Program *program, double *buffer, int64_t n_tiles, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k < n_tiles; k++) {
        const Tile *tile = program->tiles + k;
        VEC(show_opponent)(tile, program->tiles + tile->mirror, buffer);
    }
}

/* What is remembered of a tile lies at half of its place: F without G. */

static void VEC(remember)(
    const Program *program, const double *buffer, double *memory, int64_t n_tiles, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k < n_tiles; k++) {
        const Tile *tile = program->tiles + k;
        const int64_t size = (int64_t)tile->n_rows * tile->vectors * LANES;
        memcpy(memory + tile->f / 2 * LANES, buffer + tile->f * LANES, size * sizeof(double));
    }
}

static void VEC(extrapolate)(
    const Program *program, double *buffer, const double *memory, int64_t n_tiles, double factor,
    int threads)
{
    const VEC(v8) beyond = VEC(set)(factor), behind = VEC(set)(-factor);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k < n_tiles; k++) {
        const Tile *tile = program->tiles + k;
        double *f = buffer + tile->f * LANES;
        const double *before = memory + tile->f / 2 * LANES;
        for (int64_t v = 0; v < (int64_t)tile->n_rows * tile->vectors * LANES; v += LANES) {
            const VEC(v8) now = VEC(load)(f + v);
            const VEC(v8) step = VEC(fma)(behind, VEC(load)(before + v), VEC(mul)(beyond, now));
            VEC(store)(f + v, VEC(fma)(VEC(set)(1.0), now, step));
        }
        VEC(show_opponent)(tile, program->tiles + tile->mirror, buffer);
    }
}

/* ---- bounds: an upper and a lower buffer, swept together ----

   Each operation of the upper one is rounded up, of the lower one down. The rounding mode
   is the thread's; compilers do not know that arithmetic reads it and may move an operation
   past the call that sets it, so that all arithmetic is in functions that are not inlined,
   whose calls stay where they are. -frounding-math keeps them from rewriting expressions
   into others that are equal only when rounded to nearest. */

static __attribute__((noinline)) void VEC(bound_tile)(
    const Program *program, const Tile *tile, double *bound, const Frame *frame)
{
    VEC(update_tile)(program, tile, bound, frame, 1);
}

static void VEC(narrow_pair)(
    const Program *program, double *upper, double *lower, const Tile *tile, int rounds)
{
    const Tile *mirror = program->tiles + tile->mirror;
    const Tile *both[2] = {tile, mirror};
    const int n = mirror == tile ? 1 : 2;
    Frame upper_frame[2], lower_frame[2];
    for (int k = 0; k < n; k++) {
        VEC(prepare_tile)(program, both[k], upper, &upper_frame[k]);
        VEC(prepare_tile)(program, both[k], lower, &lower_frame[k]);
    }
    fesetround(FE_UPWARD);
    for (int round = 0; round < rounds; round++)
        for (int k = 0; k < n; k++) {
            const Tile *other = both[n - 1 - k];
            VEC(bound_tile)(program, both[k], upper, &upper_frame[k]);
            fesetround(FE_DOWNWARD);
            VEC(show_in)(both[k], other, upper, lower);
            VEC(bound_tile)(program, both[k], lower, &lower_frame[k]);
            fesetround(FE_UPWARD);
            VEC(show_in)(both[k], other, lower, upper);
        }
}

static void VEC(narrow)(
    const Program *program, double *upper, double *lower, const int32_t *order,
    const int64_t *group_start, int64_t n_groups, int rounds, int threads)
{
    /* Groups as in `sweep`. */
    const int64_t n = group_start[n_groups];
#pragma omp parallel num_threads(threads)
    {
        const int mode = fegetround();
#pragma omp for schedule(dynamic)
        for (int64_t group = 0; group < n_groups; group++)
            for (int64_t k = group_start[group]; k < group_start[group + 1]; k++) {
                prefetch_pairs(program, upper, order, k, n);
                prefetch_pairs(program, lower, order, k, n);
                VEC(narrow_pair)(program, upper, lower, program->tiles + order[k], rounds);
            }
        fesetround(mode);
    }
}

static __attribute__((noinline)) void VEC(shift)(
    const double *from, double *to, int64_t n_vectors, double by)
{
    const VEC(v8) one = VEC(set)(1.0), step = VEC(set)(by);
    for (int64_t v = 0; v < n_vectors * LANES; v += LANES)
        VEC(store)(to + v, VEC(fma)(one, VEC(load)(from + v), step));
}

static void VEC(widen)(
    const double *from, double *upper, double *lower, int64_t n_vectors, double by)
{
    /* upper = from + by and lower = from - by, outwards; `from` may be `upper`. */
    const int mode = fegetround();
    fesetround(FE_DOWNWARD);
    VEC(shift)(from, lower, n_vectors, -by);
    fesetround(FE_UPWARD);
    VEC(shift)(from, upper, n_vectors, by);
    fesetround(mode);
}

static void VEC(show_bounds)(
    const Program *program, double *upper, double *lower, int64_t n_tiles)
{
    /* All G from all F. */
    const int mode = fegetround();
    for (int64_t k = 0; k < n_tiles; k++) {
        const Tile *tile = program->tiles + k, *mirror = program->tiles + tile->mirror;
        fesetround(FE_DOWNWARD);
        VEC(show_in)(tile, mirror, upper, lower);
        fesetround(FE_UPWARD);
        VEC(show_in)(tile, mirror, lower, upper);
    }
    fesetround(mode);
}
