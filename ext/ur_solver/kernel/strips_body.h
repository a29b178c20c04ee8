/* Strips solved together with their mirrors, the turned tiles of a lane (tiles.h). */

#ifndef UR_STRIPS_BODY_H
#define UR_STRIPS_BODY_H

#include "turned_body.h"

/* A strip and its mirror as what leaves the two has it; the largest change. A number of the strip has
   no moves but those that leave and leads, by a pass, to one of the mirror, which leads back by a pass
   and otherwise to numbers further on: two equations at a time. */
UR_INLINE double solve_strip(
    const Program *program, const Tile *strip, const Tile *turned, REAL *buffer,
    const LaneFrame *strip_frame, const LaneFrame *frame, const int pieces,
    const int rows)
{
    const int vectors = (rows + LANES - 1) / LANES;
    REAL *f = buffer + turned->f * LANES, *g = buffer + strip->f * LANES;
    const uint8_t *pass_bits = program->pass_bits + turned->first_row;
    const int strip_bits = program->pass_bits[strip->first_row];
    const SUM *chance = chances_of(program, strip_bits);
    const SUM strip_pass = pass_chance_of(program, strip_bits);
    REAL leaving[LANE_ROWS];
    for (int v = 0; v < vectors * LANES; v += LANES) {
        vec4 sum = mul4(set4(chance[0]), load4(strip_frame->best[0] + v));
        for (int n = 1; n < LANE_SQUARES; n++)
            sum = fma4(set4(chance[n]), load4(strip_frame->best[n] + v), sum);
        store4(leaving + v, sum);
    }
    /* The divisions first: in what follows a row waits for others. None is by 0: the furthest
       piece of each player has a move by some throw. What comes back is added, as it is small:
       a factor near 1, rounded, would raise or lower all numbers together. */
    SUM passed[LANE_ROWS], back[LANE_ROWS];
    for (int r = 0; r < rows; r++) {
        const SUM pass = pass_chance_of(program, pass_bits[r]);
        passed[r] = pass * leaving[r];
        back[r] = pass * strip_pass / (1 - pass * strip_pass);
    }
    SUM delta = 0;
#pragma GCC unroll 16
    for (int k = 0; k < LANE_ROWS; k++) {
        const int r = LANE_ORDER[k];
        if (r >= rows)
            continue;
        const SUM once =
            add_turned_moves(program, passed[r], frame, f, g, pass_bits[r], r, pieces);
        const SUM theirs = once + back[r] * once;
        const SUM mine = leaving[r] + strip_pass * theirs;
        delta = largest_of(largest_of(delta, theirs, f[r]), mine, g[r]);
        f[r] = (REAL)theirs;
        g[r] = (REAL)mine;
    }
    write_g_tile(strip, turned, buffer, 1, vectors);
    write_g_tile(turned, strip, buffer, rows, 1);
    return delta;
}

#define STRIP_CASE(pieces_, rows_)                                                             \
    static double solve_strip_##pieces_(                                                       \
        const Program *program, const Tile *strip, const Tile *turned, REAL *buffer,           \
        const LaneFrame *strip_frame, const LaneFrame *frame)                                  \
    {                                                                                          \
        return solve_strip(                                                                    \
            program, strip, turned, buffer, strip_frame, frame, pieces_, rows_);               \
    }
STRIP_CASE(1, 5)
STRIP_CASE(2, 11)
STRIP_CASE(3, 15)
STRIP_CASE(4, 16)
#undef STRIP_CASE

/* by pieces of the strip's mirror, of which it has one at least */
static double (*const strip_solvers[])(
    const Program *, const Tile *, const Tile *, REAL *, const LaneFrame *,
    const LaneFrame *) = {
    NULL, solve_strip_1, solve_strip_2, solve_strip_3, solve_strip_4};

#endif
