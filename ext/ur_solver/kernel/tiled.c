/* The tiled kernel: the sweep, extrapolation, and what else is handed out. */

#include "instruction_sets.h"
#if UR_HAS_SET

#include "sweep.h"

#include "prefetch.h"
#include "strips_body.h"
#include "tile_rows.h"
#if !UR_FLOAT_SUMS
#include "checks_body.h"
#endif

/* A tile and its mirror in turn, so that passed turns and moves among entry squares, which stay in the
   pair, settle at once; strips with their mirrors are solved. */
static inline double sweep_pair(
    const Program *program, REAL *buffer, const Tile *tile, int rounds)
{
    const Pair pair = pair_of(program, tile, rounds);
    LaneFrame *const frames[2] = {frame_of(program, 0), frame_of(program, 1)};
    double delta = 0.0;
    for (int k = 0; k < 2 && pair.rounds[k]; k++)
        prepare_tile(program, pair.tiles[k], buffer, frames[k]);
    if (is_turned(pair.tiles[1]))
        return strip_solvers[lane_pieces(pair.tiles[1])](
            program, pair.tiles[0], pair.tiles[1], buffer, frames[0], frames[1]);
    for (int round = 0; round < rounds; round++) {
        double change = 0.0;
        for (int k = 0; k < 2 && round < pair.rounds[k]; k++) {
            const Tile *now = pair.tiles[k];
            change = larger(
                change, update_tile(
                            program, now, buffer, frames[k], buffer + now->f * LANES));
            write_mirror_g(now, pair.tiles[1 - k], buffer);
        }
        if (round == 0)
            delta = change;
    }
    return delta;
}

/* Threads take the groups in order. One may read a row while another writes it; the old and the new
   value are both valid. Avoiding barriers within a sweep gains more than a stricter order would. */
static double sweep(
    const Program *program, void *values, const int32_t *order, const int64_t *group_start,
    int64_t n_groups, int rounds, int threads)
{
    REAL *const buffer = values;
    double delta = 0.0;
#pragma omp parallel for num_threads(threads) reduction(max : delta) schedule(dynamic)
    for (int64_t group = 0; group < n_groups; group++)
        for (int64_t k = group_start[group]; k < group_start[group + 1]; k++) {
            prefetch_pairs(program, buffer, sizeof(REAL), order, k, group_start[n_groups]);
            const double change =
                sweep_pair(program, buffer, program->tiles + order[k], rounds);
            delta = change > delta ? change : delta;
        }
    return delta;
}

/* The copy of a tile holds F without G, so it lies at half of the tile's offset. Strips follow
   with both: their G is the mirror's F. */

static void remember(
    const Program *program, const void *values, void *room, int64_t n_tiles, int threads)
{
    const REAL *const buffer = values;
    REAL *const memory = room;
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
        store4(to + v, load4(strips + v));
}

/* A vector of numbers, by `factor` times their change. */
static inline void extrapolate_vector(REAL *number, const REAL *before, const REAL factor)
{
    const vec4 now = load4(number), beyond = set4(factor), behind = set4(-factor);
    const vec4 step = fma4(behind, load4(before), mul4(beyond, now));
    store4(number, fma4(set4(1.0), now, step));
}

static void extrapolate(
    const Program *program, void *values, const void *remembered, int64_t n_tiles, double factor,
    int threads)
{
    REAL *const buffer = values;
    const REAL *const memory = remembered;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k < n_tiles; k++) {
        const Tile *tile = program->tiles + k;
        if (tile->f >= program->first_strip)
            continue;
        for (int64_t v = 0; v < (int64_t)tile->n_rows * tile->vectors * LANES; v += LANES)
            extrapolate_vector(
                buffer + tile->f * LANES + v, memory + tile->f / 2 * LANES + v, (REAL)factor);
        write_mirror_g(tile, program->tiles + tile->mirror, buffer);
    }
    REAL *strips = buffer + program->first_strip * LANES;
    const REAL *before = memory + program->first_strip / 2 * LANES;
    const int64_t size = (program->end_strips - program->first_strip) * LANES;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t v = 0; v < size; v += LANES)
        extrapolate_vector(strips + v, before + v, (REAL)factor);
}

#if UR_FLOAT_SUMS
static void eliminate_in(
    const Program *program, const Tile *tile, const REAL *buffer, const REAL margin,
    const Program *kept)
{
    LaneFrame *const frame = frame_of(program, 0);
    prepare_tile(program, tile, buffer, frame);
    rows_of(tile)->eliminate[lane_pieces(tile)](program, tile, buffer, frame, margin, kept);
}

static void eliminate(
    const Program *program, const void *values, const int32_t *order, int64_t n_pairs,
    double margin, const Program *kept, int threads)
{
    const REAL *const buffer = values;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 64)
    for (int64_t k = 0; k < n_pairs; k++) {
        const Tile *tile = program->tiles + order[k], *mirror = program->tiles + tile->mirror;
        prefetch_pairs(program, buffer, sizeof(REAL), order, k, n_pairs);
        eliminate_in(program, tile, buffer, (REAL)margin, kept);
        if (mirror != tile)
            eliminate_in(program, mirror, buffer, (REAL)margin, kept);
    }
}
#endif

const Sweeps UR_NAMED(tiled) = {
    .sweep = sweep,
    .remember = remember,
    .extrapolate = extrapolate,
#if UR_FLOAT_SUMS
    .eliminate = eliminate,
#else
    .residual = residual,
    .write_g = write_g,
    .narrow = narrow,
    .widen = widen,
    .write_g_of_bounds = write_g_of_bounds,
#endif
};

UR_END_SET
#endif
