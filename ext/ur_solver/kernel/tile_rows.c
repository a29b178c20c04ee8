/* Tiles of a lane with UR_VECTORS vectors in a row, everything about their rows known to the compiler. */

#include "instruction_sets.h"
#if UR_HAS_SET

#include "tile_rows.h"

#include "lane_body.h"
#if UR_FLOAT_SUMS
#include "eliminate_body.h"
#define ELIMINATE_CASE(pieces_, rows_, after_)                                                 \
    static void eliminate_##pieces_(                                                           \
        const Program *program, const Tile *tile, const REAL *buffer, LaneFrame *frame,        \
        const REAL margin, const Program *kept)                                                \
    {                                                                                          \
        eliminate_lane(                                                                        \
            program, tile, buffer, frame, margin, kept, pieces_, rows_, after_, UR_VECTORS);   \
    }
#else
#define ELIMINATE_CASE(pieces_, rows_, after_)
#endif

#define TILE_CASE(pieces_, rows_, after_)                                                      \
    static void prepare_##pieces_(                                                             \
        const Program *program, const Tile *tile, const REAL *buffer, LaneFrame *frame)        \
    {                                                                                          \
        if (lane_is_turned(pieces_, UR_VECTORS))                                               \
            prepare_turned(program, tile, buffer, frame, rows_, after_);                       \
        else                                                                                   \
            prepare_lane(program, tile, buffer, frame, rows_, after_, UR_VECTORS);             \
    }                                                                                          \
    static double update_##pieces_(                                                            \
        const Program *program, const Tile *tile, const REAL *buffer, const LaneFrame *frame,  \
        REAL *to)                                                                              \
    {                                                                                          \
        if (lane_is_turned(pieces_, UR_VECTORS))                                               \
            return update_turned(program, tile, buffer, frame, to, pieces_, rows_);            \
        return update_lane(program, tile, buffer, frame, to, pieces_, rows_, UR_VECTORS);      \
    }                                                                                          \
    static void write_g_##pieces_(const Tile *tile, const Tile *mirror, REAL *buffer)          \
    {                                                                                          \
        write_g_tile(tile, mirror, buffer, rows_, UR_VECTORS);                                 \
    }                                                                                          \
    ELIMINATE_CASE(pieces_, rows_, after_)
TILE_CASE(0, 1, 0)
TILE_CASE(1, 5, 1)
TILE_CASE(2, 11, 5)
TILE_CASE(3, 15, 11)
TILE_CASE(4, 16, 15)
TILE_CASE(5, 16, 16)

#define TILE_LIST(what) {what##_0, what##_1, what##_2, what##_3, what##_4, what##_5}
const TileRows UR_NAMED(UR_PASTED(tile, rows, UR_VECTORS)) = {
    .prepare = TILE_LIST(prepare),
    .update = TILE_LIST(update),
    .write_g = TILE_LIST(write_g),
#if UR_FLOAT_SUMS
    .eliminate = TILE_LIST(eliminate),
#endif
};

#endif
