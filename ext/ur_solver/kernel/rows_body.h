/* Tiles with any other set of rows, which of them a move has being read from lists. */

#ifndef UR_ROWS_BODY_H
#define UR_ROWS_BODY_H

#include "columns.h"

static __attribute__((noinline)) void write_g_rows(
    const REAL *f, int stride, REAL *g, int to_stride, int rows, int columns)
{
    write_g_matrix(f, stride, g, to_stride, rows, columns);
}

static inline __attribute__((always_inline)) void improve(
    REAL *best, const REAL *from, const int vectors, const int captured)
{
    /* A row by another, from whose columns a bit is missing if `captured` is not NO_BIT. */
    UR_COLUMNS(
        vectors, improve8(best, from, column, captured),
        improve4(best, from, column, captured))
}

static inline __attribute__((always_inline)) void improve_rows(
    const Program *program, const Tile *tile, const Move *move, const REAL *from, REAL *best,
    const int vectors, const int captured)
{
    /* `vectors` and `captured` are constants after inlining, or nearly so. */
    const int64_t stride = (int64_t)vectors * LANES;
    const int64_t from_stride = (int64_t)(move->matrix & 255) * LANES;
    const uint16_t *row = program->with_bit[move->lost], *to = program->with_bit[move->gained];
    if (move->entry == NO_ENTRY) {
        for (int k = 0; k < move->n; k++)
            improve(best + row[k] * stride, from + to[k] * from_stride, vectors, captured);
        return;
    }
    const uint8_t *pair =
        program->leaving[tile->half] + (int64_t)move->entry * program->max_pairs[tile->half] * 2;
    for (int k = 0; k < move->n; k++, pair += 2)
        for (int legs = 0; legs < 1 << tile->forks; legs++)
            improve(
                best + (pair[0] << tile->forks | legs) * stride,
                from + to[pair[1] << tile->forks | legs] * from_stride, vectors, captured);
}

static inline __attribute__((always_inline)) void prepare_rows(
    const Program *program, const Tile *tile, const REAL *buffer, REAL *frame,
    const int vectors)
{
    /* The best of the moves that leave the tile, by throw and row. */
    const int64_t size = (int64_t)tile->n_rows * vectors * LANES;
    const Move *move = program->moves + tile->first_move;
    for (int n = 0; n < program->n_throws; n++, frame += program->frame_step) {
        for (int64_t k = 0; k < size; k += LANES)
            store4(frame + k, set4(-1.0));
        for (const Move *end = move + tile->n_moves[n]; move < end; move++) {
            const REAL *from = matrix_at(buffer, move->matrix);
            switch (move->captured) {
            case 0:
                improve_rows(program, tile, move, from, frame, vectors, 0);
                break;
            case 1:
                improve_rows(program, tile, move, from, frame, vectors, 1);
                break;
            case 2:
                improve_rows(program, tile, move, from, frame, vectors, 2);
                break;
            case NO_BIT:
                improve_rows(program, tile, move, from, frame, vectors, NO_BIT);
                break;
            default:
                improve_rows(program, tile, move, from, frame, vectors, move->captured);
            }
        }
    }
}

static void prepare_one(
    const Program *program, const Tile *tile, const REAL *buffer, REAL *frame)
{
    prepare_rows(program, tile, buffer, frame, 1);
}

static void prepare_two(
    const Program *program, const Tile *tile, const REAL *buffer, REAL *frame)
{
    prepare_rows(program, tile, buffer, frame, 2);
}

static void prepare_several(
    const Program *program, const Tile *tile, const REAL *buffer, REAL *frame)
{
    prepare_rows(program, tile, buffer, frame, tile->vectors);
}

static double update_rows(
    const Program *program, const Tile *tile, const REAL *buffer, const REAL *frame, REAL *to)
{
    const int half = tile->half, n_masks = program->n_masks[half];
    vec8 delta8 = set8(0.0);
    vec4 delta4 = set4(0.0);
    for (int k = 0; k < n_masks; k++) {
        const int mask = program->mask_order[half][k];
        if (mask << tile->forks >= tile->n_rows)
            continue;
        const int home_empty = program->mask_pieces[half][mask] == tile->pieces;
        const EntryMoves *lists = program->entry_moves[half] +
                                  (home_empty * n_masks + mask) * program->n_throws;
        for (int legs = 0; legs < 1 << tile->forks; legs++) {
            const int row = mask << tile->forks | legs;
            UR_COLUMNS(
                tile->vectors,
                delta8 = max8(
                    delta8, update_row8(
                                program, tile, buffer, frame, to, lists, legs, row, column)),
                delta4 = max4(
                    delta4, update_row4(
                                program, tile, buffer, frame, to, lists, legs, row, column)))
        }
    }
    return larger(largest8(delta8), largest4(delta4));
}

#endif
