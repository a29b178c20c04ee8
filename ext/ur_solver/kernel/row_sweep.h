/* Sweeps over tiles whose rows have lists of moves: the rules, whatever they are, have become
   lists of numbers.

   A tile is a matrix of positions, rows of mine by columns of theirs. Values are stored as what
   they are above 1/2, so that the other side's are their negatives, in two matrices a tile:

       F[r][c]   the value of the position if I throw
       G[r][c]   its value if the other side does: -F[c][r] of the mirror tile

   Of every row the list of a throw names rows of tiles: of F where the same side throws again,
   of G where the turn passes on. What the throw is worth, column by column, is the largest of
   them. A move that changes the columns, as it captures a marked or numbered piece, has a *map* of columns.

   The words of a row, of 32 bits each, or of 64 in a block whose places are beyond that:

       kind                              its turn type
       by choice and throw of the type:
           head                          how many rows, how many mapped ones, LEAVES, COVERED
           rows                          places in F (G follows it)
           mapped rows                   a place and where its map begins in `maps`, each

   A map says for each column which one of the row its value is in, -1 where there is no move;
   it is filled up to whole vectors.

   With LEAVES a row of the best of all moves that leave the block follows in `leaving`. A throw
   that is not COVERED has columns in which there may be no move; one whose head is 0 has none in
   any. The turn passes there. */

#ifndef UR_ROW_SWEEP_H
#define UR_ROW_SWEEP_H

#include <stdint.h>

#define UR_ROW_THROWS 12         /* MAX_THROW of ur_solver.rules.limits */
#define UR_ROW_CHOICES 2
#define UR_LEAVES (1u << 24)
#define UR_COVERED (1u << 25)
#define UR_MOST_ROWS 0xFFFu      /* of each sort in a list */
#define UR_MAPPED_SHIFT 12
#define UR_ROW_LANES 8           /* numbers in a vector */
#define UR_ROW_SPARE 40          /* numbers that may be read past the end of a row */
#define UR_ROW_AHEAD 96          /* words whose rows are on their way from memory */
#define UR_NO_MOVE (-1e300)
#define UR_NO_MOVE_SINGLE (-1e30f)

typedef struct {
    int32_t n_choices;
    int32_t n_throws[UR_ROW_CHOICES];
    double chance[UR_ROW_CHOICES][UR_ROW_THROWS]; /* of the throws that may move a piece */
} RowKind;

typedef struct {
    int64_t first;              /* the place of its first value in F */
    int32_t rows, columns;
    int32_t advance;            /* counted in its rows and in its columns */
} RowTile;

/* A run of pairs of tiles, each a tile and its mirror image, whose turns pass to each other. */
typedef struct {
    const int32_t *pairs;       /* two tiles each, the same where one is its own image */
    int32_t n_pairs;
    int32_t is_wide;            /* whether words have 64 bits */
    int32_t is_single;          /* whether values are floats, not doubles */
    void *words;
    void *leaving;              /* values */
    int32_t *maps;
    uint16_t *advance;          /* of rows, in the order of words */
    int64_t n_words, n_leaving, n_maps, n_rows;
    int64_t first_row;          /* the number of the first among those of all chunks */
    int64_t room_words, room_leaving, room_maps;
} RowChunk;

typedef struct {
    const RowKind *kinds;
    const RowTile *tiles;
    int64_t n_values;
    int32_t most_rows, most_columns;
    int instruction_set;        /* as `find_set` has it */
    int keeps_choices;          /* whether sweeps keep to the best choice before a throw while they
                                   solve a pair, which is fast, but may go round in circles */
    const void *levels;         /* of games for money `LevelRows` (levels.h), else NULL */
} RowBlock;

/* What is done with a block whose values are of one type: all that `_row_block` sees. Of a block's
   `values` there are F, then G but with lanes, with UR_ROW_SPARE to spare; `scratch` is a thread's. */
