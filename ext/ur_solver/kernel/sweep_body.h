/* The sweep, once for each instruction set and precision: included with REAL defined,
   VEC(name) for its functions, X4(name) and X8(name) for its vectors of four and of eight,
   TABLE(name) for what there is of each precision, and UR_LANE, whether the rows of a lane are
   to be unrolled. */

static inline const REAL *VEC(matrix)(const REAL *buffer, MatrixRef ref)
{
    return buffer + (int64_t)(ref >> 8) * LANES;
}

static inline REAL *VEC(frame_of)(const Program *program, int number)
{
    /* One of this thread's four frames. */
    return (REAL *)program->frames +
           (omp_get_thread_num() * 4 + number) * program->frame_size;
}

#if UR_LANE
/* What a tile's moves to other tiles are worth, by throw and row: the same while the tile
   and its mirror are updated in turn. */
typedef struct {
    REAL best[LANE_SQUARES][LANE_ROWS * LANE_VECTORS * LANES];
} VEC(LaneFrame);
#endif

#define X X4
#define COLUMNS(name) VEC(name##4)
#include "columns_body.h"
#undef COLUMNS
#undef X
#define X X8
#define COLUMNS(name) VEC(name##8)
#include "columns_body.h"
#undef COLUMNS
#undef X

static inline __attribute__((always_inline)) void VEC(show_matrix)(
    const REAL *f, const int stride, REAL *g, const int to_stride, const int rows,
    const int columns)
{
    /* F as the opponent's G: the other way round, and their chances. */
    if (rows == 1) {
        for (int c = 0; c < columns; c++)
            g[c * to_stride] = TABLE(WHOLE) - f[c];
        return;
    }
    for (int r = 0; r + 8 <= to_stride; r += 8)
        for (int c = 0; c < columns; c += 8)
            X8(transpose)(
                f + r * stride + c, stride, g + c * to_stride + r, to_stride, rows - r,
                columns - c);
    if (to_stride / LANES & 1) {
        const int r = to_stride - LANES;
        for (int c = 0; c < columns; c += LANES)
            X4(transpose)(
                f + r * stride + c, stride, g + c * to_stride + r, to_stride, rows - r,
                columns - c);
    }
}

#if UR_LANE
#include "lane_body.h"
#endif
#include "rows_body.h"

/* ---- one tile, whichever rows it has ---- */

static void VEC(prepare_tile)(
    const Program *program, const Tile *tile, const REAL *buffer, REAL *frame)
{
#if UR_LANE
    if (program->is_lane) {
        VEC(prepare)[tile->vectors - 1][lane_pieces(tile)](
            program, tile, buffer, (VEC(LaneFrame) *)frame);
        return;
    }
#endif
    if (tile->vectors == 1)
        VEC(prepare_one)(program, tile, buffer, frame);
    else if (tile->vectors == 2)
        VEC(prepare_two)(program, tile, buffer, frame);
    else
        VEC(prepare_several)(program, tile, buffer, frame);
}

static double VEC(update_tile)(
    const Program *program, const Tile *tile, const REAL *buffer, const REAL *frame, REAL *to)
{
    /* What a sweep makes of a tile's F goes to `to`, laid out as F is; the largest change. All
       is read from F and G: later rows see new values if `to` is F. */
#if UR_LANE
    if (program->is_lane)
        return VEC(update)[tile->vectors - 1][lane_pieces(tile)](
            program, tile, buffer, (const VEC(LaneFrame) *)frame, to);
#endif
    return VEC(update_rows)(program, tile, buffer, frame, to);
}

/* ---- whole tiles ---- */

static void VEC(show_in)(
    const Program *program, const Tile *tile, const Tile *mirror, const REAL *buffer,
    REAL *other)
{
    /* G of the mirrored tile, in another buffer, from F of this one. */
#if UR_LANE
    if (program->is_lane) {
        VEC(show_lane)[tile->vectors - 1][lane_pieces(tile)](
            tile, mirror, buffer, other);
        return;
    }
#endif
    (void)program;
    const int stride = tile->vectors * LANES, to_stride = mirror->vectors * LANES;
    VEC(show_rows)(
        buffer + tile->f * LANES, stride,
        other + mirror->f * LANES + mirror->n_rows * to_stride, to_stride, tile->n_rows,
        tile->n_columns);
}

static void VEC(show_opponent)(
    const Program *program, const Tile *tile, const Tile *mirror, REAL *buffer)
{
    /* G of the mirrored tile from F of this one. */
    VEC(show_in)(program, tile, mirror, buffer, buffer);
}

