/* Tiles of a lane, everything about their rows known to the compiler. */

#include "instruction_sets.h"
#if UR_HAS_SET

#include "tile_rows.h"

#include "lane_body.h"
#if UR_FLOAT_SUMS
#include "eliminate_body.h"
#define ELIMINATE_CASE(pieces_, rows_, after_, vectors_)                                       \
    UR_REACHES_CASE(reaches_##pieces_##_##vectors_, pieces_, rows_, after_, vectors_)          \
    static void eliminate_##pieces_##_##vectors_(                                              \
        const Program *program, const Tile *tile, const REAL *buffer, LaneFrame *frame,        \
        const REAL margin, const Program *kept)                                                \
    {                                                                                          \
        eliminate_lane(                                                                        \
            program, tile, buffer, frame, margin, kept, reaches_##pieces_##_##vectors_,        \
            pieces_, rows_, vectors_);                                                         \
    }
#define ELIMINATE_LIST(vectors_) .eliminate = TILE_LIST(eliminate, vectors_),
#else
#define ELIMINATE_CASE(pieces_, rows_, after_, vectors_)
#define ELIMINATE_LIST(vectors_)
#endif

#define TILE_CASE(pieces_, rows_, after_, vectors_)                                            \
    static void prepare_##pieces_##_##vectors_(                                                \
        const Program *program, const Tile *tile, const REAL *buffer, LaneFrame *frame)        \
    {                                                                                          \
        if (lane_is_turned(pieces_, vectors_))                                                 \
            prepare_turned(program, tile, buffer, frame, rows_, after_);                       \
        else                                                                                   \
            prepare_lane(program, tile, buffer, frame, rows_, after_, vectors_);               \
    }                                                                                          \
    static double update_##pieces_##_##vectors_(                                               \
        const Program *program, const Tile *tile, const REAL *buffer, const LaneFrame *frame,  \
        REAL *to)                                                                              \
    {                                                                                          \
        if (lane_is_turned(pieces_, vectors_))                                                 \
            return update_turned(program, tile, buffer, frame, to, pieces_, rows_);            \
        return update_lane(program, tile, buffer, frame, to, pieces_, rows_, vectors_);        \
    }                                                                                          \
    static void write_g_##pieces_##_##vectors_(                                                \
        const Tile *tile, const Tile *mirror, REAL *buffer)                                    \
    {                                                                                          \
        write_g_tile(tile, mirror, buffer, rows_, vectors_);                                   \
    }                                                                                          \
    ELIMINATE_CASE(pieces_, rows_, after_, vectors_)
#define TILE_CASES(vectors_)                                                                   \
    TILE_CASE(0, 1, 0, vectors_)                                                               \
    TILE_CASE(1, 5, 1, vectors_)                                                               \
    TILE_CASE(2, 11, 5, vectors_)                                                              \
    TILE_CASE(3, 15, 11, vectors_)                                                             \
    TILE_CASE(4, 16, 15, vectors_)
TILE_CASES(1)
TILE_CASES(2)
TILE_CASES(3)
TILE_CASES(4)

#define TILE_LIST(what, vectors_)                                                              \
    {what##_0_##vectors_, what##_1_##vectors_, what##_2_##vectors_, what##_3_##vectors_,       \
     what##_4_##vectors_}
#define TILE_ROWS(vectors_)                                                                    \
    {.prepare = TILE_LIST(prepare, vectors_),                                                  \
     .update = TILE_LIST(update, vectors_),                                                    \
     .write_g = TILE_LIST(write_g, vectors_),                                                  \
     ELIMINATE_LIST(vectors_)}
const TileRows UR_NAMED(tile_rows)[LANE_VECTORS] = {
    TILE_ROWS(1), TILE_ROWS(2), TILE_ROWS(3), TILE_ROWS(4)};

UR_END_SET
#endif
