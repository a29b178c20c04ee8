/* Tiles of a lane of four entry squares, everything about their rows known to the compiler:
   included by sweep_body.h. */

static inline __attribute__((always_inline)) void VEC(copy_rows)(
    const REAL *from, int64_t stride, REAL *to, int rows, const int vectors)
{
    /* To rows of `vectors`, from longer ones: a capture gives the opponent more columns. */
    for (int r = 0; r < rows; r++, from += stride, to += vectors * LANES) {
        UR_COLUMNS(
            vectors, VEC(copy8)(from + column, to + column), VEC(copy4)(from + column, to + column))
    }
}

static inline __attribute__((always_inline)) const REAL *VEC(best_of)(
    const REAL *buffer, const MatrixRef *move, int n_moves, int rows, const int vectors,
    REAL *scratch)
{
    /* The elementwise best of some matrices, as a matrix of `vectors` a row: one of them
       itself if it is the only one and has that shape. */
    if (n_moves == 0)
        return TABLE(NO_MOVE);
    if (n_moves == 1 && (int)(move[0] & 255) == vectors)
        return VEC(matrix)(buffer, move[0]);
    const REAL *a = VEC(matrix)(buffer, move[0]);
    int64_t stride = (int64_t)(move[0] & 255) * LANES;
    if (n_moves == 1) {
        VEC(copy_rows)(a, stride, scratch, rows, vectors);
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
            for (int r = 0; r < rows; r++) {
                UR_COLUMNS(
                    vectors, VEC(best_of_three8)(a + column, b + column, c + column, to + column),
                    VEC(best_of_three4)(a + column, b + column, c + column, to + column))
                a += stride, b += b_stride, c += c_stride, to += vectors * LANES;
            }
        } else
            for (int r = 0; r < rows; r++) {
                UR_COLUMNS(
                    vectors, VEC(best_of_two8)(a + column, b + column, to + column),
                    VEC(best_of_two4)(a + column, b + column, to + column))
                a += stride, b += b_stride, to += vectors * LANES;
            }
        a = scratch;
        stride = (int64_t)vectors * LANES;
    }
    return scratch;
}

static inline __attribute__((always_inline)) void VEC(prepare_lane)(
    const Program *program, const Tile *tile, const REAL *buffer, VEC(LaneFrame) *frame,
    const int rows, const int rows_after, const int vectors)
{
    /* The best of the moves that leave the tile, by throw and row. `rows` (`rows_after` with
       a piece less) and `vectors` are constants after inlining, and with them the list of
       every row's moves. */
    REAL scratch[LANE_ROWS * LANE_VECTORS * LANES] __attribute__((aligned(64)));
    REAL reshaped[LANE_SQUARES][LANE_ROWS * LANE_VECTORS * LANES] __attribute__((aligned(64)));
    const MatrixRef *move = program->refs + tile->first_move;
    const MatrixRef *slots = program->slots + tile->first_slot;
#pragma GCC unroll 4
    for (int n = 0; n < LANE_SQUARES; n++) {
        if (n >= program->n_throws) { /* without a chance, but read: any finite numbers */
            memset(frame->best[n], 0, (size_t)(rows * vectors * LANES) * sizeof(REAL));
            continue;
        }
        const REAL *to[LANE_SQUARES + 1];
        const REAL *best =
            VEC(best_of)(buffer, move, tile->n_moves[n], rows, vectors, scratch);
        move += tile->n_moves[n];
        /* source 0 is home, source k the entry square k - 1 */
#pragma GCC unroll 5
        for (int source = LANE_SQUARES - n; source <= LANE_SQUARES; source++) {
            const MatrixRef ref = slots[program->lane_slot[n][source]];
            to[source] = ref ? VEC(matrix)(buffer, ref) : TABLE(NO_MOVE);
            if (rows_after > 1 && ref && (int)(ref & 255) != vectors) {
                REAL *copy = reshaped[source - 1];
                VEC(copy_rows)
                (to[source], (int64_t)(ref & 255) * LANES, copy, rows_after, vectors);
                to[source] = copy;
            }
        }
        UR_COLUMNS(
            vectors,
            VEC(prepare_columns8)(best, to, frame->best[n], n, rows, vectors * LANES, column),
            VEC(prepare_columns4)(best, to, frame->best[n], n, rows, vectors * LANES, column))
    }
}

static inline __attribute__((always_inline)) double VEC(update_lane)(
    const Program *program, const Tile *tile, const REAL *buffer,
    const VEC(LaneFrame) *frame, REAL *to, const int pieces, const int rows, const int vectors)
{
    /* The constants are those of `prepare_lane`; `pieces` is 5 for more. */
    double delta = 0.0;
    UR_COLUMNS(
        vectors,
        delta = larger(
            delta, VEC(update_columns8)(
                       program, tile, buffer, frame, to, pieces, rows, vectors * LANES, column)),
        delta = larger(
            delta, VEC(update_columns4)(
                       program, tile, buffer, frame, to, pieces, rows, vectors * LANES, column)))
    return delta;
}