typedef struct {
    int64_t value_size;         /* bytes */

    /* How many bytes a thread needs to work in. */
    int64_t (*scratch_bytes)(const RowBlock *block);

    /* Update the tiles of a chunk in place; the largest change. */
    double (*sweep)(const RowBlock *block, const RowChunk *chunk, void *values, void *scratch);

    /* The largest abs(T(V) - V) of a chunk's tiles. */
    double (*residual)(
        const RowBlock *block, const RowChunk *chunk, const void *values, void *scratch);

    /* Update upper and lower bounds of a chunk's tiles, each operation rounded outwards; an update
       may be `blur` off by its chances. */
    void (*narrow)(
        const RowBlock *block, const RowChunk *chunk, void *upper, void *lower, double blur,
        void *scratch);

    /* Write G by an F, the same or that of the other bound, for the tiles of a chunk. */
    void (*show)(const RowBlock *block, const RowChunk *chunk, void *values, const void *other);

    /* The furthest that bounds, of F, are from `n` chances, rounded up, and where. */
    double (*width)(
        const void *upper, const void *lower, const double *chances, int64_t n, int64_t *where);

    /* Of F, from a value on, `n` values: bounds at a distance from chances or a little further; F by
       chances, or chances by F; F and `factor` times its change from what it was before; every
       `step`-th as a chance. */
    void (*bracket)(
        void *upper, void *lower, const double *chances, double distance, int64_t from, int64_t n);
    void (*load)(void *values, const double *chances, int64_t from, int64_t n);
    void (*store)(const void *values, double *chances, int64_t from, int64_t n);
    void (*extrapolate)(
        void *values, const void *before, double factor, int64_t from, int64_t n);
    void (*sample)(const void *values, double *chances, int64_t step, int64_t n);
} RowSweeper;

extern const RowSweeper row_double, row_single;

/* A block under a policy, which says which move is made after every throw.

   Positions are numbered in pairs that pass to each other, the most advanced pairs first: the k-th
   pair has the numbers k and `n_pairs` + k, which is rounded up to whole vectors. A position that
   passes to itself has both. Their values are stored by number, F alone, and a 0 behind them. */
typedef struct {
    int64_t n_pairs;
    int32_t n_throws;
    const double *chances;      /* by throw, in all turns the same */
    double *followed;           /* the values, by number */
    uint32_t *numbers;          /* of the positions, by place */
    uint32_t *next;             /* by vector of pairs, side, throw and pair: the number of the position
                                   that the move leads to. UR_TURNED is added where the turn passes
                                   on; 2 `n_pairs` is no move, and with UR_TURNED one that leaves
                                   the block */
    double *leaving;            /* by number: what its moves that leave the block add to its value */
    double *leaving_behind;     /* the same from the number `n_leaving` on */
    int64_t n_leaving;          /* a multiple of a vector */
    uint8_t *noted;              /* by place of a row, throw and column: which of a list's moves it is */
    double drift;               /* how far a value may have moved since they were taken from F */
    float *limits;              /* by row: the drift up to which its best moves stay the best */
} RowPolicy;

#define UR_TURNED (1u << 31)
#define UR_NEVER_NOTED 255        /* of no move yet */

/* What is done with policies of blocks in double precision. */

/* Count the pairs of a chunk by how far they have advanced. */
void policy_count(const RowBlock *block, const RowChunk *chunk, int32_t *counts);

/* Number a chunk's positions; `next` is by advance the number of the next pair. */
void policy_number(
    const RowBlock *block, const RowChunk *chunk, int32_t *next, const RowPolicy *policy);

/* Let the best moves by the values of a block be the policy of a chunk's positions; how many positions
   have another one. */
int64_t policy_choose(
    const RowBlock *block, const RowChunk *chunk, const void *values, const RowPolicy *policy,
    void *scratch);

/* Take the values under the policy from F, for a chunk, or write F and G by them. */
void policy_copy(
    const RowBlock *block, const RowChunk *chunk, double *values, const RowPolicy *policy,
    int is_to_block);

/* Update the vectors of pairs from one to before another in place; the largest change. */
double policy_follow(const RowBlock *block, const RowPolicy *policy, int64_t from, int64_t to);

#endif
