/* Tiles of a lane of four entry squares, everything about their rows known to the compiler:
   included by sweep_body.h. */

/* What a tile's moves to other tiles are worth, by throw and row: the same while the tile
   and its mirror are updated in turn. */
typedef struct {
    REAL best[LANE_SQUARES][LANE_ROWS * 2 * LANES];
} VEC(LaneFrame);

static inline __attribute__((always_inline)) const REAL *VEC(best_of)(
    const REAL *buffer, const MatrixRef *move, int n_moves, int rows, int vectors,
    REAL *scratch)
{
    /* The elementwise best of some matrices, as a matrix of `vectors` a row: one of them
       itself if it is the only one and has that shape. */
    if (n_moves == 0)
        return TABLE(NO_MOVE);
    if (n_moves == 1 && (int)(move[0] & 255) == vectors)
        return VEC(matrix)(buffer, move[0]);
    const REAL *a = VEC(matrix)(buffer, move[0]);
    const int64_t a_stride = (int64_t)(move[0] & 255) * LANES;
    if (n_moves == 1) {
        for (int r = 0; r < rows; r++, a += a_stride)
            for (int v = 0; v < vectors; v++)
                VEC(store)(scratch + (r * vectors + v) * LANES, VEC(load)(a + v * LANES));
        return scratch;
    }
    for (int k = 1; k < n_moves; k += 2) {
        /* two more at a time: a itself holds what came before */
        const REAL *b = VEC(matrix)(buffer, move[k]);
        const int64_t b_stride = (int64_t)(move[k] & 255) * LANES;
        REAL *to = scratch;
        if (k + 1 < n_moves) {
            const REAL *c = VEC(matrix)(buffer, move[k + 1]);
            const int64_t c_stride = (int64_t)(move[k + 1] & 255) * LANES;
            const REAL *from = k == 1 ? a : scratch;
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
            const REAL *from = k == 1 ? a : scratch;
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
    const Program *program, const Tile *tile, const REAL *buffer, VEC(LaneFrame) *frame,
    const int pieces, const int rows, const int rows_after, const int vectors,
    const int throws)
{
    /* The best of the moves that leave the tile, by throw and row. `pieces` (5 for more),
       `rows` (`rows_after` with a piece less), `vectors` and `throws` are constants after
       inlining, and with them the list of every row's moves. */
    REAL scratch[LANE_ROWS * 2 * LANES] __attribute__((aligned(64)));
    REAL reshaped[LANE_SQUARES][LANE_ROWS * 2 * LANES] __attribute__((aligned(64)));
    const MatrixRef *move = program->refs + tile->first_move;
    const MatrixRef *slots = program->slots + tile->first_slot;
#pragma GCC unroll 4
    for (int n = 0; n < throws; n++) {
        const REAL *to[LANE_SQUARES + 1];
        const REAL *best =
            VEC(best_of)(buffer, move, tile->n_moves[n], rows, vectors, scratch);
        move += tile->n_moves[n];
        /* source 0 is home, source k the entry square k - 1 */
#pragma GCC unroll 5
        for (int source = LANE_SQUARES - n; source <= LANE_SQUARES; source++) {
            const MatrixRef ref = slots[program->lane_slot[n][source]];
            to[source] = ref ? VEC(matrix)(buffer, ref) : TABLE(NO_MOVE);
            if (ref && (int)(ref & 255) != vectors) {
                REAL *copy = reshaped[source - 1];
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
    const Program *program, const Tile *tile, REAL *buffer, const VEC(LaneFrame) *frame, int store,
    VEC(v8) * delta, const int pieces, const int rows, const int vectors, const int throws)
{
    /* The constants are those of `prepare_lane`. */
    REAL *f = buffer + tile->f * LANES;
    REAL *g = f + (int64_t)rows * vectors * LANES;
    const uint8_t *pass_bits = program->pass_bits + tile->first_row;
    const REAL *own[LANE_SQUARES][LANE_SQUARES];
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
        const REAL *chance = program->TABLE(chance)[bits];
        const VEC(v8) pass_chance = VEC(set)(program->TABLE(pass_chance)[bits]);
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
                const REAL *from =
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
        const Program *program, const Tile *tile, const REAL *buffer, VEC(LaneFrame) *frame)      \
    {                                                                                          \
        VEC(prepare_lane)                                                                      \
        (program, tile, buffer, frame, pieces_, rows_, after_, vectors_, throws_);             \
    }                                                                                          \
    static VEC(v8) VEC(update_##pieces_##_##vectors_##_##throws_)(                             \
        const Program *program, const Tile *tile, REAL *buffer, const VEC(LaneFrame) *frame,      \
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

typedef void (*VEC(Prepare))(const Program *, const Tile *, const REAL *, VEC(LaneFrame) *);
typedef VEC(v8) (*VEC(Update))(const Program *, const Tile *, REAL *, const VEC(LaneFrame) *, int);
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
