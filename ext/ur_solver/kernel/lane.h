/* What the compiler knows of a lane of four entry squares. */

#ifndef UR_LANE_H
#define UR_LANE_H

#include "tiles.h"

/* Masks by population, then by value, as ur_solver.space.layout.entry_masks orders them. */
static const uint8_t LANE_MASK[LANE_ROWS] = {0, 1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14, 15};
static const uint8_t LANE_PIECES[LANE_ROWS] = {0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4};
static const uint8_t LANE_ROW[LANE_ROWS] = {0, 1, 2, 5, 3, 6, 7, 11, 4, 8, 9, 12, 10, 13, 14, 15};
/* Columns, by vectors in a row; of four vectors there may be 15 too. */
static const uint8_t LANE_COLUMNS[LANE_VECTORS] = {1, 5, 11, LANE_ROWS};
/* Rows, the furthest on first. */
static const uint8_t LANE_ORDER[LANE_ROWS] = {15, 14, 13, 10, 12, 9, 11, 7, 8, 4, 6, 3, 5, 2, 1, 0};

/* The matrix that a move which is not legal leads to: worse than any value. */
#define UR_8(x) x, x, x, x, x, x, x, x
#define UR_64(x) UR_8(x), UR_8(x), UR_8(x), UR_8(x), UR_8(x), UR_8(x), UR_8(x), UR_8(x)
static const double NO_MOVE[LANE_ROWS * LANE_VECTORS * LANES] __attribute__((aligned(64))) = {
    UR_64(-1.0), UR_64(-1.0), UR_64(-1.0), UR_64(-1.0)};
static const float NO_MOVE_single[LANE_ROWS * LANE_VECTORS * LANES] __attribute__((aligned(64))) = {
    UR_64(-1.0), UR_64(-1.0), UR_64(-1.0), UR_64(-1.0)};

/* The same row of a turned tile, as the opponent sees it. */
static const double NO_TURNED_MOVE[LANE_ROWS] = {UR_8(2.0), UR_8(2.0)};
static const float NO_TURNED_MOVE_single[LANE_ROWS] = {UR_8(1.0), UR_8(1.0)};

#endif