static inline double VEC(sweep_pair)(
    const Program *program, REAL *buffer, const Tile *tile, int rounds)
{
    /* A tile and its mirror in turn, so that passed turns and moves among entry squares,
       which stay in the pair, settle at once; strips with their mirrors are solved. */
    const Pair pair = pair_of(program, tile, rounds);
    REAL *const frames[2] = {VEC(frame_of)(program, 0), VEC(frame_of)(program, 1)};
    double delta = 0.0;
    for (int k = 0; k < 2 && pair.rounds[k]; k++)
        VEC(prepare_tile)(program, pair.tiles[k], buffer, frames[k]);
#if UR_LANE
    if (is_turned(program, pair.tiles[1]))
        return VEC(strip_solvers)[lane_pieces(pair.tiles[1])](
            program, pair.tiles[0], pair.tiles[1], buffer, (const VEC(LaneFrame) *)frames[0],
            (const VEC(LaneFrame) *)frames[1]);
#endif
    for (int round = 0; round < rounds; round++) {
        double change = 0.0;
        for (int k = 0; k < 2 && round < pair.rounds[k]; k++) {
            const Tile *now = pair.tiles[k];
            change = larger(
                change, VEC(update_tile)(
                            program, now, buffer, frames[k], buffer + now->f * LANES));
            VEC(show_opponent)(program, now, pair.tiles[1 - k], buffer);
        }
        if (round == 0)
            delta = change;
    }
    return delta;
}

static double VEC(sweep)(
    const Program *program, REAL *buffer, const int32_t *order, const int64_t *group_start,
    int64_t n_groups, int rounds, int threads)
{
    /* Threads share the groups from the first on, so that they work side by side; one may
       read a row while another rewrites it: either value, the old or the new, serves. That
       they wait for no one but at the end of a sweep is worth more than a stricter order. */
    double delta = 0.0;
#pragma omp parallel for num_threads(threads) reduction(max : delta) schedule(dynamic)
    for (int64_t group = 0; group < n_groups; group++)
        for (int64_t k = group_start[group]; k < group_start[group + 1]; k++) {
            prefetch_pairs(program, buffer, sizeof(REAL), order, k, group_start[n_groups]);
            const double change =
                VEC(sweep_pair)(program, buffer, program->tiles + order[k], rounds);
            delta = change > delta ? change : delta;
        }
    return delta;
}

/* What is remembered of a tile lies at half of its place: F without G. Strips come after all
   that, as they are: their G is the mirror's F. */

static void VEC(remember)(
    const Program *program, const REAL *buffer, REAL *memory, int64_t n_tiles, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k < n_tiles; k++) {
        const Tile *tile = program->tiles + k;
        const int64_t size = (int64_t)tile->n_rows * tile->vectors * LANES;
        if (tile->f < program->first_strip)
            memcpy(memory + tile->f / 2 * LANES, buffer + tile->f * LANES, size * sizeof(REAL));
    }
    const REAL *strips = buffer + program->first_strip * LANES;
    REAL *to = memory + program->first_strip / 2 * LANES;
    const int64_t size = (program->end_strips - program->first_strip) * LANES;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t v = 0; v < size; v += LANES)
        X4(store)(to + v, X4(load)(strips + v));
}

static inline void VEC(go_on)(REAL *number, const REAL *before, const REAL factor)
{
    /* A vector of numbers, by `factor` times their change. */
    const X4(v) now = X4(load)(number), beyond = X4(set)(factor), behind = X4(set)(-factor);
    const X4(v) step = X4(fma)(behind, X4(load)(before), X4(mul)(beyond, now));
    X4(store)(number, X4(fma)(X4(set)(1.0), now, step));
}

static void VEC(extrapolate)(
    const Program *program, REAL *buffer, const REAL *memory, int64_t n_tiles, double factor,
    int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k < n_tiles; k++) {
        const Tile *tile = program->tiles + k;
        if (tile->f >= program->first_strip)
            continue;
        for (int64_t v = 0; v < (int64_t)tile->n_rows * tile->vectors * LANES; v += LANES)
            VEC(go_on)(
                buffer + tile->f * LANES + v, memory + tile->f / 2 * LANES + v, (REAL)factor);
        VEC(show_opponent)(program, tile, program->tiles + tile->mirror, buffer);
    }
    REAL *strips = buffer + program->first_strip * LANES;
    const REAL *before = memory + program->first_strip / 2 * LANES;
    const int64_t size = (program->end_strips - program->first_strip) * LANES;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t v = 0; v < size; v += LANES)
        VEC(go_on)(strips + v, before + v, (REAL)factor);
}
