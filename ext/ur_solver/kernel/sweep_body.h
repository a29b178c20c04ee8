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
    const Program *program, const Tile *tile, const double *buffer, LaneFrame *frame,
    const int pieces, const int rows, const int rows_after, const int vectors,
    const int throws)
{
    /* The best of the moves that leave the tile, by throw and row. `pieces` (5 for more),
       `rows` (`rows_after` with a piece less), `vectors` and `throws` are constants after
       inlining, and with them the list of every row's moves. */
    double scratch[LANE_ROWS * 2 * LANES] __attribute__((aligned(64)));
    double reshaped[LANE_SQUARES][LANE_ROWS * 2 * LANES] __attribute__((aligned(64)));
    const MatrixRef *move = program->refs + tile->first_move;
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
    const Program *program, const Tile *tile, double *buffer, const LaneFrame *frame, int store,
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
        const Program *program, const Tile *tile, const double *buffer, LaneFrame *frame)      \
    {                                                                                          \
        VEC(prepare_lane)                                                                      \
        (program, tile, buffer, frame, pieces_, rows_, after_, vectors_, throws_);             \
    }                                                                                          \
    static VEC(v8) VEC(update_##pieces_##_##vectors_##_##throws_)(                             \
        const Program *program, const Tile *tile, double *buffer, const LaneFrame *frame,      \
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

typedef void (*VEC(Prepare))(const Program *, const Tile *, const double *, LaneFrame *);
typedef VEC(v8) (*VEC(Update))(const Program *, const Tile *, double *, const LaneFrame *, int);
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

/* ---- any other set of rows: which of them a move has is read from lists ---- */

static inline __attribute__((always_inline)) void VEC(improve)(
    double *best, const double *from, const int vectors, const int captured)
{
    /* A row by another, from whose columns a bit is missing if `captured` is not NO_BIT. */
    for (int v = 0; v < vectors; v++) {
        const VEC(v8) row = captured == NO_BIT ? VEC(load)(from + v * LANES)
                            : captured >= 3    ? VEC(load)(from + without_bit(v * LANES, captured))
                                               : VEC(spread)(from + v * LANES / 2, captured);
        VEC(store)(best + v * LANES, VEC(max)(VEC(load)(best + v * LANES), row));
    }
}

static inline __attribute__((always_inline)) void VEC(improve_rows)(
    const Program *program, const Tile *tile, const Move *move, const double *from, double *best,
    const int vectors, const int captured)
{
    /* `vectors` and `captured` are constants after inlining, or nearly so. */
    const int64_t stride = (int64_t)vectors * LANES;
    const int64_t from_stride = (int64_t)(move->matrix & 255) * LANES;
    const uint16_t *row = program->with_bit[move->lost], *to = program->with_bit[move->gained];
    if (move->entry == NO_ENTRY) {
        for (int k = 0; k < move->n; k++)
            VEC(improve)(best + row[k] * stride, from + to[k] * from_stride, vectors, captured);
        return;
    }
    const uint8_t *pair =
        program->leaving[tile->half] + (int64_t)move->entry * program->max_pairs[tile->half] * 2;
    for (int k = 0; k < move->n; k++, pair += 2)
        for (int legs = 0; legs < 1 << tile->forks; legs++)
            VEC(improve)
            (best + (pair[0] << tile->forks | legs) * stride,
             from + to[pair[1] << tile->forks | legs] * from_stride, vectors, captured);
}

static inline __attribute__((always_inline)) void VEC(prepare_rows)(
    const Program *program, const Tile *tile, const double *buffer, double *frame,
    const int vectors)
{
    /* The best of the moves that leave the tile, by throw and row. */
    const int64_t size = (int64_t)tile->n_rows * vectors * LANES;
    const Move *move = program->moves + tile->first_move;
    for (int n = 0; n < program->n_throws; n++, frame += program->frame_step) {
        for (int64_t k = 0; k < size; k += LANES)
            VEC(store)(frame + k, VEC(set)(-1.0));
        for (const Move *end = move + tile->n_moves[n]; move < end; move++) {
            const double *from = VEC(matrix)(buffer, move->matrix);
            switch (move->captured) {
            case 0:
                VEC(improve_rows)(program, tile, move, from, frame, vectors, 0);
                break;
            case 1:
                VEC(improve_rows)(program, tile, move, from, frame, vectors, 1);
                break;
            case 2:
                VEC(improve_rows)(program, tile, move, from, frame, vectors, 2);
                break;
            case NO_BIT:
                VEC(improve_rows)(program, tile, move, from, frame, vectors, NO_BIT);
                break;
            default:
                VEC(improve_rows)(program, tile, move, from, frame, vectors, move->captured);
            }
        }
    }
}

static void VEC(prepare_single)(
    const Program *program, const Tile *tile, const double *buffer, double *frame)
{
    VEC(prepare_rows)(program, tile, buffer, frame, 1);
}

static void VEC(prepare_several)(
    const Program *program, const Tile *tile, const double *buffer, double *frame)
{
    VEC(prepare_rows)(program, tile, buffer, frame, tile->vectors);
}

static inline VEC(v8) VEC(update_row)(
    const Program *program, const Tile *tile, double *buffer, const double *frame,
    const EntryMoves *lists, int legs, int row, int store)
{
    /* One row, whose moves within the tile are `lists`; the largest changes. */
    const int64_t stride = (int64_t)tile->vectors * LANES;
    const int pass = program->pass_bits[tile->first_row + row];
    double *f = buffer + tile->f * LANES;
    double *g = f + tile->n_rows * stride;
    VEC(v8) delta = VEC(set)(0.0);
    for (int64_t column = 0; column < stride; column += LANES) {
        const int64_t at = row * stride + column;
        VEC(v8) sum = VEC(mul)(VEC(set)(program->pass_chance[pass]), VEC(load)(g + at));
        for (int n = 0; n < program->n_throws; n++) {
            const EntryMoves *list = lists + n;
            VEC(v8) best = VEC(load)(frame + n * program->frame_step + at);
            for (int k = 0; k < list->n; k++) {
                const int64_t to = list->mask[k] << tile->forks | legs;
                best = VEC(max)(
                    best, VEC(load)((list->again[k] ? f : g) + to * stride + column));
            }
            sum = VEC(fma)(VEC(set)(program->chance[pass][n]), best, sum);
        }
        const VEC(v8) valid = VEC(lanes_below)((int)(tile->n_columns - column));
        delta = VEC(max)(delta, VEC(distance)(sum, VEC(load)(f + at), valid));
        if (store)
            VEC(store)(f + at, sum);
    }
    return delta;
}

static double VEC(update_rows)(
    const Program *program, const Tile *tile, double *buffer, const double *frame, int store)
{
    const int half = tile->half, n_masks = program->n_masks[half];
    VEC(v8) delta = VEC(set)(0.0);
    for (int k = 0; k < n_masks; k++) {
        const int mask = program->mask_order[half][k];
        if (mask << tile->forks >= tile->n_rows)
            continue;
        const int home_empty = program->mask_pieces[half][mask] == tile->pieces;
        const EntryMoves *lists = program->entry_moves[half] +
                                  (home_empty * n_masks + mask) * program->n_throws;
        for (int legs = 0; legs < 1 << tile->forks; legs++)
            delta = VEC(max)(
                delta, VEC(update_row)(
                           program, tile, buffer, frame, lists, legs,
                           mask << tile->forks | legs, store));
    }
    return VEC(largest)(delta);
}

/* ---- one tile, whichever rows it has ---- */

static void VEC(prepare_tile)(
    const Program *program, const Tile *tile, const double *buffer, double *frame)
{
#if UR_LANE
    if (program->is_lane) {
        VEC(prepare)
        [program->n_throws - 3][tile->vectors - 1][tile->pieces < 5 ? tile->pieces : 5](
            program, tile, buffer, (LaneFrame *)frame);
        return;
    }
#endif
    if (tile->vectors == 1)
        VEC(prepare_single)(program, tile, buffer, frame);
    else
        VEC(prepare_several)(program, tile, buffer, frame);
}

static double VEC(update_tile)(
    const Program *program, const Tile *tile, double *buffer, const double *frame, int store)
{
#if UR_LANE
    if (program->is_lane)
        return VEC(largest)(
            VEC(update)[program->n_throws - 3][tile->vectors - 1]
                       [tile->pieces < 5 ? tile->pieces : 5](
                           program, tile, buffer, (const LaneFrame *)frame, store));
#endif
    return VEC(update_rows)(program, tile, buffer, frame, store);
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
    double *const frame = frame_of(program, 0), *const mirror_frame = frame_of(program, 1);
    double delta = 0.0;
    VEC(prepare_tile)(program, tile, buffer, frame);
    if (mirror != tile)
        VEC(prepare_tile)(program, mirror, buffer, mirror_frame);
    for (int round = 0; round < rounds; round++) {
        double change = VEC(update_tile)(program, tile, buffer, frame, 1);
        VEC(show_opponent)(tile, mirror, buffer);
        if (mirror != tile) {
            const double other = VEC(update_tile)(program, mirror, buffer, mirror_frame, 1);
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
        double *const frame = frame_of(program, 0);
        const Tile *tile = program->tiles + k;
        VEC(prepare_tile)(program, tile, buffer, frame);
        const double change = VEC(update_tile)(program, tile, buffer, frame, 0);
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
    const Program *program, const Tile *tile, double *bound, const double *frame)
{
    VEC(update_tile)(program, tile, bound, frame, 1);
}

static void VEC(narrow_pair)(
    const Program *program, double *upper, double *lower, const Tile *tile, int rounds)
{
    const Tile *mirror = program->tiles + tile->mirror;
    const Tile *both[2] = {tile, mirror};
    const int n = mirror == tile ? 1 : 2;
    for (int k = 0; k < n; k++) {
        VEC(prepare_tile)(program, both[k], upper, frame_of(program, k));
        VEC(prepare_tile)(program, both[k], lower, frame_of(program, 2 + k));
    }
    fesetround(FE_UPWARD);
    for (int round = 0; round < rounds; round++)
        for (int k = 0; k < n; k++) {
            const Tile *other = both[n - 1 - k];
            VEC(bound_tile)(program, both[k], upper, frame_of(program, k));
            fesetround(FE_DOWNWARD);
            VEC(show_in)(both[k], other, upper, lower);
            VEC(bound_tile)(program, both[k], lower, frame_of(program, 2 + k));
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
