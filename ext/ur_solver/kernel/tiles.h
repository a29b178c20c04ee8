/* What a block looks like to the tiled kernel.

   A tile holds two matrices of doubles, F then G, one row for each of my entry masks,
   one column for each of theirs, rows padded to whole vectors of 8:

     F[r][c]  my value with me to throw
     G[r][c]  my value with the opponent to throw = 1 - F of the mirrored tile, transposed

   so that whatever I move, a row of mine leads to whole rows of F (I throw again) or of
   G (the turn passes): no gathers, no decoding of states.

   The best of the moves that leave the block is found once, when the block is laid out:
   a third kind of matrix, one for each throw that has such moves. */

#ifndef UR_TILES_H
#define UR_TILES_H

#include <stdint.h>

enum {
    LANES = 8,
    MAX_THROWS = 8,
    MAX_ENTRIES = 7,
    LANE_SQUARES = 4,
    LANE_ROWS = 1 << LANE_SQUARES,
    PREFETCH_LINES = 12,
};

/* A matrix that a move leads to: its offset in the buffer in vectors, shifted left by 8,
   or'ed with the vectors in one of its rows; 0 for none. */
typedef uint64_t MatrixRef;

typedef struct {
    int64_t f;                    /* offset of F in the buffer, in vectors */
    int32_t mirror;               /* the same placement seen by the opponent */
    uint32_t first_move;          /* into moves: by throw, those that change no mask */
    uint32_t first_slot;          /* into slots: those from my entry squares and home */
    uint32_t first_row;           /* into pass_bits */
    uint8_t half;                 /* 0 or 1 */
    uint8_t n_rows, n_columns;
    uint8_t vectors;              /* in one row */
    uint8_t pieces;               /* mine that are neither settled nor on shared squares */
    uint8_t pattern;              /* which shared squares next to the entry are open */
    uint8_t n_moves[MAX_THROWS];
} Tile;

/* The moves of one row and throw from entry squares and home: the slot that names the
   matrix, and the row there. Slot 0 is the tile's own G and slot 1 its own F. */
typedef struct {
    uint8_t n;
    uint8_t slot[MAX_ENTRIES];
    uint8_t row[MAX_ENTRIES];
    uint8_t unused;
} RowMoves;

typedef struct {
    const Tile *tiles;
    const MatrixRef *moves;
    const MatrixRef *slots;
    const uint8_t *pass_bits;     /* (tile row) bit by throw: no move, the turn passes */
    const RowMoves *row_moves[2]; /* by half: (pattern, is home empty, row, throw) */
    const uint8_t *row_order[2];  /* by half: rows, the furthest on first */
    const uint8_t *row_pieces[2]; /* by half: pieces that a row's mask holds */
    int32_t max_rows[2];
    int32_t is_lane[2];           /* by half: a whole lane of four entry squares, and
                                     throws of 1, 2, 3 and perhaps 4 only */
    int32_t lane_again[MAX_THROWS]; /* by throw: bit by entry square: landing there again */
    int32_t lane_slot[MAX_THROWS][LANE_SQUARES + 1]; /* by throw and source: slot or -1 */
    int32_t n_throws;             /* throws that move, by ascending step */
    double chance[256][MAX_THROWS];  /* by pass bits: 0 for a throw that passes */
    double pass_chance[256];      /* by pass bits, the throw of 0 included */
} Program;

#endif
