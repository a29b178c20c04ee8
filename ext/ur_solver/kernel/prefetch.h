/* Prefetching the memory that the next pairs of tiles will read. */

#ifndef UR_PREFETCH_H
#define UR_PREFETCH_H

#include "tiles.h"

/* Compilers take a function that only prefetches for one without effect, and leave out calls of
   it that are not inlined. */
#define UR_PREFETCH static inline __attribute__((always_inline)) void

UR_PREFETCH prefetch_lines(const char *from, const int lines)
{
#pragma GCC unroll 8
    for (int line = 0; line < lines; line++)
        __builtin_prefetch(from + line * LINE);
}

UR_PREFETCH prefetch_matrix(
    const char *buffer, const int64_t vector, MatrixRef ref, const int lines)
{
    prefetch_lines(buffer + (int64_t)(ref >> 8) * vector, lines);
}

/* F and the moves on shared squares; `lines` of each matrix. */
UR_PREFETCH prefetch_throws(
    const Program *program, const char *buffer, const int64_t vector, const Tile *tile,
    const int lines)
{
    int64_t move = tile->first_move;
    prefetch_lines(buffer + tile->f * vector, 2 * lines);
    for (int n = 0; n < program->n_throws; n++) {
        for (int k = 0; k < MOVES_AHEAD; k++)
            prefetch_matrix(buffer, vector, program->moves[move + k], lines);
        move += tile->n_moves[n];
    }
}

/* The first lines from F on, G among them where F is small (a turned tile's are those of its
   strip, which is asked for as well), and of the matrices that moves lead to; processors go on
   by themselves where there are more. Three matrices a throw, whatever follows in the list where there
   are fewer, and all of the slots': the ends of lists are harder to foresee than lines are to get. */
/* `vector`: bytes in one. */
UR_PREFETCH prefetch_tile(
    const Program *program, const char *buffer, const int64_t vector, const Tile *tile)
{
    const int64_t size = matrix_vectors(tile) * vector;
    if (size <= LINE)
        prefetch_throws(program, buffer, vector, tile, 1);
    else if (size <= 2 * LINE)
        prefetch_throws(program, buffer, vector, tile, 2);
    else
        prefetch_throws(program, buffer, vector, tile, MOVE_LINES);
    if (tile->pieces)
        for (int k = 0; k < program->n_slots; k++)
            prefetch_matrix(buffer, vector, program->slots[tile->first_slot + k], SLOT_LINES);
}

/* A tile's record, its lists and the matrices that they name depend on each other in this order:
   each is prefetched some pairs ahead of the next. */
enum { RECORD_AHEAD = 8, MIRROR_AHEAD = 6, LISTS_AHEAD = 4, VALUES_AHEAD = 2 };

UR_PREFETCH prefetch_lists(const Program *program, const Tile *tile)
{
    const MatrixRef *moves = program->moves + tile->first_move;
    __builtin_prefetch(moves);
    __builtin_prefetch(moves + 8);
    if (tile->pieces) {
        const MatrixRef *slots = program->slots + tile->first_slot;
        __builtin_prefetch(slots);
        __builtin_prefetch(slots + 8);
    }
}

/* For those that follow the k-th of n pairs; `number_size`: bytes in a number of `buffer`. */
UR_PREFETCH prefetch_pairs(
    const Program *program, const void *buffer, int number_size, const int32_t *order, int64_t k,
    int64_t n)
{
    if (program->is_near)
        return;
    const int64_t vector = number_size * LANES;
    const Tile *tiles = program->tiles;
    if (k + RECORD_AHEAD < n)
        __builtin_prefetch(tiles + order[k + RECORD_AHEAD]);
    if (k + MIRROR_AHEAD < n) {
        const Tile *tile = tiles + order[k + MIRROR_AHEAD];
        __builtin_prefetch(tiles + tile->mirror);
        prefetch_lists(program, tile);
    }
    if (k + LISTS_AHEAD < n)
        prefetch_lists(program, tiles + tiles[order[k + LISTS_AHEAD]].mirror);
    if (k + VALUES_AHEAD < n) {
        const Tile *tile = tiles + order[k + VALUES_AHEAD];
        prefetch_tile(program, buffer, vector, tile);
        prefetch_tile(program, buffer, vector, tiles + tile->mirror);
    }
}

#endif
