/* The data structures of a block in the tiled kernel.

   A tile says who holds each shared square. It has two matrices of numbers, F then G: one
   row for everything of mine that it leaves open, one column for everything of theirs,
   rows padded to whole vectors of 4:

     F[r][c]  my value with me to throw
     G[r][c]  my value with the opponent to throw = 1 - F of the mirrored tile, transposed

   What a tile leaves open to a side is which of four entry squares it holds: the rows are numbered
   in lane.h.

   In single precision numbers are values less 1/2, and G = -F transposed.

   A tile with one row and several columns is a strip. Its mirror, with one column, is turned: it
   has no matrices of its own, for the strip's G is its F as the opponent sees it, and the strip's F
   its G. There its rows lie side by side, what its moves lead to is the first row of another mirror,
   and the best move is the one with the least number. The last piece that enters and captures leads
   to a strip of five columns itself: of the eight numbers of such a row the last is the first as the
   opponent sees it, the strip's corner.

   A move of mine takes a row to a whole row of F (I throw again) or of G (the turn passes): no
   gathers, no decoding of states. A move whose extra throw may be declined is two moves.

   The best of the moves that leave the block is found once, when the block is laid out:
   a third kind of matrix, one for each throw that has such moves. */

#ifndef UR_TILES_H
#define UR_TILES_H

#include <stdint.h>
#include <string.h>

enum {
    LANES = 4,
    LANE_SQUARES = 4,
    LANE_ROWS = 1 << LANE_SQUARES,
    LANE_VECTORS = LANE_ROWS / LANES,
    CORNER_COLUMNS = 5,           /* of a strip that has a corner */
    CORNER_VECTORS = 2,
    CORNER = CORNER_VECTORS * LANES - 1,
    LINE = 64,                    /* bytes in a cache line */
    MOVE_LINES = 4,               /* prefetched of a matrix that a move leads to */
    SLOT_LINES = 2,
    SMALL = LANE_VECTORS,         /* vectors of a matrix: tiles up to this are small */
    FEW_MOVES = 3,                /* of a throw: the least length of lists of small tiles */
    MOVES_AHEAD = 3,              /* of a throw: spare entries at the end of moves */
};

/* A matrix that a move leads to: its offset in the buffer in vectors, shifted left by 8,
   or'ed with the vectors in one of its rows; 0 for none. Where a turned tile of one piece reads
   a single number, its place in the vector, counted from 1, stands for the latter. */
typedef uint64_t MatrixRef;

typedef struct {
    int64_t f;                    /* offset of F in the buffer, in vectors; of a turned tile of
                                     the strip's G, which the strip's F comes before */
    int64_t first_move;           /* into moves, by throw */
    int64_t first_slot;           /* into slots: moves from my entry squares and home */
    int64_t first_row;            /* into pass_bits */
    uint16_t n_rows, n_columns;
    uint8_t vectors;              /* in one row of F, if it has any */
    uint8_t half;                 /* 0 or 1 */
    uint8_t pieces;               /* mine that are neither settled nor on shared squares */
    int32_t mirror;               /* the same placement seen by the opponent */
    uint8_t n_moves[LANE_SQUARES];
} Tile;

typedef struct {
    Tile *tiles;
    MatrixRef *moves;             /* by tile and throw: what all rows lead to */
    MatrixRef *slots;             /* by tile; see n_slots */
    const uint8_t *pass_bits;     /* (tile row) bit by throw: no move, the turn passes */
    void *frames;                 /* four for each thread */
    int32_t again[LANE_SQUARES];  /* by throw: bit by entry square: landing there again */
    int32_t slot[LANE_SQUARES][LANE_SQUARES + 1]; /* by throw and source */
    int32_t n_throws;             /* throws that move, by ascending step */
    int32_t n_slots;              /* of a tile */
    int32_t first_declined;       /* of its slots: there the same moves begin with the extra throw
                                     declined; n_slots if none may be */
    int32_t is_near;              /* few vectors: they are not prefetched */
    int64_t first_strip;          /* where strips begin in the buffer, in vectors ... */
    int64_t end_strips;           /* ... and end: the matrices of all other tiles come before */
    /* by pass bits: 0 for a throw that passes, and for those that the dice do not have */
    double chance[LANE_ROWS][LANE_SQUARES];
    double pass_chance[LANE_ROWS]; /* the throw of 0 included */
    float chance_single[LANE_ROWS][LANE_SQUARES];
    float pass_chance_single[LANE_ROWS];
} Program;

static inline int may_decline(const Program *program)
{
    return program->first_declined < program->n_slots;
}

static inline int is_strip(const Tile *tile)
{
    return tile->n_rows == 1 && tile->n_columns > 1;
}

static inline int is_turned(const Tile *tile)
{
    return tile->n_columns == 1 && tile->n_rows > 1;
}

/* Vectors of a matrix with a number for each position of a tile. */
static inline int64_t matrix_vectors(const Tile *tile)
{
    return is_turned(tile) ? (tile->n_rows + LANES - 1) / LANES
                           : (int64_t)tile->n_rows * tile->vectors;
}

/* The length of a list of n_moves moves. Lists of small tiles are padded to lengths that are easy
   to predict: reading a matrix twice costs less than a mispredicted branch. */
static inline int list_length(const Tile *tile, int n_moves)
{
    if (matrix_vectors(tile) > SMALL)
        return n_moves;
    return n_moves < FEW_MOVES ? FEW_MOVES : n_moves | 1;
}

#endif