static inline __attribute__((always_inline)) void VEC(show_tile)(
    const Tile *tile, const Tile *mirror, const REAL *buffer, REAL *other, const int rows,
    const int vectors)
{
    /* G of the mirrored tile, in `other`, from F of this one. A strip's is there already, and
       so is what it shares with the turned tile, but for its corner. */
    const REAL *f = buffer + tile->f * LANES;
    const int to_stride = (rows + LANES - 1) / LANES * LANES;
    if ((rows == 1) == (vectors == 1))
        VEC(show_matrix)
        (f, vectors * LANES, other + mirror->f * LANES + mirror->n_rows * to_stride, to_stride,
         rows, vectors < LANE_VECTORS ? LANE_COLUMNS[vectors - 1] : tile->n_columns);
    else if (rows == CORNER_COLUMNS || vectors == CORNER_VECTORS)
        other[tile->f * LANES + CORNER] = TABLE(WHOLE) - f[0];
}

#include "turned_body.h"

#define LANE_CASE(pieces_, rows_, after_, vectors_)                                            \
    static void VEC(prepare_##pieces_##_##vectors_)(                                           \
        const Program *program, const Tile *tile, const REAL *buffer, VEC(LaneFrame) *frame)   \
    {                                                                                          \
        if (lane_is_turned(pieces_, vectors_))                                                 \
            VEC(prepare_turned)(program, tile, buffer, frame, rows_, after_);                  \
        else                                                                                   \
            VEC(prepare_lane)(program, tile, buffer, frame, rows_, after_, vectors_);          \
    }                                                                                          \
    static double VEC(update_##pieces_##_##vectors_)(                                          \
        const Program *program, const Tile *tile, const REAL *buffer,                          \
        const VEC(LaneFrame) *frame, REAL *to)                                                 \
    {                                                                                          \
        if (lane_is_turned(pieces_, vectors_))                                                 \
            return VEC(update_turned)(program, tile, buffer, frame, to, pieces_, rows_);       \
        return VEC(update_lane)(program, tile, buffer, frame, to, pieces_, rows_, vectors_);   \
    }                                                                                          \
    static void VEC(show_##pieces_##_##vectors_)(                                              \
        const Tile *tile, const Tile *mirror, const REAL *buffer, REAL *other)                 \
    {                                                                                          \
        VEC(show_tile)(tile, mirror, buffer, other, rows_, vectors_);                          \
    }
#define LANE_CASES(pieces_, rows_, after_)                                                     \
    LANE_CASE(pieces_, rows_, after_, 1)                                                       \
    LANE_CASE(pieces_, rows_, after_, 2)                                                       \
    LANE_CASE(pieces_, rows_, after_, 3)                                                       \
    LANE_CASE(pieces_, rows_, after_, 4)
LANE_CASES(0, 1, 0)
LANE_CASES(1, 5, 1)
LANE_CASES(2, 11, 5)
LANE_CASES(3, 15, 11)
LANE_CASES(4, 16, 15)
LANE_CASES(5, 16, 16)
#undef LANE_CASE
#undef LANE_CASES

#define STRIP_CASE(pieces_, rows_)                                                             \
    static double VEC(solve_strip_##pieces_)(                                                  \
        const Program *program, const Tile *strip, const Tile *turned, REAL *buffer,           \
        const VEC(LaneFrame) *strip_frame, const VEC(LaneFrame) *frame)                        \
    {                                                                                          \
        return VEC(solve_strip)(                                                               \
            program, strip, turned, buffer, strip_frame, frame, pieces_, rows_);               \
    }
STRIP_CASE(1, 5)
STRIP_CASE(2, 11)
STRIP_CASE(3, 15)
STRIP_CASE(4, 16)
STRIP_CASE(5, 16)
#undef STRIP_CASE

typedef void (*VEC(Prepare))(const Program *, const Tile *, const REAL *, VEC(LaneFrame) *);
typedef double (*VEC(Update))(
    const Program *, const Tile *, const REAL *, const VEC(LaneFrame) *, REAL *);
typedef void (*VEC(Show))(const Tile *, const Tile *, const REAL *, REAL *);
#define LANE_LIST(what, vectors)                                                               \
    {VEC(what##_0_##vectors), VEC(what##_1_##vectors), VEC(what##_2_##vectors),                \
     VEC(what##_3_##vectors), VEC(what##_4_##vectors), VEC(what##_5_##vectors)}
/* by vectors and pieces */
static const VEC(Prepare) VEC(prepare)[LANE_VECTORS][6] = {
    LANE_LIST(prepare, 1), LANE_LIST(prepare, 2), LANE_LIST(prepare, 3), LANE_LIST(prepare, 4)};
static const VEC(Update) VEC(update)[LANE_VECTORS][6] = {
    LANE_LIST(update, 1), LANE_LIST(update, 2), LANE_LIST(update, 3), LANE_LIST(update, 4)};
static const VEC(Show) VEC(show_lane)[LANE_VECTORS][6] = {
    LANE_LIST(show, 1), LANE_LIST(show, 2), LANE_LIST(show, 3), LANE_LIST(show, 4)};
/* by pieces of the strip's mirror, of which it has one at least */
static double (*const VEC(strip_solvers)[])(
    const Program *, const Tile *, const Tile *, REAL *, const VEC(LaneFrame) *,
    const VEC(LaneFrame) *) = {NULL, VEC(solve_strip_1), VEC(solve_strip_2),
                               VEC(solve_strip_3), VEC(solve_strip_4), VEC(solve_strip_5)};
