/* What the next pairs of tiles will read is asked for before they are updated. */

#ifndef UR_PREFETCH_H
#define UR_PREFETCH_H

#include "tiles.h"

static inline void prefetch_lines(const char *from, int lines)
{
    for (int line = 0; line < lines; line++)
        __builtin_prefetch(from + line * LINE);
}

/* F, and matrices that moves lead to. Of a lane the first of each throw: if some move leaves
   the block it is theirs, which no other tile reads and no cache holds. The other matrices
   belong to tiles close by: to prefetch them too costs more than it saves. Measured in one run
   against no prefetch: a sweep takes 0.84 of the time on finkel 6 and on masters 4; with all
   matrices 0.90 and 0.93. Tiles with forks are smaller and lead further: the first lines of
   all matrices. */
static inline void prefetch_tile(
    const Program *program, const char *buffer, const int64_t vector, const Tile *tile)
{
    /* `vector`: bytes in one. */
    const int lines = (int)((tile->n_rows * tile->vectors * vector + LINE - 1) / LINE);
    const int most = lines < PREFETCH_LINES ? lines : PREFETCH_LINES;
    const int first = lines < MOVE_LINES ? lines : MOVE_LINES;
    uint32_t move = tile->first_move;
    for (int n = 0; n < program->n_throws; n++) {
        const uint32_t end = move + tile->n_moves[n];
        if (program->is_lane) {
            if (move < end)
                prefetch_lines(buffer + (int64_t)(program->refs[move] >> 8) * vector, most);
            move = end;
        } else
            for (; move < end; move++)
                prefetch_lines(
                    buffer + (int64_t)(program->moves[move].matrix >> 8) * vector, first);
    }
    prefetch_lines(buffer + tile->f * vector, 2 * most);
}

/* A tile's record, its lists and what they lead to are each known only once the one before
   is there: each is asked for some pairs before the next. */
enum { RECORD_AHEAD = 8, MIRROR_AHEAD = 6, LISTS_AHEAD = 4, VALUES_AHEAD = 2 };

static inline void prefetch_lists(const Program *program, const Tile *tile)
{
    if (program->is_lane) {
        const MatrixRef *moves = program->refs + tile->first_move;
        __builtin_prefetch(moves);
        __builtin_prefetch(moves + 8);
        if (tile->pieces) {
            const MatrixRef *slots = program->slots + tile->first_slot;
            __builtin_prefetch(slots);
            __builtin_prefetch(slots + 8);
        }
        return;
    }
    const Move *move = program->moves + tile->first_move;
    int n_moves = 0;
    for (int n = 0; n < program->n_throws; n++)
        n_moves += tile->n_moves[n];
    for (int k = 0; k < n_moves; k += 4)
        __builtin_prefetch(move + k);
    __builtin_prefetch(program->pass_bits + tile->first_row);
}

static inline void prefetch_pairs(
    const Program *program, const void *buffer, int number_size, const int32_t *order, int64_t k,
    int64_t n)
{
    /* For those that follow the k-th of n pairs; `number_size`: bytes in a number of `buffer`. */
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
